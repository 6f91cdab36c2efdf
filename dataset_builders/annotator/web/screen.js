// What the app knows, and its parts of the page drawn from that.

import { api } from "./api.js";
import { element } from "./dom.js";
import { drawHead } from "./head.js";
import { ItemPage } from "./item.js";
import { drawQueue } from "./queue.js";

// `does` is what can be done, by name: app.js fills it. `edit` and `page` are of the item that is open.
export const app = {
  ...{ state: null, name: null, words: null, languages: {}, mode: null, queue: [], unsent: null, away: false },
  ...{ edit: null, page: null, head: null, does: {} },
};

const [header, nav, main] = [".a-head", ".a-queue", ".a-main"].map((one) => document.querySelector(one));

export const dark = () => document.body.classList.contains("dark");

export function drawHeader() {
  const { state, name, words, does } = app;
  app.head = drawHead(header, { title: state.title, name, words, dark: dark(), does });
  document.title = `${state.title} · lvqa`;
  tell();
}

export function drawList() {
  const present = app.edit?.item.item;
  const left = app.unsent.found().map((one) => one.item);
  drawQueue(nav, { queue: app.queue, counts: app.state.counts, present, words: app.words, show: app.does.go,
    ask: app.state.mode === "scenes" ? app.does.ask : null, unsent: new Set(left.filter((one) => one !== present)) });
}

export function drawItem() {
  app.page?.close();
  const { edit, mode, words, state, does } = app;
  app.page = new ItemPage(main, { edit, mode, words, api, state, does });
  tell();
}

// A line where the item would be, and what can be done about it.
export function drawNothing(text, ...more) {
  app.page?.close();
  app.page = null;
  main.replaceChildren(element("p", { class: "a-empty" }, text), ...more);
}

// Says what is known of saving.
export function tell() {
  const known = app.edit?.saving.state ?? "saved";
  app.head.tell(app.away && known === "saved" ? "server_away" : known);
  app.page?.tell();
}
