"""The polite client: who asks, when, how often, and what it takes for an answer."""

import pytest

from dataset_builders.bear_bench.collect.fetch import Fetcher
from dataset_builders.bear_bench.collect.pace import Pace
from dataset_builders.bear_bench.collect.refusals import AgentError, HostDownError, RefusedError
from tests.support.document_sites import AGENT, html
from tests.support.replay_server import Answer, replaying


def reason_of(fetcher, url, **options):
    with pytest.raises(RefusedError) as raised:
        fetcher.page(url, **options)
    return raised.value.reason, raised.value.detail


@pytest.mark.parametrize(
    "agent", [None, "", "  ", "Example University", "jane@example.edu", "Пример jane@example.edu"]
)
def test_an_agent_without_a_name_and_an_address_is_refused(agent, tmp_path):
    with pytest.raises(AgentError, match=r"--user-agent: found .*names your organisation.*SEC"):
        Fetcher(agent, tmp_path, Pace(0))


def test_every_request_says_who_asks(site, fetcher):
    site.routes["/a"] = html("A")
    assert fetcher.page(f"{site.url}/a").content_type == "text/html; charset=utf-8"
    assert site.requests == ["/robots.txt", "/a"]
    assert [headers["User-Agent"] for headers in site.headers] == [AGENT, AGENT]


def test_requests_to_a_host_keep_their_distance_and_hosts_do_not_wait_for_each_other(site, fetcher, clock):
    with replaying("127.0.0.2") as other:
        for place in (site, other):
            place.routes |= {"/a": html("A"), "/b": html("B")}
        for url in (f"{site.url}/a", f"{site.url}/b", f"{other.url}/a"):
            fetcher.page(url)
    # robots.txt, wait, a, wait, b; robots.txt of the other at once, wait, a
    assert clock.slept == [3.0, 3.0, 3.0]


def test_a_crawl_delay_makes_the_distance_longer_and_never_shorter(site, fetcher, clock):
    site.routes |= {
        "/robots.txt": Answer(b"User-agent: *\nCrawl-delay: 15"),
        "/a": html("A"),
        "/b": html("B"),
    }
    fetcher.page(f"{site.url}/a")
    fetcher.page(f"{site.url}/b")
    assert clock.slept == [3.0, 15.0]


def test_what_robots_forbids_is_not_asked_for(site, fetcher):
    site.routes |= {"/robots.txt": Answer(b"User-agent: *\nDisallow: /private"), "/private/a": html("A")}
    assert reason_of(fetcher, f"{site.url}/private/a")[0] == "robots"
    assert site.asked() == []


def test_a_documented_interface_is_not_subject_to_robots(site, fetcher):
    site.routes |= {"/robots.txt": Answer(b"User-agent: *\nDisallow: /"), "/api": html("A")}
    assert b"A" in fetcher.page(f"{site.url}/api", documented=True).body


def test_a_page_is_asked_for_once(site, fetcher, tmp_path, clock):
    site.routes["/a"] = html("A")
    first = fetcher.page(f"{site.url}/a")
    with Fetcher(AGENT, tmp_path / "pages", Pace(3.0, clock, clock.sleep)) as later:
        assert later.page(f"{site.url}/a") == first
    assert site.asked() == ["/a"]


def test_a_page_that_is_not_what_it_should_be_is_asked_for_again(site, fetcher):
    site.routes["/a"] = [html("<p>busy</p>"), html("list")]
    found = fetcher.page(f"{site.url}/a", problem=lambda body: None if b"list" in body else "no list")
    assert b"list" in found.body
    assert site.asked() == ["/a", "/a"]
    never = reason_of(fetcher, f"{site.url}/a", keep=False, problem=lambda body: "no list")
    assert never == ("broken-body", "after 5 attempts: no list")


def test_a_host_that_was_closed_is_asked_for_nothing(site, fetcher):
    fetcher.close_host(f"{site.url}/a")
    assert reason_of(fetcher, f"{site.url}/b")[0] == "forbidden"
    assert site.requests == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=windows-1251", "Отчёт".encode("cp1251")),
        ("text/html", '<meta charset="windows-1251">Отчёт'.encode("cp1251")),
        ("text/html", "Отчёт".encode()),
        ("text/html; charset=no-such", "\ufeffОтчёт".encode()),
    ],
)
def test_a_page_is_read_in_its_own_encoding(site, fetcher, kind, body):
    site.routes["/a"] = Answer(body, kind=kind)
    assert fetcher.page(f"{site.url}/a").text().endswith("Отчёт")
    assert "\ufeff" not in fetcher.page(f"{site.url}/a").text()


