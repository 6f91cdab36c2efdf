"""A text of another inside a prompt, between tags that it cannot close."""

import re
from functools import cache
from unicodedata import normalize

# Marks that are not seen, or that only sit on a letter, may stand anywhere between the parts of a tag.
_GAP = (
    r"[\s\x00-\x1f\x7f-\xa0\u00ad\u0300-\u036f\u061c\u180e\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\ufe00-\ufe0f\ufeff]*+"
)
_OPENING = r"(?:[<＜﹤‹〈⟨〈˂ᐸ❮]|&(?:amp;?)*(?:lt|#0*60|#x0*3c);?|\\u003c|\\x3c|%3c)"
_BEGINNING = re.compile(r"[<＜﹤‹〈⟨〈˂ᐸ❮&\\%]")
_SLASH = r"(?:[/／⁄∕⧸╱\\＼]|&(?:amp;?)*(?:sol|#0*47|#x0*2f);?|\\u002f|\\x2f|%2f)"
_FORMS = [
    chr(code)
    for first, last in ((0x2100, 0x214F), (0x2460, 0x24FF), (0xFF10, 0xFF5A), (0x1D400, 0x1D7FF))
    for code in range(first, last + 1)
]
_LOOK_ALIKES = {
    **{"a": "аα", "b": "в", "c": "сϲ", "d": "ԁ", "e": "еε", "g": "ԍ", "h": "һн", "i": "іι", "j": "јϳ"},
    **{"k": "кκ", "m": "м", "n": "пη", "o": "оο", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ", "t": "тτ"},
    **{"u": "υ", "v": "ѵν", "w": "ԝω", "x": "хχ", "y": "уγ"},
}
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def delimited(text: str, tag: str) -> str:
    """Return `text` between <tag> and </tag>, each on a line of its own.

    In what looks like a tag of that name inside, whether opening or closing, in any case, spacing, width or
    escape, "<" becomes "[": the result has exactly one of each, and nothing of `text` stands behind the
    closing one. All else stays as it is. Raises ValueError for a tag with more than a-z, 0-9 and "_".
    """
    if not _NAME.fullmatch(tag):
        raise ValueError(f"tag: found {tag!r}, needed small Latin letters, digits and '_'")
    # Most texts have nothing that a tag could begin with, which is seen at once.
    inside = _look_alike(tag).sub(r"[\g<rest>", text) if _BEGINNING.search(text) else text
    return f"<{tag}>\n{inside}\n</{tag}>"


@cache
def _look_alike(tag: str) -> re.Pattern[str]:
    name = _GAP.join(_any_form(letter) for letter in tag)
    return re.compile(rf"{_OPENING}(?P<rest>{_GAP}(?:{_SLASH}{_GAP})*+{name}(?![\w-]))", re.IGNORECASE)


def _any_form(letter: str) -> str:
    """Return a pattern for a letter and what looks like it: wide, circled, of another script and so on."""
    forms = [form for form in _FORMS if normalize("NFKC", form).casefold() == letter]
    return f"[{letter}{''.join(forms)}{_LOOK_ALIKES.get(letter, '')}]"
