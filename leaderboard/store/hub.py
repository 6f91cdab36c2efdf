"""A dataset repository on the Hub as the store of a board: a local folder that follows it.

The repository is the board: whoever may write to its main branch decides what stands there, and everyone
else sends a pull request. A folder that follows it checks every submission again before it takes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from leaderboard.store.drafts import locked
from leaderboard.store.folder import SUBMISSIONS, UPLOAD, BoardFolder
from leaderboard.store.hub_errors import HubError, clear_errors
from leaderboard.store.hub_files import (
    RECEIPT_BYTES,
    RemoteFile,
    Synced,
    complete,
    oid,
    run_part,
    same,
)
from leaderboard.store.receipts import LOG, RECEIPT, read_log, read_receipt, timestamp
from leaderboard.store.settings import BOARD, BoardError, BoardSettings
from leaderboard.submissions.accept import RefusedError, restore
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import Receipt
from leaderboard.submissions.standing import BenchmarkStanding, BoardStanding
from lvqa_eval.files import write_whole

if TYPE_CHECKING:
    pass

HUB: Final = "hub"
"""The folder of a board in which files from the Hub arrive."""

MAIN: Final = "main"
Tell = Callable[[str], None]


class ResultsRepo:
    """A dataset repository that holds a board."""

    def __init__(self, repo_id: str) -> None:
        from huggingface_hub import HfApi
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()
        self.repo_id = repo_id
        self.api: HfApi = HfApi(library_name="lvqa")

    def commit(self, revision: str = MAIN) -> str:
        """Return the commit that a branch, or a pull request, is at."""
        return str(self.api.dataset_info(self.repo_id, revision=revision).sha)

    def files(self, commit: str) -> dict[str, RemoteFile]:
        """Return every file at a commit by its path."""
        from huggingface_hub.hf_api import RepoFile

        tree = self.api.list_repo_tree(self.repo_id, recursive=True, revision=commit, repo_type="dataset")
        return {
            one.path: RemoteFile(
                one.path, one.size, one.lfs.sha256 if one.lfs else one.blob_id, one.lfs is not None
            )
            for one in tree
            if isinstance(one, RepoFile)
        }

    def fetch(self, commit: str, paths: Sequence[str], folder: Path | None = None) -> Path:
        """Bring files of a commit to `folder`, the client's own cache if None; return where they lie.

        Those that are there are not fetched again, and a broken download goes on where it was.
        """
        from huggingface_hub import snapshot_download

        where = snapshot_download(
            self.repo_id, repo_type="dataset", revision=commit, local_dir=folder, allow_patterns=list(paths)
        )
        return Path(where)


@dataclass
class Refreshed:
    """What a refresh brought: the commit, submissions by id, and files of runs.

    `refused`: what the repository holds and the board does not take, with the reason. `kept`: files of runs
    that were changed here since the last time, and stay as they are.
    """

    commit: str
    taken: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def refresh(folder: Path, repo_id: str, tell: Tell = lambda _: None, revision: str = MAIN) -> Refreshed:
    """Bring the board in `folder`, made where there is none, to what the repository holds at a revision.

    New submissions are checked and taken one by one, so that a broken refresh goes on where it was. Events
    and submissions that stand here alone stay. Raises HubError, BoardError, DatasetError.
    """
    place = folder / HUB
    place.mkdir(parents=True, exist_ok=True)
    with locked(place), clear_errors(repo_id):
        repo, synced = ResultsRepo(repo_id), Synced.read(place)
        commit = repo.commit(revision)
        if (synced.commit, synced.lvqa) == (commit, version("lvqa")) and (folder / BOARD).is_file():
            return Refreshed(commit)
        return _Refresh(folder, repo, commit, synced, tell).run()


def open_published(repo_id: str) -> BoardFolder:
    """Return the board of a repository as far as checking a submission needs it: settings and receipts."""
    with clear_errors(repo_id):
        repo = ResultsRepo(repo_id)
        commit = repo.commit()
        where = repo.fetch(commit, [BOARD, LOG, f"{SUBMISSIONS}/*/{RECEIPT}"])
    return BoardFolder.open(where)


class _Refresh:
    """One refresh, of everything that differs at `commit`."""

    def __init__(self, folder: Path, repo: ResultsRepo, commit: str, synced: Synced, tell: Tell) -> None:
        self.folder, self.place = folder, folder / HUB
        self.repo, self.commit, self.synced, self.tell = repo, commit, synced, tell
        self.files = repo.files(commit)
        self.found = Refreshed(commit)

    def run(self) -> Refreshed:
        if BOARD not in self.files:
            raise HubError(f"{self.repo.repo_id}: holds no board; `lvqa board publish FOLDER` puts one there")
        self.repo.fetch(self.commit, [BOARD, LOG], self.place)
        settings = BoardSettings.read(self.place)
        if not same(self.folder / BOARD, self.files[BOARD]):
            settings.write(self.folder)
        board = BoardFolder.open(self.folder)
        listed = [event.id for event in read_log(self.place / LOG)[0] if event.event == "received"]
        self._submissions(board, listed, settings.limits)
        self._log(board)
        brought = self._runs(board)
        Synced(self.commit, version("lvqa"), brought).write(self.place)
        return self.found

    def _submissions(self, board: BoardFolder, listed: Sequence[str], limits: Limits) -> None:
        missing = []
        for name in complete(self.files):
            upload, receipt = (self.files[f"{SUBMISSIONS}/{name}/{file}"] for file in (UPLOAD, RECEIPT))
            if board.has(name):
                continue
            if upload.size > limits.packed_bytes or receipt.size > RECEIPT_BYTES:
                self._refuse(name, f"{upload.size:,} bytes, allowed: {limits.packed_bytes:,}")
                continue
            missing.append(name)
        if missing:
            self.repo.fetch(self.commit, [f"{SUBMISSIONS}/{name}/*" for name in missing], self.place)
        order = {name: number for number, name in enumerate(listed)}
        for name in sorted(missing, key=lambda one: (order.get(one, len(order)), one)):
            self._submission(board, name, known=name in order)

    def _submission(self, board: BoardFolder, name: str, *, known: bool) -> None:
        arrived = self.place / SUBMISSIONS / name
        try:
            receipt = _receipt(arrived / RECEIPT, name)
            restore(board, arrived / UPLOAD, receipt, _standing(board, receipt, known=known))
        except (RefusedError, BoardError) as error:
            self._refuse(name, str(error))
            return
        self.found.taken.append(name)
        self.tell(f"{SUBMISSIONS}/{name}: taken: {receipt.about.model}")
        (arrived / UPLOAD).unlink()

    def _refuse(self, name: str, reason: str) -> None:
        self.found.refused[name] = reason
        self.tell(f"{SUBMISSIONS}/{name}: not taken: {reason}")

    def _log(self, board: BoardFolder) -> None:
        """Add the repository's events that are missing here, in its order."""
        with board.writing():
            known = set(board.log())
            new = [event for event in read_log(self.place / LOG)[0] if event not in known]
            if new:
                board.write_log(new)

    def _runs(self, board: BoardFolder) -> dict[str, str]:
        """Bring files of runs, those that belong together at once; return the content that each has now."""
        groups: dict[tuple[str, str, str], list[RemoteFile]] = {}
        runs = board.runs()
        for path, file in sorted(self.files.items()):
            part = run_part(path)
            if part is not None and part.id in runs and file.size <= board.settings.limits.unpacked_bytes:
                groups.setdefault(part.group, []).append(file)
        wanted: list[RemoteFile] = []
        brought: dict[str, str] = {}
        for group in groups.values():
            if all(same(self.folder / file.path, file) for file in group):
                brought |= {file.path: file.oid for file in group}
            elif any(self._changed_here(file) for file in group):
                self._keep(group)
            else:
                wanted += [file for file in group if not same(self.folder / file.path, file)]
                brought |= {file.path: file.oid for file in group}
        self._bring(wanted)
        return brought

    def _changed_here(self, file: RemoteFile) -> bool:
        path = self.folder / file.path
        if not path.is_file() or same(path, file):
            return False
        return oid(path, large=file.large) != self.synced.files.get(file.path)

    def _keep(self, group: Sequence[RemoteFile]) -> None:
        for file in group:
            self.found.kept.append(file.path)
            self.tell(f"{file.path}: changed here since the last refresh, and kept")

    def _bring(self, wanted: Sequence[RemoteFile]) -> None:
        if wanted:
            self.repo.fetch(self.commit, [file.path for file in wanted], self.place)
        # Without its settings nobody takes a file for a judge's: they come last.
        for file in sorted(wanted, key=lambda one: one.path.endswith(".yaml")):
            path = self.folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            arrived = self.place / file.path
            write_whole(path, arrived.read_bytes())
            arrived.unlink()
            self.found.updated.append(file.path)


