"""Every rule of evidence and of verdicts that a machine can check, each broken once."""

import pytest

from dataset_builders.layered_vqa.annotation.evidence_checks import (
    annotation_of,
    evidence_findings,
    joined,
    verify_findings,
)
from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.replies import (
    EvidenceReply,
    ShardReply,
    UnreadableError,
    VerifyReply,
    read_reply,
    schema_of,
)
from dataset_builders.layered_vqa.example import problems
from tests.support.draft_replies import ASKED, EVIDENCE, ISSUE, PASS, REVISED, SHARDS, changed, said

LISTS = load_prompts().words
SHARD_REPLY = ShardReply.model_validate(SHARDS)
BEFORE = joined(SHARD_REPLY, EvidenceReply.model_validate(EVIDENCE))


def broken(reply):
    found = evidence_findings(ASKED, SHARD_REPLY, EvidenceReply.model_validate(reply))
    return [one[:3] for one in found]


def misjudged(reply):
    found = verify_findings(ASKED, BEFORE, VerifyReply.model_validate(reply), LISTS)
    return [one[:3] for one in found]


def test_good_evidence_breaks_no_rule_and_becomes_an_annotation():
    assert broken(EVIDENCE) == []
    made = annotation_of(ASKED, BEFORE)
    assert problems(made.example) == []
    assert made.example.gold_layers == (1, 2)
    assert [shard.support for shard in made.example.shards] == [(), (1,), (1, 2)]
    assert made.example.dependencies == ((2, 1),)
    assert made.roles == ((1, "target"), (2, "anchor"))
    assert made.spans == ((0, 11), (19, 25), (26, 44))


@pytest.mark.parametrize(
    ("path", "value", "finding"),
    [
        (("gold_layers",), [1], ("minimal_sets[0]", "first-set-is-gold", "{1, 2}")),
        (("minimal_sets",), [[1, 2], [1]], ("minimal_sets", "no-set-contains-another", "{1} in {1, 2}")),
        (("minimal_sets",), [[1, 2], []], ("minimal_sets", "no-empty-set", "an empty set")),
        (("minimal_sets",), [[1, 2], [3]], ("shards", "support-covers-evidence", "{1, 2}")),
        (("support", 2, "layers"), [1], ("shards", "support-covers-evidence", "{1}")),
        (("support", 2, "layers"), [1, 2, 3], ("shards", "support-covers-evidence", "{1, 2, 3}")),
        (("support", 2, "shard"), 2, ("support", "one-entry-a-shard", "the shards [1, 2, 2]")),
        (("roles", 1, "layer"), 3, ("roles", "one-role-an-evidence-layer", "the layers [1, 3]")),
        (("distractors",), [0, 3], ("distractors", "exact-complement", "{0, 3}")),
        (("distractors",), [0, 3, 4, 5], ("distractors", "layer-in-range", "[5]")),
        (("dependencies", 0, "after"), 2, ("dependencies", "acyclic", "the cycle [2, 2]")),
        (("dependencies", 0, "after"), 4, ("dependencies", "evidence-layers-only", "{4}")),
    ],
)
def test_each_broken_rule_is_found(path, value, finding):
    assert finding in broken(changed(EVIDENCE, *path, value))


def test_layers_are_compared_as_sets():
    assert (
        broken(EVIDENCE | {"gold_layers": [2, 1, 1], "minimal_sets": [[2, 1]], "distractors": [4, 3, 0]})
        == []
    )


def test_good_verdicts_break_no_rule():
    assert misjudged(PASS) == []
    assert misjudged(REVISED) == []
    assert misjudged(PASS | {"verdict": "flag_for_human", "issues": [ISSUE]}) == []
    assert misjudged(REVISED | {"verdict": "flag_for_human"}) == []


def test_a_verdict_fits_its_issues_and_its_annotation():
    assert misjudged(PASS | {"issues": [ISSUE]}) == [("verdict", "fits-issues", "pass with issues")]
    assert misjudged(REVISED | {"verdict": "pass", "issues": []}) == [
        ("verdict", "fits-annotation", "pass with changes")
    ]
    assert misjudged(REVISED | {"issues": []}) == [("issues", "not-empty", "none with the verdict revised")]
    assert misjudged(PASS | {"verdict": "revised", "issues": [ISSUE]}) == [
        ("verdict", "fits-annotation", "revised without changes")
    ]
    # Other notes, and another order of what has none, are no change.
    again = changed(PASS, "annotation", "notes", "Nothing to add.")
    assert misjudged(changed(again, "annotation", "distractors", [4, 3, 0])) == []


def test_a_corrected_annotation_keeps_every_rule_of_both_calls():
    worse = changed(REVISED, "annotation", "distractors", [0])
    assert misjudged(worse) == [("annotation.distractors", "exact-complement", "{0}")]
    longer = changed(REVISED, "annotation", "shards", 1, "text", "It is that of the shiny circle.")
    assert misjudged(longer) == [("annotation.shards[1].text", "words-from-question", "shiny")]


def test_a_reply_is_read_strictly_from_a_fence_or_bare():
    (text,) = said(EVIDENCE)
    assert read_reply(EvidenceReply, text) == read_reply(EvidenceReply, f"Here:\n```json\n{text}\n```")
    with pytest.raises(UnreadableError, match="one-object: none, or different ones"):
        read_reply(EvidenceReply, "I cannot see the layers.")


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("gold_layers",), ["1", 2], ("gold_layers[0]", "form", "'1'")),
        (("gold_layers",), [True, 2], ("gold_layers[0]", "form", "True")),
        (("confidence",), 101, ("confidence", "form", "101")),
        (("roles", 0, "role"), "hero", ("roles[0].role", "form", "'hero'")),
        (("sure",), True, ("sure", "form", "True")),
    ],
)
def test_what_has_not_the_form_is_named(path, value, fault):
    with pytest.raises(UnreadableError) as caught:
        read_reply(EvidenceReply, *said(changed(EVIDENCE, *path, value)))
    assert caught.value.faults[0][:3] == fault


def test_a_missing_field_is_named_and_never_filled():
    bare = {name: value for name, value in EVIDENCE.items() if name != "distractors"}
    with pytest.raises(UnreadableError, match="distractors: form: nothing: Field required"):
        read_reply(EvidenceReply, *said(bare))


def test_schemas_are_bounded_and_ask_for_looking_before_ruling():
    assert list(schema_of(ShardReply)["properties"]) == ["units", "shards"]
    assert list(schema_of(EvidenceReply)["properties"])[:2] == ["notes", "gold_layers"]
    verify = schema_of(VerifyReply)
    assert list(verify["properties"]) == ["issues", "annotation", "verdict"]
    whole = verify["$defs"]["AnnotationReply"]
    assert list(whole["properties"]) == ["units", "shards", *schema_of(EvidenceReply)["properties"]]
    assert whole["additionalProperties"] is False
    for place, schema in _nested(verify):
        assert schema.get("type") != "array" or "maxItems" in schema, place
        if schema.get("type") == "string" and "enum" not in schema:
            assert "maxLength" in schema, place


def _nested(schema, place="verify"):
    if isinstance(schema, dict):
        yield place, schema
        for name, one in schema.items():
            yield from _nested(one, f"{place}.{name}")
