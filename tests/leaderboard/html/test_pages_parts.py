"""Comparison, submission, history, badges and definitions."""

from leaderboard.html.about import about
from leaderboard.html.badges import badge, badge_ladder
from leaderboard.html.compare import Contrast, agreement_table, comparison, differing_table
from leaderboard.html.escape import OUTSIDE
from leaderboard.html.frame import page_head
from leaderboard.html.history import history
from leaderboard.html.problems import acceptance, problem_table, refusal
from leaderboard.html.terms import condition_term, term, titled
from leaderboard.html.words import Words, texts
from leaderboard.submissions.records import BADGES, Problem
from tests.support import board_records as made
from tests.support.board_records import figure
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")
MODELS = ("first", "second")


def test_a_comparison_has_both_figures_the_difference_and_its_interval():
    table = parsed(
        comparison(
            [Contrast("full", figure(0.706), figure(0.684), figure(0.022, 0.036), 86, 300)], MODELS, EN
        )
    )
    cells = table.one("tbody").rows()[1]
    assert cells == [
        "fullfullThe whole scene and the whole question in one turn. Every difference is taken to it.",
        "70.6", "68.4", "+2.2[−1.4, +5.8]", "[−1.4, +5.8]", "", "86",
    ]  # fmt: skip
    assert table.one("thead").rows()[0][3:] == [
        "A − B",
        "95 %",
        "← B betterA better →−10−50510",
        "Differof 300",
    ]
    assert "No correction" not in table.one("p", "lv-note").text


def test_what_covers_zero_is_hollow_and_regular_and_what_does_not_is_filled_and_bold():
    contrasts = [
        Contrast("concat-q", figure(0.6), figure(0.5), figure(0.1, 0.05), 9, 300),
        Contrast("oracle", figure(0.6), figure(0.6), figure(0.01, 0.05), 9, 300),
    ]
    table = parsed(comparison(contrasts, MODELS, EN))
    rows = [row for row in table.all("tr") if row.all(class_="lv-glyphed")]
    assert [bool(row.children[3].all("b")) for row in rows] == [True, False]
    assert [row.one("circle").classes for row in rows] == [[], ["hollow"]]
    assert "No correction for 2 comparisons" in table.one("p", "lv-note").text


def test_a_comparison_stands_by_family_and_a_gap_is_a_dash():
    table = parsed(comparison(made.contrasts(), MODELS, EN))
    assert [one.text for one in table.all(class_="stay")] == [
        *(
            "Reference",
            "Question in pieces",
            "Scene in layers",
            "Evidence order",
            "Both at once",
            "Diagnostic",
        ),
    ]
    gap = next(row for row in table.all("tr") if row.text.startswith("snowball-v"))
    assert [cell.text for cell in gap.children[2:5]] == ["–no figure"] * 3
    assert gap.all("circle") == []


def test_parts_of_pages_stand_in_the_groups_that_they_are_given():
    contrasts = [Contrast(name, None, None, figure(0.01), 1, 9, "Language") for name in ("EN", "RU")]
    table = parsed(comparison(contrasts, MODELS, RU))
    assert [one.text for one in table.all(class_="stay")] == ["Language"]
    assert table.all("svg", "lv-glyph") == []


def test_the_counts_on_which_models_differ_are_shaded():
    table = parsed(agreement_table(made.AGREEMENT, "sharded-v", "300 questions", EN))
    assert table.rows() == [
        ["Number of questions", "B correct", "B wrong"],
        ["A correct", "86", "44"],
        ["A wrong", "28", "142"],
    ]
    assert [one.text for one in table.all("td", "d")] == ["44", "28"]


def test_a_question_on_which_they_differ_leads_to_its_example():
    table = parsed(differing_table(made.DIFFERING, MODELS, EN, {"a": "x y", "lang": "en"}))
    links = [one.attributes["href"] for one in table.all("a")]
    assert links[0] == "examples?question=q-0112&condition=sharded-v&a=x+y&lang=en"
    assert table.rows()[1] == ["q-0112sharded-v", "spatial", "blue", "✓correctBlue.", "✗wrongRed."]


