"""Runs of made-up models that a board takes: what the harness would have written, without a server.

A model is right with a chance of its own, `skill`, less what a delivery costs; which answers it gets right is
drawn from its name, so the same model gives the same run.
"""

from dataclasses import asdict, dataclass

from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.dataset_folder import open_manifest
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import (
    Attempt,
    ConversationRecord,
    JudgementRecord,
    TokenLogprobs,
    TurnRecord,
)
from lvqa_eval.runs.store import RunStore
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.preflight import ServerRecord
from lvqa_eval.settings import Settings, identity
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.study_runs import settings

URL = "http://127.0.0.1:9/v1"
WRONG = "nothing of the kind"
COST = {"full": 0.0, "all-layers": 0.05, "concat-q": 0.05, "oracle": 0.0}
"""What a delivery takes off the chance to be right; one of several turns takes 0.25, any other 0.1."""


@dataclass(frozen=True)
class MadeUp:
    """A model: its name, and its chance to be right about the whole scene at once."""

    name: str
    skill: float
    seed: int = 0


def made_up_run(folder, dataset, model, *, conditions=None, runs=None, baselines=(), judges=()):
    """Write the run of a made-up model over a dataset folder and return the run's folder.

    `judges` have ruled on it: as they name themselves, by the same rule, always right.
    """
    benchmark = find_benchmark(open_manifest(str(dataset)).kind)
    chosen = Settings(
        model=model.name,
        dataset=str(dataset),
        benchmark=benchmark,
        base_urls=(URL,),
        conditions=conditions,
        runs=runs or benchmark.runs,
        baselines=baselines,
        seed=model.seed,
        sampling=benchmark.sampling,
    )
    opened = chosen.open_dataset()
    plan = chosen.plan(opened)
    told = identity(chosen, opened, plan, Model(model.name, None, None), None)
    told["server"] = asdict(ServerRecord(model.name, 16384, "0.32.0", "kept", 36))
    with RunStore.create_or_resume(folder, RunIdentity(told), plan.questions()) as store:
        for work in plan.work():
            store.append(held(work, model))
    for judge in judges:
        judge_run(folder, judge)
    return folder


def held(work, model):
    """Return the conversation of one piece of work."""
    row, last = work.row, len(work.row.turns) - 1
    chance = model.skill - COST.get(row.condition, 0.25 if last else 0.1)
    right = drawn(f"{model.name}:{model.seed}:{work.key}") < chance
    turns = []
    for number, turn in enumerate(row.turns):
        reply = "Which one do you mean?" if number < last else _answer(row, right)
        turns.append(
            TurnRecord(
                user=turn.text,
                question=turn.question,
                shards=turn.shards,
                layers=turn.layers,
                composite=turn.composite,
                seed=request_seed(model.seed, work.key, number + 1),
                status=Status.OK,
                reply=reply,
                thinking="Let me see.",
                finish_reason="stop",
                prompt_tokens=200 + 90 * number,
                completion_tokens=len(reply.split()),
                cached_tokens=0,
                logprobs=TokenLogprobs(("a",), (-0.1,), ((-0.1,),), (0,)),
            )
        )
    return ConversationRecord(*work.key, Status.OK, tuple(turns), row.misalignment)


def drawn(name):
    """Return a number from 0 to 1 that a name always gives."""
    return seed_of(name) / 2**31


def judge_run(folder, judge, lenient=0.0):
    """Let a pretended judge model rule on a run: right is the reference, and so often anything else."""
    with RunStore.open(folder) as store:
        store.start_judge(judge, settings(judge))
        questions = store.questions()
        for one in store.conversations().values():
            reply, turn = one.turns[-1].reply, len(one.turns)
            known = questions[one.question_id].answer in reply.splitlines()[0]
            right = known or drawn(f"{judge}:{one.key}") < lenient
            attempts = (Attempt(turn, reply, right),)
            told = {"attempts": attempts, "is_correct": right, "answer_span": reply, "reasoning": "Compared."}
            ruled = JudgementRecord(*one.key, JudgeStatus.OK, right, turn if right else 0, **told)
            store.append_judgement(judge, ruled)


def _answer(row, right):
    answer = row.record().answer if right else WRONG
    if row.condition != "all-layers":
        return answer
    layers = ", ".join(map(str, row.gold_layers if right else (0,)))
    return f"Answer: {answer}\nLayers: {layers}\nConfidence: 80\nWhy: It can be seen."
