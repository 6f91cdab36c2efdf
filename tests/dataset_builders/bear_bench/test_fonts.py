"""Fonts that are not in the file: drawn, the same everywhere, and named."""

import numpy as np
import pytest

from dataset_builders.bear_bench.fonts import NoStandInError, built_in_fonts, check_stand_ins
from dataset_builders.bear_bench.pdf import opened
from tests.support.pdf_files import HELVETICA, pdf_bytes, shown, shown_unicode, unicode_pdf


def drawn(path, data):
    """Return the fonts named, and the picture of the only page as grey numbers."""
    path.write_bytes(data)
    with opened(path) as pdf, pdf.page(1) as page:
        return page.unembedded_fonts, np.asarray(page.draw(72, grey=True), dtype=int)


def test_cyrillic_in_a_font_that_is_not_there_has_ink():
    check_stand_ins()


def test_without_a_stand_in_the_check_says_so():
    with built_in_fonts(), pytest.raises(NoStandInError, match="Ж in a font that is not in the file"):
        check_stand_ins()


def test_a_cyrillic_cid_font_without_its_file_is_drawn_and_named(tmp_path):
    names, page = drawn(tmp_path / "cid.pdf", unicode_pdf([(shown_unicode("Ж", size=60), "")]))
    assert names == ("Arial",)
    assert (page < 128).sum() > 200


def test_bold_differs_from_regular(tmp_path):
    ink = {}
    for name in ("Arial", "Arial,Bold"):
        data = unicode_pdf([(shown_unicode("Жук", size=40), "")]).replace(
            b"/BaseFont /Arial", f"/BaseFont /{name}".encode()
        )
        ink[name] = (255 - drawn(tmp_path / "one.pdf", data)[1]).sum()
    assert ink["Arial,Bold"] > 1.2 * ink["Arial"]


def test_a_latin_page_keeps_the_built_in_fonts(tmp_path):
    content = shown("Report", size=40)
    plain = pdf_bytes([(content, "")])
    names, page = drawn(tmp_path / "plain.pdf", plain)
    with built_in_fonts():
        _, built_in = drawn(tmp_path / "again.pdf", plain)
    # The same words beside a Cyrillic letter, which is outside the crop box here, are in the stand-in.
    beside = content + shown_unicode("Ж", x=500)
    _, mixed = drawn(tmp_path / "mixed.pdf", unicode_pdf([(beside, "")]))
    assert names == ("Helvetica",)
    assert (page == built_in).all()
    assert (page != mixed).any()


def test_invisible_text_uses_no_font(tmp_path):
    hidden = pdf_bytes([(shown("ghost", before="3 Tr"), "")], (HELVETICA,))
    assert drawn(tmp_path / "hidden.pdf", hidden)[0] == ()
