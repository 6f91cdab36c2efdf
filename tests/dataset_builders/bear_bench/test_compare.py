"""OCR characters of other benchmarks' images: the sample, what is counted, going on after a break."""

from unittest.mock import patch

import pytest
from click.testing import CliRunner
from PIL import Image, ImageDraw, ImageFont

from dataset_builders.bear_bench import compare
from dataset_builders.bear_bench.compare import CompareOptions, drawn, run
from dataset_builders.bear_bench.image_sets import ImageSetError, NamedSet
from dataset_builders.bear_bench.ocr import NoLanguageDataError, language_data
from lvqa_eval.main import main
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.reports.bear import ocr_characters
from lvqa_eval.reports.bear.ocr_counts import OcrCountsError, characters_by_benchmark, read_ocr_counts
from tests.support.page_inputs import page_inputs
from tests.support.page_studies import page, page_study

WORDS = ("annual report", "итог за год", "net total")


@pytest.fixture(scope="module", autouse=True)
def needs_tesseract():
    pytest.importorskip("tesserocr")
    try:
        language_data()
    except NoLanguageDataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Draw three pictures with a line of words each, and one file that is no picture."""
    from matplotlib import get_data_path

    font = ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", 26)
    folder = tmp_path_factory.mktemp("pictures")
    for place, words in enumerate(WORDS):
        picture = Image.new("RGBA", (300, 60), (255, 255, 255, 0 if place == 0 else 255))
        ImageDraw.Draw(picture).text((20, 14), words, "black", font)
        picture.save(folder / f"{place}.png")
    (folder / "3.png").write_bytes(b"no picture at all")
    return folder


def fake(monkeypatch, breaks_at=None):
    """Put numbers in the place of OCR, in this process; returns what was read."""
    seen = []

    def in_processes(function, units, workers, seconds):
        for at, path in enumerate(units):
            if len(seen) == breaks_at:
                raise KeyboardInterrupt
            seen.append(path.name)
            yield at, len(seen) * 10

    monkeypatch.setattr(compare, "in_processes", in_processes)
    return seen


def test_characters_without_white_space_in_both_languages(pictures, tmp_path):
    out = tmp_path / "ocr.json"
    found = run([NamedSet.parse(f"Mine={pictures}")], out, CompareOptions(workers=1))["Mine"]
    assert found.characters == tuple(len(words.replace(" ", "")) for words in WORDS)
    assert (found.images, found.drawn) == (4, (0, 1, 2, 3))
    assert found.failed[3].startswith("no picture")
    assert read_ocr_counts(out) == {"Mine": found}
    assert not out.with_name("ocr.json.partial").exists()


def test_the_sample_is_drawn_by_the_seed():
    one = drawn(5000, 200, 0)
    assert len(set(one)) == 200
    assert list(one) == sorted(one)
    assert max(one) < 5000
    assert one == drawn(5000, 200, 0) != drawn(5000, 200, 1)
    assert drawn(7, 200, 3) == tuple(range(7))


def plain(folder, count, shade=0):
    folder.mkdir()
    for place in range(count):
        Image.new("L", (8, 8), shade + place).save(folder / f"{place:02}.png")
    return NamedSet.parse(f"{folder.name}={folder}")


def test_an_image_is_read_once_also_after_a_break(tmp_path, monkeypatch):
    sets = [plain(tmp_path / "a", 5), plain(tmp_path / "b", 4, shade=100)]
    out = tmp_path / "ocr.json"
    seen = fake(monkeypatch, breaks_at=7)
    with pytest.raises(KeyboardInterrupt):
        run(sets, out)
    assert list(read_ocr_counts(out)) == ["a"]
    again = fake(monkeypatch)
    found = run(sets, out)
    assert len(again) == 2
    assert not set(again) & set(seen)
    assert [len(one.characters) for one in found.values()] == [5, 4]
    assert list(read_ocr_counts(out)) == ["a", "b"]


def test_sets_are_added_to_those_that_stand_there(tmp_path, monkeypatch):
    out = tmp_path / "ocr.json"
    fake(monkeypatch)
    first = run([plain(tmp_path / "b", 2)], out)
    second = run([plain(tmp_path / "a", 3, shade=50)], out, CompareOptions(size=2))
    assert read_ocr_counts(out) == {**second, **first}
    assert len(second["a"].characters) == 2
    assert second["a"].images == 3


def test_a_set_that_cannot_be_opened_stops_before_anything_is_counted(tmp_path, monkeypatch):
    seen = fake(monkeypatch)
    with pytest.raises(ImageSetError):
        run([plain(tmp_path / "a", 2), NamedSet.parse(f"b={tmp_path}/broken:x")], tmp_path / "ocr.json")
    with pytest.raises(ImageSetError, match="found a more than once"):
        run([NamedSet.parse("a=x"), NamedSet.parse("a=y")], tmp_path / "ocr.json")
    assert seen == []


def test_the_file_is_what_table_1_is_made_from(tmp_path, monkeypatch):
    out = tmp_path / "ocr.json"
    fake(monkeypatch)
    ran = CliRunner().invoke(
        main, ["build", "bear", "compare", f"DocVQA={plain(tmp_path / 'x', 3).place}", "--out", str(out)]
    )
    assert ran.exit_code == 0, ran.output
    assert ran.output.splitlines() == [
        "DocVQA: 20.0 characters an image on average, 3 of 3 images",
        f"written: {out}",
    ]
    study = page_study([[[[1.0]]]], [DEFAULT], [page("q0", ocr_characters=2000)])
    found = ocr_characters.exhibit(page_inputs(study, ocr=characters_by_benchmark(read_ocr_counts(out))))
    by_name = {row[0]: row for row in found.tables[0].rows}
    assert by_name["DocVQA"][1:3] == (3, 3)
    assert by_name["DocVQA"][3].value == 20
    reported = {row[0]: row[1:] for row in found.reported.rows}
    assert reported["DocVQA"][0] == 1113.0
    assert reported["DocVQA"][1].value == 20


def test_a_file_that_holds_no_counts_is_told(tmp_path):
    path = tmp_path / "ocr.json"
    with pytest.raises(OcrCountsError, match="cannot be read"):
        read_ocr_counts(path)
    path.write_text('{"DocVQA": [1, 2]}')
    with pytest.raises(OcrCountsError, match="Expected `object`, got `array`"):
        read_ocr_counts(path)


def test_a_set_without_a_readable_image_is_told(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "0.png").write_bytes(b"")
    lost = patch.object(compare, "in_processes", lambda *_: iter([(0, "empty file")]))
    with lost, pytest.raises(ImageSetError, match="no image can be read: empty file"):
        run([NamedSet.parse(f"a={folder}")], tmp_path / "ocr.json")
