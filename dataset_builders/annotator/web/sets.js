// The minimal sets of layers that answer the question: the first is the gold. What is in none distracts.

import { layerToggles } from "./controls.js";
import { button, element, rows } from "./dom.js";

const made = new WeakMap(); // what a row's element was made with

// `shown` gives the layers in sight, `show` puts others there.
// Returns { node, draw(content), key(event), focus(at) }.
export function setTable({ layers, words, edit, shown, show }) {
  const all = layers.map(({ index }) => index);
  const list = element("div", { class: "s-sets" });
  const rest = element("p", { class: "a-note" });
  const changes = setChanges(edit);
  const takeGold = () => changes.put(0, shown());
  const takeNext = () => changes.put(edit.content.minimal_sets.length, shown());
  const taking = (name, does) => button(words(`scenes.${name}`), does, { disabled: edit.locked });
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.minimal_sets") },
    element("h2", { class: "a-label" }, words("scenes.field.minimal_sets")), list,
    element("div", { class: "a-row" }, taking("take_gold", takeGold), taking("take_next", takeNext)), rest);
  const make = (at) => {
    const row = setRow({ at, layers, words, locked: edit.locked, changes, show: () => show(changes.at(at)) });
    made.set(row.node, row);
    return row.node;
  };
  const draw = ({ minimal_sets: sets }) => {
    rows(list, Math.max(1, sets.length), make, (one, at) => made.get(one).draw(sets[at]));
    const distractors = all.filter((one) => !sets.flat().includes(one));
    rest.textContent = words("scenes.distractors", { layers: distractors.join(", ") || words("scenes.no_layer") });
  };
  const key = (event) => {
    if (!event.shiftKey || !["KeyG", "KeyS"].includes(event.code)) return false;
    if (event.code === "KeyG") takeGold();
    else takeNext();
    return true;
  };
  const focus = (at) => (list.children[at] ?? list.lastElementChild).querySelector("button").focus();
  return { node, draw, key, focus };
}

function setChanges(edit) {
  const all = () => edit.content.minimal_sets;
  const change = (sets) => !edit.locked && edit.set("minimal_sets", sets);
  return {
    at: (at) => all()[at] ?? [],
    put: (at, set) => change(Object.assign([...all()], { [at]: set })),
    remove: (at) => change(all().filter((_, other) => other !== at)),
    first: (at) => change([all()[at], ...all().filter((_, other) => other !== at)]),
  };
}

// One set; the first row is there before there is a set. Returns { node, draw(set) }.
function setRow({ at, layers, words, locked, changes, show }) {
  const title = at === 0 ? words("scenes.gold") : words("scenes.set_row", { n: at + 1 });
  const doing = (name, does) => button(words(`scenes.${name}`), does, { disabled: locked });
  const toggles = layerToggles({ layers, label: title, locked, changed: (set) => changes.put(at, set) });
  const remove = doing("remove", () => changes.remove(at));
  const node = element("div", { class: "s-set" }, element("b", {}, title), toggles.node,
    element("div", { class: "a-row" }, button(words("scenes.show_set"), show),
      at ? doing("make_gold", () => changes.first(at)) : null, remove));
  const draw = (set) => {
    toggles.draw(set ?? []);
    remove.disabled = locked || set === undefined;
  };
  return { node, draw };
}
