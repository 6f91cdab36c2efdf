"""What the three calls are to reply: pydantic models, their JSON schemas, and how a reply is read."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from lvqa_eval.loose_json import NoObjectError, one_object, shown

Verdict = Literal["pass", "revised", "flag_for_human"]


def ascending(layers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers in ascending order, each once: they are sets, and their order says nothing."""
    return tuple(sorted(set(layers)))


# All lists and texts are bounded, so that no reply is without end.
Number = Annotated[int, Field(strict=True, ge=0, le=999)]
Layers = Annotated[tuple[Number, ...], Field(max_length=64), AfterValidator(ascending)]
Reply = TypeVar("Reply", bound=BaseModel)

_MOST_FAULTS = 20


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Unit(_Part):
    """A smallest piece of meaning: neighbouring words of the question, and which time they stand there."""

    id: Number
    source: str = Field(min_length=1, max_length=300)
    occurrence: Number = 1


class Piece(_Part):
    """One shard as proposed: its words and the units that it tells."""

    role: Literal["intent", "detail"]
    text: str = Field(min_length=1, max_length=300)
    units: tuple[Number, ...] = Field(max_length=32)


class ShardReply(_Part):
    """The reply to the first call."""

    units: tuple[Unit, ...] = Field(max_length=32)
    shards: tuple[Piece, ...] = Field(max_length=12)


class LayerRole(_Part):
    """What a layer does for the answer."""

    layer: Number
    role: Literal["target", "anchor", "bridge", "counted", "occluder", "context"]


class Support(_Part):
    """The layers that a shard, named by its number from 1, speaks of."""

    shard: Number
    layers: Layers


class Dependency(_Part):
    """Two layers: one must be understood before the other."""

    before: Number
    after: Number


class EvidenceReply(_Part):
    """The reply to the second call."""

    # Notes first, so that the model looks before it rules.
    notes: str = Field(max_length=1000)
    gold_layers: Layers
    minimal_sets: tuple[Layers, ...] = Field(max_length=16)
    roles: tuple[LayerRole, ...] = Field(max_length=64)
    support: tuple[Support, ...] = Field(max_length=12)
    dependencies: tuple[Dependency, ...] = Field(max_length=64)
    distractors: Layers
    confidence: Annotated[int, Field(strict=True, ge=0, le=100)]


class AnnotationReply(EvidenceReply, ShardReply):
    """A whole annotation: shards and evidence."""


class Issue(_Part):
    """Something wrong with an annotation, and where."""

    field: str = Field(min_length=1, max_length=60)
    problem: str = Field(min_length=1, max_length=400)


class VerifyReply(_Part):
    """The reply to the third call."""

    issues: tuple[Issue, ...] = Field(max_length=20)
    annotation: AnnotationReply
    verdict: Verdict


class UnreadableError(ValueError):
    """A reply that has not the form; `faults` are (field, rule, found, allowed) each."""

    def __init__(self, faults: list[tuple[str, str, str, str]]) -> None:
        super().__init__("; ".join(": ".join(fault) for fault in faults))
        self.faults = faults


def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a reply, for servers with structured output."""
    return kind.model_json_schema()


def read_reply(kind: type[Reply], text: str) -> Reply:
    """Return the one object of the form `kind` in `text`; raises UnreadableError with all its faults."""
    try:
        found = one_object(text, tuple(kind.model_fields))
    except NoObjectError as error:
        fault = ("reply", "one-object", "none, or different ones", "one JSON object of the form asked for")
        raise UnreadableError([fault]) from error
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        faults = [
            (_place(one["loc"]), "form", _found(one["type"], one["input"]), str(one["msg"]))
            for one in error.errors(include_url=False)
        ]
        raise UnreadableError(faults[:_MOST_FAULTS]) from error


def _place(location: tuple[int | str, ...]) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return place.lstrip(".") or "reply"


def _found(kind: str, value: object) -> str:
    return "nothing" if kind == "missing" else shown(value)
