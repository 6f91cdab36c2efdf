"""Runs of the stage: one after the other, killed and gone on with, and what they leave."""

import hashlib
import io
import json
import subprocess
import sys
import time
import zipfile

import pytest

from dataset_builders.bear_bench.collect.folder import FolderSource
from dataset_builders.bear_bench.collect.ledger import Ledger, Outcome, entry_of
from dataset_builders.bear_bench.collect.portals import PortalsSource
from dataset_builders.bear_bench.collect.source import SourceError
from dataset_builders.bear_bench.records import Document
from dataset_builders.bear_bench.work import Work
from tests.support.document_sites import AGENT, archive, html, made_pdf
from tests.support.replay_server import Answer

FILES = ("documents.jsonl", "collect.jsonl", "collect.drops.jsonl")


@pytest.fixture
def portals(tmp_path, site):
    """Make a source of addresses on the site."""

    def make(*paths, **options):
        seeds = [
            {
                "url": path if "://" in path else f"{site.url}{path}",
                "domain": "business",
                "document_type": "order",
            }
            for path in paths
        ]
        listed = tmp_path / "seeds.yaml"
        listed.write_text(json.dumps(seeds))
        return PortalsSource(seeds=listed, user_agent=AGENT, **options)

    return make


def test_every_reason_is_counted(site, portals, collected):
    site.routes |= {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /private/"),
        "/good.pdf": Answer(made_pdf("good")),
        "/again.pdf": Answer(made_pdf("good")),
        "/forbidden.pdf": Answer(b"", 403),
        "/page.pdf": html("Not here", "Вход"),
        "/cut.pdf": Answer(made_pdf("cut", padding=3000), cut=2000),
        "/huge.pdf": Answer(made_pdf("huge", padding=2**20)),
        "/away.pdf": Answer(b"", 302, headers={"Location": "ftp://127.0.0.1/a"}),
        "/busy.pdf": Answer(b"", 500),
        "/moved.pdf": Answer(b"", 301, headers={"Location": "/there.pdf"}),
        "/there.pdf": Answer(made_pdf("there")),
    }
    names = (
        "good",
        "again",
        "forbidden",
        "page",
        "cut",
        "huge",
        "away",
        "busy",
        "moved",
        "gone",
        "private/x",
    )
    count, documents, outcomes = collected(portals(*(f"/{name}.pdf" for name in names), max_megabytes=1))
    assert count.kept == 2
    assert count.dropped == dict.fromkeys(
        (
            *("duplicate", "forbidden", "not-pdf", "broken-body", "too-large", "redirect", "unreachable"),
            *("gone", "robots"),
        ),
        1,
    )
    moved = outcomes[f"{site.url}/moved.pdf"]
    assert (moved.hops, moved.document.url) == ((f"{site.url}/moved.pdf",), f"{site.url}/there.pdf")
    assert outcomes[f"{site.url}/page.pdf"].detail == "text/html; charset=utf-8, titled 'Вход'"
    assert {one.url for one in documents} == {f"{site.url}/good.pdf", f"{site.url}/there.pdf"}


def test_drops_are_those_of_the_work_folder(site, portals, collected, tmp_path):
    collected(portals("/gone.pdf"))
    drops = Work(tmp_path / "work").drops()
    assert [(one.stage, one.reason, one.detail) for one in drops] == [
        ("collect", "gone", f"{site.url}/gone.pdf: HTTP 404")
    ]


def test_a_second_run_asks_only_for_what_it_lacks(site, portals, collected, tmp_path):
    site.routes |= {
        "/a.pdf": Answer(made_pdf("a")),
        "/b.pdf": Answer(made_pdf("a")),
        "/c.pdf": Answer(b"", 404),
    }
    source = portals("/a.pdf", "/b.pdf", "/c.pdf")
    collected(source)
    before = {name: (tmp_path / "work" / name).read_bytes() for name in FILES}
    assert site.asked() == ["/a.pdf", "/b.pdf", "/c.pdf"]
    count, *_ = collected(source)
    assert site.asked() == ["/a.pdf", "/b.pdf", "/c.pdf", "/c.pdf"]
    assert (count.kept, count.dropped) == (1, {"duplicate": 1, "gone": 1})
    assert {name: (tmp_path / "work" / name).read_bytes() for name in FILES} == before


def test_a_file_that_was_lost_is_fetched_again(site, portals, collected, tmp_path):
    site.routes["/a.pdf"] = Answer(made_pdf("a"))
    _, documents, _ = collected(portals("/a.pdf"))
    (tmp_path / "work" / documents[0].file).unlink()
    assert collected(portals("/a.pdf"))[1] == documents
    assert (tmp_path / "work" / documents[0].file).read_bytes() == made_pdf("a")


