"""The page that compares two models, paired over the questions and runs that both have."""

import math
from collections.abc import Sequence
from typing import Any, Final

import gradio as gr

from leaderboard.board.compare import Disagreement, PairedFigures, agreement, disagreements
from leaderboard.board.downloads import Download
from leaderboard.compare import Comparisons, PairFound
from leaderboard.examples.fields import pair_fields
from leaderboard.examples.pair_table import QUESTIONS, TABLE, differing_questions, pair_table
from leaderboard.html.compare import Contrast, Differing, agreement_table, comparison, differing_table
from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.frame import note, part
from leaderboard.html.words import Words
from leaderboard.pages.choosing import add_chooser, library_of, offer_of
from leaderboard.pages.shell import Shell, updated
from leaderboard.pages.toolbar import take_home
from leaderboard.views import View
from lvqa_eval.metrics.bootstrap import Estimate

SHOWN: Final = 20
"""Questions on which two models differ that the page lists; the file has all."""

_SWAP: Final = "() => lv.swap('a', 'b')"


def build(app: Shell) -> None:
    """Add the page."""
    library = library_of(app)
    offer = offer_of(library)
    fields = pair_fields(offer)
    pairs = None if library is None else Comparisons(library)
    with app.page("compare", fields) as page:
        with gr.Row(elem_classes="lv-filters"):
            for one in fields:
                add_chooser(page, one, offer)
            with gr.Row(elem_classes="lv-take"):
                swap = gr.Button("Swap A and B", size="sm", min_width=0, elem_classes="lv-plain-button")
                take_home(page, TABLE)
        page.output(swap, lambda view: updated(value=view.words("pair.swap")), ())
        swap.click(None, None, js=_SWAP, api_visibility="private")
        page.part(lambda view: _figures(pairs, view), ("benchmark", "a", "b"))
        page.part(lambda view: _questions(pairs, view))
        page.table(TABLE, lambda view: _table(pairs, view))
        page.table(QUESTIONS, lambda view: _asked(pairs, view))


def _figures(pairs: Comparisons | None, view: View) -> str:
    words, found = view.words, _found(pairs, view)
    if found is None:
        alone = not view.text("benchmark") or not view.text("b")
        return part(words, note(words("pair.alone" if alone else "pair.none")))
    contrasts = [_contrast(one, words, found.choices.layered) for one in found.compared.figures]
    return part(words, comparison(contrasts, found.models(words), words), _told(found, words))


def _questions(pairs: Comparisons | None, view: View) -> str:
    words, found, condition = view.words, _found(pairs, view), view.text("condition")
    if found is None or condition not in found.compared.pair.conditions:
        return ""
    counts, undecided = agreement(found.compared.pair, condition)
    asked = disagreements(found.compared.pair, condition)
    decided = len(found.compared.pair.questions) - undecided
    table = agreement_table(
        counts,
        words("pair.agreement.title", condition=condition),
        words.count("pair.agreement.lead", decided),
        words,
    )
    left_out = note(words.count("pair.agreement.undecided", undecided)) if undecided else None
    return part(
        words,
        el("div", table, left_out),
        el("div", *_listed(asked, found, view)),
        class_="lv-differing",
    )


def _listed(asked: Sequence[Disagreement], found: PairFound, view: View) -> list[Markup]:
    words = view.words
    if not asked:
        return [note(words("pair.none_differ"))]
    told = {"lang": words.language, "benchmark": view.text("benchmark"), "a": found.a, "b": found.b}
    listed = [_differing(one, found, view) for one in asked[:SHOWN]]
    shown = [differing_table(listed, found.models(words), words, told)]
    if len(asked) > SHOWN:
        shown.append(note(words.count("pair.first", len(asked), shown=words.integer(SHOWN))))
    return shown


def _table(pairs: Comparisons | None, view: View) -> Download:
    found = _found(pairs, view)
    return Download(TABLE, (), ()) if found is None else pair_table(found.compared, _about(found, view))


def _asked(pairs: Comparisons | None, view: View) -> Download:
    found, condition = _found(pairs, view), view.text("condition")
    if found is None or condition not in found.compared.pair.conditions:
        return Download(QUESTIONS, (), ())
    return differing_questions(
        found.compared, condition, lambda one: found.replies(condition, one), _about(found, view)
    )


def _found(pairs: Comparisons | None, view: View) -> PairFound | None:
    """Return the two models of a view compared; None where there are no two, or no judge of both."""
    benchmark, a, b = (view.text(name) for name in ("benchmark", "a", "b"))
    return None if pairs is None or not (benchmark and a and b) else pairs.found(benchmark, a, b)


def _about(found: PairFound, view: View) -> dict[str, Any]:
    a, b = found.models(view.words)
    return {"state": view.board.state, "benchmark": view.text("benchmark"), "a": a, "b": b}


def _told(found: PairFound, words: Words) -> Markup:
    compared = found.compared
    judged = words("pair.judged", judges=", ".join(compared.judges))
    shared = words(
        "pair.shared",
        conditions=words.integer(len(compared.pair.conditions)),
        questions=words.integer(len(compared.pair.questions)),
    )
    return note(shared, " ", outer(judged), f" {words('pair.mixed')}" if compared.mixed else None)


def _contrast(one: PairedFigures, words: Words, layered: bool) -> Contrast:
    split = one.split
    group = f"pair.group.{split.group or 'condition'}"
    return Contrast(
        name=_name(one, words),
        a=_known(one.a),
        b=_known(one.b),
        difference=_known(one.difference),
        differ=one.differ,
        questions=one.questions,
        group="" if layered and not split.group else words(group),
    )


def _name(one: PairedFigures, words: Words) -> str:
    group, name = one.split.group, one.split.name
    if group == "overall":
        return words("pair.delivered", n=words.integer(len(one.split.conditions)))
    if group == "depth":
        return words.count("pair.layers", int(name))
    if group in ("language", "domain", "content"):
        return words(f"column.{name}")
    return words(f"column.{'-'.join(reversed(name.split('-')))}") if group == "cell" else name


def _known(figure: Estimate) -> Estimate | None:
    return figure if math.isfinite(figure.value) else None


def _differing(one: Disagreement, found: PairFound, view: View) -> Differing:
    condition, question = view.text("condition"), one.question
    first, second = found.replies(condition, one)
    right = one.change > 0
    turns = found.choices.turns(condition, question.question_id)
    run = one.runs[0]
    return Differing(
        question.question_id,
        condition,
        question.category,
        question.answer,
        (first, second),
        ("right", "wrong") if right else ("wrong", "right"),
        (("scene", question.scene_id), ("turn", str(turns)), ("run", str(run) if run > 1 else "")),
    )
