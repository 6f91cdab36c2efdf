from dataclasses import replace
from typing import ClassVar

import pytest
import yaml
from datasets import get_dataset_config_names, load_dataset

from dataset_builders.hub_benchmark import benchmark_file
from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.sources.source import SceneSource
from dataset_builders.manifest import check_manifest, hash_files
from tests.support.examples import material
from tests.support.sources import SmallSource


class LicensedSource(SceneSource):
    """Scenes of given licences, one each."""

    name: ClassVar[str] = "licensed"
    licences: tuple[str, ...] = ()

    def read(self):
        for item, licence in zip(material(len(self.licences)), self.licences, strict=True):
            yield replace(item, scene=replace(item.scene, licence=licence))


def card(tmp_path, *licences, **choices):
    folder = build(
        LicensedSource(licences=licences),
        tmp_path / "layered-vqa",
        "1.2.3",
        ConditionOptions(seed=4),
        **choices,
    ).folder
    _, head, prose = (folder / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(head), prose


def test_what_was_chosen_stands_in_the_card(tmp_path):
    head, prose = card(tmp_path, "CC0-1.0", layer_background="grey")
    assert prose.startswith("\n# Layered-VQA 1.2.3\n")
    assert "| conditions: seed | 4 |" in prose
    assert "| conditions: shuffle_first_shard | yes |" in prose
    assert "| source: licences | CC0-1.0 |" in prose
    assert "| layer_background | grey |" in prose
    assert "laid over **grey**" in prose
    assert "| spatial | 1 |" in prose
    assert "| 5 | 1 |" in prose
    assert "note = {Layered-VQA, version 1.2.3}" in prose
    assert head["version"] == "1.2.3"
    assert head["size_categories"] == ["n<1K"]
    assert "$" not in prose


def test_pictures_are_counted_by_licence(tmp_path):
    _, prose = card(tmp_path, "CC-BY-2.0", "CC0-1.0", "CC-BY-2.0")
    assert "| CC-BY-2.0 | 2 | 12 |\n| CC0-1.0 | 1 | 6 |" in prose


@pytest.mark.parametrize(
    ("licences", "field", "told"),
    [
        (["CC0-1.0"], "cc-by-4.0", "under the strictest of these, **CC-BY-4.0** (attribution)."),
        (["CC-BY-SA-4.0", "CC0-1.0"], "cc-by-sa-4.0", "**CC-BY-SA-4.0** (attribution, share-alike)."),
        (["CC-BY-NC-SA-2.0"], "cc-by-nc-sa-2.0", "**CC-BY-NC-SA-2.0**"),
        (["NOASSERTION", "CC0-1.0"], "other", "No single one of these covers the set as a whole"),
    ],
)
def test_the_licence_of_the_whole_is_the_strictest(tmp_path, licences, field, told):
    head, prose = card(tmp_path, *licences)
    assert head["license"] == field
    assert told in prose
    assert "Questions and annotations: **CC-BY-4.0**" in prose


def test_a_licence_that_the_hub_has_no_word_for_is_named(tmp_path):
    head, _ = card(tmp_path, "CC-BY-SA-2.0", "CC-BY-2.0")
    assert (head["license"], head["license_name"]) == ("other", "cc-by-sa-2.0")
    head, _ = card(tmp_path / "mixed", "NOASSERTION")
    assert (head["license"], head.get("license_name")) == ("other", None)


def test_a_cell_stays_a_cell(tmp_path):
    _, prose = card(tmp_path, "LicenseRef-a|b\nc")
    assert r"| LicenseRef-a\|b c | 1 | 6 |" in prose


def test_the_hubs_benchmark_file_is_written_on_request_and_stands_in_the_manifest(tmp_path):
    plain = build(SmallSource(scenes=1), tmp_path / "plain", "1.0.0", ConditionOptions()).folder
    assert not (plain / "eval.yaml").exists()
    folder = build(
        SmallSource(scenes=1), tmp_path / "listed", "1.0.0", ConditionOptions(), framework="inspect-ai"
    ).folder
    content = yaml.safe_load((folder / "eval.yaml").read_text())
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    assert content["evaluation_framework"] == "inspect-ai"
    assert content["tasks"][7] == {"id": "sharded-v", "config": "sharded-v", "split": "test"}
    assert [task["config"] for task in content["tasks"]] == CONDITIONS.names()
    assert check_manifest(folder) == []
    assert "eval.yaml" in hash_files(folder)


def test_what_describes_the_folder_is_no_data_of_it(tmp_path):
    folder = build(
        SmallSource(scenes=2), tmp_path / "layered-vqa", "1.0.0", ConditionOptions(), framework="own"
    ).folder
    assert get_dataset_config_names(str(folder)) == [*CONDITIONS.names(), "scenes"]
    for config in (None, "full", "scenes"):
        splits = load_dataset(str(folder), config, streaming=True)
        assert list(splits) == ["test"]
        assert [row["scene_id"] for row in splits["test"]] == ["s1", "s2"]


def test_the_benchmark_file_keeps_words_as_they_are():
    text = benchmark_file("A: b", "café — c", "own", ["full"])
    assert yaml.safe_load(text)["name"] == "A: b"
    assert "café — c" in text
