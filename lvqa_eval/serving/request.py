"""The body of a chat-completions request, joined from ready bytes so that no image is encoded twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

_OURS = frozenset({"model", "messages", "seed", "stream", "n", "temperature", "top_p", "top_k", "max_tokens"})


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


class RequestBody:
    """Writes bodies of one model and sampling around the messages of a conversation."""

    def __init__(self, model: str, sampling: Sampling) -> None:
        self._head = orjson.dumps({"model": model, **sampling.fields()})[:-1] + b',"messages":['

    def fragments(self, messages: Sequence[bytes], seed: int) -> list[bytes]:
        """Return the pieces of the body; each message is one JSON object, already encoded."""
        commas = [piece for message in messages for piece in (b",", message)]
        return [self._head, *commas[1:], b'],"seed":%d}' % seed]
