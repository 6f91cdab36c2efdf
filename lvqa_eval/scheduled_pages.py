"""The pages of BEAR-Bench as rows to be put to a model: one turn each, with the page and its raw question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from lvqa_eval.dataset import Turn
from lvqa_eval.dataset_folder import DatasetError, DatasetFolder
from lvqa_eval.images import PictureKey, Size
from lvqa_eval.metrics.bear.conditions import CONDITIONS
from lvqa_eval.pages import PageDataset, PageRow
from lvqa_eval.runs.records import PageRecord

_RECORDED = tuple(name for name in PageRecord.__dataclass_fields__ if name != "question_id")


@dataclass(frozen=True)
class ScheduledPage:
    """One page under one condition; its pictures are of a scene of its own, called by its id."""

    page: PageRow
    condition: str
    turns: tuple[Turn, ...]

    @property
    def question_id(self) -> str:
        """The page's id."""
        return self.page.id

    @property
    def scene_id(self) -> str:
        """The page's id again: it has one question."""
        return self.page.id

    @property
    def misalignment(self) -> None:
        """Nothing: a page comes with its question."""
        return

    @property
    def images_sent(self) -> int:
        """One, or none where the question comes alone."""
        return sum(turn.composite for turn in self.turns)

    def pictures(self, turn: int) -> list[PictureKey]:
        """Return the page itself, where the turn brings it."""
        name = f"{self.page.cell}.parquet/{self.page.id}"
        return [PictureKey(self.scene_id, None, name)] if self.turns[turn].composite else []

    def delivered(self, condition: str, turns: tuple[Turn, ...]) -> Self:
        """Return the page with other turns, under the name of another condition."""
        return replace(self, condition=condition, turns=turns)

    def record(self) -> PageRecord:
        """Return what judging and statistics need of the page."""
        return PageRecord(self.page.id, **{name: getattr(self.page, name) for name in _RECORDED})


@dataclass(frozen=True)
class ScheduledPages(DatasetFolder):
    """A BEAR-Bench folder whose rows are put to a model; every page has every condition."""

    @property
    def conditions(self) -> list[str]:
        """The conditions of pages, which are ways of asking and are none of the dataset's."""
        return list(CONDITIONS)

    def rows(self, condition: str) -> list[ScheduledPage]:
        """Return every page under one condition; raises DatasetError with every bad row."""
        if condition not in CONDITIONS:
            allowed = ", ".join(CONDITIONS)
            raise DatasetError([f"{self.folder}: condition: found {condition!r}, allowed: {allowed}"])
        return [ScheduledPage(row, condition, (_asked(row),)) for row in self._rows]

    def picture(self, name: str) -> bytes:
        """Return the file of a page, named as `ScheduledPage.pictures` names it."""
        return self._pages.picture(name.partition("/")[2])

    def sizes(self) -> Mapping[str, Size]:
        """Return width and height of every page by its id, in pixels."""
        return {row.id: (row.width, row.height) for row in self._rows}

    @cached_property
    def _pages(self) -> PageDataset:
        return PageDataset(self.folder, self.manifest, self.manifest_sha256, self.revision)

    @cached_property
    def _rows(self) -> list[PageRow]:
        return self._pages.rows()


def _asked(row: PageRow) -> Turn:
    return Turn(text=row.question, question=True, shards=(), layers=(), composite=True)
