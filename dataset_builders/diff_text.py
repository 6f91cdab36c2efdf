"""A difference of two datasets in words: one line that sums up, then the details."""

from collections.abc import Iterator, Mapping, Sequence

from dataset_builders.diff import DatasetDiff, PictureChange, PicturesDiff, TableDiff

SHOWN = 10
"""Details of one kind that are shown unless all are asked for."""


def told(diff: DatasetDiff, everything: bool = False) -> str:
    """Return the summary line, the details (`SHOWN` of each kind, or all), and the version step."""
    if diff.equal:
        return f"{diff.name} {diff.old_version}: no difference"
    limit = None if everything else SHOWN
    lines = [_summary(diff)]
    lines += _section("options", [f"~ {one}" for one in diff.options], limit)
    for names, table in _alike(diff.tables):
        lines += _section(f"{', '.join(names)}: {_table_counts(table)}", list(_rows(table)), limit)
    lines += _section(f"pictures: {_picture_counts(diff.pictures)}", list(_pictures(diff.pictures)), limit)
    if diff.card:
        lines.append("card: its words or fields differ")
    return "\n".join([*lines, _step(diff)])


def _summary(diff: DatasetDiff) -> str:
    tables = list(diff.tables.values())
    rows = [sum(len(getattr(table, kind)) for table in tables) for kind in ("added", "removed", "changed")]
    return (
        f"{diff.name} {diff.old_version} -> {diff.new_version}: "
        f"rows of all configs {rows[0]} added, {rows[1]} removed, {rows[2]} changed; "
        f"pictures {_picture_counts(diff.pictures)}; options {len(diff.options)} changed"
    )


def _alike(tables: Mapping[str, TableDiff]) -> list[tuple[list[str], TableDiff]]:
    """Return the configs that differ in the very same way together: a new question is new in all sixteen."""
    groups: list[tuple[list[str], TableDiff]] = []
    for name, table in tables.items():
        names = next((names for names, other in groups if other == table), None)
        if names is None:
            groups.append(([name], table))
        else:
            names.append(name)
    return groups


def _table_counts(table: TableDiff) -> str:
    counts = f"{len(table.added)} added, {len(table.removed)} removed, {len(table.changed)} changed"
    return f"{counts}, in another order" if table.reordered else counts


def _picture_counts(pictures: PicturesDiff) -> str:
    return f"{len(pictures.added)} added, {len(pictures.removed)} removed, {len(pictures.changed)} changed"


def _rows(table: TableDiff) -> Iterator[str]:
    for row in table.changed:
        yield f"~ {row.row_id}: {'; '.join(map(str, row.fields))}"
    yield from (f"- {row_id}" for row_id in table.removed)
    yield from (f"+ {row_id}" for row_id in table.added)


def _pictures(pictures: PicturesDiff) -> Iterator[str]:
    yield from (f"~ {one.path}: {_picture(one)}" for one in pictures.changed)
    yield from (f"- {path}" for path in pictures.removed)
    yield from (f"+ {path}" for path in pictures.added)


def _picture(one: PictureChange) -> str:
    if one.form is not None:
        return f"{one.form.old} -> {one.form.new}"
    if not one.largest or one.share is None:
        return "the same pixels, encoded otherwise"
    return f"largest difference {one.largest}/255, {one.share:.2%} of pixels"


def _section(title: str, details: Sequence[str], limit: int | None) -> list[str]:
    if not details and not title.endswith("another order"):
        return []
    shown = [f"  {line}" for line in details[:limit]]
    rest = len(details) - len(shown)
    return [title, *shown, *([f"  and {rest} more; --all shows them"] if rest else [])]


def _step(diff: DatasetDiff) -> str:
    if diff.step == "none":
        return "step: none; only the version differs"
    said = "" if diff.new_version == diff.suggested_version else f"; the new one says {diff.new_version}"
    return f"step: {diff.step}, {diff.old_version} -> {diff.suggested_version}{said}"
