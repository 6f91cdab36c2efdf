"""Sending to a results repository: a submission as a pull request, and a maintainer's board as it stands."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final, NamedTuple

from leaderboard.store.folder import SUBMISSIONS, UPLOAD, BoardFolder
from leaderboard.store.hub import HUB, MAIN, ResultsRepo, Tell, refresh
from leaderboard.store.hub_errors import HubError, clear_errors, needs_token
from leaderboard.store.hub_files import CARD, RemoteFile, Synced, own_files, run_part, same, submission_part
from leaderboard.store.receipts import RECEIPT, encode_receipt
from leaderboard.store.settings import BOARD
from leaderboard.submissions.records import Receipt
from lvqa_eval.progress import progress

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd

BATCH: Final = 100
"""Files of one commit."""


class PullRequest(NamedTuple):
    """Where a submission waits for a maintainer; `new`: it was not there before."""

    url: str
    new: bool


def send_submission(repo_id: str, upload: Path, receipt: Receipt) -> PullRequest:
    """Open a pull request with a submission, unless it is open already; HubError where it is merged.

    Whether the board would take it is for the caller to have checked.
    """
    from huggingface_hub import CommitOperationAdd

    with clear_errors(repo_id):
        needs_token(repo_id)
        repo = ResultsRepo(repo_id)
        place = f"{SUBMISSIONS}/{receipt.id}"
        if repo.api.file_exists(repo_id, f"{place}/{RECEIPT}", repo_type="dataset"):
            raise HubError(f"{repo_id}: {place}: is there already")
        title = f"Submission {receipt.id[:16]}: {receipt.about.model}"
        if (opened := _open_request(repo, title)) is not None:
            return PullRequest(opened, new=False)
        made = repo.api.create_commit(
            repo_id,
            [
                CommitOperationAdd(f"{place}/{UPLOAD}", str(upload)),
                CommitOperationAdd(f"{place}/{RECEIPT}", encode_receipt(receipt)),
            ],
            commit_message=title,
            commit_description=_told(receipt),
            repo_type="dataset",
            create_pr=True,
        )
        return PullRequest(str(made.pr_url), new=True)


def publish_board(board: BoardFolder, repo_id: str, tell: Tell, *, private: bool = False) -> list[str]:
    """Bring a results repository, made where there is none, to what the board holds; return what was sent.

    What stands there and not here comes first, by a refresh. Submissions are only added. After a break the
    same call sends what is missing. Raises HubError.
    """
    with clear_errors(repo_id):
        needs_token(repo_id)
        repo = ResultsRepo(repo_id)
        repo.api.create_repo(repo_id, repo_type="dataset", private=private or None, exist_ok=True)
        if BOARD in repo.files(repo.commit()):
            refresh(board.folder, repo_id, tell)
        commit = repo.commit()
        there = repo.files(commit)
        sent = [path for path in own_files(board) if _to_send(board.folder / path, there.get(path))]
        additions = _additions(board, sent, there)
        _commit(repo, additions, commit)
        there = repo.files(repo.commit())
    _note(board.folder / HUB, there)
    return [one.path_in_repo for one in additions]


def _to_send(path: Path, there: RemoteFile | None) -> bool:
    if there is None:
        return True
    return submission_part(there.path) is None and not same(path, there)


def _additions(
    board: BoardFolder, sent: Sequence[str], there: Mapping[str, RemoteFile]
) -> list["CommitOperationAdd"]:
    from huggingface_hub import CommitOperationAdd

    additions = [CommitOperationAdd(path, str(board.folder / path)) for path in sent]
    if CARD not in there:
        card = files("cards").joinpath("results.md").read_text(encoding="utf-8")
        named = Template(card).substitute(title=board.settings.title, benchmarks=_benchmarks(board))
        additions.append(CommitOperationAdd(CARD, named.encode()))
    return additions


def _benchmarks(board: BoardFolder) -> str:
    return "\n".join(
        f"- {name} {told.version}: `{told.dataset}`" for name, told in board.settings.benchmarks.items()
    )


def _commit(repo: ResultsRepo, additions: Sequence["CommitOperationAdd"], head: str) -> None:
    """Send files, a batch a commit; settings and log are in the last, so a reader sees what they list."""
    with progress(f"sending to {repo.repo_id}", len(additions)) as advance:
        for start in range(0, len(additions), BATCH):
            batch = additions[start : start + BATCH]
            made = repo.api.create_commit(
                repo.repo_id,
                list(batch),
                commit_message=f"Update the board: {len(batch)} files",
                repo_type="dataset",
                revision=MAIN,
                parent_commit=head,
            )
            head = str(made.oid)
            for _ in batch:
                advance("")


def _note(place: Path, there: Mapping[str, RemoteFile]) -> None:
    """Write down that the files of runs here are those of the repository; the next refresh reads the rest."""
    place.mkdir(exist_ok=True)
    held = {path: file.oid for path, file in there.items() if run_part(path) is not None}
    Synced(files=held).write(place)


def _open_request(repo: ResultsRepo, title: str) -> str | None:
    """Return where a pull request of that title by the token's owner is open; None for none."""
    user = str(repo.api.whoami()["name"])
    found = repo.api.get_repo_discussions(
        repo.repo_id, repo_type="dataset", discussion_type="pull_request", author=user
    )
    return next((one.url for one in found if one.title == title and one.status in ("draft", "open")), None)


def _told(receipt: Receipt) -> str:
    """Return what a pull request says of its submission, in words of ours and names without markup."""
    return "\n".join(
        [
            f"- model: `{receipt.about.model}`",
            f"- {receipt.benchmark} {receipt.dataset_version}, LVQA {receipt.lvqa}",
            f"- {receipt.conversations} conversations, {receipt.runs} runs of {len(receipt.conditions)} "
            "conditions",
            "",
            "Checked by `lvqa submit` before it was sent; the board checks it again.",
        ]
    )
