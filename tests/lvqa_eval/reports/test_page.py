import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.page import flat, page
from lvqa_eval.reports.report import Choices
from lvqa_eval.reports.table import Head, Table
from tests.support.made_reports import exhibits, made_part, made_report, made_source
from tests.support.small_run import small_run

VOID = {"meta", "link", "img", "br", "hr", "input", "col"}


class Reader(HTMLParser):
    """Collects the tags, checks that they are closed in order, and keeps the cells of the first table."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.rows, self.tables = [], 0

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.tables += tag == "table"
        if tag not in VOID:
            self.open.append(tag)
        if self.tables == 1 and tag == "tr":
            self.rows.append([])
        if self.tables == 1 and tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.tables == 1 and "table" in self.open and {"td", "th"} & set(self.open):
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {data.strip()}".strip()


@pytest.fixture
def table(tmp_path):
    return condition_table(small_run(tmp_path / "run"), "exact-match", draws=500, seed=1)


def of_one(table, **given):
    """Return the page of a report of one run, with nothing but its condition table if not `given`."""
    alone = {"sources": (made_source(),), "field": (), "exhibits": (), "cautions": table.cautions}
    return page(made_report(made_part(conditions=table, **{**alone, **given})), {})


def read(text):
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_the_rows_of_the_table(table):
    rows = {row[0].split()[0]: row for row in read(of_one(table)).rows if len(row) == 9}
    assert len(rows) == 17
    assert rows["full"][1] == "83.3 [75.0, 91.7]"
    assert rows["full"][3:] == ["–", "", "83.3", "0.0", "12", "100.0"]
    assert rows["sharded-v"][1] == "22.2 [0.0, 33.3]"
    assert rows["sharded-v"][5:] == ["16.7", "11.8", "9", "75.0 not ranked"]
    assert rows["oracle"][1:] == ["not run", "", "–", "", "–", "–", "–", "–"]


def test_the_page_needs_nothing_else_and_runs_nothing(table):
    text = of_one(table, exhibits=made_part().exhibits)
    reader = read(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(reader.tags)
    assert not {"src", "srcset", "onload"} & {name for name, _ in reader.attributes}
    places = {value for name, value in reader.attributes if name == "id"}
    for name, value in reader.attributes:
        assert (
            name != "href" or value[1:] in places or value.startswith(("tables/", "figures/", "report.json"))
        )
    for outside in ("http:", "https:", "url(", "@import"):
        assert outside not in text


def test_names_are_text_and_no_markup(table):
    hostile = '<script>alert("x")</script>&\'{{7*7}}'
    changed = replace(
        table,
        model=hostile,
        rows=(*table.rows, replace(table.rows[0], condition="<img src=x onerror=alert(1)>")),
    )
    heads = (Head(f"{hostile}, %"), Head(hostile))
    told = Table("t", hostile, heads, ((hostile, hostile),), (hostile,))
    exhibit = Exhibit("t", hostile, hostile, "layered-vqa", (hostile,), ((hostile, hostile),), (told,))
    source = replace(
        made_source("$(reboot) <i>"),
        settings={"model": {"<b>name</b>": hostile}},
        judges={"<u>judge": {"judge": hostile, "protocol": "xml"}},
    )
    text = of_one(changed, sources=(source,), exhibits=(exhibit,), judge="<u>judge", cautions=(hostile,))
    reader = read(text)
    assert not {"script", "img", "b-name", "i", "u"} & set(reader.tags)
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&amp;&#39;{{7*7}}" in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "lvqa report &#39;$(reboot) &lt;i&gt;&#39;" in text  # quoted for a shell, then for HTML


def test_what_limits_the_figures_stands_before_them(table):
    text = of_one(table)
    first = text.index("The verdicts are provisional: exact text match, no judge model.")
    assert first < text.index("<table>")
    assert text.index("so not ranked: sharded-v.") < text.index("<table>")


def test_the_same_table_gives_the_same_bytes(table):
    assert of_one(table) == of_one(table)


def test_the_leaves_of_the_identity():
    identity = {"model": {"name": "m", "revision": None}, "conditions": ["full", "oracle"], "runs": 3}
    assert list(flat(identity)) == [
        ("model.name", "m"),
        ("model.revision", "None"),
        ("conditions", "full, oracle"),
        ("runs", "3"),
    ]


def test_several_models_have_a_head_of_their_own():
    text = page(made_report(), {})
    reader = read(text)
    assert "<h1>2 models</h1>" in text
    assert "delivered in 8 ways" in text
    assert reader.rows[1] == ["org/one-4b", "Layered-VQA", "one", "0123abcd", "consensus", "4567cdef"]
    assert (
        text.index("<h1>")
        < text.index('class="strip"')
        < text.index('id="runs"')
        < text.index('id="table-1"')
    )
    assert "Accuracy by delivery condition" not in text


def test_both_papers_have_a_group_and_files_of_their_own():
    pages = made_part(paper="bear-bench", field=(), exhibits=exhibits("bear-bench"))
    text = page(made_report(made_part(), pages), {})
    assert "<title>2 models on Layered-VQA and BEAR-Bench</title>" in text
    side = text[text.index('<nav class="side"') : text.index("</nav>")]
    places = [side.index(f"<p>{group}</p>") for group in ("Runs", "Layered-VQA", "BEAR-Bench", "About")]
    assert places == sorted(places)
    assert side.index('href="#table-1"') < places[2] < side.index('href="#bear-table-1"') < places[3]
    assert {"tables/table-1-1.csv", "tables/bear-table-1-1.csv"} <= set(re.findall(r'href="([^"]+)"', text))


def test_what_lacks_its_input_is_one_line_with_the_command():
    text = page(made_report(), {})
    section = text[text.index('<section class="exhibit" id="table-4"') :]
    section = section[: section.index("</section>")]
    command = "<code>lvqa judge one other --judge NAME@URL</code>"
    assert f'<p class="missing">No judge has ruled turn by turn. Let one do so: {command}</p>' in section
    assert "<table" not in section
    assert text.count("lacks its input") == 2


def test_the_commands_make_the_verdicts_and_the_report():
    assert made_report().commands == (
        "lvqa panel one other",
        "lvqa report one other --judge consensus --draws 100 --seed 0 --out report",
    )
    rulings = {"consensus": {}, "org-a.post-hoc": {"judge": "org/a", "protocol": "post-hoc"}}
    alone = made_part(sources=(replace(made_source(), judges=rulings),), post_hoc="org-a.post-hoc")
    chosen = Choices(draws=100, relational=("spatial",))
    assert replace(made_report(alone), choices=chosen).commands == (
        "lvqa panel one",
        "lvqa judge one --judge org/a@URL --protocol post-hoc",
        "lvqa report one --judge consensus --post-hoc org-a.post-hoc "
        "--relational spatial --draws 100 --seed 0",
    )
