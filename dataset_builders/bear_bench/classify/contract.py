"""What a model is asked about a page, and how its reply is read: the prompt, the schema and the reader."""

from collections.abc import Mapping
from typing import Any, Final

from dataset_builders.bear_bench.records import LABELS
from lvqa_eval.loose_json import NoObjectError, one_object, shown, truth
from lvqa_eval.prompts import Prompt, load_prompt

SEEN: Final = "seen"

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        # First, so that the model looks before it rules; bounded, so that no reply is without end.
        SEEN: {"type": "string", "maxLength": 300},
        **{label: {"type": "boolean"} for label in LABELS},
    },
    "required": [SEEN, *LABELS],
    "additionalProperties": False,
}
"""What `read_labels` reads, for servers with structured output."""


class LabelsError(ValueError):
    """A reply that does not say of every kind of content whether it is there."""


def prompt(name: str) -> Prompt:
    """Load `<name>.md` of this package with its hash."""
    return load_prompt(name, __package__)


def read_labels(text: str) -> tuple[str, ...]:
    """Return the kinds of content that a reply finds, in the order of `LABELS`.

    Raises LabelsError where there is no object, or different ones, or where one of the six is missing or
    neither yes nor no; what is missing is never taken for a no.
    """
    try:
        found = one_object(text, LABELS)
    except NoObjectError as error:
        raise LabelsError(str(error)) from error
    said = {label: truth(found[label]) for label in LABELS if label in found}
    problems = [f"{label}: missing" for label in LABELS if label not in found]
    problems += [
        f"{label}: found {shown(found[label])}, needed true or false"
        for label, value in said.items()
        if value is None
    ]
    if problems:
        raise LabelsError("; ".join(problems))
    return tuple(label for label in LABELS if said[label])
