"""Questions from a form: what becomes of them, and what is told of a form that cannot be used."""

from contextlib import closing

import pytest
from click.testing import CliRunner

from dataset_builders.annotator import actions
from dataset_builders.annotator.asked import add_asked
from dataset_builders.annotator.cli import annotate
from dataset_builders.annotator.contents import SceneContent
from dataset_builders.annotator.flow import states
from dataset_builders.annotator.model_drafts import waiting
from dataset_builders.annotator.store import Store
from dataset_builders.bear_bench.forms import FormError
from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.run import DraftOptions
from dataset_builders.layered_vqa.example import CATEGORIES
from tests.support.annotations import scene_store

HEAD = "id,scene,category,question,answer,answer_description\n"
FORM = (
    HEAD
    + "first,s1,spatial,What is left of the square?,the circle,\n"
    + 'second,s2,counting,"How many, in all?",2,a number\n'
)


@pytest.fixture
def store(tmp_path):
    with closing(scene_store(tmp_path / "work", scenes=2, questions=0)) as opened:
        yield opened


def test_questions_of_a_form_wait_for_their_author_and_for_a_model(store, tmp_path):
    (tmp_path / "asked.csv").write_text(FORM)
    assert add_asked(store, tmp_path / "asked.csv") == 2
    first, second = states(store)
    assert [(one.item.id, one.stage) for one in (first, second)] == [
        ("first", "author"),
        ("second", "author"),
    ]
    assert actions.start(store, second, "author") == SceneContent(
        question="How many, in all?", answer="2", answer_description="a number", category="counting"
    )
    assert actions.start(store, first, "author").answer_description is None
    asked, left = waiting(store, DraftOptions((), "org/model", load_prompts()))
    assert ([one.question for one in asked], left.total()) == (
        ["What is left of the square?", "How many, in all?"],
        0,
    )
    # The same form again changes nothing, and a longer one adds what is new.
    (tmp_path / "asked.csv").write_text(FORM + "third,s1,occlusion,What is hidden?,a ring,\n")
    assert add_asked(store, tmp_path / "asked.csv") == 1


def test_every_problem_of_a_form_is_told_and_nothing_is_added(store, tmp_path):
    path = tmp_path / "asked.csv"
    path.write_text(FORM + "first,s9,colours,,red,\n")
    with pytest.raises(FormError) as error:
        add_asked(store, path)
    assert str(error.value).splitlines() == [
        f"{path}: line 4: id: found 'first' before, at {path}: line 2; allowed: each once",
        f"{path}: line 4: question: found nothing in it",
        f"{path}: line 4: scene: found 's9', allowed: one that was drawn into {store.folder}",
        f"{path}: line 4: category: found 'colours', allowed: {', '.join(CATEGORIES)}",
    ]
    assert store.items() == []


def test_the_command_adds_them(store, tmp_path):
    (tmp_path / "asked.csv").write_text(FORM)
    words = ["layered-vqa", str(store.folder), "--ask", str(tmp_path / "asked.csv"), "--prepare"]
    result = CliRunner().invoke(annotate, words)
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        0,
        f"{tmp_path / 'asked.csv'}: 2 questions to annotate",
    )
    with closing(Store.open(store.folder)) as again:
        assert [one.id for one in again.items()] == ["first", "second"]
