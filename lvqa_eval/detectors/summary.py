"""Detections on a terminal: what was measured, a row a detector, and what is better than what."""

from collections.abc import Iterator

import click

from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.detectors.chance import auroc_span
from lvqa_eval.detectors.detect import Detected
from lvqa_eval.detectors.detections import Detection, Difference, Quality, TargetDetections
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.detectors.transfer import TransferMatrix
from lvqa_eval.metrics.bootstrap import LEVEL
from lvqa_eval.reports.cautions import few_scenes, provisional
from lvqa_eval.reports.header import intervals_line, judge_label
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table

COLUMNS = (
    Column("Detector"),
    Column("Source"),
    Column("Balanced acc. [95 %]", "right"),
    Column("AUROC [95 %]", "right"),
    Column("Avg. precision [95 %]", "right"),
    Column("n", "right"),
    Column("Unscored", "right"),
)
COMPARED = (
    Column("Detector"),
    Column("Source"),
    Column("Less"),
    Column("Balanced acc. [95 %]", "right"),
    Column("AUROC [95 %]", "right"),
    Column("Avg. precision [95 %]", "right"),
)
CARRIED = (Column("Trained on"), Column("Tested on"), *COLUMNS[2:4], *COLUMNS[5:])
_NAN = float("nan")


def print_detected(detected: Detected) -> None:
    """Print the table of one model and condition in per cent, differences in points, and notes."""
    target = detected.target
    print_labelled([Labelled(*line) for line in _head(target)])
    click.echo()
    print_table(COLUMNS, [_row(one, target) for one in target.detections])
    if compared := _compared(target):
        click.echo("\nDifferences in points, paired, on the answers that both score:")
        print_table(COMPARED, compared)
    click.echo()
    for note in _notes(detected):
        click.echo(note)


def _head(target: TargetDetections) -> Iterator[tuple[str, str]]:
    cluster = find_benchmark(target.benchmark).cluster
    settings, share = target.settings, ASCII.percent(target.incorrect / target.answers)
    wanted = settings["folds_wanted"]
    fewer = f" of {wanted} wanted" if settings["folds"] < wanted else ""
    words = ", ".join(f"{quartile:g}" for quartile in target.words)
    yield "Model", target.model
    yield "Condition", target.condition
    yield "Judge", judge_label(target.judge)
    many = f"{target.documents} {cluster}{'s' * (target.documents != 1)}"
    yield "Answers", f"{target.answers} about {many}, {share} % incorrect; words (quartiles) {words}"
    if target.left_out:
        yield "Left out", ", ".join(f"{count} {name}" for name, count in target.left_out.items())
    told = f"{settings['folds']}{fewer}, by {cluster}, seed {settings['fold_seed']}"
    yield "Folds", f"{told}; figures are means over those that have both classes"
    yield intervals_line(settings["draws"], settings["seed"], cluster)


def _row(one: Detection, target: TargetDetections) -> tuple[str, ...]:
    folds = target.settings["folds"]
    qualities = (one.balanced_accuracy, one.auroc, one.average_precision)
    cells = [_cell(quality, folds) for quality in qualities]
    return one.detector, one.source, *cells, str(one.n), str(one.unscored)


def _cell(quality: Quality, folds: int) -> str:
    """Return the mean and its interval, with the folds that it goes over where others have none."""
    if quality.mean is None:
        return ASCII.dash
    figure = ASCII.percent(quality.mean)
    if quality.low is not None and quality.high is not None:
        figure = f"{figure} {ASCII.interval(quality.low, quality.high)}"
    return figure if quality.folds == folds else f"{figure} in {quality.folds} of {folds}"


def _compared(target: TargetDetections) -> list[tuple[str, ...]]:
    pairs: dict[tuple[str, ...], dict[str, Difference]] = {}
    for one in target.differences:
        other = one.other if one.other_source == "answer" else f"{one.other} of {one.other_source}"
        pairs.setdefault((one.detector, one.source, other), {})[one.measure] = one
    measures = ("balanced_accuracy", "auroc", "average_precision")
    return [(*pair, *(_difference(found.get(name)) for name in measures)) for pair, found in pairs.items()]


def _difference(one: Difference | None) -> str:
    if one is None or one.value is None:
        return ASCII.dash
    low, high = (_NAN if end is None else end for end in (one.low, one.high))
    interval = ASCII.points_interval(low, high)
    return ASCII.points(one.value) + ("" if interval == ASCII.dash else f" {interval}")


def _notes(detected: Detected) -> Iterator[str]:
    target = detected.target
    yield "Incorrect answers are the positive class; a balanced accuracy is at the cut of the other folds."
    yield "Intervals take folds, fits and cuts as they are."
    yield from _noise(target)
    for one in target.detections:
        if one.bounds is not None:
            yield _bounds(one)
    yield from few_scenes(target.documents, find_benchmark(target.benchmark).cluster)
    yield from provisional(target.judge)
    for line in detected.missing:
        yield f"not measured: {line}"


def _noise(target: TargetDetections) -> Iterator[str]:
    chance = next(one for one in target.detections if one.detector == RANDOM)
    if chance.auroc.mean is None:
        yield "No fold has both correct and incorrect answers: nothing can be told apart."
        return
    low, high = auroc_span(chance.folds, LEVEL)
    yield (
        f"{RANDOM} is what a score without information is expected to reach. Of such scores "
        f"{LEVEL * 100:g} % have an AUROC from {ASCII.percent(low)} to {ASCII.percent(high)} here: "
        "what lies there is noise."
    )


def _bounds(one: Detection) -> str:
    assert one.bounds is not None
    first, second = map(ASCII.percent, one.bounds)
    who = f"{one.detector} of {one.source}"
    if one.binary:
        return (
            f"{who}: {one.unscored} without a verdict are left out; balanced accuracy {first} if all of "
            f"these were right, {second} if all were wrong."
        )
    return f"{who}: entropies are bounded; AUROC {first} by the lower bounds, {second} by the upper ones."


def print_transfer(matrix: TransferMatrix) -> None:
    """Print how the probe of each model does on the answers of each."""
    told = f"{matrix.source}, {matrix.condition}, {matrix.folds} folds, seed {matrix.fold_seed}"
    click.echo(f"The probe of one model on the answers of another ({told}):")
    rows = []
    for one in matrix.transfers:
        figures = (_cell(quality, matrix.folds) for quality in (one.balanced_accuracy, one.auroc))
        rows.append((one.trained_on, one.tested_on, *figures, str(one.n), str(one.unscored)))
    print_table(CARRIED, rows)
