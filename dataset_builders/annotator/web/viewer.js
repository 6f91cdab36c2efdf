// A large picture in a pane: zoomed and moved by wheel, pinch, drag and keys.

import { element, press } from "./dom.js";
import { Place } from "./place.js";

const STEP = 1.25; // of a button or key
const WHEEL = 0.0015; // of a wheel's pixel, as an exponent
const PINCH = 0.01; // of a touchpad's pinch, which browsers tell as a wheel with Ctrl
const MOST_OF_A_WHEEL = 240;

const KEYS = { "+": "in", "=": "in", "-": "out", 0: "page", 1: "own", 2: "width" };

export const shortcuts = [
  { keys: ["+"], does: "pages.viewer.does.in" },
  { keys: ["−"], does: "pages.viewer.does.out" },
  { keys: ["0"], does: "pages.viewer.does.page" },
  { keys: ["1"], does: "pages.viewer.does.own" },
  { keys: ["2"], does: "pages.viewer.does.width" },
  { keys: ["↑", "↓", "←", "→"], does: "pages.viewer.does.move" },
];

const looked = new Map(); // url -> where it was looked at, for when an item is opened again

// The viewer of one picture, { url, width, height, alt }.
// Returns { element, key, close }: what to show, its keys anywhere on the page, and its end.
export function viewer(picture, words) {
  const say = (name) => words(`pages.viewer.${name}`);
  const image = element("img", {
    class: "pv-picture",
    alt: picture.alt,
    draggable: false,
    width: picture.width,
    height: picture.height,
  });
  const lost = element("p", { class: "pv-lost", role: "alert", hidden: true }, say("lost"));
  const pane = element(
    "div",
    { class: "pv-pane", tabindex: "0", role: "group", "aria-label": say("pane") },
    image,
    lost,
  );
  const scale = element("output", { class: "pv-scale", "aria-label": say("scale") });

  let place = null;
  const draw = () => {
    image.style.transform = `translate(${place.left}px, ${place.top}px) scale(${place.scale})`;
    scale.textContent = `${Math.round(place.scale * 100)} %`;
    press(buttons.page, place.fit === "page");
    press(buttons.width, place.fit === "width");
    looked.set(picture.url, place.view);
  };
  const change = (how) => {
    if (!place) return;
    how(place);
    draw();
  };
  const doing = {
    out: () => change((now) => now.zoom(now.scale / STEP)),
    in: () => change((now) => now.zoom(now.scale * STEP)),
    page: () => change((now) => now.fitting("page")),
    width: () => change((now) => now.fitting("width")),
    own: () => change((now) => now.zoom(1)),
  };
  const button = (name) =>
    element(
      "button",
      {
        class: `a-button pv-${name}`,
        type: "button",
        title: say(`does.${name}`),
        "aria-label": say(`does.${name}`),
        onclick: doing[name],
      },
      say(`button.${name}`),
    );
  const buttons = Object.fromEntries(Object.keys(doing).map((name) => [name, button(name)]));

  image.addEventListener("error", () => (lost.hidden = false));
  image.addEventListener("load", () => (lost.hidden = true));
  image.src = picture.url;

  const sized = new ResizeObserver(() => {
    const room = { width: pane.clientWidth, height: pane.clientHeight };
    if (!room.width || !room.height) return;
    if (place) place.resize(room);
    else place = new Place(picture, room, looked.get(picture.url));
    draw();
  });
  sized.observe(pane);
  for (const listen of [wheel, fingers, doubled, arrows]) listen(pane, change);

  return {
    element: element(
      "section",
      { class: "pv", "aria-label": say("name") },
      element(
        "div",
        { class: "pv-tools", role: "toolbar", "aria-label": say("tools") },
        ...[buttons.out, scale, buttons.in, buttons.page, buttons.width, buttons.own],
      ),
      pane,
    ),
    key(event) {
      const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
      const name = KEYS[digit && !event.shiftKey ? digit : event.key];
      if (name) doing[name]();
      return name !== undefined;
    },
    close: () => sized.disconnect(),
  };
}

// How far an event is from the middle of the pane, to the right and down.
function offset(pane, event) {
  const box = pane.getBoundingClientRect();
  return [event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2];
}

function wheel(pane, change) {
  const turned = (event) => {
    event.preventDefault();
    const unit = [1, 16, pane.clientHeight][event.deltaMode];
    const [across, along] = [event.deltaX * unit, event.deltaY * unit];
    const sideways = event.shiftKey ? across || along : Math.abs(across) > Math.abs(along) ? across : 0;
    if (sideways && !event.ctrlKey) return change((now) => now.move(-sideways, 0));
    const turn = Math.max(-MOST_OF_A_WHEEL, Math.min(along, MOST_OF_A_WHEEL));
    const factor = Math.exp(-turn * (event.ctrlKey ? PINCH : WHEEL));
    change((now) => now.zoom(now.scale * factor, ...offset(pane, event)));
  };
  pane.addEventListener("wheel", turned, { passive: false });
}

// One finger, or the mouse, moves; two fingers move and zoom.
function fingers(pane, change) {
  const down = new Map();
  const grip = () => {
    const [one, other = one] = down.values();
    return {
      middle: [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2],
      apart: Math.hypot(one[0] - other[0], one[1] - other[1]),
    };
  };
  pane.addEventListener("pointerdown", (event) => {
    if (event.button > 1 || down.size === 2) return;
    pane.setPointerCapture(event.pointerId);
    down.set(event.pointerId, offset(pane, event));
    pane.classList.add("held");
  });
  pane.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    const before = grip();
    down.set(event.pointerId, offset(pane, event));
    const after = grip();
    change((now) => {
      now.move(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
      if (before.apart > 0) now.zoom((now.scale * after.apart) / before.apart, ...after.middle);
    });
  });
  const lifted = (event) => {
    down.delete(event.pointerId);
    pane.classList.toggle("held", down.size > 0);
  };
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    pane.addEventListener(name, lifted);
  }
}

function doubled(pane, change) {
  pane.addEventListener("dblclick", (event) =>
    change((now) => (now.fit === "page" ? now.zoom(1, ...offset(pane, event)) : now.fitting("page"))),
  );
}

function arrows(pane, change) {
  pane.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [wide, high] = [pane.clientWidth, pane.clientHeight];
    const share = event.shiftKey ? 0.5 : 0.1;
    const by = {
      ArrowLeft: [wide * share, 0],
      ArrowRight: [-wide * share, 0],
      ArrowUp: [0, high * share],
      ArrowDown: [0, -high * share],
      PageUp: [0, high * 0.9],
      PageDown: [0, -high * 0.9],
      Home: [0, Infinity],
      End: [0, -Infinity],
    }[event.key];
    if (!by) return;
    event.preventDefault();
    change((now) => now.move(...by));
  });
}
