"""A comparison as one HTML page that needs nothing else: no script, no request, light and dark."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from shlex import quote

from lvqa_eval.progress import progress
from lvqa_eval.reports.axes import Axis, IntervalBar, difference_axis, interval_bar
from lvqa_eval.reports.compare.comparison import Comparison
from lvqa_eval.reports.compare.flips import Answers, Flip, RunReply
from lvqa_eval.reports.compare.pairing import Kind, PairedRow
from lvqa_eval.reports.compare.pictures import Shown, Thumbnails
from lvqa_eval.reports.deliveries import BASELINES, DELIVERIES, FURTHER, FURTHER_BASELINE
from lvqa_eval.reports.glyphs import HEIGHT, WIDTH, Glyph, glyph
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.templates import FOLDER, load_template, style_sheets
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import MODEL_FAILED, Status

FLIPS = 100
"""Flipped questions on a page, if not told otherwise."""

OPENED = 10
"""Flipped questions that are open when the page is; the others open by a click."""

STRIP = 5
"""Figures at the head of a page: that of all conditions, then the first of `HEADS` that there are."""

HEADS = ("full", "concat-v", "sharded-v", "sharded-q", "oracle", "concat-q")

_HERE = Path(__file__).parent
_TITLES: dict[Kind, str] = {"all": "All", "family": "By family", "category": "By category"}

DEFINITIONS: dict[str, str] = {
    "A, B": (
        "Accuracy of each run over the pairs alone, so that both are about the same questions: the share of "
        "final turns that are right. What a model failed (truncated, refused, empty, unparsable) is wrong."
    ),
    "B less A": (
        "Paired difference in percentage points; the interval is that of the difference inside each draw, "
        "one draw for all rows. There is no correction for the number of rows. Rows of several "
        "conditions are over all their pairs."
    ),
    "Coverage": "Conversations of a run that count, divided by those planned, of its own and not the pairs.",
    "Flipped": (
        "Right in more than half of the runs that count on one side, wrong in more than half on the other. "
        "The change is the difference of the shares of right runs. Some questions flip between two runs of "
        "one model as well."
    ),
    "Pictures": (
        "Rendered again from the dataset and checked to have the pixels that were sent, then made small. "
        "Size and hash are those of the picture as sent."
    ),
}


@dataclass(frozen=True)
class PageRow:
    """One row as the page draws it."""

    paired: PairedRow
    glyph: Glyph | None
    sends: str
    bar: IntervalBar | None
    gained: int
    lost: int


@dataclass(frozen=True)
class PageFlip:
    """One flipped question as the page shows it: its pictures, under a title where A and B got others."""

    found: Flip
    glyph: Glyph | None
    pictures: tuple[tuple[str, tuple[Shown, ...]], ...]
    commands: tuple[str, ...]


def page(found: Comparison, thumbnails: Thumbnails, command: str, flips: int = FLIPS) -> str:
    """Return the page with the first `flips` questions; `command` is that which makes it again."""
    axis = difference_axis(row.difference for row in found.shown)
    shown = _flips(found, thumbnails, flips)
    return load_template("compare.html", _HERE).render(
        found=found,
        css=style_sheets(FOLDER / "page.css", _HERE / "compare.css"),
        axis=axis,
        strip=_strip(found),
        groups=_groups(found, axis),
        flips=shown,
        gained=sum(flip.gained for flip in found.flips),
        opened=OPENED,
        missing=thumbnails.missing,
        verdict=verdict,
        alike=alike,
        definitions=DEFINITIONS,
        command=command,
        version=version("lvqa"),
        printed=PRINTED,
        glyph_size=(WIDTH, HEIGHT),
    )


def verdict(reply: RunReply) -> str:
    """Return in words how a reply counts."""
    if reply.status is None:
        return "no conversation"
    if reply.correct is None:
        told = "no verdict" if reply.status is Status.OK else reply.status.replace("_", " ")
        return f"not counted, {told}"
    if reply.status in MODEL_FAILED:
        return f"wrong, {reply.status.value}"
    return "right" if reply.correct else "wrong"


def alike(answers: Answers) -> list[tuple[str, RunReply]]:
    """Return each reply once, with the runs that gave it and count it alike, such as "Runs 1, 3"."""
    runs: dict[tuple[str, str | None], list[RunReply]] = {}
    for one in answers.replies:
        runs.setdefault((verdict(one), one.reply), []).append(one)
    return [
        (f"Run{'s' * (len(same) > 1)} {', '.join(str(one.run) for one in same)}", same[0])
        for same in runs.values()
    ]


def _groups(found: Comparison, axis: Axis) -> dict[str, list[PageRow]]:
    groups: dict[str, list[PageRow]] = {}
    for row in found.shown:
        title, sends = _titles(row)
        bar = interval_bar(axis, row.difference)
        sign = glyph(row.part.name) if row.part.kind in ("condition", "baseline") else None
        groups.setdefault(title, []).append(PageRow(row, sign, sends, bar, *found.flipped(row)))
    return groups


def _strip(found: Comparison) -> list[PairedRow]:
    rows = {row.part.name: row for row in found.shown if row.part.kind == "condition"}
    first = [row for row in found.shown if row.part.kind == "all"]
    return [*first, *(rows[name] for name in HEADS if name in rows)][:STRIP]


def _titles(row: PairedRow) -> tuple[str, str]:
    """Return the group of a row, and what its condition sends."""
    if row.part.kind == "condition":
        return DELIVERIES.get(row.part.name, FURTHER)
    if row.part.kind == "baseline":
        return BASELINES.get(row.part.name, FURTHER_BASELINE)
    return _TITLES[row.part.kind], ""


def _flips(found: Comparison, thumbnails: Thumbnails, most: int) -> Sequence[PageFlip]:
    shown = found.flips[:most]
    alike = found.a.settings.get("images") == found.b.settings.get("images")
    flips = []
    with progress("pictures", len(shown)) as advance:
        for flip in shown:
            pictures = [("", _pictures(found, flip, "A", thumbnails))]
            if not alike:
                pictures = [
                    ("Pictures of A", pictures[0][1]),
                    ("Pictures of B", _pictures(found, flip, "B", thumbnails)),
                ]
            commands = tuple(_command(found, flip, letter) for letter in ("A", "B"))
            own = tuple((title, own) for title, own in pictures if own)
            flips.append(PageFlip(flip, glyph(flip.condition), own, commands))
            advance()
    return flips


def _pictures(found: Comparison, flip: Flip, letter: str, thumbnails: Thumbnails) -> tuple[Shown, ...]:
    side = found.a if letter == "A" else found.b
    return thumbnails.of(side.store, side.conversations[_key(flip, letter)])


def _command(found: Comparison, flip: Flip, letter: str) -> str:
    store: RunStore = (found.a if letter == "A" else found.b).store
    return " ".join(["lvqa runs show", *(quote(str(one)) for one in (store.folder, *_key(flip, letter)))])


def _key(flip: Flip, letter: str) -> Key:
    answers = flip.a if letter == "A" else flip.b
    return Key(flip.condition, flip.question.question_id, answers.typical.run)
