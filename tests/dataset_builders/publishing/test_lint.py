import json
import re

import pytest
import yaml

from dataset_builders.publishing.lint import lint, read_head
from tests.support.publishing import built


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return built(tmp_path_factory.mktemp("lint") / "layered-vqa")


@pytest.fixture
def card(original):
    """Give the card's head to change, and lint the folder with what it became."""
    path = original / "README.md"
    text = path.read_text()
    head = read_head(text)

    def problems(**replaced):
        body = text.split("\n---\n", 1)[1]
        path.write_text(
            f"---\n{yaml.dump(head | replaced, Dumper=yaml.CSafeDumper, sort_keys=False)}---\n{body}"
        )
        lines = lint(original)
        assert all(line.startswith(f"{path}: ") for line in lines)
        return [line.removeprefix(f"{path}: ") for line in lines]

    problems.head, problems.configs, problems.path = head, head["configs"], path
    yield problems
    path.write_text(text)


def test_a_fresh_card_has_no_problems(original, card):
    assert lint(original) == []
    assert card() == []


def test_a_config_without_a_name_and_an_unknown_key_are_told_together(card):
    del card.configs[1]["config_name"]
    card.configs[2]["pattern"] = "*.jsonl"
    assert card() == [
        "config 2: config_name: missing",
        "concat-q: a condition of the manifest without a config",
        "shuffled-concat: pattern: unknown key, allowed: config_name, data_files, default, description, "
        "drop_labels, drop_metadata, features, metadata_filenames, version",
    ]


@pytest.mark.parametrize("name", ["docs ru [v1]", "a/b", "ä", "", 3])
def test_names_that_break_later_services_are_refused(card, name):
    card.configs[0]["config_name"] = name
    assert f"config 1: config_name: found {name!r}, allowed: letters, digits, _ . -" in card()


def test_names_are_unique(card):
    card.configs[-1]["config_name"] = "oracle"
    assert "oracle: config_name: found 2 times, allowed: once" in card()


def test_exactly_one_config_is_the_default(card):
    del card.configs[0]["default"]
    assert card() == ["default: found true for none, allowed: exactly one config with default: true"]
    card.configs[3]["default"] = card.configs[5]["default"] = True
    card.configs[4]["default"] = False
    assert card() == [
        "default: found true for sharded-q, snowball-q, allowed: exactly one config with default: true",
        "recap-q: default: found False, allowed: true, or no such key",
    ]


def test_the_name_default_is_only_for_the_default(card):
    card.configs[-1]["config_name"] = "default"
    assert card() == ["default: a config of this name must be the one with default: true"]


@pytest.mark.parametrize("files", [None, "full.jsonl", ["full.jsonl"], []])
def test_splits_are_never_left_to_guesses(card, files):
    card.configs[0]["data_files"] = files
    assert f"full: data_files: found {files!r}, allowed: a list of split and path" in card()


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"split": "test-1", "path": "full.jsonl"}, "split: found 'test-1', allowed: letters, digits"),
        ({"path": "full.jsonl"}, "split: found None, allowed: letters, digits, _ and . between them"),
        ({"split": "test", "path": "ful.jsonl"}, "path: found 'ful.jsonl', which matches no file"),
        (
            {"split": "test", "path": ["full.jsonl", "pictures/**"]},
            "path: found 'pictures/**', which matches no",
        ),
        ({"split": "test", "path": "../full.jsonl"}, "path: found '../full.jsonl', which matches no file"),
        ({"split": "test", "paths": "full.jsonl"}, "found the keys paths, allowed: split, path"),
    ],
)
def test_data_files_name_splits_and_files_that_exist(card, entry, told):
    card.configs[0]["data_files"] = [entry]
    assert any(line.startswith(f"full: data_files: {told}") for line in card())


def test_a_split_stands_once(card):
    card.configs[0]["data_files"] *= 2
    assert "full: data_files: split: found test more than once" in card()


@pytest.mark.parametrize("version", ["1.0", "1.0.0rc1", "01.0.0", 1.0, None])
def test_versions_have_three_numbers(card, version):
    card.configs[0]["version"] = version
    assert card() == [f"full: version: found {version!r}, allowed: MAJOR.MINOR.PATCH, like 1.0.0"]


def test_versions_are_the_manifests(card):
    card.configs[0]["version"] = "1.0.1"
    assert card() == ["full: version: found 1.0.1, the manifest has 1.0.0"]


def test_the_digest_in_the_description_is_that_of_the_files(card):
    right = card.configs[0]["description"]
    card.configs[0]["description"] = card.configs[1]["description"]
    found = card.configs[1]["description"][-16:]
    assert card() == [f"full: description: found the digest {found}, the files have {right[-16:]}"]
    card.configs[0]["description"] = "the whole"
    assert card() == [
        "full: description: found 'the whole', allowed: rows+images sha256: and 16 hexadecimal digits"
    ]


def test_features_are_those_of_the_rows_and_stand_under_each_config(card):
    features = card.configs[0].pop("features")
    assert card(dataset_info=[{"config_name": "full", "features": features}]) == [
        "dataset_info: found, but readers ignore it beside configs; features stand under each config",
        "full: features: found None, allowed: a list of named types",
    ]
    card.configs[0]["features"] = [one for one in features if one["name"] not in ("answer", "layers")]
    assert card() == ["full: features: answer, layers: in features or in full.jsonl, but not in both"]


def test_metadata_files_are_among_the_data_files(card):
    card.configs[0]["metadata_filenames"] = ["oracle.jsonl"]
    assert card() == ["full: metadata_filenames: found oracle.jsonl, which data_files do not hold"]


def test_licence_and_canary_are_there(card):
    canary = json.loads((card.path.parent / "manifest.json").read_text())["canary"]
    card()
    text = re.sub(r"\nlicense: .*\n", "\n", card.path.read_text().replace(canary, "gone"))
    card.path.write_text(text)
    assert lint(card.path.parent) == [
        f"{card.path}: canary: missing, allowed: the manifest's own, {canary!r}",
        f"{card.path}: license: missing",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# No head", "head: not found; a card starts with YAML between two lines of ---"),
        ("---\n- a list\n---\n", "head: not found; a card starts with YAML between two lines of ---"),
        ("---\nconfigs: [\n---\n", "head: not YAML: while parsing"),
        ("---\nlicense: mit\n---\n", "configs: found None, allowed: a list of mappings"),
        (
            "---\nlicense: mit\nconfigs: {full: 1}\n---\n",
            "configs: found {'full': 1}, allowed: a list of mappings",
        ),
    ],
)
def test_cards_without_a_usable_head_are_told(card, text, told):
    card.path.write_text(text)
    assert any(f"README.md: {told}" in line for line in lint(card.path.parent))


def test_a_folder_without_a_card_is_told(original, card):
    card.path.unlink()
    assert lint(original) == [f"{card.path}: not found; a dataset folder has a card"]
