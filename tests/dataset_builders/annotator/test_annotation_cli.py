"""The commands of annotation, from a source to what the next command reads."""

import hashlib
import json
from dataclasses import asdict

import pytest
from click.testing import CliRunner
from PIL import Image

from dataset_builders.annotator.contents import ErrorContent
from dataset_builders.annotator.flow import state_of
from dataset_builders.annotator.store import Store
from lvqa_eval.images import Rendering
from lvqa_eval.main import main
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.pages import open_pages
from lvqa_eval.reports.bear.tags import read_tags
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, PageRecord, TurnRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.annotations import PAGE, QUESTION, checked_like, page_store, write
from tests.support.examples import scene
from tests.support.page_folder import page_folder


def lvqa(*arguments):
    done = CliRunner().invoke(main, ["annotate", *map(str, arguments)])
    return done.exit_code, done.output


def layers(root):
    (root / "street").mkdir(parents=True)
    for index, layer in enumerate(scene("street", 5).layers):
        Image.fromarray(layer).save(root / "street" / f"{index}.png")
    return root


def judged_run(folder, dataset, wrong):
    """Write a run over the pages of `dataset` whose judge holds the answers to `wrong` wrong."""
    opened = open_pages(str(dataset))
    known = PageRecord.__dataclass_fields__
    questions = [
        PageRecord(question_id=row.id, **{k: v for k, v in row.model_dump().items() if k in known})
        for row in opened.rows()
    ]
    identity = RunIdentity(
        {
            "benchmark": "bear-bench",
            "model": {"name": "some/model"},
            "dataset": {
                "name": str(dataset),
                "version": "1.0.0",
                "manifest_sha256": opened.manifest_sha256,
            },
            "images": asdict(Rendering()),
            "conditions": [DEFAULT],
            "runs": 1,
        }
    )
    with RunStore.create_or_resume(folder, identity, questions) as store:
        store.start_judge("referee", {"judge": "referee", "protocol": "xml"})
        for one in questions:
            turn = TurnRecord("Asked.", True, (), (), True, 1, Status.OK, "It is 7.")
            store.append(ConversationRecord(DEFAULT, one.question_id, 1, Status.OK, (turn,)))
            right = one.question_id not in wrong
            store.append_judgement(
                "referee",
                JudgementRecord(
                    *(DEFAULT, one.question_id, 1, JudgeStatus.OK, right, int(right)),
                    reasoning="Not what the table says.",
                ),
            )
    return folder


def test_scenes_from_the_source_to_the_question_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    work, root = tmp_path / "work", layers(tmp_path / "scenes")
    begun = lvqa(
        "layered-vqa", work, "--source", "png-layers", "--root", root, "--language", "ru", "--prepare"
    )
    assert begun == (0, f"{work}: 1 scenes; 0 questions taken over\n")
    assert lvqa("layered-vqa", work, "--adjudicate-by", "third", "--prepare") == (0, "")
    store = Store.open(work)
    assert (store.fact("language"), store.fact("adjudicators")) == ("ru", "third")
    assert store.fact("source") == {
        **{"name": "png-layers", "root": "scenes", "questions": None, "unusable": "fail"},
        **{"max_side": None, "licence": "NOASSERTION", "attribution": "not given"},
    }
    store.add_item("q", {"scene": "street", "question_id": "q"})
    store.add_item("other", {"scene": "street", "question_id": "other"})
    write(store, "q", "author", "Ann", QUESTION)
    assert lvqa("export", work)[0] == 1
    write(store, "q", "check", "Bob", checked_like(QUESTION))
    assert lvqa("export", work) == (
        0,
        "left out at author: 1: other\nquestions.yaml, questions.decisions.jsonl: 1 settled items\n",
    )
    done, printed = lvqa("agreement", work, "--json")
    assert (done, json.loads(printed)["checked"]) == (0, 1)
    store.close()


def test_wrong_answers_from_the_run_to_the_tags(tmp_path):
    dataset = page_folder(tmp_path / "bear-bench")
    run = judged_run(tmp_path / "run", dataset, {"business-en-2", "science-ru-1"})
    work = tmp_path / "work"
    assert lvqa("errors", work, run, "--prepare")[0] == 2
    told, printed = lvqa("errors", work, run, "--judge", "nobody", "--prepare")
    assert (told, "judge: found 'nobody', allowed: referee" in printed) == (1, True)
    for _ in range(2):
        begun = lvqa("errors", work, run, "--judge", "referee", "--prepare")
        assert begun == (0, f"{work}: 2 wrong answers by judge referee\n")
    store = Store.open(work)
    assert [one.id for one in store.items()] == [f"{DEFAULT}.business-en-2.1", f"{DEFAULT}.science-ru-1.1"]
    subject = store.items()[0].subject
    assert (subject["reply"], subject["model"], subject["width"]) == ("It is 7.", "some/model", 131)
    picture = work / subject["picture"].lstrip("/")
    assert hashlib.sha256(picture.read_bytes()).hexdigest() == picture.stem
    for slot, name in (("author", "Ann"), ("check", "Bob")):
        write(store, store.items()[0].id, slot, name, ErrorContent(tags=("C4",)))
    assert lvqa("export", work)[0] == 0
    assert read_tags(run) == {Key(DEFAULT, "business-en-2", 1): ("C4",)}
    store.close()


def test_pages_go_to_the_work_folder_alone(tmp_path):
    store = page_store(tmp_path)
    for slot, name in (("author", "Ann"), ("check", "Bob")):
        write(store, "folder-paper-p0001", slot, name, PAGE)
    assert lvqa("export", tmp_path, "--out", tmp_path / "x.jsonl")[0] == 2
    assert lvqa("export", tmp_path)[0] == 1
    done, printed = lvqa("export", tmp_path, "--replace")
    assert (done, printed.splitlines()[-1].endswith("1 settled items")) == (0, True)
    assert lvqa("bear", tmp_path, "--prepare") == (0, f"{tmp_path}: 4 pages; 0 questions taken over\n")
    assert lvqa("layered-vqa", tmp_path, "--prepare")[0] == 1
    assert state_of(store, "folder-paper-p0001").stage == "agreed"
    store.close()


@pytest.mark.parametrize("command", ["layered-vqa", "errors", "agreement", "export"])
def test_an_empty_folder_says_how_to_begin(tmp_path, command):
    done, printed = lvqa(command, tmp_path / "none")
    assert done == 1
    assert "not found; begin with: lvqa annotate layered-vqa|bear|errors" in printed


def test_every_command_shows_an_example():
    done, printed = lvqa("--help")
    assert done == 0
    for name in ("layered-vqa", "bear", "errors", "draft", "agreement", "export"):
        assert f"  {name} " in printed
        assert "Example: lvqa annotate" in lvqa(name, "--help")[1]
