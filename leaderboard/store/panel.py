"""The board's own panel: its judges rule on what they have not ruled on, and their consensus is kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from leaderboard.store.folder import BoardFolder
from leaderboard.store.settings import BoardError
from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.all_judges import Sat, judge_runs, sittings
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.judging.panel import read_panel
from lvqa_eval.judging.panel_members import choose_judges
from lvqa_eval.judging.panel_records import keep_final, keep_post_hoc
from lvqa_eval.runs.store import RunStore

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster

TURN_BY_TURN: Final = ("final-turn", "post-hoc")
"""What judges are asked about conversations; the second tells when the first right answer came."""


class Bench(NamedTuple):
    """Submissions over one dataset, which judges are asked about in one way."""

    benchmark: Benchmark
    ids: tuple[str, ...]

    def protocols(self) -> tuple[str, ...]:
        """Return how judges are asked."""
        own = self.benchmark.protocol
        return TURN_BY_TURN if own in TURN_BY_TURN else (own,)


def model_of(word: str) -> str:
    """Return the name of a judge that is given as NAME or NAME@URL."""
    return word.partition("@")[0]


def settle_panel(board: BoardFolder, words: Sequence[str]) -> BoardFolder:
    """Make judges the panel of a board that has none, and return the board.

    Raises BoardError where it has one that they are not part of, and for a board without any.
    """
    names = tuple(dict.fromkeys(map(model_of, words)))
    panel = tuple(map(model_of, board.settings.panel))
    if not panel and names:
        msgspec.structs.replace(board.settings, panel=names).write(board.folder)
        return BoardFolder.open(board.folder)
    if strangers := [name for name in names if name not in panel]:
        allowed = ", ".join(panel)
        raise BoardError(
            f"--judge: found {', '.join(strangers)}, allowed: {allowed}, the panel in board.yaml; another "
            "panel is another board's ranking: change it there, and let it rule on every submission anew"
        )
    if not panel:
        raise BoardError("--judge: missing; the board has no panel yet")
    return board


def benches(board: BoardFolder, *, everything: bool) -> list[Bench]:
    """Return what the panel is for: the newest of each model, or with `everything` all but the withdrawn."""
    runs = board.runs()
    groups: dict[tuple[str, str], list[str]] = {}
    for one in board.submissions():
        wanted = one.withdrawn is None if everything else one.newest
        if wanted and one.id in runs:
            groups.setdefault((one.receipt.benchmark, one.receipt.manifest_sha256), []).append(one.id)
    return [Bench(find_benchmark(benchmark), tuple(ids)) for (benchmark, _), ids in groups.items()]


def judge_bench(
    board: BoardFolder,
    bench: Bench,
    words: Sequence[str],
    options: JudgeOptions,
    tell: Callable[[str], None],
    cluster: "Cluster | None" = None,
) -> Iterator[Sat | LvqaError]:
    """Let judges rule on what they have not ruled on; yields what came of each, or what stopped it."""
    asked = replace(options, protocols=bench.protocols())
    folders = [board.run(name) for name in bench.ids]
    yield from judge_runs(folders, sittings(words, asked, cluster), asked, tell)


def keep_consensus(board: BoardFolder, bench: Bench) -> tuple[list[str], list[str]]:
    """Keep the consensus of the panel in every run that all of it has ruled on; a panel of one needs none.

    Returns the ids of these runs, and of those that wait for a judge. Raises PanelError where one judge
    ruled on two of the runs in different ways.
    """
    panel = list(map(model_of, board.settings.panel))
    done: list[str] = []
    waiting: list[str] = []
    with ExitStack() as stack:
        stores = {name: stack.enter_context(RunStore.open(board.run(name))) for name in bench.ids}
        for name, store in stores.items():
            (waiting if _unruled(store, panel) else done).append(name)
        if done and len(panel) > 1:
            held = [stores[name] for name in done]
            chosen = choose_judges(held, panel)
            keep_final(held, read_panel(held, chosen, len(panel)))
            keep_post_hoc(held, chosen.post_hoc, len(panel))
    return done, waiting


def _unruled(store: RunStore, panel: Sequence[str]) -> bool:
    """Say whether a judge of the panel has conversations of a run before it."""
    from lvqa_eval.judging.cases import Cases

    settings = {name: store.judge_identity(name).settings for name in store.judges()}
    cases = Cases([store])
    return any(
        not files or any(cases.left(name) for name in files)
        for files in (_files(settings, judge) for judge in panel)
    )


def _files(settings: Mapping[str, Mapping[str, object]], judge: str) -> list[str]:
    """Return the files of a judge in a run, its second passes left out."""
    return [
        name for name, how in settings.items() if judge in (name, how.get("judge")) and not how.get("retest")
    ]
