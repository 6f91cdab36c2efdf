"""Scenes that are one picture cut into different numbers of layers, as their ids tell."""

import re
from typing import NamedTuple


class Matched(NamedTuple):
    """Which picture a scene is a cut of (`base`, the same for all its cuts), what was cut, and the depth."""

    base: str
    cut: str
    depth: int

    @property
    def scene_id(self) -> str:
        """The id of the scene, such as dose-s0-0003-both-d04."""
        return f"{self.base}-{self.cut}-d{self.depth:02d}"


_SCENE_ID = re.compile(r"(dose-s\d+-\d{4})-(evidence|context|both)-d(\d{2})")


def matched(scene_id: str) -> Matched | None:
    """Return what the id of a dose-response scene tells; None for any other scene."""
    found = _SCENE_ID.fullmatch(scene_id)
    return Matched(found[1], found[2], int(found[3])) if found else None


def picture_of(scene_id: str) -> str:
    """Return what names the picture of a scene: the same for all its cuts; else the scene's own id."""
    found = matched(scene_id)
    return found.base if found else scene_id
