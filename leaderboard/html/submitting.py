"""The parts of the page that takes submissions: limits, what a file would score, what became of it."""

from collections.abc import Sequence

from leaderboard.html.cells import figure_cell
from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.frame import caption, head, note, part, scroll, small
from leaderboard.html.words import Words
from leaderboard.submissions.reading import Limits
from lvqa_eval.metrics.figures import Figure

Named = Sequence[tuple[str, Figure]]
"""Figures by the words that name them."""

_MEBIBYTE = 1 << 20


def limits_note(limits: Limits, words: Words) -> Markup:
    """Return how large a submission may be, and what happens to the file."""
    told = words(
        "submit.limits",
        packed=_size(limits.packed_bytes, words),
        unpacked=_size(limits.unpacked_bytes, words),
        line=_size(limits.line_bytes, words),
        conversations=words.integer(limits.conversations),
        judges=words.integer(limits.judges),
    )
    return part(words, el("p", el("b", words("submit.upload"))), note(told), note(words("submit.deleted")))


def chosen(name: str, size: int, words: Words) -> Markup:
    """Return the name of a file that was chosen, as it was called where it came from, and its size."""
    return part(words, el("p", outer(name), small(_size(size, words))))


def waiting(words: Words) -> Markup:
    """Return what stands in the place of an answer before there is one."""
    lead = el("p", words("submit.none"), class_="lv-note")
    return part(words, el("div", el("h2", words("submit.answer")), lead, class_="lv-verdict none"))


def fits(model: str, score: Figure, coverage: float, conversations: int, words: Words) -> Markup:
    """Return that a file would be taken, and that nothing was stored."""
    told = words.count("submit.read", conversations, coverage=words.coverage(coverage))
    title = words("submit.fits", score=words.percent(score.value))
    box = el("div", el("h2", title), el("p", outer(model)), el("p", told), class_="lv-verdict ok")
    return part(words, box)


def asked_for(model: str, score: Figure, url: str, conversations: int, words: Words) -> Markup:
    """Return that a submission waits as a pull request at `url`, which is shown as text."""
    told = el("p", words.count("submit.waits", conversations), small(el("code", url)))
    title = words("submit.asked", score=words.percent(score.value))
    return part(words, el("div", el("h2", title), el("p", outer(model)), told, class_="lv-verdict ok"))


def refused(reason: str, words: Words) -> Markup:
    """Return that nothing was done, and why in a sentence."""
    return part(words, el("div", el("h2", words("submit.not")), el("p", outer(reason)), class_="lv-verdict"))


def score_table(figures: Named, words: Words) -> Markup:
    """Return accuracies by exact match: value, interval, the conversations that they are of, coverage."""
    names = ("accuracy", "n", "coverage")
    heads = [el("th", words("submit.figure"), scope="col")]
    heads += [el("th", words(f"submit.{name}"), scope="col", class_="n") for name in names]
    rows = [
        el(
            "tr",
            el("th", outer(name), scope="row"),
            figure_cell(figure, "share", words, "ends"),
            el("td", words.integer(figure.n), class_="n"),
            el("td", words.coverage(figure.coverage), class_="n"),
        )
        for name, figure in figures
    ]
    title = words("submit.provisional")
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl")
    return part(words, head(title), scroll(title, table), note(words("submit.interval")))


def commands(repo: str | None, words: Words) -> Markup:
    """Return how to hand in from the command line, to the repository of this board if it has one."""
    target = f"--repo {repo}" if repo else "--board board"
    items = (
        ("check", "lvqa submit runs/NAME --check"),
        ("file", "lvqa submit runs/NAME --out NAME.jsonl.gz"),
        ("send", f"lvqa submit runs/NAME {target} --open --size 7.2 --revision main"),
    )
    lines = [el("li", words(f"submit.command.{name}"), el("code", command)) for name, command in items]
    return part(words, head(words("submit.commands")), el("ol", *lines, class_="lv-plain"))


def _size(count: int, words: Words) -> str:
    if count % _MEBIBYTE:
        return words("submit.bytes", n=words.integer(count))
    return words("submit.mebibytes", n=words.integer(count // _MEBIBYTE))
