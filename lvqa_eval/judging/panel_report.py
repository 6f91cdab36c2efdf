"""`lvqa panel`: the consensus of judges kept in every run, and what there is to tell of the panel."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.files import write_whole
from lvqa_eval.judging.panel import Panel, check_comparable, dataset_of, read_panel, votes_of
from lvqa_eval.judging.panel_members import choose_judges
from lvqa_eval.judging.panel_records import CONSENSUS, CONSENSUS_POST_HOC, keep_final, keep_post_hoc
from lvqa_eval.judging.panel_tables import panel_tables
from lvqa_eval.metrics.agreement import Retest, retest
from lvqa_eval.reports.table import Table, comma_separated, markdown
from lvqa_eval.runs.store import RunStore

TITLE = "Panel of judges"


@dataclass(frozen=True)
class PanelReport:
    """Everything that is printed of a panel, and written; the same records give the same report.

    `header` names what was judged and by whom; `kept` are the consensus judges that every run has now.
    """

    header: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    kept: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write `panel.md` and one CSV file a table into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        header = (*self.header, *(("Note", note) for note in self.notes))
        write_whole(folder / "panel.md", markdown(TITLE, header, self.tables))
        for table in self.tables:
            write_whole(folder / f"{table.name}.csv", comma_separated(table))


def make_panel(
    folders: Sequence[Path], wanted: Sequence[str] | None, size: int | None, draws: int, seed: int
) -> PanelReport:
    """Form the consensus of a panel over runs, keep it in each, and return the report.

    `wanted` names the judges, all models that judged every run if None; `size` is the number of judges of
    which more than half must have voted. Raises PanelError for runs or judges that make no panel.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(RunStore.open(folder)) for folder in folders]
        check_comparable(stores)
        chosen = choose_judges(stores, wanted)
        panel = read_panel(stores, chosen, size)
        keep_final(stores, panel)
        post_hoc = keep_post_hoc(stores, chosen.post_hoc, size)
        retests = _retests(stores, panel.asked, chosen.retests)
        tables = tuple(panel_tables(panel, retests, draws, seed))
    kept = (CONSENSUS, *((CONSENSUS_POST_HOC,) if post_hoc else ()))
    header = (
        ("Runs", ", ".join(folder.name for folder in folders)),
        ("Assistants", ", ".join(panel.assistants)),
        ("Dataset", dataset_of(stores[0])),
        ("Judges", ", ".join(f"{name} ({stores[0].judge_identity(name).digest()})" for name in chosen.final)),
        ("Consensus", f"of {panel.size}, kept as {' and '.join(kept)}"),
    )
    return PanelReport(header, chosen.notes, tables, kept)


def _retests(
    stores: Sequence[RunStore], asked: Panel, pairs: Sequence[tuple[str, str]]
) -> Mapping[str, Retest]:
    first = {judge: place for place, judge in enumerate(asked.judges)}
    return {
        judge: retest(asked.votes[first[judge]], votes_of(stores, asked, again)) for judge, again in pairs
    }
