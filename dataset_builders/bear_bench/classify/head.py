"""The classifier over vectors of pages: one logistic regression a label, its report, and its file."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.encoders import Vectors
from dataset_builders.bear_bench.records import LABELS
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

HELD_OUT = 0.2
THRESHOLD = 0.5
SEED = 42

_MOST_STEPS = 2000


class HeadError(LvqaError, ValueError):
    """A classifier that cannot be fitted, or a file that holds none for these vectors."""


@dataclass(frozen=True)
class LabelScore:
    """How a label fares on the pages held out; a figure that is undefined is NaN.

    `trained` and `support` count the pages with the label, of those learnt from and of those held out;
    `predicted` those that the classifier gives it. `average_precision` needs no threshold; chance is
    support / pages held out.
    """

    label: str
    trained: int
    support: int
    predicted: int
    precision: float
    recall: float
    f1: float
    average_precision: float


@dataclass(frozen=True)
class Report:
    """What was learnt from and held out, in pages and documents, and how every label fares."""

    pages: int
    documents: int
    held_out_pages: int
    held_out_documents: int
    threshold: float
    labels: tuple[LabelScore, ...]


@dataclass(frozen=True, eq=False)
class Head:
    """Plain arrays of the classifier: probabilities are 1 / (1 + exp(-(weights @ x + intercepts))).

    x is a vector less `centre`, over `spread` (dimension,); `weights` (labels, dimension). A label of which
    all pages learnt from, or none, have it was not learnt: `fixed` is its probability, NaN for the others.
    """

    centre: Floats
    spread: Floats
    weights: Floats
    intercepts: Floats
    fixed: Floats

    def probabilities(self, vectors: Vectors) -> Floats:
        """Return the probability of each label for each vector, (pages, labels)."""
        from scipy.special import expit

        scaled = (vectors.astype(np.float64) - self.centre) / self.spread
        found: Floats = expit(scaled @ self.weights.T + self.intercepts)
        return np.where(np.isnan(self.fixed), found, self.fixed)


def held_out(documents: Sequence[str], seed: int = SEED, share: float = HELD_OUT) -> Mask:
    """Return which pages are held out: all those of a share of the documents, drawn by `seed`.

    Pages of one document are alike; parted, they would tell of each other. Raises HeadError for less than two
    documents.
    """
    from sklearn.model_selection import GroupShuffleSplit

    found = sorted(set(documents))
    if len(found) < 2:
        raise HeadError(
            f"labels: found pages of {len(found)} documents with labels, needed at least 2: "
            "one to learn from and one to hold out"
        )
    places = {name: place for place, name in enumerate(found)}
    split = GroupShuffleSplit(n_splits=1, test_size=share, random_state=seed)
    _, test = next(split.split(documents, groups=[places[name] for name in documents]))
    mask = np.zeros(len(documents), dtype=bool)
    mask[test] = True
    return mask


def fit(vectors: Vectors, targets: Mask, raw: bool) -> Head:
    """Return the classifier of `targets` (pages, labels); `raw` vectors are scaled to unit spread first.

    Raises HeadError where no label can be learnt.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.multioutput import MultiOutputClassifier

    shares = targets.mean(axis=0)
    learnt = (shares > 0) & (shares < 1)
    if not learnt.any():
        raise HeadError(f"labels: of {len(targets)} pages to learn from all have the same labels")
    size = vectors.shape[1]
    centre, spread = np.zeros(size), np.ones(size)
    if raw:
        centre = vectors.mean(axis=0, dtype=np.float64)
        found = vectors.std(axis=0, dtype=np.float64)
        spread = np.where(found > 0, found, 1.0)
    regression = LogisticRegression(class_weight="balanced", max_iter=_MOST_STEPS)
    scaled = (vectors.astype(np.float64) - centre) / spread
    fitted = MultiOutputClassifier(regression).fit(scaled, targets[:, learnt]).estimators_
    weights, intercepts = np.zeros((len(LABELS), size)), np.zeros(len(LABELS))
    weights[learnt] = [one.coef_[0] for one in fitted]
    intercepts[learnt] = [one.intercept_[0] for one in fitted]
    return Head(centre, spread, weights, intercepts, np.where(learnt, np.nan, shares))


def report(
    head: Head, vectors: Vectors, targets: Mask, documents: Sequence[str], test: Mask, threshold: float
) -> Report:
    """Return how a classifier, fitted on the pages outside `test`, fares on those inside."""
    probabilities = head.probabilities(vectors[test])
    scores = [
        _score(label, targets[:, place], probabilities[:, place], test, threshold)
        for place, label in enumerate(LABELS)
    ]
    named = np.array(documents, dtype=object)
    return Report(
        pages=int((~test).sum()),
        documents=len(set(named[~test])),
        held_out_pages=int(test.sum()),
        held_out_documents=len(set(named[test])),
        threshold=threshold,
        labels=tuple(scores),
    )


def write(path: Path, head: Head, found: Report, about: Mapping[str, Any]) -> None:
    """Write a classifier with its report as JSON; `about` says what it was made with."""
    arrays = {name: _plain(getattr(head, name)) for name in Head.__dataclass_fields__}
    content = {"about": dict(about), "labels": list(LABELS), "report": _finite(asdict(found)), "head": arrays}
    write_whole(path, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def read(path: Path, encoder: Mapping[str, Any]) -> Head:
    """Return the classifier at `path`; HeadError where it is none, or one of another encoder's vectors."""
    try:
        content = json.loads(path.read_bytes())
        stored, labels, made_with = content["head"], content["labels"], content["about"]["encoder"]
        arrays = {name: np.array(stored[name], dtype=np.float64) for name in Head.__dataclass_fields__}
    except OSError as error:
        raise HeadError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise HeadError(f"{path}: no classifier: {type(error).__name__}: {error}") from error
    problems = [
        f"{path}: {name}: found {found}, needed {needed}"
        for name, found, needed in (
            ("labels", labels, list(LABELS)),
            ("encoder", made_with, dict(encoder)),
        )
        if found != needed
    ]
    if problems:
        raise HeadError("\n".join(problems))
    return Head(**arrays)


def _score(label: str, target: Mask, probability: Floats, test: Mask, threshold: float) -> LabelScore:
    from sklearn.metrics import average_precision_score, precision_recall_fscore_support

    truth, predicted = target[test], probability >= threshold
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, predicted, average="binary", zero_division=np.nan
    )
    return LabelScore(
        label=label,
        trained=int(target[~test].sum()),
        support=int(truth.sum()),
        predicted=int(predicted.sum()),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        average_precision=float(average_precision_score(truth, probability)) if truth.any() else math.nan,
    )


def _plain(array: Floats) -> Any:
    """Return an array as nested lists; what is NaN is None."""
    return _finite(array.tolist())


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
