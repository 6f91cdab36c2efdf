"""What annotators write: one strict record a kind of item, and the draft that models make of a question."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Mode = Literal["scenes", "pages", "errors"]
Slot = Literal["author", "check", "adjudicate"]
Decision = Literal["accept", "reject"]

MODES: tuple[Mode, ...] = ("scenes", "pages", "errors")
SLOTS: tuple[Slot, ...] = ("author", "check", "adjudicate")

MOST = 64
"""Most entries of a list, and layers of a scene: far above real ones, far below what burdens a server."""

Text = Annotated[str, Field(max_length=20_000)]
Layer = Annotated[int, Field(ge=0)]
Layers = Annotated[tuple[Layer, ...], Field(max_length=MOST)]


class Written(BaseModel):
    """Something written: no further fields, no conversions, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ShardContent(Written):
    """One shard: its words, where they stand in the question (first character, end), and its layers."""

    text: Text = ""
    span: tuple[int, int] | None = None
    support: Layers = ()


class SceneContent(Written):
    """A question about a scene with its evidence; layers by number, 0 the background.

    The first of `minimal_sets` is the gold; `dependencies` are pairs (before, after). What is in no minimal
    set distracts.
    """

    question: Text = ""
    answer: Text = ""
    answer_description: Text | None = None
    category: Text = ""
    minimal_sets: Annotated[tuple[Layers, ...], Field(max_length=MOST)] = ()
    dependencies: Annotated[tuple[tuple[Layer, Layer], ...], Field(max_length=MOST * MOST)] = ()
    shards: Annotated[tuple[ShardContent, ...], Field(max_length=MOST)] = ()
    decision: Decision = "accept"
    note: Text = ""


class PageContent(Written):
    """A question about a page, what the page contains, and how many steps lead to the answer."""

    question: Text = ""
    answer: Text = ""
    labels: Annotated[tuple[Text, ...], Field(max_length=MOST)] = ()
    reasoning_steps: int | None = None
    decision: Decision = "accept"
    note: Text = ""


class ErrorContent(Written):
    """The types of the errors in a wrong answer; none where no type fits."""

    tags: Annotated[tuple[Text, ...], Field(max_length=MOST)] = ()
    note: Text = ""


Content: TypeAlias = SceneContent | PageContent | ErrorContent

CONTENTS: Mapping[Mode, type[SceneContent] | type[PageContent] | type[ErrorContent]] = {
    "scenes": SceneContent,
    "pages": PageContent,
    "errors": ErrorContent,
}


class Draft(Written):
    """What models made of a question: a whole annotation, and what the verifying one said of it.

    `model` is its name; `details` holds what else is worth keeping: hashes of the prompts, roles of layers,
    confidence, replies that broke a rule.
    """

    content: SceneContent
    verdict: Literal["pass", "revised", "flag_for_human"]
    issues: tuple[str, ...] = ()
    model: str
    details: dict[str, JsonValue] = {}


def read_content(mode: Mode, text: str | bytes) -> Content:
    """Return a content from its JSON; raises pydantic's ValidationError."""
    return CONTENTS[mode].model_validate_json(text)
