// Which evidence must be seen before which: a chip dragged onto another, or two numbers.

import { button, element, press, rows } from "./dom.js";
import { dragging } from "./dragging.js";
import { ordered } from "./order.js";

// Returns { node, draw(content), focus() }.
export function dependencyList({ layers, words, edit }) {
  const add = (before, after) => {
    const pairs = edit.content.dependencies;
    const known = pairs.some((pair) => pair[0] === before && pair[1] === after);
    if (!edit.locked && before !== after && !known) edit.set("dependencies", [...pairs, [before, after]]);
  };
  const chips = evidenceChips({ layers, locked: edit.locked, add });
  const numbers = typed({ words, locked: edit.locked, add });
  const list = pairList({ words, edit });
  const order = element("p", { class: "a-note", role: "status" });
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.dependencies") },
    element("h2", { class: "a-label" }, words("scenes.field.dependencies"),
      element("span", { class: "a-note" }, words("scenes.dependencies_how"))),
    element("div", { class: "a-row" }, chips.node, numbers), list.node, order);
  const draw = ({ minimal_sets: sets, dependencies: pairs }) => {
    const evidence = [...new Set(sets.flat())].sort((a, b) => a - b);
    chips.draw(evidence);
    list.draw(pairs);
    const found = ordered(new Set([...evidence, ...pairs.flat()]), pairs);
    order.classList.toggle("a-bad", "cycle" in found);
    order.textContent = spoken(found, pairs, words);
  };
  return { node, draw, focus: () => numbers.querySelector("input").focus() };
}

function spoken({ order, cycle }, pairs, words) {
  if (cycle) return words("scenes.cycle", { layers: cycle.join(" → ") });
  return pairs.length ? words("scenes.order", { layers: order.join(", ") }) : words("scenes.any_order");
}

// The evidence, a chip a layer: dragged, or pressed one after the other. Returns { node, draw(evidence) }.
function evidenceChips({ layers, locked, add }) {
  const names = new Map(layers.map(({ index, name }) => [index, name]));
  const node = element("div", { class: "a-row s-chips" });
  let evidence = [];
  let picked = null; // the layer that was pressed, to come before the next
  const mark = () => [...node.children].forEach((chip, at) => press(chip, evidence[at] === picked));
  const pick = (layer) => {
    if (picked !== null && picked !== layer) add(picked, layer);
    picked = picked === null ? layer : null;
    mark();
  };
  const make = (at) => {
    const onclick = () => pick(evidence[at]);
    const chip = element("button", { type: "button", class: "a-chip", disabled: locked, onclick });
    const onto = () => [...node.children];
    dragging(chip, { onto, dropped: (target) => add(evidence[at], evidence[onto().indexOf(target)]) });
    return chip;
  };
  const draw = (now) => {
    evidence = now;
    if (!evidence.includes(picked)) picked = null;
    rows(node, evidence.length, make, (chip, at) => (chip.textContent = `${now[at]} ${names.get(now[at]) ?? ""}`));
    mark();
  };
  return { node, draw };
}

// The pairs that there are. Returns { node, draw(pairs) }.
function pairList({ words, edit }) {
  const node = element("ol", { class: "s-pairs" });
  const remove = (at) => edit.set("dependencies", edit.content.dependencies.filter((_, other) => other !== at));
  const make = (at) => element("li", {}, element("span"),
    button(words("scenes.remove"), () => remove(at), { disabled: edit.locked }));
  const draw = (pairs) => rows(node, pairs.length, make, (row, at) => {
    const [before, after] = pairs[at];
    row.firstChild.textContent = `${before} → ${after}`;
    row.lastChild.setAttribute("aria-label", words("scenes.remove_pair", { before, after }));
  });
  return { node, draw };
}

// Two numbers, before and after, and Enter.
function typed({ words, locked, add }) {
  const input = element("input", {
    ...{ class: "a-text s-pair", type: "text", inputmode: "numeric", autocomplete: "off", readOnly: locked },
    ...{ placeholder: words("scenes.pair"), "aria-label": words("scenes.pair_label") },
  });
  const enter = (event) => {
    event.preventDefault();
    const [before, after] = (input.value.match(/\d+/g) ?? []).map(Number);
    if (after === undefined) return;
    add(before, after);
    input.value = "";
  };
  return element("form", { class: "a-row s-typed", onsubmit: enter }, input,
    element("button", { class: "a-button", disabled: locked }, words("scenes.add")));
}
