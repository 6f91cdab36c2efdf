"""How much better one detector is than another on the same answers."""

import math

from lvqa_eval.detectors.detections import Difference
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.detectors.detected import Scorer, Target, Targets
from lvqa_eval.reports.detectors.measure import Measure
from lvqa_eval.reports.detectors.scorers import number, scorers, signals_of
from lvqa_eval.reports.table import Head, Table, Value

Pair = tuple[Scorer, Scorer]


def difference_tables(measure: Measure, detected: Targets) -> tuple[Table, ...]:
    """Return the table of paired differences by one measure; none where nobody took any."""
    order = {scorer: place for place, scorer in enumerate(scorers(detected))}
    pairs = {
        _pair(one) for target in detected.targets for one in target.found.differences if _is(one, measure)
    }
    if not pairs:
        return ()
    rows: list[tuple[Value, ...]] = [
        (
            one.detector,
            signals_of(detected, one),
            other.detector,
            signals_of(detected, other),
            *(_value(measure, target, (one, other)) for target in detected.targets),
        )
        for one, other in sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))
    ]
    targets = (Head(f"{one.name}, points", "points") for one in detected.targets)
    heads = (Head("Detector"), Head("Signals"), Head("Less"), Head("Its signals"), *targets)
    notes = (
        "Over the answers of which both have a score, in the same folds, paired inside each draw. A point is "
        "one hundredth.",
        "A detector that learns is also set against the best that does not: that one is chosen on these "
        "answers, which favours it.",
    )
    title = f"{measure.title} less that of another detector"
    return (Table(f"{measure.stem}-differences", title, heads, tuple(rows), notes),)


def _is(one: Difference, measure: Measure) -> bool:
    return one.measure == measure.name


def _pair(one: Difference) -> Pair:
    return Scorer(one.detector, one.source), Scorer(one.other, one.other_source)


def _value(measure: Measure, target: Target, pair: Pair) -> Value:
    found = next((one for one in target.found.differences if _is(one, measure) and _pair(one) == pair), None)
    if found is None:
        return math.nan
    scored = [one.n for one in map(target.of, pair) if one is not None]
    return Estimate(
        value=number(found.value),
        low=number(found.low),
        high=number(found.high),
        n=min(scored, default=0),
        scenes=target.found.documents,
        dropped=0,
    )
