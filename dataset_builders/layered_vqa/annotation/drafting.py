"""The three calls about one question: each reply is checked, and mended once at most."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

from dataset_builders.layered_vqa.annotation.evidence_checks import (
    annotation_of,
    evidence_findings,
    joined,
    verify_findings,
)
from dataset_builders.layered_vqa.annotation.prompts import Prompts
from dataset_builders.layered_vqa.annotation.records import (
    Annotation,
    Asked,
    CallName,
    CallRecord,
    Flag,
    ModelDraft,
)
from dataset_builders.layered_vqa.annotation.replies import (
    AnnotationReply,
    EvidenceReply,
    Issue,
    ShardReply,
    UnreadableError,
    Verdict,
    VerifyReply,
    read_reply,
    schema_of,
)
from dataset_builders.layered_vqa.annotation.shard_checks import shard_findings
from dataset_builders.layered_vqa.example import Finding
from lvqa_eval.images import Picture, PictureKey, PictureStore
from lvqa_eval.images.store import Find
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import DIRECT, RequestBody, Route, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.messages import text_message, user_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import Speaker
from lvqa_eval.statuses import EXCLUDED, Status

ATTEMPTS = 2
"""A reply that breaks rules is sent back once with what it breaks."""

R = TypeVar("R", bound=BaseModel)
Pictures = Sequence[tuple[str | None, Picture]]

KINDS: dict[CallName, type[BaseModel]] = {
    "shard": ShardReply,
    "evidence": EvidenceReply,
    "verify": VerifyReply,
}
"""What each call is to reply."""

_LONGEST_SENT_BACK = 8000
_LONGEST_KEPT = 20_000


class _ServingFailedError(Exception):
    """The serving gave no reply; ends the calls about a question."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.error)
        self.reply = reply


@dataclass
class _Talk:
    """The calls about one question so far, and what they brought."""

    asked: Asked
    route: Route
    calls: list[CallRecord] = field(default_factory=list)
    shards: tuple[str, ...] = ()
    annotation: Annotation | None = None
    flags: list[Flag] = field(default_factory=list)
    issues: tuple[Issue, ...] = ()


