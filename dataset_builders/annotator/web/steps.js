// What can be undone and done again. Typing in one field without a pause is one step.

import { same } from "./contents.js";

const PAUSE_MS = 1000;

export class Steps {
  constructor(content) {
    this.content = content;
    this._past = [];
    this._future = [];
    this._last = { step: null, at: 0 };
  }

  get undoable() {
    return this._past.length > 0;
  }

  get redoable() {
    return this._future.length > 0;
  }

  change(content, step = null) {
    if (same(content, this.content)) return false;
    const now = Date.now();
    const goesOn = step !== null && step === this._last.step && now - this._last.at < PAUSE_MS;
    if (!goesOn) this._past.push(this.content);
    this._future = [];
    this._last = { step, at: now };
    this.content = content;
    return true;
  }

  undo() {
    return this._move(this._past, this._future);
  }

  redo() {
    return this._move(this._future, this._past);
  }

  // What was saved before this page was opened, oldest first.
  before(contents) {
    const differing = contents.filter((one, place) => !same(one, contents[place + 1] ?? this._first));
    this._past.unshift(...differing);
  }

  get _first() {
    return this._past[0] ?? this.content;
  }

  _move(from, to) {
    if (from.length === 0) return false;
    to.push(this.content);
    this.content = from.pop();
    this._last = { step: null, at: 0 };
    return true;
  }
}
