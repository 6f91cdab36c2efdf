// The app begins: who works, in which language, in which mode (scenes, pages, errors), and what others do.

import { api, Away, part, Refused } from "./api.js";
import { askName, showKeys } from "./dialogs.js";
import { element } from "./dom.js";
import { finish, giveUp, reopen } from "./ending.js";
import { keep, setting, Unsent } from "./kept.js";
import { listenToKeys } from "./keys.js";
import { ask, go, leave, openPlace, patiently, step, takeOver } from "./opening.js";
import { sendLeft } from "./saving.js";
import { app, dark, drawHeader, drawItem, drawList, tell } from "./screen.js";
import { LANGUAGES, loadWords } from "./words.js";

const LOOK_MS = 20000; // how often the server is asked what others did

async function begin() {
  theme(setting("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  Object.assign(app.does, { ask, finish, giveUp, go, openPlace, reopen, step, takeOver });
  Object.assign(app.does, { help, language, look, name, theme: otherTheme });
  app.state = await patiently(() => api.get("state"));
  await load(app.state.mode);
  speak(setting("language") ?? (navigator.language.startsWith("ru") ? "ru" : "en"));
  await enter(setting("annotator") ?? (await askName(app.state.annotators, app.words)));
  listen();
}

async function load(mode) {
  const parts = mode === "scenes" ? [] : ["pages"];
  const all = await Promise.all(LANGUAGES.map((one) => loadWords(one, ...parts)));
  app.languages = Object.fromEntries(all.map((words) => [words.language, words]));
  app.mode = await import(`./${mode}.js`);
  await Promise.all(app.mode.styles.map(style));
}

// Ends when the sheet is there, so that a form is never seen without it.
const style = (file) => new Promise((done) => {
  const { href } = new URL(file, import.meta.url);
  document.head.append(element("link", { rel: "stylesheet", href, onload: done, onerror: done }));
});

async function enter(annotator) {
  if (annotator === null) return;
  if (app.name) await leave();
  app.name = annotator;
  keep("annotator", annotator);
  app.unsent = new Unsent(app.state.work, annotator);
  drawHeader();
  await look();
  await openPlace();
}

async function name() {
  const { annotators } = await api.get("state");
  await enter(await askName(annotators, app.words, app.name));
}

function language(chosen) {
  keep("language", chosen);
  speak(chosen);
}

function speak(chosen) {
  app.words = app.languages[chosen] ?? app.languages.en;
  document.documentElement.lang = app.words.language;
  drawHeader();
  if (!app.name) return;
  drawList();
  if (app.edit) drawItem();
  else openPlace();
}

function theme(chosen) {
  document.body.classList.toggle("dark", chosen === "dark");
}

function otherTheme() {
  theme(dark() ? "light" : "dark");
  keep("theme", dark() ? "dark" : "light");
  return dark();
}

const help = () => showKeys(app.mode.shortcuts, app.words);

// Reads the queue, sends what is left from before, and hears of what others did to the open item.
async function look() {
  try {
    await sendLeft(api, app.unsent, app.name, app.edit?.item);
    const asked = [api.get("state"), api.get(`queue?annotator=${part(app.name)}`)];
    const [state, queue] = await Promise.all(asked);
    Object.assign(app, { state, queue, away: false });
    drawList();
    await hear(app.edit);
  } catch (error) {
    if (!(error instanceof Away)) throw error;
    app.away = true;
  }
  tell();
}

async function hear(edit) {
  if (!edit || edit.locked) return;
  const idle = () => edit === app.edit && edit.saving.state === "saved";
  try {
    const newest = (await edit.history()).at(-1);
    if (!newest || edit !== app.edit) return;
    if (newest.finished && idle()) await openPlace();
    else edit.saving.newer(newest);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (idle()) await openPlace(); // somebody else began it
  }
}

function listen() {
  addEventListener("hashchange", openPlace);
  listenToKeys({ edit: () => app.edit, view: () => app.page?.view, finish, step, help });
  // Whatever was asked for: it can be asked for again.
  addEventListener("unhandledrejection", (event) => {
    if (!(event.reason instanceof Away)) return;
    event.preventDefault();
    app.away = true;
    tell();
  });
  addEventListener("focus", look);
  addEventListener("online", () => app.edit?.saving.flush());
  addEventListener("pagehide", () => app.edit?.saving.leave());
  addEventListener("visibilitychange", () => document.hidden && app.edit?.saving.leave());
  setInterval(() => document.hidden || look(), LOOK_MS);
}

begin();
