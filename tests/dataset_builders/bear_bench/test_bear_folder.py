"""A built folder is checked, compared, described and planned for the Hub."""

import json
import re

import mlcroissant
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench.finish import run
from dataset_builders.bear_bench.records import Item, Licence
from dataset_builders.diff import diff
from dataset_builders.manifest import hash_files, sha256_of, write_manifest
from dataset_builders.publishing.errors import PublishError
from dataset_builders.publishing.lint import rows_and_pictures
from dataset_builders.publishing.upload import Choices, check
from dataset_builders.validate import validate
from lvqa_eval.dataset_folder import open_folder
from lvqa_eval.main import main
from tests.support.bear_work import bear_work, picture

CELLS = ("business-en", "business-ru", "science-en", "science-ru")
ALL = sorted(CELLS, key=lambda cell: cell.rsplit("-")[1])


@pytest.fixture
def folder(tmp_path):
    return run(bear_work(tmp_path / "work"), tmp_path / "bear-bench", "1.0.0").folder


def change(folder, cell, **fields):
    """Change the first row of a cell, with card and manifest following, so that the content is at fault."""
    path = folder / f"{cell}.parquet"
    table = pyarrow.parquet.read_table(path)
    rows = table.to_pylist()
    rows[0] |= fields
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows, table.schema), path)
    rehash(folder)


def rehash(folder):
    facts = json.loads((folder / "manifest.json").read_text())
    del facts["files"]
    hashes = hash_files(folder)
    card = (folder / "README.md").read_text()
    for name in ("all", "business", "science"):
        cells = [cell for language in ("en", "ru") for cell in CELLS if cell.endswith(language)]
        paths = [f"{cell}.parquet" for cell in cells if name == "all" or cell.startswith(name)]
        described = rf"(config_name: {name}\n(?:.*\n)*?.* sha256:)\w+"
        card = re.sub(described, rf"\g<1>{rows_and_pictures(paths, hashes)[:16]}", card, count=1)
    (folder / "README.md").write_text(card)
    write_manifest(folder, facts)


def test_a_fresh_build_is_valid_and_the_command_says_so(folder):
    assert validate(folder) == []
    assert CliRunner().invoke(main, ["validate", str(folder)]).stdout == f"{folder}: valid\n"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"answer": " "}, "/business-en.parquet: folder-report-p0001: answer: found nothing in it"),
        ({"width": 13}, "/business-en.parquet: folder-report-p0001: image: found 12x16, the row has 13x16"),
        (
            {"image": {"bytes": b"no picture", "path": "x.png"}},
            "/business-en.parquet: folder-report-p0001: image: cannot be decoded: cannot identify",
        ),
        (
            {"source_document": "folder-paper"},
            ": folder-paper: gives pages to business and science, which may share no document",
        ),
        (
            {"language": "ru"},
            "/business-en.parquet: folder-report-p0001: found business and ru in the file of business-en",
        ),
        (
            {"licence": "CC0-1.0"},
            ": manifest.json: counts: by_licence: found {'CC-BY-4.0': 12}, the rows give",
        ),
        ({"id": "folder-report-p0002"}, ": folder-report-p0002: found 2 rows of this id, allowed: one"),
    ],
)
def test_what_breaks_a_promise_is_named(folder, fields, told):
    change(folder, "business-en", **fields)
    assert [line for line in validate(folder) if line.startswith(f"{folder}{told}")]


def test_hashes_row_groups_types_and_the_canary_are_checked(folder):
    path = folder / "science-ru.parquet"
    table = pyarrow.parquet.read_table(path)
    rows = table.to_pylist() * 17
    rows = [row | {"id": f"q{number}"} for number, row in enumerate(rows)]
    schema = table.schema.set(table.schema.get_field_index("page"), pa.field("page", pa.int64()))
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows, schema.remove_metadata()), path)
    lines = validate(folder)
    assert any(line.startswith(f"{path}: changed: found sha256") for line in lines)
    assert f"{path}: row group 0: found 51 rows, allowed: at most 50" in lines
    assert f"{path}: page: found the type int64, allowed: int32" in lines
    assert any(line.startswith(f"{path}: canary: found ''") for line in lines)
    assert f"{folder}: manifest.json: cells: science-ru: found 3, there are 51 pages" in lines


