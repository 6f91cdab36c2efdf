// The fields of a question about a scene in words: their names, and their values to be read.

import { element } from "./dom.js";

const number = (field, list) => Number(new RegExp(`${list}\\[(\\d+)\\]`).exec(field)?.[1] ?? -1) + 1;

export function label(field, words) {
  const name = field.split(/[.[]/)[0];
  if (name === "shards" && number(field, name)) return words("scenes.shard", { n: number(field, name) });
  if (name === "minimal_sets" && number(field, name) > 1) return words("scenes.set", { n: number(field, name) });
  return words(`scenes.field.${name}`);
}

export function shown(field, value, item, words) {
  if (field === "category") return value && words(`scenes.category.${value}`);
  if (field === "decision") return words(`scenes.decision.${value}`);
  if (field === "minimal_sets") return said(value.map(chips));
  if (field === "dependencies") return value.map(([before, after]) => `${before} → ${after}`).join(", ");
  if (field === "shards") {
    return said(value.map(({ text, support }) => [text, " ", ...chips(support)]));
  }
  return value;
}

const chips = (layers) => layers.map((one) => element("span", { class: "s-evidence-chip" }, String(one)));

const said = (items) =>
  items.length ? element("ol", { class: "s-said" }, items.map((item) => element("li", {}, item))) : "";
