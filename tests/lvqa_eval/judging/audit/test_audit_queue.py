"""The page's queue and its HTML, without a browser."""

import sys

import pytest

from lvqa_eval.judging.audit.app import page_app
from lvqa_eval.judging.audit.items import AuditError, Item, ShownPicture, ShownTurn
from lvqa_eval.judging.audit.labels import Label, LabelFile, LabelRecord
from lvqa_eval.judging.audit.page import render
from lvqa_eval.judging.audit.queue import ItemQueue, Request, open_queue
from lvqa_eval.judging.audit.words import LANGUAGES, RULES, words
from lvqa_eval.statuses import MODEL_FAILED, Status

EVIL = "<script>alert(1)</script>\"'&${x}{{y}}"


def item(name, reply="red", ended=None):
    picture = ShownPicture("ab" * 32, f"Image 1: {EVIL}", 40, 30)
    turns = (ShownTurn("Look.", (picture,), "Which one?"), ShownTurn(EVIL, (), reply, ended))
    return Item(name, f"Which colour? {EVIL}", f"red {EVIL}", EVIL, turns)


ITEMS = [item("0001"), item("0002", EVIL), item("0003", None, Status.EMPTY)]
NAMES = [one.item for one in ITEMS]


@pytest.fixture
def queue(tmp_path):
    with LabelFile.open(tmp_path, "ann", NAMES) as file:
        yield ItemQueue(ITEMS, file)


def say(queue, name, label, note=None):
    return queue.answer(Request("label", name, label=label, note=note))


def test_the_queue_begins_at_the_first_item_without_a_label_and_goes_round(queue):
    assert queue.answer(Request("open")).number == 1
    assert say(queue, "0002", Label.WRONG).number == 3
    assert say(queue, "0003", Label.RIGHT).number == 1
    assert queue.answer(Request("open")).number == 1
    last = say(queue, "0001", Label.CANNOT_TELL)
    assert (last.number, last.label, last.labelled, last.done) == (1, Label.CANNOT_TELL, 3, True)
    assert queue.answer(Request("open")).number == 1


def test_one_may_go_to_any_item_and_no_further(queue):
    shown = [queue.answer(Request("show", "0001", number)).number for number in (2, 3, 4, 99, 0, -5)]
    assert shown == [2, 3, 3, 3, 1, 1]
    assert queue.answer(Request("show", "0003")).number == 1


def test_a_note_is_kept_on_the_way_and_does_not_touch_the_label(queue):
    say(queue, "0001", Label.RIGHT, " first ")
    view = queue.answer(Request("note", "0001", note="second"))
    assert (view.number, view.label, view.note) == (1, Label.RIGHT, "second")
    assert queue.answer(Request("show", "0001", 2, label=Label.WRONG, note="third")).number == 2
    view = queue.answer(Request("show", "0002", 1, note=""))
    assert (view.label, view.note) == (Label.RIGHT, "third")


def test_undo_shows_the_item_that_it_changed(queue):
    say(queue, "0002", Label.WRONG)
    view = queue.answer(Request("undo", "0003"))
    assert (view.number, view.label) == (2, None)
    assert queue.answer(Request("undo", "0003")).number == 3


@pytest.mark.parametrize("request_", [Request("label", "0001"), Request("show", "0009"), Request("note")])
def test_what_cannot_be_asked_changes_nothing(queue, request_):
    with pytest.raises(ValueError, match="names no item, or no label"):
        queue.answer(request_)
    assert queue.labelled == 0


def test_everything_that_people_and_models_wrote_is_escaped(queue):
    say(queue, "0002", Label.WRONG, EVIL)
    for language in LANGUAGES:
        html = render(queue.answer(Request("show", "0001", 2)), language)
        assert "<script" not in html
        assert html.count("&lt;script&gt;") >= 6
        assert 'src="pictures/' + "ab" * 32 + '.png" width="40" height="30" alt="Image 1: &lt;script' in html
        assert f'lang="{language}"' in html


def test_what_is_not_whole_is_said_in_words(queue):
    html = render(queue.answer(Request("show", "0001", 3)), "en")
    assert html.count("no reply came") == html.count("(nothing)") == 2
    assert all(status.value in words("en") for status in MODEL_FAILED)


def test_an_unknown_language_is_english(queue):
    assert render(queue.answer(Request("open")), '"><script>') == render(queue.answer(Request("open")), "en")


def test_both_languages_have_all_words():
    assert words("en").keys() == words("ru").keys()
    assert all(words(language)[name] for language in LANGUAGES for name in words("en"))
    assert len(RULES["en"]) == len(RULES["ru"])


def test_annotators_stand_under_letters_that_do_not_follow_their_names(tmp_path):
    names = [f"{i:04}" for i in range(1, 41)]
    said = {
        name: [LabelRecord(name, "ann", Label.RIGHT, "of ann"), LabelRecord(name, "bo", Label.WRONG)]
        for name in names
    }
    with LabelFile.open(tmp_path, "cara", names, adjudicate=True) as file:
        queue = ItemQueue([item(name) for name in names], file, said)
        views = [queue.answer(Request("show", "0001", number)) for number in range(1, 41)]
    assert all([one.letter for one in view.said] == ["A", "B"] for view in views)
    firsts = [view.said[0].label for view in views]
    assert 10 < firsts.count(Label.RIGHT) < 30
    html = render(views[0], "en")
    assert "of ann" in html
    assert "adjudication" in html


def test_nothing_to_adjudicate_is_told(tmp_path):
    (tmp_path / "items.jsonl").write_text("")
    with (
        pytest.raises(AuditError, match="no item with two labels that differ"),
        open_queue(tmp_path, "cara", True),
    ):
        pass


def test_without_gradio_one_line_says_what_to_install(queue, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(AuditError, match=r"the page needs Gradio \(.*\); pip install 'lvqa\[leaderboard\]'"):
        page_app(queue, tmp_path)
