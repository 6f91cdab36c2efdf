"""The records of a simulated study: what was asked, what was said turn by turn, how judges ruled.

Every text says that it is simulated, or is filler.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from dataset_builders.layered_vqa.conditions import Schedule, schedules
from dataset_builders.layered_vqa.example import Example
from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.votes import NO_VOTE
from lvqa_eval.runs.records import (
    Attempt,
    ConversationRecord,
    JudgementRecord,
    Key,
    QuestionRecord,
    TurnRecord,
)
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.statuses import EXCLUDED, JudgeStatus, Status

from .draw import Drawn, Questions
from .habits import CITED, Habits
from .patterns import CONDITIONS, OPTIONS, all_patterns

COLOURS = ("red", "blue", "green", "white", "black", "brown", "grey", "pink")
THINGS = ("ball", "cube", "lamp", "chair", "bird", "bowl", "door", "tree")
FILLER = ", as far as can be seen in what was sent, and nothing else that is shown there speaks against it"
QUESTION_BACK = "Simulated question back: what else is there?"
SPOILED = "simulated"
"""What stands where a reply failed: broken off, refused, or without the lines that all-layers asks for."""

EMPTY = 0.3
"""The share of the model's failures that leave no reply."""

NO_ANSWER = {ALL_LAYERS: 1.0}
"""The same where it differs: no failure under all-layers has a line with the answer."""

