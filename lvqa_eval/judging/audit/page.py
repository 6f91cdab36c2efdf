"""The page as HTML. Everything that people and models wrote is escaped; pictures are named by hash."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lvqa_eval.judging.audit.labels import Label
from lvqa_eval.judging.audit.queue import View
from lvqa_eval.judging.audit.words import LANGUAGES, RULES, words
from lvqa_eval.reports.templates import load_template

if TYPE_CHECKING:
    from jinja2 import Template

_HERE = Path(__file__).parent
SIGNS = {Label.RIGHT: "\N{CHECK MARK}", Label.WRONG: "\N{BALLOT X}", Label.CANNOT_TELL: "?"}
"""Stands beside the word of each label, so that no label is a colour alone."""


def render(view: View, language: str) -> str:
    """Return what stands in the page for `view`, in English or Russian."""
    chosen = language if language in LANGUAGES else LANGUAGES[0]
    return _template().render(
        view=view, t=words(chosen), rules=RULES[chosen], language=chosen, languages=LANGUAGES, signs=SIGNS
    )


def style() -> str:
    """Return the style sheet of the page."""
    return (_HERE / "page.css").read_text(encoding="utf-8")


def script() -> str:
    """Return what the page does in the browser: the body of a function that Gradio calls."""
    return (_HERE / "page.js").read_text(encoding="utf-8")


@cache
def _template() -> "Template":
    return load_template("page.html", _HERE)
