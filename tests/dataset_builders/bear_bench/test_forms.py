"""Forms as spreadsheets open and save them."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset_builders.bear_bench.forms import FormError, read_form, write_form

COLUMNS = ("item", "said", "note")
CELL = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20).map(str.strip)


def rows(path, **given):
    return [dict(line.cells) for line in read_form(path, COLUMNS, **given)]


@settings(max_examples=25)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(COLUMNS, CELL)), max_size=5))
def test_what_is_written_is_read_but_for_apostrophes_before_formulas(tmp_path_factory, written):
    path = tmp_path_factory.getbasetemp() / "form.csv"
    write_form(path, COLUMNS, written)
    expected = [row for row in written if any(row.values())]
    found = rows(path)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        for name in COLUMNS:
            assert ours[name].removeprefix("'") == theirs[name].removeprefix("'")
            assert not ours[name].startswith(("=", "@"))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=SUM(A1:A9)", "'=SUM(A1:A9)"),
        ("@name", "'@name"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("-5", "-5"),
        ("+12,5 %", "+12,5 %"),
        ("Итого: 5; «да»", "Итого: 5; «да»"),
    ],
)
def test_no_text_is_run_as_a_formula(tmp_path, text, cell):
    write_form(tmp_path / "form.csv", COLUMNS, [{"item": "1", "said": text, "note": "a\nb"}])
    assert rows(tmp_path / "form.csv") == [{"item": "1", "said": cell, "note": "a\nb"}]


def test_the_file_says_that_it_is_utf_8(tmp_path):
    write_form(tmp_path / "form.csv", COLUMNS, [{"item": "1", "said": "да", "note": ""}])
    assert (tmp_path / "form.csv").read_bytes().startswith(b"\xef\xbb\xbfitem,said,note\r\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_any_separator_of_a_spreadsheet_is_read(tmp_path, separator):
    path = tmp_path / "form.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file, delimiter=separator)
        table.writerows([["note", "item", "more", "said"], ["x, y; z", "7", "", " yes "], ["", "", "", ""]])
    assert rows(path) == [{"item": "7", "said": "yes", "note": "x, y; z"}]
    assert [line.where for line in read_form(path, COLUMNS)] == [f"{path}: line 2"]


def test_optional_columns_are_those_that_are_there(tmp_path):
    path = tmp_path / "form.csv"
    path.write_text("item,said,note,image\n1,yes,,no\n")
    assert rows(path, optional=("image", "verdict")) == [
        {"item": "1", "said": "yes", "note": "", "image": "no"}
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"item,note\n1,2\n", "columns: said missing, found 'item,note'"),
        (b"", "columns: item, said, note missing"),
        ("item;said;note\n1;да;\n".encode("cp1251"), "not UTF-8 .*save it as CSV UTF-8"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_mend(tmp_path, content, told):
    path = tmp_path / "form.csv"
    path.write_bytes(content)
    with pytest.raises(FormError, match=told):
        read_form(path, COLUMNS)
    with pytest.raises(FormError, match="not found"):
        read_form(tmp_path / "none.csv", COLUMNS)
