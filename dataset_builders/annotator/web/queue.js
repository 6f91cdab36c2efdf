// What waits for this person, in the order of work; then what is with others, and what is done.

import { button, element } from "./dom.js";

const STAGES = ["author", "check", "adjudicate", "agreed", "settled", "rejected"];
const ENDED = STAGES.slice(3);

// Whether this person can work on it now.
export const open = (one) => one.slot !== null;

// `show` opens an item; `ask` begins a question about a scene (null: this work has none).
export function drawQueue(root, { queue, counts, present, words, show, ask, unsent }) {
  const place = root.scrollTop;
  const had = root.contains(document.activeElement) ? document.activeElement.dataset.item : undefined;
  root.setAttribute("aria-label", words("queue.title"));
  const part = (name, entries) => (entries.length === 0 ? [] : [
    element("h2", {}, words(`queue.${name}`), element("span", { class: "a-note" }, String(entries.length))),
    element("ol", {}, entries.map((one) => entry(one, { present, words, show, unsent })))]);
  const ended = (one) => !open(one) && ENDED.includes(one.stage);
  root.replaceChildren(
    ask ? button(words("scenes.new"), ask, { id: "new-question" }) : "",
    tally(counts, words),
    queue.some(open) ? "" : element("p", { class: "a-note" }, words("queue.empty")),
    ...part("yours", queue.filter(open)),
    ...part("others", queue.filter((one) => !open(one) && !ended(one))),
    ...part("ended", queue.filter(ended)));
  root.scrollTop = place;
  const again = [...root.querySelectorAll("[data-item]")].find((one) => one.dataset.item === had);
  again?.focus({ preventScroll: true });
}

function tally(counts, words) {
  const stages = STAGES.map((stage) => element("div", {},
    element("dt", {}, words(`stage.${stage}`)), element("dd", {}, String(counts[stage] ?? 0))));
  return element("dl", { class: "a-counts" }, stages);
}

function entry(one, { present, words, show, unsent }) {
  const made = element("button", { type: "button", dataset: { item: one.item }, onclick: () => show(one.item) },
    one.picture ? element("img", { src: one.picture, alt: "", loading: "lazy" }) : null,
    element("span", { class: "a-entry" },
      element("span", { class: "a-entry-title" }, element("span", {}, one.title || one.item)),
      element("span", { class: "a-note" }, doing(one, words),
        unsent.has(one.item) ? element("b", { class: "a-bad" }, words("queue.unsent")) : null)));
  if (one.item === present) made.setAttribute("aria-current", "true");
  return element("li", {}, made);
}

function doing(one, words) {
  if (open(one)) return words(one.mine ? "queue.yours_begun" : `queue.do_${one.slot}`);
  if (one.waiting_for === null) return words(`stage.${one.stage}`);
  const name = one.waiting_for === "another" ? words("queue.another") : one.waiting_for;
  return words(`queue.wait_${one.stage}`, { name });
}
