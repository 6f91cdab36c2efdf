"""An audit folder: made from runs, blind, resumed, refused, and scored again from the runs."""

import hashlib
import json
import shutil

import pytest
import yaml
from click.testing import CliRunner
from PIL import Image

from lvqa_eval.judging.audit import folder
from lvqa_eval.judging.audit.folder import make_audit
from lvqa_eval.judging.audit.folder_score import score_audit
from lvqa_eval.judging.audit.items import AuditError, read_items, read_keys
from lvqa_eval.judging.audit.labels import Label, LabelFile
from lvqa_eval.main import main
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.store import RunStore
from tests.support.answered_pages import answered_run
from tests.support.audited_runs import audited_run, drawn_dataset
from tests.support.page_studies import page
from tests.support.scored_runs import judgement


def lvqa(*arguments):
    result = CliRunner().invoke(main, ["audit", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def made(runs, tmp_path_factory):
    """Give an audit of all eleven conversations, of twelve wanted."""
    out = tmp_path_factory.mktemp("made") / "audit"
    make_audit(runs, out, 12, 0)
    return out


@pytest.fixture
def audit(made, tmp_path):
    """Give a copy of that audit, to be labelled."""
    shutil.copytree(made, tmp_path / "audit")
    return tmp_path / "audit"


def test_the_sample_is_drawn_and_told(runs, tmp_path):
    code, told = lvqa("sample", *runs, "--out", tmp_path / "audit", "--size", 12)
    assert code == 0
    assert told.splitlines() == [
        "Group      Drawn  Wanted",
        "---------  -----  ------",
        "full           5       6",
        "sharded-v      6       6",
        "note: full: 1 fewer than wanted; no more conversations can be judged",
        f"{tmp_path / 'audit'}: 11 of 12 conversations",
        f"next: lvqa audit label {tmp_path / 'audit'} --annotator NAME",
    ]
    identity = yaml.safe_load((tmp_path / "audit" / "audit.yaml").read_text())
    manifest = RunStore.open(runs[0]).identity.settings["dataset"]["manifest_sha256"]
    assert identity == {
        "runs": {name: {"model": {"name": f"some/{name}"}} for name in ("north", "south")},
        "dataset": {"version": "1.0.0", "manifest_sha256": manifest},
        "seed": 0,
        "size": 12,
        "groups": {"full": 6, "sharded-v": 6},
    }


def test_items_are_what_was_sent_and_said_and_nothing_that_tells_whose(made, runs):
    items, keys = read_items(made), read_keys(made)
    assert [one.item for one in items] == [one.item for one in keys] == [f"{i:04}" for i in range(1, 12)]
    stores = {run.name: RunStore.open(run) for run in runs}
    for item, key in zip(items, keys, strict=True):
        conversation = stores[key.run].conversations()[key.key]
        asked = stores[key.run].questions()[key.question_id]
        assert (item.question, item.reference, item.description) == (
            asked.question,
            asked.answer,
            asked.answer_description,
        )
        assert [(turn.user, turn.reply) for turn in item.turns] == [
            (turn.user, turn.reply) for turn in conversation.turns
        ]
        labels = [[picture.label for picture in turn.pictures] for turn in item.turns]
        expected = (
            ["the whole scene"] if key.condition == "full" else [f"layer {i}" for i in range(len(labels))]
        )
        assert labels == [[f"Image 1: {name}"] for name in expected]
        ended = "truncated" if conversation.status == "truncated" else None
        assert [turn.ended for turn in item.turns] == [*[None] * (len(item.turns) - 1), ended]
    seen = (made / "items.jsonl").read_text()
    telling = ("north", "south", "sharded-v", "proc-s0", "lenient", "some/model")
    assert not any(word in seen for word in telling)


def test_pictures_are_the_very_pixels_and_stand_once(made, drawn):
    files = sorted((made / "pictures").iterdir())
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() == path.stem for path in files)
    named = {
        picture.sha256: picture for one in read_items(made) for turn in one.turns for picture in turn.pictures
    }
    assert [path.stem for path in files] == sorted(named)
    for path in files:
        with Image.open(path) as picture:
            assert (picture.mode, picture.size) == ("RGB", (named[path.stem].width, named[path.stem].height))
    scenes = {path.read_bytes() for path in drawn.glob("scenes/*/composite.png")}
    assert scenes < {path.read_bytes() for path in files}


def test_the_same_command_completes_a_folder_and_leaves_a_complete_one_alone(made, runs, audit, monkeypatch):
    whole = {path.name: path.read_bytes() for path in made.iterdir() if path.is_file()}
    (audit / "items.jsonl").unlink()
    next((audit / "pictures").iterdir()).unlink()
    make_audit(list(reversed(runs)), audit, 12, 0)
    assert {path.name: path.read_bytes() for path in audit.iterdir() if path.is_file()} == whole
    assert len(list((audit / "pictures").iterdir())) == len(list((made / "pictures").iterdir()))
    monkeypatch.setattr(folder, "save_pictures", None)
    assert make_audit(runs, audit, 12, 0).drawn == {"full": 5, "sharded-v": 6}


def test_another_sample_in_the_folder_is_refused_with_the_difference(audit, runs):
    with pytest.raises(IdentityChangedError) as found:
        make_audit(runs, audit, 12, 1)
    assert [line.split(":")[0] for line in found.value.differences] == ["seed"]
    with pytest.raises(IdentityChangedError, match="runs"):
        make_audit(runs[:1], audit, 12, 0)


def test_a_folder_of_something_else_is_refused(runs, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(AuditError, match=r"no audit\.yaml, but other content \(thesis\.tex\); name an empty"):
        make_audit(runs, tmp_path, 12, 0)


def test_runs_that_do_not_go_together_are_refused(runs, tmp_path):
    shutil.copytree(runs[0], tmp_path / "copy" / "north")
    with pytest.raises(AuditError, match="RUN: found two folders called north"):
        make_audit([runs[0], tmp_path / "copy" / "north"], tmp_path / "audit", 4, 0)
    other = audited_run(tmp_path / "other", drawn_dataset(tmp_path, scenes=1), ("full",), lambda _: "", {})
    with pytest.raises(AuditError, match="RUN: found runs over different datasets"):
        make_audit([runs[0], other], tmp_path / "audit", 4, 0)
    assert not (tmp_path / "audit").exists()


def test_what_is_no_audit_says_how_to_make_one(tmp_path, made, audit):
    with pytest.raises(AuditError, match=r"found no items\.jsonl; `lvqa audit sample RUN --out"):
        read_items(tmp_path)
    pictures = sorted((audit / "pictures").iterdir())
    pictures[0].unlink()
    with pytest.raises(AuditError, match=f"missing: {pictures[0].name}"):
        read_items(audit)
    text = (audit / "items.jsonl").read_text()
    (audit / "items.jsonl").write_text(text.replace(pictures[1].stem, "../key"))
    with pytest.raises(AuditError, match=r"sha256: found \.\./key, allowed: 64 hexadecimal digits"):
        read_items(audit)


def label(audit, by, rule, adjudicate=False):
    names = [one.item for one in read_items(audit)]
    with LabelFile.open(audit, by, names, adjudicate) as file:
        for key in read_keys(audit):
            if (said := rule(key)) is not None:
                file.set(key.item, said, "")


def truth(key):
    return Label.RIGHT if key.run == "north" else Label.WRONG


def test_people_and_judges_are_compared_over_the_runs(audit, runs):
    label(audit, "ann", truth)
    label(audit, "bo", lambda key: Label.RIGHT if key.condition == "full" else truth(key))
    disputed = [key for key in read_keys(audit) if key.run == "south" and key.condition == "full"]
    assert len(disputed) == 2
    label(audit, "cara", lambda key: Label.CANNOT_TELL if key == disputed[0] else None, adjudicate=True)
    code, told = lvqa("score", audit, *runs)
    assert code == 0
    # Eleven: nine agreed on, six right and three wrong; one cannot be told, one is open. The lenient judge
    # calls all right; it is divided from the able one on south's three.
    lines = told.splitlines()
    assert lines[:5] == [
        "items      11",
        "labelled   ann 11, bo 11",
        "agreement  ann and bo: 9 of 11 (81.8 [52.3, 94.9] %), kappa 0.62; cannot be told by either: 0",
        "settled    9: 9 agreed on, 0 adjudicated",
        "left out   1 cannot be told, 1 not adjudicated yet, 0 with fewer than two labels",
    ]
    table = [line.split() for line in lines if line.startswith(("able ", "lenient "))]
    assert table[0] == [
        "able",
        "100.0",
        "[70.1,",
        "100.0]",
        "9",
        "1.00",
        *["100.0", "[61.0,", "100.0]", "6"],
        *["100.0", "[43.9,", "100.0]", "3", "100.0"],
    ]
    assert table[1][:5] == ["lenient", "66.7", "[35.4,", "87.9]", "9"]
    assert table[1][6:] == ["100.0", "[61.0,", "100.0]", "6", "0.0", "[0.0,", "56.1]", "3", "100.0"]


def test_what_the_model_failed_is_wrong_by_rule_whatever_a_judge_said(audit, runs):
    for by in ("ann", "bo"):
        label(audit, by, truth)
    found = score_audit(audit, runs)
    lenient = {one.judge: one for one in found.judges}["lenient"]
    # It called the answer that was cut off right, too; that is not what counts.
    assert (lenient.all.accuracy.n, round(lenient.all.accuracy.value * 11)) == (11, 7)
    assert found.failed == 1
    assert found.panel == ("able", "lenient")


def test_post_hoc_judges_and_exact_match_do_not_vote(audit, runs, tmp_path):
    copies = [shutil.copytree(run, tmp_path / "voted" / run.name) for run in runs]
    with RunStore.open(copies[0]) as store:
        for name, protocol in (("exact-match", None), ("able.post-hoc", "post-hoc")):
            store.start_judge(name, {"judge": name, "protocol": protocol})
            store.append_judgement(name, judgement("full", next(iter(store.questions()))))
    found = score_audit(audit, copies)
    assert [one.judge for one in found.judges] == ["able", "able.post-hoc", "exact-match", "lenient"]
    assert found.panel == ("able", "lenient")


def test_conversations_held_anew_are_not_taken_for_those_that_were_labelled(audit, runs, tmp_path):
    copies = [shutil.copytree(run, tmp_path / "anew" / run.name) for run in runs]
    path = copies[0] / "conversations.jsonl"
    lines = path.read_text().splitlines()
    record = json.loads(lines[0])
    record["turns"][-1]["reply"] = "Something new."
    path.write_text("\n".join([json.dumps(record), *lines[1:]]) + "\n")
    (item,) = [
        one.item
        for one in read_keys(audit)
        if (one.run, one.condition, one.question_id) == ("north", record["condition"], record["question_id"])
    ]
    with pytest.raises(
        AuditError, match=f"the runs hold other conversations than were labelled: items {item}$"
    ):
        score_audit(audit, copies)


def test_missing_and_strange_runs_are_named_at_once(audit, runs, tmp_path):
    shutil.copytree(runs[0], tmp_path / "east")
    with pytest.raises(AuditError) as found:
        score_audit(audit, [tmp_path / "east", runs[1]])
    assert str(found.value).splitlines() == [
        "RUN: found no folder called north, which the audit has items of",
        "RUN: found east; the audit is of north, south",
    ]
    shutil.copytree(runs[1], tmp_path / "north")
    with pytest.raises(
        AuditError, match=r"model: found {'name': 'some/south'}, the audit is of {'name': 'some/north'}"
    ):
        score_audit(audit, [tmp_path / "north", runs[1]])


def test_json_has_every_group_of_every_judge_and_null_for_what_is_undefined(audit, runs):
    code, told = lvqa("score", audit, *runs, "--json")
    found = json.loads(told)
    assert (code, found["items"], found["labelled"], found["annotators"]) == (0, 11, {}, [])
    assert found["settlement"]["unlabelled"] == 11
    assert set(found["judges"]) == {"able", "lenient"}
    assert found["judges"]["able"]["groups"]["full"] == {
        "accuracy": {"n": 0, "value": None, "low": None, "high": None},
        "kappa": None,
        "kappa_note": "undefined (no common item)",
        "labelled": 0,
        "judged": 0,
    }


def test_pages_are_drawn_evenly_from_the_cells(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_keep_pictures", lambda *_: [])
    cells = [*[("ru", "business")] * 9, *[("en", "science")] * 4, ("en", "business")]
    asked = [page(f"p{n}", language=cell[0], domain=cell[1]) for n, cell in enumerate(cells)]
    run = answered_run(tmp_path / "run", "some/model", asked, {one.question_id: ("1", True) for one in asked})
    sample = make_audit([run], tmp_path / "audit", 9, 0)
    assert sample.drawn == {"default, en-business": 1, "default, en-science": 3, "default, ru-business": 3}
    assert sample.shortfalls == {"default, en-business": 2}
    russian = {one.question_id for one in asked[:9]}
    groups = {key.group for key in read_keys(tmp_path / "audit") if key.question_id in russian}
    assert groups == {"default, ru-business"}
