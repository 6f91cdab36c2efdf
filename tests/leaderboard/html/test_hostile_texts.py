"""Texts that want to be more than text: no part of a page gets an element, an attribute or a link of them."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.html.words import Words
from tests.support.board_hostile import GROUPS, hostile_parts
from tests.support.parsed_html import parsed

CASES = Path(__file__).resolve().parents[2] / "cases" / "leaderboard" / "submissions.csv"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[best](javascript:alert(1))",
    "javascript:alert(1)",
    "</td></tr></table><script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus=alert(1) '",
    "${Reflect.set(window,'run',1)}",
    "{{this.name}} {{{value}}} {{#each value}}",
    "` + alert(1) + `",
    "\\u0024{alert(1)} \\",
    "@children",
    "a|b\ninjected",
    "a\r\nb\tc",
    "<!-- --> <![CDATA[x]]> <?php ?>",
    "&lt;b&gt; &#60;b&#62; &amp;",
    "rtl\u202emoc.live\u2066",
    "\ud800 \udfff \x00 \x1b[31m \ufeff",
    "=cmd|' /C calc'!A0",
    "_a__b_",
    "",
)
LINK = re.compile(r"#|examples(\?[\w=&%+.~-]+)?|https://arxiv\.org/abs/[\d.]+")
LANGUAGES = {language: Words(language) for language in ("en", "ru")}
any_text = st.one_of(
    st.sampled_from(HOSTILE),
    st.tuples(st.sampled_from(HOSTILE), st.text(max_size=30), st.sampled_from(HOSTILE)).map("".join),
    st.text(st.one_of(st.characters(), st.sampled_from("<>\"'&`${}\\=/@|\n")), max_size=60),
)


def harmless(text):
    """Return a text of the same length and lines that is letters."""
    return re.sub(r"[^\r\n_]", "x", text)


def structure(root):
    """Return the tags and the names of the attributes of everything, in order."""
    return [(one.tag, sorted(one.attributes)) for one in root.walk()]


def check(text, words, make=hostile_parts):
    """Compare every part with what it is made of a harmless text, and look at what could act."""
    calm = make(harmless(text), words)
    for name, html in make(text, words).items():
        root = parsed(html)
        assert structure(root) == structure(parsed(calm[name])), name
        assert not set(html) & set("{}$`\\@"), name
        assert html.encode(), name
        for one in root.walk():
            assert LINK.fullmatch(one.attributes.get("href", "#")), name
            assert one.attributes.get("src", "pictures/").startswith("pictures/"), name


@settings(max_examples=settings.default.max_examples // 2)
@given(any_text, st.sampled_from(sorted(LANGUAGES)), st.sampled_from(GROUPS))
def test_no_text_adds_an_element_an_attribute_or_a_link(text, language, group):
    check(text, LANGUAGES[language], group)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_known_to_be_hostile_is_shown(text):
    parts = hostile_parts(text, LANGUAGES["en"])
    check(text, LANGUAGES["en"])
    (name, *_) = [one.text for one in parsed(parts["ranking"]).all(class_="lv-name")]
    expected = "".join(
        "\N{REPLACEMENT CHARACTER}" if sign in "\u202e\u2066\ud800\udfff\x00\x1b\ufeff" else sign
        for sign in text
    )
    assert name == expected.replace("\r\n", "\n") + "0"


def test_names_of_hostile_submissions_add_no_row_and_no_cell():
    with CASES.open(encoding="utf-8", newline="") as file:
        names = [row["model"] for row in csv.DictReader(file)]
    assert any("<img" in name for name in names)
    for name in names:
        check(name, LANGUAGES["en"], GROUPS[0])
        table = parsed(GROUPS[0](name, LANGUAGES["en"])["ranking"])
        assert len(table.all("tbody")) == 3
        assert [len(row.children) for row in table.all("tr") if not row.classes or "t0" in row.classes][
            2:
        ] == [14, 14, 14]


def test_a_text_of_a_twenty_thousand_letters_stays_one():
    text = "x<u>" * 5_000
    parts = hostile_parts(text, LANGUAGES["en"])
    assert all("<u>" not in html for html in parts.values())
    ledger = parsed(parts["ledger"])
    assert [one.attributes["tabindex"] for one in ledger.all(class_="long")][:1] == ["0"]
