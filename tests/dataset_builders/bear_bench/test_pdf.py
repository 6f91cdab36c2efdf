"""Opening PDFs: which pages there are, how large, and the reason where something cannot be read."""

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench.pdf import PdfRefusedError, first_and_last, opened, page_id
from tests.support.pdf_files import pdf_bytes, shown, stream

CASES = Path(__file__).resolve().parents[2] / "cases" / "pdf"


def refusal(path):
    with pytest.raises(PdfRefusedError) as caught, opened(path):
        pass
    return caught.value.reason


def size(path, dpi=72, page=1):
    with opened(path) as pdf, pdf.page(page) as one:
        picture = one.draw(dpi)
        assert picture.size == one.size(dpi)
        assert picture.mode == "RGB"
        return picture.size


@pytest.fixture
def written(tmp_path):
    def write(*pages, **options):
        path = tmp_path / "one.pdf"
        path.write_bytes(pdf_bytes(pages, **options))
        return path

    return write


def test_encrypted_with_an_empty_password_opens_and_its_permissions_are_known():
    with opened(CASES / "enc_empty_user.pdf") as pdf:
        assert pdf.loading_pages() == (1, 2, 3)
        assert pdf.permissions == 0xFFFFFFFC


def test_permissions_are_those_of_encrypted_files_alone():
    with opened(CASES / "three_pages.pdf") as pdf:
        assert pdf.permissions is None


def test_each_kind_of_unreadable_file_has_its_reason():
    # Twice over, in both orders: pdfium's last error stays from file to file.
    reasons = {
        "zero_pages": "no pages",
        "zero_byte": "empty file",
        "truncated": "damaged",
        "enc_needs_password": "password",
        "is_not_there": "missing file",
    }
    for name, reason in [*reasons.items(), *reversed(reasons.items())]:
        assert refusal(CASES / f"{name}.pdf") == reason


def test_the_pages_that_load_decide_not_the_count():
    with opened(CASES / "count_lies.pdf") as pdf:
        assert pdf.declared == 7
        assert pdf.loading_pages() == (1,)
        for number in (0, -1, 2, 7, 8):
            with pytest.raises(PdfRefusedError, match=r"^missing page: page"), pdf.page(number):
                pass


def test_a_count_beyond_reason_is_refused_and_does_not_hang(written):
    path = written((shown("a"), ""))
    path.write_bytes(path.read_bytes().replace(b"/Count 1 ", b"/Count 99999 "))
    assert refusal(path) == "too many pages"


def test_windows_of_a_short_file_take_each_page_once():
    with opened(CASES / "three_pages.pdf") as pdf:
        assert first_and_last(pdf.loading_pages(), 5) == (1, 2, 3)
    assert first_and_last(tuple(range(1, 13)), 5) == (1, 2, 3, 4, 5, 8, 9, 10, 11, 12)
    assert first_and_last((), 5) == ()


@given(st.lists(st.integers(1, 500), unique=True).map(sorted), st.integers(0, 20))
def test_windows_are_the_ends_in_order(pages, each):
    window = first_and_last(tuple(pages), each)
    assert list(window) == sorted(set(pages[:each]) | set(pages[max(0, len(pages) - each) :]))


def test_the_crop_box_is_the_frame():
    assert size(CASES / "cropbox.pdf") == (200, 120)


def test_rotation_turns_the_picture(written):
    path = written(("0 g 0 0 50 100 re f", "/Rotate 90"))
    with opened(path) as pdf, pdf.page(1) as page:
        picture = page.draw(72, grey=True)
    assert picture.size == (100, 200)
    # The left quarter of the page is at the top when it is turned clockwise.
    assert (picture.getpixel((50, 25)), picture.getpixel((50, 100))) == (0, 255)


def test_a_user_unit_makes_the_page_larger(written):
    assert size(written((shown("a"), "/UserUnit 2.5"), (shown("b"), ""))) == (500, 250)
    assert size(written((shown("a"), "/UserUnit 2.5"), (shown("b"), "")), page=2) == (200, 100)


def test_a_user_unit_in_a_compressed_object_counts_too(tmp_path):
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /UserUnit 2 /Resources << >> >>"
    tree = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    path = tmp_path / "packed.pdf"
    path.write_bytes(packed(b"<< /Type /Catalog /Pages 2 0 R >>", tree, page))
    assert b"UserUnit" not in path.read_bytes()
    assert size(path) == (400, 200)


def packed(*objects):
    """Return a PDF whose objects, numbered from 1, lie in one compressed stream."""
    places, body = [], b""
    for number, one in enumerate(objects, start=1):
        places.append(b"%d %d " % (number, len(body)))
        body += one + b" "
    head = b"".join(places)
    holder, table = len(objects) + 1, len(objects) + 2
    entries = f"/Type /ObjStm /N {len(objects)} /First {len(head)} /Filter /FlateDecode"
    out = b"%PDF-1.5\n"
    at_holder = len(out)
    out += b"%d 0 obj\n%b\nendobj\n" % (holder, stream(zlib.compress(head + body), entries))
    at_table = len(out)
    rows = bytes(4) + b"".join(bytes([2, 0, holder, at]) for at in range(len(objects)))
    rows += b"".join(bytes([1]) + at.to_bytes(2, "big") + b"\0" for at in (at_holder, at_table))
    entries = f"/Type /XRef /Size {table + 1} /W [1 2 1] /Root 1 0 R"
    return out + b"%d 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF" % (table, stream(rows, entries), at_table)


def test_whole_pixels_stay_whole(written):
    path = written((shown("a"), "/MediaBox [0 0 612 792]"))
    assert size(path, dpi=150) == (1275, 1650)


def test_a_huge_page_is_refused_before_it_is_drawn(written):
    path = written((shown("a"), "/MediaBox [0 0 14400 14400]"))
    with opened(path) as pdf, pdf.page(1) as page:
        with pytest.raises(PdfRefusedError) as caught:
            page.draw(150)
        assert caught.value.reason == "huge page"
        assert caught.value.detail == "30000 x 30000 pixels at 150 dpi, at most 50,000,000"
        assert page.draw(1).size == (200, 200)


def test_ids_of_pages_sort_as_their_numbers():
    assert page_id("report", 7) == "report-p0007"
    assert sorted([page_id("a", 10), page_id("a", 9)]) == ["a-p0009", "a-p0010"]
