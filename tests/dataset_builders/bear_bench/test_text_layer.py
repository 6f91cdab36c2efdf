"""Text layers: what is text, and what can be trusted."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dataset_builders.bear_bench.layer_characters import LayerCharacters, is_readable, read_characters
from dataset_builders.bear_bench.pdf import opened
from dataset_builders.bear_bench.text_layer import TextLayer, agreement, judge, letter_shapes, settle, tidy
from tests.support.pdf_files import HELVETICA, pdf_bytes, picture_object, shown, shown_unicode, unicode_pdf

CASES = Path(__file__).resolve().parents[2] / "cases" / "pdf"
RUSSIAN = (
    "Настоящий договор вступает в силу с момента его подписания обеими сторонами и действует до конца года"
)
GARBAGE = (
    "HacToRLLH:HH .n;oroBop BcTynaeT cHJIy MoMeHTa no)J;nHcaHHR o6eHMH cTopoHaMH .n;eHcTByeT KoHu;a roAa "
    "HacTo51w.ero"
)


def layer_of(path, data=None):
    """Return the characters and the judgement of a file's only page."""
    if data is not None:
        path.write_bytes(data)
    with opened(path) as pdf, pdf.page(1) as page:
        found = read_characters(page)
    return found, judge(found)


def handmade(text, unmapped=False, background=None, ink=0.1):
    """Return the characters of a page on which all of `text` is seen."""
    space = np.array([one.isspace() for one in text])
    rest = np.zeros((100, 100), dtype=bool) if background is None else background
    return LayerCharacters(tuple(text), space, ~space, np.full(len(text), unmapped), rest, ink, 72.0)


def test_text_outside_the_crop_box_is_not_text():
    assert layer_of(CASES / "cropbox.pdf")[1] == TextLayer("inside")


def test_text_without_ink_is_none_and_the_page_is_blank():
    found, layer = layer_of(CASES / "invisible_text.pdf")
    assert (found.page_ink, len("".join(found.text).replace(" ", ""))) == (0, 14)
    assert layer == TextLayer("", "invisible text")
    assert layer_of(CASES / "blank_page.pdf")[1] == TextLayer("")


@pytest.mark.parametrize(
    "hidden",
    [
        shown("ghost", before="3 Tr"),
        "1 g " + shown("ghost") + "0 g ",
        shown("ghost") + " q 100 0 0 40 10 40 cm /X0 Do Q",
    ],
    ids=["render mode 3", "white on white", "under a picture"],
)
def test_only_what_is_seen_is_text(tmp_path, hidden):
    scan = picture_object(Image.linear_gradient("L"))
    path = tmp_path / "one.pdf"
    assert (
        layer_of(path, pdf_bytes([(hidden + " 0 g " + shown("seen", y=10), "")], extra=(scan,)))[1].text
        == "seen"
    )
    alone = pdf_bytes([(hidden + " q 50 0 0 20 150 70 cm /X0 Do Q", "")], extra=(scan,))
    assert layer_of(path, alone)[1] == TextLayer("", "invisible text")


def test_ink_without_text_has_no_layer(tmp_path):
    scan = pdf_bytes([("0 g 10 10 50 50 re f", "")])
    assert layer_of(tmp_path / "scan.pdf", scan)[1] == TextLayer("", "no text layer")


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_ink_of_a_letter_is_found_on_turned_and_cropped_pages(tmp_path, turn):
    entries = f"/Rotate {turn} /MediaBox [0 0 300 200] /CropBox [50 40 250 160] /UserUnit 1.5"
    content = shown("inside", 120, 90) + shown("OUT", 5, 5) + shown("edge", 240, 100)
    found, layer = layer_of(tmp_path / "turned.pdf", pdf_bytes([(content, entries)]))
    assert layer.text.split() == ["inside", "ed"]
    assert found.ink[~found.space].all()


def test_true_cyrillic_text_is_trusted(tmp_path):
    content = shown_unicode(RUSSIAN[:60], 5, 60, 5) + shown_unicode(RUSSIAN[60:], 5, 40, 5)
    _, layer = layer_of(tmp_path / "one.pdf", unicode_pdf([(content, "")]))
    assert (layer.distrust, layer.doubts) == (None, ())
    assert layer.text.replace("\n", "") == RUSSIAN


