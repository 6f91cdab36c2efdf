"""One conversation of one or two models, from the records of their runs to what the page shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from leaderboard.examples.rulings import final_ruling, first_right, turn_rulings
from leaderboard.html.exchange import SIDES, Exchange, Picture, Reply, Ruling, Turn
from lvqa_eval.dataset import Turn as ScheduledTurn
from lvqa_eval.metrics.timing import complete_evidence_turn
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, QuestionRecord, TurnRecord
from lvqa_eval.scheduled import ScheduledRow

Layer = int | None
"""The number of a layer; None for the whole scene, or the page."""

Shown = tuple[str, Picture]
"""The label above a picture, empty for none, and the picture."""


@dataclass(frozen=True)
class Held:
    """What one model was sent and said.

    `final` and `by_turn` are rulings on the last turn and on those before. `pictures` has every picture that
    was sent. `conversation` is None where the run has none.
    """

    model: str
    conversation: ConversationRecord | None
    final: JudgementRecord | None
    by_turn: JudgementRecord | None
    pictures: Mapping[Layer, Picture]

    @property
    def turns(self) -> Sequence[TurnRecord]:
        """The turns up to where the conversation ended."""
        return () if self.conversation is None else self.conversation.turns

    @property
    def sent(self) -> tuple[tuple[str, ...], ...]:
        """The SHA-256 of every picture of each turn, in the order of sending."""
        return tuple(
            tuple(self.pictures[layer].sha256 for layer in layers_sent(turn) if layer in self.pictures)
            for turn in self.turns
        )

    @property
    def rulings(self) -> Sequence[Ruling]:
        """The ruling on each of its turns."""
        if self.conversation is None:
            return ()
        return turn_rulings(self.conversation, self.final, self.by_turn)

    @property
    def ended(self) -> Ruling:
        """The ruling that accuracy reads."""
        return "unknown" if self.conversation is None else final_ruling(self.conversation, self.final)


def exchange_of(row: ScheduledRow, held: Sequence[Held], label: Callable[[int, Layer], str]) -> Exchange:
    """Return the conversation of a row as `held` by one or two models.

    A turn has the user's words as the first of them was sent them. `label` gives the words above a picture,
    by its position in the message (from 1) and its layer.
    """
    question = row.record()
    gold: tuple[int, ...] = ()
    complete = None
    if isinstance(question, QuestionRecord):
        gold = question.gold_layers
        # Of layers and scene, a turn of the schedule says what that of a record does.
        complete = complete_evidence_turn(question.minimal_sets, cast(Sequence[TurnRecord], row.turns))
    early = [_ungrounded(one, complete) for one in held]
    turns = [
        _turn(number, scheduled, held, early, label) for number, scheduled in enumerate(row.turns, start=1)
    ]
    return Exchange(
        condition=row.condition,
        turns=tuple(turns),
        models=tuple(one.model for one in held),
        finals=tuple(one.ended for one in held),
        gold=gold,
        complete=complete,
    )


def layers_sent(turn: TurnRecord | ScheduledTurn) -> tuple[Layer, ...]:
    """Return the pictures of a turn in the order of sending: the scene, then layers."""
    return ((None,) if turn.composite else ()) + tuple(turn.layers)


def _ungrounded(held: Held, complete: int | None) -> int | None:
    """Return the turn of the first right answer where that came before the evidence was complete."""
    first = first_right(held.rulings)
    return first if first is not None and complete is not None and first < complete else None


def _turn(
    number: int,
    scheduled: ScheduledTurn,
    held: Sequence[Held],
    early: Sequence[int | None],
    label: Callable[[int, Layer], str],
) -> Turn:
    said = [one.turns[number - 1] if number <= len(one.turns) else None for one in held]
    first = next((one for one in said if one is not None), None)
    told = scheduled if first is None else first
    user = scheduled.text if first is None else first.user
    return Turn(
        user=user,
        question=told.question,
        shards=tuple(told.shards),
        layers=tuple(told.layers),
        composite=told.composite,
        pictures=_pictures(scheduled, said, held, label),
        replies=tuple(
            None
            if turn is None
            else Reply(
                text=turn.reply or "",
                ruling=one.rulings[number - 1],
                status=turn.status,
                asked="" if turn.user == user else turn.user,
                ungrounded=number == alone,
            )
            for one, turn, alone in zip(held, said, early, strict=True)
        ),
    )


def _pictures(
    scheduled: ScheduledTurn,
    said: Sequence[TurnRecord | None],
    held: Sequence[Held],
    label: Callable[[int, Layer], str],
) -> tuple[Shown, ...]:
    """Return the pictures of a turn; where the models were sent different ones, both, with their letters."""
    sent = [
        (side, _shown(turn, one, label))
        for side, turn, one in zip(SIDES, said, held, strict=False)
        if turn is not None
    ]
    if not sent:
        return _shown(scheduled, held[0], label)
    if all(pictures == sent[0][1] for _, pictures in sent):
        return sent[0][1]
    return tuple((f"{side}: {told}", picture) for side, pictures in sent for told, picture in pictures)


def _shown(
    turn: TurnRecord | ScheduledTurn, held: Held, label: Callable[[int, Layer], str]
) -> tuple[Shown, ...]:
    found = enumerate(layers_sent(turn), start=1)
    return tuple(
        (label(position, layer), held.pictures[layer]) for position, layer in found if layer in held.pictures
    )
