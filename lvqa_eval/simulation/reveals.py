"""What a simulated user has to reply: one shard that is not revealed yet, in its own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lvqa_eval.loose_json import NoObjectError, one_object, shown, whole

NOTHING_LEFT = -1
"""The id that says that every shard is revealed; right only where that is so."""

_SHORTEST_LIMIT = 300


class BadReplyError(ValueError):
    """A reply that does not keep the contract; the message says in which way, for the one who replied."""


@dataclass(frozen=True)
class Reveal:
    """A reply that keeps the contract: the id of the shard that it reveals, and the words."""

    shard: int
    words: str


def read_reveal(text: str, left: Sequence[int]) -> Reveal:
    """Read a reply of the form {"shard_id": 2, "response": "It is the red one."}.

    `left` holds the ids not revealed yet. The id has to be a whole number among them (2, 2.0 and "2" are
    whole; true is not), or -1 where none is left. Raises BadReplyError for everything else, also for words
    without a letter or digit and for a reply that can be read in two ways.
    """
    try:
        found = one_object(text, ("shard_id", "response"))
    except NoObjectError as error:
        raise BadReplyError(str(error)) from None
    given = found.get("shard_id")
    shard = whole(given)
    allowed = tuple(left) or (NOTHING_LEFT,)
    if shard not in allowed:
        numbers = ", ".join(map(str, allowed))
        raise BadReplyError(f"shard_id: found {shown(given)}, allowed: {numbers}")
    words = found.get("response")
    if not isinstance(words, str) or not any(letter.isalnum() for letter in words):
        raise BadReplyError(f"response: found {shown(words)}, needed words")
    return Reveal(shard, words.strip())


def reveal_schema(left: Sequence[int], longest_shard: int) -> dict[str, Any]:
    """Return the JSON schema of a reply that reveals one of `left`, for servers with structured output.

    `longest_shard` is the number of characters of the longest of them; the words may have three times that,
    so that a model which never ends is stopped by the schema and not in the middle of the JSON.
    """
    longest = max(_SHORTEST_LIMIT, 3 * longest_shard)
    return {
        "type": "object",
        "properties": {
            # The choice comes first: the words are then those of the chosen shard.
            "shard_id": {"type": "integer", "enum": list(left)},
            "response": {"type": "string", "minLength": 1, "maxLength": longest},
        },
        "required": ["shard_id", "response"],
        "additionalProperties": False,
    }


def with_earlier(earlier: str, words: str) -> str:
    """Return a message that repeats all that was said before and adds `words`, as `snowball-q` does."""
    return f"{earlier} {words}"


def without_earlier(earlier: str, message: str) -> str:
    """Return the words that `with_earlier` added."""
    return message.removeprefix(f"{earlier} ")
