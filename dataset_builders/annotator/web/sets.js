// The minimal sets of layers that answer the question: the first is the gold. What is in none distracts.

import { layerToggles } from "./controls.js";
import { element, rows } from "./dom.js";

const made = new WeakMap(); // what a row's element was made with

// `shown` gives the layers in sight, `show` puts others there. Returns { node, draw(content), key(event), focus(at) }.
export function setTable({ layers, words, edit, shown, show }) {
  const all = layers.map(({ index }) => index);
  const change = (sets) => edit.set("minimal_sets", sets);
  const having = (at, set) => Object.assign([...edit.content.minimal_sets], { [at]: set });
  const first = (at) => {
    const sets = [...edit.content.minimal_sets];
    change([...sets.splice(at, 1), ...sets]);
  };
  const takeGold = () => !edit.locked && change(having(0, shown()));
  const takeNext = () => !edit.locked && change([...edit.content.minimal_sets, shown()]);
  const button = (name, onclick, disabled = edit.locked) =>
    element("button", { type: "button", class: "a-button", disabled, onclick }, words(`scenes.${name}`));
  const make = (at) => {
    const toggles = layerToggles({ layers, label: title(at, words), locked: edit.locked, changed: (set) => change(having(at, set)) });
    const remove = button("remove", () => change(edit.content.minimal_sets.filter((_, other) => other !== at)));
    const row = element("div", { class: "s-set" }, element("b", {}, title(at, words)), toggles.node,
      element("div", { class: "a-row" }, button("show_set", () => show(edit.content.minimal_sets[at] ?? []), false),
        at ? button("make_gold", () => first(at)) : null, remove));
    made.set(row, { toggles, remove });
    return row;
  };
  const list = element("div", { class: "s-sets" });
  const rest = element("p", { class: "a-note" });
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.minimal_sets") },
    element("h2", { class: "a-label" }, words("scenes.field.minimal_sets")), list,
    element("div", { class: "a-row" }, button("take_gold", takeGold), button("take_next", takeNext)), rest);
  const draw = ({ minimal_sets: sets }) => {
    rows(list, Math.max(1, sets.length), make, (row, at) => {
      made.get(row).toggles.draw(sets[at] ?? []);
      made.get(row).remove.disabled = edit.locked || sets.length === 0;
    });
    const distractors = all.filter((one) => !sets.flat().includes(one));
    rest.textContent = words("scenes.distractors", { layers: distractors.join(", ") || words("scenes.no_layer") });
  };
  const key = (event) => {
    if (!event.shiftKey || !["KeyG", "KeyS"].includes(event.code)) return false;
    event.code === "KeyG" ? takeGold() : takeNext();
    return true;
  };
  const focus = (at) => (list.children[at] ?? list.lastElementChild).querySelector("button").focus();
  return { node, draw, key, focus };
}

const title = (at, words) => (at === 0 ? words("scenes.gold") : words("scenes.set_row", { n: at + 1 }));
