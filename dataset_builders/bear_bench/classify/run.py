"""Stage classify: a page is kept where it has diagrams, equations or code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dataset_builders.bear_bench.classify import head
from dataset_builders.bear_bench.classify.embeddings import embed
from dataset_builders.bear_bench.classify.encoders import BATCH, STAND_IN, Device, Vectors, open_encoder
from dataset_builders.bear_bench.classify.given import read_given
from dataset_builders.bear_bench.classify.head import Floats, Head, Report
from dataset_builders.bear_bench.classify.silver import NAME as SILVER
from dataset_builders.bear_bench.classify.silver import read_silver
from dataset_builders.bear_bench.counts import StageCount
from dataset_builders.bear_bench.records import LABELS, Drop, Page, PageLabels
from dataset_builders.bear_bench.work import Work
from lvqa_eval.errors import LvqaError

STAGE = "classify"
CONTENT = "content"
"""Why a page is left out: it has none of the kinds of content that are wanted."""

KEPT_FOR = ("diagrams", "equations", "code")
HEAD = "classifier.json"
GIVEN = "given"
_PLACES = 6


class ClassifyError(LvqaError, ValueError):
    """Pages that nothing can be learnt from."""


@dataclass(frozen=True)
class ClassifyOptions:
    """How pages are labelled.

    - `encoder`: "layout", the stand-in, or a SigLIP as a folder or an id of the Hub; on `device`, `batch`
      pages at once.
    - `labels`: a file of given labels; these stand as they are, and the other pages learn from them, and from
      the silver labels of the work folder where it has some.
    - `classifier`: the file of one that was fitted before; nothing is learnt then.
    - `keep`: a page with one of these is kept. `threshold`: the least probability that makes a label.
    - `seed`: which documents are held out for the report.
    """

    encoder: str = STAND_IN
    device: Device = "auto"
    batch: int = BATCH
    labels: Path | None = None
    classifier: Path | None = None
    keep: tuple[str, ...] = KEPT_FOR
    threshold: float = head.THRESHOLD
    seed: int = head.SEED


@dataclass(frozen=True)
class Classified:
    """What the stage did; `report` is None where nothing was learnt."""

    count: StageCount
    report: Report | None


def run(work: Work, options: ClassifyOptions) -> Classified:
    """Label every page and keep those with the wanted content.

    Writes labels.jsonl, the drops with their probabilities, and classifier.json with its report. Raises
    ClassifyError where there is nothing to learn from.
    """
    pages = work.read("pages", Page, "render")
    given = _known(read_given(options.labels), pages) if options.labels else {}
    others = [page for page in pages if page.page_id not in given]
    labelled = [_given(page, given[page.page_id]) for page in pages if page.page_id in given]
    found = None
    if others:
        by_encoder, found = _by_encoder(work, pages, others, given, options)
        labelled += by_encoder
    return Classified(_write(work, pages, labelled, options.keep), found)


def _by_encoder(
    work: Work,
    pages: Sequence[Page],
    others: Sequence[Page],
    given: Mapping[str, tuple[str, ...]],
    options: ClassifyOptions,
) -> tuple[list[PageLabels], Report | None]:
    """Return the labels of `others` by the classifier that the options name, or by one that learns."""
    teachers: Mapping[str, tuple[str, ...]] = {}
    if options.classifier is None:
        teachers = _teachers(work, pages, given)
    encoder = open_encoder(options.encoder, options.device, options.batch)
    names = {page.page_id for page in others} | teachers.keys()
    wanted = [page for page in pages if page.page_id in names]
    vectors = dict(zip((page.page_id for page in wanted), embed(work, wanted, encoder), strict=True))
    found = None
    if options.classifier is not None:
        fitted = head.read(options.classifier, encoder.identity())
    else:
        learners = [page for page in pages if page.page_id in teachers]
        fitted, found = _learnt(learners, teachers, vectors, encoder.raw, options)
        sources = sorted({GIVEN if name in given else SILVER for name in teachers})
        about = {"encoder": dict(encoder.identity()), "learnt_from": sources, "seed": options.seed}
        head.write(work.folder / HEAD, fitted, found, about)
    probabilities = fitted.probabilities(np.array([vectors[page.page_id] for page in others]))
    labels = [
        _labelled(page, row, encoder.name, options.threshold)
        for page, row in zip(others, probabilities, strict=True)
    ]
    return labels, found


def _learnt(
    pages: Sequence[Page],
    teachers: Mapping[str, tuple[str, ...]],
    vectors: Mapping[str, Vectors],
    raw: bool,
    options: ClassifyOptions,
) -> tuple[Head, Report]:
    """Return a classifier that learnt from four fifths of the documents, and how it fares on the others."""
    rows = np.array([vectors[page.page_id] for page in pages])
    targets = np.array([[label in teachers[page.page_id] for label in LABELS] for page in pages], dtype=bool)
    documents = [page.document_id for page in pages]
    test = head.held_out(documents, options.seed)
    fitted = head.fit(rows[~test], targets[~test], raw)
    return fitted, head.report(fitted, rows, targets, documents, test, options.threshold)


def _teachers(
    work: Work, pages: Sequence[Page], given: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the labels to learn from by page; a given one stands above a silver one."""
    silver = read_silver(work, pages) if work.has(SILVER) else {}
    if not silver and not given:
        raise ClassifyError(
            f"{work.folder}: no labels to learn from; ask a model for some (--silver URL --model NAME), "
            "give a file (--labels), or name a classifier that was fitted before (--classifier)"
        )
    return {**silver, **given}


