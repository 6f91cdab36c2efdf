// Keys of the whole app; what is left goes to the mode's view. Letters go by their place on the keyboard, so
// that they work in every layout.

const TYPED = "textarea, select, input:not([type=radio], [type=checkbox])";

// `edit` and `view` give what is open now, if anything is.
export function listenToKeys({ edit, view, finish, step, help }) {
  const withControl = ({ code, shiftKey, altKey }) => {
    const open = edit();
    if (!open || altKey) return false;
    if (code === "KeyZ") shiftKey ? open.redo() : open.undo();
    else if (code === "KeyY") open.redo();
    else if (code === "Enter") finish();
    else return false;
    return true;
  };
  const plain = (event) => {
    const typing = event.target.matches?.(TYPED);
    if (event.code === "Escape") {
      document.body.classList.remove("a-queue-open");
      if (typing) event.target.blur();
      return typing;
    }
    if (typing || event.altKey) return false;
    if (event.key === "?") help();
    else if (event.code === "BracketLeft") step(-1);
    else if (event.code === "BracketRight") step(1);
    else return view()?.key(event) ?? false;
    return true;
  };
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey ? withControl(event) : plain(event)) event.preventDefault();
  });
}
