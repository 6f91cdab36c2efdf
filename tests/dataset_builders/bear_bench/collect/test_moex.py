"""MOEX: announcements over ISS, and the files that they link to."""

import pytest

from dataset_builders.bear_bench.collect.moex import MoexSource
from dataset_builders.bear_bench.collect.source import SourceError
from tests.support.document_sites import AGENT, announcement, announcements, in_json, made_pdf
from tests.support.replay_server import Answer


def page(start):
    return f"/iss/sitenews.json?iss.meta=off&start={start}"


def body(number):
    return f"/iss/sitenews/{number}.json?iss.meta=off"


def source(site, **options):
    return MoexSource(base_url=site.url, user_agent=AGENT, **options)


def test_files_of_announcements_with_the_words_are_fetched(site, collected, clock):
    site.routes |= {
        page(0): announcements((7, "Презентация результатов МСФО"), (6, "Изменены границы коридора")),
        page(2): announcements((5, "ОТЧЕТ за 2025 год")),
        page(3): announcements(),
        body(7): announcement(
            7, f'<p><a href="{site.url}/slides.pdf">слайды</a> <a href="/n1">дальше</a></p>'
        ),
        body(5): announcement(
            5, f'<a href="{site.url}/r.zip">архив</a><a href="{site.url}/gone.pdf">нет</a>'
        ),
        "/slides.pdf": Answer(made_pdf("slides")),
        "/r.zip": Answer(b"PK\x03\x04 broken"),
    }
    count, documents, _ = collected(source(site))
    assert (count.kept, count.dropped) == (1, {"gone": 1, "broken-body": 1})
    assert (documents[0].title, documents[0].document_type) == (
        "Презентация результатов МСФО",
        "exchange document",
    )
    asked = [page(0), body(7), "/slides.pdf", page(2), body(5), "/r.zip", "/gone.pdf", page(3)]
    assert site.asked() == asked
    assert set(clock.slept) == {1.0}


def test_no_more_announcements_are_looked_through_than_asked(site, collected):
    site.routes |= {
        page(0): announcements((3, "отчет"), (2, "отчет"), (1, "отчет")),
        **{body(number): announcement(number, None) for number in (1, 2, 3)},
    }
    collected(source(site, announcements=2))
    assert site.asked() == [page(0), body(3), body(2)]


def test_a_list_that_cannot_be_read_is_counted(site, collected):
    site.routes[page(0)] = Answer(b"<html>", kind="application/json")
    count, _, outcomes = collected(source(site))
    assert count.dropped == {"broken-body": 1}
    assert "not JSON" in outcomes[f"{site.url}/iss/sitenews.json"].detail


@pytest.mark.parametrize("answer", [in_json({"other": 1}), in_json([])])
def test_an_answer_of_another_form_is_refused_with_its_address(site, collected, answer):
    site.routes[page(0)] = answer
    with pytest.raises(SourceError, match=r"sitenews\.json.*not an answer of ISS with the block 'sitenews'"):
        collected(source(site))
