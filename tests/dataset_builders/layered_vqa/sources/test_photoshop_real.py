import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from dataset_builders.cli import build
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
from dataset_builders.layered_vqa.validate import validate

REAL = Path(__file__).resolve().parents[5] / "shared" / "data" / "layers" / "photoshop"
pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs shared/data/layers/photoshop beside the repository"
)

PhotoshopSource = SCENE_SOURCES.get("photoshop")


@pytest.mark.parametrize(
    ("name", "depth", "size", "error"),
    [
        ("agpsd_shapes", 8, (500, 500), 0),
        ("agpsd_werps", 7, (1000, 1000), 0),
        ("agpsd_cylinder_warp", 2, (481, 705), 0),
        ("agpsd_layers", 2, (300, 200), 0),
        ("broken-groups", 3, (621, 514), 0),
        ("semi-transparent-layers", 3, (100, 100), 0),
        ("agpsd_groups", 4, (300, 200), 1),
        ("2layers", 2, (101, 55), 1),
    ],
)
def test_plain_files_give_their_stored_picture(name, depth, size, error):
    (material,) = PhotoshopSource(files=REAL / f"{name}.psd").read()
    scene = material.scene
    assert scene.problems() == []
    assert (scene.scene_id, scene.depth, (scene.width, scene.height)) == (name, depth, size)
    assert f"largest error of the composite against the merged picture: {error}/255" in scene.notes
    added = "white layer 0 added below a transparent bottom layer" in scene.notes
    assert added == (name in ("broken-groups", "agpsd_groups")) == (scene.captions[0] == "white background")


@pytest.mark.parametrize(
    ("name", "error", "features"),
    [
        (
            "layer_params",
            245,
            "effects of layer 'Test caption' (drop shadow, stroke, bevel and emboss); "
            "effects of layer 'Фигура 1' (drop shadow, outer glow)",
        ),
        ("psdjs_example", 170, "effects of layer 'Logo_Glyph' (gradient overlay)"),
    ],
)
def test_files_with_effects_are_refused_with_figure_and_reason(name, error, features):
    with pytest.raises(SourceError) as refused:
        list(PhotoshopSource(files=REAL / f"{name}.psd").read())
    assert refused.value.problems == [
        f"scene {name}: {name}.psd: the layers miss the source's merged picture by {error}/255, "
        f"at most 2/255 is accepted; not drawn: {features}"
    ]


def test_names_and_what_was_left_out():
    def scene(name, **options):
        (material,) = PhotoshopSource(files=REAL / f"{name}.psd", **options).read()
        return material.scene

    assert scene("2layers").captions == ("Фон", "Слой")
    assert scene("broken-groups").captions == ("white background", "kas", "el sol")
    assert "hidden group 'Group 2' left out" in scene("agpsd_groups").notes
    assert "layer 'Layer 3' left out: no visible pixel on the canvas" in scene("agpsd_layers").notes
    other = PhotoshopSource(files=REAL / "layer_params.psd").open_file(REAL / "layer_params.psd")
    assert other.notes == ("colour profile not applied: Adobe RGB (1998)",)
    fewer = scene("agpsd_shapes", max_layers=4)
    assert fewer.depth == 4
    assert any(note.startswith("merged to keep to 4 layers: ") for note in fewer.notes)
    assert np.abs(fewer.composite().astype(int) - scene("agpsd_shapes").composite()).max() <= 1


def test_a_dataset_from_a_real_file(tmp_path):
    questions = [
        {
            "scene": "agpsd_layers",
            "id": "hand",
            "category": "direct_ask",
            "question": "What colour has the hand at the right?",
            "answer": "red",
            "gold": ["Layer 0"],
            "shards": [
                {"text": "I want to know a colour."},
                {"text": "It is that of a hand.", "support": ["Layer 0"]},
                {"text": "The hand is at the right.", "support": ["Layer 0"]},
            ],
        }
    ]
    (tmp_path / "questions.yaml").write_text(json.dumps(questions))
    arguments = ["layered-vqa", "--source", "photoshop", "--files", str(REAL), "--licence", "MIT"]
    arguments += ["--attribution", "ag-psd", "--questions", str(tmp_path / "questions.yaml")]
    done = CliRunner().invoke(build, [*arguments, "--out", str(tmp_path / "layered-vqa")])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "layered-vqa"
    assert validate(folder) == []
    scene = json.loads((folder / "scenes.jsonl").read_text())
    assert (scene["scene_id"], scene["licence"], scene["depth"]) == ("agpsd_layers", "MIT", 2)
    stored = np.asarray(Image.open(folder / scene["composite_file_name"]))
    from psd_tools import PSDImage

    merged = PSDImage.open(REAL / "agpsd_layers.psd").topil(apply_icc=False)
    assert (stored == np.asarray(merged.convert("RGB"))).all()
