"""What `lvqa diff` finds between two builds, and the version step that it asks for."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from dataset_builders.changes import Change
from dataset_builders.diff import DatasetDiff, PictureChange, RowChange, TableDiff, diff, open_named
from dataset_builders.diff_text import told
from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from lvqa_eval.dataset import DatasetError, open_dataset
from lvqa_eval.main import main
from tests.support.examples import material
from tests.support.sources import SmallSource


class GivenSource(SceneSource):
    """Gives the material that it was made with."""

    name: ClassVar[str] = "given"
    material: tuple = ()

    def recorded_options(self):
        return {}

    def read(self) -> Iterator[Material]:
        yield from self.material


def built(folder, items, version="1.0.0", **choices):
    return build(GivenSource(material=tuple(items)), folder, version, ConditionOptions(), **choices).folder


def compared(old, new):
    return diff(open_dataset(str(old)), open_dataset(str(new)))


def asked(item, **changes):
    return replace(item, examples=(replace(item.examples[0], **changes),))


def redrawn(item, index, y, x, value):
    layers = [layer.copy() for layer in item.scene.layers]
    layers[index][y, x] = value
    return replace(item, scene=replace(item.scene, layers=tuple(layers)))


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return built(tmp_path_factory.mktemp("one") / "layered-vqa", material(2))


def test_the_same_build_is_equal(one, tmp_path):
    found = compared(one, built(tmp_path / "b", material(2)))
    assert found.equal
    assert found == DatasetDiff("layered-vqa", "1.0.0", "1.0.0")
    assert told(found) == "layered-vqa 1.0.0: no difference"


def test_another_version_alone_asks_for_no_step(one, tmp_path):
    found = compared(one, built(tmp_path / "b", material(2), "1.0.1"))
    assert (found.equal, found.step, found.card) == (False, "none", False)
    assert told(found).splitlines()[-1] == "step: none; only the version differs"


def test_a_new_question_is_a_minor_step_in_every_condition(one, tmp_path):
    found = compared(one, built(tmp_path / "b", material(3), "1.1.0"))
    assert list(found.tables) == [*CONDITIONS.names(), "scenes"]
    assert found.tables["full"] == TableDiff(added=("q3",))
    assert found.tables["scenes"] == TableDiff(added=("s3",))
    assert len(found.pictures.added) == 6
    assert (found.step, found.suggested_version) == ("minor", "1.1.0")
    text = told(found)
    assert text.startswith(
        "layered-vqa 1.0.0 -> 1.1.0: rows of all configs 17 added, 0 removed, 0 changed; "
        "pictures 6 added, 0 removed, 0 changed; options 0 changed\n"
    )
    # What is the same in sixteen conditions is told once.
    assert text.count("  + q3") == 1
    assert text.endswith("step: minor, 1.0.0 -> 1.1.0")


def test_what_went_is_a_major_step(one, tmp_path):
    found = compared(built(tmp_path / "b", material(3)), one)
    assert found.tables["oracle"] == TableDiff(removed=("q3",))
    assert found.pictures.removed[0] == "scenes/s3/composite.png"
    assert (found.step, found.suggested_version) == ("major", "2.0.0")


def test_a_changed_answer_names_the_field_with_old_and_new(one, tmp_path):
    first, second = material(2)
    found = compared(one, built(tmp_path / "b", [asked(first, answer="blue"), second]))
    change = RowChange("q1", (Change("answer", "red", "blue"),))
    assert found.tables == {name: TableDiff(changed=(change,)) for name in CONDITIONS.names()}
    assert found.step == "major"
    assert "  ~ q1: answer: 'red' -> 'blue'\n" in told(found)
    assert told(found).endswith("step: major, 1.0.0 -> 2.0.0; the new one says 1.0.0")


def test_another_order_of_the_same_rows_is_a_difference(one, tmp_path):
    found = compared(one, built(tmp_path / "b", material(2)[::-1]))
    assert found.tables["full"] == TableDiff(reordered=True)
    assert found.step == "major"
    assert "oracle, scenes: 0 added, 0 removed, 0 changed, in another order" in told(found)


def test_a_changed_picture_is_measured(one, tmp_path):
    first, second = material(2)
    # Layer 4 is transparent in this corner; the composite stays as it is.
    assert first.scene.layers[4][31, 39, 3] == 0
    found = compared(one, built(tmp_path / "b", [redrawn(first, 4, 31, 39, [0, 90, 7, 0]), second]))
    assert found.pictures.changed == (PictureChange("scenes/s1/layer-4.png", 90, 1 / (40 * 32)),)
    assert found.tables == {}
    assert found.step == "major"
    assert "~ scenes/s1/layer-4.png: largest difference 90/255, 0.08% of pixels" in told(found)


def test_other_bytes_of_the_same_pixels_are_a_patch(one, tmp_path):
    other = built(tmp_path / "b", material(2))
    path = other / "scenes/s1/layer-2.png"
    Image.fromarray(np.asarray(Image.open(path))).save(path, compress_level=0)
    found = compared(one, other)
    assert found.pictures.changed == (PictureChange("scenes/s1/layer-2.png", 0, 0.0),)
    assert (found.step, found.suggested_version) == ("patch", "1.0.1")
    assert "the same pixels, encoded otherwise" in told(found)


def test_another_size_or_mode_is_told_as_such(one, tmp_path):
    other = built(tmp_path / "b", material(2))
    path = other / "scenes/s1/composite.png"
    Image.open(path).convert("L").resize((4, 4)).save(path)
    found = compared(one, other)
    (changed,) = found.pictures.changed
    assert changed.form == Change("form", "40x32 RGB", "4x4 L")
    assert found.step == "major"
    assert "scenes/s1/composite.png: 40x32 RGB -> 4x4 L" in told(found)


def test_words_of_the_card_are_a_patch_and_the_recommended_background_a_major_step(one, tmp_path):
    other = built(tmp_path / "b", material(2))
    card = other / "README.md"
    card.write_text(card.read_text().replace("Known limits", "Limits"))
    found = compared(one, other)
    assert (found.card, found.step) == (True, "patch")
    found = compared(one, built(tmp_path / "c", material(2), layer_background="white"))
    assert found.options == (Change("layer_background", "checkerboard", "white"),)
    assert found.step == "major"


def test_details_are_cut_unless_all_are_asked_for(one, tmp_path):
    found = compared(one, built(tmp_path / "b", material(15)))
    assert "  and 3 more; --all shows them" in told(found)
    assert "  + q15" not in told(found)
    assert "  + q15" in told(found, everything=True)
    assert "more; --all" not in told(found, everything=True)


def test_what_cannot_be_compared_is_refused(one, tmp_path):
    other = built(tmp_path / "b", material(2))
    (other / "scenes/s1/layer-1.png").write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"layer-1\.png: no picture that can be read"):
        compared(one, other)
    manifest = other / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"dataset": "layered-vqa"', '"dataset": "bear-bench"'))
    with pytest.raises(DatasetError, match="found layered-vqa and bear-bench"):
        compared(one, other)
    manifest.write_text(text.replace('"version": "1.0.0"', '"version": "1.0"'))
    with pytest.raises(DatasetError, match=r"version: found '1\.0'"):
        compared(one, other)


def test_a_name_with_a_revision_goes_to_the_hub(monkeypatch, one):
    seen = []
    monkeypatch.setattr("dataset_builders.diff.open_folder", lambda *named: seen.append(named))
    open_named("ORG/layered-vqa@v1.0.0")
    open_named("ORG/layered-vqa")
    open_named(str(one))
    assert seen == [("ORG/layered-vqa", "v1.0.0"), ("ORG/layered-vqa",), (str(one),)]


def test_the_command_exits_as_diff_does(one, tmp_path):
    other = build(SmallSource(scenes=3), tmp_path / "b", "1.0.0", ConditionOptions()).folder
    same = CliRunner().invoke(main, ["diff", str(one), str(one)])
    assert (same.exit_code, same.stdout) == (0, "layered-vqa 1.0.0: no difference\n")
    differs = CliRunner().invoke(main, ["diff", str(one), str(other)])
    assert differs.exit_code == 1
    assert "source.name: 'given' -> 'small'" in differs.stdout
    missing = CliRunner().invoke(main, ["diff", str(one), str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "found" in missing.stderr
