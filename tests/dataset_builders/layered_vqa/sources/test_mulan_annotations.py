import builtins
import codecs
import io
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from dataset_builders.layered_vqa.sources.mulan.annotation import choose_caption, read_annotation
from dataset_builders.layered_vqa.sources.mulan.unpickling import (
    MAX_OPERATIONS,
    AnnotationError,
    StoredArray,
    read_pickle,
)

ROOT = Path(__file__).resolve().parents[4]


def packed(tmp_path, content, protocol=4, name="1.p.zl"):
    """Write `content` as an annotation file; bytes are taken as a pickle made by hand."""
    raw = content if isinstance(content, bytes) else pickle.dumps(content, protocol)
    (tmp_path / name).write_bytes(zlib.compress(raw))
    return tmp_path / name


def refusal(path, **options):
    with pytest.raises(AnnotationError) as caught:
        read_pickle(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class Calls:
    """Pickles as a call of `function`."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(6))
def test_plain_data_of_every_protocol(tmp_path, protocol):
    grid = np.arange(6, dtype=np.int16).reshape(2, 3)
    content = {
        "texts": ["a", "б", b"\0\xff", None, True, 2**70, -0.5],
        "rows": grid,
        "columns": np.asfortranarray(grid),
        "swapped": grid.astype(">i2"),
        "number": np.float32(1.5),
        "empty": np.zeros((0, 3), np.uint8),
        1: (2, {3: 4}),
    }
    read = read_pickle(packed(tmp_path, content, protocol))
    for name in ("rows", "columns", "swapped", "empty"):
        assert isinstance(read[name], StoredArray)
        assert (read.pop(name).values == content.pop(name)).all()
    assert read == content


@given(
    arrays(
        st.sampled_from(["u1", "i2", "<f4", ">f8", "?"]),
        st.lists(st.integers(0, 4), max_size=3).map(tuple),
        elements={"allow_nan": False},
    )
)
def test_arrays_come_back_as_they_were(tmp_path_factory, array):
    read = read_pickle(packed(tmp_path_factory.getbasetemp(), [array]))[0]
    assert read.values.shape == array.shape
    assert (read.values == array).all()


def test_grey_pictures_without_pillow_being_called(tmp_path):
    grey = Image.fromarray(np.array([[0, 100], [200, 255], [7, 8]], np.uint8))
    assert read_pickle(packed(tmp_path, grey)).values.tolist() == [[0, 100], [200, 255], [7, 8]]
    assert "the mode 'RGB', allowed: L" in refusal(packed(tmp_path, grey.convert("RGB")))


@pytest.mark.parametrize(
    ("function", "arguments", "named"),
    [
        (os.system, ("touch {}",), "system"),
        (builtins.eval, ("open({!r}, 'w')",), "eval"),
        (builtins.getattr, ("a", "upper"), "getattr"),
        (np.fromfile, ("{}",), "fromfile"),
        (subprocess.Popen, (["touch", "x"],), "Popen"),
        (codecs.decode, (b"a", "hex"), "decode"),
    ],
)
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_foreign_function_is_named_and_never_called(tmp_path, function, arguments, named, protocol):
    witness = tmp_path / "witness"
    arguments = tuple(one.format(str(witness)) if isinstance(one, str) else one for one in arguments)
    reason = refusal(packed(tmp_path, {"background": Calls(function, *arguments)}, protocol))
    assert reason.startswith("pickle: found '")
    assert named in reason
    assert not witness.exists()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"cdataset_builders.layered_vqa.sources.mulan\nunpickling\n.", "found 'dataset_builders"),
        (b"cos\nsystem\n(S'true'\ntR.", "pickle: found 'os.system'"),
        (b"(S'true'\nios\nsystem\n.", "pickle: found 'os.system'"),
        (b"\x80\x04\x8c\x09PIL.Image\x8c\x04open\x93.", "pickle: found 'PIL.Image.open'"),
        (b"\x80\x04\x8c\x05numpy\x8c\x0dndarray.dumps\x93.", "pickle: found 'numpy.ndarray.dumps'"),
        (b"Pperson\n.", "persistent"),
        (b"\x80\x02\x82\x01.", "broken pickle"),  # an extension code
        (b"cnumpy\ndtype\n}S'type'\nI1\nsb.", "broken pickle"),  # attributes for the class itself
        (b"c_codecs\nencode\n}S'type'\nI1\nsb.", "broken pickle"),
        (b"cnumpy\ndtype\n(S'O8'\ntR.", "elements of type 'O8', allowed: numbers"),
        (b"c_codecs\nencode\n(S'a'\nS'rot13'\ntR.", "the coding 'rot13'"),
        (b"S'never ends'\n", "broken pickle"),
        (b"", "broken pickle"),
        (b"junk", "broken pickle"),
        (b"]r\xff\xff\xff\x7f.", "the slot 2147483647 at step 2"),
        (b"\x80\x04\x8e" + struct.pack("<Q", 2**40) + b"x.", "broken pickle"),
    ],
)
def test_pickles_made_by_hand(tmp_path, raw, reason):
    tracemalloc.start()
    assert reason in refusal(packed(tmp_path, raw))
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_an_array_holds_what_its_shape_says(tmp_path):
    raw = pickle.dumps(np.zeros((7, 11), np.uint8), 4)
    assert raw.count(b"K\x07K\x0b") == 1
    path = packed(tmp_path, raw.replace(b"K\x07K\x0b", b"K\xffK\xff"))
    assert refusal(path) == "array: found 77 bytes, its shape (255, 255) needs 65025"
    huge = raw.replace(b"K\x07K\x0b", b"J\xff\xff\xff\x7fJ\xff\xff\xff\x7f")
    assert "its shape (2147483647, 2147483647) needs" in refusal(packed(tmp_path, huge))
    objects = pickle.dumps(np.array([[], 1], object), 4)
    assert "elements of type 'O8'" in refusal(packed(tmp_path, objects))


def test_steps_are_counted_before_any_is_taken(tmp_path):
    raw = b"(" + b"]" * MAX_OPERATIONS + b"l."
    assert refusal(packed(tmp_path, raw)) == f"pickle: found more than {MAX_OPERATIONS} steps"


def test_broken_and_oversized_zlib_data(tmp_path):
    path = packed(tmp_path, {"a": bytes(1000)})
    whole = path.read_bytes()
    assert refusal(path, max_bytes=1000) == "size: found more than 1000 bytes once decompressed"
    assert read_pickle(path, max_bytes=1100) == {"a": bytes(1000)}
    for raw, reason in {
        whole[:-3]: "the end is missing",
        whole + b"x": "bytes after its end",
        b"": "the end is missing",
        b"PK\3\4": "broken zlib data",
    }.items():
        path.write_bytes(raw)
        assert reason in refusal(path)
    assert refusal(tmp_path / "none.p.zl") == "cannot be opened: No such file or directory"


BOMB = """
import resource, sys
from pathlib import Path
from dataset_builders.layered_vqa.sources.mulan.annotation import read_annotation

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

before = peak()
try:
    read_annotation(Path(sys.argv[1]))
except ValueError as error:
    print(peak() - before, error)
"""


def test_a_zlib_bomb_is_refused_with_memory_flat(tmp_path):
    deflater = zlib.compressobj(1)
    with (tmp_path / "bomb.p.zl").open("wb") as stream:
        for _ in range(600):
            stream.write(deflater.compress(bytes(2**20)))
        stream.write(deflater.flush())
    assert (tmp_path / "bomb.p.zl").stat().st_size < 4_000_000
    command = [sys.executable, "-c", BOMB, str(tmp_path / "bomb.p.zl")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    grown, reason = done.stdout.split(" ", 1)
    assert reason == "bomb.p.zl: size: found more than 536870912 bytes once decompressed\n"
    assert int(grown) < 100  # MiB


def layer(mask, delta, alpha=None, **others):
    stored = {
        "llava": "N/A",
        "blip2": "N/A",
        "original_image_mask": np.array(mask, np.uint8)[..., np.newaxis],
        "inpainted_delta": np.array(delta, np.uint8),
    }
    if alpha is not None:
        stored["instance_alpha"] = Image.fromarray(np.array(alpha, np.uint8))
    return stored | others


NOTHING = np.zeros((1, 2, 3), np.uint8)
PHOTO = np.array([[(10, 20, 30), (40, 50, 60)]], np.uint8)
BACKGROUND = layer([[1, 0]], [[(0, 0, 0), (7, 8, 9)]], blip2="a wall")
CAT = layer([[0, 1]], NOTHING, [[0, 128]], llava="a striped cat", blip2="a cat")


def annotation(instances, background=BACKGROUND):
    return {"captioning": {}, "background": background, "image": {}, "instances": instances}


def test_layers_by_hand(tmp_path):
    # The cat's left half is painted in, with a sum beyond 255 that wraps as 8-bit arithmetic does.
    wrapped = layer([[1, 1]], [[(250, 0, 0), (0, 0, 0)]], [[255, 3]])
    background, cat, wrapping = read_annotation(packed(tmp_path, annotation({0: CAT, 1: wrapped})))
    assert background.layer(PHOTO).tolist() == [[[10, 20, 30, 255], [7, 8, 9, 255]]]
    assert cat.layer(PHOTO).tolist() == [[[0, 0, 0, 0], [40, 50, 60, 128]]]
    assert wrapping.layer(PHOTO).tolist() == [[[4, 20, 30, 255], [40, 50, 60, 3]]]
    assert dict(cat.captions) == {"llava": "a striped cat", "blip2": "a cat"}


def test_an_instance_mask_and_fractions(tmp_path):
    stored = layer([[1, 1]], NOTHING, [[255, 255]], instance_mask=np.array([[0, 1]], bool))
    stored["inpainted_delta"] = np.array([[(1.9, -0.5, 300.0), (0, 0, -61.0)]], np.float32)
    (_, one) = read_annotation(packed(tmp_path, annotation([stored])))
    assert one.layer(PHOTO).tolist() == [[[1, 0, 44, 255], [40, 50, 255, 255]]]


def test_instances_are_found_at_any_depth_in_stored_order(tmp_path):
    dog = CAT | {"blip2": "a dog"}
    tail = CAT | {"blip2": "a tail"}
    nested = {"animals": [{"cat": CAT, "more": ({"dog": dog | {"parts": [tail]}},)}], "none": None, "n": 3}
    nested["again"] = nested["animals"]  # a container met twice holds nothing new
    nested["loop"] = nested
    layers = read_annotation(packed(tmp_path, annotation(nested)))
    names = [one.captions["blip2"] for one in layers]
    assert names == ["a wall", "a cat", "a dog", "a tail"]


def test_a_list_of_lists_of_lists_is_not_walked_for_ever(tmp_path):
    tower = []
    for _ in range(200):
        tower = [tower, tower]
    layers = read_annotation(packed(tmp_path, annotation([tower, CAT])))
    assert len(layers) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], "background: found none"),
        (annotation([CAT], background=None), "background: found none"),
        (annotation({}), "instances: found none with instance_alpha, at least 1 is needed"),
        (
            annotation([CAT | {"original_image_mask": None}]),
            "instance 1: original_image_mask: found no array",
        ),
        (annotation([CAT | {"original_image_mask": np.full((1, 2), 2)}]), "other values than 0 and 1"),
        (
            annotation([CAT | {"inpainted_delta": np.zeros((1, 2))}]),
            r"the shape \(1, 2\), allowed: H x W x 3",
        ),
        (annotation([CAT | {"inpainted_delta": np.full((1, 2, 3), np.nan)}]), "numbers beyond 65535"),
        (annotation([CAT | {"instance_alpha": np.zeros((1, 2))}]), "found float64, allowed: uint8"),
        (annotation([CAT | {"instance_alpha": np.zeros(2, np.uint8)}]), "allowed: H x W or H x W x 1"),
        (annotation([CAT | {"instance_mask": np.ones((1, 3), bool)}]), "another size than original"),
    ],
)
def test_what_is_no_annotation_is_refused(tmp_path, content, reason):
    with pytest.raises(AnnotationError, match=reason) as caught:
        read_annotation(packed(tmp_path, content))
    assert str(caught.value).startswith("1.p.zl: ")
    assert "\n" not in str(caught.value)


def test_a_layer_has_the_size_of_its_photo(tmp_path):
    (_, cat) = read_annotation(packed(tmp_path, annotation([CAT])))
    with pytest.raises(AnnotationError, match="instance 1: mask: found 2x1, the upright photo is 2x2"):
        cat.layer(np.zeros((2, 2, 3), np.uint8))


def test_the_other_captioner_where_one_has_none():
    both = {"blip2": "short", "llava": " long "}
    assert choose_caption(both, "blip2", "x") == "short"
    assert choose_caption(both, "llava", "x") == "long"
    assert choose_caption({"blip2": "N/A", "llava": "long"}, "blip2", "x") == "long"
    assert choose_caption({"blip2": "N/A", "llava": ""}, "llava", "x") == "x"


def test_a_class_is_not_changed_by_a_pickle(tmp_path):
    before = dict(vars(StoredArray))
    for raw in (b"cnumpy\nndarray\n}S'values'\nI1\nsb.", b"cnumpy\nndarray\n(N}S'values'\nI1\nstb."):
        with pytest.raises(AnnotationError, match="broken pickle"):
            read_pickle(packed(tmp_path, raw))
    assert dict(vars(StoredArray)) == before
    assert pickle.load(io.BytesIO(b"I1\n.")) == 1
