from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.page import flat, page
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


def read(text):
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_the_rows_of_the_table(table):
    rows = {row[0].split()[0]: row for row in read(page(table, "run")).rows if len(row) == 9}
    assert len(rows) == 17
    assert rows["full"][1] == "83.3 [75.0, 91.7]"
    assert rows["full"][3:] == ["–", "", "83.3", "0.0", "12", "100.0"]
    assert rows["sharded-v"][1] == "22.2 [0.0, 33.3]"
    assert rows["sharded-v"][5:] == ["16.7", "11.8", "9", "75.0 not ranked"]
    assert rows["oracle"][1:] == ["not run", "", "–", "", "–", "–", "–", "–"]


def test_the_page_needs_nothing_else_and_runs_nothing(table):
    text = page(table, "run")
    reader = read(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(reader.tags)
    assert not {"src", "href", "srcset", "onload"} & {name for name, _ in reader.attributes}
    for outside in ("http:", "https:", "url(", "@import"):
        assert outside not in text


def test_names_are_text_and_no_markup(table):
    hostile = '<script>alert("x")</script>&\'{{7*7}}'
    changed = replace(
        table,
        model=hostile,
        rows=(*table.rows, replace(table.rows[0], condition="<img src=x onerror=alert(1)>")),
        identity={"model": {"<b>name</b>": hostile}},
    )
    text = page(changed, "$(reboot) <i>")
    reader = read(text)
    assert not {"script", "img", "b-name", "i"} & set(reader.tags)
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&amp;&#39;{{7*7}}" in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "lvqa report &#39;$(reboot) &lt;i&gt;&#39;" in text  # quoted for a shell, then for HTML


def test_what_limits_the_figures_stands_before_them(table):
    text = page(table, "run")
    first = text.index("The verdicts are provisional: exact text match, no judge model.")
    assert first < text.index("<table>")
    assert text.index("so not ranked: sharded-v.") < text.index("<table>")


def test_the_same_table_gives_the_same_bytes(table):
    assert page(table, "run") == page(table, "run")


def test_the_leaves_of_the_identity():
    identity = {"model": {"name": "m", "revision": None}, "conditions": ["full", "oracle"], "runs": 3}
    assert list(flat(identity)) == [
        ("model.name", "m"),
        ("model.revision", "None"),
        ("conditions", "full, oracle"),
        ("runs", "3"),
    ]
