import json
import logging
from dataclasses import replace

import pytest

from lvqa_eval.runs.lines import LogInUseError
from lvqa_eval.runs.pictures import (
    PICTURES,
    Name,
    PictureChangedError,
    PictureLog,
    PictureRecord,
    read_pictures,
)

LAYER = PictureRecord("s2", 0, "ab" * 32, "cd" * 32, 900, 332, 28, 332, 20, 1.0, 0, 8)
COMPOSITE = replace(LAYER, layer=None, sha256="ef" * 32, pixels_sha256="01" * 32)


def lines(folder):
    return [json.loads(line) for line in (folder / PICTURES).read_text().splitlines()]


def test_one_line_a_picture(tmp_path):
    with PictureLog.open(tmp_path) as log:
        for record in (LAYER, COMPOSITE, LAYER):
            log.add(record)
    first, second = lines(tmp_path)
    assert first == {
        **{"scene_id": "s2", "layer": 0, "sha256": "ab" * 32, "pixels_sha256": "cd" * 32, "bytes": 900},
        **{"width": 332, "height": 28, "original_width": 332, "original_height": 20},
        **{"scale": 1.0, "pad_right": 0, "pad_bottom": 8, "factor": 1.0},
    }
    assert (second["scene_id"], second["layer"]) == ("s2", None)


def test_a_resumed_run_writes_none_twice(tmp_path):
    for _ in range(2):
        with PictureLog.open(tmp_path) as log:
            log.add(LAYER)
            log.add(COMPOSITE)
    assert len(lines(tmp_path)) == 2


def test_other_pixels_are_refused(tmp_path):
    with PictureLog.open(tmp_path) as log:
        log.add(LAYER)
        log.add(COMPOSITE)
        with pytest.raises(PictureChangedError) as caught:
            log.add(replace(LAYER, pixels_sha256="99" * 32))
        assert str(caught.value) == (
            f"{tmp_path / PICTURES}: scene s2, layer 0: found 332x28 pixels of hash {'99' * 8}, "
            f"this run has sent 332x28 pixels of hash {'cd' * 8}; "
            "bring the old file back, or begin another run"
        )
        # The same bytes of another shape are another picture.
        with pytest.raises(PictureChangedError, match="scene s2, composite: found 28x332 pixels"):
            log.add(replace(COMPOSITE, width=28, height=332))
    assert len(lines(tmp_path)) == 2


def test_the_same_pixels_by_another_encoder_are_the_same_picture(tmp_path):
    with PictureLog.open(tmp_path) as log:
        log.add(LAYER)
        log.add(replace(LAYER, sha256="77" * 32, bytes=950))
    assert [line["bytes"] for line in lines(tmp_path)] == [900]


def test_pictures_are_read_by_scene_and_layer_composite_first(tmp_path):
    assert read_pictures(tmp_path) == {}
    other = replace(LAYER, scene_id="s1", layer=10)
    earlier = replace(other, layer=9)
    with PictureLog.open(tmp_path) as log:
        for record in (LAYER, COMPOSITE, other, earlier):
            log.add(record)
    found = read_pictures(tmp_path)
    assert list(found.items()) == [
        *((Name("s1", 9), earlier), (Name("s1", 10), other)),
        *((Name("s2", None), COMPOSITE), (Name("s2", 0), LAYER)),
    ]


def test_a_second_writer_is_refused(tmp_path):
    with PictureLog.open(tmp_path), pytest.raises(LogInUseError):
        PictureLog.open(tmp_path)
    PictureLog.open(tmp_path).close()


def test_a_killed_writer_loses_one_line_and_a_damaged_one_is_written_anew(tmp_path, caplog):
    with PictureLog.open(tmp_path) as log:
        log.add(LAYER)
        log.add(COMPOSITE)
        log.add(replace(LAYER, layer=1))
    path = tmp_path / PICTURES
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:40] + b"\n" + third[:30])
    with caplog.at_level(logging.WARNING):
        assert list(read_pictures(tmp_path)) == [Name("s2", 0)]
    assert "line 2: damaged" in caplog.text
    with PictureLog.open(tmp_path) as log:
        log.add(LAYER)
        log.add(COMPOSITE)
    assert path.read_bytes() == first + second


def test_a_smaller_picture_of_a_scene_is_another_one(tmp_path):
    half = replace(COMPOSITE, pixels_sha256="55" * 32, width=166, height=28, scale=0.5, factor=2.0)
    with PictureLog.open(tmp_path) as log:
        log.add(half)
        log.add(COMPOSITE)
        with pytest.raises(PictureChangedError, match=r"scene s2, composite, 2 times smaller: found 166x28"):
            log.add(replace(half, pixels_sha256="66" * 32))
    assert list(read_pictures(tmp_path)) == [Name("s2", None), Name("s2", None, 2.0)]


def test_a_picture_logged_before_there_were_factors_is_whole(tmp_path):
    with PictureLog.open(tmp_path) as log:
        log.add(LAYER)
    path = tmp_path / PICTURES
    path.write_text(path.read_text().replace(',"factor":1.0', ""))
    assert read_pictures(tmp_path) == {Name("s2", 0): LAYER}
