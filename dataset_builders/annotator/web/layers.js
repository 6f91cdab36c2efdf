// The scene as the layers that are chosen make it, and the layers to choose from.

import { button, element, press } from "./dom.js";

// Returns { node, draw(content), key(event), show(layers), shown() }.
export function layerView({ scene, words }) {
  const { layers, canvas } = scene;
  const all = layers.map(({ index }) => index);
  const now = { shown: all, gold: [] };
  const stack = layers.map(({ url }) => element("img", { src: url, alt: "", draggable: false }));
  const picture = element("div", { class: "s-stack", role: "img" }, stack);
  picture.style.setProperty("--s-ratio", canvas[0] / canvas[1]);
  const thumbs = layers.map((layer) => thumb(layer, canvas, () => toggle(layer.index), words));
  const show = (chosen) => {
    now.shown = all.filter((one) => chosen.includes(one));
    stack.forEach((img, at) => (img.hidden = !now.shown.includes(all[at])));
    thumbs.forEach(({ node }, at) => press(node, now.shown.includes(all[at])));
    const named = now.shown.join(", ") || words("scenes.no_layer");
    picture.setAttribute("aria-label", words("scenes.shown", { layers: named }));
  };
  const others = (layer) => now.shown.filter((one) => one !== layer);
  const toggle = (layer) => show(now.shown.includes(layer) ? others(layer) : [...now.shown, layer]);
  const choices = {
    only_gold: () => show(now.gold),
    all: () => show(all),
    none: () => show([]),
    all_but: () => show(all.filter((one) => !now.shown.includes(one))),
  };
  const node = element("div", { class: "s-view" }, picture, chooser(choices, words),
    element("div", { class: "s-thumbs" }, thumbs.map((one) => one.node)));
  const draw = ({ minimal_sets: sets }) => {
    now.gold = sets[0] ?? [];
    thumbs.forEach(({ mark }, at) => mark(sets.flatMap((set, number) => (set.includes(all[at]) ? [number] : []))));
  };
  const key = (event) => {
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const choice = Object.keys(KEYS).find((name) => KEYS[name] === event.code);
    if (event.shiftKey) return false;
    if (digit !== undefined && all.includes(Number(digit))) toggle(Number(digit));
    else if (choice) choices[choice]();
    else return false;
    return true;
  };
  show(all);
  return { node, draw, key, show, shown: () => now.shown };
}

const KEYS = { only_gold: "KeyG", all: "KeyA", none: "KeyN", all_but: "KeyI" };

function chooser(choices, words) {
  const buttons = Object.entries(choices).map(([name, does]) =>
    button(words(`scenes.${name}`), does, { "aria-keyshortcuts": KEYS[name].slice(-1) }));
  return element("div", { class: "a-row", role: "group", "aria-label": words("scenes.show") }, buttons);
}

// A layer in small. Returns { node, mark(sets) }: in which sets it stands, 0 is the gold.
function thumb({ index, name, url }, canvas, toggled, words) {
  const tag = element("span", { class: "s-tag" });
  const picture = element("span", { class: "s-picture" }, element("img", { src: url, alt: "" }));
  picture.style.aspectRatio = `${canvas[0]} / ${canvas[1]}`;
  const node = element("button", { type: "button", class: "s-thumb", title: name, onclick: toggled },
    element("span", { class: "s-number" }, String(index)), picture, element("span", { class: "s-name" }, name), tag);
  const mark = (sets) => {
    node.classList.toggle("s-evidence", sets.length > 0);
    if (sets.length === 0) tag.textContent = "";
    else tag.textContent = sets[0] === 0 ? words("scenes.gold") : words("scenes.in_set", { n: sets[0] + 1 });
  };
  return { node, mark };
}
