"""What a panel says together, kept as the judgements of a judge called `consensus`, which reports read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from lvqa_eval.files import write_whole
from lvqa_eval.judging.consensus import Consensus, consensus, consensus_attempts
from lvqa_eval.judging.panel import Panel
from lvqa_eval.judging.panel_members import MEMBERS
from lvqa_eval.metrics.votes import NO_VOTE
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.reading import read_keyed
from lvqa_eval.runs.records import Attempt, JudgementRecord, Key
from lvqa_eval.runs.store import JUDGEMENTS, RunStore
from lvqa_eval.statuses import EXCLUDED, JudgeStatus

CONSENSUS = "consensus"
CONSENSUS_POST_HOC = "consensus.post-hoc"

RULE = 1
"""Version of how votes become a verdict."""


class Attempts(msgspec.Struct, frozen=True, gc=False):
    """The part of a post-hoc judgement that a consensus is made of."""

    condition: str
    question_id: str
    run: int
    status: JudgeStatus
    final_turn_correct: bool | None
    attempts: tuple[Attempt, ...] = ()

    @property
    def key(self) -> Key:
        """The name of the conversation that was judged."""
        return Key(self.condition, self.question_id, self.run)


def keep_final(stores: Sequence[RunStore], panel: Panel) -> Consensus:
    """Write the consensus on final turns into every run as the judge `consensus`; returns it.

    A file that says the same already is left alone; any other is replaced, whole or not at all.
    """
    found = consensus(panel.votes, panel.size)
    for run, store in enumerate(stores):
        items = (panel.assistant_of == run).nonzero()[0].tolist()
        records = [_final_record(panel, found, item) for item in items]
        identity = consensus_identity(store, "final-turn", panel.judges, panel.size)
        _write(store, CONSENSUS, identity, records)
    return found


def keep_post_hoc(stores: Sequence[RunStore], judges: Sequence[str], size: int | None) -> bool:
    """Write the consensus of several post-hoc judges as `consensus.post-hoc`; false where there are too few.

    `size` is that of the panel, the number of judges if None.
    """
    if len(judges) < 2:
        return False
    panel = max(size or 0, len(judges))
    for store in stores:
        identity = consensus_identity(store, "post-hoc", judges, panel)
        _write(store, CONSENSUS_POST_HOC, identity, _post_hoc_records(store, judges, panel))
    return True


def consensus_identity(store: RunStore, protocol: str, judges: Sequence[str], size: int) -> dict[str, Any]:
    """Return what a consensus on a run depends on: its judges with the hashes of their settings, its rule."""
    return {
        "judge": CONSENSUS,
        "protocol": protocol,
        MEMBERS: {judge: store.judge_identity(judge).digest() for judge in judges},
        "panel": size,
        "rule": RULE,
    }


def _final_record(panel: Panel, found: Consensus, item: int) -> JudgementRecord:
    key = panel.keys[item]
    right, valid = int(found.right[item]), int(found.valid[item])
    if found.verdict[item] == NO_VOTE:
        return _without_quorum(key, valid, panel.size)
    flags = (f"tie: {right} of {valid} votes say correct",) if found.ties[item] else ()
    # Of turns before the last a vote on the last says nothing.
    return JudgementRecord(*key, JudgeStatus.OK, bool(found.verdict[item]), None, flags=flags)


def _post_hoc_records(store: RunStore, judges: Sequence[str], size: int) -> Iterable[JudgementRecord]:
    rulings = [_attempts(store, judge) for judge in judges]
    for key, conversation in store.read_conversation_statuses().records.items():
        if conversation.status not in EXCLUDED:
            yield _post_hoc_record(key, [of_judge.get(key) for of_judge in rulings], size)


def _post_hoc_record(key: Key, rulings: Sequence[Attempts | None], size: int) -> JudgementRecord:
    valid = [one for one in rulings if one is not None and one.status is JudgeStatus.OK]
    attempts = consensus_attempts(
        [one.attempts if one in valid and one is not None else None for one in rulings], size
    )
    if attempts is None:
        return _without_quorum(key, len(valid), size)
    right = sum(bool(one.final_turn_correct) for one in valid)
    first = min((attempt.turn for attempt in attempts if attempt.correct), default=0)
    flags = (f"tie: {right} of {len(valid)} votes say correct",) if 2 * right == len(valid) else ()
    return JudgementRecord(*key, JudgeStatus.OK, 2 * right > len(valid), first, attempts, flags=flags)


def _without_quorum(key: Key, valid: int, size: int) -> JudgementRecord:
    told = f"{valid} of {size} judges have a valid verdict, needed {size // 2 + 1}"
    return JudgementRecord(*key, JudgeStatus.NO_QUORUM, None, None, error=told)


def _attempts(store: RunStore, judge: str) -> Mapping[Key, Attempts]:
    path = store.folder / JUDGEMENTS / f"{judge}.jsonl"
    return read_keyed(path, Attempts, lambda record: record.status is JudgeStatus.OK).records


def _write(
    store: RunStore, judge: str, identity: Mapping[str, Any], records: Iterable[JudgementRecord]
) -> None:
    folder = store.folder / JUDGEMENTS
    lines, settings = folder / f"{judge}.jsonl", folder / f"{judge}.yaml"
    content, asked = b"".join(map(encode, records)), RunIdentity(identity)
    if settings.is_file() and RunIdentity.read(settings) == asked and lines.read_bytes() == content:
        return
    # Without its settings nobody takes the file for a judge's, should this be broken off.
    settings.unlink(missing_ok=True)
    write_whole(lines, content)
    asked.write(settings)
