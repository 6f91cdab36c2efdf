// The pieces of the question: their words, their order, and the layers that support each.

import { same } from "./contents.js";
import { layerToggles } from "./controls.js";
import { element, put, rows } from "./dom.js";
import { spanned, spanOf } from "./spans.js";

const EMPTY = { text: "", span: null, support: [] };

const made = new WeakMap(); // what a row's element was made with

// `selected` gives the span that is selected in the question. Returns { node, draw(content), focus(at), mark(numbers) }.
export function shardList({ layers, words, edit, limits, fixed, selected }) {
  const [least, most] = limits;
  const still = edit.locked || fixed; // the words and the number of shards are given
  const shards = () => edit.content.shards;
  const change = (next, step) => edit.set("shards", next, step);
  const having = (at, part, step) => change(shards().map((one, other) => (other === at ? { ...one, ...part } : one)), step);
  // A place that a draft gave to other words stays; one that was found by the words goes with them.
  const say = (at, text) => {
    const { question } = edit.content;
    const { text: before, span } = shards()[at];
    const given = span !== null && text.trim() !== "" && !same(span, spanOf(question, before)) ? span : null;
    having(at, { text, span: spanOf(question, text) ?? given }, `shard ${at}`);
  };
  const move = (at, by) => {
    const to = at + by;
    if (still || to < 0 || to >= shards().length) return;
    const next = [...shards()];
    next.splice(to, 0, ...next.splice(at, 1));
    change(next);
    made.get(list.children[to]).input.focus();
  };
  const add = (shard = EMPTY, at = shards().length) => {
    if (still || shards().length >= most) return;
    change([...shards().slice(0, at), shard, ...shards().slice(at)]);
    made.get(list.children[at]).input.focus();
  };
  const addSelected = () => {
    const span = selected();
    if (span) add({ text: spanned(edit.content.question, span), span, support: [] });
  };
  const button = (text, label, onclick) =>
    element("button", { type: "button", class: "a-button", "aria-label": label, disabled: still, hidden: fixed, onclick }, text);
  const make = (at) => {
    const number = { n: at + 1 };
    const input = element("input", { class: "a-text", type: "text", autocomplete: "off", readOnly: still,
      "aria-label": words("scenes.shard_words", number), oninput: () => say(at, input.value),
      onkeydown: (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.code];
        if (event.altKey && by) move(at, by);
        else if (event.code === "Enter" && !event.ctrlKey) add(EMPTY, at + 1);
        else return;
        event.preventDefault();
      } });
    const toggles = layerToggles({ layers, label: words("scenes.support_of", number), locked: edit.locked,
      changed: (support) => having(at, { support }) });
    const where = element("span", { class: "a-note" });
    const up = button("↑", words("scenes.move_up", number), () => move(at, -1));
    const down = button("↓", words("scenes.move_down", number), () => move(at, 1));
    const row = element("li", {}, element("b", { class: "s-number" }, String(at + 1)),
      element("div", { class: "s-shard" }, input,
        element("div", { class: "a-row", hidden: fixed }, up, down,
          button(words("scenes.remove"), words("scenes.remove_shard", number), () => change(shards().filter((_, other) => other !== at)))),
        element("div", { class: "a-row s-support" }, element("span", { class: "a-note" }, words("scenes.support")), toggles.node, where)));
    made.set(row, { input, toggles, where, up, down });
    return row;
  };
  const update = (row, at) => {
    const { input, toggles, where, up, down } = made.get(row);
    const { text, span, support } = shards()[at];
    put(input, text);
    toggles.draw(support);
    up.disabled = still || at === 0;
    down.disabled = still || at === shards().length - 1;
    where.textContent = at === 0 ? words("scenes.intent") : span || !text ? "" : words("scenes.own_words");
  };
  const list = element("ol", { class: "s-shards" });
  const plus = button(words("scenes.add_shard"), words("scenes.add_shard"), () => add());
  const taken = button(words("scenes.add_selected"), words("scenes.add_selected"), addSelected);
  // The selection in the question must outlive the press.
  taken.addEventListener("pointerdown", (event) => event.preventDefault());
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.shards") },
    element("h2", { class: "a-label" }, words("scenes.field.shards"),
      element("span", { class: "a-note" }, words("scenes.shards_how", { least, most }))),
    list, element("div", { class: "a-row" }, plus, taken));
  const draw = () => {
    rows(list, shards().length, make, update);
    plus.disabled = taken.disabled = still || shards().length >= most;
  };
  const focus = (at) => {
    const row = made.get(list.children[at] ?? list.lastElementChild);
    const support = row && still ? row.toggles.node.firstChild : null;
    (support ?? row?.input ?? plus).focus();
  };
  const mark = (broken) => [...list.children].forEach((row, at) => {
    row.classList.toggle("a-broken", broken.has(at));
    made.get(row).input.setAttribute("aria-invalid", broken.has(at));
  });
  return { node, draw, focus, mark };
}
