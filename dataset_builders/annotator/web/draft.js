// What models proposed for an item: only where to begin.

import { same } from "./contents.js";
import { element } from "./dom.js";
import { differing, sides } from "./sides.js";

// Returns { node, draw(content) }.
export function draftNote({ item, mode, words, edit, write }) {
  const { draft } = item;
  const take = element("button", { type: "button", class: "a-button", disabled: edit.locked,
    onclick: () => edit.change({ ...edit.content, ...draft.content }) }, words("draft.take"));
  let table = null;
  const compare = () => {
    table?.node.remove();
    const now = edit.content;
    const columns = [{ name: words("draft.now"), content: now }, { name: words("draft.draft"), content: { ...now, ...draft.content } }];
    table = sides({ columns, fields: differing(now, columns[1].content), mode, item, words, edit, write });
    table.draw(now);
    node.append(table.node);
  };
  const see = element("button", { type: "button", class: "a-button", onclick: compare }, words("draft.compare"));
  const issues = draft.issues ?? [];
  const node = element("section", { class: "a-draft" },
    element("p", {}, words("draft.by", { model: draft.model }),
      element("b", { class: draft.verdict === "pass" ? "a-good" : "a-bad" }, words(`draft.verdict.${draft.verdict}`))),
    issues.length ? element("ul", {}, issues.map((issue) => element("li", {}, issue))) : null,
    element("div", { class: "a-row" }, see, take));
  const draw = (content) => {
    const taken = same(content, { ...content, ...draft.content });
    take.disabled = edit.locked || taken;
    take.textContent = words(taken ? "draft.taken" : "draft.take");
    table?.draw(content);
  };
  return { node, draw };
}
