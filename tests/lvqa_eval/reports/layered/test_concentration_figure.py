import numpy as np
import pytest

from lvqa_eval.reports.layered.concentration_figure import exhibit
from tests.support.studies import NAN, random_study, study_of, without
from tests.support.study_inputs import inputs_of

PAIR = ("full", "concat-v")


def by_hand():
    """Losses of 1, 1, 1/2, 0 and -1/2; p sums up to 2.5."""
    full = [[[1], [1], [0], [0], [1]], [[1], [0], [1], [0], [NAN]]]
    layers = [[[0], [0], [0], [1], [0]], [[0], [0], [1], [0], [1]]]
    return study_of(np.stack([full, layers], axis=1), PAIR)


def test_shares_and_questions_without_a_loss():
    shares, _ = exhibit(inputs_of(by_hand())).tables
    (row,) = shares.rows
    by_head = {head.title: value for head, value in zip(shares.heads, row, strict=True)}
    assert by_head["Condition"] == "concat-v"
    assert by_head["Worst tenth: carried, %"].value == pytest.approx(0.5 / 2.5)
    assert by_head["Worst fifth: carried, %"].value == pytest.approx(1 / 2.5)
    assert by_head["Worst fifth: of the net loss, %"] == pytest.approx(1 / 2)
    assert by_head["No loss, questions"] == 2
    chance = by_head["Worst fifth: by chance, %"]
    assert chance.low <= chance.value <= chance.high


def test_the_curve_in_steps_of_a_twentieth():
    _, curves = exhibit(inputs_of(by_hand())).tables
    carried = {round(row[0], 2): row[1] for row in curves.rows}
    assert len(carried) == 21
    assert [carried[part] for part in (0, 0.1, 0.2, 0.4, 0.5, 0.6, 1)] == pytest.approx(
        [0, 0.2, 0.4, 0.8, 0.9, 1, 1]
    )


def test_what_it_rests_on_and_what_was_not_run():
    basis = dict(exhibit(inputs_of(by_hand())).basis)
    assert basis["concat-v"] == (
        "n = 9 of 10 planned pairs of conversations; coverage 90.0 %; questions: 5; scenes: 5"
    )
    assert basis["Left out"] == "sharded-v, oracle: not run"


def test_reported_figures_stand_beside_those_of_their_condition():
    reported = exhibit(inputs_of(by_hand())).reported
    rows = {row[0]: row[1:] for row in reported.rows}
    assert rows["concat-v, worst fifth"][0] == 0.57
    assert rows["concat-v, worst fifth"][1].value == pytest.approx(0.4)
    assert rows["oracle, worst tenth"][0] == 0.38
    assert np.isnan(rows["oracle, worst tenth"][1])
    assert "concat-v: the paper reports 78 questions without a loss; measured here: 2 of 5." in reported.notes


def test_the_description_has_the_numbers():
    alt = exhibit(inputs_of(by_hand())).plot.alt
    assert "concat-v: the worst tenth of the questions carry 20.0 % of the loss, by chance " in alt


def test_the_seed_of_the_report_is_that_of_the_simulations():
    study = random_study(PAIR)
    one, other = (exhibit(inputs_of(study, seed=seed)).tables[1].rows[3][2].value for seed in (0, 1))
    assert one != other
    assert one == exhibit(inputs_of(study, seed=0)).tables[1].rows[3][2].value


@pytest.mark.parametrize(
    ("conditions", "needed"), [(("full",), "full,concat-v,sharded-v,oracle"), (("oracle",), "full,oracle")]
)
def test_without_a_pair(conditions, needed):
    assert exhibit(inputs_of(random_study(conditions))).missing.endswith(f"--conditions {needed}")


def test_models_without_a_pair_are_named_and_no_loss_has_no_curve():
    study = without(random_study(PAIR), "m0", "concat-v")
    assert dict(exhibit(inputs_of(study)).basis)["Left out, concat-v"] == "m0: no pair that counts"
    nothing = exhibit(inputs_of(study_of(np.ones((1, 2, 4, 1)), PAIR)))
    assert np.isnan([row[1] for row in nothing.tables[1].rows]).all()
    assert "carry not known % of the loss" in nothing.plot.alt
