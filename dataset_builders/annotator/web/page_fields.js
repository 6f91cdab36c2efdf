// Fields of a form about a page. Each has `name`, `element`, `draw(content)`, `mark(bad)`, `focus()`.

import { element, press, put } from "./dom.js";

const STEPS_SHOWN = 2; // digits

let made = 0;
const fresh = (name) => `pf-${name}-${(made += 1)}`;

const heading = (id, { title, hint, key }, attributes) =>
  element(
    "div",
    { class: "pf-heading" },
    element(
      attributes?.for ? "label" : "span",
      { class: "a-label", ...attributes },
      title,
      key ? element("kbd", { "aria-hidden": "true" }, key) : null,
    ),
    hint ? element("span", { class: "a-note", id: `${id}-hint` }, hint) : null,
  );

const field = (name, ...parts) => element("div", { class: "a-field", dataset: { field: name } }, ...parts);

const broken = (whole, bad) => whole.classList.toggle("a-broken", bad);

const described = (id, { hint }) => (hint ? { "aria-describedby": `${id}-hint` } : {});

// Text of one or several lines; `lang` is the language it is written in.
export function textField(name, { edit, lang = "", lines = 1, ...said }) {
  const id = fresh(name);
  const input = element(lines > 1 ? "textarea" : "input", {
    ...{ id, class: "a-text", lang, spellcheck: true, autocomplete: "off" },
    ...(lines > 1 ? { rows: lines } : { type: "text" }),
    ...described(id, said),
    oninput: () => edit.set(name, input.value, name),
  });
  const whole = field(name, heading(id, said, { for: id }), input);
  return {
    name,
    element: whole,
    draw(content) {
      put(input, content[name]);
      input.readOnly = edit.locked;
    },
    mark(bad) {
      broken(whole, bad);
      input.setAttribute("aria-invalid", String(bad));
    },
    focus: () => input.focus(),
  };
}

// A text that is given and cannot be changed.
export function givenField(name, { title, text, lang = "", kind = "" }) {
  const id = fresh(name);
  const body = element("div", { class: `pf-given ${kind}`, id, lang, tabindex: "-1" }, text);
  return {
    name,
    element: field(name, heading(id, { title }), body),
    draw() {},
    mark() {},
    focus: () => body.focus(),
  };
}

// A whole number, null while there is none, with buttons for one less and one more.
export function countField(name, { edit, least, words, ...said }) {
  const id = fresh(name);
  const input = element("input", {
    ...{ id, class: "a-text pf-count", inputmode: "numeric", autocomplete: "off", size: 3 },
    ...described(id, said),
    oninput() {
      const digits = input.value.replace(/\D/g, "").slice(0, STEPS_SHOWN);
      put(input, digits);
      edit.set(name, digits ? Number(digits) : null, name);
    },
    onkeydown(event) {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by || edit.locked) return;
      event.preventDefault();
      more(by);
    },
  });
  const more = (by) => {
    const now = edit.content[name];
    edit.set(name, now === null ? least : Math.max(now + by, 1));
  };
  const button = (by, text, told) =>
    element(
      "button",
      { class: "a-button pf-step", type: "button", "aria-label": words(told), onclick: () => more(by) },
      text,
    );
  const buttons = [button(-1, "−", "pages.fewer"), button(1, "+", "pages.more")];
  const [less, plus] = buttons;
  const row = element("div", { class: "pf-row" }, less, input, plus);
  const whole = field(name, heading(id, said, { for: id }), row);
  return {
    name,
    element: whole,
    draw(content) {
      put(input, content[name] === null ? "" : String(content[name]));
      input.readOnly = edit.locked;
      for (const one of buttons) one.disabled = edit.locked;
    },
    mark(bad) {
      broken(whole, bad);
      input.setAttribute("aria-invalid", String(bad));
    },
    focus: () => input.focus(),
  };
}

// What may be on or off, several at once: `choices` are { value, title, hint, key, note }, in the order in which
// they are stored. `kind` is one more class of the group.
export function toggleField(name, { edit, choices, kind = "", ...said }) {
  const id = fresh(name);
  const toggle = (value) => {
    if (edit.locked) return;
    const on = new Set(edit.content[name]);
    if (!on.delete(value)) on.add(value);
    edit.set(name, choices.map((one) => one.value).filter((one) => on.has(one)));
  };
  const buttons = choices.map(({ value, title, hint, key, note }) =>
    element(
      "button",
      { class: "a-toggle", type: "button", title: hint ?? "", dataset: { value }, onclick: () => toggle(value) },
      element("span", { class: "pf-title" }, title, key ? element("kbd", { "aria-hidden": "true" }, key) : null),
      note ? element("span", { class: "a-note" }, note) : null,
    ),
  );
  const group = element("div", { class: `pf-toggles ${kind}`, role: "group", "aria-labelledby": id }, buttons);
  const whole = field(name, heading(id, said, { id }), group);
  return {
    name,
    element: whole,
    draw(content) {
      choices.forEach(({ value }, at) => {
        press(buttons[at], content[name].includes(value));
        buttons[at].disabled = edit.locked;
      });
    },
    mark: (bad) => broken(whole, bad),
    focus: () => buttons[0].focus(),
    keys: choices.map(({ key, value }) => [key, () => toggle(value)]),
  };
}

// One of a few, always: `choices` are { value, title }.
export function choiceField(name, { edit, choices, ...said }) {
  const id = fresh(name);
  const buttons = choices.map(({ value, title }) =>
    element(
      "button",
      { class: "a-toggle", type: "button", dataset: { value }, onclick: () => edit.set(name, value) },
      title,
    ),
  );
  const group = element("div", { class: "pf-choice", role: "group", "aria-labelledby": id }, buttons);
  const whole = field(name, heading(id, said, { id }), group);
  return {
    name,
    element: whole,
    draw(content) {
      choices.forEach(({ value }, at) => {
        press(buttons[at], content[name] === value);
        buttons[at].disabled = edit.locked;
      });
    },
    mark: (bad) => broken(whole, bad),
    focus: () => buttons.find((one) => one.getAttribute("aria-pressed") === "true")?.focus(),
  };
}