def test_a_refusal_counts_its_problems_and_says_how_to_mend_each():
    part = parsed(refusal(made.PROBLEMS, 14396, 14400, EN))
    assert part.one(class_="lv-verdict").text == (
        "Not accepted: 6 problems14,396 of 14,400 conversations read. Nothing was stored."
    )
    rows = [[cell.text for cell in row.children] for row in part.one("tbody").all("tr")]
    assert rows[2] == [
        "3",
        "line 1,204full, q-0112, run 1",
        "Field: conversation",
        "Found: it again, first on line 1187",
        "Allowed: once",
        "Mend: Go on with the run until each conversation claimed is there once, or claim less.",
    ]
    assert [row[1] for row in rows][-1] == "whole filesharded-v, q-0031, run 2"
    assert parsed(refusal(made.PROBLEMS[:1], 1, None, RU)).one("h2").text == "Не принято: 1 ошибка"


def test_every_field_has_a_mend():
    fields = {
        "text": "UTF-8",
        "JSON": "JSON object",
        "about.model": "one script",
        "about.link": "what you say",
        "settings.dataset.version": "version of the dataset",
        "settings.lvqa": "version of LVQA",
        "settings.prompts.multi_turn": "prompts",
        "conversation": "Go on with the run",
        "turns[2].status": "edit nothing by hand",
        "": "edit nothing by hand",
    }
    for field, expected in fields.items():
        (row,) = parsed(problem_table([Problem(1, "", field, "x", "y")], EN)).one("tbody").rows()
        assert expected in row[5], field


def test_an_acceptance_has_the_score_and_what_comes_next():
    text = parsed(acceptance(made.RECEIPT, made.SCORE, 0.9994, 2, EN)).text
    assert text.startswith("Accepted as provisional: 48.7 % exact match")
    assert text.endswith(
        "14,400 conversations, coverage 99.9 %. Version 2 of this model; "
        "unranked until the panel has judged it."
    )
    russian = parsed(acceptance(made.RECEIPT, made.SCORE, 0.9994, 2, RU)).text
    assert "48,7 % точных совпадений" in russian
    assert "14\N{NO-BREAK SPACE}400 диалогов, охват 99,9 %" in russian


def test_the_history_keeps_every_version():
    rows = (
        parsed(history(made.history_entries(), EN, {made.entry("orrery-27b").id: made.SCORE}))
        .one("tbody")
        .rows()
    )
    assert [row[2] for row in rows] == ["2", "1", "1replaced", "1"]
    assert rows[0][3] == "provisionalthe panel has not judged it yet"
    assert [row[4] for row in rows] == ["–no figure", "48.7", "–no figure", "–no figure"]
    assert [row[0] for row in rows] == ["1 Jun 2026", "4 May 2026", "4 May 2026", "–"]
    assert parsed(history([], RU)).one("td", "none").text == "Пока ничего не прислано."


def test_badges_are_words():
    for name in (*BADGES, "reported"):
        assert parsed(badge(name, EN)).text == name
    steps = parsed(badge_ladder(EN, "panel")).all("li")
    assert [one.one("b").text for one in steps] == list(BADGES)
    assert [one.attributes.get("aria-current") for one in steps] == [None, None, "step", None]


def test_a_term_opens_its_card():
    part = parsed(term("tier", EN, "ranking"))
    button, card = part.one("button"), part.one(class_="lv-def")
    assert button.attributes["popovertarget"] == card.attributes["id"] == "lv-ranking-tier"
    assert (button.attributes["type"], "popover" in card.attributes) == ("button", True)
    assert card.text.startswith("TierFrom the top")
    assert parsed(titled("A title", "tier", EN, "x")).one("button").text == "A title"
    assert (titled("A title", "", EN, "x"), condition_term("mine", EN, "x")) == ("A title", "mine")


def test_about_has_every_term_every_condition_and_every_paper():
    part = parsed(about(made.STANDINGS, "0.1.0", EN))
    names = [one.text for one in part.all("dt")]
    terms = [key for key in texts("en") if key.startswith("term.") and key.endswith(".name")]
    assert len(names) == len(terms) + 16
    assert [one.attributes["href"] for one in part.all("a")] == list(OUTSIDE.values())
    assert part.one("table").rows()[2] == ["bear-bench", "1.0.0", "1,000", "412", "2", "1", made.SHA[:16]]


def test_the_head_of_a_page_says_what_its_tables_are_of():
    layered, bear = (parsed(page_head("bear", RU, standing)).text for standing in made.STANDINGS)
    assert layered.endswith(" 93 сцены, 300 вопросов, 3 прогона, версия 1.0.0.")
    assert bear.endswith(" 412 документов, 1000 вопросов, 1 прогон, версия 1.0.0.")
