"""What a machine can check of shards: nothing added, nothing lost, nothing given away."""

from collections.abc import Iterator
from itertools import combinations

from dataset_builders.layered_vqa.annotation.records import Asked
from dataset_builders.layered_vqa.annotation.replies import Piece, ShardReply
from dataset_builders.layered_vqa.annotation.spans import outside, overlap, times, unit_span
from dataset_builders.layered_vqa.annotation.words import WordLists, content_words, missing_words, words
from dataset_builders.layered_vqa.example import MAX_SHARDS, MIN_SHARDS, Finding
from lvqa_eval.judging.text import normalise


def shard_findings(asked: Asked, reply: ShardReply, lists: WordLists) -> Iterator[Finding]:
    """Yield every rule that the units and shards of a reply break: (field, rule, found, allowed)."""
    yield from _units(asked.question, reply, lists)
    yield from _grouping(reply)
    for index, piece in enumerate(reply.shards):
        yield from _text(asked, reply, index, lists)
        wanted = "intent" if index == 0 else "detail"
        if piece.role != wanted:
            yield f"shards[{index}].role", "intent-first", piece.role, wanted
    yield from _withheld(reply, lists)
    said = [normalise(piece.text) for piece in reply.shards]
    for index, text in enumerate(said):
        if text in said[:index]:
            found = f"what shards[{said.index(text)}] says"
            yield f"shards[{index}].text", "said-once", found, "another piece"


def _units(question: str, reply: ShardReply, lists: WordLists) -> Iterator[Finding]:
    ids, count = [unit.id for unit in reply.units], len(reply.units)
    if ids != list(range(1, count + 1)):
        yield "units", "ids-from-one", str(ids), str(list(range(1, count + 1)))
    spans = []
    for index, unit in enumerate(reply.units):
        span = unit_span(question, unit)
        if span is None:
            found = f"{unit.source!r}, occurrence {unit.occurrence}"
            stands = times(question, unit.source)
            allowed = f"an occurrence from 1 to {stands}" if stands else "whole words of the question"
            yield f"units[{index}]", "source-in-question", found, allowed
        elif not words(unit.source):
            yield f"units[{index}].source", "not-empty", repr(unit.source), "at least one word"
        else:
            spans.append(span)
    for one, other in combinations(sorted(spans), 2):
        if overlap(one, other):
            found = f"{question[slice(*one)]!r} and {question[slice(*other)]!r}"
            yield "units", "spans-apart", found, "units that share no word"
    if lost := content_words(outside(question, spans), lists):
        yield "units", "question-covered", f"{', '.join(lost)} in no unit", "each word that matters in a unit"


def _grouping(reply: ShardReply) -> Iterator[Finding]:
    if not MIN_SHARDS <= len(reply.shards) <= MAX_SHARDS:
        yield "shards", "shard-count", str(len(reply.shards)), f"{MIN_SHARDS} to {MAX_SHARDS}"
    ids = [unit.id for unit in reply.units]
    told = [number for piece in reply.shards for number in piece.units]
    for index, piece in enumerate(reply.shards):
        if not piece.units:
            yield f"shards[{index}].units", "not-empty", "none", "at least one unit"
        if unknown := sorted(set(piece.units) - set(ids)):
            yield f"shards[{index}].units", "known-unit", str(unknown), f"ids of units: {ids}"
    for number in dict.fromkeys(ids):
        if told.count(number) != 1:
            yield "shards", "unit-in-one-shard", f"unit {number} {told.count(number)} times", "exactly once"


def _text(asked: Asked, reply: ShardReply, index: int, lists: WordLists) -> Iterator[Finding]:
    piece, field = reply.shards[index], f"shards[{index}].text"
    spoken = words(piece.text)
    if not spoken or not piece.text.isprintable() or piece.text != piece.text.strip():
        yield field, "one-line", repr(piece.text), "words on one line, without space or marks at the ends"
        return
    talk = [word for word in spoken if word in lists.benchmark and word not in words(asked.question)]
    if talk:
        yield field, "no-benchmark-talk", ", ".join(dict.fromkeys(talk)), "talk of the picture alone"
    added = [word for word in missing_words(piece.text, asked.question, lists) if word not in talk]
    if added:
        allowed = "the words of the question, and small words round them"
        yield field, "words-from-question", ", ".join(added), allowed
    if lost := _lost(reply, piece, lists):
        yield field, "units-kept", f"no {', no '.join(lost)}", "each word of its units that matters"
    if index and spoken[0] in lists.connectives:
        yield field, "any-order", spoken[0], "a beginning that leans on no other shard"
    if _gives_away(asked, piece.text):
        # What is found is not told: the model that writes shards never learns the answer.
        yield field, "no-answer-leaked", "words that give an answer away", "only what the question says"


def _withheld(reply: ShardReply, lists: WordLists) -> Iterator[Finding]:
    """Yield what is wrong where the first shard has all words of the units that are left for later."""
    for first in reply.shards[:1]:
        later = " ".join(unit.source for unit in reply.units if unit.id not in first.units)
        if later and not missing_words(later, first.text, lists):
            allowed = "a first shard that keeps back something needed"
            yield "shards[0].text", "intent-withholds", "all that the others tell", allowed


def _lost(reply: ShardReply, piece: Piece, lists: WordLists) -> list[str]:
    sources = " ".join(unit.source for unit in reply.units if unit.id in piece.units)
    return missing_words(sources, piece.text, lists)


def _gives_away(asked: Asked, text: str) -> bool:
    """Tell whether a shard holds the answer in words that the question does not hold itself."""
    answer = words(normalise(asked.answer))
    return bool(answer) and _holds(words(text), answer) and not _holds(words(asked.question), answer)


def _holds(text: list[str], run: list[str]) -> bool:
    return any(text[start : start + len(run)] == run for start in range(len(text) - len(run) + 1))
