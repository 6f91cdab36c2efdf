from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.groups import (
    by_background,
    by_category,
    by_depth,
    by_kind,
    change_by_group,
    kind_contrast,
    level_by_group,
)
from tests.support.scored_runs import question
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of

PAIR = ("full", "oracle")


def asked(category="spatial", minimal=((1, 2),), depth=4, place=0):
    return replace(question(f"q{place}", f"s{place}", minimal, depth), category=category)


def test_groups_by_what_is_asked_and_where_the_evidence_lies():
    names = ["spatial", "direct_ask", "counting", "occlusion", "multi_hop"]
    sets = [((0, 1),), ((1,), (0,)), ((2,),), ((0,),), ((1, 2),)]
    questions = [
        asked(name, minimal, 3 + place % 2, place)
        for place, (name, minimal) in enumerate(zip(names, sets, strict=True))
    ]
    study = study_of(np.ones((1, 1, 5, 1)), ["full"], asked=questions)
    assert {name: mask.tolist() for name, mask in by_kind(study).items()} == {
        "single object": [False, True, False, True, False],
        "relational": [True, False, True, False, True],
    }
    assert by_kind(study, ["spatial"])["relational"].tolist() == [True, False, False, False, False]
    # The background in another minimal set than the gold one is not in gold.
    assert by_background(study)["background in gold"].tolist() == [True, False, False, True, False]
    assert {name: mask.tolist() for name, mask in by_depth(study).items()} == {
        "3": [True, False, True, False, True],
        "4": [False, True, False, True, False],
    }
    assert list(by_category(study)) == ["counting", "direct_ask", "multi_hop", "occlusion", "spatial"]


def test_depths_are_in_the_order_of_numbers():
    questions = [asked(depth=depth, place=place) for place, depth in enumerate([10, 2, 9])]
    study = study_of(np.ones((1, 1, 3, 1)), ["full"], asked=questions)
    assert list(by_depth(study)) == ["2", "9", "10"]


def test_relational_losses_by_hand():
    """Single: 2 of 2 under full, 1 of 2 under oracle. Relational: 3 of 4, then 0 of 4. D = 3/4 - 1/2."""
    kinds = ["direct_ask", "occlusion", "spatial", "counting", "multi_hop", "spatial"]
    questions = [asked(kind, place=place) for place, kind in enumerate(kinds)]
    correct = [[[[1], [1], [1], [1], [1], [0]], [[1], [0], [0], [0], [0], [0]]]]
    study = study_of(correct, PAIR, asked=questions)
    found = kind_contrast(study, study.weights(300))
    assert found.relational == ("spatial", "counting", "multi_hop")
    assert found.single_change.at("m0", "oracle").value == -0.5
    assert found.relational_change.at("m0", "oracle").value == -0.75
    excess = found.excess.at("m0", "oracle")
    assert excess.value == 0.25
    assert (excess.n, excess.questions, excess.scenes, excess.planned) == (6, 6, 6, 6)
    # A draw of six scenes has no single-object question with probability (4/6)^6 = 0.088.
    assert 12 < found.single_change.at("m0", "oracle").dropped < 45
    assert found.relational_change.at("m0", "oracle").dropped <= 3
    assert excess.dropped == (
        found.single_change.at("m0", "oracle").dropped + found.relational_change.at("m0", "oracle").dropped
    )


def test_the_excess_agrees_with_scipy():
    study = random_study(PAIR, seed=2)
    kinds = by_kind(study)

    def excess(row):
        pairs = study.of(["full"])[row, 0] - study.of(["oracle"])[row, 0]

        def value(drawn):
            single, related = (
                np.nanmean(pairs[[place for place in drawn if mask[place]]]) for mask in kinds.values()
            )
            return related - single

        return value

    every = list(range(18))
    for value, model in ((excess(0), "m0"), (lambda drawn: (excess(0)(drawn) + excess(1)(drawn)) / 2, None)):
        weights, low, high = scipy_bootstrap(study, value)
        table = kind_contrast(study, weights).excess
        agrees(table.at(model, "oracle") if model else table.of_field("oracle"), value(every), low, high)


def test_a_kind_from_one_scene_has_no_interval():
    """Of two scenes every draw that has both kinds is the same: an interval without width would lie."""
    questions = [asked("direct_ask", place=0), asked("spatial", place=1)]
    study = study_of([[[[1], [1]], [[1], [0]]]], PAIR, asked=questions)
    found = kind_contrast(study, study.weights(50)).excess.at("m0", "oracle")
    assert found.value == 1.0
    assert np.isnan([found.low, found.high]).all()


def test_losses_by_group_are_paired_inside_the_group():
    questions = [
        asked(minimal=minimal, place=place) for place, minimal in enumerate([((0, 1),)] * 2 + [((1,),)] * 3)
    ]
    correct = [[[[1, 1], [1, NAN], [1, 1], [0, 1], [1, 0]], [[0, 1], [0, 1], [1, 1], [0, 0], [1, 1]]]]
    study = study_of(correct, PAIR, asked=questions)
    weights = study.weights(80)
    table = change_by_group(study, "oracle", by_background(study), weights)
    inside, outside = (table.at("m0", column) for column in table.columns)
    assert inside.value == pytest.approx(-2 / 3)
    assert outside.value == pytest.approx(0.0)
    assert [(one.n, one.questions, one.planned) for one in (inside, outside)] == [(3, 2, 4), (6, 3, 6)]
    levels = level_by_group(study, "full", by_background(study), weights)
    assert levels.cells.value.tolist() == [[1.0, 4 / 6]]


def test_groups_agree_with_scipy():
    study = random_study(PAIR, seed=5)
    groups = {"some": np.arange(18) % 5 > 0, "others": np.arange(18) % 5 == 0}
    pairs = study.of(["oracle"])[1, 0] - study.of(["full"])[1, 0]

    def change(drawn):
        return np.nanmean(pairs[[place for place in drawn if groups["some"][place]]])

    weights, low, high = scipy_bootstrap(study, change)
    found = change_by_group(study, "oracle", groups, weights)
    agrees(found.at("m1", "some"), change(list(range(18))), low, high)
    assert found.columns == ("some", "others")


def test_an_empty_group_has_no_figure():
    study = random_study(PAIR)
    found = change_by_group(study, "oracle", by_background(study), study.weights(20))
    figure = found.of_field("background in gold")
    assert np.isnan(figure.value)
    assert (figure.n, figure.planned, figure.dropped) == (0, 0, 20)
