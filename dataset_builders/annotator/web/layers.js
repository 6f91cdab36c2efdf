// The scene as the layers that are chosen make it, and the layers to choose from.

import { element, press } from "./dom.js";

// Returns { node, draw(content), key(event), show(layers), shown() }.
export function layerView({ scene, words }) {
  const { layers, canvas } = scene;
  const all = layers.map(({ index }) => index);
  const view = { shown: all, gold: [] };
  const stack = layers.map(({ url }) => element("img", { src: url, alt: "", draggable: false }));
  const picture = element("div", { class: "s-stack", role: "img" }, stack);
  picture.style.setProperty("--s-ratio", canvas[0] / canvas[1]);
  const thumbs = layers.map((layer) => thumb(layer, canvas, () => toggle(layer.index), words));
  const show = (chosen) => {
    view.shown = all.filter((one) => chosen.includes(one));
    stack.forEach((img, at) => (img.hidden = !view.shown.includes(all[at])));
    thumbs.forEach(({ button }, at) => press(button, view.shown.includes(all[at])));
    picture.setAttribute("aria-label", words("scenes.shown", { layers: view.shown.join(", ") || words("scenes.no_layer") }));
  };
  const toggle = (one) => show(view.shown.includes(one) ? view.shown.filter((other) => other !== one) : [...view.shown, one]);
  const gold = () => show(view.gold);
  const others = () => show(all.filter((one) => !view.shown.includes(one)));
  const keys = { KeyG: gold, KeyA: () => show(all), KeyN: () => show([]), KeyI: others };
  const button = (name, key) =>
    element("button", { type: "button", class: "a-button", "aria-keyshortcuts": key.slice(-1), onclick: keys[key] }, words(`scenes.${name}`));
  const node = element("div", { class: "s-view" }, picture,
    element("div", { class: "a-row", role: "group", "aria-label": words("scenes.show") },
      button("only_gold", "KeyG"), button("all", "KeyA"), button("none", "KeyN"), button("all_but", "KeyI")),
    element("div", { class: "s-thumbs" }, thumbs.map(({ button: one }) => one)));
  const draw = ({ minimal_sets: sets }) => {
    view.gold = sets[0] ?? [];
    thumbs.forEach(({ mark }, at) => mark(sets.flatMap((set, number) => (set.includes(all[at]) ? [number] : []))));
  };
  const key = (event) => {
    if (event.shiftKey) return false;
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    if (digit !== undefined && all.includes(Number(digit))) toggle(Number(digit));
    else if (keys[event.code]) keys[event.code]();
    else return false;
    return true;
  };
  show(all);
  return { node, draw, key, show, shown: () => view.shown };
}

// A layer in small. `mark` is told in which sets it stands: 0 is the gold.
function thumb({ index, name, url }, canvas, toggled, words) {
  const tag = element("span", { class: "s-tag" });
  const picture = element("span", { class: "s-picture" }, element("img", { src: url, alt: "" }));
  picture.style.aspectRatio = `${canvas[0]} / ${canvas[1]}`;
  const button = element("button", { type: "button", class: "s-thumb", title: name, onclick: toggled },
    element("span", { class: "s-number" }, String(index)), picture,
    element("span", { class: "s-name" }, name), tag);
  const mark = (sets) => {
    button.classList.toggle("s-evidence", sets.length > 0);
    tag.textContent = sets.includes(0) ? words("scenes.gold") : sets.length ? words("scenes.in_set", { n: sets[0] + 1 }) : "";
  };
  return { button, mark };
}
