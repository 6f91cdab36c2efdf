"""A simulated study as run folders, one an assistant, with every raw log that a real one has."""

import hashlib
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.errors import LvqaError
from lvqa_eval.images import Rendering
from lvqa_eval.judging.llm_judge import JudgeSettings
from lvqa_eval.metrics.votes import Votes
from lvqa_eval.progress import progress
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.request import Sampling
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import EXCLUDED, Status

from . import habits as stated_habits
from . import model as stated
from .conversations import Asked, Held, ruling, verdict
from .draw import draw, draw_votes
from .habits import draw_habits
from .model import Model, Size, stated_model
from .patterns import CONDITIONS, OPTIONS

DATASET: Final = "simulated"
READER: Final = JudgeSettings("simulated-reader", "post-hoc")
"""The post-hoc judge: it makes no errors."""

Summary = list[tuple[Key, Status, int, str]]
"""What a verdict needs of each conversation: its name, how it ended, its turns, its last answer."""


class RunsFolderError(LvqaError, ValueError):
    """A folder that runs cannot be written to."""


def write_runs(folder: Path, size: Size, seed: int) -> list[Path]:
    """Write one study, that of `seed`, into `folder`; return the run folders.

    Raises RunsFolderError where the folder has content.
    """
    if folder.exists() and any(folder.iterdir()):
        raise RunsFolderError(f"{folder}: found content, allowed: an empty folder or a new one")
    model = stated_model(size)
    drawn = draw(model, seed)
    votes, asked = draw_votes(drawn, seed), Asked.of(drawn.questions)
    written = []
    with progress("runs", len(model.assistants)) as advance:
        for place, name in enumerate(model.assistants):
            held = Held(drawn, asked, draw_habits(drawn, place, seed), place, seed)
            _write_run(folder / name, held, votes[:, place], RunIdentity(_identity(model, name, seed)))
            written.append(folder / name)
            advance(name)
    return written


def _write_run(folder: Path, held: Held, votes: Votes, identity: RunIdentity) -> None:
    with ExitStack() as stack:
        store = stack.enter_context(RunStore.create_or_resume(folder, identity, held.asked.records))
        summary, where = _write_conversations(store, held)
        for judge, cast in zip(held.drawn.model.judges, votes, strict=True):
            settings = JudgeSettings(judge)
            store.start_judge(settings.name, _judge_identity(settings))
            for one, vote in zip(summary, cast.ravel()[where].tolist(), strict=True):
                store.append_judgement(settings.name, verdict(*one, vote))


def _write_conversations(store: RunStore, held: Held) -> tuple[Summary, list[int]]:
    """Write conversations and post-hoc rulings; return what else judges need, and where their votes stand."""
    summary: Summary = []
    where = []
    store.start_judge(READER.name, _judge_identity(READER))
    for number, place in enumerate(held.places()):
        record = held.conversation(place)
        store.append(record)
        if record.status not in EXCLUDED:
            store.append_judgement(READER.name, ruling(held, place))
            summary.append((record.key, record.status, len(record.turns), held.final_answer(place)))
            where.append(number)
    return summary, where


def _identity(model: Model, name: str, seed: int) -> dict[str, Any]:
    """Return the settings of a run; `simulated` stands among them, and no other run has it."""
    prompts = LAYERED_VQA.prompts()
    return {
        "benchmark": LAYERED_VQA.name,
        "lvqa": version("lvqa"),
        "simulated": {"study": vars(model.size), "seed": seed, "statement_sha256": statement_sha256()},
        "dataset": {
            "name": DATASET,
            "version": "1.0.0",
            "manifest_sha256": statement_sha256(),
            "condition_options": vars(OPTIONS),
        },
        "conditions": list(CONDITIONS),
        "runs": model.size.repetitions,
        "questions": model.size.questions,
        "model": {"name": name, "revision": None},
        "providers": [],
        "sampling": Sampling().fields(),
        "seed": seed,
        "user": dict(ScriptedUser().identity()),
        "prompts": {one: prompts[one].sha256 for one in LAYERED_VQA.own_prompts},
        "images": Rendering("checkerboard").identity(),
        "vllm_serve": None,
    }


def _judge_identity(settings: JudgeSettings) -> dict[str, Any]:
    return {
        **settings.identity(),
        "model": {"name": settings.model, "revision": None},
        "providers": [],
        "vllm_serve": None,
        "simulated": True,
    }


def statement() -> str:
    """Return what the study is drawn from, in words and numbers."""
    modules = (stated, stated_habits)
    numbers = [
        f"- {name}: {_shown(value)}"
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and _is_number(value)
    ]
    return "\n\n".join([*(str(module.__doc__).strip() for module in modules), "\n".join(numbers)])


def _is_number(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_number, value.values()))
    return isinstance(value, int | float)


def _shown(value: float | dict[str, float]) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number:g}" for name, number in value.items())
    return f"{value:g}"


def statement_sha256() -> str:
    """Return what identifies the statement."""
    return hashlib.sha256(statement().encode()).hexdigest()
