"""A small run with something of everything: failures, gaps, and a contrast with an identical delivery."""

from pathlib import Path
from typing import Any

from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

CONDITIONS = ("full", "sharded-v", "aligned-vq", "misaligned-vq")
QUESTIONS = tuple(question(f"q{i}", f"s{i % 3}") for i in range(6))

# One letter a question, one word a run: + right, - wrong, T truncated, E empty, X timed out, ? not judged,
# . no conversation.
OUTCOMES = {
    "full": "+++++- ++++-+",
    "sharded-v": "+--T-- -+X-?.",
    "aligned-vq": "+-+-+- +-+-+-",
    "misaligned-vq": "+---E- +--+--",
}
_STATUS = {"T": Status.TRUNCATED, "E": Status.EMPTY, "X": Status.TIMEOUT}
_TURNS = {
    "aligned-vq": (turn([1]), turn([2]), turn([0, 3])),
    "misaligned-vq": (turn([0]), turn([1]), turn([2, 3])),
}


def small_run(folder: Path, judge: str = "exact-match", **settings: Any) -> RunStore:
    """Write the run of `OUTCOMES` and return it opened for reading."""
    conversations, judgements = [], []
    for condition, words in OUTCOMES.items():
        for run, word in enumerate(words.split(), start=1):
            for i, letter in enumerate(word):
                if letter == ".":
                    continue
                conversations.append(
                    conversation(
                        condition,
                        f"q{i}",
                        run,
                        _STATUS.get(letter, Status.OK),
                        _TURNS.get(condition, (turn(composite=True),)),
                        ("identical" if i == 0 else "strict") if condition == "misaligned-vq" else None,
                    )
                )
                if letter in "+-":
                    judgements.append(judgement(condition, f"q{i}", run, letter == "+"))
    return write_run(folder, CONDITIONS, 2, QUESTIONS, conversations, {judge: judgements}, **settings)
