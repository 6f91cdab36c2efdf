// Which evidence must be seen before which: a chip dragged onto another, or two numbers.

import { dragging } from "./dragging.js";
import { element, press, rows } from "./dom.js";
import { ordered } from "./order.js";

// Returns { node, draw(content), focus() }.
export function dependencyList({ layers, words, edit }) {
  const names = new Map(layers.map(({ index, name }) => [index, name]));
  let evidence = [];
  let picked = null; // the layer that was chosen to come before, by a click or a key
  const add = (before, after) => {
    const pairs = edit.content.dependencies;
    const known = pairs.some((pair) => pair[0] === before && pair[1] === after);
    if (!edit.locked && before !== after && !known) edit.set("dependencies", [...pairs, [before, after]]);
  };
  const pick = (layer) => {
    if (edit.locked) return;
    if (picked !== null && picked !== layer) add(picked, layer);
    picked = picked === null ? layer : null;
    mark();
  };
  const chips = element("div", { class: "a-row s-chips" });
  const mark = () => [...chips.children].forEach((chip, at) => press(chip, evidence[at] === picked));
  const chip = (at) => {
    const button = element("button", { type: "button", class: "a-chip", disabled: edit.locked, onclick: () => pick(evidence[at]) });
    dragging(button, { onto: () => [...chips.children], dropped: (target) => add(evidence[at], evidence[[...chips.children].indexOf(target)]) });
    return button;
  };
  const list = element("ol", { class: "s-pairs" });
  const pairRow = (at) => element("li", {}, element("span"), element("button", { type: "button", class: "a-button", disabled: edit.locked,
    onclick: () => edit.set("dependencies", edit.content.dependencies.filter((_, other) => other !== at)) }, words("scenes.remove")));
  const numbers = typed({ words, edit, add });
  const order = element("p", { class: "a-note", role: "status" });
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.dependencies") },
    element("h2", { class: "a-label" }, words("scenes.field.dependencies"),
      element("span", { class: "a-note" }, words("scenes.dependencies_how"))),
    element("div", { class: "a-row" }, chips, numbers), list, order);
  const draw = ({ minimal_sets: sets, dependencies: pairs }) => {
    evidence = [...new Set(sets.flat())].sort((a, b) => a - b);
    if (!evidence.includes(picked)) picked = null;
    rows(chips, evidence.length, chip, (one, at) => (one.textContent = `${evidence[at]} ${names.get(evidence[at]) ?? ""}`));
    mark();
    rows(list, pairs.length, pairRow, (row, at) => {
      const [before, after] = pairs[at];
      row.firstChild.textContent = `${before} → ${after}`;
      row.lastChild.setAttribute("aria-label", words("scenes.remove_pair", { before, after }));
    });
    const found = ordered(new Set([...evidence, ...pairs.flat()]), pairs);
    order.classList.toggle("a-bad", "cycle" in found);
    order.textContent = found.cycle
      ? words("scenes.cycle", { layers: found.cycle.join(" → ") })
      : pairs.length ? words("scenes.order", { layers: found.order.join(", ") }) : words("scenes.any_order");
  };
  return { node, draw, focus: () => numbers.querySelector("input").focus() };
}

// Two numbers, before and after, and Enter.
function typed({ words, edit, add }) {
  const input = element("input", { class: "a-text s-pair", type: "text", inputmode: "numeric", autocomplete: "off",
    placeholder: words("scenes.pair"), "aria-label": words("scenes.pair_label"), readOnly: edit.locked });
  const enter = (event) => {
    event.preventDefault();
    const [before, after] = (input.value.match(/\d+/g) ?? []).map(Number);
    if (after === undefined) return;
    add(before, after);
    input.value = "";
  };
  return element("form", { class: "a-row s-typed", onsubmit: enter }, input,
    element("button", { class: "a-button", disabled: edit.locked }, words("scenes.add")));
}
