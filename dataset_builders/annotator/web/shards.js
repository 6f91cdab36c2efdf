// The pieces of the question: their words, their order, and the layers that support each.

import { same } from "./contents.js";
import { button, element, rows } from "./dom.js";
import { shardRow } from "./shard_row.js";
import { spanned, spanOf } from "./spans.js";

const EMPTY = { text: "", span: null, support: [] };

const made = new WeakMap(); // what a row's element was made with

// `selected` gives the span that is selected in the question; `fixed`: words and number are given.
// Returns { node, draw(content), focus(at), mark(numbers) }.
export function shardList({ layers, words, edit, limits, fixed, selected }) {
  const [least, most] = limits;
  const still = edit.locked || fixed;
  const list = element("ol", { class: "s-shards" });
  const rowAt = (at) => made.get(list.children[at]);
  const changes = shardChanges({ edit, still, most, entered: (at) => rowAt(at).input.focus() });
  const addSelected = () => {
    const span = selected();
    if (span) changes.add(undefined, { text: spanned(edit.content.question, span), span, support: [] });
  };
  const adding = (name, does) => button(words(`scenes.${name}`), does, { hidden: fixed });
  const adds = [adding("add_shard", () => changes.add()), adding("add_selected", addSelected)];
  // The selection in the question must outlive the press.
  adds[1].addEventListener("pointerdown", (event) => event.preventDefault());
  const make = (at) => {
    const row = shardRow({ at, layers, words, locked: edit.locked, fixed, changes });
    made.set(row.node, row);
    return row.node;
  };
  const title = element("h2", { class: "a-label" }, words("scenes.field.shards"),
    element("span", { class: "a-note" }, words("scenes.shards_how", { least, most })));
  const node = element("section", { class: "a-field", "aria-label": words("scenes.field.shards") },
    title, list, element("div", { class: "a-row" }, adds));
  const draw = ({ shards }) => {
    rows(list, shards.length, make, (one, at) => made.get(one).draw(shards[at], at === shards.length - 1));
    for (const add of adds) add.disabled = still || shards.length >= most;
  };
  const focus = (at) => (rowAt(at)?.main ?? rowAt(0)?.main ?? adds[0]).focus();
  const mark = (broken) => [...list.children].forEach((_, at) => rowAt(at).mark(broken.has(at)));
  return { node, draw, focus, mark };
}

// What can be done to the list. `entered` is told where somebody writes from now on.
function shardChanges({ edit, still, most, entered }) {
  const all = () => edit.content.shards;
  const change = (shards, step) => edit.set("shards", shards, step);
  const having = (at, part, step) =>
    change(all().map((one, other) => (other === at ? { ...one, ...part } : one)), step);
  // A place that a draft gave to other words stays; one that was found by the words goes with them.
  const say = (at, text) => {
    const { question } = edit.content;
    const { text: before, span } = all()[at];
    const given = span !== null && text.trim() !== "" && !same(span, spanOf(question, before)) ? span : null;
    having(at, { text, span: spanOf(question, text) ?? given }, `shard ${at}`);
  };
  const support = (at, layers) => having(at, { support: layers });
  const move = (at, by) => {
    const to = at + by;
    if (still || to < 0 || to >= all().length) return;
    const next = all().filter((_, other) => other !== at);
    change([...next.slice(0, to), all()[at], ...next.slice(to)]);
    entered(to);
  };
  const add = (at = all().length, shard = EMPTY) => {
    if (still || all().length >= most) return;
    change([...all().slice(0, at), shard, ...all().slice(at)]);
    entered(at);
  };
  const remove = (at) => change(all().filter((_, other) => other !== at));
  return { say, support, move, add, remove };
}
