// The line at the top: what this is, whether all is saved, who works here, and how the page looks.

import { button, element, press } from "./dom.js";
import { LANGUAGES } from "./words.js";

// Returns { tell(state): what is known of saving }.
export function drawHead(root, { title, name, words, dark, does }) {
  const state = element("span", { class: "a-state", role: "status" });
  const language = (one) => button(one.toUpperCase(), () => does.language(one), {
    ...{ "aria-pressed": String(one === words.language), "aria-label": words(`shell.language.${one}`), lang: one },
  });
  const theme = button(words("shell.dark"), () => press(theme, does.theme()), { "aria-pressed": String(dark) });
  const drawer = () => document.body.classList.toggle("a-queue-open");
  root.replaceChildren(
    button(words("queue.title"), drawer, { id: "open-queue", "aria-controls": "queue" }),
    element("span", { class: "a-mark", "aria-hidden": "true" }),
    element("span", { class: "a-name" },
      element("b", {}, "lvqa annotate"), element("span", { class: "a-note" }, title)),
    state,
    element("div", { class: "a-row a-tools" },
      button(name ?? words("name.label"), does.name, { title: words("name.change"), id: "annotator" }),
      LANGUAGES.map(language), theme, button("?", does.help, { "aria-label": words("shell.keys") })));
  const tell = (known) => {
    state.dataset.state = known;
    state.textContent = words(`saving.${known}`);
  };
  return { tell };
}
