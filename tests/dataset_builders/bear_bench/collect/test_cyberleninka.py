"""CyberLeninka: the catalogue as a real browser shows it, through the polite client."""

import pytest

from dataset_builders.bear_bench.collect.cyberleninka import CyberLeninkaSource, read_article, read_catalogue
from tests.support.document_sites import AGENT, article, catalogue, html, made_pdf
from tests.support.replay_server import Answer

AREA = "mathematics"


def source(site, chromium, **options):
    options = {"area": (AREA,), "user_agent": AGENT, **options}
    return CyberLeninkaSource(base_url=site.url, browser=chromium, **options)


def test_the_catalogue_is_crawled_in_a_browser_that_asks_only_through_the_client(
    site, collected, chromium, clock
):
    """A list that a script makes, a picture that is left out; a refusal ends an area, a captcha all."""
    site.routes |= {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /search\nDisallow: /api/"),
        f"/article/c/{AREA}": catalogue(AREA, 1, 2, ("o-chislah", "О числах")),
        f"/article/c/{AREA}/2": catalogue(AREA, 2, 2, ("o-grafah", "О графах"), ("o-polyah", "О полях")),
        "/article/n/o-chislah": article("o-chislah", "CC BY"),
        "/article/n/o-grafah": article("o-grafah", None),
        "/article/n/o-polyah": Answer(b"", 404),
        "/article/n/o-chislah/pdf": Answer(made_pdf("1")),
        "/article/n/o-grafah/pdf": Answer(made_pdf("2")),
        "/article/c/physics": html("<p>Вы точно человек?</p>", "Проверка"),
        "/article/c/law": Answer("Доступ закрыт".encode(), 403, "text/html; charset=utf-8"),
    }
    count, documents, outcomes = collected(source(site, chromium, area=(AREA, "law", "physics", "biology")))
    assert (dict(count.groups), count.dropped) == (
        {f"cyberleninka: {AREA}": 2},
        {"gone": 1, "forbidden": 3},
    )
    assert {(one.title, one.licence, one.domain) for one in documents} == {
        ("О числах", "CC BY", "science"),
        ("О графах", None, "science"),
    }
    assert site.requests == [
        "/robots.txt",
        f"/article/c/{AREA}",
        "/article/n/o-chislah",
        "/article/n/o-chislah/pdf",
        f"/article/c/{AREA}/2",
        "/article/n/o-grafah",
        "/article/n/o-grafah/pdf",
        "/article/n/o-polyah",
        "/article/c/law",
        "/article/c/physics",
    ]
    assert {headers["User-Agent"] for headers in site.headers} == {AGENT}
    assert clock.slept == [3.0] * 9
    assert outcomes[f"{site.url}/article/c/physics"].detail == "the site asks for a captcha"
    assert outcomes[f"{site.url}/article/c/law"].detail == "HTTP 403"


def test_a_catalogue_page_tells_its_papers_once_and_whether_it_goes_on():
    body = (
        '<a href="/article/n/a"><h2 class="title">Ряды</h2></a><a href="/article/n/a">ещё раз</a>'
        '<a href="/article/n/b"> О  числах </a><a href="/article/n/b/viewer">читать</a>'
        '<a href="/article/c/mathematics/3">3</a>'
    )
    page = html(body).body.decode()
    url = "https://cyberleninka.ru/article/c/mathematics/2"
    assert read_catalogue(page, url) == (
        [
            ("https://cyberleninka.ru/article/n/a", "Ряды"),
            ("https://cyberleninka.ru/article/n/b", "О числах"),
        ],
        True,
    )
    assert read_catalogue(page, "https://cyberleninka.ru/article/c/mathematics/3")[1] is False
    assert read_catalogue("", url) == ([], False)


@pytest.mark.parametrize(
    ("label", "licence"),
    [
        ("CC BY", "CC BY"),
        ("CC BY-NC-SA", "CC BY-NC-SA"),
        ("CC-BY-ND", "CC-BY-ND"),
        ("CC0", "CC0"),
        ("Текст доступен под CC BY", None),
        (None, None),
    ],
)
def test_a_licence_is_what_a_label_of_its_own_says(label, licence):
    page = article("a", label).body.decode()
    url = "https://cyberleninka.ru/article/n/a"
    assert read_article(page, url) == (licence, f"{url}/pdf")
