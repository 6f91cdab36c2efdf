"""Requests of the app, checked: JSON alone, of bounded size, of the right form."""

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import JsonValue, ValidationError

from dataset_builders.annotator.actions import RefusedError
from dataset_builders.annotator.contents import SLOTS, Slot, Written
from dataset_builders.annotator.naming import LONGEST_NAME, annotator_name
from dataset_builders.annotator.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 1_000_000

Kind = TypeVar("Kind", bound=Written)


class Asked(Written):
    """Who asks for something to be done."""

    annotator: str


class SlotAsked(Asked):
    """Who asks, in which slot of the item."""

    slot: Slot


class FinishAsked(SlotAsked):
    """Who asks to finish a slot, and the newest revision that they know (0: none)."""

    revision: int


class SaveAsked(FinishAsked):
    """Who saves what, and the revision that it started from (0: none)."""

    content: JsonValue


async def read_json(request: "Request", kind: type[Kind]) -> Kind:
    """Return the body of a request; RefusedError for another type, too much of it, or another form."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    if media != "application/json":
        raise RefusedError(415, Problem("content-type", "json", repr(media)[:80], "application/json"))
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise RefusedError(
                413, Problem("body", "size", f"over {MOST_BYTES:,} bytes", f"{MOST_BYTES:,} bytes")
            )
    try:
        return kind.model_validate_json(bytes(body))
    except ValidationError as error:
        raise RefusedError(422, *form_problems(error)) from error


def named(text: str | None) -> str:
    """Return an annotator's name; RefusedError where it is none."""
    name = annotator_name(text or "")
    if name is None:
        allowed = f"1 to {LONGEST_NAME} characters that can be seen"
        raise RefusedError(422, Problem("annotator", "name", repr(text)[:80], allowed))
    return name


def slot_named(text: str | None) -> Slot:
    """Return a slot by its name; RefusedError for an unknown one."""
    for slot in SLOTS:
        if slot == text:
            return slot
    raise RefusedError(422, Problem("slot", "known", repr(text)[:80], ", ".join(SLOTS)))


def form_problems(error: ValidationError) -> list[Problem]:
    """Return what pydantic found, each with its field as other problems name it."""
    return [
        Problem(_place(one["loc"]), one["type"], repr(one.get("input"))[:80], one["msg"])
        for one in error.errors(include_url=False, include_context=False)
    ]


def _place(loc: tuple[Any, ...]) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return where.lstrip(".") or "body"
