// What the browser keeps: settings, and edits that no server has yet.

const PLACE = "lvqa-annotate";

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null; // switched off by the visitor: then nothing outlives the page
  }
}

export function setting(name) {
  return storage()?.getItem(`${PLACE}:${name}`) ?? null;
}

export function keep(name, value) {
  write(`${PLACE}:${name}`, value);
}

function write(key, value) {
  try {
    storage()?.setItem(key, value);
  } catch {
    // Full: the server has, or will have, what counts.
  }
}

// Each window has a name that outlives a reload: edits of a window that was closed are found by another.
function windowName() {
  const named = sessionStorage.getItem(PLACE) ?? String(Math.random()).slice(2);
  sessionStorage.setItem(PLACE, named);
  return named;
}

const ABANDONED_MS = 5000; // an open window sends what it has in less, or holds it itself

// Edits not sent yet: one entry an item, slot and window, in the name of one annotator and one work folder.
export class Unsent {
  constructor(work, annotator) {
    this._start = `${PLACE}:unsent:${JSON.stringify([work, annotator]).slice(1, -1)}`;
    this._window = windowName();
  }

  keep(item, slot, revision, content) {
    write(this._key(item, slot), JSON.stringify({ item, slot, revision, content, at: Date.now() }));
  }

  drop(item, slot) {
    storage()?.removeItem(this._key(item, slot));
  }

  // Entries of this window, and of windows that are gone; `about` names an item and a slot, or all.
  found(about = null) {
    const entries = [];
    for (const key of Object.keys(storage() ?? {})) {
      if (!key.startsWith(this._start)) continue;
      const entry = { key, ...JSON.parse(storage().getItem(key)) };
      const own = key === this._key(entry.item, entry.slot);
      if (!own && Date.now() - entry.at < ABANDONED_MS) continue;
      if (about === null || (about.item === entry.item && about.slot === entry.slot)) entries.push(entry);
    }
    return entries.sort((one, other) => other.at - one.at);
  }

  forget(entry) {
    storage()?.removeItem(entry.key);
  }

  _key(item, slot) {
    return `${this._start}:${JSON.stringify([item, slot, this._window])}`;
  }
}
