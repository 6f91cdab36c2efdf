"""The reader of BEAR-Bench folders."""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from dataset_builders.bear_bench.finish import run
from lvqa_eval.dataset_folder import DatasetError, open_folder
from lvqa_eval.pages import PageDataset, open_pages
from tests.support.bear_work import bear_work, picture


@pytest.fixture
def folder(tmp_path):
    return run(bear_work(tmp_path / "work"), tmp_path / "bear-bench", "1.0.0").folder


def changed(folder, cell, change):
    """Write the file of a cell anew with its rows changed in place."""
    path = folder / f"{cell}.parquet"
    table = pyarrow.parquet.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows, table.schema), path)


def test_rows_come_typed_cell_by_cell_with_their_pictures(folder):
    dataset = open_folder(str(folder))
    assert isinstance(dataset, PageDataset)
    assert (dataset.kind, dataset.version) == ("bear-bench", "1.0.0")
    assert dataset.cells == ["business-en", "business-ru", "science-en", "science-ru"]
    rows = dataset.rows()
    assert [row.cell for row in rows] == [cell for cell in dataset.cells for _ in range(3)]
    assert dataset.rows("science-ru") == rows[9:]
    assert rows[9].question_id == rows[9].id == "folder-статья-p0001"
    assert (rows[10].reasoning_steps, rows[9].contains_diagrams, rows[10].contains_diagrams) == (
        None,
        True,
        False,
    )
    # Document 3 of the work folder, page 1.
    assert dataset.picture("folder-статья-p0001") == picture(61)
    assert [name for name, _ in dataset.pictures()] == [row.id for row in rows]
    assert dict(dataset.pictures())["folder-report-p0003"] == picture(3)


def test_a_rebuilt_folder_is_read_anew(folder, tmp_path):
    before = open_pages(str(folder))
    assert before.picture("folder-report-p0001") == picture(1)
    run(bear_work(tmp_path / "other", shade=50), folder, "1.0.0")
    after = open_pages(str(folder))
    assert after.picture("folder-report-p0001") == picture(51)
    assert after.manifest_sha256 != before.manifest_sha256


def test_every_bad_row_is_told_with_its_file_and_field(folder):
    def spoil(rows):
        rows[0]["page"] = 0
        rows[2]["language"] = "fr"

    changed(folder, "business-en", spoil)
    changed(folder, "science-ru", lambda rows: rows[1].update(answer=None))
    with pytest.raises(DatasetError) as caught:
        open_pages(str(folder)).rows()
    told = [line.removeprefix(f"{folder}/") for line in caught.value.problems]
    assert [line.split(": Input")[0] for line in told] == [
        "business-en.parquet: row 1: page",
        "business-en.parquet: row 3: language",
        "science-ru.parquet: row 2: answer",
    ]
    assert told[1].endswith("Input should be 'en' or 'ru', found 'fr'")


def test_columns_that_are_missing_or_unknown_are_named(folder):
    path = folder / "business-en.parquet"
    table = pyarrow.parquet.read_table(path)
    renamed = table.rename_columns(["ident" if name == "id" else name for name in table.column_names])
    pyarrow.parquet.write_table(renamed, path)
    with pytest.raises(DatasetError) as caught:
        open_pages(str(folder)).rows("business-en")
    assert caught.value.problems == [f"{path}: id: column missing", f"{path}: ident: unknown column"]


def test_files_that_cannot_be_read_are_named(folder):
    (folder / "business-en.parquet").write_bytes(b"PAR1 and no more")
    (folder / "science-en.parquet").unlink()
    with pytest.raises(DatasetError) as caught:
        open_pages(str(folder)).rows()
    first, second = caught.value.problems
    assert first.startswith(f"{folder}/business-en.parquet: cannot be read as Parquet: ")
    assert second == f"{folder}/science-en.parquet: not found"


def test_what_is_not_there_is_refused(folder, tmp_path):
    dataset = open_pages(str(folder))
    with pytest.raises(DatasetError, match="cell: found 'business-fr', allowed: business-en, business-ru"):
        dataset.rows("business-fr")
    with pytest.raises(DatasetError, match="id: found 'q1', which no row has"):
        dataset.picture("q1")
    with pytest.raises(DatasetError, match="found 'nowhere', allowed: a folder that exists"):
        open_pages("nowhere")
    manifest = tmp_path / "odd/manifest.json"
    manifest.parent.mkdir()
    manifest.write_text(json.dumps({"dataset": "poems", "version": "1.0.0"}))
    with pytest.raises(DatasetError, match="dataset: found 'poems', allowed: layered-vqa, bear-bench"):
        open_folder(str(manifest.parent))
    with pytest.raises(DatasetError, match="cells: missing"):
        open_pages(str(manifest.parent))
