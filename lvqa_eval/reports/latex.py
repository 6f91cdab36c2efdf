"""Text as cells and rows of LaTeX."""

from collections.abc import Iterable


def ampersands(texts: Iterable[str]) -> str:
    """Return one row of a tabular."""
    return " & ".join(texts) + r" \\"


def escape_latex(text: str) -> str:
    """Escape what LaTeX would read as its own."""
    return "".join(_SIGNS.get(sign, sign) for sign in text)


_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
