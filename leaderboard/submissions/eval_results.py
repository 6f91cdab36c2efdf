"""Results for a model's own repository on the Hub, `.eval_results/*.yaml`: figures of the board alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.submit import Prepared, Target
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.identity import RunIdentity

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

FOLDER: Final = ".eval_results"
EXACT: Final = "exact match"


class ResultsError(LvqaError, ValueError):
    """Figures that cannot be told to the Hub."""


@dataclass(frozen=True)
class Results:
    """Accuracies of one model on one dataset of the Hub, by condition.

    `judged_by`: in words. `revision`: the commit of the dataset. `source`: where they can be looked up.
    """

    benchmark: str
    dataset: str
    version: str
    revision: str | None
    accuracies: Mapping[str, Figure]
    judged_by: str
    harness: str
    date: str
    source: str | None = None

    def entries(self) -> list["EvalResultEntry"]:
        """Return an entry a condition, which is what the dataset's `eval.yaml` calls a task.

        A value is an accuracy in per cent. There is no `verify_token`: the Hub gives one to its own jobs only.
        """
        from huggingface_hub import EvalResultEntry

        return [
            EvalResultEntry(
                dataset_id=self.dataset,
                task_id=condition,
                value=round(100 * figure.value, 2),
                dataset_revision=self.revision,
                date=self.date,
                source_url=self.source,
                source_name="LVQA leaderboard" if self.source else None,
                notes=self._notes(figure),
            )
            for condition, figure in self.accuracies.items()
        ]

    def _notes(self, figure: Figure) -> str:
        told = [
            f"accuracy in per cent by {self.judged_by}",
            f"95 % interval {100 * figure.low:.2f} to {100 * figure.high:.2f}",
            f"{figure.n} of {figure.planned} conversations",
            f"dataset version {self.version}",
            f"LVQA {self.harness}",
        ]
        return "; ".join(told)


def board_results(one: Prepared, target: Target) -> Results:
    """Return the results of a checked submission: the panel's where the board has ruled, else exact match.

    Raises ResultsError where the dataset is not one of the Hub.
    """
    header = one.checked.header
    assert header is not None
    assert one.checked.score is not None
    settings = header.settings
    benchmark = settings["benchmark"]
    dataset, standing = target.names[benchmark], target.standing.benchmarks[benchmark].dataset
    if standing.revision is None:
        raise ResultsError(
            f"--eval-results: found the folder {dataset}, needed a dataset of the Hub, which results are of: "
            "--dataset ORG/NAME, or a board over one"
        )
    found = None if target.board is None else _of_panel(target.board, one.packed.id)
    figures, judged_by = found or (one.checked.score.figures, EXACT)
    return Results(
        benchmark,
        dataset,
        standing.version,
        standing.revision,
        {name: figures[name] for name in settings["conditions"] if name in figures},
        judged_by,
        settings["lvqa"],
        one.received,
        None if target.repo is None else _address(target.repo, one.packed.id),
    )


def write_results(results: Results, folder: Path) -> Path:
    """Write the results into `folder`, which is to be laid over the model's repository; return the file."""
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    path = folder / FOLDER / f"{results.benchmark}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = eval_result_entries_to_yaml(results.entries())
    write_whole(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110))
    return path
