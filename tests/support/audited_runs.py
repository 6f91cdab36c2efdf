"""Runs over a small drawn dataset, with replies and verdicts chosen by the test, to be audited."""

from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import Rendering
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord, TurnRecord
from lvqa_eval.statuses import Status
from tests.support.scored_runs import judgement, write_run


def drawn_dataset(folder, scenes=3):
    """Build a dataset of drawn scenes with one question each; returns its folder."""
    from dataset_builders.layered_vqa.build import build
    from dataset_builders.layered_vqa.conditions import ConditionOptions
    from dataset_builders.layered_vqa.sources.procedural.source import ProceduralSource

    source = ProceduralSource(scenes=scenes, questions_per_scene=1, min_depth=4, max_depth=6)
    return build(source, folder / "layered-vqa", "1.0.0", ConditionOptions()).folder


def audited_run(folder, dataset, conditions, reply, verdicts, model="some/model"):
    """Write a run of one conversation for each row of `conditions`; returns its folder.

    `reply` gives, for a row, the last reply or a pair of it and the conversation's status. `verdicts` has for
    each judge a function that gives, for a row, whether the last answer is right.
    """
    opened = open_dataset(str(dataset))
    rows = [row for condition in conditions for row in opened.rows(condition)]
    questions = {row.question_id: _question(row) for row in rows}
    judged = {
        judge: [judgement(row.condition, row.question_id, correct=rule(row)) for row in rows]
        for judge, rule in verdicts.items()
    }
    settings = {
        "model": {"name": model},
        "dataset": {"name": str(dataset), "version": "1.0.0", "manifest_sha256": opened.manifest_sha256},
        "images": Rendering().identity(),
    }
    talks = [_conversation(row, reply(row)) for row in rows]
    return write_run(folder, conditions, 1, list(questions.values()), talks, judged, **settings).folder


def _question(row):
    return QuestionRecord(
        row.question_id,
        row.scene_id,
        row.depth,
        row.category,
        row.question,
        row.answer,
        row.answer_description,
        row.gold_layers,
        row.minimal_sets,
        (),
        row.distractors,
    )


def _conversation(row, said):
    last, status = said if isinstance(said, tuple) else (said, Status.OK)
    turns = []
    for number, turn in enumerate(row.turns, start=1):
        final = number == len(row.turns)
        turns.append(
            TurnRecord(
                user=turn.text,
                question=turn.question,
                shards=turn.shards,
                layers=turn.layers,
                composite=turn.composite,
                seed=1,
                status=status if final else Status.OK,
                reply=last if final else "Which object do you mean?",
                thinking="My name is some/model." if final else None,
            )
        )
    return ConversationRecord(row.condition, row.question_id, 1, status, tuple(turns))
