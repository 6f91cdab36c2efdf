"""Structured output: a server is asked to hold its reply to a JSON schema."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lvqa_eval.serving.request import Sampling

_CONFIG: Final = "--structured-outputs-config"


def compact(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return what tells `vllm serve` to let no space stand between the parts of JSON.

    A schema bounds every field, but not the space around them, which a weak model fills without end. Nothing
    where `arguments` already say how the server holds replies to a schema.
    """
    if any(one.partition("=")[0] == _CONFIG for one in arguments):
        return ()
    # vLLM takes the second only with a backend by name; this one is what it would choose.
    return (_CONFIG, '{"backend":"xgrammar","disable_any_whitespace":true}')


def held_to(sampling: Sampling, name: str, schema: Mapping[str, Any]) -> Sampling:
    """Return `sampling` with the `response_format` that asks for JSON of one schema, called `name`."""
    # Not "strict": that would forbid limits of length at some providers.
    form = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
    return replace(sampling, extra={**sampling.extra, "response_format": form})
