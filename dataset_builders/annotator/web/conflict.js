// The bar that says that somebody else was here in between. Nothing is overwritten in silence.

import { button, element } from "./dom.js";
import { differing, sides } from "./sides.js";
import { time } from "./times.js";

// `does` holds what the app does with an item: openPlace (anew), takeOver from who holds it, giveUp.
// Returns { node, draw(): shows or hides it, by what saving knows }.
export function conflictBar({ mode, item, words, edit, write, does }) {
  const node = element("section", { class: "a-conflict", role: "alert", hidden: true });
  let shown = null;
  let table = null;
  const doing = (name, act) => button(words(`conflict.${name}`), act);
  const compare = (newest) => {
    const mine = edit.content;
    const columns = [{ name: words("conflict.mine"), content: mine }, { name: newest.annotator, ...newest }];
    table?.node.remove();
    table = sides({ columns, fields: differing(mine, newest.content), mode, item, words, edit, write });
    table.draw(mine);
    node.append(table.node);
  };
  const take = (newest) => {
    edit.takeTheirs();
    if (newest.finished) does.openPlace();
  };
  const newer = (newest) => [
    words(newest.finished ? "conflict.finished" : "conflict.told",
      { name: newest.annotator, time: time(newest.saved_at, words) }),
    [doing("see", () => compare(newest)), doing("take", () => take(newest)),
      newest.finished ? "" : doing("keep", () => edit.saving.keepMine())],
  ];
  const held = ({ allowed: name }) =>
    [words("conflict.held", { name }), [doing("take_over", does.takeOver), doing("leave", does.giveUp)]];
  const draw = () => {
    const { conflict, holder } = edit.saving;
    const now = conflict ?? holder;
    if (now !== shown) {
      const [text, buttons] = conflict ? newer(conflict) : holder ? held(holder) : ["", []];
      node.replaceChildren(element("p", {}, text), element("div", { class: "a-row" }, buttons));
      node.hidden = !now;
      if (now) node.scrollIntoView({ block: "center" });
      [shown, table] = [now, null];
    }
    table?.draw(edit.content);
  };
  return { node, draw };
}
