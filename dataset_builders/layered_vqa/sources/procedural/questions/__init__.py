"""Questions about a procedural world: every candidate is true, unambiguous, and knows its evidence.

**Sufficient sets.** A set of layers is sufficient when the answer follows from seeing these layers alone,
taking for granted what the question itself says: that its descriptions refer to something in the scene, as
often as it says, and that every object it counts or compares has been shown. Nothing is assumed about layers
that are not seen, so nothing is found by elimination. What this means for each kind of question stands in
the module of its category; each candidate lists all of its inclusion-minimal sufficient sets.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random

from dataset_builders.layered_vqa.sources.procedural.questions import (
    binding,
    counting,
    direct,
    multi_hop,
    occlusion,
    spatial,
)
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.questions.setting import Setting
from dataset_builders.layered_vqa.sources.procedural.world import World

PROPOSALS: Mapping[str, Callable[[Setting], Iterator[Candidate]]] = {
    "direct_ask": direct.propose,
    "attribute_binding": binding.propose,
    "counting": counting.propose,
    "spatial": spatial.propose,
    "occlusion": occlusion.propose,
    "multi_hop": multi_hop.propose,
}
"""For each category, what proposes questions about a world."""


def candidates(world: World, category: str, rng: Random) -> list[Candidate]:
    """Return the questions of `category` that can be asked about `world`; `rng` chooses the wording."""
    return [one for one in PROPOSALS[category](Setting(world, rng)) if one.is_usable()]
