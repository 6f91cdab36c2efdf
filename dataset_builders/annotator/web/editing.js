// One person's work on one item: the content, its steps, and its saving. Every change goes through here.

import { part } from "./api.js";
import { at, having, same } from "./contents.js";
import { Saving } from "./saving.js";
import { Steps } from "./steps.js";

export class Editing {
  // `drawn` is called after every change of the content, `told` after every change of what is known of saving.
  constructor({ api, unsent, annotator, item, drawn, told }) {
    this.item = item;
    this.locked = !item.editable;
    this._annotator = annotator;
    this._api = api;
    this._unsent = unsent;
    this._drawn = drawn;
    this._historyRead = item.revision === 0;
    this._steps = new Steps(item.content);
    this.saving = new Saving({ api, unsent, annotator, item, told: () => this._heard(told) });
    this._takeLeft();
  }

  get content() {
    return this._steps.content;
  }

  get undoable() {
    return !this.locked && (this._steps.undoable || !this._historyRead);
  }

  get redoable() {
    return !this.locked && this._steps.redoable;
  }

  change(content, step = null) {
    if (!this.locked && this._steps.change(content, step)) this._changed();
  }

  set(field, value, step = null) {
    if (!same(at(this.content, field), value)) this.change(having(this.content, field, value), step);
  }

  async undo() {
    if (!this.undoable) return;
    if (!this._steps.undoable) await this._readHistory();
    if (this._steps.undo()) this._changed();
  }

  redo() {
    if (this.redoable && this._steps.redo()) this._changed();
  }

  // What was saved of this slot, oldest first.
  history() {
    const { item, slot } = this.item;
    return this._api.get(`items/${part(item)}/history?slot=${part(slot)}&annotator=${part(this._annotator)}`);
  }

  takeTheirs() {
    this._steps.change(this.saving.takeTheirs());
    this._drawn();
  }

  _changed() {
    this.saving.change(this.content);
    this._drawn();
  }

  // A saved content that did not come from here (another window, with nothing unsent here) is a step as well.
  _heard(told) {
    const { state, content } = this.saving;
    if (state === "saved" && this._steps.change(content)) this._drawn();
    told();
  }

  async _readHistory() {
    const saved = await this.history();
    this._historyRead = true;
    this._steps.before(saved.map((one) => one.content));
  }

  // Edits that no server got, from an earlier visit: sent from the revision they were made on.
  _takeLeft() {
    if (this.locked) return;
    for (const entry of this._unsent.found(this.item)) {
      if (same(entry.content, this.content)) {
        this._unsent.forget(entry);
        continue;
      }
      this._steps.change(entry.content);
      this._unsent.forget(entry);
      this.saving.change(entry.content, entry.revision);
      return;
    }
  }
}
