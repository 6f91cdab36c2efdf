"""The conversations of a board: exactly what was sent, verdicts of its judges, and models in its order."""

import shutil
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from leaderboard.board.records import BenchmarkBoard, Board, Entry, Row, Standing
from leaderboard.examples.conversation_table import conversation_table
from leaderboard.examples.library import Wanted
from leaderboard.html.words import Words
from leaderboard.store.folder import BoardFolder
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.runs.pictures import PICTURES
from tests.support.boards import CYRILLIC, MIDDLING, NOW, SKILLED, SLOW
from tests.support.sent_runs import FIRST, SECOND

EN, RU = Words("en"), Words("ru")
NAMES = {"layered": "layered-vqa", "pages": "bear-bench"}


def by_model(choices):
    """Return the short name of each model's newest submission."""
    return {one.receipt.about.model: name for name, one in choices.models.items() if one.newest}


@pytest.mark.parametrize("kind", NAMES)
def test_the_pictures_of_every_conversation_are_those_that_the_server_got(sent, library, kind):
    board, found = sent
    runs = library(board)
    choices = runs.choices()[NAMES[kind]]
    names = by_model(choices)
    seen = set()
    for condition, question, _ in found[kind, "a"]:
        wanted = Wanted(NAMES[kind], question, condition, names[FIRST], names[SECOND])
        sides = runs.example(wanted, EN).sides
        for letter, side in zip("ab", sides, strict=True):
            server = [found[kind, letter][condition, question, turn] for turn in range(1, len(side.sent) + 1)]
            assert [list(turn) for turn in side.sent] == server
        seen.add(condition)
    assert seen == set(LAYERED_VQA.conditions if kind == "layered" else ["default"])


def test_what_a_run_says_it_sent_is_checked(sent, library, tmp_path):
    board, _ = sent
    shutil.copytree(board.folder.parent, tmp_path / "copy")
    copy = BoardFolder.open(tmp_path / "copy" / "board")
    runs = library(copy)
    choices = runs.choices()["layered-vqa"]
    names = by_model(choices)
    wanted = Wanted("layered-vqa", next(iter(choices.questions)), "sharded-v", names[FIRST])
    told = tmp_path / "copy" / "layered-0" / PICTURES
    shutil.copy(told, copy.run(choices.models[names[FIRST]].id) / PICTURES)
    assert runs.example(wanted, EN).missing == ""
    other = told.read_text().replace('"pixels_sha256":"', '"pixels_sha256":"0')
    (copy.run(choices.models[names[SECOND]].id) / PICTURES).write_text(other)
    found = runs.example(replace(wanted, a=names[SECOND]), EN)
    assert found.scene is None
    assert "the run sent 160x160 pixels of hash 0" in found.missing
    assert [one.pictures for one in found.exchange.turns] == [()] * len(found.exchange.turns)


def test_verdicts_are_those_of_the_board(made, library):
    runs = library(made)
    choices = runs.choices()["layered-vqa"]
    names = by_model(choices)
    question = next(iter(choices.questions))
    both = runs.example(Wanted("layered-vqa", question, "full", names[SKILLED.name], names[SLOW.name]), EN)
    panel, exact = (one.judges for one in both.sides)
    assert (panel.final, panel.by_turn) == ("consensus", "exact-match")
    assert panel.names == ("referee-a", "referee-b", "referee-c")
    assert (exact.final, exact.by_turn, exact.names) == ("exact-match", "exact-match", ("exact-match",))
    for side, ruling in zip(both.sides, both.exchange.finals, strict=True):
        run = runs.run(choices.models[names[side.model]])
        key = Wanted("layered-vqa", question, "full", "").key
        verdict = run.store.judgements(side.judges.final)[key].final_turn_correct
        assert ruling == ("right" if verdict else "wrong")


def test_the_reference_and_the_layers_of_a_scene_are_the_datasets(made, library):
    runs = library(made)
    choices = runs.choices()["layered-vqa"]
    for name, question in choices.questions.items():
        found = runs.example(Wanted("layered-vqa", name, "oracle", next(iter(choices.models))), EN)
        scene = found.scene
        assert (scene.reference, scene.category) == (question.answer, question.category)
        assert (scene.gold, len(scene.layers)) == (question.gold_layers, question.depth)
        assert found.exchange.turns[0].layers == question.gold_layers
        assert all(layer.caption for layer in scene.layers)


