"""The pages' templates: everything that is filled in is escaped, and a name that is not given is an error."""

from pathlib import Path
from typing import TYPE_CHECKING

from lvqa_eval.runs.terminal import printable

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

FOLDER = Path(__file__).parent
"""Where the templates and style sheets stand that pages share."""


def load_template(name: str, *folders: Path) -> "Template":
    """Return a template from the first of `folders` that has it, else from `FOLDER`.

    Its filter `printable` shows control characters in what models and users wrote.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, FOLDER]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    return environment.get_template(name)


def style_sheets(*paths: Path) -> "Markup":
    """Return style sheets as one, to stand inside a page."""
    from markupsafe import Markup

    return Markup("\n".join(path.read_text(encoding="utf-8") for path in paths))
