// Broken rules in words, and the bar at the bottom: what is wrong, undo and redo, and the end of the work.

import { element, rows } from "./dom.js";

export function said(problem, mode, words) {
  const name = `rule.${problem.rule}`;
  const rule = words.has(name) ? words(name, problem) : words("rule.other", problem);
  return problem.field ? `${mode.label(problem.field, words)}: ${rule}` : rule;
}

// `focus` leads to a field. Returns { node, draw(problems) }.
export function problemList({ mode, words, focus }) {
  const list = element("ul", { class: "a-problems", id: "problems", popover: "auto" });
  const text = element("span");
  const first = element("button", { type: "button", class: "a-first-problem" }, text);
  const count = element("button", { type: "button", class: "a-button", popovertarget: "problems" });
  const node = element("div", { class: "a-problem-bar", role: "status" }, count, first, list);
  let problems = [];
  const lead = (problem) => {
    list.hidePopover();
    focus(problem.field);
  };
  first.addEventListener("click", () => lead(problems[0]));
  const make = (at) => element("li", {}, element("button", { type: "button", onclick: () => lead(problems[at]) }));
  const draw = (found) => {
    problems = found;
    count.textContent = words(found.length ? "bar.problems" : "bar.no_problems", { n: found.length });
    count.classList.toggle("a-bad", found.length > 0);
    count.disabled = found.length === 0;
    first.hidden = found.length === 0;
    text.textContent = found.length ? said(found[0], mode, words) : "";
    rows(list, found.length, make, (row, at) => (row.firstChild.textContent = said(found[at], mode, words)));
  };
  return { node, draw };
}
