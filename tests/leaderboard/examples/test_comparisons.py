"""Two models of a board compared: by the same judges, or by text where one lacks the panel's verdicts."""

import shutil

import numpy as np
import pytest

from leaderboard.board.compare import disagreements
from leaderboard.compare import Comparisons
from leaderboard.examples.pair_table import differing_questions, pair_table
from leaderboard.html.words import Words
from leaderboard.store.folder import BoardFolder
from lvqa_eval.reports.compare.comparison import compare_runs
from tests.support.boards import CYRILLIC, MIDDLING, SKILLED, SLOW

EN = Words("en")


@pytest.fixture
def compared(made, library):
    """Return a function that compares two models of the small board by name."""
    runs = library(made)
    pairs = Comparisons(runs)

    def found(a, b, benchmark="layered-vqa"):
        names = {
            one.receipt.about.model: key
            for key, one in runs.choices()[benchmark].models.items()
            if one.newest
        }
        return pairs.found(benchmark, names[a], names[b])

    return found


def test_figures_are_those_of_the_command_that_compares_runs(compared, made):
    found = compared(SKILLED.name, MIDDLING.name)
    stores = [found.library.run(found.choices.models[one]).store for one in (found.b, found.a)]
    oracle = {row.part.name: row for row in compare_runs(*stores).rows if row.part.kind == "condition"}
    ours = {one.split.name: one for one in found.compared.figures if not one.split.group}
    assert ours.keys() == oracle.keys()
    for name, row in oracle.items():
        # B less A there, A - B here: the runs are handed over the other way round.
        assert ours[name].difference.value == pytest.approx(row.difference.value)
        assert (ours[name].difference.low, ours[name].difference.high) == pytest.approx(
            (row.difference.low, row.difference.high)
        )
        assert ours[name].difference.n == row.difference.n
    assert (found.compared.judges, found.compared.mixed) == (("referee-a", "referee-b", "referee-c"), False)
    assert found.models(EN) == (SKILLED.name, MIDDLING.name)


def test_without_the_panel_on_both_sides_answers_are_compared_as_text(compared):
    found = compared(SKILLED.name, SLOW.name)
    assert (found.compared.judges, found.compared.mixed) == (("exact-match",), True)
    same = compared(SLOW.name, CYRILLIC.name)
    assert (same.compared.judges, same.compared.mixed) == (("exact-match",), False)
    assert same.compared.pair.conditions == ("full", "sharded-q", "sharded-v")
    pages = compared(SKILLED.name, SLOW.name, "bear-bench")
    assert pages.compared.pair.conditions == ("default",)


def test_verdicts_of_neither_are_no_comparison(made, library, tmp_path):
    shutil.copytree(made.folder.parent, tmp_path / "copy")
    copy = BoardFolder.open(tmp_path / "copy" / "board")
    runs = library(copy)
    ids = list(runs.choices()["bear-bench"].models)
    shutil.rmtree(copy.run(runs.choices()["bear-bench"].models[ids[0]].id) / "judgements")
    assert Comparisons(runs).found("bear-bench", ids[0], ids[1]) is None


def test_a_pair_is_compared_once_and_again_when_it_was_judged(made, library, tmp_path, monkeypatch):
    shutil.copytree(made.folder.parent, tmp_path / "copy")
    copy = BoardFolder.open(tmp_path / "copy" / "board")
    runs = library(copy)
    pairs = Comparisons(runs)
    ids = list(runs.choices()["bear-bench"].models)
    first = pairs.found("bear-bench", *ids).compared
    assert pairs.found("bear-bench", *ids).compared is first
    path = copy.run(runs.choices()["bear-bench"].models[ids[0]].id) / "judgements" / "exact-match.jsonl"
    lines = path.read_text().replace('"final_turn_correct":true', '"final_turn_correct":false')
    path.write_text(lines)
    again = pairs.found("bear-bench", *ids).compared
    assert again is not first
    assert np.nansum(again.pair.a) == 0


def test_replies_are_of_the_runs_that_decided(compared):
    found = compared(SKILLED.name, SLOW.name)
    asked = disagreements(found.compared.pair, "sharded-v")
    assert asked
    for one in asked:
        for reply, right in zip(
            found.replies("sharded-v", one), (one.change > 0, one.change < 0), strict=True
        ):
            assert (reply == one.question.answer) is right


def test_tables_have_every_row_and_every_question(compared):
    found = compared(SKILLED.name, SLOW.name)
    table = pair_table(found.compared, {"state": "s"})
    assert len(table.rows) == len(found.compared.figures)
    assert table.rows[0][:2] == ("condition", "full")
    assert table.about == {"state": "s", "judges": ["exact-match"]}
    asked = differing_questions(found.compared, "full", lambda one: found.replies("full", one), {})
    assert len(asked.rows) == len(disagreements(found.compared.pair, "full"))
    assert all(len(row) == len(asked.heads) for row in asked.rows)
