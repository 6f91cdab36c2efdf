"""Where on a page an answer finds its like, from the features of a run."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.examples.library import Side
from leaderboard.html.exchange import Picture
from leaderboard.html.heat import PatchMap
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.patches import read_patches
from lvqa_eval.detectors.features.read import feature_folders
from lvqa_eval.detectors.features.store import FeatureStore
from lvqa_eval.detectors.heat_map import heat_maps

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reader:
    """A folder of features of a run: its name, and whether the model that answered was the reader."""

    folder: Path
    native: bool


@dataclass(frozen=True)
class PatchesRead:
    """The patches of a page, and who has read the answer: the model itself, or another."""

    map: PatchMap
    reader: str
    native: bool


def readers(run_folder: Path) -> Sequence[Reader]:
    """Return who has read the answers of a run, the answering model itself first."""
    found = []
    for folder in feature_folders(run_folder):
        try:
            found.append(Reader(folder, FeatureStore.open(folder).native))
        except FeaturesError as error:
            _log.warning("%s", error)
    return sorted(found, key=lambda one: (not one.native, one.folder.name))


def page_patches(side: Side, page: Picture) -> PatchesRead | None:
    """Return the patches of a page under a model's last reply about it, None without features.

    The first of the readers that has read it is taken; one that cannot be read is reported in our log.
    """
    conversation = side.conversation
    if conversation is None or not conversation.turns:
        return None
    for reader in readers(side.run.store.folder):
        try:
            patches = read_patches(reader.folder, conversation.key, conversation.turns[-1].reply or "")
        except FeaturesError as error:
            _log.warning("%s", error)
            continue
        if patches is not None:
            (pair,) = patches.cosines
            grid = heat_maps(patches, pair)[0]
            shown = PatchMap(page, tuple(map(tuple, grid.tolist())), side.model)
            return PatchesRead(shown, reader.folder.name, reader.native)
    return None
