"""The figures of a run over pages: parts of the set, their gap, prompts and sizes; counted by hand."""

import numpy as np
import pytest

from leaderboard.board.page_figures import page_figures
from lvqa_eval.metrics.bear.conditions import COT, DEFAULT
from lvqa_eval.metrics.delivery import accuracy_table
from tests.support.page_studies import page, page_study


def study_of(**correct):
    """Return a study of one model on eight pages of eight documents, two a cell; `correct` by condition."""
    cells = [("en", "business"), ("ru", "business"), ("en", "science"), ("ru", "science")]
    pages = tuple(
        page(f"p{i}", f"d{i}", language=cells[i // 2][0], domain=cells[i // 2][1]) for i in range(8)
    )
    values = np.array([list(correct.values())], dtype=float)[..., None]
    return page_study(values, tuple(correct), pages)


def test_parts_and_their_gap_by_hand():
    study = study_of(default=(1, 1, 1, 0, 1, 0, 0, 0))
    found = page_figures(study, None, study.weights(200, 0)).figures
    values = {key: one.value for key, one in found.items()}
    parts = ("overall", "en", "ru", "gap", "business", "science")
    assert [values[one] for one in parts] == [0.5, 0.75, 0.25, 0.5, 0.75, 0.25]
    cells = ("business-en", "business-ru", "science-en", "science-ru")
    assert [values[one] for one in cells] == [1.0, 0.5, 0.5, 0.0]
    assert found["gap"].n == 8
    assert values["default"] == values["overall"]
    assert "words" not in values


def test_the_interval_of_the_gap_is_paired_inside_each_draw():
    study = study_of(default=(1, 0, 1, 0, 1, 1, 0, 0))
    weights = study.weights(500, 0)
    found = page_figures(study, None, weights).figures["gap"]
    correct = study.correct[0, 0, :, 0]
    english = np.array([one.language == "en" for one in study.questions])
    with np.errstate(invalid="ignore"):
        drawn = [
            (row[english] @ correct[english]) / row[english].sum()
            - (row[~english] @ correct[~english]) / row[~english].sum()
            for row in weights
        ]
    assert (found.low, found.high) == pytest.approx(tuple(np.nanquantile(drawn, [0.025, 0.975])))
    assert found.dropped == np.isnan(drawn).sum()


def test_prompts_and_sizes_are_conditions_with_their_change():
    study = study_of(
        **{DEFAULT: (1, 1, 0, 0, 1, 0, 0, 0), COT: (1, 1, 1, 1, 1, 1, 0, 0), "downsample-2": (0,) * 8}
    )
    measured = page_figures(study, None, study.weights(100, 0))
    values = {key: one.value for key, one in measured.figures.items()}
    assert (values["cot"], values["delta_cot"]) == (0.75, 0.375)
    assert (values["downsample-2"], values["delta_downsample-2"]) == (0.0, -0.375)
    levels = accuracy_table(study, study.weights(100, 0))
    assert measured.figures["cot"] == levels.at(study.models[0], "cot")
    assert measured.counts["en"] == 4
    assert measured.counts["business-ru"] == 2
    # What the table of means needs is drawn, the accuracies of single conditions are not.
    assert {"overall", "gap", "delta_cot"} <= measured.drawn.keys()
    assert "cot" not in measured.drawn


def test_without_the_default_there_are_its_own_conditions_alone():
    study = study_of(cot=(1, 1, 0, 0, 1, 0, 0, 0))
    found = page_figures(study, None, study.weights(100, 0)).figures
    assert found["cot"].value == 0.375
    assert not {"overall", "en", "gap", "delta_cot"} & found.keys()