def _receipt(path: Path, name: str) -> Receipt:
    """Return the receipt that arrived for a submission; BoardError for what is none of it."""
    try:
        receipt = read_receipt(path)
        received = datetime.strptime(receipt.received, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise BoardError(f"{RECEIPT}: not one: {' '.join(str(error).split())[:200]}") from error
    if receipt.id != name:
        raise BoardError(f"{RECEIPT}: id: found {receipt.id[:80]!r}, allowed: {name}")
    latest = datetime.now(UTC) + timedelta(days=1)
    if received > latest:
        raise BoardError(f"{RECEIPT}: received: found {receipt.received}, allowed: up to {timestamp(latest)}")
    return receipt


def _standing(board: BoardFolder, receipt: Receipt, *, known: bool) -> BoardStanding:
    """Return what a submission is checked against: its own version of the dataset where the board has that.

    One that the board's log lists was taken before, maybe by a board of an earlier LVQA.
    """
    now = board.standing()
    own = board.standing_of(receipt) if known else None
    if own is None:
        return now
    harness = tuple(dict.fromkeys((*own.harness, receipt.lvqa)))
    widened = BenchmarkStanding(own.benchmark, own.dataset, own.conditions, own.runs, harness)
    return BoardStanding({**now.benchmarks, receipt.benchmark: widened}, now.models)
