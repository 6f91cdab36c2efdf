"""The summary of a detector as text for a terminal."""

from lvqa_eval.detectors.detect import DetectionSummary
from lvqa_eval.detectors.evaluate import Detection, mean_of_defined
from lvqa_eval.reports.numerals import ASCII

COLUMNS = ("Condition", "AUROC [95 %]", "Average precision", "Incorrect", "n", "Unscored")


def plain(summary: DetectionSummary) -> str:
    """Return the summary as aligned text, figures in per cent; ends with a newline."""
    lines = [COLUMNS, *(_cells(name, one) for name, one in summary.by_condition.items())]
    lines.append(_cells("all conditions", summary.pooled))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    mean, defined, conditions = mean_of_defined(one.auroc for one in summary.by_condition.values())
    text = [f"Detector  {summary.detector}", f"Judge     {summary.judge}", ""]
    for line in lines:
        numbers = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        text.append("  ".join([line[0].ljust(widths[0]), *numbers]))
    text += [
        "",
        f"Mean AUROC over conditions: {ASCII.percent(mean)}, defined in {defined} of {conditions}.",
        "50.0 is chance. Incorrect answers are the positive class.",
    ]
    if summary.left_out:
        text.append(f"Left out, without an answer or a verdict: {summary.left_out} conversations.")
    return "\n".join([*text, f"Scores: {summary.path}"]) + "\n"


def _cells(name: str, detection: Detection) -> tuple[str, ...]:
    return (
        name,
        ASCII.percent_with_interval(detection.auroc, detection.low, detection.high),
        ASCII.percent(detection.average_precision),
        ASCII.percent(detection.prevalence),
        str(detection.n),
        str(detection.unscored),
    )
