import math
import re

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.metrics.power import PairedDesign
from tests.support.scored_runs import conversation, judgement, question, write_run

REACH = (1.959964 + 0.841621) ** 2


def invoke(*words):
    return CliRunner().invoke(main, ["sample-size", *map(str, words)])


def cells(output):
    """Return the rows of the table by their first cell."""
    rows = (re.split(r"\s{2,}", line.strip()) for line in output.split("\n\n")[0].splitlines())
    return {first: others for first, *others in rows}


def test_the_table_of_stated_figures_by_hand():
    result = invoke("--difference", 4, "--discordance", 20, "--icc", 0.25, "--per-scene", 3, "--runs", 2)
    assert result.exit_code == 0, result.output
    rows = cells(result.output)
    assert list(rows)[2:] == ["1", "2", "3", "4", "5", "10"]
    for points in (1, 2, 3, 4, 5, 10):
        share = points / 100
        needed = math.ceil(REACH * (0.2 - share**2) * 1.5 / share**2)
        conversations = f"{2 * needed:,}"
        assert rows[str(points)] == [
            "20.0",
            "1.50",
            f"{needed:,}",
            f"{math.ceil(needed / 3):,}",
            conversations,
        ]
    told = " ".join(result.output.split())
    assert (
        "A difference of 4 points is seen with probability 80 % at a level of 5 % with 1,460 questions in "
        "487 scenes, 2 runs of each." in told
    )
    assert "questions = (z(1 - alpha/2) + z(power))^2 x variance x design effect / difference^2" in told


def test_without_a_discordance_both_err_independently():
    result = invoke("--difference", 10, "--accuracy", 50, "--icc", 0)
    # 0.5 x 0.4 + 0.6 x 0.5 = 0.5
    assert cells(result.output)["10"] == ["50.0", "1.00", f"{math.ceil(REACH * 49)}", "121", "1,155"]
    assert "A is right in 50 %, and B errs independently of it" in " ".join(result.output.split())


def test_a_difference_that_cannot_be_has_no_size():
    rows = cells(invoke("--difference", 1, "--discordance", 4).output)
    assert rows["3"][0] == "4.0"
    assert rows["5"] == rows["10"] == ["-"] * 5


def test_what_cannot_be_is_refused_in_the_units_of_the_command():
    result = invoke("--difference", 30, "--difference", 3, "--discordance", 20, "--instability", 25)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "Error: --instability: found 25 %, allowed: up to the discordance, 20 %",
        "--difference: found 30 points, allowed: up to the discordance, 20",
    ]
    assert "allowed: up to what A leaves, 40" in invoke("--difference", 50).output
    assert "--power: found 2 %" in invoke("--power", 2).output


RIGHT = {
    "full": ["+++", "+++", "---", "++-", "+++", "---"],
    "oracle": ["---", "+++", "+--", "++-", "---", "+++"],
    "concat-q": ["+++", "+++", "---", "++-", "+++", "---"],
}


@pytest.fixture
def pilot(tmp_path):
    keys = [
        (condition, f"q{place}", run, letters[run - 1] == "+")
        for condition, words in RIGHT.items()
        for place, letters in enumerate(words)
        for run in (1, 2, 3)
    ]
    return write_run(
        tmp_path / "pilot",
        list(RIGHT),
        3,
        [question(f"q{place}", f"s{place // 2}") for place in range(6)],
        [conversation(*key[:3]) for key in keys],
        {"m": [judgement(*key) for key in keys]},
    ).folder


def test_the_table_of_a_pilot_by_hand(pilot):
    result = invoke("--from", pilot)
    assert result.exit_code == 0, result.output
    rows = cells(result.output)
    # Shares of right runs, full: 1 1 0 2/3 1 0; oracle: 0 1 1/3 2/3 0 1. One question of full is unstable
    # (2 of 3 pairs of its runs), two of oracle.
    discordance = (1 + 0 + 1 / 3 + 2 * (2 / 3) * (1 / 3) + 1 + 1) / 6
    instability = (1 * (2 / 3) / 6 + 2 * (2 / 3) / 6) / 2
    change = (-1 + 0 + 1 / 3 + 0 - 1 + 1) / 6
    design = PairedDesign(discordance, instability, runs=3, per_scene=2)
    assert rows["oracle to full"][:5] == ["-11.1", "63.0", "16.7", "0.00", "1.00"]
    assert change == pytest.approx(-1 / 9)
    assert rows["oracle to full"][5] == f"{design.detectable(6) * 100:.1f}"
    needed = [f"{design.questions(points / 100):,}" for points in (1, 2, 3, 5, 10)]
    assert rows["oracle to full"][6:] == needed
    # One question alike in two of three runs: 2 x 2/3 x 1/3 of it, less than the noise inside either.
    assert rows["concat-q to full"][:3] == ["0.0", "7.4", "11.1"]
    # Another model as good as full: 2 x 11/18 x 7/18.
    assert rows["another model, full"][:3] == ["0.0", f"{2 * 11 / 18 * 7 / 18 * 100:.1f}", "11.1"]
    told = " ".join(result.output.split())
    assert "The run has 6 questions in 3 scenes, 2.0 a scene, and 3 runs." in told
    assert "A difference of 3 points needs" in told


def test_a_plan_of_fewer_runs_needs_more_questions(pilot):
    three, one = (cells(invoke("--from", pilot, *words).output) for words in ((), ("--runs", 1)))
    assert int(one["oracle to full"][-1]) > int(three["oracle to full"][-1])


def test_a_contrast_that_tells_nothing_says_why(tmp_path):
    questions = [question(f"q{place}", f"s{place}") for place in range(3)]
    keys = [(condition, f"q{place}", 1, place > 0) for condition in ("full", "oracle") for place in range(3)]
    talks, verdicts = [conversation(*key[:3]) for key in keys], [judgement(*key) for key in keys]
    folder = write_run(tmp_path / "r", ["full", "oracle"], 1, questions, talks, {"m": verdicts}).folder
    result = invoke("--from", folder)
    assert cells(result.output)["oracle to full"] == ["-"] * 11
    assert "oracle to full: discordance: found 0, allowed: above 0, to 1." in result.output
    assert "One run tells nothing of the instability" in result.output


def test_options_that_do_not_go_together(pilot):
    result = invoke("--from", pilot, "--icc", 0.1, "--accuracy", 60)
    assert result.exit_code == 2
    assert "--from measures what --accuracy, --icc would state" in result.output
    assert "it needs --from" in invoke("--judge", "m").output
