"""The parts of the test run, which go side by side: each process reads the files of its own part alone.

`servers` waits for vLLM or Ray most of its time, `pages` for a browser; `builders` are the tests of the
dataset builders, and `others` the rest.
"""

from pathlib import Path

SERVERS, PAGES, BUILDERS, OTHERS = PARTS = ("servers", "pages", "builders", "others")


def needs_ray(path: Path) -> bool:
    """Tell whether the tests of a file start a Ray."""
    return path.parent.name == "distributed"


def own_part(path: Path, root: Path) -> str:
    """Return the part of the tests of a file that need no server; `root` is the folder of all tests."""
    if needs_ray(path):
        return SERVERS
    folders = path.relative_to(root).parts
    if "browser" in folders or path.name.endswith("_in_browser.py"):
        return PAGES
    return BUILDERS if folders[0] == "dataset_builders" else OTHERS


def parts_of(path: Path, root: Path) -> set[str]:
    """Return the parts that a file may have tests of."""
    asks = {SERVERS} if "mark.vllm" in path.read_text(encoding="utf-8") else set()
    return asks | {own_part(path, root)}
