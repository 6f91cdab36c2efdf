"""The stage that finds evidence: which pages it reads, what it takes from where, and what it leaves out."""

import hashlib
from collections import Counter

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench.licence import run
from dataset_builders.bear_bench.records import Document, Licence
from dataset_builders.bear_bench.sidecar import SidecarError, read_sidecar
from dataset_builders.bear_bench.work import Work
from lvqa_eval.main import main
from tests.support.text_pdf import text_pdf

CC = "This work is licensed under a Creative Com-\nmons Attribution 4.0 International License."


@pytest.fixture(scope="module")
def pdfs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pdfs")
    text_pdf(folder / "late.pdf", [CC if number == 8 else "" for number in range(1, 13)])
    text_pdf(folder / "middle.pdf", [CC if number == 6 else "" for number in range(1, 13)])
    text_pdf(folder / "short.pdf", ["Commission policy", "", ""])
    text_pdf(
        folder / "русский.pdf",
        ["", "Статья распространяется по лицензии\nCreative Commons\nС указанием авторства 4.0"],
        "ru",
    )
    text_pdf(folder / "early.pdf", ["Commission File Number: 001-12345", *[""] * 11])
    text_pdf(folder / "footer.pdf", ["CC BY-NC 3.0", *[""] * 5, CC])
    return folder


@pytest.fixture
def here(monkeypatch):
    """Read pages in this process: a new one takes longer to start than the pages take to read."""
    for module in ("licence", "page_text"):
        monkeypatch.setattr(
            f"dataset_builders.bear_bench.{module}.in_processes",
            lambda function, units, _workers, _seconds: enumerate(map(function, units)),
        )


def worked(folder, pdfs, names, **told):
    """Return a work folder with these files collected; `told` has what the source says of some."""
    documents = []
    (folder / "documents").mkdir(parents=True)
    for name in names:
        data = (pdfs / f"{name}.pdf").read_bytes()
        document_id = f"folder-{name}"
        (folder / f"documents/{document_id}.pdf").write_bytes(data)
        documents.append(
            Document(
                document_id=document_id,
                file=f"documents/{document_id}.pdf",
                sha256=hashlib.sha256(data).hexdigest(),
                source="folder",
                url=f"{name}.pdf",
                domain="science",
                document_type="paper",
                licence=told.get(name),
            )
        )
    work = Work(folder)
    work.write("documents", documents)
    return work


def found(work):
    return {one.document_id.removeprefix("folder-"): one for one in work.read("licences", Licence, "licence")}


def left_out(work):
    return {drop.id.removeprefix("folder-"): (drop.reason, drop.detail) for drop in work.drops()}


def pages_read(work):
    return Counter(path.name[-9:-5] for path in work.folder.glob("page-texts/*/*.json"))


def test_first_and_last_pages_are_searched_each_once(here, tmp_path, pdfs):
    names = ["late", "middle", "short", "русский", "early", "footer"]
    work = worked(tmp_path / "work", pdfs, names)
    count = run(work)
    licences = found(work)
    assert {name: (one.licence, one.page, one.found_in) for name, one in licences.items()} == {
        "early": ("LicenseRef-SEC-Filing", 1, "text"),
        # What a page declares of itself goes before a licence that is only named, on whatever page.
        "footer": ("CC-BY-4.0", 7, "text"),
        "late": ("CC-BY-4.0", 8, "text"),
        "русский": ("CC-BY-4.0", 2, "text"),
    }
    assert licences["late"].evidence == (
        "This work is licensed under a Creative Com- mons Attribution 4.0 International License."
    )
    assert left_out(work) == {
        "middle": ("no evidence", "middle.pdf: searched pages 1, 2, 3, 4, 5, 8, 9, 10, 11, 12"),
        "short": ("no evidence", "short.pdf: searched pages 1, 2, 3"),
    }
    assert (count.kept, dict(count.dropped)) == (4, {"no evidence": 2})
    # `early` is settled by its first pages, so its last ones are never read.
    assert pages_read(work)["0012"] == 2
    before = {path.name: path.read_bytes() for path in work.folder.glob("licences*.jsonl")}
    work.write("documents", reversed(work.read("documents", Document, "collect")))
    run(work)
    assert {path.name: path.read_bytes() for path in work.folder.glob("licences*.jsonl")} == before


def test_people_decide_first_and_the_source_is_asked_last(here, tmp_path, pdfs):
    names = ["early", "short", "middle"]
    told = {"short": "http://creativecommons.org/licenses/by-sa/4.0/", "middle": "All rights reserved"}
    work = worked(tmp_path / "work", pdfs, names, **told)
    (work.folder / "licences.csv").write_text(
        "file,licence,evidence,decided_by\n"
        "early.pdf,NONE,the author objects,A. Reader\n"
        "absent.pdf,CC0-1.0,letter of 2020,A. Reader\n",
        encoding="utf-8",
    )
    run(work)
    assert {name: (one.licence, one.found_in, one.decided_by) for name, one in found(work).items()} == {
        "short": ("CC-BY-SA-4.0", "source", "folder"),
    }
    assert left_out(work) == {
        "early": ("refused", "early.pdf: the author objects (A. Reader)"),
        "absent.pdf": ("no such file", "licences.csv: line 3: not collected"),
        "middle": (
            "no evidence",
            "middle.pdf: searched pages 1, 2, 3, 4, 5, 8, 9, 10, 11, 12; "
            "the source says 'All rights reserved', which is no open licence",
        ),
    }
    sidecar = tmp_path / "other.csv"
    sidecar.write_text(
        "file;licence;evidence;decided_by\nfolder-middle;CC BY 3.0;its site says so;B. Reader\n"
    )
    shown = CliRunner().invoke(
        main, ["build", "bear", "licence", str(work.folder), "--sidecar", str(sidecar)]
    )
    assert shown.exit_code == 0, shown.output
    assert "licence: 3 documents kept, 0 dropped" in shown.output
    manual = found(work)["middle"]
    assert (manual.licence, manual.evidence, manual.page, manual.found_in, manual.decided_by) == (
        *("CC-BY-3.0", "its site says so", None, "manual", "B. Reader"),
    )


def test_a_file_that_does_not_open_is_named_with_its_reason(tmp_path):
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4\n1 0 obj")
    work = worked(tmp_path / "work", tmp_path, ["cut"])
    run(work, workers=1)
    ((name, (reason, detail)),) = left_out(work).items()
    assert (name, reason) == ("cut", "damaged")
    assert detail.startswith("cut.pdf: ")


def test_everything_wrong_in_a_sidecar_is_told_at_once(tmp_path):
    path = tmp_path / "licences.csv"
    path.write_text(
        "file,licence,evidence,decided_by\na.pdf,free for all,said so,me\nb.pdf,CC0,,me\na.pdf,CC0,x,me\n"
    )
    with pytest.raises(SidecarError) as caught:
        read_sidecar(path)
    assert str(caught.value).splitlines() == [
        f"{path}: line 2: licence: found 'free for all', allowed: an SPDX identifier such as CC-BY-4.0, "
        "LicenseRef- and a name, or NONE",
        f"{path}: line 3: evidence: found nothing in it",
        f"{path}: line 4: file: 'a.pdf' stands in line 2 too",
    ]
    path.write_text("file,licence\n")
    with pytest.raises(
        SidecarError, match="columns: found file, licence; needed are file, licence, evidence"
    ):
        read_sidecar(path)
