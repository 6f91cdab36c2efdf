"""Studies that are drawn: the same from the same seed, and in words what they are as arrays."""

import numpy as np
import pytest

from lvqa_eval.metrics.attempts import first_attempt, first_correct_attempt
from lvqa_eval.metrics.citations import cited_layers
from lvqa_eval.metrics.grounding import layer_measures, read_measures
from lvqa_eval.metrics.ungrounded import evidence_turn
from lvqa_eval.metrics.verbosity import is_multi_turn, reply_characters
from lvqa_eval.statuses import Status
from scripts.simulated.conversations import Asked, Held, padded, ruling, verdict
from scripts.simulated.draw import draw, draw_votes
from scripts.simulated.habits import CITED, draw_habits
from scripts.simulated.model import CATEGORIES, Size, stated_model
from scripts.simulated.patterns import CONDITIONS, all_patterns

SMALL = Size(assistants=3, questions=24, scenes=8, repetitions=2, judges=3)


@pytest.fixture(scope="module")
def drawn():
    return draw(stated_model(SMALL), seed=4)


@pytest.fixture(scope="module")
def held(drawn):
    return Held(drawn, Asked.of(drawn.questions), draw_habits(drawn, 1, seed=4), 1, seed=4)


@pytest.fixture(scope="module")
def records(held):
    return {held.key(place): held.conversation(place) for place in held.places()}


def test_the_same_seed_gives_the_same_study_and_another_number_another(drawn):
    again, other = draw(stated_model(SMALL), seed=4), draw(stated_model(SMALL), seed=4, number=1)
    assert (again.right == drawn.right).all()
    assert (again.first_right == drawn.first_right).all()
    assert again.questions.records == drawn.questions.records
    assert (draw_votes(again, 4) == draw_votes(drawn, 4)).all()
    assert (other.right != drawn.right).any()
    assert other.questions.records != drawn.questions.records


def test_a_study_has_the_papers_questions_in_unequal_scenes():
    questions = draw(stated_model(Size()), seed=0).questions
    counts = np.bincount(questions.scene_of)
    assert (len(counts), counts.sum(), counts.min()) == (93, 300, 1)
    assert counts.max() >= 7
    assert {name: questions.category.count(name) for name in CATEGORIES} == CATEGORIES
    depths = {(one.scene_id, one.depth) for one in questions.records}
    assert len(depths) == 93


def test_first_right_answers_lie_inside_their_conversations(drawn):
    patterns, pattern = all_patterns(), drawn.questions.pattern
    turns, asked = (
        np.broadcast_to(cells[:, pattern][None, :, :, None], drawn.right.shape)
        for cells in (patterns.turns, patterns.asked)
    )
    came = drawn.first_right > 0
    assert came[drawn.right].all()
    assert (drawn.first_right <= turns).all()
    assert (drawn.first_right >= asked)[came].all()
    assert (drawn.first_right < turns)[came & ~drawn.right].all()
    assert not (drawn.failed & (drawn.missing | drawn.right)).any()


def test_votes_are_cast_on_what_is_put_before_judges():
    drawn = draw(stated_model(Size(assistants=13, questions=60, scenes=20)), seed=0)
    votes = draw_votes(drawn, 0)
    assert (votes[:, ~drawn.judged] == -1).all()
    assert 0.99 < (votes[:, drawn.judged] >= 0).mean() < 1
    lenient, strict = drawn.model.leniency.argmax(), drawn.model.leniency.argmin()
    rates = votes[:, drawn.judged & ~drawn.right].clip(0).mean(axis=1)
    assert rates[lenient] > 0.2 > 0.05 > rates[strict] - drawn.model.preference[strict] / 13


def test_records_say_what_the_arrays_say(drawn, held, records):
    study = drawn.study
    counted = drawn.judged[1]
    evidence = study.grid(records, evidence_turn)
    assert (evidence == drawn.evidence[1])[counted].all()
    rulings = {
        held.key(place): ruling(held, place)
        for place in held.places()
        if held.status(place) is not Status.TRANSPORT_ERROR
    }
    assert (study.grid(rulings, first_correct_attempt) == drawn.first_right[1])[counted].all()
    assert (study.grid(rulings, first_attempt) == held.habits.first_attempt)[counted].all()
    final = study.grid(rulings, lambda _, one: float(one.final_turn_correct))
    assert (final == drawn.right[1])[~drawn.missing[1]].all()


def test_replies_are_as_long_as_they_were_drawn_where_their_words_have_room(drawn, held, records):
    length, multi = (drawn.study.grid(records, read) for read in (reply_characters, is_multi_turn))
    wanted, counted = held.habits.characters, drawn.judged[1]
    assert (length >= wanted)[counted].all()
    roomy = counted & (wanted >= 40)
    assert (length == wanted)[roomy].all()
    assert roomy.sum() > 100
    several = all_patterns().turns[:, drawn.questions.pattern] > 1
    assert (multi == several[..., None])[~drawn.missing[1]].all()


def test_layers_named_are_those_that_were_drawn(drawn, held, records):
    questions = {one.question_id: one for one in held.asked.records}
    read = 0
    for key, record in records.items():
        measures = read_measures(questions[key.question_id], record)
        if key.condition != "all-layers" or not measures:
            continue
        question, bits = questions[key.question_id], held.habits.named[int(key.question_id[1:]), key.run - 1]
        layers = {layer for layer in range(question.depth) if bits[layer]}
        layers |= {question.depth} if bits[-1] else set()
        sets = frozenset(question.gold_layers), frozenset(question.distractors)
        assert measures == layer_measures(frozenset(layers), *sets, question.depth)
        read += 1
    assert read == drawn.judged[1, CONDITIONS.index("all-layers")].sum()


def test_citations_are_those_that_were_drawn(held):
    seen = 0
    for place in held.places([CONDITIONS[CITED[1]]]):
        if held.status(place) is not Status.OK:
            continue
        depth = held.asked.examples[place[1]].depth
        bits = held.habits.cited[1][place[1:]]
        for number, turn in enumerate(held.conversation(place).turns):
            known, unresolved = cited_layers(turn.reply, turn, depth)
            assert known == {layer for layer in range(depth) if bits[number, layer]}
            assert unresolved == 0
            seen += len(known)
    assert seen > 50


def test_padded_text_has_its_length_and_no_blank_at_its_end():
    assert padded("red ball", 3) == "red ball"
    assert padded("red ball", 10) == "red ball,."
    texts = [padded("red ball", length) for length in range(8, 400)]
    assert [len(text.strip()) for text in texts] == list(range(8, 400))


def test_verdicts_of_judges_are_records_of_their_kind(held):
    key = held.key((0, 0, 0))
    right, unread, failed = (
        verdict(key, Status.OK, 3, "red ball", 1),
        verdict(key, Status.OK, 3, "red ball", -1),
        verdict(key, Status.TRUNCATED, 3, "red ball", -1),
    )
    assert (right.status, right.final_turn_correct, right.first_correct_turn) == ("ok", True, 3)
    assert (unread.status, unread.final_turn_correct) == ("parse_error", None)
    assert (failed.status, failed.final_turn_correct) == ("ok", False)
    assert failed.flags == ("not asked: the conversation is truncated",)
