"""The style sheets of the pages, as what stands in the head of a document."""

from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "css"
SHEETS: Final = ("tokens.css", "components.css")


@cache
def style() -> str:
    """Return both sheets, tokens first."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SHEETS)
