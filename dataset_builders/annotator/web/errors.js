// The form about a wrong answer: of what types its errors are.

import { element } from "./dom.js";
import { givenField, textField, toggleField } from "./page_fields.js";
import { desk } from "./page_desk.js";
import { RULES } from "./rules.js";
import { shortcuts as looking } from "./viewer.js";

// The types, with the letter of each.
const TAGS = { C1: "S", C2: "C", C3: "R", C4: "V", C5: "A" };

export const styles = ["pages.css"];

export const shortcuts = [
  ...Object.entries(TAGS).map(([tag, key]) => ({ keys: [key], does: `errors.key.${tag}` })),
  { keys: ["N"], does: "errors.key.note" },
  ...looking,
];

const named = (tag, words) => `${tag} ${RULES[words.language].errors.tags[tag]?.name ?? ""}`.trim();

export function label(field, words) {
  return words(`errors.field.${field.split(/[.[]/)[0]}`);
}

export function shown(field, value, item, words) {
  if (field === "tags") return value.map((one) => named(one, words)).join(", ") || words("errors.no_tags");
  return String(value);
}

export function mount(root, { item, words, edit }) {
  const { answer } = item;
  const given = (name, kind) =>
    givenField(name, { title: words(`errors.given.${name}`), text: answer[name], lang: answer.language ?? "", kind });
  const tags = toggleField("tags", {
    edit,
    title: label("tags", words),
    hint: words("errors.hint.tags"),
    kind: "rows",
    choices: Object.entries(TAGS).map(([value, key]) => ({
      value,
      key,
      title: named(value, words),
      note: RULES[words.language].errors.tags[value].means,
    })),
  });
  const note = textField("note", {
    ...{ edit, title: label("note", words), hint: words("errors.hint.note"), key: "N", lines: 2 },
  });
  const facts = [answer.model, answer.condition, words("errors.run", { n: answer.run })];
  return desk(root, {
    ...{ mode: "errors", item, words },
    picture: {
      url: answer.picture,
      width: answer.width,
      height: answer.height,
      alt: words("errors.picture", { id: answer.question_id }),
    },
    parts: [
      element("p", { class: "a-note pd-origin" }, facts.filter(Boolean).join(" · ")),
      given("question", "question"),
      given("reference", "reference"),
      reply(given("reply", "reply"), words),
      tags,
      note,
      judge(answer, words),
    ],
    keys: [["N", note.focus]],
  });
}

// Long answers scroll, and the keyboard must reach them; they end with what counts.
function reply(field, words) {
  const body = field.element.querySelector(".pf-given");
  body.replaceChildren(element("div", {}, body.textContent));
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", words("errors.given.reply"));
  requestAnimationFrame(() => (body.scrollTop = body.scrollHeight));
  return field;
}

function judge(answer, words) {
  if (!answer.reasoning) return null;
  return element(
    "details",
    { class: "pd-text" },
    element("summary", {}, words("errors.judge", { judge: answer.judge })),
    element("p", {}, answer.reasoning),
  );
}
