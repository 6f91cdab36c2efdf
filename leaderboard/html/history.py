"""Every submission, newest first; a later one of a model stands beside those before it."""

from collections.abc import Mapping, Sequence

from leaderboard.board.records import Entry
from leaderboard.html.badges import badge
from leaderboard.html.cells import absent, named, reason
from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.frame import caption, part, scroll, small
from leaderboard.html.terms import term
from leaderboard.html.words import Words
from lvqa_eval.metrics.bootstrap import Estimate


def history(
    entries: Sequence[Entry],
    words: Words,
    scores: Mapping[str, Estimate] | None = None,
    place: str = "history",
) -> Markup:
    """Return the submissions in the order given; `scores` are shares, by the submission's id."""
    heads = [
        el("th", words("history.received"), scope="col"),
        el("th", words("ranking.model"), scope="col", class_="pin"),
        el("th", words("history.version"), scope="col", class_="n"),
        el("th", term("badge", words, place), scope="col"),
        el(
            "th",
            words("history.score"),
            el("span", "\N{NO-BREAK SPACE}%", class_="u"),
            scope="col",
            class_="n",
        ),
        el(
            "th",
            term("coverage", words, place),
            el("span", "\N{NO-BREAK SPACE}%", class_="u"),
            scope="col",
            class_="n",
        ),
        el("th", words("history.dataset"), scope="col"),
        el("th", words("history.harness"), scope="col"),
        el("th", words("history.judges"), scope="col"),
        el("th", words("history.id"), scope="col"),
    ]
    rows = [_row(entry, (scores or {}).get(entry.id), words) for entry in entries]
    if not rows:
        rows = [el("tr", el("td", words("history.none"), colspan=len(heads), class_="none"))]
    title = words("history.title")
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl")
    return part(words, scroll(title, table))


def _row(entry: Entry, score: Estimate | None, words: Words) -> Markup:
    told = reason(entry, words)
    newest = None if entry.newest else small(words("history.replaced"))
    return el(
        "tr",
        el("td", outer(words.day(entry.received))),
        el("th", named(entry, words, entry.revision or ""), scope="row", class_="pin"),
        el("td", words.integer(entry.version), newest, class_="n"),
        el("td", badge(entry.badge, words), small(outer(told)) if told else None),
        absent(words) if score is None else el("td", words.percent(score.value), class_="n"),
        el("td", words.coverage(entry.coverage), class_="n"),
        el("td", outer(entry.dataset_version), small(outer(entry.benchmark))),
        el("td", outer(entry.harness)),
        el("td", outer(", ".join(entry.judges))),
        el("td", outer(entry.id[:12]), class_="mono"),
    )
