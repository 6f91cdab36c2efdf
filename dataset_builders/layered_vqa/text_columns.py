"""Text that loading would change: a column of nothing but ISO dates is read as timestamps."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson


def altered_columns(config: str, table: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line for each text column of `table` that `load_dataset` would not give back as written.

    `load_dataset` lets Arrow infer the types of a metadata file, whatever the card says; this asks Arrow
    itself, so the answer holds for every spelling of a date that it knows.
    """
    import pyarrow.json

    data = b"\n".join(orjson.dumps(row) for row in table)
    # One block: Arrow infers types block by block and then widens, with the same result.
    options = pyarrow.json.ReadOptions(block_size=max(len(data), 1) + 1)
    inferred = pyarrow.json.read_json(io.BytesIO(data), read_options=options).schema
    return [
        f"{config}.jsonl: {name}: every value is a date or time in ISO form, which load_dataset turns into "
        "timestamps; write at least one of them otherwise (1 May 2024)"
        for column in inferred
        for name, leaf in _leaves(column.name, column.type)
        if pyarrow.types.is_temporal(leaf)
    ]


def _leaves(name: str, kind: Any) -> Iterator[tuple[str, Any]]:
    import pyarrow

    if pyarrow.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{name}.{field.name}", field.type)
    elif pyarrow.types.is_list(kind):
        yield from _leaves(name, kind.value_type)
    else:
        yield name, kind
