"""What robots.txt allows: groups, the longest rule, wildcards."""

import pytest

from dataset_builders.bear_bench.collect.robots import product_of, read_robots

SITE = """\ufeff# rules of a site
User-agent: OtherBot
User-agent: Example
Disallow: /private
Allow: /private/open
Crawl-delay: 7.5
Sitemap: https://site.example/sitemap.xml

User-agent: *
Crawl-delay: 15
Disallow: /*?
Disallow: /*.pdf$
Allow: /reports/*.pdf$
Disallow: /search
Disallow:
"""


def everybody(path):
    return read_robots(SITE, "Unnamed jane@site.example").allows(f"https://site.example{path}")


def test_a_group_that_names_the_program_takes_the_place_of_that_for_everybody():
    robots = read_robots(SITE, "example/2.0 (jane@site.example)")
    assert robots.delay == 7.5
    assert robots.allows("https://site.example/search?q=1")
    assert not robots.allows("https://site.example/private/1")
    assert robots.allows("https://site.example/private/open/1")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("", True),
        ("/list?page=2", False),
        ("/a.pdf", False),
        ("/a.pdfx", True),
        ("/reports/2025/a.pdf", True),
        ("/searching", False),
        ("/Search", True),
    ],
)
def test_the_longest_rule_decides_and_wildcards_are_understood(path, allowed):
    assert everybody(path) is allowed


def test_allow_goes_before_a_disallow_of_the_same_length():
    robots = read_robots("User-agent: *\nDisallow: /a\nAllow: /a\n", "x")
    assert robots.allows("https://site.example/a/b")


def test_one_path_is_known_in_both_ways_of_writing_it():
    robots = read_robots("User-agent: *\nDisallow: /отчёты\nDisallow: /b%2Fc\n", "x")
    assert not robots.allows("https://site.example/%D0%BE%D1%82%D1%87%D1%91%D1%82%D1%8B/1")
    assert not robots.allows("https://site.example/b%2fc")
    assert robots.allows("https://site.example/b/c")


def test_a_group_may_be_said_in_several_places():
    robots = read_robots("User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "x")
    assert [robots.allows(f"https://s.example/{one}") for one in "abc"] == [False, False, True]


def test_rules_before_any_agent_and_lines_without_sense_say_nothing():
    robots = read_robots("Disallow: /\n<html>oops</html>\nCrawl-delay: soon\n", "x")
    assert robots.allows("https://site.example/a")
    assert robots.delay == 0


def test_the_first_word_is_the_name_of_a_program():
    assert product_of("Example University jane@site.example") == "example"
    assert product_of("My-Bot/1.0") == "my-bot"
    assert product_of("") == ""
