// Two contents side by side, field by field: each is taken from the left, from the right, or written anew.

import { at, same } from "./contents.js";
import { button, element, press } from "./dom.js";

// `columns` holds { name, content } each, `fields` what is listed, `n` of them differ; `whole`: all of a side
// can be taken at once. `write` brings a field of the form into sight.
// Returns { node, draw(content) }: draw marks what the content has by now.
export function sides({ columns, fields, n = fields.length, whole = false, mode, item, words, edit, write }) {
  const marks = [];
  const cell = (field, { name, content }) => {
    const value = at(content, field);
    const take = button(words("sides.take"), () => edit.set(field, value), {
      ...{ disabled: edit.locked, "aria-label": words("sides.take_from", { field: mode.label(field, words), name }) },
    });
    marks.push((now) => press(take, same(at(now, field), value)));
    return element("td", {}, element("div", { class: "a-side" },
      element("div", { class: "a-side-value" }, readable(mode.shown(field, value, item, words), words)), take));
  };
  const row = (field) => {
    const own = button(words("sides.write"), () => write(field));
    const neither = (now) => columns.every(({ content }) => !same(at(now, field), at(content, field)));
    marks.push((now) => press(own, neither(now)));
    return element("tr", {}, element("th", { scope: "row" }, mode.label(field, words)),
      columns.map((column) => cell(field, column)), element("td", {}, own));
  };
  const takeAll = (content) => button(words("sides.take_all"), () => edit.change(content), { disabled: edit.locked });
  const head = ({ name, content }) => element("th", { scope: "col" },
    element("div", { class: "a-side" }, name, whole ? takeAll(content) : null));
  const node = element("table", { class: "a-sides" },
    element("caption", {}, words(n ? "sides.differ" : "sides.agree", { n })),
    element("thead", {}, element("tr", {}, element("td"), columns.map(head), element("td"))),
    element("tbody", {}, fields.map(row)));
  return { node, draw: (content) => marks.forEach((mark) => mark(content)) };
}

// The names of the fields in which two contents differ.
export function differing(one, other) {
  return Object.keys({ ...one, ...other }).filter((field) => !same(one[field], other[field]));
}

function readable(value, words) {
  const empty = value === "" || value === null || value === undefined;
  return empty ? element("span", { class: "a-note" }, words("sides.nothing")) : value;
}
