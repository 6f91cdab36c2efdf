"""Runs over pages: each a model's answers, with a judge's rulings chosen by the test."""

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, TurnRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status

JUDGE = "referee"


def answered_run(folder, model, questions, answers, manifest_sha256="0" * 64, reasoning=None):
    """Write a run and return its folder.

    `answers` maps question id -> (reply, right): right is None for no ruling; a reply that is a Status stands
    for a conversation that ended so, without a reply.
    """
    identity = RunIdentity(
        {
            "benchmark": "bear-bench",
            "model": {"name": model},
            "dataset": {"name": "bear-bench", "version": "1.0.0", "manifest_sha256": manifest_sha256},
            "conditions": [DEFAULT],
            "runs": 1,
        }
    )
    with RunStore.create_or_resume(folder, identity, questions) as store:
        store.start_judge(JUDGE, {"judge": JUDGE, "protocol": "xml"})
        for question_id, (reply, right) in answers.items():
            status = reply if isinstance(reply, Status) else Status.OK
            said = None if isinstance(reply, Status) else reply
            turn = TurnRecord("Asked.", True, (), (), True, 1, status, said)
            store.append(ConversationRecord(DEFAULT, question_id, 1, status, (turn,)))
            if right is not None:
                store.append_judgement(
                    JUDGE,
                    JudgementRecord(
                        *(DEFAULT, question_id, 1, JudgeStatus.OK, right, int(right)), reasoning=reasoning
                    ),
                )
    return folder
