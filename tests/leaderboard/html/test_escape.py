"""The one place of escaping: text stays text, and nothing gets into an element but what pages are made of."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.html.escape import OUTSIDE, Markup, anchor, el, escape, joined, outer, outside, page_link
from tests.support.parsed_html import parsed

LEADERBOARD = Path(__file__).resolve().parents[3] / "leaderboard"
SIGNS = "<>&\"'`${}\\@=/ \n\t"
any_text = st.text(st.one_of(st.characters(), st.sampled_from(SIGNS)), max_size=80)


def shown(text):
    """Return what a reader should see of a text."""
    kept = text.replace("\r\n", "\n")
    return "".join("\N{REPLACEMENT CHARACTER}" if unseen(sign) else sign for sign in kept)


def unseen(sign):
    """Tell by the Unicode database whether a sign is a control, a lone surrogate or turns what follows."""
    point = ord(sign)
    return (
        (point < 0x20 and sign not in "\t\n")
        or 0x7F <= point < 0xA0
        or 0xD800 <= point < 0xE000
        or 0x202A <= point <= 0x202E
        or 0x2066 <= point <= 0x2069
        or point in (0x200B, 0x2028, 0x2029, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF)
    )


@given(any_text, any_text)
def test_text_stays_text_in_content_and_in_attributes(content, attribute):
    html = el("span", content, title=attribute, data_name=attribute)
    (span,) = parsed(html).children
    assert (span.tag, span.text) == ("span", shown(content))
    assert span.attributes == {"title": shown(attribute), "data-name": shown(attribute)}
    assert not set(html) & set("`$\\{}@")
    assert html.encode()


def test_gradio_finds_nothing_to_fill_or_to_run():
    hostile = "{{this}} ${alert(1)} `${x}` \\u0024{x} @children {{{value}}}"
    html = el("p", hostile, title=hostile)
    assert not set(html) & set("{}$`\\@")
    assert parsed(html).text == hostile


def test_a_reader_sees_where_a_sign_was_that_cannot_be_seen():
    assert parsed(escape("rtl\u202emoc.live")).text == "rtl\N{REPLACEMENT CHARACTER}moc.live"
    assert (
        parsed(escape("a\ud83db\0c\r\nd")).text == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\nd"
    )
    assert parsed(escape("é👩‍🔬 שלום")).text == "é👩‍🔬 שלום"


def test_elements_nest_and_plain_strings_are_escaped_wherever_they_come():
    inner = el("b", "1 < 2")
    assert inner == "<b>1 &lt; 2</b>"
    assert el("td", inner, " & ", None, class_="n", colspan=2) == (
        '<td class="n" colspan="2"><b>1 &lt; 2</b> &amp; </td>'
    )
    assert el("td", inner + "") == "<td>&lt;b&gt;1 &amp;lt; 2&lt;/b&gt;</td>", "a sum of strings is no markup"
    assert joined(["a", inner, "<"], " | ") == "a | <b>1 &lt; 2</b> | &lt;"
    assert el("img", src="pictures/a.png", alt="") == '<img src="pictures/a.png" alt="">'
    assert el("span", popover=True, title=None, tabindex=False) == "<span popover></span>"
    assert el("line", x1=1.5, x2=1234567) == '<line x1="1.5" x2="1234567"></line>'
    assert outer("x") == "<bdi>x</bdi>"


@pytest.mark.parametrize(
    "tag", ["script", "style", "iframe", "object", "form", "input", "link", "B", "b onclick"]
)
def test_an_element_that_pages_have_no_use_for_is_refused(tag):
    with pytest.raises(ValueError, match="element: found"):
        el(tag)


@pytest.mark.parametrize(
    "name", ["onclick", "style", "srcdoc", "formaction", "xlink_href", "data_", "data-x y", "a b"]
)
def test_an_attribute_that_pages_have_no_use_for_is_refused(name):
    with pytest.raises(ValueError, match="attribute: found"):
        el("span", **{name: "x"})


@pytest.mark.parametrize(
    "source",
    [
        "https://other.host/a.png",
        "//other.host/a.png",
        "javascript:alert(1)//.png",
        "data:image/png;base64,AAAA",
        "../secret.png",
        "a.svg",
        "a.png?x",
        'a.png" onerror="x',
        "",
    ],
)
def test_a_picture_is_a_file_of_this_server(source):
    with pytest.raises(ValueError, match="src: found"):
        el("img", src=source, alt="")


def test_a_link_leads_to_this_page_to_another_of_the_board_or_to_a_known_address():
    assert el("a", "x", href=anchor("tier-1")) == '<a href="#tier-1">x</a>'
    link = page_link("examples", question="q 1&x=<b>", condition="", model="é\ud800")
    assert link == "examples?question=q+1%26x%3D%3Cb%3E&model=%C3%A9%3F"
    assert page_link("bear") == "bear"
    assert all(outside(name).startswith("https://arxiv.org/") for name in OUTSIDE)
    for href in ("javascript:alert(1)", "#x", "https://arxiv.org"):
        with pytest.raises(ValueError, match="href: found"):
            el("a", "x", href=href)
    for make in (anchor, page_link):
        with pytest.raises(ValueError, match="found"):
            make("javascript:alert(1)")
    with pytest.raises(KeyError):
        outside("https://other.host")


def test_markup_and_links_are_made_in_one_place():
    makers = set()
    for path in LEADERBOARD.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("Markup", "Link")
            ):
                makers.add(path.relative_to(LEADERBOARD).as_posix())
    assert makers == {"html/escape.py"}
    assert isinstance(escape("x"), Markup)
