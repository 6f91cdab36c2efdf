"""What goes out is what the next command reads, and what comes in goes out unchanged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from PIL import Image

from dataset_builders.annotator.contents import ErrorContent
from dataset_builders.annotator.export import export_items, export_questions, export_tags
from dataset_builders.annotator.flow import state_of
from dataset_builders.annotator.scenes import draw, scene_of
from dataset_builders.annotator.store import Store, StoreError
from dataset_builders.bear_bench.finish import run as finish
from dataset_builders.bear_bench.records import Item
from dataset_builders.bear_bench.work import Work
from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.example import problems
from dataset_builders.layered_vqa.sources.coco import CocoSource
from dataset_builders.layered_vqa.sources.png_layers import PngLayersSource
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from dataset_builders.validate import validate
from lvqa_eval.reports.bear.tags import ERROR_TAGS, read_tags
from lvqa_eval.runs.records import Key
from tests.support.annotations import (
    PAGE,
    QUESTION,
    REJECT,
    checked_like,
    error_store,
    page_store,
    scene_store,
    write,
)
from tests.support.examples import scene

ROOT = Path(__file__).resolve().parents[3]
PHOTOS = ROOT / ".." / "shared" / "data" / "layers" / "coco"


def layer_folder(root, names=("street", "yard")):
    """Write scenes as folders of PNG layers called bottom, one, two, three, four."""
    for name in names:
        (root / name).mkdir(parents=True)
        files = ["a bottom", "b one", "c two", "d three", "e four"]
        for file, layer in zip(files, scene(name, 5).layers, strict=True):
            Image.fromarray(layer).save(root / name / f"{file}.png")
    return root


def settle(store, item, content, author="Ann"):
    write(store, item, "author", author, content)
    write(store, item, "check", "Bob", checked_like(content))


def test_an_exported_question_is_written_by_keys_and_builds_to_a_valid_set(tmp_path):
    root = layer_folder(tmp_path / "scenes")
    store = Store.create(tmp_path / "work", "scenes", {"language": "en"})
    draw(store, PngLayersSource(root=root))
    for name in ("street-q1", "yard-q1"):
        store.add_item(name, {"scene": name[:-3], "question_id": name})
    tricky = "no: 'yes' # <b>«ё»</b>\n- *not* an &anchor"
    content = QUESTION.model_copy(update={"question": tricky, "minimal_sets": ((2, 1),)})
    settle(store, "street-q1", content)
    out = tmp_path / "questions.yaml"
    exported = export_questions(store, out)
    assert (exported.kept, exported.left_out) == (1, {"author": ("yard-q1",)})
    (entry,) = yaml.safe_load(out.read_text())
    assert (entry["scene"], entry["id"], entry["gold"]) == ("street", "street-q1", ["b one", "c two"])
    assert entry["dependencies"] == [["c two", "b one"]]
    assert [one["support"] for one in entry["shards"]] == [[], ["b one"], ["b one", "c two"]]
    source = PngLayersSource(root=root, questions=out)
    (material,) = source.read()
    (example,) = material.examples
    assert problems(example) == []
    assert (example.question, example.gold_layers, example.dependencies) == (tricky, (1, 2), ((2, 1),))
    assert [one.support for one in example.shards] == [(), (1,), (1, 2)]
    assert example.distractors == (0, 3, 4)
    built = build(source, tmp_path / "layered-vqa", "1.0.0", ConditionOptions(seed=0))
    assert (built.questions, validate(built.folder)) == (1, [])
    decisions = [
        json.loads(line) for line in (tmp_path / "questions.decisions.jsonl").read_text().splitlines()
    ]
    assert decisions == [
        {
            **{"item": "street-q1", "stage": "agreed", "author": "Ann", "check": "Bob"},
            **{"adjudicate": None, "draft_outcome": None},
        }
    ]
    store.close()


def test_what_is_taken_over_from_a_question_file_goes_out_as_it_came(tmp_path):
    root = layer_folder(tmp_path / "scenes")
    store = Store.create(tmp_path / "first", "scenes")
    draw(store, PngLayersSource(root=root))
    store.add_item("q", {"scene": "street", "question_id": "q"})
    settle(store, "q", QUESTION)
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    export_questions(store, first)
    again = Store.create(tmp_path / "second", "scenes")
    drawn = draw(again, PngLayersSource(root=root, questions=first))
    assert (drawn.scenes, drawn.questions) == (1, 1)
    state = state_of(again, "q")
    assert (state.stage, state.holder("author"), state.item.origin) == ("check", "imported", "imported")
    assert draw(again, PngLayersSource(root=root, questions=first)).questions == 0
    write(again, "q", "check", "Bob", checked_like(QUESTION))
    export_questions(again, second)
    assert second.read_bytes() == first.read_bytes()
    for one in (store, again):
        one.close()


def test_scenes_of_a_source_without_question_files_build_from_the_layers_beside_them(tmp_path):
    store = Store.create(tmp_path / "work", "scenes")
    draw(store, ProceduralSource(scenes=2, seed=3))
    (name, *_) = store.scenes()
    depth = len(scene_of(store, name).layers)
    assert [one.keys for one in scene_of(store, name).layers][:2] == [("layer-0",), ("layer-1",)]
    content = QUESTION.model_copy(
        update={"minimal_sets": ((0,),), "dependencies": (), "shards": QUESTION.shards}
    )
    shards = tuple(one.model_copy(update={"support": (0,)}) for one in content.shards)
    store.add_item("q", {"scene": name, "question_id": "q"})
    settle(store, "q", content.model_copy(update={"shards": shards}))
    out = tmp_path / "questions.yaml"
    export_questions(store, out)
    source = PngLayersSource(root=tmp_path / "work" / "layers", questions=out)
    built = build(source, tmp_path / "layered-vqa", "1.0.0", ConditionOptions(seed=0))
    assert (built.scenes, validate(built.folder)) == (1, [])
    (material,) = source.read()
    (original,) = [
        one.scene for one in ProceduralSource(scenes=2, seed=3).read() if one.scene.scene_id == name
    ]
    assert (material.scene.composite() == original.composite()).all()
    assert (material.scene.captions, material.scene.depth) == (original.captions, depth)
    assert (material.scene.licence, material.scene.attribution) == (original.licence, original.attribution)
    store.close()


def test_pictures_are_those_of_the_scene_by_hash(tmp_path):
    store = scene_store(tmp_path, scenes=1, questions=0)
    drawn = scene_of(store, "s1")
    made = scene("s1", 5)
    with Image.open(tmp_path / "pictures" / f"{drawn.composite}.png") as picture:
        assert (picture.mode, picture.size) == ("RGB", (drawn.width, drawn.height))
        assert picture.tobytes() == made.composite().tobytes()
    with Image.open(tmp_path / "pictures" / f"{drawn.layers[2].sha256}.png") as picture:
        assert (picture.mode, picture.tobytes()) == ("RGBA", made.layers[2].tobytes())
    store.close()


def test_other_layers_of_a_scene_that_was_drawn_are_refused(tmp_path):
    root = layer_folder(tmp_path / "scenes", ("street",))
    store = Store.create(tmp_path / "work", "scenes")
    draw(store, PngLayersSource(root=root))
    (root / "street" / "e four.png").unlink()
    with pytest.raises(StoreError, match="scene street: layers: found 4, and 5 with other keys before"):
        draw(store, PngLayersSource(root=root))
    store.close()


@pytest.mark.skipif(not PHOTOS.is_dir(), reason="the photos are not beside this repository")
def test_questions_about_photos_go_through_the_app_unchanged(tmp_path):
    every = yaml.load((ROOT / "examples" / "coco_photos" / "questions.yaml").read_text(), yaml.BaseLoader)
    few = tmp_path / "few.yaml"
    few.write_text(yaml.safe_dump([one for one in every if one["scene"] in ("6818", "331352")]))
    asked = {
        "images": PHOTOS / "images",
        "annotations": PHOTOS / "instances.json",
        "questions": few,
        "max_side": 96,
    }
    store = Store.create(tmp_path / "work", "scenes", {"language": "en"})
    source = CocoSource(**asked)
    drawn = draw(store, source)
    before = [one for material in source.read() for one in material.examples]
    assert drawn.questions == len(before) == len(store.items())
    for item in store.items():
        author = state_of(store, item.id).content("author")
        write(store, item.id, "check", "Bob", checked_like(author))
    out = tmp_path / "questions.yaml"
    assert export_questions(store, out).kept == len(before)
    after = [
        one for material in CocoSource(**{**asked, "questions": out}).read() for one in material.examples
    ]
    assert after == before
    store.close()


def test_a_question_without_description_leaves_the_field_out(tmp_path):
    store = scene_store(tmp_path)
    settle(store, "s1-q1", QUESTION.model_copy(update={"answer_description": " "}))
    export_questions(store, tmp_path / "q.yaml")
    assert "answer_description" not in yaml.safe_load((tmp_path / "q.yaml").read_text())[0]
    store.close()


def test_nothing_settled_writes_nothing(tmp_path):
    store = scene_store(tmp_path)
    with pytest.raises(StoreError, match="found no settled item"):
        export_questions(store, tmp_path / "q.yaml")
    assert not (tmp_path / "q.yaml").exists()
    store.close()


def test_settled_pages_become_items_with_drops_and_finish_goes_on(tmp_path):
    folder = tmp_path / "work"
    store = page_store(folder, pages=2)
    (folder / "items.jsonl").unlink()
    names = [one.id for one in store.items()]
    assert len(names) == 8
    settle(store, names[0], PAGE)
    write(store, names[1], "author", "Ann", PAGE)
    write(store, names[1], "check", "Bob", checked_like(PAGE, answer="two pages"))
    write(
        store,
        names[1],
        "adjudicate",
        "Eve",
        PAGE.model_copy(update={"answer": "3 ", "labels": ("code", "tables")}),
    )
    write(
        store,
        names[2],
        "author",
        "Ann",
        PAGE.model_copy(update={"question": "", "decision": "reject", "note": "empty page"}),
    )
    write(store, names[3], "author", "Ann", PAGE)
    exported = export_items(store)
    assert exported.kept == 2
    assert exported.left_out == {"author": tuple(names[4:]), "check": (names[3],), "rejected": (names[2],)}
    work = Work(folder)
    items = work.read("items", Item, "annotate")
    assert [(one.page_id, one.answer, one.labels) for one in items] == [
        (names[0], "2", ("tables",)),
        (names[1], "3", ("tables", "code")),
    ]
    assert work.counts()["annotate"] == {"not settled": 5, "rejected": 1}
    assert [one.detail for one in work.drops() if one.reason == "rejected"] == ["empty page"]
    deciders = [json.loads(line) for line in (folder / "annotators.jsonl").read_text().splitlines()]
    assert [(one["author"], one["check"], one["adjudicate"]) for one in deciders] == [
        ("Ann", "Bob", None),
        ("Ann", "Bob", "Eve"),
    ]
    finished = finish(work, tmp_path / "bear-bench", "1.0.0")
    assert finished.count.kept == 2
    assert export_items(store).kept == 2
    store.close()


def test_questions_about_pages_that_are_there_are_taken_over_to_be_checked(tmp_path):
    store = page_store(tmp_path, pages=3, questions=True)
    stages = {one.id: state_of(store, one.id).stage for one in store.items()}
    assert set(stages.values()) == {"check"}
    author = state_of(store, "folder-report-p0001").content("author")
    assert (author.question, author.answer, author.labels, author.reasoning_steps) == (
        *("What is 1 + 1?", "2"),
        *(("diagrams", "tables"), 3),
    )
    for one in store.items():
        write(store, one.id, "check", "Bob", checked_like(state_of(store, one.id).content("author")))
    with pytest.raises(StoreError, match=r"items.jsonl: found questions from elsewhere; --replace"):
        export_items(store)
    before = Work(tmp_path).read("items", Item, "annotate")
    export_items(store, replace=True)
    assert Work(tmp_path).read("items", Item, "annotate") == before
    store.close()


def test_tags_are_what_the_reports_read(tmp_path):
    store = error_store(tmp_path, answers=3)
    settle(store, "full.p1.1", ErrorContent(tags=("C5", "C1")))
    settle(store, "full.p2.1", ErrorContent())
    write(store, "full.p3.1", "author", "Ann", ErrorContent(tags=("C2",)))
    exported = export_tags(store, tmp_path / ERROR_TAGS)
    assert exported.left_out == {"check": ("full.p3.1",)}
    assert read_tags(tmp_path) == {Key("full", "p1", 1): ("C1", "C5"), Key("full", "p2", 1): ()}
    store.close()


def test_a_rejected_question_is_named_and_stays_out(tmp_path):
    store = scene_store(tmp_path)
    settle(store, "s1-q1", QUESTION)
    write(store, "s2-q1", "author", "Ann", REJECT)
    assert export_questions(store, tmp_path / "q.yaml").left_out == {"rejected": ("s2-q1",)}
    store.close()


def test_examples_survive_the_way_through_contents():
    from dataset_builders.annotator.problems import as_example
    from dataset_builders.annotator.scenes import content_of
    from tests.support.examples import BY_HAND

    assert as_example(content_of(BY_HAND), "q1", "s1", 5) == BY_HAND
    bare = replace(BY_HAND, answer_description=None)
    assert as_example(content_of(bare), "q1", "s1", 5) == bare
