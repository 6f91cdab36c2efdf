"""Simulated studies whose truth is known: do intervals hold it, and do planted effects show?

Without --runs it draws many studies from the stated model, each with its own scenes and questions, and
prints how often the 95 % intervals hold the population values and what is found of each planted effect. The
exit code is 1 where a coverage lies outside 93 to 97 %, or an effect does not show. With --runs it writes one
study as run folders, marked as simulated, for `lvqa panel` and `lvqa report`.

    .venv/bin/python scripts/simulate_study.py
    .venv/bin/python scripts/simulate_study.py --runs simulated-runs
"""

import argparse
import sys
from pathlib import Path

from simulated.coverage import coverage_table
from simulated.effects import effects_table
from simulated.measure import Measured, measure
from simulated.model import Size, stated_model
from simulated.runs import statement, write_runs

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.reports.table import Table, markdown_lines


def main() -> int:
    chosen = parsed()
    try:
        size = Size(chosen.assistants, chosen.questions, chosen.scenes, chosen.repetitions, chosen.judges)
        if chosen.runs is not None:
            for folder in write_runs(chosen.runs, size, chosen.seed):
                print(folder)
            return 0
    except LvqaError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(f"{statement()}\n\n{settings(size, chosen)}\n", flush=True)
    measured = measure(stated_model(size), chosen.studies, chosen.seed, chosen.draws)
    print_measured(measured)
    return 1 if measured.faults else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    default = Size()
    parser.add_argument("--runs", type=Path, metavar="DIR", help="write one study as run folders there")
    parser.add_argument("--studies", type=int, default=200, help="how many to draw (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (%(default)s)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="of the bootstrap (%(default)s)")
    for name, value in vars(default).items():
        parser.add_argument(f"--{name}", type=int, default=value, metavar="N", help="(%(default)s)")
    return parser.parse_args()


def settings(size: Size, chosen: argparse.Namespace) -> str:
    """Return what is drawn, in a line."""
    counted = ", ".join(f"{count} {name}" for name, count in vars(size).items())
    return f"{chosen.studies} studies, seed {chosen.seed}, {chosen.draws:,} draws; each: {counted}"


def print_measured(measured: Measured) -> None:
    """Print both tables, then what is told of the panel, then what is wrong."""
    print_table(coverage_table(measured.coverage))
    print_table(effects_table(measured.effects))
    if (panel := measured.panel) is not None:
        print(
            f"Verdicts of the first study that are true: consensus {panel.consensus:.2%} "
            f"(kappa {panel.kappa:.3f}), single judges {panel.worst:.1%} to {panel.best:.1%}; "
            f"without a quorum {panel.undecided}."
        )
    print(
        "\n".join(measured.faults) or "All coverages are within the limits, and every planted effect shows."
    )


def print_table(table: Table) -> None:
    """Print a table as Markdown."""
    print("\n".join([f"## {table.title}", "", *markdown_lines(table), ""]))


if __name__ == "__main__":
    sys.exit(main())
