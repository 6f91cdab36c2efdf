"""What a machine can check of evidence, and of a verdict on it."""

from collections.abc import Iterator
from itertools import chain

from dataset_builders.layered_vqa.annotation.records import Annotation, Asked
from dataset_builders.layered_vqa.annotation.replies import (
    AnnotationReply,
    EvidenceReply,
    ShardReply,
    VerifyReply,
    ascending,
)
from dataset_builders.layered_vqa.annotation.shard_checks import shard_findings
from dataset_builders.layered_vqa.annotation.spans import shard_spans
from dataset_builders.layered_vqa.annotation.words import WordLists
from dataset_builders.layered_vqa.example import Example, Finding, Shard, problems


def evidence_findings(asked: Asked, shards: ShardReply, reply: EvidenceReply) -> Iterator[Finding]:
    """Yield every rule that the evidence for `shards` breaks: (field, rule, found, allowed)."""
    wanted = list(range(1, len(shards.shards) + 1))
    given = [entry.shard for entry in reply.support]
    if sorted(given) != wanted:
        yield "support", "one-entry-a-shard", f"the shards {given}", f"each of {wanted} once"
    example = example_of(asked, shards, reply)
    yield from ((one.field, one.rule, one.found, one.allowed) for one in problems(example))
    roles, evidence = sorted(entry.layer for entry in reply.roles), sorted(example.evidence)
    if roles != evidence:
        yield "roles", "one-role-an-evidence-layer", f"the layers {roles}", f"each of {evidence} once"


def verify_findings(
    asked: Asked, before: AnnotationReply, reply: VerifyReply, lists: WordLists
) -> Iterator[Finding]:
    """Yield every rule that a verdict on the annotation `before`, or its own annotation, breaks."""
    after = reply.annotation
    broken = chain(shard_findings(asked, after, lists), evidence_findings(asked, after, after))
    yield from ((f"annotation.{field}", rule, found, allowed) for field, rule, found, allowed in broken)
    changed = _essence(before) != _essence(after)
    if reply.verdict == "pass" and changed:
        yield "verdict", "fits-annotation", "pass with changes", "pass without changes, or revised"
    if reply.verdict == "pass" and reply.issues:
        yield "verdict", "fits-issues", "pass with issues", "pass without issues, or another verdict"
    if reply.verdict == "revised" and not changed:
        yield "verdict", "fits-annotation", "revised without changes", "some change, or another verdict"
    if reply.verdict != "pass" and not reply.issues:
        yield "issues", "not-empty", f"none with the verdict {reply.verdict}", "at least one issue, or pass"


def joined(shards: ShardReply, evidence: EvidenceReply) -> AnnotationReply:
    """Return the replies to the first two calls as one annotation."""
    return AnnotationReply(**dict(shards), **dict(evidence))


def example_of(asked: Asked, shards: ShardReply, evidence: EvidenceReply) -> Example:
    """Return the example that two replies make, sound or not."""
    layers = {entry.shard: entry.layers for entry in evidence.support}
    pairs = dict.fromkeys((pair.before, pair.after) for pair in evidence.dependencies)
    return Example(
        question_id=asked.question_id,
        scene_id=asked.scene_id,
        depth=asked.depth,
        question=asked.question,
        answer=asked.answer,
        answer_description=asked.answer_description,
        category=asked.category,
        gold_layers=evidence.gold_layers,
        minimal_sets=evidence.minimal_sets,
        dependencies=tuple(pairs),
        shards=tuple(
            Shard(number, piece.text, layers.get(number, ()))
            for number, piece in enumerate(shards.shards, start=1)
        ),
        distractors=evidence.distractors,
    )


def annotation_of(asked: Asked, reply: AnnotationReply) -> Annotation:
    """Return a reply as an annotation; raises ValueError where it breaks a rule of examples."""
    return Annotation(
        example=example_of(asked, reply, reply),
        spans=shard_spans(asked.question, reply),
        roles=tuple(sorted((entry.layer, entry.role) for entry in reply.roles)),
        confidence=reply.confidence,
        notes=reply.notes,
    )


def _essence(reply: AnnotationReply) -> tuple[object, ...]:
    """Return what an annotation says, apart from the order of what has none, and from notes."""
    return (
        {unit.id: (unit.source, unit.occurrence) for unit in reply.units},
        [(piece.role, piece.text, ascending(piece.units)) for piece in reply.shards],
        reply.gold_layers,
        sorted(reply.minimal_sets),
        {entry.shard: entry.layers for entry in reply.support},
        {entry.layer: entry.role for entry in reply.roles},
        {(pair.before, pair.after) for pair in reply.dependencies},
        reply.distractors,
    )
