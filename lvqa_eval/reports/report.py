"""`lvqa report` as data: the runs, every table and figure made from them, and what shaped them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from lvqa_eval.judging.commands import judge_command
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.groups import RELATIONAL
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.exhibit import Exhibit, Paper
from lvqa_eval.reports.field import FieldRow
from lvqa_eval.reports.sources import Source
from lvqa_eval.reports.table import Table


@dataclass(frozen=True)
class Choices:
    """What a user chooses for a report; None where the runs decide.

    `judge` and `post_hoc` name judges, `relational` the categories held relational; `ocr` is the file of how
    much text the images of other benchmarks hold.
    """

    judge: str | None = None
    post_hoc: str | None = None
    draws: int = DRAWS
    seed: int = 0
    relational: tuple[str, ...] = RELATIONAL
    ocr: Path | None = None


@dataclass(frozen=True)
class Part:
    """What a report has of one benchmark.

    - `judge`, `post_hoc`: whose verdicts and whose rulings turn by turn; the latter may be nobody's.
    - `header`: what was measured on what by whom; `cautions`: what a reader has to know first.
    - `field`: the means over the models by condition; `conditions`: the condition table of a single run;
      `opening`: the tables that a terminal shows of a part without these.
    - `lacking`: the headings of the exhibits that lack their inputs, and what makes these, with the runs as
      the user named them; everywhere else they have the names of their folders.
    """

    paper: Paper
    sources: tuple[Source, ...]
    judge: str
    post_hoc: str | None
    header: tuple[tuple[str, str], ...]
    cautions: tuple[str, ...]
    exhibits: tuple[Exhibit, ...]
    field: tuple[FieldRow, ...] = ()
    conditions: ConditionTable | None = None
    opening: tuple[Table, ...] = ()
    lacking: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that a report's files are made from: the same records give the same report anywhere."""

    parts: tuple[Part, ...]
    choices: Choices

    @property
    def sources(self) -> tuple[Source, ...]:
        """The runs of all parts."""
        return tuple(one for part in self.parts for one in part.sources)

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """The exhibits of all parts."""
        return tuple(one for part in self.parts for one in part.exhibits)

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that make the verdicts and the report, from the folder that holds the runs."""
        made = [line for part in self.parts for line in _judge_commands(part)]
        chosen = self.choices
        words = ["lvqa", "report", *(one.run for one in self.sources)]
        judges = {part.judge for part in self.parts}
        words += ["--judge", *judges] if len(judges) == 1 else []
        post_hoc = next((part.post_hoc for part in self.parts if part.post_hoc), None)
        words += ["--post-hoc", post_hoc] if post_hoc else []
        if chosen.relational != RELATIONAL:
            words += ["--relational", ",".join(chosen.relational)]
        words += ["--ocr", chosen.ocr.name] if chosen.ocr else []
        words += ["--draws", str(chosen.draws), "--seed", str(chosen.seed)]
        words += ["--out", "report"] if len(self.sources) > 1 else []
        return (*dict.fromkeys(made), " ".join(map(quote, words)))

    @property
    def conditions(self) -> ConditionTable | None:
        """The condition table, where one run is reported."""
        return next((part.conditions for part in self.parts if part.conditions is not None), None)


def _judge_commands(part: Part) -> Iterator[str]:
    for judge in filter(None, (part.judge, part.post_hoc)):
        yield judge_command([one.run for one in part.sources], judge, part.sources[0].judges[judge])