def _known(given: Mapping[str, tuple[str, ...]], pages: Sequence[Page]) -> dict[str, tuple[str, ...]]:
    """Return the given labels of pages that there are."""
    names = {page.page_id for page in pages}
    return {name: labels for name, labels in given.items() if name in names}


def _given(page: Page, labels: tuple[str, ...]) -> PageLabels:
    certain = tuple(float(label in labels) for label in LABELS)
    return PageLabels(page_id=page.page_id, probabilities=certain, labels=labels, labelled_by=GIVEN)


def _labelled(page: Page, row: Floats, by: str, threshold: float) -> PageLabels:
    # Rounded: the last digits of a sum depend on the machine.
    rounded = tuple(round(float(value), _PLACES) for value in row)
    found = tuple(label for label, value in zip(LABELS, rounded, strict=True) if value >= threshold)
    return PageLabels(page_id=page.page_id, probabilities=rounded, labels=found, labelled_by=by)


def _write(
    work: Work, pages: Sequence[Page], labelled: Sequence[PageLabels], keep: Sequence[str]
) -> StageCount:
    place = {page.page_id: number for number, page in enumerate(pages)}
    ordered = sorted(labelled, key=lambda one: place[one.page_id])
    kept = [one for one in ordered if set(one.labels) & set(keep)]
    drops = [_drop(one, keep) for one in ordered if not set(one.labels) & set(keep)]
    work.write("labels", kept, sorted(drops, key=lambda drop: drop.id))
    groups = {label: sum(label in one.labels for one in kept) for label in LABELS}
    return StageCount(STAGE, "pages", len(kept), {CONTENT: len(drops)} if drops else {}, groups)


def _drop(one: PageLabels, keep: Sequence[str]) -> Drop:
    told = (f"{label} {value:.2f}" for label, value in zip(LABELS, one.probabilities, strict=True))
    chances = ", ".join(words for label, words in zip(LABELS, told, strict=True) if label in keep)
    return Drop(id=one.page_id, stage=STAGE, reason=CONTENT, detail=chances)


def report_table(found: Report) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the report as the heads and the cells of a table: counts, then shares in per cent."""
    heads = ("Label", "Learnt from", "Held out", "Given", "Precision", "Recall", "F1", "Average precision")

    def percent(value: float) -> str:
        return "-" if np.isnan(value) else f"{100 * value:.1f}"

    rows: list[list[str]] = [
        [
            one.label,
            str(one.trained),
            str(one.support),
            str(one.predicted),
            *map(percent, (one.precision, one.recall, one.f1, one.average_precision)),
        ]
        for one in found.labels
    ]
    return heads, rows
