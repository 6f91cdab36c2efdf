"""What the board means by its words, which datasets it is of, how to cite it, and how to hand in a run."""

from collections.abc import Iterable, Sequence
from typing import Final

from leaderboard.board.records import Standing
from leaderboard.html.badges import badge_ladder
from leaderboard.html.escape import OUTSIDE, Markup, el, joined, outer, outside
from leaderboard.html.frame import caption, head, part, scroll
from leaderboard.html.glyph import delivery_glyph
from leaderboard.html.words import Words, texts
from lvqa_eval.reports.deliveries import DELIVERIES

COMMANDS: Final = (
    ("run", "lvqa run --model ORG/MODEL --out runs/model"),
    ("check", "lvqa submit runs/model --check"),
    ("submit", "lvqa submit runs/model --repo ORG/RESULTS"),
)


def about(standings: Sequence[Standing], harness: str, words: Words) -> Markup:
    """Return the page: definitions, conditions, badges, versions, citation, commands.

    `harness` is the version of LVQA that the board itself runs.
    """
    sections = (
        (words("about.terms"), _definitions(words)),
        (words("about.conditions"), _conditions(words)),
        (words("about.versions"), _versions(standings, harness, words)),
        (words("about.cite"), _papers(words)),
        (words("about.commands"), _commands(words)),
    )
    parts = [el("section", head(title), content, class_="lv-about") for title, content in sections]
    return part(words, *parts, badge_ladder(words))


def _definitions(words: Words) -> Markup:
    names = sorted(
        (
            key.split(".")[1]
            for key in texts(words.language)
            if key.startswith("term.") and key.endswith(".name")
        ),
        key=lambda name: words(f"term.{name}.name").casefold(),
    )
    return _list((words(f"term.{name}.name"), words(f"term.{name}.meaning")) for name in names)


def _conditions(words: Words) -> Markup:
    return _list((joined([delivery_glyph(name), name]), words(f"condition.{name}")) for name in DELIVERIES)


def _versions(standings: Sequence[Standing], harness: str, words: Words) -> Markup:
    heads = ("benchmark", "version", "questions", "clusters", "conditions", "runs", "manifest")
    rows = [
        el(
            "tr",
            el("th", outer(one.benchmark), scope="row", class_="pin"),
            el("td", outer(one.version)),
            el("td", words.integer(one.questions), class_="n"),
            el("td", words.integer(one.clusters), class_="n"),
            el("td", words.integer(len(one.conditions)), class_="n"),
            el("td", words.integer(one.runs), class_="n"),
            el("td", outer(one.manifest_sha256[:16]), class_="mono"),
        )
        for one in standings
    ]
    numbers = heads[2:6]
    titles = [
        el(
            "th",
            words(f"about.version.{name}"),
            scope="col",
            class_="n" if name in numbers else "pin" if name == heads[0] else None,
        )
        for name in heads
    ]
    title = words("about.versions")
    table = el("table", caption(title), el("thead", el("tr", *titles)), el("tbody", *rows), class_="lv-tbl")
    return joined([scroll(title, table), el("p", words("about.harness", version=harness), class_="lv-note")])


def _papers(words: Words) -> Markup:
    items = [
        el(
            "li",
            words(f"about.paper.{name.split()[0]}"),
            " ",
            el("a", address.removeprefix("https://"), href=outside(name)),
        )
        for name, address in OUTSIDE.items()
    ]
    return el("ul", *items, class_="lv-plain")


def _commands(words: Words) -> Markup:
    items = [el("li", words(f"about.command.{name}"), el("code", command)) for name, command in COMMANDS]
    return el("ol", *items, class_="lv-plain")


def _list(pairs: Iterable[tuple[str, str]]) -> Markup:
    items = [el("div", el("dt", name), el("dd", meaning)) for name, meaning in pairs]
    return el("dl", *items, class_="lv-terms")
