"""arXiv: categories page by page, licences over OAI-PMH, by the polite client."""

import pytest

from dataset_builders.bear_bench.collect.arxiv import ArxivSource
from tests.support.document_sites import AGENT, arxiv_feed, arxiv_record, made_pdf
from tests.support.replay_server import Answer

CC = "http://creativecommons.org/licenses/by/4.0/"
OWN = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"


def query(category, start=0):
    return (
        f"/api/query?search_query=cat%3A{category}&id_list=&sortBy=submittedDate&sortOrder=descending"
        f"&start={start}&max_results=100"
    )


def record(name):
    return f"/oai?verb=GetRecord&metadataPrefix=arXiv&identifier=oai:arXiv.org:{name}"


def source(site, **options):
    options = {"category": ("cs.AI",), **options}
    return ArxivSource(base_url=site.url, oai_url=f"{site.url}/oai", user_agent=AGENT, **options)


@pytest.fixture
def papers(site):
    """Put three papers of cs.AI on two pages, one of them of an old kind of name."""
    site.routes |= {
        # Those who crawl are not wanted on the server of the interface, as in reality.
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /api\nDisallow: /oai"),
        query("cs.AI"): arxiv_feed(site.url, 3, ("2603.00001v2", "First  paper"), ("cs/0201082v1", "Second")),
        query("cs.AI", 2): arxiv_feed(site.url, 3, ("2603.00003v1", "Third")),
        record("2603.00001"): arxiv_record(CC),
        record("cs/0201082"): arxiv_record(OWN),
        record("2603.00003"): arxiv_record(None),
        "/pdf/2603.00001v2": Answer(made_pdf("1")),
        "/pdf/cs/0201082v1": Answer(made_pdf("2")),
        "/pdf/2603.00003v1": Answer(made_pdf("3")),
    }
    return site


def test_papers_are_listed_page_by_page_with_their_licences(papers, collected, clock):
    count, documents, _ = collected(source(papers))
    assert dict(count.groups) == {"arxiv: cs.AI": 3}
    assert {(one.title, one.licence, one.domain, one.document_type) for one in documents} == {
        ("First paper", CC, "science", "academic paper"),
        ("Second", OWN, "science", "academic paper"),
        ("Third", None, "science", "academic paper"),
    }
    assert set(papers.header(query("cs.AI"), "User-Agent")) == {AGENT}
    assert set(clock.slept) == {3.0}
    assert len(clock.slept) == len(papers.requests) - 1


def test_papers_without_an_open_licence_are_not_fetched_where_that_is_asked(papers, collected):
    count, documents, _ = collected(source(papers, open_only=True))
    assert (count.kept, count.dropped) == (1, {"no-open-licence": 2})
    assert papers.asked("/pdf/") == ["/pdf/2603.00001v2"]
    assert documents[0].licence == CC


def test_the_limit_stops_the_listing_too(papers, collected):
    count, *_ = collected(source(papers, limit=2))
    assert count.kept == 2
    assert papers.asked("api") == [query("cs.AI")]


def test_a_paper_in_two_categories_is_one(papers, collected):
    papers.routes[query("eess.SP")] = arxiv_feed(papers.url, 1, ("2603.00001v2", "First paper"))
    count, *_ = collected(source(papers, category=("cs.AI", "eess.SP")))
    assert (count.kept, count.dropped) == (3, {})
    assert papers.asked("/pdf/2603.00001v2") == ["/pdf/2603.00001v2"]


def test_busy_answers_of_the_interface_are_waited_for(papers, collected, clock):
    papers.routes[query("cs.AI")] = [
        Answer(b"", 503, headers={"Retry-After": "30"}),
        papers.routes[query("cs.AI")],
    ]
    assert collected(source(papers))[0].kept == 3
    assert 30.0 in clock.slept


def test_a_page_without_its_results_is_asked_for_again(papers, collected):
    first = papers.routes[query("cs.AI")]
    papers.routes[query("cs.AI")] = [arxiv_feed(papers.url, 3), Answer(b"<html>busy</html>"), first]
    assert collected(source(papers))[0].kept == 3
    assert papers.asked("start=0") == [query("cs.AI")] * 3


def test_a_refused_category_does_not_end_the_others(papers, collected):
    papers.routes[query("quant-ph")] = Answer(b"", 403)
    count, *_ = collected(source(papers, category=("quant-ph", "cs.AI")))
    assert (count.kept, count.dropped) == (3, {"forbidden": 1})


def test_an_empty_category_is_no_failure(papers, collected):
    papers.routes[query("math.GM")] = arxiv_feed(papers.url, 0)
    assert collected(source(papers, category=("math.GM",)))[0].kept == 0


def test_three_seconds_are_the_least():
    with pytest.raises(ValueError, match="arxiv asks for 3 seconds or more"):
        ArxivSource(interval=1)
