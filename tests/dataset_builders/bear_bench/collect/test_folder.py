"""PDFs of a local folder: what describes them, what is left out, and nothing from their names."""

import pytest

from dataset_builders.bear_bench.collect.folder import FolderSource
from dataset_builders.bear_bench.collect.source import SourceError
from tests.support.document_sites import made_pdf


@pytest.fixture
def pdfs(tmp_path):
    folder = tmp_path / "pdfs"
    (folder / "deep").mkdir(parents=True)
    (folder / "en_sci_b.PDF").write_bytes(made_pdf("b"))
    (folder / "deep" / "отчёт.pdf").write_bytes(made_pdf("a"))
    (folder / "notes.txt").write_text("no document")
    return folder


def test_files_are_kept_with_what_the_options_say(pdfs, collected, tmp_path):
    count, documents, outcomes = collected(FolderSource(path=pdfs, domain="business", type="order"))
    assert list(count.lines()) == [
        "collect: 2 documents kept, 0 dropped",
        "  kept           2  folder: order",
    ]
    assert {one.url: (one.domain, one.document_type, one.title, one.licence) for one in documents} == {
        "deep/отчёт.pdf": ("business", "order", None, None),
        "en_sci_b.PDF": ("business", "order", None, None),
    }
    assert [one.document_id for one in documents] == sorted(f"folder-{one.sha256[:16]}" for one in documents)
    assert all((tmp_path / "work" / one.file).read_bytes().startswith(b"%PDF-") for one in documents)
    assert set(outcomes) == {"deep/отчёт.pdf", "en_sci_b.PDF"}
    assert not (tmp_path / "work" / "collect.partial").exists()


def test_the_sidecar_goes_before_the_options(pdfs, collected):
    rows = "\ufefffile;domain;document_type;title;licence\ndeep/отчёт.pdf;science;paper;О числах;CC BY 4.0\n"
    (pdfs / "documents.csv").write_text(rows, encoding="utf-8")
    _, documents, _ = collected(FolderSource(path=pdfs, domain="business", type="order"))
    told = {one.url: (one.domain, one.document_type, one.title, one.licence) for one in documents}
    assert told == {
        "deep/отчёт.pdf": ("science", "paper", "О числах", "CC BY 4.0"),
        "en_sci_b.PDF": ("business", "order", None, None),
    }


def test_everything_that_lacks_a_description_is_named_at_once(pdfs, collected):
    (pdfs / "documents.csv").write_text("file,domain\nen_sci_b.PDF,science\n")
    with pytest.raises(SourceError) as raised:
        collected(FolderSource(path=pdfs))
    assert str(raised.value).splitlines() == [
        f"{pdfs}/deep/отчёт.pdf: no domain: neither in documents.csv nor by --domain",
        f"{pdfs}/deep/отчёт.pdf: no document_type: neither in documents.csv nor by --type",
        f"{pdfs}/en_sci_b.PDF: no document_type: neither in documents.csv nor by --type",
    ]


def test_every_mistake_of_the_sidecar_is_named_at_once(pdfs, collected):
    rows = "file,domain\nmissing.pdf,science\nen_sci_b.PDF,sciense\nen_sci_b.PDF,science,more\n"
    (pdfs / "documents.csv").write_text(rows)
    with pytest.raises(SourceError) as raised:
        collected(FolderSource(path=pdfs, domain="business", type="order"))
    path = pdfs / "documents.csv"
    assert str(raised.value).splitlines() == [
        f"{path}: line 2: file: found 'missing.pdf', no such PDF below {pdfs}",
        f"{path}: line 3: domain: found 'sciense', allowed: business, science",
        f"{path}: line 4: more cells than columns",
        f"{path}: line 4: file: 'en_sci_b.PDF' stands there twice",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name,domain\n", "columns: found name, domain; allowed are file, domain"),
        (b"", "columns: found none"),
        ("file\nотчёт.pdf\n".encode("cp1251"), "not UTF-8"),
    ],
)
def test_a_sidecar_of_another_form_is_refused(pdfs, collected, content, message):
    (pdfs / "documents.csv").write_bytes(content)
    with pytest.raises(SourceError, match=message):
        collected(FolderSource(path=pdfs, domain="business", type="order"))


def test_what_is_no_pdf_too_large_or_there_already_is_left_out(pdfs, collected):
    (pdfs / "c.pdf").write_bytes(b"<html>not found</html>")
    (pdfs / "d.pdf").write_bytes(b"")
    (pdfs / "e.pdf").write_bytes(made_pdf("b"))
    (pdfs / "f.pdf").write_bytes(made_pdf("f", padding=2**20))
    count, documents, outcomes = collected(
        FolderSource(path=pdfs, domain="business", type="order", max_megabytes=1)
    )
    assert count.kept == 2
    assert count.dropped == {"not-pdf": 1, "empty-file": 1, "too-large": 1, "duplicate": 1}
    assert outcomes["d.pdf"].reason == "empty-file"
    kept = next(one for one in documents if one.url == "e.pdf")
    assert (outcomes["en_sci_b.PDF"].reason, outcomes["en_sci_b.PDF"].detail) == (
        "duplicate",
        f"the same bytes as {kept.document_id}",
    )


def test_an_empty_folder_and_one_that_is_not_there_are_refused(tmp_path, collected):
    (tmp_path / "empty").mkdir()
    for name, message in (("empty", "no PDF in it"), ("missing", "not a folder")):
        with pytest.raises(SourceError, match=f"--path: .*{name}: {message}"):
            collected(FolderSource(path=tmp_path / name, domain="business", type="order"))