class Drafter:
    """Asks one model about questions, one at a time or many at once.

    With `structured` the server is asked to hold each reply to its JSON schema; replies are read strictly
    either way. Seeds of requests are derived from `seed`, the call, the attempt and the question.
    """

    def __init__(
        self,
        model: str,
        speaker: Speaker,
        prompts: Prompts,
        pictures: PictureStore,
        *,
        sampling: Sampling,
        structured: bool = True,
        seed: int = 0,
    ) -> None:
        self._model, self._speaker, self._prompts, self._pictures = model, speaker, prompts, pictures
        self._seed = seed
        self._bodies = {
            call: RequestBody(model, held_to(sampling, call, schema_of(kind)) if structured else sampling)
            for call, kind in KINDS.items()
        }

    async def draft(self, asked: Asked, find: Find, route: Route = DIRECT) -> ModelDraft:
        """Return what became of a question; `find` gives the files of its pictures.

        Raises PictureError for a picture that cannot be used, and what the speaker raises.
        """
        talk = _Talk(asked, route)
        try:
            verdict = await self._verdict(talk, find)
        except _ServingFailedError as failure:
            return self._closed(talk, None, failure.reply.status, failure.reply.error)
        return self._closed(talk, verdict, Status.OK, None)

    async def _verdict(self, talk: _Talk, find: Find) -> Verdict:
        """Make the calls; what a later one needs is what an earlier one brought."""
        shards = await self._shards(talk)
        if shards is None:
            return "flag_for_human"
        seen = await self._seen(talk.asked, find)
        whole = await self._evidence(talk, shards, seen)
        if whole is None:
            return "flag_for_human"
        return await self._verified(talk, whole, seen)

    async def _shards(self, talk: _Talk) -> ShardReply | None:
        asked, lists = talk.asked, self._prompts.words
        material = {"question": asked.question}
        check = partial(shard_findings, asked, lists=lists)
        found = await self._call(talk, "shard", ShardReply, material, (), check)
        if found is not None:
            talk.shards = tuple(piece.text for piece in found.shards)
        return found

    async def _evidence(self, talk: _Talk, shards: ShardReply, seen: Pictures) -> AnnotationReply | None:
        numbered = [{"shard": number, "text": text} for number, text in enumerate(talk.shards, start=1)]
        material = {**_told(talk.asked), "shards": numbered}
        check = partial(evidence_findings, talk.asked, shards)
        found = await self._call(talk, "evidence", EvidenceReply, material, seen, check)
        if found is None:
            return None
        whole = joined(shards, found)
        talk.annotation = annotation_of(talk.asked, whole)
        return whole

    async def _verified(self, talk: _Talk, whole: AnnotationReply, seen: Pictures) -> Verdict:
        asked, lists = talk.asked, self._prompts.words
        annotation = whole.model_dump(mode="json")
        material = {**_told(asked), "category": asked.category, "annotation": annotation}
        check = partial(verify_findings, asked, whole, lists=lists)
        found = await self._call(talk, "verify", VerifyReply, material, seen, check)
        if found is None:
            return "flag_for_human"
        talk.annotation, talk.issues = annotation_of(asked, found.annotation), found.issues
        return found.verdict

    async def _call(
        self,
        talk: _Talk,
        call: CallName,
        kind: type[R],
        material: dict[str, Any],
        seen: Pictures,
        check: Callable[[R], Iterable[Finding]],
    ) -> R | None:
        """Make one call, and once more where its reply breaks rules; None, with a flag, where both do."""
        rules = text_message("system", self._prompts.rules(call, talk.asked.category))
        # As JSON, so that nothing in a question can step out of its quotes and speak to the model.
        words = shown = orjson.dumps(material).decode()
        for attempt in range(1, ATTEMPTS + 1):
            reply = await self._speaker.complete(
                [rules, user_message(seen, words)],
                seed=seed_of(f"draft:{self._seed}:{call}:{attempt}:{talk.asked.question_id}"),
                route=talk.route,
                body=self._bodies[call],
            )
            value, findings = _read(kind, reply, check)
            faults = tuple(_line(one) for one in findings)
            talk.calls.append(_record(call, attempt, reply, faults))
            if reply.status in EXCLUDED:
                raise _ServingFailedError(reply)
            if value is not None:
                return value
            quoted = orjson.dumps((reply.text or "")[:_LONGEST_SENT_BACK]).decode()
            words = f"{shown}\n\n{self._prompts.again(quoted, _bullets(faults))}"
        talk.flags.append(Flag(call, faults))
        return None

    async def _seen(self, asked: Asked, find: Find) -> Pictures:
        """Return the pictures of a scene, each with its label: the composite, then the layers."""
        composite, layer = self._prompts.labels
        pictures: list[tuple[str | None, Picture]] = []
        for index, name in enumerate((asked.composite, *asked.layers)):
            number = index - 1 if index else None
            label = (layer if index else composite).fill(position=index + 1, layer=number)
            key = PictureKey(asked.scene_id, number, name)
            pictures.append((label, await self._pictures.picture(key, find)))
        return pictures

    def _closed(self, talk: _Talk, verdict: Verdict | None, status: Status, error: str | None) -> ModelDraft:
        return ModelDraft(
            question_id=talk.asked.question_id,
            model=self._model,
            seed=self._seed,
            prompts=self._prompts.hashes,
            prompts_sha256=self._prompts.sha256,
            status=status,
            verdict=verdict,
            annotation=talk.annotation,
            shards=talk.shards,
            issues=talk.issues,
            flags=tuple(talk.flags),
            calls=tuple(talk.calls),
            error=error,
        )


def _told(asked: Asked) -> dict[str, Any]:
    """Return what is told of a question beside its pictures, after the first call."""
    return {
        "question": asked.question,
        "answer": asked.answer,
        "about_the_answer": asked.answer_description,
        "layers": [{"layer": number, "caption": text} for number, text in enumerate(asked.captions)],
    }


def _read(
    kind: type[R], reply: Reply, check: Callable[[R], Iterable[Finding]]
) -> tuple[R | None, list[Finding]]:
    """Return a reply that keeps every rule; else None with what it breaks."""
    if reply.status in EXCLUDED:
        return None, []
    if reply.status is not Status.OK:
        allowed = "a short reply with the one JSON object that is asked for"
        return None, [("reply", "whole", str(reply.status), allowed)]
    try:
        value = read_reply(kind, reply.text or "")
    except UnreadableError as error:
        return None, error.faults
    findings = list(check(value))
    return (None if findings else value), findings


def _line(finding: Finding) -> str:
    where, rule, found, allowed = finding
    return f"{where}: {rule}: found {found}, allowed: {allowed}"


def _bullets(faults: Sequence[str]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)


def _record(call: CallName, attempt: int, reply: Reply, faults: tuple[str, ...]) -> CallRecord:
    said = None if reply.text is None else reply.text[:_LONGEST_KEPT]
    tokens = (reply.prompt_tokens or 0, reply.completion_tokens or 0)
    return CallRecord(call, attempt, reply.status, said, faults, *tokens)
