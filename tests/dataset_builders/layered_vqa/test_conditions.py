import hashlib
from collections import Counter
from dataclasses import replace
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.layered_vqa.assignment import aligned_turns, misaligned_turns
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Turn, schedules
from dataset_builders.layered_vqa.example import Shard
from dataset_builders.layered_vqa.order import evidence_order
from tests.support.examples import BY_HAND, examples

DEFAULT = ConditionOptions()
OPTIONS = st.builds(
    ConditionOptions,
    seed=st.integers(0, 2**40),
    shuffle_first_shard=st.booleans(),
    composite_every_turn=st.booleans(),
    layer_order=st.sampled_from(["stack", "reversed"]),
    recap_v_question=st.booleans(),
    question_turn=st.sampled_from(["first", "last"]),
)
SIXTEEN = [
    *("full", "concat-q", "shuffled-concat", "sharded-q", "recap-q", "snowball-q"),
    *("concat-v", "sharded-v", "recap-v", "snowball-v", "evidence-first", "evidence-last"),
    *("aligned-vq", "misaligned-vq", "all-layers", "oracle"),
]
COMPLETE = SIXTEEN[:14]


def turns(name, example=BY_HAND, options=DEFAULT):
    return CONDITIONS.get(name)(example, options).turns


def brought(name, example=BY_HAND, options=DEFAULT):
    """What each turn brings, short: Q, shard ids as q1.., I, layer numbers."""
    return [
        " ".join(
            ["Q"] * turn.question
            + [f"q{shard}" for shard in turn.shards]
            + ["I"] * turn.composite
            + [str(layer) for layer in turn.layers]
        )
        for turn in turns(name, example, options)
    ]


def test_the_sixteen_stand_in_the_order_of_the_paper():
    assert [name for name in CONDITIONS.names() if name not in CONDITIONS.added()] == SIXTEEN


def test_schedules_by_hand():
    assert brought("full") == ["Q I"]
    assert brought("concat-q") == ["q1 q2 q3 I"]
    assert brought("sharded-q") == ["q1 I", "q2", "q3"]
    assert brought("recap-q") == ["q1 I", "q2", "q3", "Q"]
    assert brought("snowball-q") == ["q1 I", "q1 q2", "q1 q2 q3"]
    assert brought("concat-v") == ["Q 0 1 2 3 4"]
    assert brought("sharded-v") == ["Q 0", "1", "2", "3", "4"]
    assert brought("recap-v") == ["Q 0", "1", "2", "3", "4", "I"]
    assert brought("snowball-v") == ["Q 0", "0 1", "0 1 2", "0 1 2 3", "0 1 2 3 4"]
    # Layer 2 must come before layer 1.
    assert brought("evidence-first") == ["2", "1", "0", "3", "Q 4"]
    assert brought("evidence-last") == ["Q 0", "3", "4", "2", "1"]
    # q2 brings 1, q3 brings 2; of the leftovers 0, 3, 4 one fills turn 1, the others go to turns 1 and 2.
    assert brought("aligned-vq") == ["q1 0 3", "q2 1 4", "q3 2"]
    # Turn 1 supports nothing, so both gold layers move one turn forward; the rest lie as early as they can.
    assert brought("misaligned-vq") == ["q1 0 1", "q2 2 3", "q3 4"]
    assert brought("all-layers") == ["Q I 0 1 2 3 4"]
    assert brought("oracle") == ["Q 1 2"]


def test_words_by_hand():
    assert turns("concat-q")[0].text == (
        "I want to know a colour. It is that of a circle. The circle is left of the square."
    )
    assert turns("snowball-q")[1].text == "I want to know a colour. It is that of a circle."
    assert turns("recap-q")[-1].text == BY_HAND.question
    assert [turn.text for turn in turns("sharded-v")[:2]] == [
        BY_HAND.question,
        "Here is layer 1 of the scene.",
    ]
    assert turns("snowball-v")[2].text == "Here are layers 0, 1 and 2 of the scene."
    assert turns("recap-v")[-1].text == "Here is the whole scene, all of its layers together."


def test_choices_change_what_they_name_alone():
    assert brought("sharded-q", options=replace(DEFAULT, composite_every_turn=True)) == [
        "q1 I",
        "q2 I",
        "q3 I",
    ]
    assert brought("recap-q", options=replace(DEFAULT, composite_every_turn=True))[-1] == "Q I"
    assert brought("sharded-v", options=replace(DEFAULT, layer_order="reversed")) == [
        "Q 4",
        "3",
        "2",
        "1",
        "0",
    ]
    assert brought("recap-v", options=replace(DEFAULT, recap_v_question=True))[-1] == "Q I"
    first = replace(DEFAULT, question_turn="first")
    assert brought("evidence-first", options=first) == ["Q 2", "1", "0", "3", "4"]
    unchanged = set(SIXTEEN) - {"evidence-first"}
    assert all(turns(name, options=first) == turns(name) for name in unchanged)


def test_shuffle_follows_the_hash_and_is_never_the_identity():
    def by_hash(seed):
        return sorted((1, 2, 3), key=lambda i: hashlib.sha256(f"{seed}:q1:{i}".encode()).hexdigest())

    seen = set()
    for seed in range(40):
        expected = by_hash(seed)
        if expected == [1, 2, 3]:
            expected = [2, 3, 1]
        (turn,) = turns("shuffled-concat", options=replace(DEFAULT, seed=seed))
        assert list(turn.shards) == expected
        seen.add(turn.shards)
    assert (1, 2, 3) not in seen
    assert len(seen) == 5
    kept = replace(DEFAULT, shuffle_first_shard=False)
    assert {turns("shuffled-concat", options=replace(kept, seed=s))[0].shards for s in range(9)} == {
        (1, 3, 2)
    }


