"""e-disclosure: a company's tables of reports, and the archives they lead to."""

from dataset_builders.bear_bench.collect.disclosure import EDisclosureSource, read_reports
from tests.support.document_sites import AGENT, archive, made_pdf, reports
from tests.support.replay_server import Answer

FILE = "/portal/FileLoad.ashx?Fileid="


def table(company, number):
    return f"/portal/files.aspx?id={company}&type={number}"


def source(site, **options):
    options = {"company": (3043,), "report": ("ifrs",), **options}
    return EDisclosureSource(base_url=site.url, user_agent=AGENT, **options)


def test_archives_of_the_first_reports_become_documents(site, collected, clock):
    site.routes |= {
        table(3043, 4): reports((1, "МСФО", "2025"), (2, "МСФО", "2025, 6 месяцев"), (3, "МСФО", "2024")),
        table(3043, 2): reports((9, "Годовой отчёт", "2024")),
        f"{FILE}1": Answer(archive(**{"Отчёт.pdf": made_pdf("1")}), kind="application/octet-stream"),
        f"{FILE}2": Answer(made_pdf("2")),
        f"{FILE}9": Answer(archive(**{"Годовой.pdf": made_pdf("9")}), kind="application/zip"),
    }
    count, documents, _ = collected(source(site, report=("annual", "ifrs"), per_company=2))
    assert dict(count.groups) == {"e-disclosure: annual": 1, "e-disclosure: ifrs": 2}
    assert {(one.url.removeprefix(site.url), one.document_type, one.title) for one in documents} == {
        (f"{FILE}1#Отчёт.pdf", "financial report", "3043 МСФО 2025"),
        (f"{FILE}2", "financial report", "3043 МСФО 2025, 6 месяцев"),
        (f"{FILE}9#Годовой.pdf", "annual report", "3043 Годовой отчёт 2024"),
    }
    assert site.asked() == [table(3043, 2), f"{FILE}9", table(3043, 4), f"{FILE}1", f"{FILE}2"]
    assert set(clock.slept) == {3.0}


def test_a_portal_that_refuses_programs_is_asked_three_times_in_all(site, collected):
    site.routes |= {table(company, 4): Answer(b"", 403) for company in range(1, 6)}
    count, *_ = collected(source(site, company=(1, 2, 3, 4, 5)))
    assert (count.kept, count.dropped) == (0, {"forbidden": 5})
    assert len(site.asked()) == 3


def test_a_page_without_a_table_has_no_reports():
    url = "https://www.e-disclosure.ru/portal/files.aspx?id=17&type=4"
    assert read_reports("<p>no table</p>", url) == []
    assert read_reports("", url) == []
    assert read_reports(reports((5, "МСФО", "2025")).body.decode(), url) == [
        ("https://www.e-disclosure.ru/portal/FileLoad.ashx?Fileid=5", "МСФО 2025")
    ]
