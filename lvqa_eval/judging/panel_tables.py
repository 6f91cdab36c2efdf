"""Every table of a panel, in the order in which they are shown."""

from collections.abc import Iterator, Mapping

from lvqa_eval.judging.panel import Panel
from lvqa_eval.judging.panel_judges import (
    judges_table,
    pairs_table,
    parse_rates_table,
    retests_table,
    summary_table,
)
from lvqa_eval.judging.panel_models import (
    assistants_table,
    cross_tables,
    leave_one_out_table,
    self_preference_table,
)
from lvqa_eval.metrics.agreement import Retest
from lvqa_eval.reports.table import Table


def panel_tables(panel: Panel, retests: Mapping[str, Retest], draws: int, seed: int) -> Iterator[Table]:
    """Yield the tables; `retests` are by judge, `draws` and `seed` those of the bootstrap.

    Verdicts are compared on what judges were asked about: on what the model failed they cannot differ.
    """
    asked, counted = panel.asked, panel.counted
    yield summary_table(panel)
    yield judges_table(asked)
    yield parse_rates_table(asked)
    yield pairs_table(asked)
    yield from cross_tables(asked)
    if (asked.own >= 0).any():
        yield self_preference_table(asked, draws, seed)
    yield assistants_table(counted)
    yield leave_one_out_table(counted)
    if retests:
        yield retests_table(retests)
