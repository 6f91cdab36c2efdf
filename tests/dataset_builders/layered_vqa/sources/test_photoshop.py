import json
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from PIL import Image

from dataset_builders.layered_vqa.sources.layered_files.stack import flatten
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
from tests.support.layered_files import CLEAR, plain, write_psd

psd_tools = pytest.importorskip("psd_tools")
PhotoshopSource = SCENE_SOURCES.get("photoshop")

RED, BLUE, GREEN, WHITE = (255, 0, 0), (0, 0, 255), (0, 255, 0), (255, 255, 255)


def only_scene(path, **options):
    (material,) = PhotoshopSource(files=path, **options).read()
    assert material.scene.problems() == []
    return material.scene


def refusal(path, **options):
    with pytest.raises(SourceError) as error:
        list(PhotoshopSource(files=path, **options).read())
    (line,) = error.value.problems
    assert "\n" not in line
    return line.removeprefix(f"scene {path.stem}: {path.name}: ")


def add(parent, name, pixels, x=0, y=0, **settings):
    """Add a layer of RGBA pixels to a document or group; returns it."""
    layer = parent.create_pixel_layer_from_array(pixels, name=name, left=x, top=y)
    for setting, value in settings.items():
        setattr(layer, setting, value)
    return layer


def picture(*rows):
    return np.array(rows, np.uint8)


def test_offsets_opacity_and_order(tmp_path):
    def fill(document):
        add(document, "ground", plain(3, 2, RED))
        add(document, "blue", plain(2, 2, BLUE), x=2, y=-1, opacity=102, fill_opacity=128)
        add(document, "green", plain(1, 1, (*GREEN, 51)))

    merged = picture([(204, 51, 0), RED, (204, 0, 51)], [RED, RED, RED])
    scene = only_scene(write_psd(tmp_path / "a.psd", (3, 2), fill, merged))
    assert scene.captions == ("ground", "blue", "green")
    # 102/255 * 128/255 * 255 = 51.2
    assert scene.layers[1].tolist() == [[[*CLEAR], [*CLEAR], [*BLUE, 51]], [[*CLEAR]] * 3]
    assert scene.composite().tolist() == merged.tolist()
    assert scene.notes == ("largest error of the composite against the merged picture: 0/255",)


def test_a_clipped_layer_shows_in_its_base_with_its_opacity(tmp_path):
    def fill(document):
        add(document, "base", plain(2, 1, RED), x=1)
        add(document, "clipped", plain(4, 2, BLUE), opacity=51, clipping=True)

    merged = picture([WHITE, (204, 0, 51), (204, 0, 51), WHITE], [WHITE] * 4)
    scene = only_scene(write_psd(tmp_path / "a.psd", (4, 2), fill, merged))
    assert scene.captions == ("white background", "base", "clipped")
    assert scene.layers[1][0, 1].tolist() == [*RED, 255]
    assert scene.layers[2][0].tolist() == [[*CLEAR], [*BLUE, 51], [*BLUE, 51], [*CLEAR]]
    assert scene.composite().tolist() == merged.tolist()


def test_a_clipped_layer_keeps_the_soft_edge_of_its_base(tmp_path):
    def fill(document):
        add(document, "base", picture([(*RED, 255), (*RED, 102), CLEAR]))
        add(document, "clipped", plain(3, 1, BLUE), clipping=True)

    merged = picture([BLUE, (153, 153, 255), WHITE])  # 255 * (1 - 102/255) = 153
    scene = only_scene(write_psd(tmp_path / "a.psd", (3, 1), fill, merged))
    assert scene.composite().tolist() == merged.tolist()
    assert scene.layers[2][0, :, 3].tolist() == [255, 102, 0]
    # The base stays whole under an opaque layer, and gives way where it is half transparent.
    assert scene.layers[1][0, :, 3].tolist() == [255, 0, 0]


def test_what_is_clipped_to_a_hidden_layer_is_hidden_with_it(tmp_path):
    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        add(document, "green", plain(1, 1, GREEN))
        add(document, "base", plain(1, 1, BLUE), visible=False)
        add(document, "clipped", plain(2, 1, WHITE), clipping=True)

    scene = only_scene(write_psd(tmp_path / "a.psd", (2, 1), fill, picture([GREEN, RED])))
    assert scene.captions == ("ground", "green")
    assert scene.notes[:2] == (
        "hidden layer 'base' left out",
        "layer 'clipped' left out: the layer it is clipped to is hidden",
    )


def test_groups_hidden_or_faded(tmp_path):
    def fill(document):
        add(document, "ground", plain(3, 1, WHITE))
        pair = document.create_group(name="pair", opacity=51)
        add(pair, "red", plain(2, 1, RED))
        add(pair, "blue", plain(1, 1, BLUE), x=1)
        add(document.create_group(name="apart", opacity=51), "green", plain(1, 1, GREEN), x=2)
        gone = document.create_group(name="gone")
        add(gone, "inside", plain(3, 1, BLUE))
        gone.visible = False

    merged = picture([(255, 204, 204), (204, 204, 255), (204, 255, 204)])
    scene = only_scene(write_psd(tmp_path / "a.psd", (3, 1), fill, merged))
    assert scene.captions == ("ground", "pair", "green")
    assert scene.composite().tolist() == merged.tolist()
    assert scene.notes[:2] == (
        "hidden group 'gone' left out",
        "group 'pair' is one layer: its opacity or mask fades layers that overlap",
    )


