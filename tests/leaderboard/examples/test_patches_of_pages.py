"""Patches over a page: the cosines that a reader kept of this very answer, or what makes them."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.examples.drawn import drawn
from leaderboard.examples.library import Wanted
from leaderboard.examples.patches import page_patches
from leaderboard.html.words import Words
from leaderboard.store.folder import BoardFolder
from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.patches import read_patches
from tests.support.page_features import PAIR, add_features
from tests.support.parsed_html import parsed
from tests.support.sent_runs import FIRST, SECOND

EN = Words("en")
COSINES = np.array([[0.1, 0.2, 0.9], [0.1, -0.3, 0.5]])


@pytest.fixture
def runs(sent, library, tmp_path):
    """Return the runs of a board that may be changed."""
    board, _ = sent
    shutil.copytree(board.folder.parent, tmp_path / "copy")
    return library(BoardFolder.open(tmp_path / "copy" / "board"))


@pytest.fixture
def example(runs):
    """Return a function that gives a page as both models were asked about it."""
    choices = runs.choices()["bear-bench"]
    names = {one.receipt.about.model: key for key, one in choices.models.items()}
    wanted = Wanted("bear-bench", "business-en-1", "default", names[FIRST], names[SECOND])
    return lambda: runs.example(wanted, EN)


def test_the_patches_of_an_answer_are_those_that_its_reader_kept(example):
    side, other = example().sides
    add_features(side.run.store.folder, [side.conversation], (2, 3), COSINES)
    shown = example()
    read = page_patches(shown.sides[0], shown.scene.composite)
    np.testing.assert_allclose(read.map.values, COSINES, atol=1 / 32_767)
    assert (read.reader, read.native, read.map.model) == ("tiny", False, FIRST)
    assert read.map.page == shown.scene.composite
    assert page_patches(other, shown.scene.composite) is None


def test_the_model_itself_is_read_before_others(example):
    side = example().sides[0]
    add_features(side.run.store.folder, [side.conversation], (2, 3), COSINES, "a-proxy")
    add_features(side.run.store.folder, [side.conversation], (1, 2), [0.3, 0.4], "itself", native=True)
    read = page_patches(side, example().scene.composite)
    assert (read.reader, read.native, len(read.map.values[0])) == ("itself", True, 2)


def test_an_answer_with_other_words_was_not_read(example):
    side = example().sides[0]
    turns = (replace(side.conversation.turns[0], reply="other words"),)
    add_features(side.run.store.folder, [replace(side.conversation, turns=turns)], (2, 3), COSINES)
    assert page_patches(side, example().scene.composite) is None


def test_features_without_the_layers_say_so(example):
    side = example().sides[0]
    layers = Depths(8, (4,), (1, 2))
    assert PAIR not in layers.pairs
    folder = add_features(side.run.store.folder, [side.conversation], (2, 3), COSINES, layers=layers)
    with pytest.raises(FeaturesError, match=r"layers: found no text layer 7 with image layer 3"):
        read_patches(folder, side.conversation.key, side.conversation.turns[-1].reply)


def test_features_that_cannot_be_read_are_left_out_and_reported(example, caplog):
    side = example().sides[0]
    folder = add_features(side.run.store.folder, [side.conversation], (2, 3), COSINES, "broken")
    for path in folder.glob("*.parquet"):
        path.write_bytes(b"no table")
    assert page_patches(side, example().scene.composite) is None
    assert "not readable as Parquet" in caplog.text
    (folder / "identity.yaml").write_text("model: {}\n")
    assert page_patches(side, example().scene.composite) is None
    assert "layers: missing or no numbers" in caplog.text


def test_a_page_under_its_patches_says_who_read_it_and_the_highest_takes_the_focus_first(example):
    side = example().sides[0]
    add_features(side.run.store.folder, [side.conversation], (2, 3), COSINES)
    part = parsed(drawn(example(), 1, EN, patches="a"))
    cells = part.one("table", "lv-patches").all("td")
    assert [one.text for one in cells] == ["", "", ".90", "", "", ".50"]
    assert [one.attributes.get("tabindex") for one in cells] == [None, None, "0", None, None, "-1"]
    assert "The answer was read by tiny." in part.text


def test_without_features_the_command_that_makes_them_is_told(example):
    shown = example()
    part = parsed(drawn(shown, 1, EN, patches="b"))
    assert part.all("table", "lv-patches") == []
    assert f"Nothing has read this answer of {SECOND}, so there is no map of patches." in part.text
    folder = shown.sides[1].run.store.folder
    assert part.one("code").text == f"lvqa features runs/{folder.name} --model NAME"


def test_the_reference_of_a_page_comes_with_the_evidence_alone(example):
    plain, told = (parsed(drawn(example(), 1, EN, evidence=one)).text for one in (False, True))
    assert "Reference: 100 units. Language and domain: en-business." in told
    assert "Reference" not in plain
