import copy

import orjson
import pytest

from dataset_builders.layered_vqa.sources.coco.annotations import Licence, read_instances
from dataset_builders.layered_vqa.sources.source import SourceError

CONTENT = {
    "info": {"year": 2017},
    "licenses": [
        {"id": 4, "name": "Attribution License", "url": "http://creativecommons.org/licenses/by/2.0/"}
    ],
    "categories": [{"id": 1, "name": "person", "supercategory": "person"}, {"id": 47, "name": "cup"}],
    "images": [
        {"id": 2, "file_name": "2.jpg", "width": 4, "height": 3, "license": 4, "flickr_url": "http://f/2"},
        {"id": 1, "file_name": "1.jpg", "width": 3, "height": 2},
    ],
    "annotations": [
        {"id": 9, "image_id": 1, "category_id": 47, "segmentation": [], "iscrowd": 0, "area": 1.5},
        {"id": 7, "image_id": 2, "category_id": 1, "segmentation": {}, "iscrowd": 1},
        {"id": 8, "image_id": 1, "category_id": 1},
    ],
}


def written(tmp_path, **changes):
    path = tmp_path / "instances.json"
    path.write_bytes(orjson.dumps(copy.deepcopy(CONTENT) | changes))
    return path


def faults(path):
    with pytest.raises(SourceError) as caught:
        read_instances(path)
    return caught.value.problems


def with_row(table, **changes):
    return {table: [*CONTENT[table], CONTENT[table][0] | changes]}


def test_a_file_is_indexed_by_image(tmp_path):
    instances = read_instances(written(tmp_path))
    assert list(instances.images) == [2, 1]
    assert [one.id for one in instances.annotations[1]] == [9, 8]
    crowd = instances.annotations[2][0]
    assert instances.caption(crowd) == "person (crowd)"
    assert instances.caption(instances.annotations[1][0]) == "cup"
    assert instances.licence(instances.images[2]) == "CC-BY-2.0"
    assert instances.licence(instances.images[1]) == "NOASSERTION"


@pytest.mark.parametrize(
    ("name", "url", "spdx"),
    [
        ("Attribution-ShareAlike", "http://creativecommons.org/licenses/by-sa/2.0/", "CC-BY-SA-2.0"),
        ("", "https://creativecommons.org/licenses/by-nc-nd/4.0/legalcode", "CC-BY-NC-ND-4.0"),
        ("", "https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        (
            "No known copyright restrictions",
            "http://flickr.com/commons/usage/",
            "LicenseRef-No-known-copyright-restrictions",
        ),
        ("", "", "NOASSERTION"),
    ],
)
def test_licences_by_their_spdx_names(name, url, spdx):
    assert Licence(id=1, name=name, url=url).spdx == spdx


def test_an_annotation_id_that_stands_twice_names_both(tmp_path):
    rows = [{"id": 7, "image_id": image, "category_id": 1, "segmentation": []} for image in (1, 2)]
    assert faults(written(tmp_path, annotations=rows)) == [
        "instances.json: annotations: id 7 stands twice, in annotations[0] of image 1 "
        "and annotations[1] of image 2; allowed: each id once"
    ]


@pytest.mark.parametrize("table", ["images", "categories", "licenses"])
def test_other_ids_stand_once_too(tmp_path, table):
    (fault,) = faults(written(tmp_path, **with_row(table)))
    assert f"{table}[0] and {table}[{len(CONTENT[table])}]; allowed: each id once" in fault


def test_references_lead_somewhere_and_all_faults_are_told(tmp_path):
    path = written(
        tmp_path,
        **with_row("annotations", id=10, image_id=5, category_id=99),
        **with_row("images", id=3, license=8),
    )
    assert faults(path) == [
        "instances.json: image 3: license: found 8, allowed: an id of `licenses`",
        "instances.json: annotation 10: image_id: found 5, allowed: an id of `images`",
        "instances.json: annotation 10: category_id: found 99, allowed: an id of `categories`",
    ]


def test_structure_is_checked_field_by_field(tmp_path):
    images = [
        {"id": 1, "file_name": "../1.jpg", "width": 0, "height": 2},
        {"id": 2, "file_name": "/etc/passwd", "width": "wide", "height": 2},
        {"id": 3, "file_name": "3.jpg", "width": 100_000, "height": 100_000},
        {"file_name": "4.jpg", "width": 1, "height": 2},
    ]
    found = faults(written(tmp_path, images=images))
    expected = {
        "instances.json: images[0].file_name: found '../1.jpg'": "a path below the image folder",
        "instances.json: images[0].width: found 0": "greater than 0",
        "instances.json: images[1].file_name: found '/etc/passwd'": "a path below the image folder",
        "instances.json: images[1].width: found 'wide'": "integer",
        "instances.json: images[2]: found": "width * height: allowed: at most",
        "instances.json: images[3].id: no such field": "required",
    }
    assert len(found) == len(expected)
    for line, (start, reason) in zip(found, expected.items(), strict=True):
        assert line.startswith(start)
        assert reason in line


def test_files_that_cannot_be_read(tmp_path):
    assert faults(tmp_path / "none.json") == ["none.json: cannot be opened: No such file or directory"]
    (tmp_path / "cut.json").write_text('{"images": [\n')
    assert faults(tmp_path / "cut.json")[0].startswith("cut.json: line 2: not JSON")
    (tmp_path / "list.json").write_text("[]")
    assert faults(tmp_path / "list.json")[0].startswith("list.json: file: found []")
