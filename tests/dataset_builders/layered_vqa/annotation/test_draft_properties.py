"""Whatever a model replies, nothing with a broken rule gets into a draft."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.layered_vqa.annotation.drafting import Drafter
from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.words import missing_words
from dataset_builders.layered_vqa.example import problems
from lvqa_eval.images import Picture
from lvqa_eval.serving.request import Sampling
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import EXCLUDED, Status
from tests.support.draft_replies import ASKED, EVIDENCE, PASS, REVISED, SHARDS, DraftingModel, changed

PROMPTS = load_prompts()
GOOD = {"shard": SHARDS, "evidence": EVIDENCE, "verify": PASS}
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 7),
    st.floats(allow_nan=True),
    st.sampled_from(["intent", "detail", "pass", "revised", "flag_for_human", "circle", "red", "target", ""]),
    st.text(max_size=6),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*SHARDS, *EVIDENCE, *PASS]), inner, max_size=5)
    ),
    max_leaves=8,
)


class BlankPictures:
    """Gives one tiny picture for every key, without drawing."""

    async def picture(self, key, find):
        return Picture("0", 1, 1, b'{"type":"image_url","image_url":{"url":"data:,"}}')


def places(value, path=()):
    """Yield the path of every value in a reply."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in items:
        yield from places(one, (*path, step))


def put(value, path, other):
    if not path:
        return other
    made = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = put(made[path[0]], path[1:], other)
    return made


@st.composite
def mutated(draw, good):
    """Draw a good reply with up to three places replaced, often by another of its places."""
    value = good
    for _ in range(draw(st.integers(0, 3))):
        every = sorted(places(value), key=repr)
        path = draw(st.sampled_from(every))
        source = draw(st.sampled_from(every))
        other = value
        for step in source:
            other = other[step]
        value = put(value, path, draw(st.one_of(st.just(other), ANYTHING)))
    return value


@st.composite
def replies(draw, good):
    kind = draw(st.sampled_from(["good", "mutated", "mutated", "mutated", "any", "text", "status"]))
    if kind == "status":
        return Reply(draw(st.sampled_from(list(Status))), draw(st.none() | st.text(max_size=5)))
    if kind == "text":
        return Reply(Status.OK, draw(st.text(max_size=30)))
    value = good if kind == "good" else draw(mutated(good) if kind == "mutated" else ANYTHING)
    return Reply(Status.OK, json.dumps(value))


SCRIPT = st.tuples(
    replies(SHARDS),
    st.lists(st.one_of(*(replies(one) for one in (*GOOD.values(), REVISED))), min_size=6, max_size=6),
)


@given(SCRIPT)
def test_no_reply_whatsoever_gets_a_broken_rule_in(script):
    first, rest = script
    check(drafted(first, *rest))


LAYERS = st.lists(st.integers(0, 5), max_size=4)
ROLES = st.sampled_from(["target", "anchor", "bridge", "counted", "occluder", "context"])
FORMED_EVIDENCE = {
    "gold_layers": LAYERS,
    "minimal_sets": st.lists(LAYERS, max_size=3),
    "roles": st.lists(st.fixed_dictionaries({"layer": st.integers(0, 5), "role": ROLES}), max_size=4),
    "support": st.lists(st.fixed_dictionaries({"shard": st.integers(0, 4), "layers": LAYERS}), max_size=4),
    "dependencies": st.lists(
        st.fixed_dictionaries({"before": st.integers(0, 5), "after": st.integers(0, 5)}), max_size=3
    ),
    "distractors": LAYERS,
}
SOURCES = st.sampled_from(
    [
        "What colour",
        "is",
        "the",
        "circle",
        "the circle",
        "left",
        "left of the square",
        "square",
        "Circle",
        "?",
    ]
)
TEXTS = st.sampled_from(
    [
        *(one["text"] for one in SHARDS["shards"]),
        *(
            "It is red.",
            "And it is the circle.",
            "It is the circle on a layer.",
            "It is not the circle.",
            "?",
        ),
        *("It is the circle left of the square.", "I want to know what it is.", "The square, left of it."),
    ]
)
FORMED_SHARDS = {
    "units": st.lists(
        st.fixed_dictionaries({"id": st.integers(0, 4), "source": SOURCES, "occurrence": st.integers(0, 2)}),
        max_size=4,
    ),
    "shards": st.lists(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["intent", "detail"]),
                "text": TEXTS,
                "units": st.lists(st.integers(0, 4), max_size=3),
            }
        ),
        max_size=7,
    ),
}


