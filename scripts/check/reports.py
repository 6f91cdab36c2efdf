"""Open pages in a real browser at two widths and in two themes; exit with 1 for any fault of one.

    python scripts/check/reports.py WORK PAGE...

A fault is an error on the console, a request to anywhere, text that overlaps or overflows, low contrast, or a
picture without pixels.
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.support.browser import WIDTHS, faults, running_chromium, watch

EMPTY = "[...document.images].filter(one => !one.naturalWidth).length"


def main() -> int:
    """Look at the pages named on the command line."""
    work, *paths = map(Path, sys.argv[1:])
    found = 0
    with running_chromium(work / "chromium") as address, sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(address)
        for path in paths:
            page = browser.new_context().new_page()
            problems = look_at(page, path)
            figures = page.locator("figure svg").count()
            tables = page.locator("table").count()
            print(f"{path.parent.name}: {tables} tables, {figures} figures, faults: {len(problems)}")
            for problem in problems:
                print(f"  {problem}")
            found += len(problems)
    return 1 if found else 0


def look_at(page: Page, path: Path) -> list[str]:
    """Return the faults of one page."""
    watched = watch(page)
    problems = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.goto(path.resolve().as_uri())
            problems += [f"{width}, {theme}: {fault}" for fault in faults(page)]
            if empty := page.evaluate(EMPTY):
                problems.append(f"{width}, {theme}: pictures without pixels: {empty}")
    problems += watched.errors
    return problems + [f"asked {host}" for host in sorted(watched.hosts - {""})]


if __name__ == "__main__":
    sys.exit(main())
