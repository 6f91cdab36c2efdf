// Saves one person's content of one item: soon after a change, again while the server is away, and never
// over what somebody else saved in between.

import { Away, Newer, part, Refused } from "./api.js";
import { same } from "./contents.js";

const AFTER_MS = 800;
const AGAIN_MS = [1000, 2000, 4000, 8000, 15000];

export class Saving {
  // `told` is called whenever `state`, `problems` or `conflict` changed.
  constructor({ api, unsent, annotator, item, told }) {
    Object.assign(this, { _api: api, _unsent: unsent, _annotator: annotator, _told: told });
    Object.assign(this, { item: item.item, slot: item.slot, revision: item.revision, content: item.content });
    this.state = "saved"; // or waiting, saving, away, conflict, refused
    this.problems = item.problems;
    this.conflict = null;
    this._dirty = false;
    this._tries = 0;
    this._timer = null;
    this._running = null;
  }

  change(content, revision = this.revision) {
    this.content = content;
    this.revision = revision;
    this._dirty = true;
    this._unsent.keep(this.item, this.slot, revision, content);
    if (this.conflict) return;
    if (this.state !== "away") this._tell("waiting");
    this._later(AFTER_MS);
  }

  // Ends when all is saved, or cannot be for now; returns whether it is.
  async flush() {
    clearTimeout(this._timer);
    this._running ??= this._send().finally(() => (this._running = null));
    await this._running;
    return this.state === "saved";
  }

  // The page goes away: send without waiting. What may be lost on the way is kept in the browser.
  leave() {
    if (this._dirty && !this.conflict) this._post({ leaving: true }).catch(() => {});
  }

  close() {
    clearTimeout(this._timer);
    this._told = () => {};
  }

  takeTheirs() {
    const { revision, content } = this.conflict;
    Object.assign(this, { revision, content, conflict: null });
    this.discard();
    this._tell("saved");
    return content;
  }

  // The one who holds the item, where the server refused for that.
  get holder() {
    return this.state === "refused" ? (this.problems.find((one) => one.rule === "held-by-another") ?? null) : null;
  }

  // Gives up what was not sent.
  discard() {
    this._dirty = false;
    this._unsent.drop(this.item, this.slot);
  }

  keepMine() {
    this.revision = this.conflict.revision;
    this.conflict = null;
    this._dirty = true;
    return this.flush();
  }

  // The server has this by now, though nothing was sent from here.
  newer(newest) {
    if (newest.revision <= this.revision || this._running) return;
    if (this._dirty) this._meet(newest);
    else this._saved(newest);
  }

  _post(options) {
    const { slot, revision, content } = this;
    const body = { annotator: this._annotator, slot, revision, content };
    return this._api.post(`items/${part(this.item)}`, body, options);
  }

  async _send() {
    while (this._dirty && !this.conflict) {
      const sent = this.content;
      this._tell("saving");
      try {
        this._saved(await this._post(), sent);
      } catch (error) {
        if (error instanceof Newer) this._meet(error.newest, sent);
        else if (error instanceof Away) return this._wait();
        else if (error instanceof Refused) return this._refused(error.problems);
        else throw error;
      }
    }
  }

  _saved({ revision, problems, content }, sent = content) {
    this.revision = revision;
    this.problems = problems ?? this.problems;
    this._tries = 0;
    if (this.content !== sent && this._dirty) {
      this._unsent.keep(this.item, this.slot, revision, this.content);
      return;
    }
    this.content = sent;
    this.discard();
    this._tell("saved");
  }

  // An answer that was lost on its way makes our own content come back as somebody's.
  _meet(newest, sent = this.content) {
    if (newest.content === null) {
      this.revision = newest.revision; // nothing is there any more: it is sent as the first
      return;
    }
    if (same(newest.content, sent)) {
      this._saved({ revision: newest.revision }, sent);
      return;
    }
    this.conflict = newest;
    this._tell("conflict");
  }

  _wait() {
    this._tell("away");
    this._later(AGAIN_MS[Math.min(this._tries, AGAIN_MS.length - 1)]);
    this._tries += 1;
  }

  _refused(problems) {
    this.problems = problems;
    this._tell("refused");
  }

  _later(milliseconds) {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.flush(), milliseconds);
  }

  _tell(state) {
    this.state = state;
    this._told(this);
  }
}

// Sends what other windows or an earlier visit left; what meets a newer content waits until its item is opened.
export async function sendLeft(api, unsent, annotator, open = null) {
  for (const entry of unsent.found()) {
    if (open && entry.item === open.item && entry.slot === open.slot) continue;
    const { slot, revision, content } = entry;
    try {
      await api.post(`items/${part(entry.item)}`, { annotator, slot, revision, content });
      unsent.forget(entry);
    } catch (error) {
      if (error instanceof Away) return;
      if (error instanceof Newer && same(error.newest.content, content)) unsent.forget(entry);
    }
  }
}
