// The desk of a form about a page: the picture, the fields beside it, the rules below them.

import { element } from "./dom.js";
import { rulesPanel } from "./rules.js";
import { viewer } from "./viewer.js";

const base = (field) => field.split(/[.[]/)[0];

// Puts the desk into `root`; returns the view that the shell asks for. `parts` are fields, plain elements and nulls in
// their order, `keys` maps letters of the keyboard (by place, so that any layout works) to what they do.
export function desk(root, { mode, picture, parts, keys, item, words }) {
  const looking = viewer(picture, words);
  const fields = parts.filter((one) => one?.name);
  const does = new Map([...fields.flatMap((one) => one.keys ?? []), ...keys]);
  root.append(
    element(
      "div",
      { class: `pd pd-${mode}` },
      looking.element,
      element(
        "div",
        { class: "pd-form" },
        parts.map((one) => one?.element ?? one),
        rulesPanel(mode, item.slot, words),
      ),
    ),
  );
  return {
    draw(content) {
      for (const one of fields) one.draw(content);
    },
    problems(list) {
      const bad = new Set(list.map((one) => base(one.field)));
      for (const one of fields) one.mark(bad.has(one.name));
    },
    focus(field) {
      const found = fields.find((one) => one.name === base(field)) ?? fields[0];
      found.element.scrollIntoView({ block: "nearest" });
      found.focus();
    },
    key(event) {
      const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
      if (!letter || event.altKey || !does.has(letter)) return looking.key(event);
      does.get(letter)();
      return true;
    },
    close: () => looking.close(),
  };
}
