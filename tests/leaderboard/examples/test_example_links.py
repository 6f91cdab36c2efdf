"""Links to a conversation restore it; what makes no sense in one falls back, and nothing becomes a path."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from leaderboard.board.records import Board
from leaderboard.examples.fields import example_fields, pair_fields, wanted
from leaderboard.views import JunkError, read_view

BOARD = Board("a board", None, None)


@pytest.fixture(scope="module")
def runs(made, tmp_path_factory):
    from leaderboard.examples.library import Library
    from leaderboard.examples.pictures import PictureFolder

    return Library(made, PictureFolder(tmp_path_factory.mktemp("pictures")), lambda: BOARD)


def seen(runs, told, strict=False):
    return read_view("examples", example_fields(runs.choices), BOARD, told, strict=strict)


def test_a_link_restores_every_part_of_a_view(runs):
    choices = runs.choices()["layered-vqa"]
    scene = list(choices.scenes)[2]
    ids = list(choices.models)
    told = {
        "lang": "ru",
        "scene": scene,
        "question": choices.scenes[scene][1],
        "condition": "snowball-q",
        "a": choices.models[ids[2]].id,
        "b": ids[0],
        "run": "3",
        "turn": "2",
        "ev": "1",
    }
    view = seen(runs, told)
    found = {"benchmark": "layered-vqa", "a": ids[2], "run": 3, "turn": 2, "ev": True, "map": ""}
    assert view.values == {name: value for name, value in told.items() if name != "lang"} | found
    again = seen(runs, dict(pair.split("=") for pair in view.link[1:].split("&")))
    assert again.values == view.values
    assert wanted(view) == wanted(again)
    assert wanted(view).key == ("snowball-q", told["question"], 3)
    assert (view.whole("turn"), view.flag("ev"), view.words.language) == (2, True, "ru")


def test_a_scene_alone_gives_its_first_question(runs):
    choices = runs.choices()["layered-vqa"]
    scene = list(choices.scenes)[1]
    assert seen(runs, {"scene": scene}).text("question") == choices.scenes[scene][0]
    other = choices.scenes[next(iter(choices.scenes))][0]
    assert seen(runs, {"scene": scene, "question": other}).text("question") == choices.scenes[scene][0]


def test_a_turn_is_one_of_the_conversation(runs):
    assert seen(runs, {"condition": "full", "turn": "2"}).whole("turn") == 1
    assert seen(runs, {"condition": "sharded-q", "turn": "3"}).whole("turn") == 3
    for junk in ("0", "-1", "99", "1.5", "one", "", "٣"):
        assert seen(runs, {"condition": "sharded-q", "turn": junk}).whole("turn") in (1, 3)


def test_the_second_model_is_never_the_first_and_may_be_nobody(runs):
    ids = list(runs.choices()["layered-vqa"].models)
    assert (seen(runs, {}).text("a"), seen(runs, {}).text("b")) == (ids[0], ids[1])
    assert seen(runs, {"a": ids[1]}).text("b") == ids[0]
    assert seen(runs, {"a": ids[1], "b": ids[1]}).text("b") == ids[0]
    assert seen(runs, {"b": ""}).text("b") == ""


def test_of_a_program_junk_is_refused(runs):
    for name in ("benchmark", "scene", "question", "condition", "a", "b", "run", "turn", "ev", "map"):
        with pytest.raises(JunkError, match=f"^{name}: found '../../etc/passwd', allowed: "):
            seen(runs, {name: "../../etc/passwd"}, strict=True)


JUNK = some.dictionaries(
    some.sampled_from(
        ["benchmark", "scene", "question", "condition", "a", "b", "run", "turn", "ev", "map", "x"]
    ),
    some.one_of(
        some.text(max_size=30), some.sampled_from(["../..", "bear-bench", "${x}", "<b>", "1", "\0", "9" * 40])
    ),
)


@given(told=JUNK)
def test_junk_falls_back_to_what_there_is(runs, told):
    view = seen(runs, told)
    choices = runs.choices()[view.text("benchmark")]
    asked = wanted(view)
    assert asked.question in choices.questions
    assert asked.question in choices.scenes[view.text("scene")]
    assert asked.condition in choices.conditions
    assert asked.a in choices.models
    assert asked.b in (*choices.models, "")
    assert asked.a != asked.b
    assert 1 <= asked.run <= choices.runs
    assert 1 <= view.whole("turn") <= choices.turns(asked.condition, asked.question)


def test_a_board_without_runs_has_nothing_to_choose():
    for fields in (example_fields, pair_fields):
        view = read_view("examples", fields(dict), BOARD, {"a": "x", "benchmark": "layered-vqa"})
        assert (view.text("benchmark"), view.text("a"), view.text("b")) == ("", "", "")
