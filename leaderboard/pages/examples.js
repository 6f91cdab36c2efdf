// The body of a function that Gradio calls with `element` and `watch` once the part stands.
const turns = () => [...element.querySelectorAll(".lv-time button")];
const current = () => turns().findIndex((one) => one.hasAttribute("aria-current"));
let goal = null; // the turn that was asked for and is not yet shown

function go(place) {
  const all = turns();
  const next = Math.max(0, Math.min(place, all.length - 1));
  if (!all.length || next === goal) return;
  goal = next;
  // The one with the focus keeps it where the part is drawn anew.
  if (element.contains(document.activeElement)) all[next].focus({ preventScroll: true });
  lv.change({ turn: all[next].dataset.turn });
}

const step = (by) => go((goal ?? current()) + by);

// The nearest tinted patch of a page in a direction.
function patch(from, across, down) {
  const place = (cell) => [cell.cellIndex, cell.parentElement.rowIndex];
  const [x, y] = place(from);
  let best = null;
  for (const cell of element.querySelectorAll(".lv-patches [tabindex]")) {
    const [right, below] = place(cell).map((end, side) => end - [x, y][side]);
    const along = right * across + below * down;
    const aside = Math.abs(right * down) + Math.abs(below * across);
    const far = along + 2 * aside;
    if (along > 0 && (best === null || far < best.far)) best = { cell, far };
  }
  if (best) {
    from.tabIndex = -1;
    best.cell.tabIndex = 0;
    best.cell.focus();
  }
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const at = event.target;
  const arrow = STEPS[event.key];
  if (arrow && at.closest?.(".lv-patches")) patch(at, ...arrow);
  else if (at !== document.body && !(element.contains(at) && at.closest(".lv-time"))) return;
  else if (arrow?.[0]) step(arrow[0]);
  else if (event.key === "Home" && at !== document.body) go(0);
  else if (event.key === "End" && at !== document.body) go(turns().length - 1);
  else return;
  event.preventDefault();
});
document.addEventListener("lv-step", (event) => step(event.detail));

// On a narrow page the columns scroll; the current one is always in sight.
watch("value", () => {
  goal = null;
  const column = turns()[current()]?.closest("th");
  const area = column?.closest(".lv-scroll");
  const first = area?.querySelector("th.pin").offsetWidth;
  if (area) area.scrollLeft = column.offsetLeft + column.offsetWidth / 2 - (first + area.clientWidth) / 2;
});
