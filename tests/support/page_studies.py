"""Pages with their questions, and studies of them: from arrays, or at random with what a real one has."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lvqa_eval.metrics.bear.conditions import CONDITIONS
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import PageRecord
from tests.support.studies import NAN, study_of

TYPES = {"business": ("10-K", "investor presentation", "flowchart"), "science": ("formulae", "figures")}


def page(question_id: str, source_document: str = "d0", **given: Any) -> PageRecord:
    """Return a page that holds nothing, of English business, but for what is `given`."""
    standing = {
        "question": "What is the total?",
        "answer": "42",
        "language": "en",
        "domain": "business",
        "document_type": "10-K",
        "page": 1,
        **{f"contains_{kind}": False for kind in ("diagrams", "tables", "equations", "code", "figures")},
        "contains_handwriting": False,
        "reasoning_steps": 3,
        "ocr_characters": 2000,
        "width": 1700,
        "height": 2200,
    }
    return PageRecord(question_id=question_id, source_document=source_document, **{**standing, **given})


def pages(count: int, documents: int = 12, seed: int = 0) -> tuple[PageRecord, ...]:
    """Return pages q000, q001, … of all cells, each document in one cell; a tenth has no number of steps."""
    rng = np.random.default_rng(seed)
    found = []
    for place in range(count):
        document = place % documents
        language, domain = ("ru", "en")[document % 2], ("business", "science")[document // 2 % 2]
        held = ("diagrams", "tables", "equations", "code", "figures", "handwriting")
        chance = (0.5, 0.4, 0.4, 0.1, 0.4, 0.05)
        found.append(
            page(
                f"q{place:03d}",
                f"d{document:02d}",
                language=language,
                domain=domain,
                document_type=str(rng.choice(TYPES[domain])),
                page=place // documents + 1,
                reasoning_steps=None if rng.random() < 0.1 else int(rng.integers(3, 9)),
                ocr_characters=int(rng.integers(800, 5000)),
                **{f"contains_{kind}": bool(rng.random() < p) for kind, p in zip(held, chance, strict=True)},
            )
        )
    return tuple(found)


def page_study(correct: object, conditions: Sequence[str], asked: Sequence[PageRecord]) -> Study[PageRecord]:
    """Return a study of pages from (models, conditions, questions, runs); what is NaN was not judged."""
    return study_of(correct, conditions, asked=asked)


def random_page_study(
    models: Sequence[str] = ("org/model-4B", "org/model-9B"),
    conditions: Sequence[str] = CONDITIONS,
    count: int = 48,
    seed: int = 0,
) -> Study[PageRecord]:
    """Return a study in which a twentieth was not judged; later models are better, small pictures worse."""
    rng = np.random.default_rng(seed)
    shape = (len(models), len(conditions), count, 1)
    level = np.linspace(0.3, 0.75, len(models))[:, None] * np.linspace(1.0, 0.4, len(conditions))
    correct = (rng.random(shape) < level[..., None, None]).astype(float)
    correct[rng.random(shape) < 0.05] = NAN
    study = page_study(correct, conditions, pages(count, seed=seed))
    return Study(tuple(models), study.conditions, study.questions, study.correct, study.outcome)
