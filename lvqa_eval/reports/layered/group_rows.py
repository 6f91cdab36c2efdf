"""Groups of questions in rows, with how many there are of each."""

from collections.abc import Mapping

from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.layered.field_rows import KINDS, SIGNS, mean_of, own_notes
from lvqa_eval.reports.table import Head, Table, Value


def group_table(
    name: str,
    title: str,
    study: Study,
    groups: Groups,
    figures: Mapping[str, FieldTable],
    first: str = "Questions with",
) -> Table:
    """Return the means over the models by group of questions: a row a group, with its size.

    `figures` holds, by the head of their column, statistics whose columns are the groups.
    """
    titles = [Head(f"{head}, {SIGNS[table.unit]}", KINDS[table.unit]) for head, table in figures.items()]
    rows: list[tuple[Value, ...]] = [
        (
            group,
            int(asked.sum()),
            len(set(study.scene_of[asked].tolist())),
            *(table.of_field(group) for table in figures.values()),
        )
        for group, asked in groups.items()
    ]
    return Table(
        name,
        f"{title}, {mean_of(study.models)}",
        (Head(first), Head("Questions", "count"), Head("Scenes", "count"), *titles),
        tuple(rows),
        own_notes(*figures.values(), means=True),
    )
