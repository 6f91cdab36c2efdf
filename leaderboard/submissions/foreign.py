"""What a file is that is no submission, said so that whoever sent it knows."""

import codecs
import csv
from typing import Final

_MAGIC: Final = (
    (b"PK\x03\x04", "a ZIP archive (so is .xlsx)"),
    (b"PAR1", "a Parquet file"),
    (b"%PDF", "a PDF file"),
    (b"\x1f\x8b", "gzip inside gzip"),
    (b"\x28\xb5\x2f\xfd", "a file packed by zstd"),
    (b"BZh", "a file packed by bzip2"),
    (b"\xfd7zXZ", "a file packed by xz"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)


def what_it_is(start: bytes) -> str:
    """Return what a file is, in words, by its first bytes (a few KB)."""
    for magic, words in _MAGIC:
        if start.startswith(magic):
            return words
    if start.count(b"\0") > len(start) // 4:
        return "binary data, or text in UTF-16"
    text, encoding = _decoded(start)
    return f"{_format(text.lstrip())} in {encoding}"


def _decoded(start: bytes) -> tuple[str, str]:
    """Return the text, and its encoding in words; it may end in the middle of a character."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(start), "UTF-8"
    except UnicodeDecodeError:
        return start.decode("latin-1"), "an encoding that is not UTF-8 (windows-1251?)"


def _format(text: str) -> str:
    first = text.partition("\n")[0]
    if text.startswith("<"):
        return "HTML or XML"
    if text.startswith("["):
        return "a JSON array"
    for delimiter in (";", "\t", ","):
        if len(next(csv.reader([first], delimiter=delimiter), ())) > 1:
            name = {"\t": "tabs"}.get(delimiter, f"'{delimiter}'")
            return f"CSV (values between {name})"
    return "text that is no JSON"
