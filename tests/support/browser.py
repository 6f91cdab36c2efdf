"""A real browser for tests of pages: Debian's Chromium, and what a page must hold at every width."""

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

WIDTHS = {1280: 900, 390: 844}
"""The widths that every page is checked at, in pixels, with the heights that go with them."""

_SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


def chromium_path():
    """Return where Chromium is, None where it is not installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def running_chromium(folder: Path) -> Iterator[str]:
    """Run one Chromium with its profile in `folder`; yields the address that Playwright connects to.

    A process of its own, since Playwright's event loop, left running, would keep other tests from theirs.
    """
    command = [chromium_path(), *_SWITCHES, "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{_port(process, folder / 'DevToolsActivePort')}"
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def _port(process, told, patience=60.0):
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        if told.exists() and (lines := told.read_text().split()):
            return int(lines[0])
        time.sleep(0.05)
    raise RuntimeError(f"Chromium did not start; it ended with {process.poll()}")


@dataclass
class Watched:
    """What a page did: errors on its console, exceptions of its scripts, and hosts that it asked."""

    errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


def watch(page) -> Watched:
    """Begin to watch `page`, before it goes anywhere."""
    watched = Watched()

    def asked(request):
        found = urlsplit(request.url)
        if found.scheme not in ("data", "blob"):
            watched.hosts.add(found.netloc)

    page.on("request", asked)
    page.on("pageerror", lambda error: watched.errors.append(f"exception: {error}"))
    page.on(
        "console",
        lambda said: (
            watched.errors.append(f"{said.type}: {said.text}") if said.type in ("error", "warning") else None
        ),
    )
    return watched


def faults(page) -> list[str]:
    """Return everything that is wrong with how `page` looks at its present size."""
    return [*overflows(page), *overlaps(page), *low_contrasts(page)]


def overflows(page) -> list[str]:
    """Return what sticks out of the window sideways, and text that its own box cuts off.

    What stands in a part of the page that scrolls, or is hidden from sight, is left alone; but what scrolls
    sideways must take the focus, or the keyboard cannot reach it.
    """
    return page.evaluate(_COMMON + _OVERFLOWS)


def overlaps(page) -> list[str]:
    """Return pairs of texts and controls that lie over each other, by more than a pixel.

    What is fixed or sticks to the window may lie over what scrolls under it, but its own parts may not.
    """
    return page.evaluate(_COMMON + _OVERLAPS)


def low_contrasts(page, least: float = 4.5) -> list[str]:
    """Return the texts whose contrast with what is behind them is below `least` (WCAG 2)."""
    return page.evaluate(f"(least => {{ {_COMMON_BODY} {_CONTRASTS} }})({least})")


_COMMON_BODY = """
const seen = (element) => {
  const box = element.getBoundingClientRect();
  const options = { opacityProperty: true, visibilityProperty: true };
  return box.width > 1 && box.height > 1 && element.checkVisibility(options);
};
const chain = (element) => {
  const found = [];
  for (let one = element; one; one = one.parentElement) found.push(one);
  return found;
};
const clipped = (element) => chain(element).some((one) => getComputedStyle(one).clipPath !== "none");
const name = (element) => {
  const words = (element.innerText ?? element.value ?? "").trim().replace(/\\s+/g, " ").slice(0, 40);
  const kind = typeof element.className === "string" ? element.className : "";
  return `${element.tagName.toLowerCase()}${kind ? "." + kind.split(" ")[0] : ""} "${words}"`;
};
const own = (element) => [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
const all = [...document.body.querySelectorAll("*")].filter((one) => seen(one) && !clipped(one));
const controls = "a, button, input, textarea, select, summary, img";
const parts = all.filter((one) => own(one) || one.matches(controls));
"""

_COMMON = "(() => {" + _COMMON_BODY

_OVERFLOWS = """
const width = document.documentElement.clientWidth;
const found = [];
if (document.documentElement.scrollWidth > width) {
  found.push(`overflow: the page is ${document.documentElement.scrollWidth} wide, the window ${width}`);
}
const scrolls = (element) => chain(element.parentElement).some(
  (one) => ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX) && one !== document.body
    && one !== document.documentElement);
for (const one of all) {
  const box = one.getBoundingClientRect();
  if ((box.right > width + 1 || box.left < -1) && !scrolls(one)) {
    found.push(`overflow: ${name(one)} from ${Math.round(box.left)} to ${Math.round(box.right)} of ${width}`);
  }
  const style = getComputedStyle(one);
  if (["auto", "scroll"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1
      && !one.matches("[tabindex], textarea, input, body, html")) {
    found.push(`scrolls sideways: ${name(one)}`);
  }
  if (own(one) && style.overflowX === "hidden" && one.scrollWidth > one.clientWidth + 1) {
    found.push(`cut off: ${name(one)}`);
  }
}
return found;
})()"""

_OVERLAPS = """
const floats = (element) => ["fixed", "sticky"].includes(getComputedStyle(element).position);
const layer = (element) => chain(element).find(floats);
const inner = (element) => {
  if (element.matches(controls)) return [element.getBoundingClientRect()];
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
};
// A part that scrolls shows only what is inside its own box.
const within = (element, box) => {
  let { left, right, top, bottom } = box;
  for (const one of chain(element)) {
    const style = getComputedStyle(one);
    if (style.overflowX === "visible" && style.overflowY === "visible") continue;
    const outer = one.getBoundingClientRect();
    if (style.overflowX !== "visible") {
      [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
    }
    if (style.overflowY !== "visible") {
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
  }
  return { left, right, top, bottom };
};
const boxes = parts.map((one) => [one, layer(one), inner(one).map((box) => within(one, box))]);
const found = [];
boxes.forEach(([one, over, mine], place) => {
  for (const [other, otherOver, theirs] of boxes.slice(place + 1)) {
    if (over !== otherOver || one.contains(other) || other.contains(one)) continue;
    const meet = mine.some((a) => theirs.some((b) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1));
    if (meet) found.push(`overlap: ${name(one)} and ${name(other)}`);
  }
});
return found;
})()"""

_CONTRASTS = """
const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const paint = (color) => {
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = color;
  brush.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => below.map((value, i) => top[i] * top[3] + value * (1 - top[3]));
const behind = (element) => chain(element).reverse().reduce(
  (below, one) => over(paint(getComputedStyle(one).backgroundColor), below), [255, 255, 255]);
const light = (color) => {
  const [r, g, b] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const found = [];
for (const one of all.filter((one) => own(one) || one.matches("input, textarea, select"))) {
  const below = behind(one);
  const text = over(paint(getComputedStyle(one).color), below);
  const [high, low] = [light(text), light(below)].sort((a, b) => b - a);
  const ratio = (high + 0.05) / (low + 0.05);
  if (ratio < least) found.push(`contrast: ${name(one)} ${ratio.toFixed(2)}`);
}
return found;
"""
