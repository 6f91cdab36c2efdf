"""The stage as a whole: labels, drops, report and classifier, by the stand-in and by a SigLIP."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench.classify.given import GivenLabelsError, read_given
from dataset_builders.bear_bench.classify.head import HeadError
from dataset_builders.bear_bench.classify.run import ClassifyError, ClassifyOptions, run
from dataset_builders.bear_bench.classify.silver import SilverLabel
from dataset_builders.bear_bench.records import LABELS, Drop, Item, Page, PageLabels
from dataset_builders.bear_bench.work import read_records
from lvqa_eval.main import main
from lvqa_eval.statuses import Status
from tests.support.bear_work import bear_work
from tests.support.drawn_pages import drawn_work

WRITTEN = ("labels.jsonl", "labels.drops.jsonl", "classifier.json")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Draw a work folder once; its vectors are kept in it."""
    return drawn_work(tmp_path_factory.mktemp("work"), documents=8, per_document=3)


def teach(work, labels, failed=()):
    """Write silver labels; those of the pages `failed` did not come."""
    pages = {page.page_id: page.sha256 for page in work.read("pages", Page, "render")}
    work.write(
        "silver",
        [
            SilverLabel(
                page_id=name,
                sha256=pages[name],
                status=Status.TRUNCATED if name in failed else Status.OK,
                labels=None if name in failed else held,
            )
            for name, held in labels.items()
        ],
    )


def drops_of(work):
    return read_records(work.folder / "labels.drops.jsonl", Drop)


def test_the_stand_in_learns_what_drawn_pages_contain(drawn):
    work, labels = drawn
    teach(work, labels)
    done = run(work, ClassifyOptions())
    report = {one.label: one for one in done.report.labels}
    assert (done.report.documents, done.report.held_out_documents) == (6, 2)
    assert done.report.pages + done.report.held_out_pages == 24
    for label in ("diagrams", "tables", "code", "figures"):
        assert report[label].f1 >= 0.8, report[label]
    assert report["equations"].support == 0
    kept = {one.page_id: one for one in work.read("labels", PageLabels, "classify")}
    assert all({"diagrams", "equations", "code"} & set(one.labels) for one in kept.values())
    assert {one.labelled_by for one in kept.values()} == {"layout (stand-in)"}
    drops = drops_of(work)
    assert {one.id for one in drops} | kept.keys() == labels.keys()
    assert {(one.stage, one.reason) for one in drops} == {("classify", "content")}
    assert drops[0].detail.startswith("diagrams 0.")
    assert "equations 0.00, code" in drops[0].detail
    assert done.count.kept == len(kept)
    assert done.count.dropped == {"content": len(drops)}
    assert work.counts()["classify"] == {"content": len(drops)}


def test_the_same_input_gives_the_same_bytes(drawn):
    work, labels = drawn
    teach(work, labels)
    run(work, ClassifyOptions())
    first = [(work.folder / name).read_bytes() for name in WRITTEN]
    run(work, ClassifyOptions())
    assert [(work.folder / name).read_bytes() for name in WRITTEN] == first
    stored = json.loads(first[2])
    assert stored["about"]["encoder"]["stand_in"] is True
    assert stored["about"]["learnt_from"] == ["silver"]


def test_pages_without_a_label_are_not_learnt_from(drawn):
    work, labels = drawn
    failed = sorted(labels)[::4]
    teach(work, labels, failed)
    done = run(work, ClassifyOptions())
    assert done.report.pages + done.report.held_out_pages == 24 - len(failed)
    assert done.count.kept + sum(done.count.dropped.values()) == 24


def test_what_is_kept_is_a_choice(drawn):
    work, labels = drawn
    teach(work, labels)
    tables = run(work, ClassifyOptions(keep=("tables",)))
    assert all("tables" in one.labels for one in work.read("labels", PageLabels, "classify"))
    assert tables.count.groups["tables"] == tables.count.kept
    everything = run(work, ClassifyOptions(threshold=0.0))
    assert everything.count.dropped == {}
    assert drops_of(work) == []


def test_given_labels_stand_and_teach_the_rest(drawn, tmp_path):
    work, labels = drawn
    teach(work, {})
    given = sorted(labels)[:18]
    path = tmp_path / "labels.jsonl"
    lines = [json.dumps({"page_id": name, "labels": list(labels[name])}) for name in given]
    path.write_text("\n".join([*lines, json.dumps({"page_id": "elsewhere", "labels": ["code"]})]))
    done = run(work, ClassifyOptions(labels=path, keep=LABELS))
    assert done.report.pages + done.report.held_out_pages == 18
    kept = {one.page_id: one for one in work.read("labels", PageLabels, "classify")}
    for name in given:
        if labels[name]:
            assert (set(kept[name].labels), kept[name].labelled_by) == (set(labels[name]), "given")
            assert set(kept[name].probabilities) <= {0.0, 1.0}
    assert {one.labelled_by for name, one in kept.items() if name not in given} == {"layout (stand-in)"}


