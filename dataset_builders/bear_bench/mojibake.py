"""Text decoded in a wrong way: "ÐžÑ‚Ñ‡Ñ‘Ñ‚" for "Отчёт"; found, and mended where the bytes' meaning is known.

UTF-8 that was read as Latin-1 (or Windows-1252) shows each letter as a pair: one of Â…ô, most often Ð or Ñ,
then one of U+0080…U+00BF. No language writes such pairs, so they are found by their share of the text, and
encoding the text again gives the bytes. Windows-1251 and its like read as Latin-1 make words of nothing but
À…ÿ; which of these encodings it was is not known ("ÿ" is я or ъ or a sign), so they are only found.
"""

import re

from dataset_builders.bear_bench.words import characters, words

PAIRS = 0.02
"""Share of characters in such pairs from which text counts as misread UTF-8; French misread has 6 %."""

HIGH_WORDS = 0.05
"""Share of words made of À…ÿ alone from which text counts as misread; French and Icelandic have 0.1 %."""

_PAIR = re.compile(r"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_RUN = re.compile(r"[\x80-\xff]+")
_HIGH_WORD = re.compile(r"[À-ÖØ-öø-ÿ]{4,}")

# Windows-1252 has letters and signs where Latin-1 has control characters; each goes back to its byte.
_TO_LATIN_1 = {
    ord(bytes([byte]).decode("cp1252")): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}


def repaired(text: str) -> str | None:
    """Return what UTF-8 read as Latin-1 or Windows-1252 was; None where the text is not such, or not whole.

    The text must have `PAIRS` of its characters in pairs, and all its runs above ASCII must be UTF-8.
    """
    as_bytes = text.translate(_TO_LATIN_1)
    paired = sum(len(pair[0]) for pair in _PAIR.finditer(as_bytes))
    if paired == 0 or paired < PAIRS * characters(text):
        return None
    try:
        return _HIGH_RUN.sub(lambda run: run[0].encode("latin-1").decode("utf-8"), as_bytes)
    except UnicodeDecodeError:
        return None


def is_misread(text: str) -> bool:
    """Tell whether text is in misread letters: pairs as of UTF-8, or words of nothing but À…ÿ."""
    as_bytes = text.translate(_TO_LATIN_1)
    paired = sum(len(pair[0]) for pair in _PAIR.finditer(as_bytes))
    if paired and paired >= PAIRS * characters(text):
        return True
    every = [word for word in words(text) if any(map(str.isalpha, word))]
    high = sum(_HIGH_WORD.fullmatch(word) is not None for word in every)
    return high > 0 and high >= HIGH_WORDS * len(every)
