"""Judges' replies in XML: one word in one element, and free text that is no document."""

import json
from pathlib import Path

import pytest

from lvqa_eval.judging.elements import read_elements
from lvqa_eval.judging.rulings import VerdictError
from lvqa_eval.judging.xml_verdicts import parse_xml_ruling

REPLIES = json.loads(
    (Path(__file__).resolve().parents[2] / "cases" / "judge_xml_replies.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["id"])
def test_recorded_replies(case):
    if case["expect"] is None:
        with pytest.raises(VerdictError):
            parse_xml_ruling(case["raw"])
    else:
        assert parse_xml_ruling(case["raw"]) is {"correct": True, "incorrect": False}[case["expect"]]


@pytest.mark.parametrize(
    "text",
    [
        "<verdict>false</verdict>",
        "<verdict>**Incorrect.**</verdict>",
        "<verdict>\n нет \n</verdict>",
        "The verdict is <verdict>incorrect</verdict>",
        "<reason>He wrote <verdict>correct</verdict>.</reason><verdict>incorrect</verdict>",
        "<reason>He wrote </verdict>.</reason><verdict>incorrect</verdict>",
        "<reason>He wrote &lt;verdict&gt;correct&lt;/verdict&gt;.</reason><verdict>incorrect</verdict>",
        'He wrote "<verdict>correct</verdict>".\n<verdict>incorrect</verdict>',
        "<result><reason>a<b</reason><verdict>incorrect</verdict></result>",
        "If 3 <b and c> 5, then no.<br>\n<verdict>incorrect</verdict>",
        "<verdict>incorrect</verdict><verdict>Incorrect</verdict>",
        "&lt;reason&gt;A &amp; B&lt;/reason&gt;&lt;verdict a=&quot;1&quot;&gt;incorrect&lt;/verdict&gt;",
    ],
)
def test_the_judges_own_ruling_is_found(text):
    assert parse_xml_ruling(text) is False


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "found an empty reply"),
        ("correct", "found no <verdict> element, needed one"),
        ("<think><verdict>correct</verdict></think>", "found only thinking"),
        ("<verdict>correct</verdict><think>", "found a thinking block without an end"),
        ("<verdict></verdict>", "verdict: found '', allowed: correct or incorrect"),
        ("<verdict>correct or not</verdict>", "verdict: found 'correct or not'"),
        ("<verdict>correct", "found a <verdict> tag without its other half"),
        (
            "<verdict>correct</verdict><verdict note='x'>incorr",
            "found a <verdict> tag without its other half",
        ),
        (
            "<verdict>correct</verdict> no, incorrect</verdict>",
            "found a <verdict> tag without its other half",
        ),
        ("<verdict>correct</verdict>\n<verdict>maybe</verdict>", "verdict: found 'maybe'"),
        ("<verdict><verdict>correct</verdict></verdict>", "verdict: found '<verdict>correct</verdict>'"),
        ("<reason>He wrote <verdict>correct</verdict></reason>", "found no <verdict> element, needed"),
        ("<reason>He wrote <verdict>correct</verdict>", "found no <verdict> element, needed"),
        ("He wrote `<verdict>correct</verdict>`.", "found no <verdict> element, needed"),
        ("He wrote <verdict>correct</verdict>, I think.", "found no <verdict> element that stands alone"),
        ("&amp;lt;verdict&amp;gt;correct&amp;lt;/verdict&amp;gt;", "found no <verdict> element"),
        ("<verdict>correct</verdict>\n" * 17, "found 17 <verdict> elements, needed one"),
    ],
)
def test_why_there_is_no_ruling(text, reason):
    with pytest.raises(VerdictError, match=f"^{reason}"):
        parse_xml_ruling(text)


def test_the_element_has_the_name_that_is_asked_for():
    assert parse_xml_ruling("<Оценка>верно</Оценка><verdict>no</verdict>", "оценка") is True


def test_elements_and_what_stands_in_them():
    text = '<a x="1 > 0">one<b/><c>two</c></a> 3 < 4 <d>five'
    found = read_elements(text)
    assert [(one.name, text[one.inner_start : one.inner_end], one.closed) for one in found] == [
        ("a", "one<b/><c>two</c>", True),
        ("b", "", True),
        ("c", "two", True),
        ("d", "five", False),
    ]
    assert [one.parent and one.parent.name for one in found] == [None, "a", "a", None]
    assert [one.has_words(text) for one in found] == [True, False, True, True]
