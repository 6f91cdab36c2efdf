"""A document comes whole or not at all, and from where it broke off."""

import pytest

from dataset_builders.bear_bench.collect.download import download
from dataset_builders.bear_bench.collect.refusals import RefusedError
from tests.support.document_sites import archive, html, made_pdf
from tests.support.replay_server import Answer

PDF = made_pdf("whole", padding=5000)
ONLY_PDF = frozenset({"pdf"})


@pytest.fixture
def fetch(site, fetcher, tmp_path):
    def once(accepts=ONLY_PDF, max_bytes=10**6):
        return download(fetcher, f"{site.url}/d", tmp_path / "d.part", accepts, max_bytes)

    return once


def refused(fetch, tmp_path, **options):
    with pytest.raises(RefusedError) as raised:
        fetch(**options)
    assert [path.name for path in tmp_path.iterdir() if path.name != "pages"] == []
    return raised.value.reason, raised.value.detail


def test_a_pdf_is_fetched_whole(site, fetch):
    site.routes["/d"] = Answer(PDF)
    got = fetch()
    assert (got.path.read_bytes(), got.kind, got.url, got.hops) == (PDF, "pdf", f"{site.url}/d", ())
    assert site.header("/d", "Accept-Encoding") == ["identity"]


def test_a_half_body_is_gone_on_with_where_the_server_tells_versions_apart(site, fetch):
    site.routes["/d"] = [Answer(PDF, etag='"v1"', cut=3000), Answer(PDF, etag='"v1"')]
    assert fetch().path.read_bytes() == PDF
    assert site.header("/d", "Range") == [None, "bytes=3000-"]
    assert site.header("/d", "If-Range") == [None, '"v1"']


def test_a_document_that_changed_meanwhile_is_fetched_anew(site, fetch):
    newer = made_pdf("newer", padding=6000)
    site.routes["/d"] = [Answer(PDF, etag='"v1"', cut=3000), Answer(newer, etag='"v2"')]
    assert fetch().path.read_bytes() == newer


def test_a_half_body_without_a_version_is_fetched_anew(site, fetch):
    site.routes["/d"] = [Answer(PDF, cut=3000), Answer(PDF)]
    assert fetch().path.read_bytes() == PDF
    assert site.header("/d", "Range") == [None, None]


def test_a_part_that_the_server_cannot_give_is_fetched_anew(site, fetch):
    site.routes["/d"] = [Answer(PDF, etag='"v1"', cut=3000), Answer(b"", 416), Answer(PDF, etag='"v1"')]
    assert fetch().path.read_bytes() == PDF
    assert site.header("/d", "Range") == [None, "bytes=3000-", None]


def test_a_body_that_never_comes_whole_is_left_out_and_leaves_nothing(site, fetch, tmp_path):
    site.routes["/d"] = Answer(PDF, cut=3000)
    reason, detail = refused(fetch, tmp_path)
    assert (reason, "after 5 attempts" in detail) == ("broken-body", True)
    assert len(site.asked("/d")) == 5


def test_a_pdf_without_its_end_is_fetched_again(site, fetch):
    site.routes["/d"] = [Answer(PDF[:3000], chunked=True), Answer(PDF, chunked=True)]
    assert fetch().path.read_bytes() == PDF


def test_a_pdf_that_comes_twice_without_its_end_is_so(site, fetch):
    site.routes["/d"] = Answer(PDF[:3000], chunked=True)
    assert fetch().path.read_bytes() == PDF[:3000]
    assert len(site.asked("/d")) == 2


def test_what_is_no_pdf_is_left_out_with_what_it_calls_itself(site, fetch, tmp_path):
    page = html("Sorry", "Log in")
    site.routes["/d"] = Answer(page.body, kind="application/pdf")
    assert refused(fetch, tmp_path) == ("not-pdf", "application/pdf, titled 'Log in'")
    assert len(site.asked("/d")) == 1


def test_a_pdf_may_be_called_something_else(site, fetch):
    site.routes["/d"] = Answer(PDF, kind="text/html")
    assert fetch().kind == "pdf"


def test_an_empty_body_is_told_apart(site, fetch, tmp_path):
    site.routes["/d"] = Answer(b"")
    assert refused(fetch, tmp_path) == ("empty-file", "")


def test_an_archive_is_taken_where_one_is_looked_for(site, fetch, tmp_path):
    site.routes["/d"] = Answer(archive(a=PDF))
    assert refused(fetch, tmp_path)[0] == "not-pdf"
    assert fetch(frozenset({"pdf", "zip"})).kind == "zip"


def test_a_document_that_says_it_is_too_large_is_not_read(site, fetch, tmp_path):
    site.routes["/d"] = Answer(PDF)
    size = f"{len(PDF):,}"
    assert refused(fetch, tmp_path, max_bytes=2000) == ("too-large", f"{size} bytes, allowed are 2,000")


def test_a_document_that_does_not_say_is_read_up_to_the_limit(site, fetch, tmp_path):
    site.routes["/d"] = Answer(PDF, chunked=True)
    assert refused(fetch, tmp_path, max_bytes=2000) == ("too-large", "more than the 2,000 bytes allowed")


def test_a_document_of_exactly_the_limit_is_taken(site, fetch):
    site.routes["/d"] = Answer(PDF)
    assert fetch(max_bytes=len(PDF)).path.read_bytes() == PDF
