"""A page of all parts of the board with invented records, to be looked at and tried in a browser."""

from collections.abc import Mapping
from pathlib import Path

from leaderboard.html import compare, detectors, figures, judges, problems
from leaderboard.html.about import about
from leaderboard.html.columns import Sorted
from leaderboard.html.condition_matrix import Costs, condition_matrix
from leaderboard.html.frame import beside, page_head, part
from leaderboard.html.heat import patch_map
from leaderboard.html.history import history
from leaderboard.html.layers import scene_view
from leaderboard.html.ledger import ledger
from leaderboard.html.ranking import Ranking, ranking
from leaderboard.html.strip import strip
from leaderboard.html.style import style
from leaderboard.html.timeline import timeline
from leaderboard.html.words import Words
from tests.support import board_records as made

_FRAME = """<!doctype html><html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{name}</title>
<link rel="icon" href="data:,">
<style>{style}
body {{ margin: 0 }}
main {{ display: flex; flex-direction: column; gap: 20px; max-width: 1280px; margin: 0 auto;
  padding: 16px 20px 40px; box-sizing: border-box }}
@media (max-width: 900px) {{ main {{ padding: 12px }} }}
</style></head><body class="{theme}"><main>{parts}</main></body></html>"""


def layered(words: Words) -> list[str]:
    """Return the page of Layered-VQA."""
    table = Ranking(
        made.layered_rows(),
        made.DELIVERED,
        made.LAYERED_COLUMNS,
        Sorted("delivered"),
        "ranking.title",
        "ranking.layered_source",
    )
    mark = figures.Mark
    return [
        page_head("layered", words, made.STANDINGS[0]),
        strip(made.strip_stats(), words),
        ranking(table, words),
        condition_matrix(Costs(made.costs(), made.reported_costs()), words),
        beside(
            words,
            figures.depth_figure(made.depth_lines(), (2, 3, 4, 5, 6), (42, 78, 84, 60, 36), words),
            figures.restoring_figure(
                (mark(-0.141, reported=True), mark(0.068, reported=True)),
                (mark(-0.285, -0.31, -0.26), mark(0.059, 0.03, 0.08)),
                words,
            ),
        ),
    ]


def bear(words: Words) -> list[str]:
    """Return the page of BEAR-Bench."""
    table = Ranking(
        made.bear_rows(),
        made.OVERALL,
        made.BEAR_COLUMNS,
        Sorted("gap", descending=False),
        "ranking.title",
        "ranking.bear_source",
        under={"en": "n 382", "ru": "n 618", "business": "n 532", "science": "n 468"},
    )
    lines = made.resolution_lines()
    return [
        page_head("bear", words, made.STANDINGS[1]),
        ranking(table, words),
        beside(
            words,
            figures.resolution_figure(lines, (1, 1.5, 2, 3, 4), words),
            patch_map(made.patches(), words),
        ),
    ]


def detection(words: Words) -> list[str]:
    """Return the pages of detectors and judges."""
    rows, board = made.detector_rows(), made.judge_board()
    return [
        page_head("detectors", words),
        *(
            detectors.detector_matrix(rows, measure, words, measure)
            for measure in ("balanced_accuracy", "average_precision")
        ),
        page_head("judges", words),
        judges.judge_matrix(board.crossed, words),
        beside(words, judges.judge_table(board, words), judges.agreement_table(board, words)),
    ]


def examples(words: Words) -> list[str]:
    """Return an example at its fifth turn, with the evidence and without."""
    shown = []
    for turn, evidence in ((5, True), (3, False)):
        exchange = made.EXCHANGE
        talk = part(
            words,
            timeline(exchange, turn, words, evidence=evidence),
            ledger(exchange, turn, words, evidence=evidence),
        )
        scene = scene_view(made.SCENE, exchange, turn, words, evidence=evidence)
        shown.append(beside(words, scene, talk, narrow_first=True))
    return [page_head("examples", words), *shown]