def test_a_refusal_is_not_asked_again_and_three_in_a_row_close_the_host(site, fetcher):
    site.routes |= {f"/{name}": Answer(b"no", 403, "text/html") for name in "abcd"}
    assert reason_of(fetcher, f"{site.url}/a") == ("forbidden", "HTTP 403")
    site.routes["/ok"] = html("A")
    fetcher.page(f"{site.url}/ok")
    for name in "bcd":
        assert reason_of(fetcher, f"{site.url}/{name}") == ("forbidden", "HTTP 403")
    reason, detail = reason_of(fetcher, f"{site.url}/e")
    assert (reason, "refused 3 requests in a row" in detail) == ("forbidden", True)
    assert site.asked() == ["/a", "/ok", "/b", "/c", "/d"]


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "gone"), (410, "gone"), (401, "forbidden"), (451, "forbidden")]
)
def test_what_is_gone_or_closed_is_asked_for_once(site, fetcher, status, reason):
    site.routes["/a"] = Answer(b"", status)
    assert reason_of(fetcher, f"{site.url}/a") == (reason, f"HTTP {status}")
    assert site.asked() == ["/a"]


def test_retry_after_is_waited_for(site, fetcher, clock):
    site.routes["/a"] = [Answer(b"", 429, headers={"Retry-After": "7"}), html("A")]
    fetcher.page(f"{site.url}/a")
    assert clock.slept == [3.0, 7.0]
    assert site.asked() == ["/a", "/a"]


def test_retry_after_may_be_a_date(site, fetcher, clock):
    date = "Fri, 15 Jan 2027 08:00:40 GMT"  # 40 seconds after the fetcher's now
    site.routes["/a"] = [Answer(b"", 503, headers={"Retry-After": date}), html("A")]
    fetcher.page(f"{site.url}/a")
    assert clock.slept == [3.0, 40.0]


def test_without_it_waits_double(site, fetcher, clock):
    site.routes["/a"] = [Answer(b"", 503)] * 4 + [html("A")]
    fetcher.page(f"{site.url}/a")
    assert clock.slept == [3.0, 3.0, 4.0, 8.0, 16.0]  # the first backoff is shorter than the interval


def test_what_never_comes_is_unreachable_and_three_such_in_a_row_end_the_run(site, fetcher):
    site.routes |= {f"/{name}": Answer(b"", 500) for name in "abc"}
    for name in "ab":
        assert reason_of(fetcher, f"{site.url}/{name}") == ("unreachable", "after 5 attempts: HTTP 500")
    with pytest.raises(
        HostDownError, match=r"failed 3 times in a row.*HTTP 500; nothing is lost, the same command"
    ):
        fetcher.page(f"{site.url}/c")
    with pytest.raises(HostDownError):
        fetcher.page(f"{site.url}/d")
    assert len(site.asked()) == 15


def test_a_wait_of_hours_ends_the_run(site, fetcher, clock):
    site.routes["/a"] = Answer(b"", 429, headers={"Retry-After": "3600"})
    with pytest.raises(HostDownError, match="asks to come back in 3600 seconds"):
        fetcher.page(f"{site.url}/a")
    assert clock.slept == [3.0]


def test_rules_that_cannot_be_read_forbid_everything(site, fetcher):
    site.routes |= {"/robots.txt": Answer(b"", 503), "/a": html("A")}
    with pytest.raises(HostDownError, match=r"robots\.txt cannot be read"):
        fetcher.page(f"{site.url}/a")
    assert site.asked() == []


def test_rules_that_are_not_to_be_had_forbid_nothing(site, fetcher):
    site.routes |= {"/robots.txt": Answer(b"", 403), "/a": html("A")}
    assert fetcher.page(f"{site.url}/a").url == f"{site.url}/a"


def test_a_host_that_does_not_answer_is_down(fetcher, clock):
    with pytest.raises(HostDownError, match=r"http://127\.0\.0\.1:9"):
        fetcher.page("http://127.0.0.1:9/a")
    assert clock.slept == [3.0, 4.0, 8.0, 16.0]


def test_redirects_are_followed_recorded_and_asked_by_the_rules_of_where_they_lead(site, fetcher):
    site.routes |= {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /private"),
        "/a": Answer(b"", 301, headers={"Location": "/b"}),
        "/b": Answer(b"", 302, headers={"Location": f"{site.url}/c"}),
        "/c": html("C"),
        "/d": Answer(b"", 302, headers={"Location": "/private/x"}),
    }
    page = fetcher.page(f"{site.url}/a")
    assert (page.url, page.hops) == (f"{site.url}/c", (f"{site.url}/a", f"{site.url}/b"))
    assert reason_of(fetcher, f"{site.url}/d")[0] == "robots"


@pytest.mark.parametrize("location", ["ftp://127.0.0.1/a", "file:///etc/passwd"])
def test_a_redirect_to_another_scheme_is_not_followed(site, fetcher, location):
    site.routes["/a"] = Answer(b"", 302, headers={"Location": location})
    assert reason_of(fetcher, f"{site.url}/a") == ("redirect", f"from http to another scheme: {location}")


def test_a_circle_of_redirects_ends(site, fetcher):
    site.routes["/a"] = Answer(b"", 302, headers={"Location": "/a"})
    assert reason_of(fetcher, f"{site.url}/a")[0] == "redirect"
    assert len(site.asked()) == 6
