// The form of a question about a scene: its evidence by layers, and its shards.

import { oneOf, textField } from "./controls.js";
import { dependencyList } from "./dependencies.js";
import { element } from "./dom.js";
import { layerView } from "./layers.js";
import { questionField } from "./question.js";
import { setTable } from "./sets.js";
import { shardList } from "./shards.js";

export { label, shown } from "./scene_fields.js";

export const styles = ["scenes.css"];

export const shortcuts = [
  { keys: ["0", "…", "9"], does: "scenes.key.layer" },
  { keys: ["G"], does: "scenes.only_gold" },
  { keys: ["A"], does: "scenes.all" },
  { keys: ["N"], does: "scenes.none" },
  { keys: ["I"], does: "scenes.all_but" },
  { keys: ["Shift", "G"], does: "scenes.take_gold" },
  { keys: ["Shift", "S"], does: "scenes.take_next" },
  { keys: ["Alt", "↑"], does: "scenes.key.up" },
  { keys: ["Alt", "↓"], does: "scenes.key.down" },
  { keys: ["Enter"], does: "scenes.key.add" },
];

export function mount(root, { item, words, edit, state }) {
  const parts = { ...plainParts({ words, edit, state }), ...evidenceParts({ item, words, edit, state }) };
  root.replaceChildren(form(parts));
  return {
    draw: (content) => draw(parts, content),
    problems: (problems) => mark(parts, problems),
    focus: (field) => focus(parts, field),
    key: (event) => parts.view.key(event) || parts.sets.key(event),
    close: () => {},
  };
}

// Fields of text, and of one choice among a few.
function plainParts({ words, edit, state }) {
  const text = (field, more = {}) => textField({
    ...{ label: words(`scenes.field.${field}`), id: `field-${field}`, locked: edit.locked },
    ...{ changed: (value) => edit.set(field, value, field), ...more },
  });
  const choice = (field, values) => oneOf({
    ...{ name: field, label: words(`scenes.field.${field}`), locked: edit.locked },
    ...{ values: values.map((one) => [one, words(`scenes.${field}.${one}`)]), chosen: (one) => edit.set(field, one) },
  });
  const described = (value) => edit.set("answer_description", value || null, "answer_description");
  return {
    answer: text("answer"),
    answer_description: text("answer_description", { note: words("scenes.may_be_empty"), changed: described }),
    category: choice("category", state.choices.categories),
    decision: choice("decision", ["accept", "reject"]),
    note: text("note", { lines: 2, note: words("scenes.note_why") }),
  };
}

// The question, cut into shards, and the layers that carry it.
function evidenceParts({ item, words, edit, state }) {
  const fixed = (field) => item.fixed.includes(field);
  const locked = edit.locked || fixed("question");
  const question = questionField({ words, edit, locked, lead: (at) => shards.focus(at) });
  const layers = item.scene.layers.map((one) => ({ ...one, name: brief(one.name) }));
  const view = layerView({ scene: { ...item.scene, layers }, words });
  const sets = setTable({ layers, words, edit, shown: view.shown, show: view.show });
  const dependencies = dependencyList({ layers, words, edit });
  const limits = state.limits.shards;
  const { selected } = question;
  const shards = shardList({ layers, words, edit, limits, fixed: fixed("shards.text"), selected });
  return { question, view, sets, dependencies, shards };
}

// A caption may list in brackets what a background holds: too long for a button.
const brief = (name) => name.replace(/ \(.*$/, "");

function form(parts) {
  const [left, right] = [["view"], ["category", "sets", "dependencies", "shards", "decision", "note"]]
    .map((names) => names.map((name) => parts[name].node));
  const answers = element("div", { class: "s-two-fields" }, parts.answer.node, parts.answer_description.node);
  return element("div", { class: "a-two" }, element("div", { class: "a-left" }, left),
    element("div", { class: "a-stack" }, parts.question.node, answers, right));
}

const FIELDS = ["question", "answer", "answer_description", "category", "decision", "note"];

function draw(parts, content) {
  for (const field of FIELDS) parts[field].draw(content[field] ?? "");
  for (const part of ["view", "sets", "dependencies", "shards"]) parts[part].draw(content);
}

function partOf(parts, field) {
  const name = field.split(/[.[]/)[0];
  return parts[name === "minimal_sets" ? "sets" : name];
}

function mark(parts, problems) {
  const broken = new Set(problems.map((one) => partOf(parts, one.field)));
  for (const part of Object.values(parts)) {
    part.node.classList.toggle("a-broken", broken.has(part));
    part.input?.setAttribute("aria-invalid", broken.has(part));
  }
  parts.shards.mark(new Set(problems.flatMap(({ field }) => numbers(field, "shards"))));
}

// The place in a list that a field names, from 0: none for the whole list, or for another field.
function numbers(field, list) {
  const found = new RegExp(`^${list}\\[(\\d+)\\]`).exec(field);
  return found ? [Number(found[1])] : [];
}

function focus(parts, field) {
  const part = partOf(parts, field) ?? parts.question;
  const number = Number(/\[(\d+)\]/.exec(field)?.[1] ?? 0);
  part.node.scrollIntoView({ block: "center" });
  if (part.focus) part.focus(number);
  else (part.input ?? part.first).focus();
}
