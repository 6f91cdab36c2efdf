// The form about a page: what it holds, one question of several steps, its answer.

import { element } from "./dom.js";
import { choiceField, countField, givenField, textField, toggleField } from "./page_fields.js";
import { desk } from "./page_desk.js";
import { RULES } from "./rules.js";
import { shortcuts as looking } from "./viewer.js";

const LEAST_STEPS = 3;

// The six labels in the order of the dataset, with the letter of each.
const LABELS = {
  diagrams: "D",
  tables: "T",
  equations: "E",
  code: "C",
  figures: "F",
  handwriting: "H",
};

export const styles = ["pages.css"];

export const shortcuts = [
  ...Object.entries(LABELS).map(([value, key]) => ({ keys: [key], does: `pages.key.${value}` })),
  { keys: ["Q"], does: "pages.key.question" },
  { keys: ["A"], does: "pages.key.answer" },
  { keys: ["S"], does: "pages.key.steps" },
  { keys: ["N"], does: "pages.key.note" },
  { keys: ["R"], does: "pages.key.reject" },
  ...looking,
];

const named = (value, words) => RULES[words.language].pages.labels[value]?.name ?? value;

export function label(field, words) {
  return words(`pages.field.${field.split(/[.[]/)[0]}`);
}

export function shown(field, value, item, words) {
  if (field === "labels") return value.map((one) => named(one, words)).join(", ") || words("pages.no_labels");
  if (field === "decision") return words(`pages.decision.${value}`);
  return value === null ? "" : String(value);
}

export function mount(root, { item, words, edit }) {
  const { page } = item;
  const { labels, question, answer, steps, decision, note } = fields(item, words, edit);
  const flip = () => edit.set("decision", edit.content.decision === "accept" ? "reject" : "accept");
  return desk(root, {
    ...{ mode: "pages", item, words },
    picture: {
      url: page.picture,
      width: page.width,
      height: page.height,
      alt: words("pages.picture", { document: page.document ?? page.id, page: page.page ?? "" }),
    },
    parts: [origin(page, words), labels, question, answer, steps, decision, note, text(page, words)],
    keys: [
      ["Q", question.focus],
      ["A", answer.focus],
      ["S", steps.focus],
      ["N", note.focus],
      ["R", () => !edit.locked && flip()],
    ],
  });
}

function fields({ page, slot, fixed }, words, edit) {
  const lang = page.language ?? "";
  const blind = slot === "check";
  const said = (name, hint, key) => ({
    ...{ edit, key },
    title: label(name, words),
    hint: hint && words(`pages.hint.${hint}`),
  });
  const given = { title: label("question", words), text: edit.content.question, lang, kind: "question" };
  return {
    labels: toggleField("labels", {
      ...said("labels", blind ? "own_labels" : "labels"),
      choices: choices(page, blind, words),
      kind: "few",
    }),
    question: fixed.includes("question")
      ? givenField("question", given)
      : textField("question", { ...said("question", "question", "Q"), lang, lines: 4 }),
    answer: textField("answer", { ...said("answer", blind ? "own_answer" : "answer", "A"), lang }),
    steps: countField("reasoning_steps", {
      ...said("reasoning_steps", "steps", "S"),
      ...{ least: LEAST_STEPS, words },
    }),
    decision: choiceField("decision", {
      ...said("decision", null, "R"),
      choices: ["accept", "reject"].map((value) => ({ value, title: words(`pages.decision.${value}`) })),
    }),
    note: textField("note", { ...said("note", "note", "N"), lines: 2 }),
  };
}

// The labels with what the machine said of each, which the one who checks is not told.
function choices(page, blind, words) {
  const said = new Map((page.machine_labels ?? []).map((one) => [one.label, one.probability]));
  return Object.entries(LABELS).map(([value, key]) => ({
    value,
    key,
    title: named(value, words),
    hint: RULES[words.language].pages.labels[value].means,
    note: !blind && said.has(value) ? `${Math.round(said.get(value) * 100)} %` : null,
  }));
}

function origin(page, words) {
  const facts = [page.document, page.page && words("pages.page_number", { n: page.page })].filter(Boolean);
  return element("p", { class: "a-note pd-origin" }, facts.join(" · ") || page.id);
}

// What can be read on the page, to take names and figures from.
function text(page, words) {
  if (!page.text) return null;
  return element(
    "details",
    { class: "pd-text" },
    element("summary", {}, words("pages.text")),
    element("pre", { lang: page.language ?? "", tabindex: "0", "aria-label": words("pages.text") }, page.text),
  );
}
