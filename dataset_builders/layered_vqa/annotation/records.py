"""What is asked to be annotated, and the draft that comes of it: records that cannot hold a broken rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dataset_builders.layered_vqa.annotation.replies import Issue, Verdict
from dataset_builders.layered_vqa.example import CATEGORIES, Example, problems
from lvqa_eval.statuses import EXCLUDED, Status

CallName = Literal["shard", "evidence", "verify"]
Span = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """A question with its answer and category, and the scene that it is about.

    `captions` has one text a layer, bottom first. `composite` and `layers` name the files of the scene's
    pictures. Raises ValueError for an unknown category, and where captions and layers differ in number.
    """

    question_id: str
    scene_id: str
    question: str
    answer: str
    answer_description: str | None
    category: str
    captions: tuple[str, ...]
    composite: str
    layers: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise ValueError(
                f"{self.question_id}: category: found {self.category!r}, allowed: {', '.join(CATEGORIES)}"
            )
        if len(self.captions) != len(self.layers):
            raise ValueError(
                f"{self.question_id}: captions: found {len(self.captions)}, "
                f"allowed: one a layer ({len(self.layers)})"
            )

    @property
    def depth(self) -> int:
        """The number of layers, the background included."""
        return len(self.layers)


@dataclass(frozen=True)
class Annotation:
    """A whole annotation that keeps every rule.

    `spans` has, for each shard, where its words stand in the question (first character, end), None where
    they are not together. `roles` are (layer, role) for each layer in some minimal set, ascending.
    `confidence` is the model's own, from 0 to 100. Raises ValueError where a rule of examples is broken.
    """

    example: Example
    spans: tuple[Span | None, ...]
    roles: tuple[tuple[int, str], ...]
    confidence: int
    notes: str

    def __post_init__(self) -> None:
        if broken := problems(self.example):
            raise ValueError("\n".join(map(str, broken)))


@dataclass(frozen=True)
class Flag:
    """A call whose reply broke rules twice, and which rules its last reply broke."""

    call: CallName
    faults: tuple[str, ...]


@dataclass(frozen=True)
class CallRecord:
    """One request: which call, which attempt (2 is the repair), what came back and which rules it broke."""

    call: CallName
    attempt: int
    status: Status
    reply: str | None
    faults: tuple[str, ...]
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class ModelDraft:
    """What became of one question.

    Where the serving failed, `status` is that failure, `error` its words, and there is no verdict. Otherwise
    `status` is ok, and `annotation` is the last one that kept every rule, None where no call brought one;
    `shards` are then those of the first call, where they kept the rules. A draft with flags, or whose last
    call saw one, has the verdict `flag_for_human`. Raises ValueError for a verdict that does not fit.
    """

    question_id: str
    model: str
    seed: int
    prompts: Mapping[str, str]
    prompts_sha256: str
    status: Status
    verdict: Verdict | None
    annotation: Annotation | None
    shards: tuple[str, ...]
    issues: tuple[Issue, ...]
    flags: tuple[Flag, ...]
    calls: tuple[CallRecord, ...]
    error: str | None = None

    def __post_init__(self) -> None:
        if (self.verdict is None) != (self.status in EXCLUDED):
            raise ValueError(f"{self.question_id}: verdict: found {self.verdict} at status {self.status}")
        if self.accepted and (self.annotation is None or self.flags):
            raise ValueError(f"{self.question_id}: verdict: found {self.verdict} without a sound annotation")

    @property
    def accepted(self) -> bool:
        """Whether it may go on as a draft that only needs a person's assent."""
        return self.verdict in ("pass", "revised")