def test_a_card_whose_features_are_not_the_columns_is_named(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("  - name: width\n    dtype: int32\n", "", 1))
    rehash(folder)
    told = [line.removeprefix(f"{card}: ") for line in validate(folder)]
    assert told == [
        f"all: features: width: in features or in {cell}.parquet, but not in both" for cell in ALL
    ]


def test_two_versions_are_compared_row_by_row_and_picture_by_picture(folder, tmp_path):
    work = bear_work(tmp_path / "other")
    items = work.read("items", Item, "x")
    work.write("items", [items[0].model_copy(update={"answer": "two"}), *items[1:-1]])
    page = work.folder / "pages/folder-report-p0002.png"
    page.write_bytes(picture(4))
    pages = (work.folder / "pages.jsonl").read_text()
    standing = json.loads(pages.splitlines()[1])["sha256"]
    (work.folder / "pages.jsonl").write_text(pages.replace(standing, sha256_of(page)))
    other = run(work, tmp_path / "b/bear-bench", "2.0.0").folder
    found = diff(open_folder(str(folder)), open_folder(str(other)))
    assert list(found.tables) == ["all"]
    table = found.tables["all"]
    assert table.removed == ("folder-статья-p0003",)
    assert [(row.row_id, [str(field) for field in row.fields]) for row in table.changed] == [
        ("folder-report-p0001", ["answer: '2' -> 'two'"])
    ]
    (moved,) = found.pictures.changed
    assert (moved.path, moved.largest, moved.share) == ("folder-report-p0002", 2, 1.0)
    assert found.pictures.removed == ("folder-статья-p0003",)
    assert (found.options, found.step, found.suggested_version) == ((), "major", "2.0.0")
    same = CliRunner().invoke(main, ["diff", str(folder), str(folder)])
    assert (same.exit_code, same.stdout) == (0, "bear-bench 1.0.0: no difference\n")


def test_licences_of_pages_are_checked_before_publishing(tmp_path):
    def checked(name, licence, **choices):
        work = bear_work(tmp_path / name / "work", pages=1)
        first, *others = work.read("licences", Licence, "x")
        work.write("licences", [first.model_copy(update={"licence": licence}), *others])
        return check(run(work, tmp_path / name / "bear-bench", "1.0.0").folder, Choices(**choices))

    assert checked("by", "CC-BY-4.0").whole == "CC-BY-4.0"
    # A page is passed on unchanged, so that a licence without changed forms allows it.
    assert "no-derivatives" in checked("nd", "CC-BY-NC-ND-4.0").terms
    assert checked("sec", "LicenseRef-SEC-Filing").problems == []
    with pytest.raises(
        PublishError, match="page folder-report-p0001: licence: found LicenseRef-Open-Licence"
    ):
        checked("open", "LicenseRef-Open-Licence")
    assert checked("allowed", "LicenseRef-Open-Licence", allow_unknown_licence=True).whole == "other"


# mlcroissant, and rdflib below it, still call others in old ways.
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_croissant_describes_every_config_over_the_same_files(folder):
    described = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert described.metadata.issues.errors == set()
    assert [one.id for one in described.metadata.record_sets] == ["all", "business", "science"]
    records = list(described.records("business"))
    assert len(records) == 6
    first = {name.removeprefix("business/"): value for name, value in records[0].items()}
    row = pyarrow.parquet.read_table(folder / "business-en.parquet").to_pylist()[0]
    assert first.pop("image").size == (12, 16)
    del row["image"]
    plain = {name: value.decode() if isinstance(value, bytes) else value for name, value in first.items()}
    assert plain == row
