import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.reports.compare.comparison import compare_runs
from lvqa_eval.reports.compare.page import alike, page, verdict
from lvqa_eval.reports.compare.pictures import Thumbnails
from lvqa_eval.reports.compare.tables import differences_csv, flips_csv, markdown
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

HOSTILE = '=HYPERLINK("http://x.org")|<img src=x onerror=alert(1)>\x00\x1b[2J\n![p](http://x.org/p.png)'
NAMES = ("q1", "q2", "q3", "q4")


def run(folder, right, reply="a circle", runs=1, **settings):
    """Write a run of `full` and `oracle` in which the questions named in `right` are right."""
    keys = [
        (condition, name, number)
        for condition in ("full", "oracle")
        for name in NAMES
        for number in range(1, runs + 1)
    ]
    return write_run(
        folder,
        ("full", "oracle"),
        runs,
        [replace(question(name, f"s{name}"), question=f"{name}: {HOSTILE}") for name in NAMES],
        [conversation(*key, turns=[turn(composite=True, reply=reply)]) for key in keys],
        {"m": [judgement(*key, key[1] in right) for key in keys]},
        **settings,
    )


@pytest.fixture
def compared(tmp_path):
    return compare_runs(run(tmp_path / "a", "q1 q2"), run(tmp_path / "b", "q1 q3 q4", HOSTILE), draws=10_000)


