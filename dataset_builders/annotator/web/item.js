// One item on the page: who does what with it, the draft, the two sides, the mode's form, and the bar below.
//
// A mode is a module (scenes.js, pages.js, errors.js) with
//   styles                          its sheets in this folder
//   shortcuts                       [{ keys, does }]: what is listed under "?"; `does` is a name of words
//   label(field, words)             a field ("answer", "shards[1].support") in words
//   shown(field, value, item, words)   its value to be read: text or a node
//   mount(root, { item, words, edit, api, state })   puts the form into `root` and returns its view:
//     draw(content)       after every change, its own too: in place, or the caret is lost
//     problems(list)      marks fields that break rules
//     focus(field)        brings a field into sight
//     key(event)          a key outside of text fields; true where it was used
//     close()             the item is left
// A form changes the content through `edit` alone: set(field, value, step) and change(content, step), where a
// step is what undo takes back; it is read only where `edit.locked` or `item.fixed` say so.

import { conflictBar } from "./conflict.js";
import { showHistory } from "./dialogs.js";
import { button, element } from "./dom.js";
import { draftNote } from "./draft.js";
import { problemList } from "./problems.js";
import { sides } from "./sides.js";

export class ItemPage {
  // `edit` outlives the page where the language changes. `does`: what the app does.
  constructor(root, { edit, mode, words, api, state, does }) {
    Object.assign(this, { edit, mode, words });
    const { item } = edit;
    const write = (field) => this.view.focus(field);
    const form = element("div", { class: "a-form" });
    this._problems = problemList({ mode, words, focus: write });
    this._conflict = conflictBar({ mode, item, words, edit, write, does });
    this._sides = item.sides?.differing.length ? bothSides({ item, mode, words, edit, write }) : null;
    this._draft = item.draft ? draftNote({ item, mode, words, edit, write }) : null;
    root.replaceChildren(heading(item, words, does.step), this._conflict.node, this._draft?.node ?? "",
      this._sides?.node ?? "", form, this._bar(does));
    this.view = mode.mount(form, { item, words, edit, api, state });
    this.draw();
    this.tell();
  }

  draw() {
    if (!this.view) return; // the content may change while the page is being made
    this.view.draw(this.edit.content);
    this._sides?.draw(this.edit.content);
    this._draft?.draw(this.edit.content);
    this._conflict.draw();
    this._undo.disabled = !this.edit.undoable;
    this._redo.disabled = !this.edit.redoable;
  }

  tell() {
    if (!this.view) return;
    const { problems } = this.edit.saving;
    this._problems.draw(problems);
    this.view.problems(problems);
    this._conflict.draw();
  }

  close() {
    this.view.close();
  }

  _bar({ finish, reopen }) {
    const { edit, words } = this;
    this._undo = button(words("bar.undo"), () => edit.undo());
    this._redo = button(words("bar.redo"), () => edit.redo());
    const history = button(words("bar.history"), () => showHistory(edit, words));
    const end = edit.locked
      ? button(words("bar.reopen"), reopen)
      : button(words("bar.finish"), finish, { class: "primary" });
    end.hidden = edit.locked && !edit.item.reopen_slot;
    return element("div", { class: "a-bar" }, this._problems.node,
      element("div", { class: "a-row" }, this._undo, this._redo, history, end));
  }
}

function heading(item, words, step) {
  const going = (name, by) => button(words(`item.${name}`), () => step(by));
  return element("div", { class: "a-heading" },
    element("h1", {}, item.item), element("span", { class: "a-stage", dataset: { stage: item.stage } },
      words(`stage.${item.stage}`)),
    element("p", { class: "a-note" }, role(item, words)),
    element("div", { class: "a-row" }, going("previous", -1), going("next", 1)));
}

// What this person does here; at an adjudication also which side was theirs.
function role(item, words) {
  if (!item.editable) return words(item.finished ? "item.finished" : "item.waits");
  const was = (item.was ?? []).map((slot) => words(`item.was_${slot}`));
  return [words(`item.${item.slot}`), ...was].join(" ");
}

// What two annotators said where they differ, and what either noted.
function bothSides({ item, words, ...rest }) {
  const { names, author, check, differing } = item.sides;
  const columns = [
    { name: `A · ${names.author ?? words("sides.author")}`, content: author },
    { name: `B · ${names.check ?? words("sides.check")}`, content: check },
  ].filter((one) => one.content);
  const noted = columns.some((one) => one.content.note) && !differing.includes("note");
  const fields = noted ? [...differing, "note"] : differing;
  return sides({ columns, fields, n: differing.length, whole: true, item, words, ...rest });
}
