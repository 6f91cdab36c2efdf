"""Inputs with everything that figures of a layered study draw: models with long names, rulings, a panel."""

from dataclasses import replace

import numpy as np

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.judging.panel import Panel
from lvqa_eval.metrics.attempts import MOST_ATTEMPTS
from lvqa_eval.metrics.citations import MOST_TURNS, CitationCounts
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.runs.records import Key
from tests.support.studies import random_study
from tests.support.study_inputs import inputs_of, readings_of, rulings_of

NAMES = (
    *("Qwen/Qwen3-VL-235B-A22B-Thinking", "Qwen/Qwen3-VL-4B-Instruct", "Qwen/Qwen2.5-VL-3B-Instruct"),
    *(
        "mistralai/Ministral-3-8B-Instruct-2512",
        "OpenGVLab/InternVL3_5-38B-Instruct",
        "google/gemma-3-27b-it",
    ),
    *("zai-org/GLM-4.6V-Flash", "moonshotai/Kimi-VL-A3B-Thinking-2506", "example/model-5.4-mini-2026-03"),
    *("google/gemini-3.7-flash", "deepseek-ai/deepseek-vl3-small", "Qwen/Qwen3.6-27B"),
    "microsoft/Phi-4-multimodal-instruct",
)


def figure_inputs(models: int, turns: int = 7) -> StudyInputs:
    """Return inputs of so many models, up to 13; layers come in `turns` - 1 turns."""
    study = random_study(LAYERED_VQA.conditions, seed=models, models=models, count=24, scenes=8)
    study = replace(study, models=NAMES[:models])
    rng = np.random.default_rng(models)
    multi = np.array([one in MULTI_TURN for one in study.conditions], dtype=float)[None, :, None, None]
    multi = np.broadcast_to(multi, study.correct.shape)
    readings = readings_of(
        study,
        citations=tuple(_citations(study, turns, rng) for _ in range(models)),
        characters=np.where(multi == 1, 60.0, 18.0),
        multi_turn=multi,
    )
    attempts = rng.integers(0, MOST_ATTEMPTS + 1, study.correct.shape)[..., None] > np.arange(MOST_ATTEMPTS)
    held = attempts & (multi[..., None] == 1)
    verdicts = np.where(held, rng.integers(0, 2, held.shape), np.nan)
    lengths = np.where(held, rng.integers(10, 150, held.shape), np.nan)
    return inputs_of(
        study,
        draws=40,
        readings=readings,
        rulings=rulings_of(study, attempt_characters=lengths, attempt_verdicts=verdicts),
        post_hoc="org-judge.post-hoc",
        panel=_panel(study, rng),
    )


def panel_of(votes: object, own: list[int], judges: list[str], assistants: list[str]) -> Panel:
    """Return a panel from votes (judges, assistants, items): an item is a question of a scene of its own."""
    cells = np.array(votes, dtype=np.int8)
    size, count = cells.shape[1:]
    keys = tuple(Key("full", f"q{item}", 1) for _ in range(size) for item in range(count))
    flat = cells.reshape(len(cells), -1)
    return Panel(
        judges=tuple(judges),
        assistants=tuple(assistants),
        own=np.array(own, dtype=np.intp),
        votes=flat,
        statuses=np.zeros_like(flat),
        keys=keys,
        assistant_of=np.repeat(np.arange(size), count),
        scene_of=np.tile(np.arange(count), size),
        scenes=count,
        failed=np.zeros(len(keys), dtype=bool),
        baseline=np.zeros(len(keys), dtype=bool),
        size=len(cells),
    )


def _panel(study: Study, rng: np.random.Generator) -> Panel:
    """Return a panel of up to 11 of the models; one model alone is judged by two others."""
    names = list(study.models[:11]) if len(study.models) > 1 else ["org/judge", "Qwen/Qwen3-32B"]
    votes = rng.random((len(names), len(study.models), 24)) < rng.uniform(0.3, 0.7, (len(names), 1, 1))
    own = [names.index(model) if model in names else -1 for model in study.models]
    return panel_of(votes, own, [name.replace("/", "-") for name in names], list(study.models))


def _citations(study: Study, turns: int, rng: np.random.Generator) -> CitationCounts:
    chances = np.zeros((len(study.questions), MOST_TURNS, MOST_TURNS), dtype=np.int64)
    chances[:, : turns - 1, :turns] = 3
    return CitationCounts(rng.binomial(chances, 0.3), chances, 2)
