"""Images of other benchmarks, from folders, Parquet files and what `datasets` loads."""

import io

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from PIL import Image

from dataset_builders.bear_bench.image_sets import ImageSetError, NamedSet, open_images


def png(shade):
    data = io.BytesIO()
    Image.new("L", (9, 7), shade).save(data, "PNG")
    return data.getvalue()


STORED = [png(shade) for shade in range(7)]


def found(text, places=(0, 2, 6)):
    images = open_images(NamedSet.parse(text))
    assert len(images) == 7
    return images.column, dict(images.files(places))


EXPECTED = {place: STORED[place] for place in (0, 2, 6)}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("DocVQA=pictures", ("DocVQA", "pictures", None, None, None)),
        ("OCRBench v2=ORG/NAME:image", ("OCRBench v2", "ORG/NAME", None, None, "image")),
        (
            "A=ORG/NAME#config one@validation:page image",
            ("A", "ORG/NAME", "config one", "validation", "page image"),
        ),
        ("A=/some/folder@test", ("A", "/some/folder", None, "test", None)),
        ("A=a=b.parquet", ("A", "a=b.parquet", None, None, None)),
    ],
)
def test_names_of_sets(text, parts):
    one = NamedSet.parse(text)
    assert (one.name, one.place, one.config, one.split, one.column) == parts


@pytest.mark.parametrize("text", ["", "DocVQA", "=place", "A="])
def test_what_names_no_set_is_told(text):
    with pytest.raises(ImageSetError, match="needed NAME=PLACE"):
        NamedSet.parse(text)


def test_a_folder_of_pictures_in_the_order_of_its_paths(tmp_path):
    for place, stored in enumerate(STORED):
        path = tmp_path / ("b" if place > 3 else "a") / f"{place}.{'PNG' if place % 2 else 'png'}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(stored)
    (tmp_path / "a/notes.txt").write_text("no picture")
    assert found(f"A={tmp_path}") == ("", EXPECTED)


@pytest.mark.parametrize("shape", ["struct", "bytes", "path"])
def test_parquet_files_group_by_group(tmp_path, shape):
    (tmp_path / "set").mkdir()
    for start, end in ((0, 4), (4, 7)):
        cells = []
        for place in range(start, end):
            (tmp_path / f"{place}.png").write_bytes(STORED[place])
            path = str(tmp_path / f"{place}.png")
            cells.append(
                {"struct": {"bytes": STORED[place], "path": None}, "bytes": STORED[place], "path": path}[
                    shape
                ]
            )
        table = pa.table({"id": list(range(start, end)), "image": cells})
        parquet.write_table(table, tmp_path / f"set/{start}.parquet", row_group_size=2)
    assert found(f"A={tmp_path / 'set'}") == ("image", EXPECTED)
    single = open_images(NamedSet.parse(f"A={tmp_path / 'set/4.parquet'}:image"))
    assert dict(single.files([0, 2])) == {0: STORED[4], 2: STORED[6]}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save a set of two splits with `datasets`, which has a second column of images in one config."""
    from datasets import Dataset, DatasetDict, Features, Value
    from datasets import Image as ImageColumn

    features = Features({"id": Value("int64"), "page": ImageColumn()})
    splits = {
        name: Dataset.from_dict(
            {"id": places, "page": [{"bytes": STORED[place], "path": None} for place in places]},
            features=features,
        )
        for name, places in (("train", [0, 1, 2, 3]), ("test", [4, 5, 6]))
    }
    folder = tmp_path_factory.mktemp("saved") / "set"
    DatasetDict(splits).save_to_disk(folder)
    return folder


def test_what_datasets_saved_all_splits_or_one(saved):
    assert found(f"A={saved}") == ("page", EXPECTED)
    one = open_images(NamedSet.parse(f"A={saved}@test:page"))
    assert dict(one.files([0, 1, 2])) == dict(enumerate(STORED[4:]))


def test_a_folder_with_a_card_is_loaded_as_its_card_says(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "set"
    folder.mkdir()
    for name, places in (("a", range(3)), ("b", range(3, 7))):
        table = pa.table({"image": [{"bytes": STORED[place], "path": f"{place}.png"} for place in places]})
        parquet.write_table(table, folder / f"{name}.parquet")
    card = ["---", "configs:"]
    for config, name in (("small", "a"), ("large", "b")):
        card += [f"- config_name: {config}", "  data_files:", "  - split: dev", f"    path: {name}.parquet"]
        card += ["  features:", "  - name: image", "    dtype: image"]
    (folder / "README.md").write_text("\n".join([*card, "---", ""]))
    images = open_images(NamedSet.parse(f"A={folder}#large@dev:image"))
    assert dict(images.files(range(4))) == dict(enumerate(STORED[3:]))


def test_sets_that_cannot_be_read_are_told(tmp_path, saved):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ImageSetError, match="found no image"):
        open_images(NamedSet.parse(f"A={empty}"))
    (tmp_path / "broken.parquet").write_bytes(b"no")
    with pytest.raises(ImageSetError, match="cannot be read as Parquet"):
        open_images(NamedSet.parse(f"A={tmp_path / 'broken.parquet'}"))
    parquet.write_table(pa.table({"id": [1], "text": ["x"]}), tmp_path / "text.parquet")
    with pytest.raises(ImageSetError, match="found none; name one behind a colon, of id, text"):
        open_images(NamedSet.parse(f"A={tmp_path / 'text.parquet'}"))
    with pytest.raises(ImageSetError, match="found no 'picture', allowed: id, text"):
        open_images(NamedSet.parse(f"A={tmp_path / 'text.parquet'}:picture"))
    with pytest.raises(ImageSetError, match="image: found 'x', needed a picture or its path"):
        dict(open_images(NamedSet.parse(f"A={tmp_path / 'text.parquet'}:text")).files([0]))
    with pytest.raises(ImageSetError, match="no such folder or file"):
        open_images(NamedSet.parse(f"A={tmp_path}/nowhere"))
    with pytest.raises(ImageSetError, match="cannot be loaded"):
        open_images(NamedSet.parse(f"A={saved}@nowhere"))
    with pytest.raises(ImageSetError, match="found no 'picture', allowed: id, page"):
        open_images(NamedSet.parse(f"A={saved}:picture"))
