"""From records to a conversation as it is shown: whose words, which pictures, what came too early."""

from dataclasses import replace

import pytest

from leaderboard.examples.exchange import Held, exchange_of
from leaderboard.html.exchange import Picture
from lvqa_eval.dataset import Turn
from lvqa_eval.runs.records import Attempt
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn


class Scheduled:
    """A question whose evidence, layers 1 and 2, is complete with the third turn."""

    condition = "sharded-v"
    question_id = scene_id = "q"
    turns = tuple(
        Turn(text=f"scheduled {layer}", question=not layer, shards=(), layers=(layer,), composite=False)
        for layer in range(4)
    )

    def record(self):
        return question("q", "s")


def picture(name):
    return Picture(f"pictures/{name}.png", 8, 6, name)


OVER_TILES = {layer: picture(f"tiles-{layer}") for layer in (None, 0, 1, 2, 3)}
OVER_WHITE = {layer: picture(f"white-{layer}") for layer in (None, 0, 1, 2, 3)}


def held(model="a", turns=4, first=None, correct=True, pictures=OVER_TILES, **changes):
    """Return a model's conversation of so many turns, first right in turn `first`."""
    said = tuple(
        replace(turn([layer], reply=f"{model} {layer}"), user=f"said {layer}", question=not layer)
        for layer in range(turns)
    )
    record = replace(conversation("sharded-v", "q", turns=said), **changes)
    attempts = () if first is None else (Attempt(first, "x", True),)
    final = judgement("sharded-v", "q", correct=correct)
    return Held(model, record, final, replace(final, attempts=attempts), pictures)


def shown(*sides):
    return exchange_of(Scheduled(), sides, lambda position, layer: f"Image {position}: {layer}")


def test_a_conversation_has_what_was_said_and_sent():
    found = shown(held())
    assert [one.user for one in found.turns] == ["said 0", "said 1", "said 2", "said 3"]
    assert [one.layers for one in found.turns] == [(0,), (1,), (2,), (3,)]
    assert found.turns[1].pictures == (("Image 1: 1", OVER_TILES[1]),)
    assert [one.replies[0].text for one in found.turns] == ["a 0", "a 1", "a 2", "a 3"]
    assert (found.gold, found.complete, found.models, found.finals) == ((1, 2), 3, ("a",), ("right",))


@pytest.mark.parametrize(("first", "flagged"), [(1, 1), (2, 2), (3, None), (4, None), (None, None)])
def test_a_right_answer_is_ungrounded_before_the_evidence_is_complete(first, flagged):
    turns = shown(held(first=first)).turns
    assert [number for number, one in enumerate(turns, 1) if one.replies[0].ungrounded] == (
        [flagged] if flagged else []
    )


def test_two_models_that_were_sent_the_same_share_one_picture():
    found = shown(held("a"), held("b"))
    assert found.turns[0].pictures == (("Image 1: 0", OVER_TILES[0]),)
    assert [one.text for one in found.turns[2].replies] == ["a 2", "b 2"]


def test_pictures_that_differ_stand_side_by_side_with_their_letters():
    found = shown(held("a"), held("b", pictures=OVER_WHITE))
    assert found.turns[3].pictures == (("A: Image 1: 3", OVER_TILES[3]), ("B: Image 1: 3", OVER_WHITE[3]))


def test_words_that_only_one_model_was_told_stand_with_its_reply():
    other = held("b")
    turns = (replace(other.conversation.turns[0], user="other words"), *other.conversation.turns[1:])
    found = shown(held("a"), replace(other, conversation=replace(other.conversation, turns=turns)))
    assert [one.asked for one in found.turns[0].replies] == ["", "other words"]
    assert [one.asked for one in found.turns[1].replies] == ["", ""]


def test_a_conversation_that_ended_early_has_no_reply_after_that():
    found = shown(held("a", turns=2, status=Status.TIMEOUT), held("b"))
    assert [one.replies[0] is None for one in found.turns] == [False, False, True, True]
    assert found.turns[2].user == "said 2"
    assert found.turns[2].pictures == (("Image 1: 2", OVER_TILES[2]),)
    assert found.finals == ("unknown", "right")


def test_a_conversation_that_a_run_lacks_is_shown_as_scheduled():
    nothing = Held("a", None, None, None, OVER_TILES)
    found = shown(nothing)
    assert [one.user for one in found.turns] == [f"scheduled {layer}" for layer in range(4)]
    assert [one.replies for one in found.turns] == [(None,)] * 4
    assert (found.turns[0].pictures, found.finals) == ((("Image 1: 0", OVER_TILES[0]),), ("unknown",))


def test_hashes_of_what_was_sent_are_in_its_order():
    one = held()
    both = (replace(one.conversation.turns[0], layers=(2, 0), composite=True),)
    assert replace(one, conversation=replace(one.conversation, turns=both)).sent == (
        ("tiles-None", "tiles-2", "tiles-0"),
    )
