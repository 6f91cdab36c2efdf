// Small windows over the page: the name, the shortcuts, what was saved before, and the scenes.

import { element } from "./dom.js";
import { time } from "./times.js";

// Opens a dialog; ends with what `close(value)` was given, null where it was dismissed.
function dialog(title, words, fill, { must = false } = {}) {
  return new Promise((done) => {
    const close = (value = null) => {
      node.close();
      node.remove();
      done(value);
    };
    const dismiss = element("button", { type: "button", class: "a-button", hidden: must, onclick: () => close() }, words("shell.close"));
    const node = element("dialog", { class: "a-dialog", "aria-label": title },
      element("div", { class: "a-dialog-head" }, element("h2", {}, title), dismiss));
    node.append(...[fill(close)].flat());
    node.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!must) close();
    });
    document.body.append(node);
    node.showModal();
  });
}

export function askName(names, words, present) {
  return dialog(words("name.title"), words, (close) => {
    const input = element("input", { class: "a-text", id: "name", autocomplete: "off", autofocus: true, required: true, maxlength: "60", value: present ?? "" });
    const known = names.map((name) => element("button", { type: "button", class: "a-button", onclick: () => close(name) }, name));
    return element("form", { class: "a-stack", method: "dialog", onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) close(input.value.trim());
    } },
    element("p", {}, words("name.why")),
    element("label", { class: "a-label", for: "name" }, words("name.label")),
    element("div", { class: "a-row" }, input, element("button", { class: "a-button primary" }, words("name.go"))),
    known.length ? element("p", { class: "a-note" }, words("name.known")) : null,
    element("div", { class: "a-row" }, known));
  }, { must: !present });
}

const SHELL_KEYS = [
  { keys: ["Ctrl", "Z"], does: "key.undo" },
  { keys: ["Ctrl", "Shift", "Z"], does: "key.redo" },
  { keys: ["Ctrl", "Enter"], does: "key.finish" },
  { keys: ["["], does: "key.previous" },
  { keys: ["]"], does: "key.next" },
  { keys: ["Esc"], does: "key.leave" },
  { keys: ["?"], does: "key.help" },
];

export function showKeys(shortcuts, words) {
  const line = ({ keys, does }) => element("tr", {},
    element("td", {}, keys.map((key) => element("kbd", {}, key))), element("td", {}, words(does)));
  return dialog(words("shell.keys"), words, () =>
    element("table", { class: "a-keys" }, element("tbody", {}, [...shortcuts, ...SHELL_KEYS].map(line))));
}

export async function showHistory(edit, mode, words) {
  const saved = await edit.history();
  const chosen = await dialog(words("bar.history"), words, (close) => {
    const line = (one) => element("li", {},
      element("span", {}, words("history.line", { n: one.number, name: one.annotator, time: time(one.saved_at, words) })),
      element("button", { type: "button", class: "a-button", disabled: edit.locked, onclick: () => close(one.content) }, words("history.take")));
    return saved.length
      ? element("ol", { class: "a-history" }, [...saved].reverse().map(line))
      : element("p", {}, words("history.none"));
  });
  if (chosen) edit.change(chosen);
}

export function chooseScene(scenes, words) {
  return dialog(words("scenes.which"), words, (close) => {
    const card = ({ scene, picture, questions }) => element("button", { type: "button", class: "a-scene", onclick: () => close(scene) },
      element("img", { src: picture, alt: "", loading: "lazy" }),
      element("b", {}, scene), element("span", { class: "a-note" }, words("scenes.questions", { n: count(questions) })));
    return element("div", { class: "a-scenes" }, scenes.map(card));
  });
}

// A server may list a scene's questions or count them.
const count = (questions) => (Array.isArray(questions) ? questions.length : questions);
