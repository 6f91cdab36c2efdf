// What models proposed for an item: only where to begin.

import { same } from "./contents.js";
import { button, element } from "./dom.js";
import { differing, sides } from "./sides.js";

// Returns { node, draw(content) }.
export function draftNote({ item, mode, words, edit, write }) {
  const { draft } = item;
  const drafted = () => ({ ...edit.content, ...draft.content });
  const take = button(words("draft.take"), () => edit.change(drafted()));
  let table = null;
  const compare = () => {
    table?.node.remove();
    const now = edit.content;
    const columns = [{ name: words("draft.now"), content: now }, { name: words("draft.draft"), content: drafted() }];
    table = sides({ columns, fields: differing(now, drafted()), mode, item, words, edit, write });
    table.draw(now);
    node.append(table.node);
  };
  const see = button(words("draft.compare"), compare);
  const issues = draft.issues ?? [];
  const node = element("section", { class: "a-draft" },
    element("p", {}, words("draft.by", { model: draft.model }), " ",
      element("b", { class: draft.verdict === "pass" ? "a-good" : "a-bad" }, words(`draft.verdict.${draft.verdict}`))),
    issues.length ? element("ul", {}, issues.map((issue) => element("li", {}, issue))) : null,
    element("div", { class: "a-row" }, see, take));
  const draw = (content) => {
    const taken = same(content, drafted());
    take.disabled = edit.locked || taken;
    take.textContent = words(taken ? "draft.taken" : "draft.take");
    table?.draw(content);
  };
  return { node, draw };
}
