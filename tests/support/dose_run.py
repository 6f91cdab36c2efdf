"""A small run over two pictures, each cut into 2, 3 and 4 layers; the second has no scene of 4 layers."""

from pathlib import Path

from lvqa_eval.runs.store import RunStore
from tests.support.scored_runs import conversation, judgement, question, write_run

CONDITIONS = ("full", "sharded-v")
# For each picture the verdicts at depth 2, 3 and 4; one word a run, . where there is no scene.
VERDICTS = {
    "full": {"dose-s0-0000": "+++ +++", "dose-s0-0001": "--. --."},
    "sharded-v": {"dose-s0-0000": "++- +--", "dose-s0-0001": "+-. --."},
}
SCENES = [
    (base, depth, f"{base}-both-d{depth:02d}")
    for base, depths in (("dose-s0-0000", (2, 3, 4)), ("dose-s0-0001", (2, 3)))
    for depth in depths
]
QUESTIONS = tuple(question(f"{scene}-q1", scene, ((1,),), depth) for _, depth, scene in SCENES)


def dose_run(folder: Path) -> RunStore:
    """Write the run of `VERDICTS` and return it opened for reading."""
    conversations, judgements = [], []
    for condition, words_of in VERDICTS.items():
        for base, depth, scene in SCENES:
            for run, word in enumerate(words_of[base].split(), start=1):
                conversations.append(conversation(condition, f"{scene}-q1", run))
                judgements.append(judgement(condition, f"{scene}-q1", run, word[depth - 2] == "+"))
    return write_run(folder, CONDITIONS, 2, QUESTIONS, conversations, {"exact-match": judgements})
