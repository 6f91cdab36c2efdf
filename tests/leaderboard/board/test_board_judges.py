"""Judges against the models of a board: the same as in the panel's own tables, and kept."""

import math
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board import judges as module
from leaderboard.board.assemble import assemble
from leaderboard.board.judges import FEWEST, Judged, judge_board
from leaderboard.board.records import Standing
from leaderboard.board.run_figures import RunFigures
from leaderboard.board.verdicts import Verdicts
from lvqa_eval.judging.audit.folder import make_audit
from lvqa_eval.judging.audit.folder_score import score_audit
from lvqa_eval.judging.audit.items import read_keys
from lvqa_eval.judging.audit.labels import Label, LabelFile
from lvqa_eval.judging.panel import read_panel
from lvqa_eval.judging.panel_judges import pairs_table
from lvqa_eval.judging.panel_members import choose_judges
from lvqa_eval.judging.panel_models import cross_tables
from lvqa_eval.runs.store import RunStore
from tests.support.boards import JUDGES, MIDDLING, SKILLED


def panel_of(board):
    """Return the panel of the runs that it has judged, as `lvqa panel` reads it."""
    stores = [RunStore.open(board.run(name)) for name in list(board.runs())[:2]]
    return read_panel(stores, choose_judges(stores, JUDGES))


def test_crossed_verdicts_and_kappas_are_those_of_the_panel(small, assembled):
    asked = panel_of(small).asked
    crossed = assembled.judges.crossed
    verdicts, _ = cross_tables(asked)
    for model, *values in verdicts.rows:
        assert [crossed.cells[judge, model].value for judge in JUDGES] == pytest.approx(values)
    assert (crossed.rows, crossed.columns) == (JUDGES, (SKILLED.name, MIDDLING.name))
    kappas = {
        (row[0], JUDGES[place]): row[1 + place] for row in pairs_table(asked).rows for place in range(3)
    }
    assert len(assembled.judges.agreement) == 3
    for one, other, figure, kappa in assembled.judges.agreement:
        assert kappa == pytest.approx(kappas[one, other])
        ours, theirs = asked.votes[JUDGES.index(one)], asked.votes[JUDGES.index(other)]
        assert figure.value == pytest.approx((ours == theirs).mean())
        assert figure.low < figure.value < figure.high
        assert figure.n == len(asked.keys)
    assert assembled.judges.benchmark == "layered-vqa"


def test_leniency_is_beyond_the_mean_judge(assembled):
    found = assembled.judges.leniency
    values = {judge: found[judge].value for judge in JUDGES}
    assert sum(values.values()) == pytest.approx(0.0, abs=1e-12)
    # They were made ever more lenient.
    assert list(values) == sorted(values, key=values.get)
    crossed = assembled.judges.crossed.cells
    mean = np.mean(
        [[crossed[judge, model].value for judge in JUDGES] for model in (SKILLED.name, MIDDLING.name)]
    )
    own = np.mean([crossed["referee-c", model].value for model in (SKILLED.name, MIDDLING.name)])
    assert values["referee-c"] == pytest.approx(own - mean)
    assert assembled.judges.self_preference == {}


def votes_of(shares, items=400):
    """Return votes (judges, items) that hold so large a share of each judge right."""
    return np.array([np.arange(items) < share * items for share in shares]).astype(np.int8)


def run_with(votes):
    """Return the figures of a run that hold votes alone; conversations are of ten clusters."""
    clusters = np.arange(votes.shape[1], dtype=np.int32) % 10
    empty = np.zeros(0)
    return RunFigures(None, 10, 10, {}, {}, {}, None, None, None, (), empty, empty, empty, votes, clusters)


def test_a_judge_that_favours_itself_is_told_and_its_own_cell_is_not_leniency(tmp_path, monkeypatch, small):
    """Three models that judge each other, each as lenient as the others, one 10 points kinder to itself."""
    shares = {"a": (0.9, 0.8, 0.8), "org/B": (0.6, 0.6, 0.6), "c": (0.4, 0.4, 0.4)}
    verdicts = Verdicts("consensus", None, ("a", "org/b", "c"), ("a", "b", "c"), "")
    runs = {name: run_with(votes_of(of)) for name, of in shares.items()}
    monkeypatch.setattr(module, "run_figures", lambda _board, name, _needed: runs[name])
    monkeypatch.setattr(module, "judge_state", lambda *_: "0")
    monkeypatch.setattr(module, "read_judges", lambda *_: None)
    monkeypatch.setattr(module, "keep_judges", lambda *_: None)
    standing = Standing("layered-vqa", "1.0.0", "", 10, 10, ("full",), 1)
    found = judge_board(small, standing, [Judged(name, name, verdicts) for name in shares])
    assert found is not None
    assert found.crossed.rows == ("a", "org/B", "c")  # a judge is called as the assistant that it is
    assert found.self_preference["a"].value == pytest.approx(0.1)
    assert found.self_preference["c"].value == pytest.approx(0.0, abs=1e-12)
    assert [found.leniency[one].value for one in found.crossed.rows] == pytest.approx([0.0] * 3, abs=1e-12)
    assert found.crossed.cells["a", "a"].value == 0.9
    alone = replace(verdicts, members=("a",), names=("a",))
    assert FEWEST == 2
    assert judge_board(small, standing, [Judged("a", "a", alone)]) is None


def test_what_is_kept_of_judges_is_read_back(copied, assembled, monkeypatch, caplog):
    monkeypatch.setattr(module, "_computed", lambda *_: pytest.fail("computed again"))
    assert repr(assemble(copied).judges) == repr(assembled.judges)
    monkeypatch.undo()
    (path,) = (copied.folder / "figures").glob("judges-*")
    path.write_bytes(path.read_bytes()[:-5])
    assert repr(assemble(copied).judges) == repr(assembled.judges)
    assert "computed anew" in caplog.text


def test_agreement_with_people_is_that_of_the_audits_of_a_board(copied, caplog):
    names = list(copied.runs())[:2]
    audit = copied.folder / "audits" / "first"
    dataset = str(copied.folder.parent / "layered-vqa")
    make_audit([copied.run(name) for name in names], audit, 24, 0, dataset)
    items = [one.item for one in read_keys(audit)]
    for person in ("one", "two"):
        with LabelFile.open(audit, person, items) as labels:
            for place, item in enumerate(items):
                labels.set(item, Label.RIGHT if place % 3 else Label.WRONG, "")
    found = assemble(copied).judges
    score = {one.judge: one.all for one in score_audit(audit, [copied.run(name) for name in names]).judges}
    people = {one: (figure, kappa) for one, other, figure, kappa in found.agreement if other == "people"}
    assert set(people) == {"consensus", *JUDGES}
    for judge, (figure, kappa) in people.items():
        assert (figure.value, figure.low) == (score[judge].accuracy.value, score[judge].accuracy.low)
        assert figure.n == score[judge].agreement.n == len(items)
        assert kappa == score[judge].agreement.kappa or math.isnan(kappa)
    # What can no longer be scored is told, and nothing else is lost.
    (audit / "labels" / "one.jsonl").write_text("no label\nand no other\n")
    left = assemble(copied).judges
    assert all(other != "people" for _, other, _, _ in left.agreement)
    assert len(left.agreement) == 3
    assert "not shown" in caplog.text
