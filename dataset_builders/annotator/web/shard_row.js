// One shard: its words, its place in the list, its layers.

import { layerToggles } from "./controls.js";
import { button, element, put } from "./dom.js";

// Returns { node, input, main, draw(shard, last), mark(broken) }; `main` is what can be changed first.
export function shardRow({ at, layers, words, locked, fixed, changes }) {
  const still = locked || fixed;
  const number = { n: at + 1 };
  const named = (text, name, onclick) =>
    button(text, onclick, { disabled: still, "aria-label": words(`scenes.${name}`, number) });
  const input = element("input", {
    ...{ class: "a-text", type: "text", autocomplete: "off", readOnly: still },
    "aria-label": words("scenes.shard_words", number),
    oninput: () => changes.say(at, input.value),
    onkeydown: (event) => {
      if (key(event)) event.preventDefault();
    },
  });
  const key = ({ code, altKey, ctrlKey }) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[code];
    if (altKey && by) changes.move(at, by);
    else if (code === "Enter" && !ctrlKey) changes.add(at + 1);
    else return false;
    return true;
  };
  const toggles = layerToggles({ layers, label: words("scenes.support_of", number), locked,
    changed: (support) => changes.support(at, support) });
  const where = element("span", { class: "a-note" });
  const up = named("↑", "move_up", () => changes.move(at, -1));
  const down = named("↓", "move_down", () => changes.move(at, 1));
  const remove = named(words("scenes.remove"), "remove_shard", () => changes.remove(at));
  const node = element("li", {}, element("b", { class: "s-number" }, String(at + 1)),
    element("div", { class: "s-shard" }, input,
      element("div", { class: "a-row", hidden: fixed }, up, down, remove),
      element("div", { class: "a-row s-support" },
        element("span", { class: "a-note" }, words("scenes.support")), toggles.node, where)));
  const draw = ({ text, span, support }, last) => {
    put(input, text);
    toggles.draw(support);
    up.disabled = still || at === 0;
    down.disabled = still || last;
    where.textContent = at === 0 ? words("scenes.intent") : span || !text ? "" : words("scenes.own_words");
  };
  const mark = (broken) => input.setAttribute("aria-invalid", broken);
  return { node, input, main: still ? toggles.node.firstChild : input, draw, mark };
}
