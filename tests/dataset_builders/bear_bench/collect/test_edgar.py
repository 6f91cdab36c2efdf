"""EDGAR: companies, their filings, exhibits, and filings in HTML printed as PDF."""

import io

import pytest
from PIL import Image

from dataset_builders.bear_bench.collect.edgar import EdgarSource, exhibits
from dataset_builders.bear_bench.collect.source import SourceError
from tests.support.document_sites import AGENT, columns, filing_index, html, in_json, made_pdf, submissions
from tests.support.replay_server import Answer

ARCHIVES = "/Archives/edgar/data/320193"


def source(site, **options):
    options = {"company": ("320193",), "user_agent": AGENT, "interval": 0.1, **options}
    return EdgarSource(base_url=site.url, data_url=f"{site.url}/data", **options)


def with_filings(site, *filings, files=()):
    site.routes["/data/submissions/CIK0000320193.json"] = in_json(submissions(*filings, files=files))


def report(number, form="10-K", date="2025-03-01"):
    return (f"0000320193-25-{number:06}", form, date, f"r{number}.pdf", "")


def path(number):
    return f"{ARCHIVES}/000032019325{number:06}/r{number}.pdf"


def test_reports_are_fetched_newest_first_and_few_of_a_form(site, collected, clock):
    site.routes["/files/company_tickers.json"] = in_json(
        {"0": {"cik_str": 320193, "ticker": "AAPL", "title": "Apple Inc."}}
    )
    filings = [report(1), report(2, "10-Q"), report(3, "4"), report(4), report(5)]
    with_filings(site, *filings)
    site.routes |= {path(number): Answer(made_pdf(f"r{number}")) for number in range(1, 6)}
    count, documents, outcomes = collected(
        source(site, company=("aapl",), form=("10-K", "10-Q"), per_company=2)
    )
    assert dict(count.groups) == {"edgar: 10-K": 2, "edgar: 10-Q": 1}
    assert site.asked(ARCHIVES) == [path(1), path(2), path(4)]
    first = outcomes[site.url + path(1)].document
    assert (first.domain, first.document_type, first.title) == (
        "business",
        "financial report",
        "aapl 10-K 2025-03-01",
    )
    assert len(documents) == 3
    assert set(clock.slept) == {0.1}


def test_older_filings_are_read_only_while_they_are_needed(site, collected):
    older = [
        {"name": "older-1.json", "filingTo": "2019-12-31"},
        {"name": "older-2.json", "filingTo": "2014-12-31"},
    ]
    with_filings(site, report(1), files=older)
    names = ("accessionNumber", "form", "filingDate", "primaryDocument", "items")
    site.routes["/data/submissions/older-1.json"] = in_json(columns(names, [report(2, date="2018-01-01")]))
    site.routes |= {path(number): Answer(made_pdf(f"r{number}")) for number in (1, 2)}
    collected(source(site, form=("10-K",), since="2017-01-01"))
    assert [one for one in site.asked() if "older" in one] == ["/data/submissions/older-1.json"]
    assert site.asked(ARCHIVES) == [path(1), path(2)]


def test_of_an_8_k_the_exhibits_99_of_the_wanted_items_are_fetched(site, collected):
    with_filings(
        site,
        ("0000320193-25-000007", "8-K", "2025-02-01", "main.htm", "7.01,9.01"),
        ("0000320193-25-000008", "8-K", "2025-01-01", "other.htm", "5.02"),
    )
    folder = f"{ARCHIVES}/000032019325000007"
    site.routes[f"{folder}/0000320193-25-000007-index.htm"] = filing_index(
        (f"/ix?doc={folder}/main.htm", "8-K"),
        (f"{folder}/slides.pdf", "EX-99.1"),
        (f"{folder}/logo.jpg", "GRAPHIC"),
    )
    site.routes[f"{folder}/slides.pdf"] = Answer(made_pdf("slides"))
    count, documents, _ = collected(source(site, form=("8-K",)))
    assert (count.kept, documents[0].document_type) == (1, "investor presentation")
    assert site.asked(ARCHIVES) == [f"{folder}/0000320193-25-000007-index.htm", f"{folder}/slides.pdf"]


