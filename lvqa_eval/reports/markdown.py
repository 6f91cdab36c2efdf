"""Text as cells and rows of Markdown."""

from collections.abc import Iterable


def pipes(texts: Iterable[str]) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(texts)} |"


def escape_markdown(text: str) -> str:
    """Escape what would be markup; brackets stay, since intervals have them, but open no link."""
    flat = " ".join(text.split())
    for sign in "\\`*_<>|":
        flat = flat.replace(sign, f"\\{sign}")
    return flat.replace("](", "]\\(")
