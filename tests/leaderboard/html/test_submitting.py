"""The parts of the page that takes submissions: limits in words, and whatever a file or a model is called."""

import math

import pytest

from leaderboard.html.submitting import asked_for, chosen, commands, fits, limits_note, refused, score_table
from leaderboard.html.words import Words
from leaderboard.submissions.reading import Limits
from lvqa_eval.metrics.figures import Figure
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")
HOSTILE = '"><img src=x onerror=alert(1)><script>x</script>${alert(1)}{{x}}'
SCORE = Figure(0.487, 0.45, 0.52, 900, 93, 0, 300, 1000)


def test_limits_are_told_in_the_words_of_the_page():
    told = limits_note(Limits(line_bytes=1000), EN)
    assert "At most 128 MiB as sent, 512 MiB unpacked, 1,000 bytes a line; 16,000 conversations" in told
    assert "Не больше 128 МиБ в присланном виде" in limits_note(Limits(), RU)


@pytest.mark.parametrize("words", [EN, RU], ids=["en", "ru"])
def test_names_from_outside_are_text(words):
    parts = [
        chosen(HOSTILE, 2 << 20, words),
        fits(HOSTILE, SCORE, 0.9, 900, words),
        asked_for(HOSTILE, SCORE, HOSTILE, 900, words),
        refused(HOSTILE, words),
        score_table([(HOSTILE, SCORE)], words),
    ]
    for part in parts:
        parsed(part)
        assert not any(sign in part for sign in ("<img", "<script", "${", "{{", "onerror=alert(1)>"))
        assert "&lt;img src=x onerror=alert(1)&gt;" in part


def test_a_score_has_its_interval_its_conversations_and_its_coverage():
    told = score_table(
        [("Delivered", SCORE), ("full", SCORE.__class__(0.5, math.nan, math.nan, 3, 1, 0, 3, 3))], EN
    )
    assert "48.7" in told
    assert "45.0\N{EN DASH}52.0" in told
    assert ">900<" in told
    assert ">90.0<" in told
    assert told.count("\N{EN DASH}") == 1
    assert "48,7" in score_table([("x", SCORE)], RU)


def test_commands_name_the_repository_of_the_board():
    assert "lvqa submit runs/NAME --repo ORG/results --open" in commands("ORG/results", EN)
    assert "lvqa submit runs/NAME --board board --open" in commands(None, RU)
