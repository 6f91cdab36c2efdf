"""The records of a run folder: questions, conversations and judgements; one line of JSON each."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from lvqa_eval.matched import picture_of
from lvqa_eval.statuses import JudgeStatus, Status


class Key(NamedTuple):
    """Names one conversation of a run: the condition, the question and the repetition (from 1)."""

    condition: str
    question_id: str
    run: int


class Question(Protocol):
    """What judging and statistics read of a question of any benchmark; its record is a dataclass."""

    @property
    def question_id(self) -> str:
        """Its name in the dataset."""

    @property
    def scene_id(self) -> str:
        """What its pictures are of."""

    @property
    def category(self) -> str:
        """The kind of question that accuracies are split by."""

    @property
    def question(self) -> str:
        """Its words."""

    @property
    def answer(self) -> str:
        """The reference."""

    @property
    def answer_description(self) -> str | None:
        """What further the reference says."""

    @property
    def cluster(self) -> str:
        """What the bootstrap draws: questions of one cluster are not independent."""


@dataclass(frozen=True)
class QuestionRecord:
    """What judging and statistics need to know of a question about a layered scene; copied from the dataset.

    `shards` holds their words, that of id 1 first; it is empty in a run made before they were kept.
    """

    question_id: str
    scene_id: str
    depth: int
    category: str
    question: str
    answer: str
    answer_description: str | None
    gold_layers: tuple[int, ...]
    minimal_sets: tuple[tuple[int, ...], ...]
    dependencies: tuple[tuple[int, int], ...]
    distractors: tuple[int, ...]
    shards: tuple[str, ...] = ()

    @property
    def cluster(self) -> str:
        """The picture, which is one for all cuts of it into layers."""
        return picture_of(self.scene_id)


@dataclass(frozen=True)
class PageRecord:
    """What judging and statistics need to know of a page and its question; copied from the dataset.

    `language` is en or ru, `domain` business or science; `page` counts from 1 in `source_document`.
    `reasoning_steps` is None where nobody stated it; `ocr_characters` are without white space; `width` and
    `height` are pixels.
    """

    question_id: str
    question: str
    answer: str
    language: str
    domain: str
    document_type: str
    source_document: str
    page: int
    contains_diagrams: bool
    contains_tables: bool
    contains_equations: bool
    contains_code: bool
    contains_figures: bool
    contains_handwriting: bool
    reasoning_steps: int | None
    ocr_characters: int
    width: int
    height: int

    @property
    def scene_id(self) -> str:
        """The page's id again: it has one question."""
        return self.question_id

    @property
    def category(self) -> str:
        """Its cell: language and domain, such as ru-business."""
        return f"{self.language}-{self.domain}"

    @property
    def answer_description(self) -> None:
        """Nothing: a page's reference is its answer alone."""
        return

    @property
    def cluster(self) -> str:
        """The document, whose pages are alike."""
        return self.source_document


@dataclass(frozen=True)
class TokenLogprobs:
    """Natural log-probabilities of the tokens of a reply, end of sequence and thinking included.

    One entry a token in each list. `logprobs` has None where the server gave no finite value. `top` holds
    the most likely alternatives, highest first, without such values; `chosen` the place of the token among
    them, None where it is not one of them. `flags` says what was wrong with the server's figures.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]
    top: tuple[tuple[float, ...], ...]
    chosen: tuple[int | None, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class TurnRecord:
    """One user message as delivered, and the reply to it.

    `shards`, `layers`, `question` and `composite` say what the message brought. `reply` is the answer without
    `thinking`; both are None where nothing came. Token counts are the server's own, None where it gave none.
    `user_fallback` marks the schedule's text in place of a bad reply of a simulated user, whose own tokens
    are the last two.
    """

    user: str
    question: bool
    shards: tuple[int, ...]
    layers: tuple[int, ...]
    composite: bool
    seed: int
    status: Status
    reply: str | None
    thinking: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    error: str | None = None
    logprobs: TokenLogprobs | None = None
    user_fallback: bool = False
    user_prompt_tokens: int | None = None
    user_completion_tokens: int | None = None


@dataclass(frozen=True)
class ConversationRecord:
    """One conversation: its key, its status, and its turns up to where it ended.

    `misalignment` is that of the dataset row: "identical" rows stay out of the aligned contrast.
    """

    condition: str
    question_id: str
    run: int
    status: Status
    turns: tuple[TurnRecord, ...]
    misalignment: str | None = None

    @property
    def key(self) -> Key:
        """The conversation's name in its run."""
        return Key(self.condition, self.question_id, self.run)


@dataclass(frozen=True)
class Attempt:
    """One answer that the assistant gave: in which turn (from 1), its words, and whether it is right."""

    turn: int
    answer: str
    correct: bool


@dataclass(frozen=True)
class JudgementRecord:
    """One judge's ruling on one conversation.

    `final_turn_correct` is what accuracy reads; `first_correct_turn` counts from 1, 0 means never.
    Both are None unless `status` is ok. `flags` says in words what a person should look at. `is_correct`,
    `answer_span` and `reasoning` are a model's own, as it gave them; `reply` is what it said where that could
    not be read. Token counts are those of all its attempts.
    """

    condition: str
    question_id: str
    run: int
    status: JudgeStatus
    final_turn_correct: bool | None
    first_correct_turn: int | None
    attempts: tuple[Attempt, ...] = ()
    error: str | None = None
    flags: tuple[str, ...] = ()
    is_correct: bool | None = None
    answer_span: str | None = None
    reasoning: str | None = None
    reply: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def key(self) -> Key:
        """The name of the conversation that was judged."""
        return Key(self.condition, self.question_id, self.run)
