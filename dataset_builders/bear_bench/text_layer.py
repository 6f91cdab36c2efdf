"""Whether a page's text layer can be trusted, by what can be measured on it and on the page's picture.

Only characters inside the crop box whose ink can be seen are text: not those in render mode 3, in the colour
of their ground or under a picture. Of these, a layer is not trusted, and the page is read by OCR, where

- there are none, though the page has ink ("no text layer", or "invisible text" where all were invisible);
- a twentieth or more are replacement, private, control or unassigned characters ("unreadable characters");
- they are misread bytes and cannot be mended ("mojibake", see `mojibake`).

It is doubtful, which OCR of the page settles, where

- for a twentieth or more the file does not say which character a glyph is ("unmapped characters": bitmap
  fonts of TeX, whose codes are right in English and mean nothing in Russian);
- of its Latin and Cyrillic words of four letters or more, if there are ten, fewer than 60 % have a word's
  shape ("unlike words": 13 to 19 % in bad OCR of Russian by a Latin reader; 87 % and more in true layers);
- the ink that is not of the layer's text has as many shapes of a letter's size as two per cent of the
  layer's characters, and at least thirty ("incomplete": text that is a picture or an outline).

The first two are settled by the words: the layer is not trusted where OCR has less than `AGREEMENT` of them.
The third is settled by the length: the layer is not trusted where OCR has `MORE` times its characters.
"""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from dataset_builders.bear_bench.layer_characters import LayerCharacters, Mask, is_readable
from dataset_builders.bear_bench.mojibake import is_misread, repaired
from dataset_builders.bear_bench.pdf import POINTS_PER_INCH
from dataset_builders.bear_bench.words import characters, is_doubtful, looks_like_a_word, script, words

NO_LAYER = "no text layer"
INVISIBLE = "invisible text"
UNREADABLE = "unreadable characters"
MOJIBAKE = "mojibake"
UNMAPPED = "unmapped characters"
UNLIKE_WORDS = "unlike words"
INCOMPLETE = "incomplete"

UNREADABLE_SHARE = 0.05
UNMAPPED_SHARE = 0.05
WORD_SHAPES = 0.6
LEAST_LONG_WORDS = 10
LETTER_POINTS = (2.0, 24.0)
"""Height of what may be a letter, in points: from the x-height of 4-point type to 30-point capitals."""

LETTERS_OUTSIDE = 0.02
LEAST_LETTERS_OUTSIDE = 30
AGREEMENT = 0.5
MORE = 1.1


@dataclass(frozen=True)
class TextLayer:
    """What was found: the readable text, why it is not trusted, why it is doubtful, else None for both."""

    text: str
    distrust: str | None = None
    doubts: tuple[str, ...] = ()


def judge(layer: LayerCharacters) -> TextLayer:
    """Return the layer's text and whether it can be trusted; for the rules see this module."""
    seen = layer.ink & ~layer.space
    if not seen.any():
        hidden = bool((~layer.space).any())
        if layer.page_ink == 0:
            return TextLayer("", INVISIBLE if hidden else None)
        return TextLayer("", INVISIBLE if hidden else NO_LAYER)
    raw = "".join(one for one, kept in zip(layer.text, seen | layer.space, strict=True) if kept)
    mended = repaired(raw)
    text = tidy(mended if mended is not None else raw)
    lost = characters(mended if mended is not None else raw) - characters(text)
    if lost >= UNREADABLE_SHARE * (lost + characters(text)):
        return TextLayer(text, UNREADABLE)
    if is_misread(text):
        return TextLayer(text, MOJIBAKE)
    return TextLayer(text, None, tuple(_doubts(layer, seen, text)))


def settle(layer: TextLayer, ocr_text: str) -> str | None:
    """Return why a doubtful layer is not to be used, given what OCR reads on the page; None where it is."""
    for doubt in layer.doubts:
        if doubt == INCOMPLETE:
            false = characters(ocr_text) >= MORE * characters(layer.text)
        else:
            false = agreement(layer.text, ocr_text) < AGREEMENT
        if false:
            return doubt
    return None


def agreement(text: str, ocr_text: str) -> float:
    """Return the share of the words of `text`, of three characters or more, that OCR has too; 1 for none."""
    mine, theirs = (
        Counter(word.lower() for word in words(one) if len(word) >= 3) for one in (text, ocr_text)
    )
    return (mine & theirs).total() / mine.total() if mine else 1.0


def tidy(text: str) -> str:
    """Return the readable characters, white space as single spaces and line breaks."""
    kept = "".join(one for one in text if one.isspace() or is_readable(one))
    lines = (" ".join(line.split()) for line in re.split(r"[\r\n\f\v\x85\u2028\u2029]+", kept))
    return "\n".join(line for line in lines if line)


def letter_shapes(ink: Mask, dpi: float) -> int:
    """Return how many connected shapes of ink have the size of a letter."""
    from scipy.ndimage import find_objects, label

    labels, _ = label(ink, structure=np.ones((3, 3)))
    low, high = (points * dpi / POINTS_PER_INCH for points in LETTER_POINTS)
    count = 0
    for rows, columns in find_objects(labels):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        count += low <= height <= high and 1 <= width <= 3 * height
    return count


def _doubts(layer: LayerCharacters, seen: Mask, text: str) -> list[str]:
    found = []
    if (layer.unmapped & seen).sum() >= UNMAPPED_SHARE * seen.sum():
        found.append(UNMAPPED)
    long = [word for word in words(text) if len(word) >= 4 and _is_european(word)]
    shaped = sum(looks_like_a_word(word) and not is_doubtful(word) for word in long)
    if len(long) >= LEAST_LONG_WORDS and shaped < WORD_SHAPES * len(long):
        found.append(UNLIKE_WORDS)
    if letter_shapes(layer.background_ink, layer.dpi) >= max(
        LEAST_LETTERS_OUTSIDE, LETTERS_OUTSIDE * seen.sum()
    ):
        found.append(INCOMPLETE)
    return found


def _is_european(word: str) -> bool:
    return any(script(letter) in ("latin", "cyrillic") for letter in word)