class Reader(HTMLParser):
    """Collects tags and attributes, and checks that what opens is closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text):
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def invoke(*words):
    return CliRunner().invoke(main, ["compare", *map(str, words)])


def test_the_table_on_a_terminal(tmp_path):
    a, b = run(tmp_path / "a", "q1 q2", runs=2), run(tmp_path / "b", "q1 q3 q4")
    result = invoke(a.folder, b.folder, "--draws", 10_000)
    assert result.exit_code == 0, result.output
    lines = [re.split(r"\s{2,}", line.strip()) for line in result.output.splitlines()]
    assert ["Paired", result.output.split("Paired     ")[1].splitlines()[0]] in lines
    assert "by question: the mean over its runs that count in A with that in B" in result.output
    assert ["full", "50.0", "75.0", "+25.0 [-50.0, +100.0]", "4", "100.0", "100.0", "2", "1"] in lines
    assert [
        "category: spatial",
        "50.0",
        "75.0",
        "+25.0 [-50.0, +100.0]",
        "8",
        "100.0",
        "100.0",
        "4",
        "2",
    ] in lines
    assert "Questions that flipped: 4 to right, 2 to wrong:" in result.output
    assert ["-100", "2/2", "0/1", "full", "q2", "spatial"] in lines
    assert "4 scenes are few for a bootstrap" in result.output
    assert "One run: what flipped may have flipped by chance" in result.output


def test_two_equal_runs(tmp_path):
    a, b = run(tmp_path / "a", "q1"), run(tmp_path / "b", "q1")
    result = invoke(a.folder, b.folder)
    assert re.search(r"full +25\.0 +25\.0 +0\.0 \[0\.0, 0\.0\]", result.output)
    assert "No question flipped." in result.output
    assert "None." in markdown(compare_runs(a, b))
    assert "No question" not in page(compare_runs(a, b), Thumbnails(), "lvqa")


def test_a_refusal_is_a_message_and_a_status(tmp_path):
    a, b = run(tmp_path / "a", "q1"), run(tmp_path / "b", "q1", dataset={"version": "2.0.0"})
    result = invoke(a.folder, b.folder)
    assert result.exit_code == 1
    assert (
        "Error: these runs cannot be compared:\n  dataset.name: A has layered-vqa, B has nothing"
        in result.output
    )
    assert "dataset.version: A has 1.0.0, B has 2.0.0" in result.output
    assert invoke(a.folder, a.folder, "--dataset", "x").exit_code == 2


def test_every_file_is_written_and_the_same_records_give_the_same_bytes(tmp_path):
    a, b = run(tmp_path / "a", "q1 q2"), run(tmp_path / "b", "q1 q3 q4")
    out = tmp_path / "out"
    first = invoke(a.folder, b.folder, "--out", out)
    assert first.exit_code == 0, first.output
    assert f"comparison: {out / 'index.html'}" in first.output
    assert (
        "no pictures: the dataset 'layered-vqa' is not in this folder; --dataset FOLDER brings them"
        in first.output
    )
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(files) == ["comparison.md", "differences.csv", "flips.csv", "index.html"]
    invoke(a.folder, b.folder, "--out", out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files
    command = f"lvqa compare {a.folder} {b.folder} --judge m --out {out} --flips 100 --draws 2000 --seed 0"
    assert command in files["index.html"].decode()


def test_differences_as_csv(compared):
    rows = list(csv.DictReader(io.StringIO(differences_csv(compared))))
    assert [row["kind"] for row in rows] == [
        *("condition", "condition", "all", "category", "condition and category", "condition and category")
    ]
    full = rows[0]
    assert (full["name"], full["a"], full["b"], full["difference"]) == (
        "full",
        "0.500000",
        "0.750000",
        "0.250000",
    )
    assert (full["difference_low"], full["difference_high"]) == ("-0.500000", "1.000000")
    assert (full["n"], full["questions"], full["scenes"], full["gained"], full["lost"]) == (
        "4",
        "4",
        "4",
        "2",
        "1",
    )
    assert (full["a_valid"], full["a_planned"], full["b_valid"], full["b_planned"]) == ("4",) * 4
    assert (rows[4]["name"], rows[4]["category"]) == ("full", "spatial")


def test_flips_as_csv_have_whole_replies_and_no_formula(compared):
    rows = list(csv.DictReader(io.StringIO(flips_csv(compared), newline="")))
    assert len(rows) == 6
    assert [row["question_id"] for row in rows[:3]] == ["q2", "q3", "q4"]
    assert (rows[0]["change"], rows[0]["a_right"], rows[0]["b_right"], rows[0]["b_valid"]) == (
        "-1.000000",
        "1",
        "0",
        "1",
    )
    assert rows[0]["b_reply"] == f"'{HOSTILE}"
    assert rows[0]["a_reply"] == "a circle"
    assert rows[0]["question"] == f"q2: {HOSTILE}"


def test_a_negative_number_is_no_formula(tmp_path):
    found = compare_runs(run(tmp_path / "a", "q1", "-3.5"), run(tmp_path / "b", "q2", "-x"))
    row = next(csv.DictReader(io.StringIO(flips_csv(found))))
    assert (row["a_reply"], row["b_reply"]) == ("-3.5", "'-x")


def test_names_and_replies_are_text_in_markdown(compared):
    text = markdown(compared)
    table = [line for line in text.splitlines() if line.startswith("|") and "q2:" in line]
    assert len(table) == 2
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 11 for line in table)
    assert "](" not in text
    assert not re.search(r"(?<!\\)<", text)


def test_names_and_replies_are_text_on_the_page(compared):
    hostile = replace(compared.a, folder="$(reboot) <b>", conversations=compared.b.conversations)
    text = page(replace(compared, a=hostile), Thumbnails(), "lvqa <i>")
    reader = read(text)
    assert not {"script", "img", "i", "iframe", "object", "link"} & reader.tags
    assert not {name for name, _ in reader.attributes} & {
        "src",
        "href",
        "srcset",
        "onerror",
        "onload",
        "action",
    }
    assert "\x00" not in text
    assert "\x1b" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "lvqa &lt;i&gt;" in text
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in text
    for outside in ("url(", "@import"):
        assert outside not in text


def test_the_page_shows_as_many_flips_as_asked_for(compared):
    text = page(compared, Thumbnails(), "lvqa", flips=2)
    assert text.count('<details class="flip"') == 2
    assert "The first 2 stand here, all of them in <code>flips.csv</code>." in text
    assert page(compared, Thumbnails(), "lvqa").count('<details class="flip"') == 6


def test_how_a_reply_counts_in_words(compared):
    reply = compared.flips[0].a.replies[0]
    assert verdict(reply) == "right"
    assert verdict(replace(reply, correct=False)) == "wrong"
    assert verdict(replace(reply, correct=False, status=Status.TRUNCATED)) == "wrong, truncated"
    assert (
        verdict(replace(reply, correct=None, status=Status.CONTEXT_OVERFLOW))
        == "not counted, context overflow"
    )
    assert verdict(replace(reply, correct=None)) == "not counted, no verdict"
    assert verdict(replace(reply, correct=None, status=None, reply=None)) == "no conversation"


def test_equal_replies_stand_once(compared):
    answers = compared.flips[0].a
    one = answers.replies[0]
    several = (
        one,
        replace(one, run=2, reply="other"),
        replace(one, run=3),
        replace(one, run=4, correct=False),
    )
    shown = alike(replace(answers, replies=several))
    assert [(runs, reply.reply) for runs, reply in shown] == [
        ("Runs 1, 3", "a circle"),
        ("Run 2", "other"),
        ("Run 4", "a circle"),
    ]
