"""Pages and items become the dataset folder, and `load_dataset` reads it as it was written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench import procedural
from dataset_builders.bear_bench.card import configs_of
from dataset_builders.bear_bench.finish import run
from dataset_builders.bear_bench.procedural import PageOptions
from dataset_builders.bear_bench.records import Document, Drop, Item, Licence, PageText
from dataset_builders.bear_bench.rows import CANARY
from dataset_builders.bear_bench.tables import features, write_cell
from dataset_builders.bear_bench.work import Work
from dataset_builders.publishing.lint import read_head
from dataset_builders.standing import BuildError
from dataset_builders.validate import validate
from lvqa_eval.main import main
from lvqa_eval.pages import PageRow
from tests.support.bear_work import bear_work, document, picture

ROOT = Path(__file__).parents[3]


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_cell_is_a_file_and_every_field_is_there(tmp_path):
    work = bear_work(tmp_path / "work")
    finished = run(work, tmp_path / "bear-bench", "1.0.0")
    assert dict(finished.count.groups) == {
        **{"business-en": 3, "business-ru": 3},
        **{"science-en": 3, "science-ru": 3},
    }
    table = pyarrow.parquet.read_table(tmp_path / "bear-bench/business-ru.parquet")
    first, second, _ = table.to_pylist()
    assert first.pop("image") == {"bytes": picture(21), "path": "folder-отчёт-p0001.png"}
    assert first == {
        "id": "folder-отчёт-p0001",
        "question": "Сколько будет 1 + 1?",
        "answer": "2",
        "language": "ru",
        "domain": "business",
        "document_type": "отчёт",
        "source_url": "отчёт.pdf",
        "source_document": "folder-отчёт",
        "page": 1,
        "licence": "CC-BY-4.0",
        "contains_diagrams": True,
        "contains_tables": True,
        "contains_equations": False,
        "contains_code": False,
        "contains_figures": False,
        "contains_handwriting": False,
        "reasoning_steps": 3,
        "ocr_characters": 1001,
        "width": 12,
        "height": 16,
    }
    assert second["reasoning_steps"] is None
    assert table.schema.metadata[b"canary"].decode() == CANARY


def test_the_same_input_gives_the_same_bytes_whatever_its_order(tmp_path):
    work = bear_work(tmp_path / "work")
    run(work, tmp_path / "a/bear-bench", "1.0.0")
    for name, kind in (("items", Item), ("texts", PageText), ("licences", Licence), ("documents", Document)):
        work.write(name, reversed(work.read(name, kind, "x")))
    run(work, tmp_path / "b/bear-bench", "1.0.0")
    assert content(tmp_path / "a/bear-bench") == content(tmp_path / "b/bear-bench")


def test_row_groups_hold_fifty_rows_at_most_and_fewer_large_pictures(tmp_path, monkeypatch):
    work = bear_work(tmp_path / "work", pages=1)
    run(work, tmp_path / "bear-bench", "1.0.0")
    (row,) = pyarrow.parquet.read_table(tmp_path / "bear-bench/science-en.parquet").to_pylist()
    del row["image"]
    rows = [(PageRow(**row | {"id": f"q{number}"}), b"x" * 9) for number in range(120)]

    def groups(path):
        write_cell(rows, path)
        file = pyarrow.parquet.ParquetFile(path).metadata
        return [file.row_group(index).num_rows for index in range(file.num_row_groups)]

    assert groups(tmp_path / "a.parquet") == [50, 50, 20]
    monkeypatch.setattr("dataset_builders.bear_bench.tables.MAX_BYTES", 9 * 40)
    assert groups(tmp_path / "b.parquet") == [40, 40, 40]


def test_card_and_manifest_say_what_is_in_it(tmp_path):
    work = bear_work(tmp_path / "work")
    work.write("licences", work.read("licences", Licence, "x"), [drop("licence", "no evidence")] * 2)
    work.write("sample", [], [drop("sample", "not drawn")])
    run(work, tmp_path / "bear-bench", "1.2.0")
    manifest = json.loads((tmp_path / "bear-bench/manifest.json").read_text())
    assert manifest["dataset"] == "bear-bench"
    assert manifest["drops"] == {"licence": {"no evidence": 2}, "sample": {"not drawn": 1}}
    assert manifest["cells"] == {"business-en": 3, "business-ru": 3, "science-en": 3, "science-ru": 3}
    assert manifest["counts"]["by_content"]["equations"] == 8
    assert manifest["counts"]["reasoning_steps"] == {"3": 8}
    assert manifest["counts"]["without_reasoning_steps"] == 4
    text = (tmp_path / "bear-bench/README.md").read_text()
    head = read_head(text)
    assert (head["license"], head["language"], head["version"]) == ("cc-by-4.0", ["en", "ru"], "1.2.0")
    assert [config["config_name"] for config in head["configs"]] == ["all", "business", "science"]
    assert [config.get("default") for config in head["configs"]] == [True, None, None]
    assert len({config["description"] for config in head["configs"]}) == 3
    assert "| licence | no evidence | 2 |" in text
    assert "| `science-ru` | 3 | 1 |" in text
    assert "pages were searched" in text
    assert "$" not in text.split("---\n", 2)[2]
    assert CANARY in text


def drop(stage, reason):
    return Drop(id="x", stage=stage, reason=reason)


def test_what_cannot_be_a_row_is_left_out_and_named(tmp_path):
    work = bear_work(tmp_path / "work", pages=2)
    licences = work.read("licences", Licence, "x")
    work.write("licences", [one for one in licences if one.document_id != "folder-paper"])
    texts = work.read("texts", PageText, "x")
    odd = {"folder-report-p0001": {"language": "other"}, "folder-отчёт-p0002": None}
    work.write(
        "texts",
        [
            one.model_copy(update=odd.get(one.page_id, {}))
            for one in texts
            if odd.get(one.page_id, {}) is not None
        ],
    )
    items = work.read("items", Item, "x")
    work.write("items", [*items, items[0].model_copy(update={"page_id": "gone"})])
    finished = run(work, tmp_path / "bear-bench", "1.0.0")
    assert finished.count.kept == 4
    assert {(one.id, one.reason) for one in work.drops()} == {
        ("folder-paper-p0001", "no licence"),
        ("folder-paper-p0002", "no licence"),
        ("folder-report-p0001", "language"),
        ("folder-отчёт-p0002", "no text"),
        ("gone", "no page"),
    }
    # A cell without pages has no file, and a split without pages stands in no config.
    assert sorted(path.name for path in (tmp_path / "bear-bench").glob("*.parquet")) == [
        "business-en.parquet",
        "business-ru.parquet",
        "science-ru.parquet",
    ]
    cells = json.loads((tmp_path / "bear-bench/manifest.json").read_text())["cells"]
    assert configs_of(cells) == {
        "all": {"en": ["business-en.parquet"], "ru": ["business-ru.parquet", "science-ru.parquet"]},
        "business": {"en": ["business-en.parquet"], "ru": ["business-ru.parquet"]},
        "science": {"ru": ["science-ru.parquet"]},
    }


def test_everything_that_a_person_must_mend_is_told_at_once(tmp_path):
    work = bear_work(tmp_path / "work", pages=2)
    first, second, third, *others = work.read("items", Item, "x")
    changed = [
        first.model_copy(update={"answer": " "}),
        second.model_copy(update={"labels": ("poems",)}),
        third.model_copy(update={"reasoning_steps": 0}),
    ]
    work.write("items", [*changed, others[0], *others])
    documents = work.read("documents", Document, "x")
    same = [document("paper", "science", documents[0].sha256)]
    work.write("documents", [one for one in documents if one.document_id != "folder-paper"] + same)
    with pytest.raises(BuildError) as caught:
        run(work, tmp_path / "bear-bench", "1.0.0")
    assert caught.value.problems == [
        f"{others[0].page_id}: found 2 items, allowed: one a page",
        "folder-report-p0001: answer: found nothing in it",
        "folder-report-p0002: labels: found poems, allowed: diagrams, tables, equations, code, figures, "
        "handwriting",
        f"{third.page_id}: reasoning_steps: found 0, allowed: at least 1, or null",
        "folder-paper (science), folder-report (business): the same file in both domains, which may share no "
        "document",
    ]
    assert not (tmp_path / "bear-bench").exists()


def test_a_picture_that_changed_after_it_was_drawn_is_refused(tmp_path):
    work = bear_work(tmp_path / "work", pages=1)
    (work.folder / "pages/folder-report-p0001.png").write_bytes(picture(200))
    with pytest.raises(BuildError, match=r"folder-report-p0001\.png: changed: found sha256"):
        run(work, tmp_path / "bear-bench", "1.0.0")
    assert not (tmp_path / "bear-bench").exists()


def test_another_version_is_replaced_on_demand_alone(tmp_path):
    work, out = bear_work(tmp_path / "work", pages=1), tmp_path / "bear-bench"
    command = ["build", "bear", "finish", str(work.folder), "--out", str(out)]
    first = CliRunner().invoke(main, command)
    assert first.exit_code == 0, first.output
    assert first.stdout.endswith(f"{out}: 4 pages, version 1.0.0\n")
    refused = CliRunner().invoke(main, [*command, "--version", "1.1.0"])
    assert refused.exit_code == 1
    assert "holds version 1.0.0, this build is version 1.1.0" in refused.stderr
    replaced = CliRunner().invoke(main, [*command, "--version", "1.1.0", "--replace"])
    assert replaced.stderr == "replaces a build of version 1.0.0\n"
    assert CliRunner().invoke(main, [*command, "--version", "1.1.0"]).stderr == ""


def test_procedural_pages_become_a_valid_set_that_says_what_it_is(tmp_path):
    work = Work(tmp_path / "work")
    procedural.run(work, PageOptions(pages=4, width=240), workers=1)
    finished = run(work, tmp_path / "bear-bench", "1.0.0")
    assert validate(finished.folder) == []
    assert dict(finished.count.groups) == {
        **{"business-en": 1, "business-ru": 1},
        **{"science-en": 1, "science-ru": 1},
    }
    card = (finished.folder / "README.md").read_text()
    assert "These pages are typeset by this project" in card
    assert "pages were searched" not in card


def test_load_dataset_reads_it_offline_and_never_a_build_before(tmp_path):
    """One process for all: it builds twice at one path and version, and must read the second."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.support.load_bear", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert found["features"] == {name: repr(kind) for name, kind in features().items()}
    assert found["splits"] == {
        "": {"en": 6, "ru": 6},
        "business": {"en": 3, "ru": 3},
        "science": {"en": 3, "ru": 3},
    }
    assert found["business ru"] == [f"folder-отчёт-p000{number}" for number in (1, 2, 3)]
    assert found["steps"] == [3, None, 3]
    assert found["streamed"] == found["business ru"]
    assert found["before"] == ["RGB", [12, 16], [21, 234, 7]]
    assert found["after"] == ["RGB", [12, 16], [121, 134, 7]]
