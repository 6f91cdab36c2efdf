"""What a submission is: one file of JSON lines, its header first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

FORMAT: Final = 1
"""Version of the file's form; the board takes this one alone."""

Badge = Literal["provisional", "self-judged", "panel", "verified"]
"""How far a row can be trusted; see `BADGES`."""

BADGES: Final[Mapping[Badge, str]] = {
    "provisional": "answers compared with the references by the board's own exact match",
    "self-judged": "verdicts from the upload, which whoever uploads could edit: shown apart, never ranked",
    "panel": "verdicts of the board's own run of its judges",
    "verified": "conversations held again by a maintainer, and judged by the board's judges",
}

Openness = Literal["open", "closed"]


@dataclass(frozen=True)
class About:
    """What a submitter says of the model; nothing of it enters a figure.

    `parameters`: billions, None where not known. `link`: an https address of the model or paper, shown as
    text.
    """

    model: str
    revision: str | None = None
    weights: Openness | None = None
    parameters: float | None = None
    link: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Header:
    """The first line of a submission.

    `settings` are those of the run (`run.yaml`), `judges` those of each judge whose verdicts follow.
    `conversations` and `judgements` count the lines that follow.
    """

    about: About
    settings: Mapping[str, Any]
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    conversations: int = 0
    judgements: int = 0
    format: int = FORMAT


@dataclass(frozen=True)
class Receipt:
    """What the board wrote down when it took a submission; kept beside the file, never changed.

    `id`: the SHA-256 of the file as unpacked, which names its folder. `received`: UTC, ISO 8601 to the
    second. `by`: who was logged in on a Space, None elsewhere.
    """

    id: str
    received: str
    about: About
    benchmark: str
    dataset_version: str
    manifest_sha256: str
    conditions: tuple[str, ...]
    runs: int
    conversations: int
    lvqa: str
    by: str | None = None


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a submission.

    `line` counts from 1 in the unpacked file, None for the file as a whole. `id` names the conversation,
    `field` the place in it; `found` and `allowed` are text to be shown, shortened, never markup.
    """

    line: int | None
    id: str
    field: str
    found: str
    allowed: str

    def __str__(self) -> str:
        place = "file" if self.line is None else f"line {self.line}"
        parts = [place, *([self.id] if self.id else []), *([self.field] if self.field else [])]
        return f"{': '.join(parts)}: found {self.found}, allowed: {self.allowed}"
