"""How many questions a difference needs: `lvqa sample-size`, from stated figures or from a pilot run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

import click

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.power import (
    PairedDesign,
    Pilot,
    PowerError,
    independent_discordance,
    paired_pilot,
    unrelated_pilot,
)
from lvqa_eval.metrics.scores import Scores
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.runs.terminal import Column, print_table, printable

WIDTH = 100
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.1)
"""The differences that every table has, as shares of 1."""

FORMULA = (
    "questions = (z(1 - alpha/2) + z(power))^2 x variance x design effect / difference^2; "
    "variance = discordance - difference^2 - instability x (1 - 1/runs); "
    "design effect = 1 + (questions of a scene - 1) x correlation inside a scene."
)
ASSUMPTIONS = (
    "Discordance: how often one run of A and one of B decide a question differently. Instability: how often "
    "two runs of the same one do; the mean over runs takes that part of the noise off.",
    "The difference is paired by question and tested by whether its two-sided interval, scenes drawn "
    "together, leaves out zero. The estimate is held normal, which is too hopeful below some 20 scenes; "
    "questions of a scene are held equally correlated, those of two scenes independent, and runs independent "
    "given the question.",
)


@dataclass(frozen=True)
class Aim:
    """What is to be shown: differences (shares of 1), with which probability, at which level."""

    differences: tuple[float, ...]
    power: float
    alpha: float

    @property
    def all_differences(self) -> tuple[float, ...]:
        """Those asked for and the usual ones, ascending."""
        return tuple(sorted({*self.differences, *DIFFERENCES}))

    @property
    def words(self) -> str:
        """Power and level in words."""
        return f"with probability {_per_cent(self.power)} % at a level of {_per_cent(self.alpha)} %"


@dataclass(frozen=True)
class Stated:
    """A design from figures that the user states; without a discordance, A and B err independently."""

    accuracy: float
    discordance: float | None
    instability: float
    icc: float
    runs: int
    per_scene: float

    def design(self, difference: float) -> PairedDesign:
        """Return the design at a difference; PowerError where it cannot be."""
        discordance = self.discordance
        if discordance is None:
            discordance = independent_discordance(self.accuracy, difference)
        return PairedDesign(discordance, self.instability, self.icc, self.runs, self.per_scene)


def print_stated(stated: Stated, aim: Aim) -> None:
    """Print the table of a stated design; PowerError for figures that cannot all hold."""
    _check(stated, aim)
    heads = ("Difference", "Discordance", "Design effect", "Questions", "Scenes", "Conversations")
    rows = [_stated_row(stated, aim, difference) for difference in aim.all_differences]
    print_table([Column(head, "right") for head in heads], rows)
    click.echo()
    for difference in aim.differences:
        design = stated.design(difference)
        questions = design.questions(difference, aim.power, aim.alpha)
        _tell(
            f"A difference of {_points(difference)} points is seen {aim.words} with {questions:,} questions "
            f"in {design.scenes(questions):,} scenes, {_runs(stated.runs)} of each."
        )
    _tell("Conversations are those of each of the two, in one condition.")
    for line in (*_stated_notes(stated), FORMULA, *ASSUMPTIONS):
        _tell(line)


def print_measured(scores: Scores, aim: Aim, runs: int | None) -> None:
    """Print what a pilot run tells: for each contrast its design, what the run shows, and what is needed.

    Raises PowerError where the run tells of no contrast.
    """
    found = list(contrasts(scores))
    print_table(*measured_table(found, aim, runs))
    click.echo()
    pilot = next((one.pilot for one in found if one.pilot is not None), None)
    if pilot is None:
        raise PowerError("; ".join(f"{one.name}: {one.fault}" for one in found))
    per_scene = pilot.questions / pilot.scenes
    planned = runs or pilot.runs
    _tell(
        f"The run has {pilot.questions:,} questions in {pilot.scenes:,} scenes, {per_scene:.1f} a scene, and "
        f"{_runs(pilot.runs)}. Shown now: the least difference that so many questions show {aim.words} in "
        f"{_runs(planned)}. The last columns: questions that a difference of so many points needs."
    )
    for difference in aim.differences:
        _tell(_needed_over(found, difference, aim, runs))
    for one in found:
        if one.fault:
            _tell(f"{one.name}: {one.fault}.")
    _tell(
        f"{found[0].name}: a model as good as this one that errs on other questions, the cautious case; "
        "its discordance is 2 x accuracy x (1 - accuracy)."
    )
    if pilot.instability is None:
        _tell("One run tells nothing of the instability: nothing is taken off for more runs.")
    for line in (FORMULA, *ASSUMPTIONS):
        _tell(line)


@dataclass(frozen=True)
class Contrast:
    """One comparison that a run tells of; `fault` says why there is no pilot."""

    name: str
    pilot: Pilot | None
    fault: str = ""


def contrasts(scores: Scores) -> Iterator[Contrast]:
    """Yield the contrast to an unrelated model under the reference, then each condition's to the reference.

    The reference is `full`, or the run's first condition where it was not run.
    """
    reference = LAYERED_VQA.conditions[0]
    if reference not in scores.conditions:
        reference = scores.conditions[0]
    base, scene_of = scores.of(reference), scores.scene_of
    try:
        yield Contrast(f"another model, {reference}", _usable(unrelated_pilot(base, scene_of)))
    except PowerError as error:
        yield Contrast(f"another model, {reference}", None, str(error))
    for condition in scores.conditions:
        if condition == reference:
            continue
        name = f"{condition} to {reference}"
        try:
            yield Contrast(name, _usable(paired_pilot(base, scores.of(condition), scene_of)))
        except PowerError as error:
            yield Contrast(name, None, str(error))


def measured_table(
    found: Sequence[Contrast], aim: Aim, runs: int | None
) -> tuple[list[Column], list[list[str]]]:
    """Return the table of contrasts: figures in per cent and points, then questions for each difference."""
    heads = ["Difference", "Discordance", "Instability", "In scene", "Design effect", "Shown now"]
    heads += [_points(difference) for difference in aim.all_differences]
    columns = [Column("Contrast"), *(Column(head, "right") for head in heads)]
    return columns, [[one.name, *_measured_cells(one.pilot, aim, runs, len(heads))] for one in found]


def _measured_cells(pilot: Pilot | None, aim: Aim, runs: int | None, width: int) -> list[str]:
    if pilot is None:
        return ["-"] * width
    design = pilot.design(runs)
    return [
        ASCII.points(pilot.difference),
        ASCII.percent(design.discordance),
        "-" if pilot.instability is None else ASCII.percent(pilot.instability),
        f"{design.icc:.2f}",
        f"{design.design_effect:.2f}",
        ASCII.percent(design.detectable(pilot.questions, aim.power, aim.alpha)),
        *(_questions(design, difference, aim) for difference in aim.all_differences),
    ]


def _stated_row(stated: Stated, aim: Aim, difference: float) -> list[str]:
    try:
        design = stated.design(difference)
        questions = design.questions(difference, aim.power, aim.alpha)
    except PowerError:
        return [_points(difference), *["-"] * 5]
    return [
        _points(difference),
        ASCII.percent(design.discordance),
        f"{design.design_effect:.2f}",
        f"{questions:,}",
        f"{design.scenes(questions):,}",
        f"{questions * stated.runs:,}",
    ]


def _check(stated: Stated, aim: Aim) -> None:
    """Refuse, in the units of the command, what no data can have."""
    most = stated.discordance
    found = []
    if most is not None and stated.instability > most:
        found.append(
            f"--instability: found {_per_cent(stated.instability)} %, allowed: up to the discordance, "
            f"{_per_cent(most)} %"
        )
    for difference in aim.differences:
        allowed = 1 - stated.accuracy if most is None else most
        if difference > allowed:
            most_told = f"{'what A leaves' if most is None else 'the discordance'}, {_points(allowed)}"
            found.append(f"--difference: found {_points(difference)} points, allowed: up to {most_told}")
    if not aim.alpha / 2 < aim.power:
        found.append(f"--power: found {_per_cent(aim.power)} %, allowed: above half of --alpha")
    if found:
        raise PowerError("\n".join(found))


def _stated_notes(stated: Stated) -> Iterator[str]:
    if stated.discordance is None:
        yield (
            f"Assumed: A is right in {_per_cent(stated.accuracy)} %, and B errs independently of it, the "
            "cautious case; --discordance states another, --from RUN measures it."
        )
    yield (
        f"Assumed: {stated.per_scene:g} questions a scene, correlated by {stated.icc:g}; an instability of "
        f"{_per_cent(stated.instability)} %"
        + (", so more runs save no question." if stated.instability == 0 else ".")
    )


def _needed_over(found: Sequence[Contrast], difference: float, aim: Aim, runs: int | None) -> str:
    needed = {}
    for one in found:
        if one.pilot is not None and (design := one.pilot.design(runs)).discordance >= difference:
            needed[one.name] = design.questions(difference, aim.power, aim.alpha)
    if not needed:
        return f"A difference of {_points(difference)} points is more than any of these can have."
    least, most = min(needed, key=needed.__getitem__), max(needed, key=needed.__getitem__)
    told = f"{needed[least]:,} questions ({least})"
    if least != most:
        told += f" to {needed[most]:,} ({most})"
    return f"A difference of {_points(difference)} points needs {told}."


def _questions(design: PairedDesign, difference: float, aim: Aim) -> str:
    if difference > design.discordance:
        return "-"
    return f"{design.questions(difference, aim.power, aim.alpha):,}"


def _usable(pilot: Pilot) -> Pilot:
    """Return a pilot that a design can be made of; PowerError for one whose sides never differ."""
    pilot.design()
    return pilot


def _tell(line: str) -> None:
    click.echo(fill(printable(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False))


def _points(difference: float) -> str:
    return f"{difference * 100:.10g}"


def _per_cent(share: float) -> str:
    return f"{share * 100:.10g}"


def _runs(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
