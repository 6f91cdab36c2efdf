"""Two models of a board side by side: verdicts by one and the same judges, and what either said."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np

from leaderboard.board.compare import Disagreement, Pair, PairedFigures, Ruled, paired_figures
from leaderboard.board.figure_files import figures_state, run_figures
from leaderboard.board.run_figures import SEED, RunFigures
from leaderboard.board.verdicts import Verdicts
from leaderboard.examples.choices import Choices
from leaderboard.examples.library import Library
from leaderboard.html.words import Words
from leaderboard.store.folder import Submission
from leaderboard.submissions.derive import EXACT_MATCH
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.reports.study.scored import read_scored
from lvqa_eval.runs.questions import question_type
from lvqa_eval.runs.records import Key

_KEPT: Final = 64
"""Comparisons in memory; one takes some hundred thousand bytes."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Two runs by the same judges: `judges` as they name themselves, or exact match where one lacks them.

    `mixed`: the runs are shown elsewhere by verdicts of different judges.
    """

    pair: Pair
    figures: tuple[PairedFigures, ...]
    judges: tuple[str, ...]
    mixed: bool


@dataclass(frozen=True, eq=False)
class PairFound:
    """Two submissions of `choices`, by their short names, compared."""

    library: Library
    choices: Choices
    a: str
    b: str
    compared: Compared

    def models(self, words: Words) -> tuple[str, str]:
        """Return what both are called."""
        return self.choices.title(self.a, words), self.choices.title(self.b, words)

    def replies(self, condition: str, one: Disagreement) -> tuple[str, str]:
        """Return the last replies of both to a question, each of the run that decided as most did."""
        of_a, of_b = one.runs
        name = one.question.question_id
        first, second = Key(condition, name, of_a), Key(condition, name, of_b)
        return self._reply(self.a, first), self._reply(self.b, second)

    def _reply(self, side: str, key: Key) -> str:
        conversation = self.library.run(self.choices.models[side]).conversation(key)
        return conversation.turns[-1].reply or "" if conversation is not None and conversation.turns else ""


class Comparisons:
    """Compares the runs of `library`, each pair once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kept: OrderedDict[tuple[str, ...], Compared | None] = OrderedDict()
        self._working = Lock()

    def found(self, benchmark: str, a: str, b: str) -> PairFound | None:
        """Return two submissions of a benchmark compared; None where no judge has ruled on both."""
        choices = self._library.choices()[benchmark]
        sides = [choices.models[one] for one in (a, b)]
        needed = choices.standing.conditions
        states = (figures_state(self._library.board, one.id, needed) for one in sides)
        key = (*(one.id for one in sides), *states)
        # One at a time: a board's two cores would only do both more slowly.
        with self._working:
            if key not in self._kept:
                self._kept[key] = self._found(choices, sides)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            compared = self._kept[key]
        return None if compared is None else PairFound(self._library, choices, a, b, compared)

    def _found(self, choices: Choices, sides: list[Submission]) -> Compared | None:
        board, needed = self._library.board, choices.standing.conditions
        figures = [run_figures(board, one.id, needed) for one in sides]
        verdicts = figures[0].verdicts
        same = _ways(figures[0]) == _ways(figures[1])
        if verdicts is not None and same:
            judges: tuple[str, ...] = verdicts.names
            ruled = [self._ruled(one, found) for one, found in zip(sides, figures, strict=True)]
        elif all(EXACT_MATCH in self._library.run(one).store.judges() for one in sides):
            judges = (EXACT_MATCH,)
            ruled = [self._by_exact_match(one) for one in sides]
        else:
            return None
        pair = Pair.of(*ruled)
        return Compared(pair, paired_figures(pair, DRAWS, SEED), judges, not same)

    def _ruled(self, submission: Submission, figures: RunFigures) -> Ruled:
        store = self._library.run(submission).store
        questions = sorted(store.questions().values(), key=lambda one: one.question_id)
        correct = np.where(figures.correct < 0, np.nan, figures.correct).astype(np.float64)
        return Ruled(tuple(store.identity.settings["conditions"]), tuple(questions), correct)

    def _by_exact_match(self, submission: Submission) -> Ruled:
        store = self._library.run(submission).store
        scores = read_scored(store, EXACT_MATCH, question_type(store.identity.settings)).scores
        return Ruled(scores.conditions, scores.questions, scores.correct)


def _ways(figures: RunFigures) -> tuple[str, str] | None:
    """Return by whom and how a run was judged."""
    verdicts: Verdicts | None = figures.verdicts
    return None if verdicts is None else (verdicts.judge, verdicts.ways)
