"""Running text: marked-up words are broken into lines, hyphenated where need be, and justified."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import Piece, Text
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, Colour, Look

_MARKUP = re.compile(r"(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`|\^[^^]+\^)")
_MOST_STRETCH = 4.2
"""A line whose spaces would have to be wider than this many times their own is left short."""
_LOOSE = 0.12
"""The share of a line that may stay empty before a word is divided for it."""

_VOWELS = "аеёиоуыэюя"
_STOPS = "бпвгкдтфх"
_ENGLISH_ENDS = re.compile(r"(?:tions?|sions?|ments?|ness|tures?|tively|tive|ships?|ably|fully)$")
_ENGLISH_BEGINNINGS = re.compile(
    r"(?:circum|inter|under|over|counter|trans|multi|super|micro|con|com|per)(?=[b-df-hj-np-tv-z])"
)


@dataclass(frozen=True)
class Run:
    """A part of a word in one face; `lift` raises it, in sizes."""

    text: str
    face: Face
    scale: float = 1.0
    lift: float = 0.0

    def wide(self, size: float) -> float:
        """Return its width."""
        return width(self.text, self.face, size * self.scale)


Word = tuple[Run, ...]


@dataclass(frozen=True)
class Line:
    """A line of words, the width of a space and of the whole; `ends`: the paragraph ends with it."""

    words: tuple[Word, ...]
    space: float
    wide: float
    ends: bool


def paragraph(text: str, look: Look, wide: float, *, size: float = 0, indent: float = 0) -> Piece:
    """Typeset running text in a column `wide` pixels wide."""
    size = size or look.size
    lines = break_lines(words(text, look.body), size, wide, look.language, indent)
    leading = size * 1.38
    marks: list[Text] = []
    for index, line in enumerate(lines):
        start = indent if index == 0 else 0.0
        base = index * leading + size * 0.95
        marks += place(line, start, base, size, wide - start if look.justified else None)
    return Piece(len(lines) * leading, tuple(marks))


def block_of_lines(
    text: str, face: Face, size: float, wide: float, language: Language | None, colour: Colour = BLACK
) -> list[list[Text]]:
    """Break a short text, such as a caption or a cell, into lines, each with its base line at 0.

    No word is divided where `language` is None.
    """
    lines = break_lines(words(text, face), size, wide, language)
    return [place(line, 0, 0, size, None, colour) for line in lines]


def words(text: str, face: Face) -> list[Word]:
    """Split marked-up text at its breakable spaces."""
    found: list[list[Run]] = [[]]
    for part in _MARKUP.split(text):
        run = _run(part, face)
        for index, piece in enumerate(run.text.split(" ")):
            if index:
                found.append([])
            if piece:
                found[-1].append(replace(run, text=piece))
    return [tuple(word) for word in found if word]


def _run(part: str, face: Face) -> Run:
    if part.startswith("**"):
        return Run(part[2:-2], face.bolder())
    if part.startswith("*"):
        return Run(part[1:-1], face.slanted())
    if part.startswith("`"):
        return Run(part[1:-1], Face("mono"), 0.94)
    if part.startswith("^"):
        return Run(part[1:-1], face, 0.66, 0.36)
    return Run(part, face)


def break_lines(
    text: list[Word], size: float, wide: float, language: Language | None, indent: float = 0
) -> list[Line]:
    """Fill lines in turn; a word is divided where its line would else be loose."""
    rest, lines = list(reversed(text)), []
    plain = next((run.face for word in text for run in word if run.face.family != "mono"), Face("mono"))
    space = width(" ", plain, size)
    row: list[Word] = []
    used, room = 0.0, wide - indent
    while rest:
        word = rest.pop()
        need = _wide(word, size) + (space if row else 0)
        if used + need <= room or (not row and not _divisions(word, language)):
            row.append(word)
            used += need
            continue
        left = room - used - (space if row else 0)
        head, tail = _divide(word, size, left, language) if left > _LOOSE * wide or not row else ((), word)
        if not head and not row:
            head, tail = word, ()
        if head:
            row.append(head)
            used += _wide(head, size) + (space if len(row) > 1 else 0)
        if tail:
            rest.append(tail)
        lines.append(Line(tuple(row), space, used, False))
        row, used, room = [], 0.0, wide
    return [*lines, Line(tuple(row), space, used, True)] if row else lines


def place(
    line: Line, x: float, base: float, size: float, wide: float | None, colour: Colour = BLACK
) -> list[Text]:
    """Put the words of a line on a base line from x on; `wide` is the width to fill, None for ragged text."""
    space, gaps = line.space, len(line.words) - 1
    if wide is not None and gaps and not line.ends:
        stretched = space + (wide - line.wide) / gaps
        space = stretched if stretched <= _MOST_STRETCH * space else space
    marks: list[Text] = []
    for word in line.words:
        for number, run in enumerate(word, start=1):
            after = " " if number == len(word) else ""
            marks.append(
                Text(x, base - run.lift * size, run.text, run.face, size * run.scale, colour, after=after)
            )
            x += run.wide(size)
        x += space
    return [*marks[:-1], replace(marks[-1], after="\n")]


def _wide(word: Word, size: float) -> float:
    return sum(run.wide(size) for run in word)


def _divide(word: Word, size: float, room: float, language: Language | None) -> tuple[Word, Word]:
    """Return the longest beginning of a word that fits, with a hyphen, and its rest."""
    for at in reversed(_divisions(word, language)):
        run = word[0]
        # A word that has a hyphen of its own gets no second one.
        hyphen = "" if run.text[at - 1] == "-" else "-"
        head = replace(run, text=run.text[:at] + hyphen)
        if head.wide(size) <= room:
            return (head,), (replace(run, text=run.text[at:]),)
    return (), word


def _divisions(word: Word, language: Language | None) -> tuple[int, ...]:
    if language is None or len(word) > 1 or word[0].face.family == "mono":
        return ()
    return divisions(word[0].text, language)


@lru_cache(maxsize=20_000)
def divisions(word: str, language: Language) -> tuple[int, ...]:
    """Return where a word may be divided: before which of its letters.

    Russian by its syllables; English only at a few prefixes and endings that are safe.
    """
    bare = word.strip(".,;:()«»“”")
    start = word.find(bare)
    own = [index + 1 for index, letter in enumerate(bare) if letter == "-" and 2 <= index < len(bare) - 3]
    letters = bare.lower()
    if not letters.isalpha() or len(letters) < 6 or bare.isupper():
        return tuple(start + at for at in own)
    places = _russian(letters) if language == "ru" else _english(letters)
    return tuple(start + at for at in places)


def _russian(word: str) -> list[int]:
    """Divide before the consonant that opens a syllable, two letters from the ends.

    A stop before р or л opens it together with these; a hard sign closes one, also before a vowel.
    """
    found: list[int] = []
    for at in range(2, len(word) - 1):
        before, after, rest = word[at - 1], word[at], word[at + 1 :]
        if after in _VOWELS:
            opens = before == "ъ"
        else:
            cluster = after in _STOPS and rest[0] in "рл" and len(rest) > 1
            opens = rest[1 if cluster else 0] in _VOWELS
            opens = opens and not (after in "рл" and before in _STOPS) and after not in "йьъ"
        heard = any(letter in _VOWELS for letter in word[:at])
        if found and at - found[-1] < 2:
            continue
        if opens and heard and (before in _VOWELS + "йьъ" or word[at - 2] in _VOWELS + "йьъ"):
            found.append(at)
    return found


def _english(word: str) -> list[int]:
    found = []
    beginning = _ENGLISH_BEGINNINGS.match(word)
    if beginning and len(word) - beginning.end() >= 4:
        found.append(beginning.end())
    end = _ENGLISH_ENDS.search(word)
    if end and end.start() >= 4 and end.start() not in found:
        found.append(end.start())
    return found