@given(examples(), OPTIONS)
def test_conditions_1_to_14_deliver_the_complete_question_and_picture(example, options):
    every_shard = {shard.id for shard in example.shards}
    every_layer = set(range(example.depth))
    for name, schedule in schedules(example, options).items():
        assert all(turn.text.strip() for turn in schedule.turns)
        if name not in COMPLETE:
            continue
        shards = {shard for turn in schedule.turns for shard in turn.shards}
        layers = {layer for turn in schedule.turns for layer in turn.layers}
        composite = any(turn.composite for turn in schedule.turns)
        assert any(turn.question for turn in schedule.turns) or shards == every_shard
        assert layers in (every_layer, set())
        assert composite or layers == every_layer
        assert (composite and bool(layers)) == (name == "recap-v")


@given(examples(), OPTIONS)
def test_turn_counts_and_single_deliveries(example, options):
    m, n = len(example.shards), example.depth
    expected = dict.fromkeys(["full", "concat-q", "shuffled-concat", "concat-v", "all-layers", "oracle"], 1)
    expected |= {"sharded-q": m, "recap-q": m + 1, "snowball-q": m, "aligned-vq": m, "misaligned-vq": m}
    expected |= dict.fromkeys(["sharded-v", "snowball-v", "evidence-first", "evidence-last"], n)
    expected["recap-v"] = n + 1
    found = schedules(example, options)
    assert {name: len(found[name].turns) for name in SIXTEEN} == expected
    for name in ("sharded-v", "recap-v", "evidence-first", "evidence-last", "aligned-vq", "misaligned-vq"):
        counts = Counter(layer for turn in found[name].turns for layer in turn.layers)
        assert set(counts.values()) == {1}
    assert sum(len(turn.layers) for turn in found["snowball-v"].turns) == n * (n + 1) // 2


@given(examples())
def test_a_condition_is_a_pure_function(example):
    assert schedules(example, DEFAULT) == schedules(example, ConditionOptions())


@given(examples())
def test_evidence_order_keeps_dependencies_and_prefers_small_indices(example):
    order = evidence_order(example)
    assert sorted(order) == list(example.gold_layers)
    closure = set(example.dependencies)
    while more := {(a, d) for a, b in closure for c, d in closure if b == c} - closure:
        closure |= more
    valid = (
        [
            candidate
            for candidate in permutations(example.gold_layers)
            if all(
                candidate.index(a) < candidate.index(b)
                for a, b in closure
                if a in candidate and b in candidate
            )
        ]
        if len(order) <= 6
        else [tuple(order)]
    )
    assert tuple(order) == min(valid)


def test_an_order_through_a_layer_outside_the_gold_set_holds():
    example = replace(
        BY_HAND,
        minimal_sets=((1, 2), (3,)),
        dependencies=((2, 3), (3, 1)),
        shards=(*BY_HAND.shards[:2], Shard(3, "x", (1, 2, 3))),
        distractors=(0, 4),
    )
    assert evidence_order(example) == [2, 1]


@given(examples())
def test_aligned_brings_each_layer_with_the_first_shard_it_supports(example):
    turn_of = aligned_turns(example)
    for layer in example.evidence:
        assert turn_of[layer] == min(i for i, s in enumerate(example.shards) if layer in s.support)
    counts = Counter(turn_of[layer] for layer in example.evidence)
    free = [turn for turn in range(len(example.shards)) if not counts[turn]]
    filled = [turn_of[layer] for layer in example.distractors]
    m = len(example.shards)
    assert filled == (free + [i % m for i in range(len(filled))])[: len(filled)]


@given(examples(max_depth=6))
def test_misaligned_is_the_best_of_all_assignments(example):
    aligned = aligned_turns(example)
    found, conflicts = misaligned_turns(example, aligned)

    def rank(turn_of):
        clashes = sum(layer in example.shards[turn].support for layer, turn in enumerate(turn_of))
        movement = sum(abs(turn_of[layer] - aligned[layer]) for layer in example.gold_layers)
        return clashes, movement, turn_of

    best = min(map(rank, set(permutations(aligned))))
    assert (conflicts, found) == (best[0], best[2])
    assert Counter(found) == Counter(aligned)


@given(examples())
def test_misalignment_says_how_far_it_went(example):
    found = schedules(example, DEFAULT)
    aligned, misaligned = found["aligned-vq"], found["misaligned-vq"]
    per_turn = [len(turn.layers) for turn in aligned.turns]
    assert [len(turn.layers) for turn in misaligned.turns] == per_turn
    same = aligned.turns == misaligned.turns
    assert (misaligned.misalignment == "identical") == same
    if not same:
        assert misaligned.misalignment == ("strict" if misaligned.conflicts == 0 else "partial")
    others = [schedule for name, schedule in found.items() if name != "misaligned-vq"]
    assert all(one.misalignment is None and one.conflicts is None for one in others)


def test_nowhere_to_go_is_identical_with_its_conflicts():
    # Every shard is supported by the only evidence layer, and the counts leave it one place of each kind.
    example = replace(
        BY_HAND,
        depth=2,
        gold_layers=(1,),
        minimal_sets=((1,),),
        dependencies=(),
        shards=tuple(Shard(i, f"piece {i}.", (1,)) for i in (1, 2, 3)),
        distractors=(0,),
    )
    schedule = CONDITIONS.get("misaligned-vq")(example, DEFAULT)
    assert (schedule.misalignment, schedule.conflicts) == ("identical", 1)
    assert schedule.turns[0] == Turn("piece 1.", shards=(1,), layers=(1,))
