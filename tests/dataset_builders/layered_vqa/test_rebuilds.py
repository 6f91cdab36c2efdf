"""Building where a build stands already: what is replaced, what is said, what is refused."""

import json

import pytest
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import BuildError, build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.manifest import hash_files
from lvqa_eval.main import main
from tests.support.sources import SmallSource

OPTIONS = ConditionOptions()


def test_a_build_of_another_version_is_refused_and_stays(tmp_path):
    folder = build(SmallSource(scenes=1), tmp_path / "d", "1.0.0", OPTIONS).folder
    before = hash_files(folder)
    with pytest.raises(BuildError) as caught:
        build(SmallSource(scenes=2), folder, "1.1.0", OPTIONS)
    assert caught.value.problems == [
        f"{folder}: holds version 1.0.0, this build is version 1.1.0; choose another --out, or give --replace"
    ]
    assert hash_files(folder) == before
    built = build(SmallSource(scenes=2), folder, "1.1.0", OPTIONS, replace=True)
    assert built.replaced == "replaces a build of version 1.0.0"
    assert json.loads((folder / "manifest.json").read_text())["version"] == "1.1.0"


@pytest.mark.parametrize("text", ["{", "[]", '{"dataset": "layered-vqa"}'])
def test_a_manifest_that_cannot_be_read_is_not_replaced_in_silence(tmp_path, text):
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "manifest.json").write_text(text)
    with pytest.raises(BuildError, match=r"holds version that cannot be read, this build is version 1\.0\.0"):
        build(SmallSource(scenes=1), folder, "1.0.0", OPTIONS)
    assert build(SmallSource(scenes=1), folder, "1.0.0", OPTIONS, replace=True).scenes == 1


def test_what_a_rebuild_changes_is_said(tmp_path):
    folder = tmp_path / "d"
    assert build(SmallSource(scenes=1), folder, "1.0.0", OPTIONS).replaced is None
    assert build(SmallSource(scenes=1), folder, "1.0.0", OPTIONS).replaced is None
    built = build(SmallSource(scenes=1), folder, "1.0.0", ConditionOptions(seed=7), layer_background="grey")
    assert built.replaced == (
        "replaces a build of 1.0.0 with other options: condition_options.seed: 0 -> 7; "
        "layer_background: 'checkerboard' -> 'grey'"
    )
    (folder / "manifest.json").write_text(json.dumps(built.facts | {"files": {}}))
    again = build(SmallSource(scenes=1), folder, "1.0.0", ConditionOptions(seed=7), layer_background="grey")
    assert again.replaced == "replaces a build of 1.0.0 with the same options and other content"


def test_the_command_says_it_on_stderr_and_names_the_mend(tmp_path):
    command = ["build", "layered-vqa", "--out", str(tmp_path / "d"), "--scenes", "1"]
    assert CliRunner().invoke(main, command).stderr == ""
    other = CliRunner().invoke(main, [*command, "--layer-background", "white", "--keep-first-shard"])
    assert other.exit_code == 0
    assert other.stderr == (
        "replaces a build of 1.0.0 with other options: condition_options.shuffle_first_shard: True -> False; "
        "layer_background: 'checkerboard' -> 'white'\n"
    )
    assert other.stdout.startswith(f"{tmp_path / 'd'}: 1 scenes")
    refused = CliRunner().invoke(main, [*command, "--version", "2.0.0"])
    assert refused.exit_code == 1
    assert "holds version 1.0.0, this build is version 2.0.0" in refused.stderr
    assert CliRunner().invoke(main, [*command, "--version", "2.0.0", "--replace"]).exit_code == 0
