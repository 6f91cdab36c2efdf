"""Train the small vision-language model of the demo and the tests, and write it as a folder that vLLM serves.

    python scripts/train_small_model.py OUT [--steps 8000] [--work build/small_model]
    python scripts/train_small_model.py --check

The same command goes on where it was stopped. Beside OUT it writes OUT-early: the same model after a part of
the training, weaker, as a second assistant or a judge. With --check it trains for about a minute on a few
scenes and fails if the model has not begun to learn.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from small_model.architecture import parameter_count
from small_model.curriculum import CHECK_STAGES
from small_model.curve import curve
from small_model.evaluate import Answered, all_conditions, exam, gathered, hold, shares
from small_model.export import export, rounded
from small_model.shape import Shape
from small_model.tokens import Tokens, make_tokenizer
from small_model.trainee import Settings, Trainee, new_trainee
from small_model.training import Course, Place, follow, in_processes
from small_model.worlds import HELD_OUT, Scenes, Store

WORK = Path("build/small_model")
STEPS = 8_000
EARLY = 0.65
"""The share of the steps after which the weaker model is written."""

PARTS = 20
EXAM_SCENES, EXAM_SCENES_IN_ALL_CONDITIONS = 96, 24
EXAMS, EXAMS_IN_ALL_CONDITIONS = 16, 2
"""How many exams there are on the way, and how many of them are in all conditions."""

CHECK_STEPS, CHECK_LAST, CHECK_LOSS = 90, 20, 1.4
"""A check takes so many steps; the mean loss of its last ones has to be below CHECK_LOSS."""


def main() -> None:
    """Train and export, or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, nargs="?", help="folder of the model to write")
    parser.add_argument("--check", action="store_true", help="train for a minute instead, and write nothing")
    parser.add_argument("--work", type=Path, default=WORK, help="folder of scenes, state and log")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", type=int, default=PARTS, help="thousands of scenes to draw")
    parser.add_argument("--processes", type=int, default=2, help="processes of one thread each")
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.seed, arguments.processes)
    elif arguments.out is None:
        parser.error("OUT: the folder of the model to write is missing")
    else:
        train(arguments)


def train(arguments: argparse.Namespace) -> None:
    """Draw what scenes are missing, train, and export the model and the earlier one."""
    tokens = Tokens(make_tokenizer())
    shape = Shape(vocabulary=tokens.size)
    settings = Settings(arguments.steps, arguments.seed, arguments.processes)
    early = int(EARLY * arguments.steps)
    course = Course(
        arguments.work,
        settings,
        shape,
        examine_every=max(1, arguments.steps // EXAMS),
        export_at=(early,),
    )
    store = Store(arguments.work / "scenes", shape.side, shape.grid, arguments.parts)
    drawing = multiprocessing.get_context("spawn").Process(target=_draw, args=(store,), daemon=True)
    drawing.start()
    in_processes(arguments.processes, _train, course, store)
    for step, out in ((arguments.steps, arguments.out), (early, Path(f"{arguments.out}-early"))):
        _export(course, tokens, step, out)


def _draw(store: Store) -> None:
    """Draw scenes beside the training, which goes first and waits only for those that it needs next."""
    os.nice(9)
    for number in store.draw(1):
        print(f"scenes: {number + 1} of {store.parts} thousand drawn", file=sys.stderr)


def _train(place: Place, course: Course, store: Store) -> None:
    tokens = Tokens(make_tokenizer())
    for _ in follow(course, Scenes(store), tokens, place, Exam(tokens, course.shape.side, course.settings)):
        pass


class Exam:
    """Asks the model about scenes that it has not seen, in all conditions about some of them."""

    def __init__(self, tokens: Tokens, side: int, settings: Settings) -> None:
        self._tokens = tokens
        self._scenes = exam(EXAM_SCENES, side)
        self._every = settings.steps // EXAMS_IN_ALL_CONDITIONS

    def __call__(self, trainee: Trainee, place: Place) -> dict[str, Any]:
        """Return the shares of right answers; each process holds a part of the conversations."""
        held: list[Answered] = []
        parts = [(self._scenes, ["full"])]
        if trainee.step % self._every == 0:
            parts.append(
                (self._scenes[:EXAM_SCENES_IN_ALL_CONDITIONS], ["question-only", *all_conditions()[1:]])
            )
        for scenes, conditions in parts:
            held += hold(trainee.model, self._tokens, scenes[place.rank :: place.count], conditions)
        return shares(gathered(held, place.count))


def _export(course: Course, tokens: Tokens, step: int, out: Path) -> None:
    trainee = new_trainee(course.shape, tokens, course.settings)
    weights = torch.load(course.folder / f"weights-{step}.pt", weights_only=True)
    trainee.model.load_state_dict(rounded(weights))
    scenes = exam(EXAM_SCENES, course.shape.side)
    found = shares(list(hold(trainee.model, tokens, scenes, ["full", "question-only"])))
    told = {
        "parameters": f"{parameter_count([trainee.model]):,}",
        "side": course.shape.side,
        "tokens": course.shape.tokens,
        "steps": f"{step:,}",
        "seed": course.settings.seed,
        "held_out": ", ".join(f"a {colour} {shape}" for colour, shape in sorted(HELD_OUT)),
        "figures": "\n".join(f"  - {name}: {share:.0%}" for name, share in found.items()),
        "curve": curve(course.log, step),
    }
    export(trainee.model, tokens, out, told)
    print(out)


def check(seed: int, processes: int) -> None:
    """Train for about a minute; ends the program with an error where the loss stays too high."""
    settings = Settings(CHECK_STEPS, seed, processes, warm=20, stages=CHECK_STAGES)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tokens = Tokens(make_tokenizer())
        shape = Shape(vocabulary=tokens.size)
        store = Store(work / "scenes", shape.side, shape.grid, parts=2, size=60)
        list(store.draw(processes))
        in_processes(processes, _check, Course(work, settings, shape, log_every=CHECK_LAST), store)


def _check(place: Place, course: Course, store: Store) -> None:
    tokens = Tokens(make_tokenizer())
    losses = [loss.figures["loss"] for loss in follow(course, Scenes(store), tokens, place)]
    mean = sum(losses[-CHECK_LAST:]) / CHECK_LAST
    if place.leads:
        print(f"loss of the last {CHECK_LAST} steps: {mean:.2f}, needed: below {CHECK_LOSS}")
    if mean >= CHECK_LOSS:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
