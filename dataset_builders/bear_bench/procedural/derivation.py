"""How a procedural page was made: everything on it as data, and the way to the answer."""

from typing import Any

from dataset_builders.bear_bench.records import Record


class Derivation(Record):
    """The builder's own record of a page, for audits; it does not go into the dataset.

    `kind` is the way of asking, `steps` has a line for each thing to read or to compute, `accepted` further
    ways to write the answer, `content` every block of the page in reading order.
    """

    page_id: str
    kind: str
    steps: tuple[str, ...]
    accepted: tuple[str, ...]
    content: tuple[dict[str, Any], ...]
