"""What all exhibits of detectors share: their words, what they rest on, and what makes what they lack."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Final

from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.detectors.chance import Span, auroc_span
from lvqa_eval.reports.detectors.detected import DetectorInputs, Target, Targets
from lvqa_eval.reports.exhibit import Paper
from lvqa_eval.reports.numerals import PRINTED

PAPER_TABLES: Final = "Tables 6 to 8"
"""Where the paper on pages prints its figures of detectors."""

POSITIVE: Final = (
    "Positive is the wrong answer: a higher score means that an answer is more likely wrong. Asked about are "
    "final answers that a judge has ruled on; a conversation that failed, such as one cut off, has no answer "
    "and is left out."
)
SIGNALS: Final = (
    "Signals. native: what the answering model gave of itself, log-probabilities of its tokens or its hidden "
    "states. proxy NAME: what another model made of the answer when it read it after the same messages. "
    "words of the answer: nothing else. judge NAME: what a model said when asked whether the answer is "
    "right, without a reference. What rests on native and on proxy signals has rows of its own: the two are "
    "not measured alike."
)


def folds_told(detected: Targets) -> str:
    """Return how figures come from folds, and their intervals from the bootstrap."""
    cluster = cluster_of(detected)
    counts = sorted({len(one.random.folds) for one in detected.targets})
    return (
        f"{' or '.join(map(str, counts))} folds, all answers on one {cluster} in the same one. A figure is "
        "the mean over the folds that have both classes, each scored by what was fitted, and called at the "
        f"threshold that was best, on the other folds. The interval holds the middle 95 % of draws of "
        f"{cluster}s. The standard deviation over the folds is in the second table; it is no error of the "
        "mean."
    )


def noise_told(detected: Targets) -> str:
    """Return what is noise, with the figures for the numbers of answers at hand."""
    spans: dict[str, list[str]] = {}
    for one in detected.targets:
        if math.isfinite((span := target_span(one)).low):
            told = f"{area(span.low)} to {area(span.high)} at n = {one.found.answers:,}"
            spans.setdefault(told, []).append(one.name)
    here = "; ".join(f"{told} ({', '.join(names)})" for told, names in spans.items())
    return (
        "About .48 to .53 is noise at n = 1,000: four in five scores without information fall into so wide a "
        f"band around one half.{f' Here that is {here}.' if here else ''} One such score in twenty falls "
        "outside a band half as wide again, so that of many detectors one does."
    )


def target_span(target: Target) -> Span:
    """Return the neutral band of AUROC of a target."""
    return auroc_span(target.random.folds)


def area(value: float) -> str:
    """Return an area under a curve as a sentence has it, such as .48."""
    return f"{value:.2f}".removeprefix("0") if math.isfinite(value) else "not known"


def paper_of(detected: Targets) -> Paper:
    """Return the paper to which exhibits of these targets belong."""
    return "bear-bench" if detected.benchmark == "bear-bench" else "layered-vqa"


def label_of(detected: Targets) -> str:
    """Return what the paper calls its tables of detectors; empty for a benchmark whose paper has none."""
    return PAPER_TABLES if detected.benchmark == "bear-bench" else ""


def cluster_of(detected: Targets) -> str:
    """Return what the bootstrap draws together: a document, or a scene."""
    return find_benchmark(detected.benchmark).cluster


def basis(inputs: DetectorInputs, detected: Targets) -> tuple[tuple[str, str], ...]:
    """Return what the exhibits rest on: answers, coverage, what was left out, and by whose verdicts."""
    answers = sum(one.found.answers for one in detected.targets)
    outcomes = Counter[str]()
    for one in detected.targets:
        outcomes.update(one.found.left_out)
    left = [f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in sorted(outcomes.items()) if count]
    judges = list(dict.fromkeys(one.found.judge for one in detected.targets))
    models = len({one.found.model for one in detected.targets})
    of = f" of {models} models" if models > 1 else ""
    lacking = ", ".join(detected.lacking)
    pairs = (
        ("n", f"{answers:,} answers{of}"),
        (
            "Coverage",
            f"{PRINTED.coverage(answers, answers + outcomes.total())} % of the planned conversations",
        ),
        ("Left out", ", ".join(left)),
        ("Without detections", f"{lacking}: {commands(inputs.runs)}" if lacking else ""),
        ("Condition", ", ".join(dict.fromkeys(one.found.condition for one in detected.targets))),
        ("Judge of the answers", "" if judges == [inputs.judge] else ", ".join(judges)),
    )
    return tuple((label, text) for label, text in pairs if text)


def commands(runs: Sequence[str]) -> str:
    """Return what sets detectors against the answers of runs, signals of a local model first."""
    named = " ".join(map(quote, runs))
    return f"lvqa features {named} --model PATH, then lvqa detect {named}"


def lacking_detections(runs: Sequence[str]) -> str:
    """Return what a report says of runs without detections, and what makes these."""
    return (
        f"No detector was set against the answers of {', '.join(runs)}. Signals of a local model come first, "
        f"where a run has no log-probabilities or hidden states are wanted: {commands(runs)}"
    )


def counts_note(what: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return a note that names who has how many of something; none where nobody has any."""
    named = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    return (f"{what}: {named}.",) if named else ()