def test_the_index_of_a_filing_is_read_behind_the_viewer():
    folder = "https://www.sec.gov/Archives/edgar/data/1/2"
    page = filing_index(
        ("/ix?doc=/Archives/edgar/data/1/2/a.htm", "EX-99.1"),
        ("b.PDF", "EX-99.2"),
        ("c.txt", "EX-99.3"),
        ("d.htm", "EX-10"),
    )
    assert exhibits(page.body.decode(), f"{folder}/2-index.htm") == [
        (f"{folder}/a.htm", "EX-99.1"),
        (f"{folder}/b.PDF", "EX-99.2"),
    ]
    assert exhibits("", folder) == []


def test_a_company_and_an_index_that_are_not_to_be_had_are_counted(site, collected):
    with_filings(site, ("0000320193-25-000007", "8-K", "2025-02-01", "main.htm", "7.01"))
    count, *_ = collected(source(site, company=("320193", "99"), form=("8-K",)))
    assert (count.kept, count.dropped) == (0, {"gone": 2})


def test_an_unknown_ticker_is_refused(site, collected):
    site.routes["/files/company_tickers.json"] = in_json({})
    with pytest.raises(SourceError, match="--company: NONE: EDGAR knows no such ticker"):
        collected(source(site, company=("NONE",)))


def test_tickers_that_cannot_be_listed_are_an_error(site, collected):
    with pytest.raises(SourceError, match="edgar: what it has cannot be listed: HTTP 404"):
        collected(source(site, company=("AAPL",)))


def test_the_site_itself_is_never_asked_more_often_than_it_allows():
    with pytest.raises(
        ValueError, match=r"edgar asks for 0\.1 seconds or more; a shorter one is for mirrors"
    ):
        EdgarSource(company=("1",), interval=0.01)
    assert EdgarSource(company=("1",), interval=0.01, base_url="http://127.0.0.1:1").interval == 0.01


def test_a_filing_in_html_is_printed_the_same_each_time(site, collected, chromium, tmp_path):
    """By a real browser, whose pictures come through the client and whose scripts do not run."""
    import pypdfium2

    picture = io.BytesIO()
    Image.new("RGB", (40, 40), "red").save(picture, "PNG")
    folders = [f"{ARCHIVES}/00003201932500000{number}" for number in (1, 2)]
    with_filings(
        site, *((f"0000320193-25-00000{number}", "10-K", "2025-03-01", "a.htm", "") for number in (1, 2))
    )
    for folder in folders:
        site.routes[f"{folder}/a.htm"] = html(
            '<p>Revenue 48 million</p><img src="g.png"><img src="http://127.0.0.2:9/x.png">'
            "<script>document.body.textContent = 'script'</script>"
        )
        site.routes[f"{folder}/g.png"] = Answer(picture.getvalue(), kind="image/png")
    count, documents, _ = collected(source(site, form=("10-K",), browser=chromium))
    assert (count.kept, count.dropped) == (1, {"duplicate": 1})
    assert site.asked(ARCHIVES) == [f"{folder}/{name}" for folder in folders for name in ("a.htm", "g.png")]
    assert {headers["User-Agent"] for headers in site.headers} == {AGENT}
    made = (tmp_path / "work" / documents[0].file).read_bytes()
    assert b"/CreationDate (D:19700101000000+00'00')" in made
    assert AGENT.encode() not in made
    with pypdfium2.PdfDocument(made) as pdf:
        page = pdf[0]
        assert page.get_size() == (612, 792)
        assert page.get_textpage().get_text_bounded().strip() == "Revenue 48 million"
        assert (255, 0, 0) in {colour for _, colour in page.render().to_pil().getcolors(2**20)}
