"""Prompt templates: Markdown files with named holes (`$name`), loaded with their hash."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from string import Template


@dataclass(frozen=True)
class Prompt:
    """One template; `sha256` is that of its text and is part of every run's identity."""

    name: str
    text: str
    sha256: str

    def fill(self, **holes: object) -> str:
        """Return the text with every hole filled; raises KeyError for a hole without a value."""
        return Template(self.text).substitute(holes)


def load_prompt(name: str, package: str = __name__) -> Prompt:
    """Load `<name>.md` of a package, this one by default, without the line break at its end."""
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8").rstrip("\n")
    return Prompt(name, text, hashlib.sha256(text.encode()).hexdigest())