def test_models_stand_in_the_order_of_the_board_and_older_versions_behind(made, library):
    layered = [one for one in made.submissions() if one.receipt.benchmark == "layered-vqa"]
    ids = {(one.receipt.about.model, one.version): one.id for one in layered}
    ranked = [(CYRILLIC.name, 1), (SKILLED.name, 1), (SLOW.name, 2), (MIDDLING.name, 1)]
    rows = tuple(Row(Entry(ids[one], one[0], "panel", "ranked"), {}) for one in ranked)
    standing = Standing("layered-vqa", "1.0.0", "", 8, 4, (), 3)
    runs = library(made, Board("a board", BenchmarkBoard(standing, "delivered", rows), None))
    choices = runs.choices()["layered-vqa"]
    titles = [choices.title(name, EN) for name in choices.models]
    assert titles == [CYRILLIC.name, SKILLED.name, SLOW.name, MIDDLING.name, f"{SLOW.name}, version 1"]
    assert choices.title(list(choices.models)[-1], RU).endswith(", версия 1")


def test_a_submission_is_found_by_its_id_and_by_the_short_one_alone(made, library):
    choices = library(made).choices()["layered-vqa"]
    one = next(iter(choices.models.values()))
    assert choices.model(one.id) == choices.model(one.id[:16]) == one.id[:16]
    for junk in ("", one.id[:15], one.id[:17], f"{one.id}0", one.id.upper(), "../runs", "0" * 64):
        assert choices.model(junk) is None


def test_what_was_withdrawn_is_not_offered(made, library, tmp_path):
    shutil.copytree(made.folder.parent, tmp_path / "copy")
    copy = BoardFolder.open(tmp_path / "copy" / "board")
    runs = library(copy)
    names = by_model(runs.choices()["layered-vqa"])
    gone = names[SKILLED.name]
    copy.withdraw(runs.choices()["layered-vqa"].models[gone].id, None, "a test", NOW + timedelta(days=9))
    assert gone not in runs.choices()["layered-vqa"].models
    assert len(runs.choices()["layered-vqa"].models) == 4


def test_a_run_that_cannot_be_read_is_not_offered(made, library, tmp_path):
    shutil.copytree(made.folder.parent, tmp_path / "copy")
    copy = BoardFolder.open(tmp_path / "copy" / "board")
    name = next(one.id for one in copy.submissions() if one.receipt.benchmark == "bear-bench")
    (copy.run(name) / "questions.jsonl").unlink()
    assert name[:16] not in library(copy).choices()["bear-bench"].models


def test_a_condition_that_a_run_lacks_has_no_replies(made, library):
    runs = library(made)
    choices = runs.choices()["layered-vqa"]
    names = by_model(choices)
    wanted = Wanted("layered-vqa", next(iter(choices.questions)), "recap-v", names[CYRILLIC.name])
    found = runs.example(wanted, EN)
    assert {one.replies for one in found.exchange.turns} == {(None,)}
    assert found.sides[0].conversation is None


def test_the_table_has_a_line_for_each_turn_and_model_and_the_reference_on_demand(sent, library):
    board, found = sent
    runs = library(board)
    choices = runs.choices()["layered-vqa"]
    names = by_model(choices)
    question = next(iter(choices.questions))
    wanted = Wanted("layered-vqa", question, "snowball-v", names[FIRST], names[SECOND])
    example = runs.example(wanted, EN)
    table = conversation_table(example, wanted, "a state", reference=False)
    names_of = [head.name for head in table.heads]
    rows = [SimpleNamespace(**dict(zip(names_of, row, strict=True))) for row in table.rows]
    turns = len(example.exchange.turns)
    assert [(one.side, one.turn) for one in rows] == [
        (side, turn + 1) for side in "AB" for turn in range(turns)
    ]
    for one in rows:
        server = found["layered", one.side.lower()]["snowball-v", question, one.turn]
        assert one.pictures.split() == server
        known = one.side == "A" and one.turn == 1  # it brings the question
        assert one.reply == (choices.questions[question].answer if known else f"red {'AB'.index(one.side)}")
        assert (one.status, one.verdict) == ("ok", "right" if known else "wrong")
    assert set(table.about) == {"state", "contract"}
    told = conversation_table(example, wanted, "a state", reference=True).about
    assert (told["reference"], told["evidence"]) == (example.scene.reference, list(example.exchange.gold))
