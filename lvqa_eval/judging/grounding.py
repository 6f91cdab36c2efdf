"""Replies in four lines, Answer, Layers, Confidence and Why, and the layers that they name as evidence."""

import re
from dataclasses import dataclass, replace

from lvqa_eval.judging.answers import labelled_answer
from lvqa_eval.judging.layer_sets import LayersError, read_layers
from lvqa_eval.judging.numbers import read_number
from lvqa_eval.judging.text import clean

_KINDS = {
    **dict.fromkeys(("answer", "ответ"), "answer"),
    **dict.fromkeys(("layer", "layers", "слой", "слои"), "layers"),
    **dict.fromkeys(("confidence", "уверенность"), "confidence"),
    **dict.fromkeys(("why", "reason", "почему", "причина"), "why"),
}
# Runs of marks are bounded: a model that repeats one mark without end must not take the reader's time.
_MARKS = r"(?:[^\w\n]|_){0,20}"
_BEFORE = r"(?:(?:the|my|final|needed|required|relevant|used|evidence|нужные|итоговые|итоговый) ){0,2}"
_AFTER = r"(?:\(s\))?(?: (?:used|needed|required|numbers))?[\"'*_ \t]{0,8}[:：=]"
_LABEL = re.compile(
    rf"(?:^{_MARKS}{_BEFORE}|(?<=[\s*_(/|.,;]))(?P<name>{'|'.join(sorted(_KINDS, reverse=True))}){_AFTER}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_MARKS}(?:layers?|слой|слои)\b", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•–—]|\d{1,2}[.)])\s+")
_NO_TEXT = re.compile(r"[\s*_\"'`]*")


@dataclass(frozen=True)
class Grounding:
    """A reply in four lines. `layers` are the numbers as given, also those that no layer has.

    `confidence` is 0 to 100. All but the layers are None where the reply has none that can be read.
    """

    answer: str | None
    layers: frozenset[int]
    confidence: float | None
    why: str | None


@dataclass(frozen=True)
class _Part:
    """What stands behind one label; `firm` if that begins its line, `open` if more lines may go on with it.

    A line such as "Layer 3" is of the kind "layers" and not firm; all other lines have the kind "".
    """

    kind: str
    text: str
    firm: bool = True
    open: bool = False


def parse_grounding(reply: str, layers: int) -> Grounding:
    """Read a reply in four lines, in English or Russian; `layers` is the number in the scene.

    Raises LayersError as `parse_layers` does.
    """
    parts = _parts(reply)
    return Grounding(
        answer=grounded_answer(reply),
        layers=_declared(parts, layers),
        confidence=_confidence(_last(parts, "confidence")),
        why=_last(parts, "why"),
    )


def parse_layers(reply: str, layers: int) -> frozenset[int]:
    """Return the layers that a reply names as its evidence; `read_layers` says what a list may look like.

    Only what stands behind "Layers:" or "Слои:", or a line such as "Layer 3", names any. The last clean
    declaration counts; one that begins a line and cannot be read takes back those before it. Raises
    LayersError, which says why, where no declaration stands.
    """
    return _declared(_parts(reply), layers)


def grounded_answer(reply: str) -> str | None:
    """Return what stands behind the last "Answer:" or "Ответ:", up to another label; None without."""
    answer = labelled_answer(reply)
    if answer is None:
        return None
    labels = _labels(answer)
    return answer[: labels[0].start() if labels else None].strip() or None


def _declared(parts: list[_Part], layers: int) -> frozenset[int]:
    stated: frozenset[int] | None = None
    fault = LayersError("layers: found no line that names them, needed one such as Layers: 1, 3")
    for part in parts:
        if part.kind != "layers" or _NO_TEXT.fullmatch(part.text):
            continue
        try:
            stated = read_layers(part.text, layers)
        except LayersError as error:
            # A word on layers in the middle of a line, or a sentence on one, is no declaration.
            if part.firm:
                stated = None
            fault = error
    if stated is None:
        raise fault
    return stated


def _parts(reply: str) -> list[_Part]:
    parts: list[_Part] = []
    for line in filter(str.strip, reply.splitlines()):
        labels = _labels(line)
        if labels:
            ends = [*(label.start() for label in labels[1:]), len(line)]
            for label, end in zip(labels, ends, strict=True):
                kind = _KINDS[label["name"].casefold()]
                text = line[label.end() : end]
                parts.append(_Part(kind, text, label.start() == 0, bool(_NO_TEXT.fullmatch(text))))
        elif parts and parts[-1].open and (joined := _joined(parts[-1], line)):
            parts[-1] = joined
        elif _BARE.match(line):
            parts.append(_Part("layers", line, firm=False, open=True))
        else:
            parts.append(_Part("", line))
    return parts


def _joined(part: _Part, line: str) -> _Part | None:
    """Return `part` with a line that goes on with it: any line where it has no text yet, else a like one."""
    bullet = _BULLET.match(line)
    text = line[bullet.end() :] if bullet else line
    if _NO_TEXT.fullmatch(part.text):
        return replace(part, text=text, open=bullet is not None)
    if bullet if part.firm else _BARE.match(line):
        return replace(part, text=f"{part.text}, {text}")
    return None


def _labels(line: str) -> list[re.Match[str]]:
    """Return the labels of a line: at its start, or with a capital later; behind "Why:" there is none."""
    found = []
    for label in _LABEL.finditer(line):
        if label.start() == 0 or label["name"][0].isupper():
            found.append(label)
            if _KINDS[label["name"].casefold()] == "why":
                break
    return found


def _last(parts: list[_Part], kind: str) -> str | None:
    texts = [part.text.strip(" \t*_") for part in parts if part.kind == kind]
    return next((text for text in reversed(texts) if text), None)


def _confidence(text: str | None) -> float | None:
    if text is None:
        return None
    number = read_number(clean(text).casefold().rstrip(" .").removesuffix("/100"))
    return float(number) if number is not None and 0 <= number <= 100 else None
