"""Which tokens of a generation spell the words of the reply.

Servers list every token that was drawn: thinking, the marks around it, the end of sequence. The reply is what
is left at the end when these and the white space around it are taken away, so it is spelled from the last
token backwards. Tokens that hold a part of a character only are written in the ways that servers are known
for: as nothing, as U+FFFD, as escaped bytes, or as the entry of the vocabulary.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

_CUT: Final = "\ufffd"
"""What stands for bytes that are no whole character."""

_PIECES: Final = re.compile(f"{_CUT}+|[^{_CUT}]+")
_ESCAPED: Final = re.compile(r"\\x[89a-fA-F][0-9a-fA-F]")
_BYTE: Final = re.compile(r"<0x([0-9A-F]{2})>")
_MARK: Final = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]")
"""How what ends a generation looks: <|im_end|>, </s>, <end_of_turn>; some words of replies look so too."""

_SPECIAL: Final = re.compile(r"<[|｜][^<>\s]+[|｜]>")
"""How only special tokens look."""


class _Piece(NamedTuple):
    """Whole characters of one token, or a run of `_CUT` over any number of tokens.

    `place` is that of the first token, which the piece `opens` unless others of that token come before it.
    """

    text: str
    place: int
    opens: bool


def reply_places(tokens: Sequence[str], reply: str) -> list[int]:
    """Return the places of the tokens that spell `reply`, in order, special tokens left out.

    Empty where the reply has no words, or where the end of the tokens does not spell it (ids in place of
    strings, a stop string cut off, words on both sides of thinking): no tokens rather than wrong ones.
    """
    wanted = reply.strip()
    for reading in (str, _unescaped, _bytes_read, _spaces_read):
        found = _spelling([reading(token) for token in tokens], wanted) if wanted else None
        if found:
            return [place for place in found if not _SPECIAL.fullmatch(tokens[place].strip())]
    return []


def _spelling(texts: Sequence[str], reply: str) -> range | None:
    for last in reversed(range(len(texts))):
        text = texts[last].strip()
        if not text:
            continue
        first = _first(_pieces(texts[: last + 1]), reply)
        if first is not None:
            return range(_with_first_bytes(texts, first), last + 1)
        if not _MARK.fullmatch(text):
            return None
    return None


def _pieces(texts: Sequence[str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for place, text in enumerate(texts):
        for part in _PIECES.finditer(text):
            opens = part.start() == 0
            if opens and part[0].startswith(_CUT) and pieces and pieces[-1].text.startswith(_CUT):
                pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + part[0])
            else:
                pieces.append(_Piece(part[0], place, opens))
    return pieces


def _first(pieces: Sequence[_Piece], reply: str) -> int | None:
    """Return the place of the token with which `reply` begins if `pieces` end with it.

    Walks back with the numbers of characters that can still be due: how many a run of cut ones stands for is
    not known. Of several beginnings the first is right, as what comes before a reply does not spell it on.
    """
    first: int | None = None
    dues = {len(reply)}
    for number, (text, place, opens) in enumerate(reversed(pieces)):
        words = text if number else text.rstrip()
        before = {left for due in dues for left in _dues(words, reply, due)}
        if first is None and _SPECIAL.fullmatch(text.strip()):
            before |= dues
        if opens and 0 in before:
            first = place
        dues = before - {0} if opens else before
        if not dues:
            break
    return first


def _dues(piece: str, reply: str, due: int) -> list[int]:
    """Return how many characters can be due before `piece` if `due` are due behind it."""
    if piece.startswith(_CUT):
        # A character of up to four bytes has at most four of these; a broken one of the reply has its own.
        fewest, most = -(-len(piece) // 4), min(len(piece), due)
        return [due - count for count in range(fewest, most + 1) if not _any_ascii(reply[due - count : due])]
    if reply.endswith(piece, 0, due):
        return [due - len(piece)]
    # The first token brings the white space that parted the reply from what came before.
    return [0] if piece.lstrip() == reply[:due] else []


def _any_ascii(text: str) -> bool:
    return any(letter.isascii() for letter in text)


def _with_first_bytes(texts: Sequence[str], first: int) -> int:
    """Return the first of the empty tokens before `first` that hold the first bytes of its characters."""
    missing = sum(len(letter.encode()) - 1 for letter in texts[first])
    while missing and first and not texts[first - 1]:
        first -= 1
        missing -= 1
    return first


def _unescaped(token: str) -> str:
    return _ESCAPED.sub(_CUT, token.removeprefix("bytes:"))


def _spaces_read(token: str) -> str:
    """Read an entry of a SentencePiece vocabulary."""
    byte = _BYTE.fullmatch(token)
    if byte is None:
        return token.replace("▁", " ")
    return bytes.fromhex(byte[1]).decode(errors="replace")


def _bytes_read(token: str) -> str:
    """Read an entry of a byte-level vocabulary, in which a letter stands for each byte."""
    table = _byte_letters()
    if any(letter not in table for letter in token):
        return token
    return bytes(table[letter] for letter in token).decode(errors="replace")


@cache
def _byte_letters() -> dict[str, int]:
    """Return the byte of each letter: printable Latin-1 stands for itself, the others follow from U+0100."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + i): byte for i, byte in enumerate(others)}
