"""Every part of the pages with one text wherever a text may come from outside."""

from dataclasses import replace

from leaderboard.board.records import JudgeBoard, Matrix, Row
from leaderboard.html import compare, detectors, figures, judges, problems
from leaderboard.html.about import about
from leaderboard.html.badges import badge_ladder
from leaderboard.html.columns import Sorted
from leaderboard.html.condition_matrix import Costs, condition_matrix
from leaderboard.html.exchange import Exchange, Reply
from leaderboard.html.frame import page_head
from leaderboard.html.heat import PatchMap, patch_map
from leaderboard.html.history import history
from leaderboard.html.layers import Layer, scene_view
from leaderboard.html.ledger import ledger
from leaderboard.html.ranking import Ranking, ranking
from leaderboard.html.timeline import timeline
from leaderboard.html.words import Words
from leaderboard.submissions.records import About, Problem
from tests.support import board_records as made


def _entry(text, number=0, **given):
    return made.entry(
        f"{text}{number}",
        id=text,
        revision=text,
        harness=text,
        benchmark=text,
        dataset_version=text,
        judges=(text, text),
        received=text,
        source=text,
        reason=text,
        conditions=(text,),
        **given,
    )


def _matrix(text, rows, columns):
    names = [f"{text}{row}" for row in range(rows)], [f"{text} {column}" for column in range(columns)]
    cells = {(row, column): made.figure(-0.1) for row in names[0] for column in names[1]}
    return Matrix(tuple(names[0]), tuple(names[1]), cells)


def _tables(text, words):
    kinds = (("ranked", "panel"), ("not ranked", "self-judged"), ("reported", "reported"))
    rows = [
        Row(_entry(text, at, shown=shown, badge=badge), {"delivered": made.figure(0.5)}, 1)
        for at, (shown, badge) in enumerate(kinds)
    ]
    under = {"full": text, "joint": text}
    table = Ranking(
        rows,
        made.DELIVERED,
        made.LAYERED_COLUMNS,
        Sorted("delivered"),
        "ranking.title",
        "ranking.layered_source",
        under=under,
    )
    standing = replace(
        made.STANDINGS[0], benchmark=text, version=text, manifest_sha256=text, conditions=(text,)
    )
    line = figures.Line(text, (figures.Mark(-0.1, reported=True), figures.Mark(-0.2)))
    return {
        "page head": page_head("layered", words, standing),
        "ranking": ranking(table, words),
        "conditions": condition_matrix(Costs(_matrix(text, 2, 3), _matrix(text, 1, 3)), words),
        "figure": figures.line_figure(
            figures.LineFigure(text, text, "difference", (text, text), (line,), text, (text, text), text),
            words,
        ),
        "about": about((standing,), text, words),
        "ladder": badge_ladder(words, "panel"),
    }


def _of_detectors_and_judges(text, words):
    row = replace(
        made.detector_rows()[0], model=text, benchmark=text, condition=text, detector=text, source=text
    )
    matrix = _matrix(text, 2, 2)
    board = JudgeBoard(
        matrix, {text: made.figure(0.01)}, {text: made.figure(0.02)}, ((text, text, made.figure(0.9), 0.8),)
    )
    return {
        "detectors": detectors.detector_matrix([row], "balanced_accuracy", words),
        "judge matrix": judges.judge_matrix(matrix, words),
        "judge table": judges.judge_table(board, words),
        "agreement of judges": judges.agreement_table(board, words),
    }


def _examples(text, words):
    turn = replace(
        made.EXCHANGE.turns[0],
        user=text,
        pictures=((text, made.picture("a")),),
        replies=(Reply(text, "right", asked=text, ungrounded=True), Reply(text, "wrong")),
    )
    exchange = Exchange(text, (turn, turn), (text, text), ("right", "wrong"), (0,), 1)
    layers = tuple(Layer(number, made.picture("a"), text) for number in range(2))
    scene = replace(made.SCENE, layers=layers, reference=text, category=text, gold=(0,))
    return {
        "scene": scene_view(scene, exchange, 1, words, evidence=True),
        "timeline": timeline(exchange, 2, words, evidence=True),
        "ledger": ledger(exchange, 2, words, evidence=True),
        "patches": patch_map(PatchMap(made.picture("a"), ((0.1, 0.2), (0.1, 0.4)), text), words),
    }


def _comparisons(text, words):
    figure = made.figure(0.1)
    contrasts = [
        compare.Contrast(text, figure, figure, figure, 3, 300),
        compare.Contrast(text, figure, None, None, 3, 300, text),
    ]
    answers = compare.Differing(text, text, text, text, (text, text), ("right", "wrong"))
    return {
        "comparison": compare.comparison(contrasts, (text, text), words),
        "agreement": compare.agreement_table(made.AGREEMENT, text, text, words),
        "differing": compare.differing_table([answers], (text, text), words, {"a": text}),
    }


def _submissions(text, words):
    found = [Problem(None, text, text, text, text), Problem(7, text, text, text, text)]
    receipt = replace(made.RECEIPT, id=text, about=About(text, text, None, None, text, text), benchmark=text)
    return {
        "refusal": problems.refusal(found, 1, 2, words),
        "acceptance": problems.acceptance(receipt, made.SCORE, 0.99, 1, words),
        "history": history([_entry(text)], words, {text: made.SCORE}),
    }


GROUPS = (_tables, _of_detectors_and_judges, _examples, _comparisons, _submissions)
"""Each takes a text and `Words`, and returns name -> HTML of its parts."""


def hostile_parts(text: str, words: Words) -> dict[str, str]:
    """Return name -> HTML of every part, made of records that have `text` in each of their texts."""
    return {name: html for group in GROUPS for name, html in group(text, words).items()}