def test_what_was_gone_and_came_back_is_no_longer_among_the_drops(site, portals, collected, tmp_path):
    collected(portals("/a.pdf"))
    site.routes["/a.pdf"] = Answer(made_pdf("a"))
    count, *_ = collected(portals("/a.pdf"))
    assert count.kept == 1
    assert Work(tmp_path / "work").drops() == []


def test_sources_come_beside_each_other_and_share_no_bytes(site, portals, collected, tmp_path):
    site.routes |= {"/a.pdf": Answer(made_pdf("a")), "/b.pdf": Answer(made_pdf("b"))}
    collected(portals("/a.pdf", "/b.pdf"))
    for name, text in (("one", "a"), ("two", "c")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.pdf").write_bytes(made_pdf(text))
        count, documents, _ = collected(FolderSource(path=tmp_path / name, domain="science", type="paper"))
    assert (count.kept, count.dropped) == (1, {})
    # Two folders have a file of one name: the first was a duplicate, the second was not.
    assert sorted((one.source, one.domain) for one in documents) == [
        ("folder", "science"),
        ("portals", "business"),
        ("portals", "business"),
    ]
    assert Work(tmp_path / "work").counts() == {"collect": {"duplicate": 1}}


def test_a_source_that_finished_meanwhile_is_not_forgotten(site, portals, collected, tmp_path):
    """Two sources run side by side: the second to finish has what the first found, and no bytes of it."""
    site.routes |= {"/a.pdf": Answer(made_pdf("a")), "/b.pdf": Answer(made_pdf("b"))}
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs" / "x.pdf").write_bytes(made_pdf("a"))
    slow = Ledger(Work(tmp_path / "work"), "folder")
    collected(portals("/a.pdf", "/b.pdf"))
    candidate = next(FolderSource(path=tmp_path / "pdfs", domain="science", type="paper").candidates(None))
    document = Document(
        document_id="folder-1",
        file="documents/folder-1.pdf",
        sha256=hashlib.sha256(made_pdf("a")).hexdigest(),
        source="folder",
        url="x.pdf",
        domain="science",
        document_type="paper",
    )
    entry = entry_of("folder", candidate)
    slow.note([Outcome(entry=entry, source="folder", url="x.pdf", group="paper", document=document)])
    assert [one.reason for one in slow.finish()] == ["duplicate"]
    kept = Work(tmp_path / "work").read("documents", Document, "collect")
    assert [one.source for one in kept] == ["portals", "portals"]


def test_an_archive_is_read_up_to_a_limit(site, portals, collected):
    many = {f"{number}.txt": b"" for number in range(1001)}
    heavy = {f"{number:02}.pdf": made_pdf(str(number), padding=2**20 - 1000) for number in range(12)}
    site.routes |= {"/many.zip": Answer(archive(**many)), "/heavy.zip": Answer(packed(heavy))}
    count, _, outcomes = collected(portals("/many.zip", "/heavy.zip", max_megabytes=1))
    assert outcomes[f"{site.url}/many.zip"].detail == "an archive of 1,001 files"
    assert (count.kept, count.dropped) == (10, {"too-large": 3})


def packed(files):
    """Return an archive in which the files are compressed."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return written.getvalue()


def test_at_most_so_many_documents_of_a_group_are_fetched(site, portals, collected):
    site.routes |= {f"/{name}.pdf": Answer(made_pdf(name)) for name in "abcd"}
    count, *_ = collected(portals("/gone.pdf", "/a.pdf", "/b.pdf", "/c.pdf", "/d.pdf", limit=2))
    assert (count.kept, count.dropped) == (2, {"gone": 1})
    assert site.asked() == ["/gone.pdf", "/a.pdf", "/b.pdf"]


def test_pdfs_in_archives_are_documents_and_their_names_are_read(site, portals, collected, tmp_path):
    files = {
        "отчёт.pdf": made_pdf("r"),
        "копия.pdf": made_pdf("r"),
        "table.xlsx": b"PK",
        "a/b.pdf": made_pdf("b"),
    }
    site.routes |= {
        "/r.zip": Answer(archive(**files), kind="application/zip"),
        "/bad.zip": Answer(b"PK\x03\x04 no"),
    }
    count, documents, _ = collected(portals("/r.zip", "/bad.zip"))
    assert {one.url for one in documents} == {f"{site.url}/r.zip#a/b.pdf", f"{site.url}/r.zip#копия.pdf"}
    assert count.dropped == {"duplicate": 1, "not-pdf": 1, "broken-body": 1}
    drops = Work(tmp_path / "work").drops()
    assert len({one.id for one in drops}) == 3
    assert any(one.detail == f"{site.url}/r.zip#table.xlsx: a file in an archive" for one in drops)
    collected(portals("/r.zip"))
    assert site.asked("/r.zip") == ["/r.zip"]


def test_a_dead_host_is_passed_over_and_tried_again_by_the_next_run(site, portals, collected):
    site.routes["/a.pdf"] = Answer(made_pdf("a"))
    source = portals("http://127.0.0.1:9/a.pdf", "http://127.0.0.1:9/b.pdf", "/a.pdf")
    count, *_ = collected(source)
    assert (count.kept, count.dropped) == (1, {"unreachable": 2})


def test_a_seed_list_is_refused_with_all_its_mistakes(tmp_path, collected):
    listed = tmp_path / "seeds.yaml"
    listed.write_text(
        "- {url: 'ftp://a.example/x', domain: business, document_type: order}\n"
        "- {url: 'https://a.example/y', domain: law, document_type: ''}\n"
        "- {url: 'https://a.example/z', domain: business, document_type: order, licence: null, colour: red}\n"
        "- text\n"
    )
    with pytest.raises(SourceError) as raised:
        collected(PortalsSource(seeds=listed, user_agent=AGENT))
    lines = str(raised.value).splitlines()
    assert [line.removeprefix(f"{listed}: ").partition(": ")[0] for line in lines] == [
        *("entry 1", "entry 2", "entry 2", "entry 3", "entry 4"),
    ]
    assert "an address begins with http:// or https://" in lines[0]


@pytest.mark.parametrize(
    ("text", "message"), [("{a: 1}", "no list"), ("[", "not YAML"), (None, "No such file")]
)
def test_a_seed_list_of_another_form_is_refused(tmp_path, collected, text, message):
    listed = tmp_path / "seeds.yaml"
    if text is not None:
        listed.write_text(text)
    with pytest.raises(SourceError, match=message):
        collected(PortalsSource(seeds=listed, user_agent=AGENT))


def test_an_address_that_stands_twice_is_refused(portals, collected):
    with pytest.raises(SourceError, match="stands there twice"):
        collected(portals("/a.pdf", "/a.pdf"))


def command(source, work):
    """Return the command that collects from a seed list, without a wait between requests."""
    program = "from lvqa_eval.main import main; main()"
    options = ["--seeds", str(source.seeds), "--user-agent", AGENT, "--interval", "0"]
    return [sys.executable, "-c", program, "build", "bear", "collect", "portals", str(work), *options]


def eventually(holds):
    """Wait until something holds; False where it does not within a minute."""
    return any(holds() or time.sleep(0.01) for _ in range(6000))


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_bytes(site, portals, collected, tmp_path):
    """Killed while the third document is half there: the first two are not asked for again."""
    bodies = {name: made_pdf(name, padding=4000) for name in "abcd"}
    whole = {f"/{name}.pdf": Answer(body, etag=f'"{name}"') for name, body in bodies.items()}
    site.routes |= whole | {"/x.pdf": Answer(b"", 403)}
    source = portals("/a.pdf", "/x.pdf", "/b.pdf", "/c.pdf", "/d.pdf")
    collected(source, "uninterrupted")
    site.requests.clear()
    site.headers.clear()
    site.routes["/c.pdf"] = [Answer(bodies["c"], etag='"c"', cut=2500, held=True), whole["/c.pdf"]]

    work = tmp_path / "work"
    process = subprocess.Popen(command(source, work), stdout=subprocess.DEVNULL)
    assert site.reached.wait(60)
    assert eventually(lambda: sum(path.stat().st_size for path in work.rglob("*.part")) == 2500)
    process.kill()
    process.wait()
    site.released.set()
    assert not (work / "documents.jsonl").exists()
    assert [path.suffix for path in (work / "documents").iterdir()] == [".pdf"] * 2
    with next(work.glob("collect.partial/*/journal.jsonl")).open("ab") as journal:
        journal.write(b'{"entry": "torn')

    done = subprocess.run(command(source, work), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "collect: 4 documents kept, 1 dropped"
    assert site.asked() == ["/a.pdf", "/x.pdf", "/b.pdf", "/c.pdf", "/c.pdf", "/d.pdf"]
    assert site.header("/c.pdf", "Range") == [None, "bytes=2500-"]
    for name in (*FILES, *(f"documents/{path.name}" for path in (work / "documents").iterdir())):
        assert (work / name).read_bytes() == (tmp_path / "uninterrupted" / name).read_bytes()
    assert {path.name for path in work.iterdir()} == {*FILES, "documents"}
