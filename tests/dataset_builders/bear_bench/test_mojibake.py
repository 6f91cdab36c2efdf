"""Misread bytes: found, and mended where they can be."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench.language import language_of
from dataset_builders.bear_bench.mojibake import is_misread, repaired

CASES = Path(__file__).resolve().parents[2] / "cases" / "pdf"
REPORT = "Отчёт о работе комиссии за 2019 год, часть 2 (проект)"


def test_utf8_read_as_latin1_is_mended():
    text = (CASES / "mojibake_text_layer.txt").read_text("utf-8").strip()
    assert (text[0], len(text)) == ("Ð", 10)
    assert is_misread(text)
    assert repaired(text) == "Отчёт"
    assert language_of(text) == "other"
    assert language_of(repaired(text)) == "ru"


def test_windows_1252_is_mended_too():
    # Windows-1252 has no letters for 0x81, 0x8d, 0x8f, 0x90 and 0x9d; readers leave those bytes as they are.
    read = "".join(
        bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
        for byte in REPORT.encode()
    )
    assert repaired(read) == REPORT


@given(st.text(st.characters(min_codepoint=0x410, max_codepoint=0x44F), min_size=1))
def test_mending_undoes_the_misreading(text):
    assert repaired(text.encode().decode("latin-1")) == text


@pytest.mark.parametrize(
    "text",
    [
        REPORT,
        "The report of the year 2019",
        "Été à Genève : l'année où naquit le château",
        "Á þjóðhátíð Íslendinga ræðum við um það sem skiptir máli",
        "",
    ],
)
def test_true_text_stands(text):
    assert not is_misread(text)
    assert repaired(text) is None


def test_windows_1251_read_as_latin1_is_found_but_not_guessed_at():
    text = "Благодарности и благодарственные письма".encode("cp1251").decode("latin-1")
    assert repaired(text) is None
    assert is_misread(text)


def test_a_broken_pair_leaves_the_text_to_ocr():
    text = "Отчёт".encode().decode("latin-1") + "Ñ"
    assert repaired(text) is None
    assert is_misread(text)
