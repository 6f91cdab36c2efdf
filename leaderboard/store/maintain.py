"""What a maintainer does to a board: runs of one's own, and a look at everything that is stored."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from leaderboard.store.folder import BoardFolder, Submission, UnknownSubmissionError
from leaderboard.store.receipts import encode_receipt, receipt_of
from leaderboard.submissions.accept import accept, receipt_about
from leaderboard.submissions.derive import EXACT_MATCH, UPLOADED, derive_run
from leaderboard.submissions.format import SUFFIX, pack
from leaderboard.submissions.lines import HeaderLine
from leaderboard.submissions.reading import read_submission
from leaderboard.submissions.records import About, Receipt
from lvqa_eval.detectors.features.columns import KEY, cosines_column
from lvqa_eval.detectors.features.read import feature_folders
from lvqa_eval.detectors.features.store import FEATURES, FeatureStore
from lvqa_eval.detectors.features.store import IDENTITY as FEATURES_IDENTITY
from lvqa_eval.detectors.layers import lens_layers
from lvqa_eval.detectors.saved import FOLDER as DETECTIONS
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import replacing
from lvqa_eval.runs.store import CONVERSATIONS, IDENTITY, JUDGEMENTS, QUESTIONS, RunStore
from lvqa_eval.runs.verify import verify

SHORTEST: Final = 8
"""Characters of an id that name it, if no other begins so."""


def find(board: BoardFolder, name: str) -> Submission:
    """Return the submission whose id is or begins with `name`; UnknownSubmissionError for none or several."""
    found = [one for one in board.submissions() if one.id.startswith(name)]
    if len(found) != 1 or len(name) < SHORTEST:
        allowed = f"an id, or {SHORTEST} or more characters that one id begins with"
        raise UnknownSubmissionError(f"ID: found {name[:80]!r}, which {len(found)} have; allowed: {allowed}")
    return found[0]


def add_run(
    board: BoardFolder, run_folder: Path, about: About, now: datetime, *, judged: bool = False
) -> Receipt:
    """Take a maintainer's own run: submitted as any other, and marked as verified.

    Its detections come along, and of its features the patches of pictures; with `judged` the verdicts of
    models as well, as those of the board. Raises RunFolderError, PackError, RefusedError, FeaturesError.
    """
    with TemporaryDirectory(prefix="lvqa-board-") as folder:
        file = pack(run_folder, about, Path(folder) / f"run{SUFFIX}", board.settings.limits).path
        receipt = accept(board, file, None, now)
    run = board.run(receipt.id)
    copy_whole(run_folder / DETECTIONS, run / DETECTIONS)
    copy_patches(run_folder, run)
    if judged:
        _copy_verdicts(run_folder, run)
    if board.submission(receipt.id).verified is None:
        board.mark_verified(receipt.id, None, "a maintainer's own run", now)
    return receipt


def copy_whole(source: Path, target: Path) -> None:
    """Copy a folder's files in place of those that were there; nothing where there is no `source`."""
    if source.is_dir():
        with replacing(target) as draft:
            shutil.copytree(source, draft, dirs_exist_ok=True)


def copy_patches(source: Path, run: Path) -> None:
    """Copy of the features of a run what heat maps are drawn of, which is a small part of them."""
    for folder in feature_folders(source):
        store = FeatureStore.open(folder)
        pair = lens_layers(store.depths.depth)
        if pair not in store.depths.pairs:
            continue
        import pyarrow.parquet

        columns = [*KEY, "grid_rows", "grid_columns", cosines_column(pair)]
        with replacing(run / FEATURES / folder.name) as draft:
            shutil.copyfile(folder / FEATURES_IDENTITY, draft / FEATURES_IDENTITY)
            for number, table in enumerate(store.tables(columns=columns)):
                path = draft / f"part-{number:04}.parquet"
                pyarrow.parquet.write_table(table, path, compression="zstd")


def _copy_verdicts(source: Path, run: Path) -> None:
    for judge in RunStore.open(source).judges():
        if judge != EXACT_MATCH:
            # Without its settings nobody takes a file for a judge's: they come last.
            for suffix in (".jsonl", ".yaml"):
                shutil.copyfile(
                    source / JUDGEMENTS / f"{judge}{suffix}", run / JUDGEMENTS / f"{judge}{suffix}"
                )


def faults(board: BoardFolder) -> Iterator[str]:
    """Yield everything in a board that is not as it was taken: files, receipts, log, derived runs."""
    known = {one.id for one in board.submissions()}
    for event in board.log():
        if event.id not in known:
            yield f"log.jsonl: {event.event} {event.at}: no submission {event.id}"
    for one in board.submissions():
        yield from _submission_faults(board, one.receipt)


def _submission_faults(board: BoardFolder, receipt: Receipt) -> Iterator[str]:
    place = f"submissions/{receipt.id}"
    parsed = read_submission(board.upload(receipt.id), board.settings.limits)
    header = None
    for _, record in parsed.records():
        header = record if isinstance(record, HeaderLine) else header
    if parsed.sha256 != receipt.id or header is None:
        content = parsed.sha256 or "; ".join(map(str, parsed.problems))
        yield f"{place}/upload.jsonl.gz: found content {content}, allowed: that of its name"
        return
    told = receipt_of(header, receipt_about(header), receipt.id, receipt.received, receipt.by)
    if encode_receipt(told) != encode_receipt(receipt):
        yield f"{place}/receipt.json: says something else than the header of the upload"
        return
    yield from _run_faults(board, receipt)


def _run_faults(board: BoardFolder, receipt: Receipt) -> Iterator[str]:
    """Derive a run again and compare what is never changed; read what judges have added."""
    run, standing = board.run(receipt.id), board.standing_of(receipt)
    place = f"runs/{receipt.id}"
    if receipt.id not in board.runs():
        yield f"{place}: missing"
        return
    if standing is None:
        yield f"{place}: not compared: its dataset {receipt.benchmark} {receipt.dataset_version} is not here"
    else:
        with board.draft() as draft:
            derive_run(board.upload(receipt.id), draft / "run", standing, board.settings.limits)
            for name in _derived(draft / "run"):
                if not _same(run / name, draft / "run" / name):
                    yield f"{place}/{name}: is not what the upload gives"
    yield from (f"{place}: {problem}" for problem in verify(run).problems)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and one.read_bytes() == other.read_bytes()


def _derived(run: Path) -> list[str]:
    verdicts = [f"{JUDGEMENTS}/{EXACT_MATCH}{suffix}" for suffix in (".yaml", ".jsonl")]
    uploaded = sorted(path.relative_to(run).as_posix() for path in (run / UPLOADED).glob("*"))
    return [IDENTITY, QUESTIONS, CONVERSATIONS, *verdicts, *uploaded]


class FaultyBoardError(LvqaError):
    """A board in which something is not as it was taken."""
