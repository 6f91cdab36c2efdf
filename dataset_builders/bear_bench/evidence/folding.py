"""Text folded so that line breaks, hyphens, look-alike letters and the usual slips of OCR do not matter."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

# Letters of two alphabets that look alike, and signs that OCR takes for one another.
_ALIKE = dict(
    zip(
        "авеёкмнорстухіїјѕ6810l",
        "abeekmhopctyxiijsбbioi",
        strict=True,
    )
)
_DIGITS = frozenset("0123456789oOоОlI")


@dataclass(frozen=True)
class Folded:
    """The letters and digits of `original` in one spelling, without anything between them.

    `places[i]` is where the i-th of them stands in the original. A dot stays only inside a number: 4.0.
    """

    original: str
    text: str
    places: tuple[int, ...]

    def starts_word(self, index: int) -> bool:
        """Tell whether the original has no letter or digit just before this one."""
        place = self.places[index]
        return place == 0 or not self.original[place - 1].isalnum()

    def ends_word(self, index: int) -> bool:
        """Tell whether the original has no letter or digit just before `index`, or the text ends there."""
        place = self.places[index - 1] + 1
        return place == len(self.original) or not self.original[place].isalnum()

    def written(self, start: int, end: int) -> str:
        """Return the original of text[start:end]."""
        return self.original[self.places[start] : self.places[end - 1] + 1] if start < end else ""


def fold(original: str) -> Folded:
    """Fold a text of any script."""
    text: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(original):
        for letter in _letters(original, place, sign):
            if letter == "n" and text and text[-1] == "r":
                text[-1] = "m"
                continue
            text.append(letter)
            places.append(place)
    return Folded(original, "".join(text), tuple(places))


@cache
def folded(phrase: str) -> str:
    """Return a phrase as it stands in a folded text."""
    return fold(phrase).text


def _letters(original: str, place: int, sign: str) -> Iterator[str]:
    if sign in ".,":
        if 0 < place < len(original) - 1 and original[place - 1] in "1234" and original[place + 1] in _DIGITS:
            yield "."
        return
    if sign in "|!":
        # Inside a word alone such a sign is a misread letter.
        if 0 < place < len(original) - 1 and original[place - 1].isalpha() and original[place + 1].isalpha():
            yield "i"
        return
    for letter in unicodedata.normalize("NFKC", sign).casefold():
        if letter.isalnum():
            yield _ALIKE.get(letter, letter)


def occurrences(text: str, phrase: str) -> Iterator[tuple[int, int]]:
    """Yield where a folded phrase stands in a folded text, one slip in eight letters allowed, two at most.

    A slip is a letter too many, too few or another one. Yields (start, end), in order, none overlapping.
    """
    slips = min(2, len(phrase) // 8)
    last = 0
    for start in _candidates(text, phrase, slips):
        if start < last:
            continue
        length = _nearest(text, start, phrase, slips)
        if length is not None:
            yield start, start + length
            last = start + length


def _candidates(text: str, phrase: str, slips: int) -> list[int]:
    """Return where the phrase may start: of slips + 1 pieces of it, one at least stands there unharmed."""
    size = len(phrase) // (slips + 1)
    starts: set[int] = set()
    for piece in range(slips + 1):
        offset = piece * size
        wanted = phrase[offset : offset + size]
        at = text.find(wanted)
        while at >= 0:
            # Letters that are missing or too many before this piece move the start.
            starts.update(range(max(0, at - offset - slips), at - offset + slips + 1))
            at = text.find(wanted, at + 1)
    return sorted(start for start in starts if 0 <= start < len(text))


def _nearest(text: str, start: int, phrase: str, slips: int) -> int | None:
    """Return the length of text from `start` that comes nearest to the phrase; None for too many slips.

    The first letter must be right, so that a start is never one letter early.
    """
    if text[start] != phrase[0]:
        return None
    window = text[start : start + len(phrase) + slips]
    row = list(range(len(window) + 1))
    for number, letter in enumerate(phrase, start=1):
        above, row = row, [number]
        for index, found in enumerate(window, start=1):
            row.append(min(above[index] + 1, row[-1] + 1, above[index - 1] + (letter != found)))
    best = min(row)
    return row.index(best) if best <= slips else None
