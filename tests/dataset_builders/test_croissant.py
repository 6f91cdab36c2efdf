"""The Croissant description of a built folder, read by the format's own library."""

import json

import mlcroissant
import numpy as np
import pytest
from PIL import Image

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.manifest import check_manifest, sha256_of
from tests.support.sources import SmallSource

# rdflib, which reads the description for mlcroissant, still uses a class of its own that it warns of.
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("croissant") / "layered-vqa"
    return build(SmallSource(scenes=2), out, "1.2.3", ConditionOptions()).folder


@pytest.fixture(scope="module")
def described(folder):
    return mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))


def test_it_is_valid(described):
    assert described.metadata.issues.errors == set()
    metadata = described.metadata
    assert (metadata.name, metadata.version) == ("layered-vqa", "1.2.3")
    assert metadata.license == ["CC-BY-4.0", "CC0-1.0"]
    assert "version 1.2.3" in metadata.cite_as
    assert [one.id for one in metadata.record_sets] == ["pictures", *CONDITIONS.names(), "scenes"]


def test_every_table_has_its_hash_and_size_and_pictures_are_summed(folder):
    content = json.loads((folder / "croissant.json").read_text())
    *tables, pictures = content["distribution"]
    assert [one["contentUrl"] for one in tables] == [
        f"{name}.jsonl" for name in [*CONDITIONS.names(), "scenes"]
    ]
    for one in tables:
        path = folder / one["contentUrl"]
        assert one["sha256"] == sha256_of(path)
        assert one["contentSize"] == f"{path.stat().st_size} B"
    size = sum(path.stat().st_size for path in folder.rglob("*.png"))
    assert pictures["description"].startswith(f"12 pictures, {size} bytes")
    assert content["isLiveDataset"] is False
    assert "datePublished" not in content
    assert check_manifest(folder) == []
    assert "croissant.json" in json.loads((folder / "manifest.json").read_text())["files"]


def plain(value):
    """Give what the library read as JSON has it: text decoded, names of nested fields without their path."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key.rsplit("/", 1)[-1]: plain(item) for key, item in value.items()}
    if isinstance(value, list | np.ndarray):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


@pytest.mark.parametrize("config", ["full", "misaligned-vq", "scenes"])
def test_the_records_are_the_rows(folder, described, config):
    rows = [json.loads(line) for line in (folder / f"{config}.jsonl").read_text().splitlines()]
    assert [plain(record) for record in described.records(config)] == rows


def test_pictures_are_read_by_their_path(folder, described):
    records = {
        record["pictures/path"].decode(): record["pictures/content"]
        for record in described.records("pictures")
    }
    assert len(records) == 12
    found = np.asarray(records["scenes/s2/composite.png"])
    assert np.array_equal(found, np.asarray(Image.open(folder / "scenes/s2/composite.png")))
