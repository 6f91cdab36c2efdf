// Drags one element onto another by mouse, pen or finger.

const FAR = 6; // pixels from which a press is a drag, and no click

// `onto` gives the elements that take it; `dropped` hears which one did.
export function dragging(element, { onto, dropped }) {
  let from = null;
  let over = null;
  const reset = () => {
    over?.classList.remove("a-over");
    element.classList.remove("a-dragged");
    element.style.transform = "";
    over = null;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || element.disabled) return;
    from = { x: event.clientX, y: event.clientY, far: false };
    element.setPointerCapture(event.pointerId); // a quick pointer leaves the element before it is far
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.far && Math.hypot(x, y) < FAR) return;
    from.far = true;
    reset();
    element.classList.add("a-dragged");
    element.style.transform = `translate(${x}px, ${y}px)`;
    over = onto().find((one) => one !== element && inside(one, event)) ?? null;
    over?.classList.add("a-over");
  });
  element.addEventListener("pointerup", () => {
    const target = over;
    reset();
    if (target) dropped(target);
  });
  element.addEventListener("pointercancel", () => {
    reset();
    from = null;
  });
  // The end of a drag is a click as well, which must not count.
  element.addEventListener("click", (event) => {
    if (from?.far) event.stopImmediatePropagation();
    from = null;
  }, { capture: true });
}

function inside(element, { clientX, clientY }) {
  const box = element.getBoundingClientRect();
  return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
}
