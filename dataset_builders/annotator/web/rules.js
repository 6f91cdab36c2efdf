// The rules beside a form, in English and Russian, whatever the language of the interface.

import { element, press } from "./dom.js";
import { keep, setting } from "./kept.js";
import { LANGUAGES } from "./words.js";

const read = async (language) =>
  (await fetch(new URL(`rules/${language}.json`, import.meta.url))).json();

// language -> mode -> its rules; read before the module is used, so that no form moves when they come.
export const RULES = Object.fromEntries(
  await Promise.all(LANGUAGES.map(async (language) => [language, await read(language)])),
);

const OPEN = "rules-open";
const NAMES = { en: "English", ru: "Русский" };

const list = (entries) =>
  element(
    "dl",
    { class: "rl-list" },
    entries.flatMap(({ name, text }) => [element("dt", {}, name), element("dd", {}, text)]),
  );

function said(language, mode, slot) {
  const rules = RULES[language][mode];
  const [title, kinds] =
    mode === "pages" ? [rules.labels_title, rules.labels] : [rules.tags_title, rules.tags];
  const named = (code, name) => (mode === "pages" ? name : `${code} ${name}`);
  return element(
    "div",
    { class: "rl-text", lang: language },
    slot === "check" ? [element("h2", {}, rules.check_title), list(rules.check)] : null,
    element("h2", {}, rules.title),
    list(rules.rules),
    element("h2", {}, title),
    list(Object.entries(kinds).map(([code, { name, means }]) => ({ name: named(code, name), text: means }))),
  );
}

// The rules of a mode, with those for the one who checks first where that is the slot.
export function rulesPanel(mode, slot, words) {
  const body = element("div", { class: "rl-body" });
  const buttons = LANGUAGES.map((language) =>
    element(
      "button",
      { class: "a-button", type: "button", lang: language, onclick: () => show(language) },
      NAMES[language],
    ),
  );
  const show = (language) => {
    body.replaceChildren(said(language, mode, slot));
    LANGUAGES.forEach((one, at) => press(buttons[at], one === language));
  };
  show(words.language);
  return element(
    "details",
    {
      class: "rl",
      open: setting(OPEN) !== "no",
      ontoggle: (event) => keep(OPEN, event.target.open ? "yes" : "no"),
    },
    element("summary", {}, words("pages.rules")),
    element("div", { class: "a-row", role: "group", "aria-label": words("pages.rules_language") }, buttons),
    body,
  );
}