def test_labels_of_every_page_need_no_classifier(drawn, tmp_path):
    work, labels = drawn
    (work.folder / "classifier.json").unlink(missing_ok=True)
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps({"page_id": name, "labels": held}) for name, held in labels.items()))
    done = run(work, ClassifyOptions(labels=path))
    assert done.report is None
    assert not (work.folder / "classifier.json").exists()
    assert done.count.kept == sum(bool({"diagrams", "code"} & set(held)) for held in labels.values())


def test_a_classifier_of_an_earlier_run_labels_without_learning(drawn, tmp_path):
    work, labels = drawn
    teach(work, labels)
    run(work, ClassifyOptions())
    expected = (work.folder / "labels.jsonl").read_bytes()
    path = tmp_path / "kept.json"
    (work.folder / "classifier.json").rename(path)
    (work.folder / "silver.jsonl").unlink()
    done = run(work, ClassifyOptions(classifier=path))
    assert done.report is None
    assert (work.folder / "labels.jsonl").read_bytes() == expected
    stored = json.loads(path.read_text())
    stored["about"]["encoder"]["version"] = 0
    path.write_text(json.dumps(stored))
    with pytest.raises(HeadError, match="encoder: found"):
        run(work, ClassifyOptions(classifier=path))


def test_without_labels_the_ways_to_get_some_are_named(drawn):
    work, _ = drawn
    (work.folder / "silver.jsonl").unlink(missing_ok=True)
    with pytest.raises(ClassifyError, match=r"--silver URL --model NAME.*--labels.*--classifier"):
        run(work, ClassifyOptions())


def test_a_siglip_takes_the_same_way(tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.SiglipVisionConfig(
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=64,
        patch_size=16,
    )
    folder = tmp_path / "tiny-siglip"
    transformers.SiglipVisionModel(config).save_pretrained(folder)
    transformers.SiglipImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    work = bear_work(tmp_path / "work", pages=4)
    teach(work, {one.page_id: one.labels for one in work.read("items", Item, "annotate")})
    done = run(work, ClassifyOptions(encoder=str(folder), device="cpu", threshold=0.0))
    assert done.report is not None
    records = work.read("labels", PageLabels, "classify")
    assert {one.labelled_by for one in records} == {"tiny-siglip"}
    assert len({one.probabilities for one in records}) > 12
    stored = json.loads((work.folder / "classifier.json").read_text())
    assert len(stored["head"]["weights"][0]) == 16
    assert stored["head"]["centre"] == [0.0] * 16


def test_the_command_prints_what_was_kept_and_how_sure_it_is(drawn):
    work, labels = drawn
    teach(work, labels)
    ran = CliRunner().invoke(main, ["build", "bear", "classify", str(work.folder), "--keep", "tables"])
    assert ran.exit_code == 0, ran.output
    lines = ran.output.splitlines()
    assert lines[0].startswith("classify: ")
    assert any(line.startswith("learnt from 18 pages of 6 documents, tested on 6") for line in lines)
    (tables,) = [line for line in lines if line.startswith("tables ")]
    assert len(tables.split()) == 8


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--silver", "http://127.0.0.1:1/v1"], "--silver and --model go together"),
        (["--model", "m"], "--silver and --model go together"),
        (
            ["--silver", "http://127.0.0.1:1/v1", "--model", "m", "--classifier", "CLASSIFIER"],
            "--classifier has learnt; give one",
        ),
        (["--keep", "prose"], "'prose' is not one of"),
    ],
)
def test_options_that_do_not_go_together(options, told, tmp_path):
    classifier = tmp_path / "c.json"
    classifier.write_text("{}")
    given = [str(classifier) if one == "CLASSIFIER" else one for one in options]
    ran = CliRunner().invoke(main, ["build", "bear", "classify", str(tmp_path), *given])
    assert ran.exit_code == 2
    assert told in ran.output


def test_every_bad_line_of_given_labels_is_told(tmp_path):
    path = Path(tmp_path / "labels.jsonl")
    path.write_text(
        '{"page_id": "a", "labels": ["tables", "diagrams"]}\n\n'
        '{"page_id": "b", "labels": null, "status": "truncated"}\n'
    )
    assert read_given(path) == {"a": ("diagrams", "tables")}
    path.write_text(
        '{"page_id": "a", "labels": []}\n{"page_id": "a", "labels": []}\nno\n[]\n{"page_id": 3}\n'
        '{"page_id": "c", "labels": ["prose"]}\n'
    )
    with pytest.raises(GivenLabelsError) as caught:
        read_given(path)
    assert [line.split(": ", 1)[1][:40] for line in str(caught.value).splitlines()] == [
        "line 2: page_id: found a again, allowed:",
        "line 3: not JSON: Expecting value: line ",
        "line 4: found list, allowed: an object",
        "line 5: page_id: found 3, allowed: text",
        "line 5: labels: missing",
        "line 6: labels: found ['prose'], allowed",
    ]
