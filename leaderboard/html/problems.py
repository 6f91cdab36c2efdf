"""What came of a submission: a sentence that says so with its count, then every problem with its place."""

from collections.abc import Sequence
from typing import Final

from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.frame import caption, note, part, scroll, small
from leaderboard.html.words import Words
from leaderboard.submissions.records import Problem, Receipt
from lvqa_eval.metrics.bootstrap import Estimate

_MENDS: Final = (
    ("text", "text"),
    ("JSON", "json"),
    ("about.model", "name"),
    ("about", "about"),
    ("settings.dataset", "dataset"),
    ("settings.lvqa", "harness"),
    ("settings.prompts", "prompts"),
    ("conversation", "conversation"),
    ("file", "file"),
)
"""What a field begins with, and the text that says how to mend it; any other field has `mend.packed`."""


def refusal(problems: Sequence[Problem], read: int, planned: int | None, words: Words) -> Markup:
    """Return that a submission was not taken, and why; `read` of the `planned` conversations were read."""
    if planned is None:
        told = words.count("problems.read", read)
    else:
        told = words.count("problems.read_of", planned, read=words.integer(read))
    box = el(
        "div", el("h2", words.count("problems.refused", len(problems))), el("p", told), class_="lv-verdict"
    )
    return part(words, box, problem_table(problems, words))


def acceptance(receipt: Receipt, score: Estimate, coverage: float, version: int, words: Words) -> Markup:
    """Return that a submission was taken: its provisional score (a share), and what comes next."""
    title = words("problems.accepted", score=words.percent(score.value))
    told = words.count(
        "problems.taken",
        receipt.conversations,
        coverage=words.coverage(coverage),
        version=words.integer(version),
    )
    name = el("p", outer(receipt.about.model), small(el("span", receipt.id[:16], class_="mono")))
    return part(words, el("div", el("h2", title), name, el("p", told), class_="lv-verdict ok"))


def problem_table(problems: Sequence[Problem], words: Words) -> Markup:
    """Return the problems in the order given: line and id, field, found, allowed, and how to mend it."""
    names = ("place", "field", "found", "allowed", "mend")
    heads = [el("th", words("problems.number"), scope="col", class_="n")]
    heads += [el("th", words(f"problems.{name}"), scope="col") for name in names]
    rows = [_row(number, one, words) for number, one in enumerate(problems, 1)]
    title = words("problems.title")
    table = el(
        "table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl lv-prob"
    )
    return part(words, scroll(title, table), note(words("problems.same")))


def _row(number: int, problem: Problem, words: Words) -> Markup:
    if problem.line is None:
        place = words("problems.whole")
    else:
        place = words("problems.line", n=words.integer(problem.line))

    def labelled(name: str, content: Markup, class_: str | None = None) -> Markup:
        return el("td", el("span", words(f"problems.{name}"), ": ", class_="lab"), content, class_=class_)

    return el(
        "tr",
        el("td", words.integer(number), class_="n no"),
        el("th", place, small(outer(problem.id)) if problem.id else None, scope="row", class_="where"),
        labelled("field", outer(problem.field), "field"),
        labelled("found", outer(problem.found)),
        labelled("allowed", outer(problem.allowed)),
        labelled("mend", el("span", words(f"mend.{_mend(problem.field)}")), "mend"),
    )


def _mend(field: str) -> str:
    return next((name for start, name in _MENDS if field.startswith(start)), "packed")
