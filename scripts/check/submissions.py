"""Broken submissions by the thousand, and bombs of full size: none is taken, none crashes, memory is flat."""

import argparse
import gzip
import sys
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.accept import RefusedError, accept
from leaderboard.submissions.records import Problem
from tests.support.boards import NOW, empty_board
from tests.support.broken_submissions import Broken, broken, strict_board

CASES = Path(__file__).resolve().parents[2] / "tests" / "cases" / "leaderboard"
MOST_MEMORY = 64
"""MiB that reading a bomb may add to the process."""


def main() -> None:
    """Print the figures; exit with 1 where one is off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="Broken submissions to draw.")
    parser.add_argument("--seed", type=int, default=0, help="Of what is drawn.")
    parser.add_argument("--bomb", type=int, default=1024, help="MiB that each bomb unpacks to.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        faults = [*drawn(Path(place), asked.count, asked.seed), *large(Path(place) / "large", asked.bomb)]
    for fault in faults[:20]:
        print(f"FAILED: {fault}")
    sys.exit(bool(faults))


def drawn(folder: Path, count: int, number: int) -> list[str]:
    """Send so many broken submissions, and the cases' files, to a board that one model stands on."""
    board, lines, other = strict_board(folder)
    accept(board, other, None, NOW)
    kinds: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    faults: list[str] = []

    def send(sent: Broken) -> None:
        kinds[sent.how] += 1
        found = refused(board, sent.content, folder / "upload")
        if isinstance(found, str):
            faults.append(f"{sent.how}: {found}")
            return
        problems.update("the file" if one.line is None else "a line" for one in found)
        faults.extend(f"{sent.how}: not told well: {one!r}" for one in found if not told(one))

    state = board.state()
    for path in sorted(CASES.iterdir()):
        send(Broken(f"file {path.name}", path.read_bytes()))
    drawing = settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(drawing(given(broken(lines))(send)))()
    if board.state() != state or [path.name for path in (board.folder / "tmp").iterdir()] != ["lock"]:
        faults.append("the board has changed")
    accepted = sum(fault.endswith("taken") for fault in faults)
    crashed = sum("crashed" in fault for fault in faults)
    print(f"broken submissions: {kinds.total()} in {len(kinds)} ways")
    print(f"taken {accepted}, crashed {crashed}, other faults {len(faults) - accepted - crashed}")
    print(
        f"problems told: {problems.total()}, {problems['a line']} of lines, {problems['the file']} of files"
    )
    return faults


def refused(board: BoardFolder, content: bytes, path: Path) -> tuple[Problem, ...] | str:
    """Return the problems with which a board refuses a file, or what happened in place of that."""
    path.write_bytes(content)
    try:
        accept(board, path, None, NOW)
    except RefusedError as error:
        return error.problems
    except Exception as error:
        return f"crashed: {type(error).__name__}: {error}"[:300]
    return "taken"


def told(problem: Problem) -> bool:
    """Say whether an answer names a place, what was found and what is allowed, in text that is seen."""
    whole = problem.field and problem.found and problem.allowed
    return bool(whole) and str(problem).isprintable() and len(str(problem)) < 1000


def large(folder: Path, mebibytes: int) -> list[str]:
    """Send bombs of full size to a board with the usual limits."""
    dataset = folder.parent / "layered-vqa"
    board = empty_board(folder, dataset)
    block = 1 << 20
    bombs = {
        "zeros": bytes(block),
        "lines": b'{"kind":"' + b"x" * (block // 2) + b'"}\n',
        "short lines": b"{}\n" * (block // 3),
        "empty lines": b"\n" * block,
    }
    faults = []
    for name, piece in bombs.items():
        path = folder / "bomb.gz"
        with gzip.open(path, "wb", 1) as file:
            for _ in range(mebibytes):
                file.write(piece)
        before = memory()
        found = refused_file(board, path)
        grown = memory() - before
        print(f"bomb of {mebibytes} MiB, {name}: {path.stat().st_size:,} bytes, {found}; memory +{grown} MiB")
        if not found.startswith("refused") or grown > MOST_MEMORY:
            faults.append(f"bomb: {name}: {found}, memory +{grown} MiB")
    return faults


def refused_file(board: BoardFolder, path: Path) -> str:
    """Return in words how a board takes a file."""
    try:
        accept(board, path, None, NOW)
    except RefusedError as error:
        return f"refused: {error.problems[-1]}"
    return "taken"


def memory() -> int:
    """Return the most memory that this process has held, in MiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
