"""What running needs of a dataset, whichever it is: rows that are put to a model, and their pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from lvqa_eval.dataset import Turn
from lvqa_eval.images import PictureKey, Size
from lvqa_eval.runs.records import Question


class ScheduledRow(Protocol):
    """One question under one condition, as the turns of a conversation."""

    @property
    def question_id(self) -> str:
        """The question's name in the dataset."""

    @property
    def scene_id(self) -> str:
        """What its pictures are of; rows that share one are asked one behind the other."""

    @property
    def condition(self) -> str:
        """The condition, or the baseline in its place."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The user's messages."""

    @property
    def misalignment(self) -> str | None:
        """What the dataset says of a misaligned delivery."""

    @property
    def images_sent(self) -> int:
        """Number of pictures in the whole conversation, each time one is sent counted."""

    def pictures(self, turn: int) -> Sequence[PictureKey]:
        """Return the pictures of a turn (from 0), in the order of sending."""

    def delivered(self, condition: str, turns: tuple[Turn, ...]) -> Self:
        """Return the same question with other turns, under the name of another condition."""

    def record(self) -> Question:
        """Return what judging and statistics need of the question."""


class ScheduledDataset(Protocol):
    """A dataset whose rows are put to a model."""

    @property
    def folder(self) -> Path:
        """Where it lies."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What it says of itself."""

    @property
    def manifest_sha256(self) -> str:
        """The hash of the manifest, which identifies its content."""

    @property
    def revision(self) -> str | None:
        """The commit of the Hub that it was fetched at, None for a folder of one's own."""

    @property
    def version(self) -> str:
        """Its version, MAJOR.MINOR.PATCH."""

    @property
    def conditions(self) -> list[str]:
        """The conditions that it has rows for."""

    def rows(self, condition: str) -> Sequence[ScheduledRow]:
        """Return the rows of a condition, in the dataset's order; DatasetError for what cannot be read."""

    def picture(self, name: str) -> Path | bytes:
        """Return the file of a picture, named as in `PictureKey`, or its bytes; DatasetError for none."""

    def sizes(self) -> Mapping[str, Size]:
        """Return the width and height of the pictures of every scene, by `scene_id`."""
