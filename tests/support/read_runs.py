"""Runs whose answers a model can read: conversations with words, over a small dataset with its pictures."""

from dataclasses import replace

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.images import Rendering
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.statuses import Status
from tests.support.scored_runs import turn, write_run
from tests.support.sources import SmallSource

REPLIES = ("a red circle", "the left one, not the box", "no", "green and blue", "what is that?")


def scene_folder(folder, scenes=6, depth=4):
    """Write a dataset of scenes with a question each and return its folder."""
    return build(SmallSource(scenes=scenes, depth=depth), folder, "1.0.0", ConditionOptions()).folder


def layered_run(folder, dataset, conditions=("full", "sharded-v"), runs=1, **settings):
    """Write a run over scenes: the same words again and again."""
    return _run(folder, "layered-vqa", dataset, conditions, runs, settings)


def pages_run(folder, dataset, conditions=("default", "downsample-2"), **settings):
    """Write a run over the pages of a BEAR-Bench folder."""
    return _run(folder, "bear-bench", dataset, conditions, 1, settings)


def answers_of(store, condition):
    """Return the answers of a run under a condition, every second one incorrect."""
    questions = store.questions()
    held = [one for one in store.conversations().values() if one.condition == condition]
    items = [Answer(questions[one.question_id], one, bool(i % 2)) for i, one in enumerate(held)]
    return Answers("a model", condition, "exact-match", tuple(items), {})


def _run(folder, name, dataset, conditions, runs, settings):
    benchmark = find_benchmark(name)
    opened = benchmark.open(str(dataset))
    rows = {condition: opened.rows(condition) for condition in conditions}
    prompts = benchmark.prompts()
    identity = {
        "benchmark": name,
        "dataset": {"name": name, "version": "1.0.0", "manifest_sha256": opened.manifest_sha256},
        "images": Rendering(benchmark.background).identity(),
        "prompts": {prompt: prompts[prompt].sha256 for prompt in benchmark.own_prompts},
        **settings,
    }
    held = [
        _conversation(row, run, REPLIES[(place + run) % len(REPLIES)])
        for condition in conditions
        for place, row in enumerate(rows[condition])
        for run in range(1, runs + 1)
    ]
    questions = [row.record() for row in rows[conditions[0]]]
    return write_run(folder, conditions, runs, questions, held, {}, **identity)


def _conversation(row, run, reply):
    turns = [
        replace(
            turn(one.layers, one.composite, "go on" if one is not row.turns[-1] else reply), user=one.text
        )
        for one in row.turns
    ]
    return ConversationRecord(row.condition, row.question_id, run, Status.OK, tuple(turns), row.misalignment)