def test_a_mask_hides_and_a_disabled_one_does_not(tmp_path):
    def fill(document):
        add(document, "ground", plain(4, 1, RED))
        masked = add(document, "masked", plain(4, 1, BLUE))
        masked.create_mask(Image.fromarray(picture([255, 51])), left=1)
        unmasked = add(document, "unmasked", plain(1, 1, GREEN))
        unmasked.create_mask(Image.fromarray(picture([0])))
        unmasked.mask.disabled = True

    merged = picture([GREEN, BLUE, (204, 0, 51), RED])
    scene = only_scene(write_psd(tmp_path / "a.psd", (4, 1), fill, merged))
    assert scene.layers[1][0, :, 3].tolist() == [0, 255, 51, 0]
    assert scene.composite().tolist() == merged.tolist()


def test_moving_every_layer_by_one_pixel_moves_the_picture(tmp_path):
    rng = np.random.default_rng(11)
    soft, thin = rng.integers(0, 256, (6, 6, 4), np.uint8), rng.integers(0, 256, (1, 5, 4), np.uint8)

    def layers(by):
        def fill(document):
            inside = document.create_group(name="g", opacity=200)
            add(inside, "soft", soft, x=by - 1, y=by)
            add(inside, "thin", thin, x=by, y=by + 2, clipping=True)

        path = write_psd(tmp_path / f"{by}.psd", (6, 6), fill, plain(6, 6, WHITE)[..., :3])
        return flatten(PhotoshopSource(files=path).open_file(path)).layers

    before, after = ([one.patch.spread((0, 0, 6, 6)) for one in layers(by)] for by in (0, 1))
    for still, moved in zip(before, after, strict=True):
        assert (moved[1:, 1:] == still[:-1, :-1]).all()


def test_blend_modes_are_named_where_they_change_the_picture(tmp_path):
    from psd_tools.constants import BlendMode

    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        add(document, "dark", plain(1, 1, BLUE), blend_mode=BlendMode.MULTIPLY)

    line = refusal(write_psd(tmp_path / "a.psd", (2, 1), fill, picture([(0, 0, 0), RED])))
    assert line == (
        "the layers miss the source's merged picture by 255/255, at most 2/255 is accepted; "
        "not drawn: blend mode multiply of layer 'dark'"
    )
    scene = only_scene(write_psd(tmp_path / "b.psd", (2, 1), fill, picture([BLUE, RED])))
    assert scene.notes[1:] == (
        "not drawn, without a visible difference: blend mode multiply of layer 'dark'",
    )


def test_a_difference_without_a_known_reason_says_so(tmp_path):
    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        add(document, "blue", plain(1, 1, BLUE))

    assert only_scene(write_psd(tmp_path / "a.psd", (2, 1), fill, picture([BLUE, (253, 2, 0)])))
    line = refusal(write_psd(tmp_path / "b.psd", (2, 1), fill, picture([BLUE, (252, 0, 0)])))
    assert line.endswith("by 3/255, at most 2/255 is accepted; not drawn: nothing that is known")


@pytest.mark.parametrize("count", [1, 2])
def test_a_single_opaque_layer_is_no_scene(tmp_path, count):
    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        if count == 2:
            add(document, "off", plain(1, 1, RED), x=5)

    line = refusal(write_psd(tmp_path / "a.psd", (2, 1), fill, picture([RED, RED])))
    assert line == "layers: found 1 with a visible pixel, at least 2 are needed"


def test_greyscale_and_sixteen_bits(tmp_path):
    def grey(document):
        add(document, "ground", np.full((1, 2), 40, np.uint8))
        add(document, "half", np.array([[[240, 51]]], np.uint8))

    scene = only_scene(write_psd(tmp_path / "g.psd", (2, 1), grey, picture([80, 40]), mode="L"))
    assert scene.composite().tolist() == [[[80] * 3, [40] * 3]]

    def deep(document):
        add(document, "ground", np.full((1, 2, 3), 40 * 257 + 128, np.uint16))
        add(document, "half", np.array([[[65535, 129, 0, 13107]]], np.uint16))

    merged = picture([(83, 32, 32), (40, 40, 40)])
    scene = only_scene(write_psd(tmp_path / "d.psd", (2, 1), deep, merged, depth=16))
    # 40 * 257 + 128 is 40.498 steps of 257, 129 is 0.502; 255 / 5 + 40 * 4 / 5 = 83, 1 / 5 + 32 = 32.2
    assert scene.layers[0][0, 0].tolist() == [40, 40, 40, 255]
    assert scene.layers[1][0, 0].tolist() == [255, 1, 0, 51]
    assert scene.composite().tolist() == merged.tolist()


