"""One conversation as text to read: what arrived in each turn, what was said, and how it was judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from lvqa_eval.benchmarks import Benchmark
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.pictures import Name, PictureRecord
from lvqa_eval.runs.records import (
    ConversationRecord,
    JudgementRecord,
    PageRecord,
    Question,
    QuestionRecord,
    TurnRecord,
)
from lvqa_eval.runs.terminal import Labelled
from lvqa_eval.statuses import MODEL_FAILED, JudgeStatus, Status


@dataclass(frozen=True)
class Labels:
    """The words that stand above a layer and above the scene in a message."""

    layer: Prompt
    composite: Prompt

    @classmethod
    def of(cls, benchmark: Benchmark) -> Self:
        """Return those of a benchmark; where its pictures go unnamed, what they are called here."""
        if benchmark.labels:
            layer, composite = map(load_prompt, benchmark.labels)
            return cls(layer, composite)
        bare = Prompt(benchmark.whole, f"the {benchmark.whole}", "")
        return cls(bare, bare)

    def changed(self, prompts: Any) -> bool:
        """Say whether the hashes in a run's settings are of other words than these."""
        known = prompts if isinstance(prompts, Mapping) else {}
        return any(known.get(one.name, one.sha256) != one.sha256 for one in (self.layer, self.composite))

    def of_turn(self, turn: TurnRecord) -> list[tuple[int | None, str]]:
        """Return the layer (None for the scene) and the label of each picture of a turn, in order."""
        sent = ([None] if turn.composite else []) + list(turn.layers)
        return [
            (
                layer,
                self.composite.fill(position=position)
                if layer is None
                else self.layer.fill(position=position, layer=layer),
            )
            for position, layer in enumerate(sent, start=1)
        ]


def transcript(
    question: Question,
    conversation: ConversationRecord,
    judgements: Mapping[str, JudgementRecord],
    pictures: Mapping[Name, PictureRecord],
    labels: Labels,
    thinking: bool = False,
    factor: float = 1.0,
) -> list[Labelled]:
    """Return the conversation line by line; thinking is counted, and shown where `thinking` is set.

    `factor` is what the sides of its pictures were divided by.
    """
    lines = _head(question, conversation)
    for number, turn in enumerate(conversation.turns, start=1):
        lines.append(Labelled("", f"Turn {number} of {len(conversation.turns)}"))
        for layer, label in labels.of_turn(turn):
            lines.append(
                Labelled(
                    "picture", label + _picture(pictures.get(Name(question.scene_id, layer, factor))), "cyan"
                )
            )
        lines += _turn(turn, thinking)
    if judgements:
        lines.append(Labelled("", "Judgements"))
    for judge, judgement in judgements.items():
        lines += _judgement(judge, judgement)
    return lines


def _head(question: Question, conversation: ConversationRecord) -> list[Labelled]:
    condition, name, run = conversation.key
    described = f" ({question.answer_description})" if question.answer_description else ""
    lines = [
        Labelled("", f"{condition}, question {name}, run {run}: {conversation.status.value}"),
        *_shown_in(question),
        Labelled("question", question.question),
        Labelled("answer", question.answer + described),
    ]
    if isinstance(question, QuestionRecord):
        sets = " or ".join("{" + ", ".join(map(str, one)) + "}" for one in question.minimal_sets)
        lines.append(Labelled("evidence", f"layers {sets}"))
    if conversation.misalignment is not None:
        lines.append(Labelled("delivery", f"misalignment: {conversation.misalignment}"))
    return lines


def _shown_in(question: Question) -> Iterator[Labelled]:
    """Yield the line that says what the question is about."""
    if isinstance(question, QuestionRecord):
        about = f"{question.scene_id}, {question.depth} layers; category {question.category}"
        yield Labelled("scene", about)
    elif isinstance(question, PageRecord):
        kind = f"{question.language}, {question.domain}, {question.document_type}"
        yield Labelled("page", f"{question.page} of {question.source_document}; {kind}")


def _picture(record: PictureRecord | None) -> str:
    if record is None:
        return ""
    original = (record.original_width, record.original_height)
    made = f", of {original[0]}x{original[1]}" if original != (record.width, record.height) else ""
    return f"  ({record.width}x{record.height}{made}; sha256 {record.sha256[:16]})"


def _turn(turn: TurnRecord, thinking: bool) -> list[Labelled]:
    brought = ["the question"] if turn.question else []
    brought += [f"shard {', '.join(map(str, turn.shards))}"] if turn.shards else []
    lines = [Labelled("brings", "; ".join(brought))] if brought else []
    if turn.user_fallback:
        lines.append(
            Labelled("fallback", "the schedule's words; the simulated user gave none to use", "yellow")
        )
    lines.append(Labelled("user", turn.user, "bold"))
    if turn.thinking:
        folded = f"{len(turn.thinking):,} characters; --thinking shows them"
        lines.append(Labelled("thinking", turn.thinking if thinking else folded, "italic dim"))
    lines.append(Labelled("assistant", "(nothing)" if turn.reply is None else turn.reply, "green"))
    if turn.error:
        lines.append(Labelled("error", turn.error, "red"))
    lines.append(Labelled("status", _status(turn), _style(turn.status)))
    return lines


def _status(turn: TurnRecord) -> str:
    parts = [turn.status.value]
    if turn.finish_reason:
        parts.append(f"finish reason {turn.finish_reason}")
    if turn.prompt_tokens is not None:
        cached = f" ({turn.cached_tokens:,} cached)" if turn.cached_tokens is not None else ""
        parts.append(f"{turn.prompt_tokens:,} tokens in{cached}, {turn.completion_tokens or 0:,} out")
    if turn.user_prompt_tokens is not None:
        parts.append(f"user {turn.user_prompt_tokens:,} in, {turn.user_completion_tokens or 0:,} out")
    if turn.logprobs is not None:
        flags = f" ({', '.join(turn.logprobs.flags)})" if turn.logprobs.flags else ""
        parts.append(f"log-probabilities of {len(turn.logprobs.tokens):,} tokens{flags}")
    return "; ".join([*parts, f"seed {turn.seed}"])


def _style(status: Status) -> str:
    if status is Status.OK:
        return "dim"
    return "yellow" if status in MODEL_FAILED else "red"


def _judgement(judge: str, judgement: JudgementRecord) -> list[Labelled]:
    if judgement.status is not JudgeStatus.OK:
        reason = f": {judgement.error}" if judgement.error else ""
        lines = [Labelled(judge, judgement.status.value + reason, "red")]
    else:
        final = "right" if judgement.final_turn_correct else "wrong"
        first = f"first right in turn {judgement.first_correct_turn}"
        lines = [
            Labelled(
                judge, f"{final} in the last turn; {first if judgement.first_correct_turn else 'never right'}"
            )
        ]
    lines += [
        Labelled("attempt", f"turn {one.turn}: {one.answer!r}: {'right' if one.correct else 'wrong'}")
        for one in judgement.attempts
    ]
    return lines + [Labelled("flag", flag, "yellow") for flag in judgement.flags]
