// Small windows over the page: the name, the shortcuts, what was saved before, and the scenes.

import { button, element } from "./dom.js";
import { time } from "./times.js";

// Opens a dialog; ends with what `close(value)` was given, null where it was dismissed (`must`: it cannot be).
function dialog(title, words, fill, { must = false } = {}) {
  return new Promise((done) => {
    const close = (value = null) => {
      node.close();
      node.remove();
      done(value);
    };
    const dismiss = button(words("shell.close"), () => close(), { hidden: must });
    const node = element("dialog", { class: "a-dialog", "aria-label": title },
      element("div", { class: "a-dialog-head" }, element("h2", {}, title), dismiss), fill(close));
    node.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!must) close();
    });
    document.body.append(node);
    node.showModal();
  });
}

export function askName(names, words, present) {
  const form = (close) => {
    const input = element("input", {
      ...{ class: "a-text", id: "name", autocomplete: "off", autofocus: true, required: true, maxlength: "60" },
      value: present ?? "",
    });
    const begin = (event) => {
      event.preventDefault();
      if (input.value.trim()) close(input.value.trim());
    };
    return element("form", { class: "a-stack", onsubmit: begin },
      element("p", {}, words("name.why")),
      element("div", { class: "a-field" },
        element("label", { class: "a-label", for: "name" }, words("name.label")),
        element("div", { class: "a-row" }, input, element("button", { class: "a-button primary" }, words("name.go")))),
      names.length ? element("p", { class: "a-note" }, words("name.known")) : null,
      element("div", { class: "a-row" }, names.map((name) => button(name, () => close(name)))));
  };
  return dialog(words("name.title"), words, form, { must: !present });
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

export async function showHistory(edit, words) {
  const saved = await edit.history();
  const said = ({ number, annotator, saved_at: at }) =>
    words("history.line", { n: number, name: annotator, time: time(at, words) });
  const list = (close) => element("ol", { class: "a-history" }, saved.toReversed().map((one) => element("li", {},
    element("span", {}, said(one)),
    button(words("history.take"), () => close(one.content), { disabled: edit.locked }))));
  const none = () => element("p", {}, words("history.none"));
  const chosen = await dialog(words("bar.history"), words, saved.length ? list : none);
  if (chosen) edit.change(chosen);
}

export function chooseScene(scenes, words) {
  const card = (close) => ({ scene, picture, questions }) =>
    element("button", { type: "button", class: "a-scene", onclick: () => close(scene) },
      element("img", { src: picture, alt: "", loading: "lazy" }), element("b", {}, scene),
      element("span", { class: "a-note" }, words("scenes.questions", { n: questions.length })));
  return dialog(words("scenes.which"), words, (close) =>
    element("div", { class: "a-scenes" }, scenes.map(card(close))));
}
