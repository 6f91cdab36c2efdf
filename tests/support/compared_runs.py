"""Two runs over one drawn dataset, with the outcome of every conversation chosen by the test."""

from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import Rendering
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord, TurnRecord
from lvqa_eval.statuses import Status
from tests.support.scored_runs import judgement, write_run


def compared_run(folder, over, conditions, runs, outcome, **settings):
    """Write a run over the dataset in the folder `over`; returns its own folder.

    `outcome` gives, for a row and a run's number, a pair of the last reply (or the status of a failure) and
    whether the judge "rule" finds it right, None for no judgement.
    """
    opened = open_dataset(str(over))
    rows = [row for condition in conditions for row in opened.rows(condition)]
    talks, verdicts = [], []
    for row in rows:
        for run in range(1, runs + 1):
            said, right = outcome(row, run)
            talks.append(_conversation(row, run, said))
            if right is not None:
                verdicts.append(judgement(row.condition, row.question_id, run, right))
    identity = {
        "dataset": {"name": str(over), "version": "1.0.0", "manifest_sha256": opened.manifest_sha256},
        "images": Rendering().identity(),
        **settings,
    }
    questions = {row.question_id: _question(row) for row in rows}
    return write_run(
        folder, conditions, runs, list(questions.values()), talks, {"rule": verdicts}, **identity
    ).folder


def _question(row):
    sets = (row.gold_layers, row.minimal_sets, (), row.distractors)
    words = (row.question, row.answer, row.answer_description)
    return QuestionRecord(row.question_id, row.scene_id, row.depth, row.category, *words, *sets)


def _conversation(row, run, said):
    status, reply = (said, None) if isinstance(said, Status) else (Status.OK, said)
    turns = []
    for number, turn in enumerate(row.turns, start=1):
        last = number == len(row.turns)
        brought = (turn.question, turn.shards, turn.layers, turn.composite)
        ended = (status, reply) if last else (Status.OK, "Which object do you mean?")
        turns.append(TurnRecord(turn.text, *brought, run, *ended))
    return ConversationRecord(row.condition, row.question_id, run, status, tuple(turns))
