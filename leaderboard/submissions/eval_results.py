"""Results for a model's own repository on the Hub, `.eval_results/*.yaml`: figures of the board alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from leaderboard.board.run_figures import compute_figures
from leaderboard.store.folder import SUBMISSIONS
from leaderboard.store.receipts import timestamp
from leaderboard.submissions.lines import ConversationLine, conversation_line
from leaderboard.submissions.records import Receipt
from leaderboard.submissions.submit import Prepared, Target
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore

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

        A value is an accuracy in per cent. None has a `verify_token`, which the Hub gives to its own jobs.
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
    taken = _taken(one, target)
    figures, judged_by = _of_panel(target, taken) or (one.checked.score.figures, EXACT)
    return Results(
        benchmark,
        dataset,
        standing.version,
        standing.revision,
        {name: figures[name] for name in settings["conditions"] if name in figures},
        judged_by,
        settings["lvqa"],
        timestamp(datetime.now(UTC)) if taken is None else taken.received,
        None if target.repo is None else _address(target.repo, one.packed.id if taken is None else taken.id),
    )


def _taken(one: Prepared, target: Target) -> Receipt | None:
    """Return the receipt of the newest submission of the same conversations, whatever it says of the model.

    None where the board's folder has no such run.
    """
    board = target.board
    if board is None:
        return None
    held = _lines(one.run)
    for standing in reversed(board.submissions()):
        run = board.runs().get(standing.id)
        if standing.withdrawn is None and run is not None and _lines(run) == held:
            return standing.receipt
    return None


def _lines(run_folder: Path) -> dict[Key, ConversationLine]:
    conversations = RunStore.open(run_folder).conversations()
    return {key: conversation_line(one) for key, one in conversations.items()}


def _of_panel(target: Target, taken: Receipt | None) -> tuple[Mapping[str, Figure], str] | None:
    """Return the figures by the panel of the board's folder, and who it is; None where it has not ruled."""
    board = target.board
    if board is None or taken is None:
        return None
    needed = target.standing.benchmarks[taken.benchmark].conditions
    found = compute_figures(RunStore.open(board.run(taken.id)), board.settings.panel, needed)
    if found.verdicts is None or not found.verdicts.panel:
        return None
    return found.figures, f"the panel of {', '.join(found.verdicts.names)}"


def _address(repo: str, name: str) -> str:
    from huggingface_hub import constants

    return f"{constants.ENDPOINT}/datasets/{repo}/tree/main/{SUBMISSIONS}/{name}"


def write_results(results: Results, folder: Path) -> Path:
    """Write the results into `folder`, which is to be laid over the model's repository; return the file."""
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    path = folder / FOLDER / f"{results.benchmark}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = eval_result_entries_to_yaml(results.entries())
    write_whole(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110))
    return path