@st.composite
def formed_evidence(draw):
    """Draw evidence of the right form, in about half of the cases with roles, support and rest that fit."""
    reply = EVIDENCE | draw(st.fixed_dictionaries({}, optional=FORMED_EVIDENCE))
    if not draw(st.booleans()):
        return reply
    evidence = sorted({layer for minimal in reply["minimal_sets"] for layer in minimal})
    fitting = {
        "gold_layers": next(iter(reply["minimal_sets"]), []),
        "roles": [{"layer": layer, "role": "target"} for layer in evidence],
        "support": [{"shard": 1, "layers": []}, {"shard": 2, "layers": evidence}, {"shard": 3, "layers": []}],
        "distractors": [layer for layer in range(5) if layer not in evidence],
    }
    return reply | fitting


@st.composite
def formed_shards(draw):
    """Draw shards of the right form: good ones of which something is another, or all is."""
    if draw(st.booleans()):
        return SHARDS | draw(st.fixed_dictionaries({}, optional=FORMED_SHARDS))
    path, values = draw(
        st.sampled_from(
            [
                (("units", st.integers(0, 2), "source"), SOURCES),
                (("shards", st.integers(0, 2), "text"), TEXTS),
                (("shards", st.integers(0, 2), "units"), st.lists(st.integers(1, 3), max_size=2)),
            ]
        )
    )
    field, index, part = path
    return changed(SHARDS, field, draw(index), part, draw(values))


@st.composite
def formed_verdicts(draw):
    """Draw verdicts of the right form on shards and evidence of the right form."""
    annotation = draw(st.one_of(st.just(SHARDS), formed_shards())) | draw(formed_evidence())
    verdict = draw(st.sampled_from(["pass", "revised", "flag_for_human"]))
    issues = [] if verdict == "pass" or draw(st.integers(0, 5)) == 0 else REVISED["issues"]
    return {"issues": issues, "annotation": annotation, "verdict": verdict}


@given(
    st.lists(formed_shards(), min_size=2, max_size=2), formed_evidence(), formed_evidence(), formed_verdicts()
)
def test_no_reply_of_the_right_form_gets_a_broken_rule_in(shards, one, two, verdict):
    check(drafted(*(Reply(Status.OK, json.dumps(said)) for said in (*shards, one, two, verdict))))


@given(formed_evidence(), formed_verdicts(), formed_verdicts())
def test_no_evidence_and_no_verdict_gets_a_broken_rule_in(one, two, three):
    check(drafted(*(Reply(Status.OK, json.dumps(said)) for said in (SHARDS, one, two, three))))


def drafted(*script):
    drafter = Drafter("m", DraftingModel(*script), PROMPTS, BlankPictures(), sampling=Sampling(0.0))
    return asyncio.run(drafter.draft(ASKED, lambda name: b""))


def check(draft):
    """Assert everything that a draft promises, from its parts alone."""
    assert (draft.verdict is None) == (draft.status in EXCLUDED)
    assert all(one.attempt in (1, 2) for one in draft.calls)
    assert len(draft.calls) <= 6
    if draft.flags:
        assert draft.verdict == "flag_for_human"
    if draft.accepted:
        assert draft.annotation is not None
        assert bool(draft.issues) == (draft.verdict == "revised")
    if draft.annotation is None:
        return
    example = draft.annotation.example
    assert problems(example) == []
    assert (example.question, example.answer, example.category) == (ASKED.question, ASKED.answer, "spatial")
    assert {layer for layer, _ in draft.annotation.roles} == example.evidence
    said = " ".join(shard.text for shard in example.shards)
    assert missing_words(ASKED.question, said, PROMPTS.words) == []
    assert missing_words(said, ASKED.question, PROMPTS.words) == []
    assert "red" not in said.casefold().split()
    for span in draft.annotation.spans:
        assert span is None or ASKED.question[slice(*span)].strip()
