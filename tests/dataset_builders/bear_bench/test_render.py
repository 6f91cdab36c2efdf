"""Stage render: pictures, reasons, and the same bytes however it runs."""

import hashlib
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from dataset_builders.bear_bench import render
from dataset_builders.bear_bench.pdf import PdfFacts
from dataset_builders.bear_bench.records import Document, Drop, Page
from dataset_builders.bear_bench.work import WorkError, read_records
from tests.support.pdf_files import document_work, pdf_bytes, shown, shown_unicode, unicode_pdf

CASES = Path(__file__).resolve().parents[2] / "cases" / "pdf"


def case(name):
    return (CASES / f"{name}.pdf").read_bytes()


def contents(folder):
    """Return path -> bytes of everything that the stage leaves."""
    kept = [*folder.glob("*.jsonl"), *folder.glob("pages/*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(kept)}


@pytest.fixture
def here(monkeypatch):
    """Draw in this process: a new one takes longer to start than the pages take."""
    monkeypatch.setattr(
        render, "in_processes", lambda function, units, _workers, _seconds: enumerate(map(function, units))
    )


@pytest.mark.usefixtures("here")
def test_every_page_is_drawn_or_has_a_reason(tmp_path):
    files = {path.stem: path.read_bytes() for path in CASES.glob("*.pdf")}
    files["paper"] = unicode_pdf([(shown_unicode("Жук"), ""), (shown("huge"), "/MediaBox [0 0 9000 9000]")])
    work = document_work(tmp_path / "work", files)
    count = render.run(work, dpi=72)
    assert count.kept == 9
    assert count.groups == {"business": 8, "science": 1}
    assert count.dropped == {
        "missing page": 6,
        "blank page": 2,
        "huge page": 1,
        "no pages": 1,
        "empty file": 1,
        "damaged": 1,
        "password": 1,
    }
    pages = {page.page_id: page for page in work.read("pages", Page, "render")}
    assert (pages["cropbox-p0001"].width, pages["cropbox-p0001"].height) == (200, 120)
    assert pages["paper-p0001"].unembedded_fonts == ("Arial",)
    assert 0 < pages["three_pages-p0001"].ink < 0.05
    for page in pages.values():
        data = (work.folder / page.file).read_bytes()
        assert hashlib.sha256(data).hexdigest() == page.sha256
        with Image.open(work.folder / page.file) as picture:
            assert (picture.mode, picture.size) == ("RGB", (page.width, page.height))
    facts = {one.document_id: one for one in work.read("files", PdfFacts, "render")}
    assert (facts["count_lies"].declared_pages, facts["count_lies"].pages) == (7, 1)
    assert facts["enc_empty_user"].permissions == 0xFFFFFFFC
    drops = {drop.id: drop for drop in work.drops()}
    assert drops["count_lies-p0004"].detail == "page 4 of 7 does not load"
    assert drops["enc_needs_password"].reason == "password"
    assert not (work.folder / "render.partial").exists()


@pytest.mark.usefixtures("here")
def test_only_licensed_documents_are_drawn(tmp_path):
    work = document_work(tmp_path / "work", {"a": case("cropbox"), "b": case("three_pages")})
    work.write("licences", [])
    assert render.run(work).kept == 0
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkError, match="lvqa build bear licence"):
        render.run(type(work)(tmp_path / "empty"))


@pytest.mark.usefixtures("here")
def test_another_resolution_replaces_the_pictures(tmp_path):
    work = document_work(tmp_path / "work", {"a": case("three_pages")})
    render.run(work, dpi=144)
    first = contents(work.folder)
    work.write("documents", [*work.read("documents", Document, "collect")])
    render.run(work, dpi=72)
    (work.folder / "pages/a-p0009.png").write_bytes(b"of an earlier run")
    render.run(work, dpi=144)
    assert contents(work.folder) == first


def test_one_process_and_four_draw_the_same_bytes(tmp_path):
    files = {f"report{at:02}": case("three_pages") for at in range(12)} | {"paper": case("cropbox")}
    made = []
    for workers in (1, 4):
        work = document_work(tmp_path / str(workers), files)
        assert render.run(work, workers=workers).kept == 37
        made.append(contents(work.folder))
    assert made[0] == made[1]
    # The same page of all copies is the same picture, whichever process drew it.
    assert len({data for name, data in made[1].items() if name.endswith("-p0002.png")}) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from dataset_builders.bear_bench import render
from dataset_builders.bear_bench.work import Work

def until_killed(function, units, workers, seconds, whole=render.in_processes):
    for count, done in enumerate(whole(function, units, workers, seconds), start=1):
        yield done
        if function is render._draw_unit and count == 3:
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    render.in_processes = until_killed
    render.run(Work(Path(sys.argv[1])), workers=1)
"""


def test_killed_and_started_again_it_ends_with_the_same_bytes(tmp_path, monkeypatch):
    files = {f"report{at}": case("three_pages") for at in range(8)}
    whole = document_work(tmp_path / "whole", files)
    work = document_work(tmp_path / "killed", files)
    (tmp_path / "script.py").write_text(KILLED)
    done = subprocess.run([sys.executable, tmp_path / "script.py", work.folder], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not work.has("pages")
    begun = len(list((work.folder / "render.partial").glob("*.jsonl")))
    assert 3 <= begun < 8
    drawn = []

    def here(function, units, _workers, _seconds):
        drawn.append(len(units))
        return enumerate(map(function, units))

    monkeypatch.setattr(render, "in_processes", here)
    for one in (work, whole):
        assert render.run(one).kept == 24
    # Opened, drawn: of the killed run only what it had not drawn, though its process may have gone on a bit.
    assert drawn[0::2] == [8, 8]
    assert drawn[1] <= 8 - begun
    assert drawn[3] == 8
    assert contents(work.folder) == contents(whole.folder)


@pytest.mark.usefixtures("here")
def test_counts_of_a_document_add_up(tmp_path):
    pages = [(shown(f"page {at}"), "") for at in range(4)] + [("", "")] * 6
    work = document_work(tmp_path / "work", {"report": pdf_bytes(pages)})
    count = render.run(work)
    drops = read_records(work.folder / "pages.drops.jsonl", Drop)
    assert count.kept + len(drops) == 10
    assert Counter(drop.reason for drop in drops) == {"blank page": 6}
