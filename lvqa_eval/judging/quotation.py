"""Whether something in a reply is said by the one who replied, or quoted from another.

A judge may repeat a verdict that it found in the answer; only its own counts.
"""

import re

_PAIRS = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»"}
_FENCE = re.compile(r"```\w*")
_WORD = re.compile(r"\w")
_BLOCK_QUOTE = re.compile(r" {0,3}>")


def is_quotation(text: str, start: int, end: int) -> bool:
    """Tell whether `text[start:end]` stands right inside quote marks, in inline code, or in a block quote."""
    if _BLOCK_QUOTE.match(text, _line_start(text, start)):
        return True
    # Three backticks are a fence: they show code and quote nobody.
    fenced = text.endswith("```", 0, start) or text.startswith("```", end)
    closing = _PAIRS.get(text[max(0, start - 1) : start])
    return closing is not None and not fenced and text.startswith(closing, end)


def in_sentence(text: str, start: int, end: int) -> bool:
    """Tell whether words stand on both sides of `text[start:end]`, before it and after it on its lines."""
    line_end = text.find("\n", end)
    before = text[_line_start(text, start) : start]
    after = text[end : line_end if line_end >= 0 else None]
    return all(_WORD.search(_FENCE.sub("", side)) for side in (before, after))


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1
