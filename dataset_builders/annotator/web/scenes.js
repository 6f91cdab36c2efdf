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
  const scene = { ...item.scene, layers: item.scene.layers.map((one) => ({ ...one, name: brief(one.name) })) };
  const fixed = new Set(item.fixed);
  const text = (field, more = {}) => textField({ label: words(`scenes.field.${field}`), id: `field-${field}`, locked: edit.locked,
    changed: (value) => edit.set(field, value, field), ...more });
  const parts = {
    question: questionField({ words, edit, locked: edit.locked || fixed.has("question"), lead: (shard) => parts.shards.focus(shard) }),
    answer: text("answer"),
    answer_description: text("answer_description", { note: words("scenes.may_be_empty"),
      changed: (value) => edit.set("answer_description", value || null, "answer_description") }),
    category: oneOf({ name: "category", label: words("scenes.field.category"), locked: edit.locked,
      values: state.choices.categories.map((one) => [one, words(`scenes.category.${one}`)]), chosen: (value) => edit.set("category", value) }),
    view: layerView({ scene, words }),
    decision: oneOf({ name: "decision", label: words("scenes.field.decision"), locked: edit.locked,
      values: ["accept", "reject"].map((one) => [one, words(`scenes.decision.${one}`)]), chosen: (value) => edit.set("decision", value) }),
    note: text("note", { lines: 2, note: words("scenes.note_why") }),
  };
  parts.sets = setTable({ layers: scene.layers, words, edit, shown: parts.view.shown, show: parts.view.show });
  parts.dependencies = dependencyList({ layers: scene.layers, words, edit });
  parts.shards = shardList({ layers: scene.layers, words, edit, limits: state.limits.shards, fixed: fixed.has("shards.text"),
    selected: parts.question.selected });
  root.replaceChildren(form(parts));
  return {
    draw: (content) => draw(parts, content),
    problems: (problems) => mark(parts, problems),
    focus: (field) => focus(parts, field),
    key: (event) => parts.view.key(event) || parts.sets.key(event),
    close: () => {},
  };
}

// A caption may list in brackets what a background holds: too long for a button.
const brief = (name) => name.replace(/ \(.*$/, "");

function form(parts) {
  return element("div", { class: "a-two" }, element("div", { class: "a-left" }, parts.view.node),
    element("div", { class: "a-stack" }, parts.question.node,
      element("div", { class: "s-two-fields" }, parts.answer.node, parts.answer_description.node),
      parts.category.node, parts.sets.node, parts.dependencies.node, parts.shards.node, parts.decision.node, parts.note.node));
}

const FIELDS = ["question", "answer", "answer_description", "category", "decision", "note"];

function draw(parts, content) {
  for (const field of FIELDS) parts[field].draw(content[field] ?? "");
  for (const part of ["view", "sets", "dependencies", "shards"]) parts[part].draw(content);
}

const PART_OF = { minimal_sets: "sets" };

function partOf(parts, field) {
  const name = field.split(/[.[]/)[0];
  return parts[PART_OF[name] ?? name];
}

function mark(parts, problems) {
  const broken = new Set(problems.map((one) => partOf(parts, one.field)));
  for (const part of Object.values(parts)) {
    part.node.classList.toggle("a-broken", broken.has(part));
    part.input?.setAttribute("aria-invalid", broken.has(part));
  }
  parts.shards.mark(new Set(problems.flatMap(({ field }) => numberOf(field, "shards"))));
}

// The place in a list that a field names, from 0: none for the whole list, or for another field.
function numberOf(field, list) {
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
