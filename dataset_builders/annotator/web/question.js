// The question, and below it the same words with the places of the shards marked.

import { textField } from "./controls.js";
import { element } from "./dom.js";
import { moved, pieces } from "./spans.js";

// `lead` brings a shard (from 0) into sight. Returns { node, input, draw(), selected() }.
export function questionField({ words, edit, locked, lead }) {
  const change = (question) => {
    const { content } = edit;
    const shards = content.shards.map((one) => ({ ...one, span: moved(one.span, content.question, question) }));
    edit.change({ ...content, question, shards }, "question");
  };
  const label = words("scenes.field.question");
  const field = textField({ label, id: "field-question", lines: 2, locked, changed: change });
  const marked = element("p", { class: "s-marked", "aria-hidden": "true" });
  field.node.append(marked);
  const piece = ({ text, shards }) => (shards.length === 0 ? text
    : element("mark", { onclick: () => lead(shards[0] - 1) }, text, element("sup", {}, shards.join(","))));
  const draw = (question) => {
    field.draw(question);
    marked.replaceChildren(...pieces(question, edit.content.shards.map((one) => one.span)).map(piece));
  };
  const selected = () => {
    const { selectionStart, selectionEnd, value } = field.input;
    const text = value.slice(selectionStart, selectionEnd);
    const start = value.slice(0, selectionStart) + text.slice(0, text.length - text.trimStart().length);
    const [from, length] = [[...start].length, [...text.trim()].length];
    return length ? [from, from + length] : null;
  };
  return { ...field, draw, selected };
}
