"""The word CORRECT or INCORRECT in a judge's reply: where it rules, and where nothing is guessed."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.detectors.verdicts.ruling import parse_verdict_word
from lvqa_eval.judging.rulings import VerdictError

CORRECT = [
    "CORRECT",
    "correct",
    "Correct.",
    " **CORRECT** ",
    "`CORRECT`",
    '"CORRECT"',
    "_Correct_",
    "CORRECT!",
    "Verdict: CORRECT",
    "**Verdict:** correct",
    "<verdict>CORRECT</verdict>",
    '{"verdict": "CORRECT"}',
    r"\boxed{CORRECT}",
    r"\text{CORRECT}",
    "The response is CORRECT.",
    "The assistant's response is correct.",
    "So the final answer is: CORRECT",
    "Therefore, it is correct.",
    "I conclude that the response is CORRECT",
    "CORRECT - the sign reads 12.",
    "CORRECT: the sign reads 12.",
    "CORRECT (as the sign reads)",
    "CORRECT, the sign reads 12.",
    "Correct because the sign reads 12.",
    "CORRECT\nThe sign reads 12.",
    "The page lists 12 units. The response says 12.\n\nCORRECT",
    "1. The sign reads 12.\n2. CORRECT",
    "Is it correct? The sign reads 12.\nCORRECT",
    "CORRECT. The response is correct.",
    "Let me check whether it is correct first. It reads 12.\n\nVerdict: CORRECT",
    "The response correctly reads 12: nothing of the rest matters.\nCORRECT",
    "CORRECT\r\nIt reads 12.",
]
INCORRECT = [
    "INCORRECT",
    "Incorrect",
    "incorrect.",
    "**INCORRECT**",
    "INCORRECT. The sign reads 12, and the response says 13.",
    "Judgement: INCORRECT",
    "The response is incorrect, since the sign reads 12.",
    "The circle is red; the response is incorrect",
    "> The response: CORRECTNESS is all.\nINCORRECT",
]
NEITHER = {
    "": "found neither CORRECT nor INCORRECT",
    "Yes.": "found neither",
    "The response is right.": "found neither",
    "It is wrong": "found neither",
    "CORRECTLY": "found neither",
    "correctness": "found neither",
    "in-correct": "found neither",
    "uncorrect": "found neither",
    "CORRECT-ish": "found neither",
    "СORRECT": "found neither",  # the first letter is Cyrillic
    "CORRECT or INCORRECT": "found both",
    "CORRECT/INCORRECT": "found both",
    "INCORRECT. The correct answer is 12.": "found both",
    "CORRECT\nINCORRECT": "found both",
    "not correct": "found correct behind a 'not'",
    "The response is not correct.": "behind a 'not'",
    "It isn't correct.": "behind a 'not'",
    "It isn’t quite correct": "behind a 'not'",
    "The response is not entirely CORRECT": "behind a 'not'",
    "Not incorrect": "behind a 'not'",
    "It is not correct. Verdict: CORRECT": "behind a 'not'",
    "I cannot say CORRECT": "behind a 'not'",
    "The correct answer is 12.": "found correct only among other words",
    "Correct answer: 12": "only among other words",
    "partially correct": "only among other words",
    "mostly CORRECT": "only among other words",
    "Is the response correct?": "only among other words",
    "Is the response correct, or is it 13?": "only among other words",
    "If the page is the last one, the response is correct.": "only among other words",
    "I will say whether it is correct": "only among other words",
    "The response is correct if the page is the last one.": "only among other words",
    "The response says it is CORRECT": "only among other words",
    "> CORRECT": "only among other words",
    "CORRECT?": "only among other words",
}


@pytest.mark.parametrize("text", CORRECT)
def test_the_reply_says_correct(text):
    assert parse_verdict_word(text).incorrect is False


@pytest.mark.parametrize("text", INCORRECT)
def test_the_reply_says_incorrect(text):
    assert parse_verdict_word(text).incorrect is True


@pytest.mark.parametrize("text", NEITHER)
def test_nothing_is_guessed(text):
    with pytest.raises(VerdictError, match=NEITHER[text]):
        parse_verdict_word(text)


def test_the_word_that_rules_is_the_first_one_that_does():
    found = parse_verdict_word("Whether it is correct: it reads 12.\nVerdict: CORRECT\nCORRECT")
    assert found == (False, 45, 52)


@given(st.text(max_size=60) | st.text("correctinCORREC .\n?:", max_size=60))
def test_any_text_gives_a_verdict_or_one_reason(text):
    with contextlib.suppress(VerdictError):
        found = parse_verdict_word(text)
        assert text[found.start : found.end].casefold() == ("incorrect" if found.incorrect else "correct")


@given(st.sampled_from(["CORRECT", "INCORRECT"]), st.text("xyz \n.,:;!?>*", max_size=30))
def test_what_stands_before_never_turns_a_verdict_round(word, before):
    with contextlib.suppress(VerdictError):
        assert parse_verdict_word(f"{before}{word}").incorrect is (word == "INCORRECT")


def test_replies_of_other_judges_are_no_verdict_of_one_word():
    path = Path(__file__).resolve().parents[3] / "cases" / "judge_json_replies.json"
    refused = [one["raw"] for one in json.loads(path.read_text()) if one["id"] in ("refusal", "empty")]
    assert len(refused) == 2
    for reply in refused:
        with pytest.raises(VerdictError, match="found neither"):
            parse_verdict_word(reply)
