"""The condition table as text for a terminal, as Markdown and as LaTeX."""

from collections.abc import Sequence
from itertools import chain
from textwrap import fill

from lvqa_eval.metrics.alignment import AlignmentContrast
from lvqa_eval.reports.conditions import depths
from lvqa_eval.reports.conditions.cautions import failures
from lvqa_eval.reports.conditions.rows import ConditionRow
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.latex import ampersands, escape_latex
from lvqa_eval.reports.markdown import escape_markdown, pipes
from lvqa_eval.reports.numerals import ASCII, LATEX, PRINTED, Numerals

TITLE = "Accuracy by delivery condition"
NOT_RUN = "not run"
MINIMUM_WIDTH = 76
COLUMNS = ("Condition", "Accuracy [95 %]", "To full [95 %]", "Strict", "SD", "n", "Coverage")
_STRICT = COLUMNS.index("Strict")


def cells(row: ConditionRow, printed: Numerals) -> tuple[str, ...]:
    """Return the texts of one row under `COLUMNS`; shares in per cent, differences in points."""
    measured = row.measured
    if measured is None:
        return (row.label, NOT_RUN, *[printed.dash] * (len(COLUMNS) - 2))
    accuracy, interval, difference = measured.accuracy, measured.interval, measured.difference
    to_full = printed.dash
    if difference is not None:
        to_full = printed.points_with_interval(difference.value, difference.low, difference.high)
    return (
        row.label,
        printed.percent_with_interval(interval.value, interval.low, interval.high),
        to_full,
        printed.percent(accuracy.strict),
        printed.percent(accuracy.run_sd),
        str(accuracy.valid),
        printed.coverage(accuracy.valid, accuracy.planned),
    )


def contrast_sentences(contrast: AlignmentContrast, printed: Numerals) -> str:
    """Return the aligned contrast in words, with the mean turns of complete evidence beside it."""
    figure = contrast.difference
    left_out = ""
    if contrast.identical:
        left_out = f"; questions left out because both deliveries are identical: {contrast.identical}"
    if not figure.n:
        return f"aligned-vq minus misaligned-vq: no pair is valid in both{left_out}."
    points = printed.points_with_interval(figure.value, figure.low, figure.high)
    return (
        f"aligned-vq minus misaligned-vq: {points} points over {figure.n} pairs{left_out}. "
        f"Mean turn of complete evidence: {printed.turn(contrast.aligned_turn)} aligned, "
        f"{printed.turn(contrast.misaligned_turn)} misaligned."
    )


def plain(table: ConditionTable) -> str:
    """Return the table for a terminal: ASCII signs, aligned columns, notes below; ends with a newline.

    The strict accuracy has a column only where it differs from the accuracy.
    """
    lines = [COLUMNS, *(cells(row, ASCII) for row in table.rows)]
    if all(row.measured is None or row.measured.accuracy.coverage == 1.0 for row in table.rows):
        lines = [(*line[:_STRICT], *line[_STRICT + 1 :]) for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    label_width = max(len(label) for label, _ in table.header)
    text = [f"{label:<{label_width}}  {value}" for label, value in table.header]
    text += ["", _aligned(lines[0], widths), "  ".join("-" * width for width in widths)]
    text += [_aligned(line, widths) for line in lines[1:]]
    width = max(MINIMUM_WIDTH, len(text[-1]))
    for group in _notes(table, ASCII):
        notes = [fill(note, width, subsequent_indent="  ", break_on_hyphens=False) for note in group]
        text += ["", *notes] if notes else []
    return "\n".join(text) + "\n"


def markdown(table: ConditionTable) -> str:
    """Return the table as a Markdown document with its header and notes."""
    lines = [f"# {TITLE}", ""]
    lines += [f"- {label}: {escape_markdown(text)}" for label, text in table.header]
    lines += ["", pipes(COLUMNS), pipes(["---", *["---:"] * (len(COLUMNS) - 1)])]
    lines += [pipes(map(escape_markdown, cells(row, PRINTED))) for row in table.rows]
    lines += ["", *(f"- {escape_markdown(note)}" for note in chain(*_notes(table, PRINTED)))]
    text = "\n".join(lines).rstrip() + "\n"
    return text + "".join(f"{line}\n" for line in _depth_section(table))


def _depth_section(table: ConditionTable) -> list[str]:
    if not table.depths:
        return []
    head = depths.columns(table.depths)
    lines = ["", f"## {depths.TITLE}", "", pipes(head), pipes(["---"] * 2 + ["---:"] * (len(head) - 2))]
    lines += [pipes(map(escape_markdown, depths.cells(one, PRINTED))) for one in table.depths]
    return [*lines, "", depths.NOTE]


def latex(table: ConditionTable) -> str:
    """Return the table as a `tabular` for the package booktabs, the header and the notes as comments."""
    comments = [f"{label}: {text}" for label, text in table.header] + list(chain(*_notes(table, ASCII)))
    lines = [f"% {' '.join(comment.split())}" for comment in comments]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(COLUMNS) - 1)}}}", r"\toprule"]
    lines += [ampersands(map(escape_latex, COLUMNS)), r"\midrule"]
    for row in table.rows:
        name, *numbers = cells(row, LATEX)
        lines.append(ampersands([escape_latex(name), *numbers]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _notes(table: ConditionTable, printed: Numerals) -> tuple[list[str], list[str], list[str]]:
    contrast = [contrast_sentences(table.contrast, printed)] if table.contrast is not None else []
    return contrast, list(failures(table.rows, printed)), list(table.cautions)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    numbers = [text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True)]
    return "  ".join([line[0].ljust(widths[0]), *numbers])
