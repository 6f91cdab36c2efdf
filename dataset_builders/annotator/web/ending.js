// The end of the work on an item: finished, given up, or taken up again.

import { api, Newer, part, Refused } from "./api.js";
import { leave, next, openPlace } from "./opening.js";
import { app, tell } from "./screen.js";

export async function finish() {
  const { edit } = app;
  if (edit.locked || !(await edit.saving.flush())) return;
  const { item, slot } = edit.item;
  if (await accepted(`items/${part(item)}/finish`, { annotator: app.name, slot, revision: edit.saving.revision })) {
    await leave();
    await app.does.look();
    next(item);
  }
}

export async function reopen() {
  const { item, reopen_slot: slot } = app.edit.item;
  if (await accepted(`items/${part(item)}/reopen`, { annotator: app.name, slot })) await openPlace();
}

export async function giveUp() {
  app.edit.saving.discard();
  await leave();
  await app.does.look();
  next();
}

// Whether the server agreed; what it has against it is shown.
async function accepted(path, body) {
  const { saving } = app.edit;
  try {
    await api.post(path, body);
    return true;
  } catch (error) {
    if (error instanceof Refused) saving.problems = error.problems;
    else if (error instanceof Newer) saving.newer(error.newest);
    else throw error;
    tell();
    const [first] = saving.problems;
    if (first) app.page.view.focus(first.field);
    return false;
  }
}
