"""One run of a board, read one conversation at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from leaderboard.board.verdicts import board_verdicts
from leaderboard.examples.lines import KeyedLines
from leaderboard.submissions.derive import EXACT_MATCH
from lvqa_eval.images import Rendering
from lvqa_eval.runs.columns import ConversationStatus, JudgementStatus
from lvqa_eval.runs.pictures import Name, PictureRecord, read_pictures
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import CONVERSATIONS, JUDGEMENTS, RunStore, is_final, is_ruling


@dataclass(frozen=True)
class Judges:
    """Whose verdicts are shown: on the last turn, and on those before; None for nobody's.

    `names` are those of the judges on the last turn, as they name themselves.
    """

    final: str | None
    by_turn: str | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, store: RunStore, panel: Sequence[str]) -> Self:
        """Return those that the board's figures rest on.

        Exact match speaks of the turns that no judge model of the board has ruled on.
        """
        found = board_verdicts(store, panel)
        if found is None:
            return cls(None, None, ())
        exact = EXACT_MATCH if EXACT_MATCH in store.judges() else None
        return cls(found.judge, found.post_hoc or exact, found.names)


class RunShown:
    """The run in `folder` of a board with that panel; what is asked for again and again is read once."""

    def __init__(self, folder: Path, panel: Sequence[str]) -> None:
        self.store = RunStore.open(folder)
        self._panel = panel
        self._conversations = KeyedLines(
            folder / CONVERSATIONS, ConversationRecord, ConversationStatus, is_final
        )
        self._judgements: dict[str, KeyedLines[JudgementRecord]] = {}
        self._judges: tuple[int, Judges] | None = None

    @property
    def judges(self) -> Judges:
        """Whose verdicts are shown, now: judges are added to a run that stands."""
        folder = self.store.folder / JUDGEMENTS
        state = folder.stat().st_mtime_ns if folder.is_dir() else 0
        if self._judges is None or self._judges[0] != state:
            self._judges = state, Judges.of(self.store, self._panel)
        return self._judges[1]

    @cached_property
    def rendering(self) -> Rendering:
        """How the run rendered its pictures."""
        told = self.store.identity.settings["images"]
        return Rendering(**{name: told[name] for name in Rendering.__dataclass_fields__ if name in told})

    @cached_property
    def sent(self) -> dict[Name, PictureRecord]:
        """The pictures that the run says it sent; empty for one that was handed in."""
        return read_pictures(self.store.folder)

    def conversation(self, key: Key) -> ConversationRecord | None:
        """Return a conversation, None where the run has none of that name."""
        return self._conversations.get(key)

    def judgement(self, judge: str | None, key: Key) -> JudgementRecord | None:
        """Return a judge's ruling on a conversation, None where there is none."""
        if judge is None:
            return None
        if judge not in self._judgements:
            path = self.store.folder / JUDGEMENTS / f"{judge}.jsonl"
            self._judgements[judge] = KeyedLines(path, JudgementRecord, JudgementStatus, is_ruling)
        return self._judgements[judge].get(key)