def test_text_drawn_in_a_nested_drawing_is_seen(tmp_path):
    content = shown("deep").encode()
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /Font << /F1 3 0 R >> >> "
        b"/Length %d >>\nstream\n%b\nendstream" % (len(content), content)
    )
    assert layer_of(tmp_path / "one.pdf", pdf_bytes([("/X0 Do", "")], extra=(form,)))[1] == TextLayer("deep")


@pytest.mark.parametrize("unknown", ["\ufffd", "\ue001", "\U000f0001", "\x07", "\u0378"])
def test_characters_that_say_nothing_are_no_text(unknown):
    assert not is_readable(unknown)
    assert judge(handmade(unknown * 400)) == TextLayer("", "unreadable characters")
    assert judge(handmade("words " * 20 + unknown * 5)) == TextLayer(("words " * 20).strip())
    assert judge(handmade("words " * 20 + unknown * 6)).distrust == "unreadable characters"


def test_mojibake_is_mended_or_goes_to_ocr():
    assert judge(handmade(RUSSIAN.encode().decode("latin-1"))) == TextLayer(RUSSIAN)
    assert judge(handmade(RUSSIAN.encode("cp1251").decode("latin-1"))).distrust == "mojibake"


def test_garbage_is_doubtful_and_ocr_decides():
    layer = judge(handmade(GARBAGE))
    assert (layer.distrust, layer.doubts) == (None, ("unlike words",))
    assert settle(layer, RUSSIAN) == "unlike words"
    assert settle(layer, GARBAGE) is None  # serial numbers and the like: strange, and really there


def test_true_words_are_not_doubtful():
    assert judge(handmade(RUSSIAN)).doubts == ()
    assert (
        judge(handmade("Consolidated Statements of OPERATIONS (in millions, except per share) " * 3)).doubts
        == ()
    )


def test_other_scripts_are_no_garbage():
    assert judge(handmade("年度报告书目 " * 20)).doubts == ()


def test_characters_that_the_file_does_not_map_are_doubtful():
    layer = judge(handmade("the words of bitmap fonts", unmapped=True))
    assert layer.doubts == ("unmapped characters",)
    assert settle(layer, "The words of bitmap fonts.") is None
    assert settle(layer, "Слова растровых шрифтов") == "unmapped characters"


def test_letters_outside_the_layer_are_doubtful():
    ink = np.zeros((200, 200), dtype=bool)
    for row in range(5):
        for column in range(6):
            ink[20 * row : 20 * row + 8, 20 * column : 20 * column + 6] = True
    assert letter_shapes(ink, 72) == 30
    layer = judge(handmade("short", background=ink))
    assert layer.doubts == ("incomplete",)
    assert settle(layer, "short and much more") == "incomplete"
    assert settle(layer, "short") is None
    assert judge(handmade("long " * 400, background=ink)).doubts == ()  # 2 % of 1,600 characters are 32


def test_lines_dots_and_large_shapes_are_no_letters():
    ink = np.zeros((300, 300), dtype=bool)
    ink[10, :] = True
    ink[:, 10] = True
    ink[50:52, 50:51] = True
    ink[100:200, 100:200] = True
    ink[250:258, 20:60] = True
    assert letter_shapes(ink, 144) == 0
    ink[280:288, 20:30] = True
    assert letter_shapes(ink, 144) == 1


def test_agreement_counts_words_of_the_layer():
    assert agreement("the red fox, the red dog", "The red fox") == 3 / 6
    assert agreement("12 34", "anything") == 1


def test_tidy_text_has_single_spaces_and_no_empty_lines():
    assert tidy(" a\u00a0 b\r\n\r\n\tc\ufffd \n") == "a b\nc"


def test_a_hyphen_at_the_end_of_a_line_is_kept(tmp_path):
    content = "BT /F1 10 Tf 14 TL 10 60 Td (infor-) Tj T* (mation) Tj ET"
    _, layer = layer_of(tmp_path / "one.pdf", pdf_bytes([(content, "")], (HELVETICA,)))
    assert layer.text == "infor-\nmation"
