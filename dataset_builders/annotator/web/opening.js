// Items are opened, left, and taken over. Which one is open stands in the address, after the #.

import { api, Away, part, Refused } from "./api.js";
import { chooseScene } from "./dialogs.js";
import { button } from "./dom.js";
import { Editing } from "./editing.js";
import { said } from "./problems.js";
import { open } from "./queue.js";
import { app, drawItem, drawList, drawNothing, tell } from "./screen.js";

const AGAIN_MS = 2000;
const SLOW_MS = 500; // from here on it is said that something is waited for

let opened = 0;

// Asks until the server answers.
export async function patiently(ask) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}

export function go(item) {
  document.body.classList.remove("a-queue-open");
  if (place() === item) openPlace();
  else location.hash = `item=${part(item)}`;
}

// Opens what the address says, or else the first thing to do.
export async function openPlace() {
  const item = place() ?? app.queue.find(open)?.item;
  if (!item) return drawNothing(app.words(app.state.mode === "scenes" ? "queue.choose_scene" : "queue.choose"));
  opened += 1;
  const turn = opened;
  await leave();
  const slow = setTimeout(() => drawNothing(app.words("item.opening")), SLOW_MS);
  try {
    const found = await patiently(() => api.get(`items/${part(item)}?annotator=${part(app.name)}`));
    if (turn === opened) show(found); // else another was asked for in the meantime
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    drawRefusal(item, error.problems);
  } finally {
    clearTimeout(slow);
  }
}

export function step(by) {
  const here = app.queue.findIndex((one) => one.item === app.edit?.item.item);
  const next = app.queue[(here + by + app.queue.length) % app.queue.length];
  if (next) go(next.item);
}

// What is not saved by now is kept in the browser.
export async function leave() {
  const { edit } = app;
  if (!edit) return;
  if (!edit.locked) await edit.saving.flush();
  edit.saving.close();
  if (app.edit === edit) app.edit = null;
}

// The first thing to do; what was just `done` may have come back at its next stage, and is last.
export function next(done = null) {
  const all = app.queue.filter(open);
  const first = all.find((one) => one.item !== done) ?? all[0];
  if (first) return go(first.item);
  history.replaceState(null, "", location.pathname);
  drawNothing(app.words("queue.done"));
  return drawList();
}

export async function ask() {
  const scene = await chooseScene(await api.get("scenes"), app.words);
  if (scene === null) return;
  const { item } = await api.post(`scenes/${part(scene)}/questions`, { annotator: app.name });
  await app.does.look();
  go(item);
}

export async function takeOver() {
  const { edit } = app;
  await take(edit.item.item, edit.item.slot);
  await edit.saving.flush(); // meets what the other saved
}

const take = (item, slot) => api.post(`items/${part(item)}/take`, { annotator: app.name, slot });

function place() {
  return new URLSearchParams(location.hash.slice(1)).get("item");
}

function show(item) {
  const heard = () => {
    if (app.edit?.saving.state === "saved") app.away = false;
    tell();
  };
  const { unsent, name: annotator } = app;
  app.edit = new Editing({ api, unsent, annotator, item, drawn: () => app.page?.draw(), told: heard });
  drawItem();
  drawList();
  scrollTo(0, 0);
}

// An item that another holds can be taken over: people leave.
function drawRefusal(item, problems) {
  const stage = app.queue.find((one) => one.item === item)?.stage;
  const held = stage && problems.some((one) => one.rule === "held-by-another");
  const taken = async () => {
    await take(item, stage);
    await openPlace();
  };
  drawNothing(problems.map((one) => said(one, app.mode, app.words)).join("\n"),
    held ? button(app.words("item.take_over"), taken) : "");
}
