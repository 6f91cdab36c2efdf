"""Structured output: a server is asked to hold its reply to a JSON schema."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lvqa_eval.serving.request import Sampling


def held_to(sampling: Sampling, name: str, schema: Mapping[str, Any]) -> Sampling:
    """Return `sampling` with the `response_format` that asks for JSON of one schema, called `name`."""
    # Not "strict": that would forbid limits of length at some providers.
    form = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
    return replace(sampling, extra={**sampling.extra, "response_format": form})