def comparing(words: Words) -> list[str]:
    """Return the page that compares two models."""
    models = made.EXCHANGE.models
    return [
        page_head("compare", words),
        compare.comparison(made.contrasts(), models, words),
        beside(
            words,
            compare.agreement_table(
                made.AGREEMENT, "sharded-v", words.count("standing.questions", 300), words
            ),
            compare.differing_table(made.DIFFERING, models, words, {"a": "1"}),
        ),
    ]


def submitting(words: Words) -> list[str]:
    """Return what a submitter is told, and the history."""
    return [
        page_head("submit", words),
        problems.refusal(made.PROBLEMS, 14396, 14400, words),
        problems.acceptance(made.RECEIPT, made.SCORE, 0.9994, 2, words),
        page_head("history", words),
        history(made.history_entries(), words, {made.history_entries()[1].id: made.SCORE}),
    ]


def telling(words: Words) -> list[str]:
    """Return the page of definitions."""
    return [page_head("about", words), about(made.STANDINGS, "0.1.0", words)]


PAGES: Mapping = {
    "layered": layered,
    "bear": bear,
    "detectors": detection,
    "examples": examples,
    "compare": comparing,
    "submit": submitting,
    "about": telling,
}


def write_pages(folder: Path, language: str, theme: str) -> dict[str, Path]:
    """Write every page in a language and a theme, with pictures beside them; returns name -> path."""
    draw_pictures(folder / "pictures")
    words = Words(language)
    paths = {}
    for name, made_of in PAGES.items():
        paths[name] = folder / f"{name}-{language}-{theme}.html"
        parts = "\n".join(made_of(words))
        page = _FRAME.format(language=language, name=name, style=style(), theme=theme, parts=parts)
        paths[name].write_text(page, encoding="utf-8")
    return paths


def draw_pictures(folder: Path) -> None:
    """Draw the layers of a scene on the checkerboard, the scene itself and a page."""
    from PIL import Image, ImageDraw

    folder.mkdir(parents=True, exist_ok=True)
    size = (448, 336)

    def board():
        image = Image.new("RGB", size, (255, 255, 255))
        draw = ImageDraw.Draw(image)
        for x in range(0, size[0], 16):
            for y in range(0, size[1], 16):
                if (x + y) // 16 % 2:
                    draw.rectangle((x, y, x + 15, y + 15), fill=(204, 204, 204))
        return image

    def paint(draw, number):
        if number == 0:
            draw.rectangle((0, 0, *size), fill="#CBD3D8")
            draw.rectangle((0, 240, *size), fill="#A98A6B")
        elif number == 1:
            draw.rectangle((270, 30, 400, 150), fill="#9CC1DA", outline="#F0EEE4", width=8)
        elif number in (2, 3):
            x, colour = (110, "#2B65AB") if number == 2 else (320, "#B6453A")
            draw.rectangle((x, 200, x + 55, 265), fill=colour)
        elif number == 4:
            draw.polygon([(230, 215), (205, 130), (240, 180), (255, 110), (262, 215)], fill="#3F7D4B")
            draw.rectangle((215, 215, 275, 275), fill="#BC774A")
        else:
            draw.rectangle((48, 150, 56, 265), fill="#5E6670")
            draw.polygon([(20, 100), (85, 100), (100, 150), (5, 150)], fill="#DDB551")

    whole = Image.new("RGB", size)
    for number in range(6):
        layer = board()
        paint(ImageDraw.Draw(layer), number)
        layer.save(folder / f"layer-{number}.png")
        paint(ImageDraw.Draw(whole), number)
    whole.save(folder / "composite.png")
    page = Image.new("RGB", (680, 880), "white")
    draw = ImageDraw.Draw(page)
    for y in range(40, 840, 18):
        draw.line((50, y, 380 + (y * 37) % 250, y), fill="#333333", width=2)
    draw.rectangle((60, 560, 300, 700), outline="#333333", width=2)
    page.save(folder / "page.png")
