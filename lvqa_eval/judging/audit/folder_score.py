"""Score an audit folder: people's labels from the folder, the judges' verdicts from the runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lvqa_eval.judging.audit.folder import open_runs
from lvqa_eval.judging.audit.items import AUDIT, AuditError, ItemKey, read_keys, words_sha256
from lvqa_eval.judging.audit.labels import given, read_adjudicated, read_labels
from lvqa_eval.judging.audit.score import CONSENSUS, AuditScore, all_pairs, score_judges, settle
from lvqa_eval.metrics.votes import NO_VOTE, Votes
from lvqa_eval.reports.header import PROVISIONAL_JUDGES
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import MODEL_FAILED, JudgeStatus

_SHOWN = 5


def score_audit(folder: Path, run_folders: Sequence[Path]) -> AuditScore:
    """Return how far the judges of the runs hold against the people who labelled the audit in `folder`.

    The runs are those of the audit, by the names of their folders. Raises AuditError where one is missing or
    strange, or where a conversation is not the one that was labelled.
    """
    keys = read_keys(folder)
    stores = _runs(folder, run_folders, keys)
    items = [one.item for one in keys]
    labels = {name: given(own) for name, own in read_labels(folder, items).items()}
    settlement = settle(items, labels, given(read_adjudicated(folder, items)))
    conversations = _conversations(stores, keys)
    judges = sorted({judge for store in stores.values() for judge in store.judges()})
    panel = _panel(stores, judges)
    verdicts = _verdicts(stores, judges, keys, conversations)
    groups = [one.group for one in keys]
    failed = np.array([one.status in MODEL_FAILED for one in conversations], dtype=bool)
    return AuditScore(
        items=len(items),
        labelled={name: len(own) for name, own in labels.items()},
        pairs=all_pairs(labels),
        settlement=settlement,
        panel=tuple(panel),
        judges=score_judges(judges, verdicts, panel, settlement.labels, groups),
        failed=int((failed & (settlement.labels >= 0)).sum()),
    )


def _runs(folder: Path, run_folders: Sequence[Path], keys: Sequence[ItemKey]) -> dict[str, RunStore]:
    stores = open_runs(run_folders)
    recorded = RunIdentity.read(folder / AUDIT).settings
    known: Mapping[str, Mapping[str, object]] = recorded.get("runs", {})
    missing = sorted({one.run for one in keys} - stores.keys())
    strange = sorted(stores.keys() - known.keys())
    models = {name: store.identity.settings.get("model") for name, store in stores.items()}
    told = [f"RUN: found no folder called {name}, which the audit has items of" for name in missing]
    told += [f"RUN: found {name}; the audit is of {', '.join(sorted(known))}" for name in strange]
    told += [
        f"{stores[name].folder}: model: found {model}, the audit is of {known[name]['model']}"
        for name, model in models.items()
        if name in known and model != known[name]["model"]
    ]
    if told:
        raise AuditError("\n".join(told))
    return stores


def _conversations(stores: Mapping[str, RunStore], keys: Sequence[ItemKey]) -> list[ConversationRecord]:
    """Return the conversation of each item; AuditError where one is not what was labelled."""
    held = {name: store.conversations() for name, store in stores.items()}
    found = [held[one.run].get(one.key) for one in keys]
    changed = [
        one.item
        for one, conversation in zip(keys, found, strict=True)
        if conversation is None or words_sha256(conversation) != one.words_sha256
    ]
    if changed:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise AuditError(
            f"the runs hold other conversations than were labelled: items {', '.join(changed[:_SHOWN])}{more}"
        )
    return [conversation for conversation in found if conversation is not None]


def _panel(stores: Mapping[str, RunStore], judges: Sequence[str]) -> list[str]:
    """Return the judges that vote: models that rule on the last turn; where there is none, all that rule."""
    others = [judge for judge in judges if judge != CONSENSUS]
    apart = {
        judge
        for store in stores.values()
        for judge in store.judges()
        if _is_apart(store.judge_identity(judge).settings)
    }
    models = [judge for judge in others if judge not in PROVISIONAL_JUDGES and judge not in apart]
    return models or others


def _is_apart(settings: Mapping[str, Any]) -> bool:
    """Tell whether a judge is no voter of its own: it rules on every turn, or it is another's second pass."""
    return settings.get("protocol") == "post-hoc" or bool(settings.get("retest"))


def _verdicts(
    stores: Mapping[str, RunStore],
    judges: Sequence[str],
    keys: Sequence[ItemKey],
    conversations: Sequence[ConversationRecord],
) -> Votes:
    """Return what each judge says of each item, (judges, items): as it counts in a run's scores."""
    rows = []
    for judge in judges:
        ruled = {
            name: store.judgements(judge) if judge in store.judges() else {} for name, store in stores.items()
        }
        rows.append(
            [
                _vote(judge in stores[one.run].judges(), conversation, ruled[one.run], one.key)
                for one, conversation in zip(keys, conversations, strict=True)
            ]
        )
    return np.array(rows, dtype=np.int8).reshape(len(judges), len(keys))


def _vote(
    judged: bool, conversation: ConversationRecord, ruled: Mapping[Key, JudgementRecord], key: Key
) -> int:
    if judged and conversation.status in MODEL_FAILED:
        return 0  # wrong by rule, whether the judge was asked or not
    ruling = ruled.get(key)
    if ruling is None or ruling.status is not JudgeStatus.OK or ruling.final_turn_correct is None:
        return NO_VOTE
    return int(ruling.final_turn_correct)
