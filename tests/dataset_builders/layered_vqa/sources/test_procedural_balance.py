"""Procedural questions as a set: even answers, words that do not betray them, faithful shards."""

import re
from collections import Counter
from functools import cache
from random import Random

import numpy as np
import pytest

from dataset_builders.layered_vqa.example import CATEGORIES, Example
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from dataset_builders.layered_vqa.sources.procedural.balance import Balance
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate

SEEDS = (0, 1)
SETS = [(seed, scenes) for seed in SEEDS for scenes in (24, 93)]


@cache
def by_scene(seed: int) -> list[tuple[Example, ...]]:
    return [material.examples for material in ProceduralSource(seed=seed).read()]


def examples(seed: int, scenes: int = 93) -> list[Example]:
    # A shorter set is the beginning of a longer one (tested with the scenes).
    return [example for asked in by_scene(seed)[:scenes] for example in asked]


def test_the_default_set_has_about_three_hundred_questions() -> None:
    asked = examples(0)
    assert len(asked) == 302
    assert len({example.question_id for example in asked}) == 302
    assert asked[0].question_id == "proc-s0-0000-q1"
    assert asked[0].scene_id == "proc-s0-0000"


@pytest.mark.parametrize(("seed", "scenes"), SETS)
def test_no_answer_covers_more_than_a_third_of_its_category(seed: int, scenes: int) -> None:
    for category in CATEGORIES:
        answers = Counter(one.answer for one in examples(seed, scenes) if one.category == category)
        assert answers.total() >= 6
        assert max(answers.values()) <= answers.total() / 3, (category, answers)


@pytest.mark.parametrize(("seed", "scenes"), SETS)
def test_categories_come_about_equally_often(seed: int, scenes: int) -> None:
    counts = Counter(one.category for one in examples(seed, scenes))
    assert set(counts) == set(CATEGORIES)
    assert max(counts.values()) - min(counts.values()) <= 4


def guesses(train: list[Example], test: list[Example]) -> dict[str, float]:
    """Return the exact-match rate of guessers that see the question alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    words = TfidfVectorizer(ngram_range=(1, 3), max_features=1000, token_pattern=r"\w+")
    known, asked = (
        words.fit_transform([one.question for one in train]),
        words.transform([one.question for one in test]),
    )
    answers = np.array([one.answer for one in train])
    truth = np.array([one.answer for one in test])
    fitted = LogisticRegression(C=10, tol=1e-3).fit(known, answers)
    closeness = (asked @ known.T).toarray()
    nearest = answers[closeness.argmax(axis=1)]
    by_template: dict[str, Counter[str]] = {}
    for one in train:
        by_template.setdefault(template(one), Counter())[one.answer] += 1
    overall = Counter(answers.tolist())
    usual = [by_template.get(template(one), overall).most_common(1)[0][0] for one in test]
    return {
        "words": float((fitted.predict(asked) == truth).mean()),
        "nearest": float((nearest == truth).mean()),
        "template": float((np.array(usual) == truth).mean()),
    }


def template(example: Example) -> str:
    """Return the question without what changes from scene to scene."""
    names = (
        "small large plain striped dotted checked red orange yellow green cyan blue purple pink brown black"
    )
    shapes = "circle square triangle star ring cross heart moon hexagon diamond object"
    return re.sub(rf"\b({'|'.join([*names.split(), *shapes.split()])})(e?s)?\b ?", "", example.question)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize(("seed", "scenes"), SETS)
def test_guessing_from_the_question_alone_fails(seed: int, scenes: int) -> None:
    train = [one for asked in by_scene(seed)[:scenes:2] for one in asked]
    test = [one for asked in by_scene(seed)[1:scenes:2] for one in asked]
    rates = guesses(train, test)
    assert max(rates.values()) <= 0.3, rates


def every() -> list[Example]:
    return [example for seed in SEEDS for example in examples(seed)]


def test_some_questions_have_several_minimal_sets_and_some_need_the_background() -> None:
    several = [one for one in every() if len(one.minimal_sets) > 1]
    assert {one.category for one in several} == {"direct_ask", "counting"}
    assert len(several) >= 0.04 * len(every())
    assert any(0 in one.gold_layers for one in every())


def test_some_questions_have_dependencies_and_some_have_none() -> None:
    share = np.mean([bool(one.dependencies) for one in every()])
    assert 0.25 <= share <= 0.75


def test_multi_hop_needs_two_layers_or_more() -> None:
    assert all(len(one.gold_layers) >= 2 for one in every() if one.category == "multi_hop")


def spoken(text: str) -> set[str]:
    """Return the describing words of a text, in the singular."""
    names = (
        "small large plain striped dotted checked red orange yellow green cyan blue purple pink brown black"
    )
    shapes = "circle square triangle star ring cross heart moon hexagon diamond"
    ways = "left right above below top bottom middle corner background"
    found = set(re.findall(r"[a-z]+", text.lower().replace("on top of", "")))
    known = {*names.split(), *shapes.split(), *ways.split()}
    return {word for word in known if {word, f"{word}s", f"{word}es"} & found}


def test_shards_say_what_the_question_says_and_no_more() -> None:
    for example in every():
        pieces = [shard.text for shard in example.shards]
        assert spoken(" ".join(pieces)) == spoken(example.question), (example.question, pieces)
        assert len(set(pieces)) == len(pieces)


def test_the_first_shard_states_the_intent_alone() -> None:
    for example in every():
        first = example.shards[0]
        assert spoken(first.text) == set()
        assert first.support == ()
        assert all(shard.support for shard in example.shards[1:])


def test_neither_question_nor_shards_give_the_answer_away() -> None:
    for example in every():
        for text in (example.question, *(shard.text for shard in example.shards)):
            assert not re.search(rf"\b{example.answer}\b", text.lower()), (example.answer, text)


def test_no_question_is_asked_twice_in_a_scene() -> None:
    for seed in SEEDS:
        for asked in by_scene(seed):
            assert len({one.question for one in asked}) == len(asked)
            assert len({(one.answer, one.answer_description) for one in asked}) == len(asked)


def test_questions_are_tidy_english() -> None:
    for example in every():
        for text in (example.question, *(shard.text for shard in example.shards)):
            assert text[0].isupper()
            assert text[-1] in "?."
            assert "  " not in text
            assert not re.search(r"\b(a|an|the) (a|an|the)\b", text), text


def candidate(answer: str, question: str) -> Candidate:
    pieces = (("I ask.", ()), ("One.", (1,)), ("Two.", (1,)))
    return Candidate("kind", "direct_ask", "colour", question, answer, ((1,),), pieces)


def test_balance_prefers_the_answer_given_least_often() -> None:
    balance = Balance(("direct_ask",))
    offered = [candidate("red", "What colour?"), candidate("blue", "What colour?")]
    answers = [balance.choose(lambda _: offered, 1, Random(turn))[0].answer for turn in range(6)]
    assert Counter(answers) == {"red": 3, "blue": 3}


def test_balance_asks_less_rather_than_one_answer_too_often() -> None:
    balance = Balance(("direct_ask",))
    red = [candidate("red", "What colour?")]
    blue = [candidate("blue", "What colour?")]
    for turn in range(3):
        balance.choose(lambda _: blue, 1, Random(turn))
        assert [one.answer for one in balance.choose(lambda _: red, 2, Random(turn))] == ["red"]