_SHARES = ((0.6, Status.TRUNCATED), (0.6 + EMPTY, Status.EMPTY), (1.0, Status.REFUSED))
_FINISH = {Status.OK: "stop", Status.TRUNCATED: "length", Status.REFUSED: "content_filter"}


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions of a study in words, with the turns of each condition, in its order."""

    examples: tuple[Example, ...]
    schedules: tuple[tuple[Schedule, ...], ...]

    @classmethod
    def of(cls, questions: Questions) -> "Asked":
        """Put the questions of a study into words."""
        examples = tuple(_example(record, questions) for record in questions.records)
        planned = (schedules(example, OPTIONS) for example in examples)
        return cls(examples, tuple(tuple(plan[name] for name in CONDITIONS) for plan in planned))

    @cached_property
    def records(self) -> tuple[QuestionRecord, ...]:
        """The questions as a run keeps them."""
        return tuple(
            QuestionRecord(
                question_id=one.question_id,
                scene_id=one.scene_id,
                depth=one.depth,
                category=one.category,
                question=one.question,
                answer=one.answer,
                answer_description=one.answer_description,
                gold_layers=one.gold_layers,
                minimal_sets=one.minimal_sets,
                dependencies=one.dependencies,
                distractors=one.distractors,
                shards=tuple(shard.text for shard in one.shards),
            )
            for one in self.examples
        )


def _example(record: QuestionRecord, questions: Questions) -> Example:
    place = int(record.question_id[1:])
    pattern: Example = all_patterns().examples[questions.pattern[place]]
    return replace(
        pattern,
        question_id=record.question_id,
        scene_id=record.scene_id,
        category=record.category,
        question=f"Simulated question {place} ({record.category}): which thing is it, and in which colour?",
        answer=answer_of(place),
        answer_description="simulated: a colour and a thing",
        shards=tuple(
            replace(shard, text=f"Simulated shard {shard.id} of question {place}.")
            for shard in pattern.shards
        ),
    )


def answer_of(place: int) -> str:
    """Return an answer; the next seven numbers have other ones."""
    return f"{COLOURS[place % 8]} {THINGS[place // 8 % 8]}"


Place = tuple[int, int, int]
"""Condition, question and repetition, all from 0."""


@dataclass(frozen=True, eq=False)
class Held:
    """The conversations of one assistant, record by record; `seed` is that of its run."""

    drawn: Drawn
    asked: Asked
    habits: Habits
    assistant: int
    seed: int

    def places(self, conditions: Sequence[str] = CONDITIONS) -> Iterator[Place]:
        """Yield every conversation of some conditions, in order."""
        size = self.drawn.model.size
        counts = (range(size.questions), range(size.repetitions))
        yield from product([CONDITIONS.index(condition) for condition in conditions], *counts)

    def key(self, place: Place) -> Key:
        """Return what names a conversation in its run."""
        condition, question, repetition = place
        return Key(CONDITIONS[condition], self.asked.examples[question].question_id, repetition + 1)

    def schedule(self, place: Place) -> Schedule:
        """Return the turns that were planned."""
        return self.asked.schedules[place[1]][place[0]]

    def status(self, place: Place) -> Status:
        """Return how a conversation ended."""
        cell = (self.assistant, *place)
        if self.drawn.missing[cell]:
            return Status.TRANSPORT_ERROR
        if not self.drawn.failed[cell]:
            return Status.OK
        if CONDITIONS[place[0]] == ALL_LAYERS:
            return Status.UNPARSABLE
        return next(status for share, status in _SHARES if self.habits.lot[place] < share)

    def conversation(self, place: Place) -> ConversationRecord:
        """Return the record of a conversation; one that the serving lost ends in its first turn."""
        schedule, status = self.schedule(place), self.status(place)
        last = 1 if status in EXCLUDED else len(schedule.turns)
        turns = tuple(
            self._turn(place, number, status if number == last else Status.OK)
            for number in range(1, last + 1)
        )
        return ConversationRecord(*self.key(place), status, turns, schedule.misalignment)

    def attempts(self, place: Place) -> tuple[Attempt, ...]:
        """Return what a perfect reader finds: every turn with an answer, and whether it is right."""
        last = len(self.schedule(place).turns)
        given = self.habits.attempts[place].tolist()
        if self.status(place) is not Status.OK:
            given[last - 1] = False
        right = self.habits.attempt_right[place].tolist()
        return tuple(
            Attempt(number, self._answer(place, number)[:200], right[number - 1])
            for number in range(1, last + 1)
            if given[number - 1]
        )

    def final_answer(self, place: Place) -> str:
        """Return the last answer in few words."""
        number = len(self.schedule(place).turns)
        return self._words(place, number)

    def _turn(self, place: Place, number: int, status: Status) -> TurnRecord:
        scheduled = self.schedule(place).turns[number - 1]
        return TurnRecord(
            user=scheduled.text,
            question=scheduled.question,
            shards=scheduled.shards,
            layers=scheduled.layers,
            composite=scheduled.composite,
            seed=request_seed(self.seed, self.key(place), number),
            status=status,
            reply=self._reply(place, number, status),
            finish_reason=_FINISH.get(status, "stop") if status not in EXCLUDED else None,
            error="simulated: the connection was lost" if status in EXCLUDED else None,
        )

    def _reply(self, place: Place, number: int, status: Status) -> str | None:
        if status in EXCLUDED or status is Status.EMPTY:
            return None
        if status is not Status.OK:
            return padded(SPOILED, int(self.habits.characters[place]))
        if not self.habits.attempts[place][number - 1]:
            return self._citation(place, number) + QUESTION_BACK
        answer = self._answer(place, number)
        return self._in_four_lines(place, answer) if CONDITIONS[place[0]] == ALL_LAYERS else answer

    def _answer(self, place: Place, number: int) -> str:
        """Return an answer with its citation, as long as it was drawn."""
        final = number == len(self.schedule(place).turns)
        length = self.habits.characters[place] if final else self.habits.earlier[place][number - 1]
        return padded(self._citation(place, number) + self._words(place, number), int(length))

    def _words(self, place: Place, number: int) -> str:
        if self.habits.attempt_right[place][number - 1]:
            return answer_of(place[1])
        return answer_of(place[1] + 1 + int(7 * self.habits.lot[place]))

    def _citation(self, place: Place, number: int) -> str:
        if place[0] not in CITED:
            return ""
        bits = self.habits.cited[(CITED.index(place[0]), *place[1:])][number - 1]
        layers = [layer for layer in np.flatnonzero(bits).tolist() if layer < self._depth(place)]
        if not layers:
            return ""
        return f"Layer{'s' if len(layers) > 1 else ''} {', '.join(map(str, layers))}: "

    def _in_four_lines(self, place: Place, answer: str) -> str:
        depth = self._depth(place)
        *known, unknown = self.habits.named[place[1:]].tolist()
        named = [str(layer) for layer in range(depth) if known[layer]] + [str(depth)] * unknown
        confidence = int(100 * self.habits.lot[place])
        lines = (f"Layers: {', '.join(named) or 'none'}", f"Confidence: {confidence}", "Why: simulated.")
        return "\n".join((f"Answer: {answer}", *lines))

    def _depth(self, place: Place) -> int:
        return self.asked.examples[place[1]].depth


def padded(text: str, length: int) -> str:
    """Return the text with filler behind it up to so many characters, never with a blank at its end."""
    more = length - len(text)
    if more <= 0:
        return text
    filler = (FILLER * (1 + more // len(FILLER)))[:more]
    return text + (filler[:-1] + "." if filler.endswith(" ") else filler)


def ruling(held: Held, place: Place) -> JudgementRecord:
    """Return what a post-hoc judge without errors says of a conversation."""
    key, status = held.key(place), held.status(place)
    right, first = (
        held.drawn.right[(held.assistant, *place)],
        held.drawn.first_right[(held.assistant, *place)],
    )
    flags = () if status is Status.OK else (f"the last turn is {status}",)
    return JudgementRecord(
        *key,
        JudgeStatus.OK,
        bool(right),
        int(first),
        held.attempts(place),
        flags=flags,
        is_correct=bool(first),
    )


def verdict(key: Key, status: Status, turns: int, answer: str, vote: int) -> JudgementRecord:
    """Return a final-turn verdict: `vote` is 1, 0 or -1, which is a reply that cannot be read."""
    if status is not Status.OK:
        words = (f"not asked: the conversation is {status}",)
        return JudgementRecord(*key, JudgeStatus.OK, False, 0, flags=words)
    if vote == NO_VOTE:
        told = "simulated: a reply without a verdict"
        return JudgementRecord(*key, JudgeStatus.PARSE_ERROR, None, None, error=told)
    right = vote == 1
    attempts = (Attempt(turns, answer, right),)
    return JudgementRecord(
        *key, JudgeStatus.OK, right, turns if right else 0, attempts, is_correct=right, answer_span=answer
    )
