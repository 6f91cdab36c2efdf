"""Checks of one conversation against what the dataset schedules: what was delivered, and how it ended."""

from collections.abc import Iterator

from leaderboard.submissions.faults import Fault
from leaderboard.submissions.header import Claim
from leaderboard.submissions.lines import ConversationLine, TurnLine
from leaderboard.submissions.plain_text import shown
from lvqa_eval.dataset import Turn
from lvqa_eval.scheduled import ScheduledRow
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.statuses import EXCLUDED, FINAL, Status


def conversation_faults(record: ConversationLine, row: ScheduledRow, claim: Claim) -> Iterator[Fault]:
    """Yield everything in which a conversation is not one that the harness held over `row`."""
    if record.status not in FINAL:
        again = "the same `lvqa run` holds it again"
        yield Fault("status", record.status.value, f"{', '.join(sorted(FINAL))}; {again}")
    if record.misalignment != row.misalignment:
        yield Fault("misalignment", shown(record.misalignment), shown(row.misalignment))
    if record.turns[-1].status is not record.status:
        allowed = f"{record.status.value}, that of the conversation"
        yield Fault(f"turns[{len(record.turns) - 1}].status", record.turns[-1].status.value, allowed)
    yield from _length(record, len(row.turns))
    for number, (turn, scheduled) in enumerate(zip(record.turns, row.turns, strict=False)):
        seed = request_seed(claim.seed, record.key, number + 1)
        for field, found, allowed in _turn(turn, scheduled, seed, claim.scripted):
            yield Fault(f"turns[{number}].{field}", found, allowed)
    reply = record.turns[-1].reply or ""
    breach = claim.standing.benchmark.breach(row, reply) if record.status is Status.OK else None
    if breach is not None:
        yield Fault("status", "ok", f"unparsable: {breach}")


def _length(record: ConversationLine, scheduled: int) -> Iterator[Fault]:
    held = len(record.turns)
    if held > scheduled or (held < scheduled and record.status not in EXCLUDED):
        yield Fault("turns", f"{held} turns", f"{scheduled}, as the dataset schedules")
    for number, turn in enumerate(record.turns[:-1]):
        if turn.status in EXCLUDED:
            yield Fault(
                f"turns[{number}].status", turn.status.value, "the last turn, since it ends a conversation"
            )


def _turn(turn: TurnLine, scheduled: Turn, seed: int, scripted: bool) -> Iterator[tuple[str, str, str]]:
    delivered: list[tuple[str, object, object]] = [
        ("question", turn.question, scheduled.question),
        ("seed", turn.seed, seed),
    ]
    delivered += [
        ("layers", turn.layers, scheduled.layers),
        ("composite", turn.composite, scheduled.composite),
    ]
    if scripted:
        delivered += [("user", turn.user, scheduled.text), ("shards", turn.shards, scheduled.shards)]
    for name, found, allowed in delivered:
        if found != allowed:
            yield name, shown(found, 100), f"{shown(allowed, 100)}, as scheduled"
    said = bool((turn.reply or "").strip())
    if turn.status is Status.OK and not said:
        yield "reply", shown(turn.reply), "words, since its status is ok"
    if turn.status is Status.EMPTY and said:
        yield "reply", shown(turn.reply), "null, since its status is empty"
