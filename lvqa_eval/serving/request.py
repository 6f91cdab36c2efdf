"""The body of a chat-completions request, joined from ready bytes so that no image is encoded twice."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import orjson

from lvqa_eval.images import Picture

_OURS = frozenset({"model", "messages", "seed", "stream", "n", "temperature", "top_p", "top_k", "max_tokens"})
_LOGPROBS = frozenset({"logprobs", "top_logprobs"})

Message = tuple[bytes | Picture, ...]
"""One message of a conversation: the pieces of its JSON in order, pictures as themselves."""


def whole(message: Message) -> bytes:
    """Return a message as JSON, every picture in full."""
    return b"".join(piece if isinstance(piece, bytes) else piece.part for piece in message)


class Route(NamedTuple):
    """Where the requests of one conversation go, and which of those that wait goes first.

    A conversation keeps its `endpoint` (an index), whose caches hold its prefix. `order` is its place in the
    run: where slots are short, what began first is finished first.
    """

    endpoint: int = 0
    order: int = 0


DIRECT = Route()
"""To the only server, behind nothing."""


@dataclass(frozen=True)
class Sampling:
    """How replies are drawn; `extra` holds more fields of the body, such as chat_template_kwargs."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 1024
    top_k: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if clash := sorted(_OURS & set(self.extra)):
            raise ValueError(f"sampling, extra: found {', '.join(clash)}, which have fields of their own")

    def fields(self) -> dict[str, Any]:
        """Return the fields of the request body, `extra` last."""
        top_k = {} if self.top_k is None else {"top_k": self.top_k}
        fixed = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens}
        return fixed | top_k | dict(self.extra)


def body_fields(
    thinking: Literal["on", "off"] | None, thinking_budget: int | None, logprobs: int | None
) -> dict[str, Any]:
    """Return the fields of a body that ask for thinking or none, for its limit, and for log-probabilities."""
    fields: dict[str, Any] = {}
    if thinking is not None:
        fields["chat_template_kwargs"] = {"enable_thinking": thinking == "on"}
    if thinking_budget is not None:
        fields["thinking_token_budget"] = thinking_budget
    if logprobs is not None:
        fields |= {"logprobs": True, "top_logprobs": logprobs}
    return fields


class RequestBody:
    """Writes bodies of one model and sampling around the messages of a conversation."""

    def __init__(self, model: str, sampling: Sampling) -> None:
        self._model, self._sampling = model, sampling
        self._head = orjson.dumps({"model": model, **sampling.fields()})[:-1] + b',"messages":['

    @cached_property
    def without_logprobs(self) -> "RequestBody | None":
        """The same without token log-probabilities; None where none are asked for."""
        extra = {name: value for name, value in self._sampling.extra.items() if name not in _LOGPROBS}
        if len(extra) == len(self._sampling.extra):
            return None
        return RequestBody(self._model, replace(self._sampling, extra=extra))

    def fragments(self, messages: Sequence[Message], seed: int, held: Container[str] = ()) -> list[bytes]:
        """Return the pieces of the body; pictures whose hash is `held` by the server go by reference."""
        pieces = [self._head]
        for number, message in enumerate(messages):
            if number:
                pieces.append(b",")
            pieces += [piece if isinstance(piece, bytes) else piece.sent(held) for piece in message]
        pieces.append(b'],"seed":%d}' % seed)
        return pieces
