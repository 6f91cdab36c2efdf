"""JSON as models write it: what is read, and what is left unread because it could mean two things."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.loose_json import (
    AMBIGUOUS,
    NoObjectError,
    one_object,
    placed_objects,
    read_objects,
    shown,
    truth,
    whole,
)

PLAIN = '{"a": 1, "b": "x"}'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```json {PLAIN}```",
        f"```\n{PLAIN}\n",
        f"Sure! Here it is: {PLAIN} Anything else?",
        f"I use {{braces}} and {{1, 2}}, it's fine: {PLAIN}",
        f"[{PLAIN}]",
        '{"a": 1, "b": "x",}',
        "{'a': 1, 'b': 'x'}",
        "{'a': 1, \"b\": 'x',}",
        '{"b":"x","a":1}',
        f"{PLAIN}\n{PLAIN}",
        f'{{"a": 1/2, "b": "..."}} {PLAIN}',
        f'{{"a": <number>}} {PLAIN}',
        '{"a": 1, "b": "x", "a": 1}',
    ],
)
def test_one_object_in_any_wrapping(text):
    assert one_object(text, ("a", "b")) == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "the mask \d{2} fits"}', r"the mask \d{2} fits"),
        (r'{"a": "C:\\dir\n\"q\" \u0416"}', 'C:\\dir\n"q" Ж'),
        (r"""{'a': 'it\'s "so"'}""", """it's "so\""""),
        ('{"a": "two\nlines"}', "two\nlines"),
        (r'{"a": "\ud83d\ude00 \ud800"}', "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"),
        ('{"a": "```x``` {y}"}', "```x``` {y}"),
        ('{"a": [1, -2.5e1, True, None, {"c": [],}]}', [1, -25.0, True, None, {"c": []}]),
        ('{"a": ' + "9" * 5000 + "}", math.inf),
        ('{"a": Infinity}', math.inf),
    ],
)
def test_values(text, value):
    assert one_object(text, ("a",))["a"] == value


def test_two_values_under_one_key_are_none():
    assert read_objects('{"a": true, "b": 1, "a": false, "a": true}') == [{"a": AMBIGUOUS, "b": 1}]
    assert read_objects('{"a": 1, "a": true}') == [{"a": AMBIGUOUS}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no JSON object with a or b"),
        ("no, sorry", "no JSON object"),
        ('{"c": 1}', "no JSON object"),
        ('[1, "a"]', "no JSON object"),
        ('{"a": 1', "no JSON object"),
        ('{"x": {"a": 1}', "no JSON object"),
        ('{"x": {"a": 1}}', "no JSON object"),
        ('{"a": it\'s}', "no JSON object"),
        ("{'a': 'it's'}", "no JSON object"),
        ('{"a": 1} {"a": 2}', "2 different JSON objects"),
        ('{"a": 1} {"a": true}', "2 different JSON objects"),
        ('{"a": 1} {"b": 2}', "2 different JSON objects"),
        ('{"x": ' * 40 + '{"a": 1}' + "}" * 40, "no JSON object"),
    ],
)
def test_nothing_is_guessed(text, told):
    with pytest.raises(NoObjectError, match=told):
        one_object(text, ("a", "b"))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "he said {\'a\': 1} and',
        '{"a": "he said } {\'a\': 1} and',
        '{"a": "he said "{\'a\': 1}", so"}',
        '{"a": tru/e, "b": {"a": 1}}',
        '{"a": "x" {"a": 1}, "b": "}" {"a": 1}}',
    ],
)
def test_no_part_of_a_broken_object_is_read(text):
    assert read_objects(text) == []
    assert read_objects(PLAIN + text) == [json.loads(PLAIN)]


def test_where_an_object_stands():
    text = f"x {{y}} {PLAIN}, {{}}"
    assert [(text[one.start : one.end], one.value) for one in placed_objects(text)] == [
        (PLAIN, json.loads(PLAIN)),
        ("{}", {}),
    ]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *[(3, 3), (3.0, 3), ("3", 3), (" -1.0 ", -1), (10**30, 10**30)],
        *[
            (one, None)
            for one in (True, 2.5, "2.5", "", "three", "1e3", None, [3], math.inf, math.nan, AMBIGUOUS)
        ],
    ],
)
def test_whole_numbers(value, number):
    assert whole(value) == number


def test_a_value_in_an_error_is_short():
    assert shown("red") == "'red'"
    assert shown("x" * 100, 10) == "'xxxxxxxx…"


def test_an_object_without_the_fields_is_no_rival():
    assert one_object('{"note": "x"} {"a": 2}', ("a",)) == {"a": 2}


@pytest.mark.parametrize(
    "text", ["{" * 100_000, '{"a":' * 50_000, "{'" * 50_000, '{"a":[{"a":[1,' * 5_000, '{"a":"' + "x" * 10**6]
)
def test_long_and_deep_texts_are_left_unread(text):
    assert read_objects(text) == []


@given(st.text())
def test_no_text_raises(text):
    assert isinstance(read_objects(text), list)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_valid_json_reads_as_the_library_reads_it(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read_objects(text) == [json.loads(text)]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        *[(one, True) for one in (True, 1, "true", " TRUE ", "yes", "Да")],
        *[(one, False) for one in (False, 0, "false", "No", "нет")],
        *[(one, None) for one in (0.5, math.nan, None, "nan", "maybe", "", [True], {}, 2, AMBIGUOUS)],
    ],
)
def test_yes_and_no(value, meant):
    assert truth(value) is meant


@given(
    st.one_of(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
        ).map(lambda value: json.dumps({"a": value})),
        st.text(alphabet='{}[]":,\\u0d8ea1.-NI n\n', max_size=40).map(lambda text: "{" + text + "}"),
        st.sampled_from(
            [
                '{"a": 1, "a": 1.0}',
                '{"a": {"b": 1, "b": 1}}',
                '{"a": "\\ud800", "b": "\\ud83d\\ude00"}',
                '{"a": ' + "[" * 40 + "]" * 40 + "}",
                '{"a": ' + "9" * 120 + "}",
                '{"a": 007}',
                '{"a": -0, "b": -0.0, "c": 1e999}',
                '{"a": NaN, "b": -Infinity}',
                "\u00a0{}\u2003",
            ]
        ),
    )
)
def test_an_object_from_end_to_end_is_read_as_any_other(text):
    # A mark before it has the tolerant reader read it, which strict JSON is a shortcut to.
    behind = [(one.start - 1, one.end - 1, repr(one.value)) for one in placed_objects("·" + text)]
    assert [(one.start, one.end, repr(one.value)) for one in placed_objects(text)] == behind