def header(mode=3, depth=8, width=4, height=4):
    return struct.pack(">4sH6xHIIHH", b"8BPS", 1, 3, height, width, depth, mode)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (header(mode=4), "colour mode: found CMYK, allowed: greyscale, RGB"),
        (header(mode=9, depth=16), "colour mode: found Lab, allowed: greyscale, RGB"),
        (header(mode=2), "colour mode: found indexed, allowed: greyscale, RGB"),
        (header(depth=32), "bits a channel: found 32, allowed: 8, 16"),
        (header(mode=77), "colour mode: found 77, allowed: greyscale, RGB"),
        (b"8BPS", "no Photoshop file: starts with b'8BPS', allowed: b'8BPS' and 22 bytes more"),
        (
            b"\x89PNG\r\n\x1a\n" + bytes(40),
            "no Photoshop file: starts with b'\\x89PNG\\r\\n\\x1a\\n', allowed: b'8BPS' and 22 bytes more",
        ),
    ],
)
def test_other_modes_are_refused_by_name(tmp_path, content, told):
    path = tmp_path / "a.psd"
    path.write_bytes(content)
    assert refusal(path) == told


def two_layers(document):
    add(document, "ground", plain(200, 100, RED))
    add(document, "noise", np.random.default_rng(0).integers(0, 256, (100, 200, 4), np.uint8))


def test_broken_files_are_refused_in_one_line(tmp_path):
    path = write_psd(tmp_path / "a.psd", (200, 100), two_layers, plain(200, 100, RED)[..., :3])
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    for cut in (26, 40, 300, len(whole) // 2, len(whole) - 10_000):
        path.write_bytes(whole[:cut])
        refusal(path)
    for _ in range(20):
        damaged = bytearray(whole)
        for place in rng.integers(26, 3000, 30):
            damaged[place] = rng.integers(256)
        path.write_bytes(bytes(damaged))
        refusal(path)


def test_a_channel_that_does_not_unpack_is_not_black(tmp_path):
    from psd_tools.constants import Compression

    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        layer = document.create_pixel_layer_from_array(
            plain(2, 1, BLUE), name="blue", compression=Compression.ZIP
        )
        channel = layer._channels[1]
        channel.data = b"\0" * len(channel.data)

    line = refusal(write_psd(tmp_path / "a.psd", (2, 1), fill, picture([BLUE, BLUE])))
    assert line.startswith("broken Photoshop file: PSDDecompressionWarning: ZIP decode failed")


def test_a_huge_canvas_and_a_huge_layer_are_refused_and_cost_no_memory(tmp_path):
    canvas = tmp_path / "canvas.psd"
    canvas.write_bytes(header(width=40_000, height=40_000) + bytes(100))

    def fill(document):
        add(document, "ground", plain(2, 1, RED))
        record = add(document, "huge", plain(2, 1, BLUE))._record
        record.right, record.bottom = 40_000, 40_000

    good = write_psd(tmp_path / "good.psd", (200, 100), two_layers, plain(200, 100, RED)[..., :3])
    layer = write_psd(tmp_path / "layer.psd", (2, 1), lambda document: None, picture([RED, RED]))
    document = psd_tools.PSDImage.open(layer)
    fill(document)
    with layer.open("wb") as stream:
        document._record.write(stream)
    program = textwrap.dedent("""
        import resource, sys
        from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
        source = SCENE_SOURCES.get("photoshop")
        list(source(files=sys.argv[1], unusable="skip").read())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for path in sys.argv[2:]:
            try:
                list(source(files=path).read())
            except SourceError as error:
                print(error)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, (good, canvas, layer))],
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, grown = done.stdout.splitlines()
    size = "size: found 40000x40000 (1600000000 pixels), at most 89478485 pixels are decoded"
    assert lines == [f"scene canvas: canvas.psd: {size}", f"scene layer: layer.psd: layer 'huge': {size}"]
    assert int(grown) * (1 if sys.platform == "darwin" else 1024) < 64 * 2**20


def test_questions_by_name(tmp_path):
    def fill(document):
        add(document, "red", plain(1, 1, RED))
        add(document, "blue", plain(1, 1, BLUE), x=1)

    path = write_psd(tmp_path / "a.psd", (3, 1), fill, picture([RED, BLUE, WHITE]))
    shards = [{"text": "I want a colour."}, {"text": "Of the right square.", "support": ["blue"]}]
    question = {
        "scene": "a",
        "id": "q",
        "category": "direct_ask",
        "question": "Which colour has the right square?",
        "answer": "blue",
        "gold": ["blue"],
        "shards": [*shards, {"text": "It is small.", "support": ["2"]}],
    }
    (tmp_path / "q.yaml").write_text(json.dumps([question]))
    (material,) = PhotoshopSource(files=path, questions=tmp_path / "q.yaml").read()
    # The white layer 0 is counted.
    assert material.examples[0].gold_layers == (2,)
    assert material.examples[0].distractors == (0, 1)
