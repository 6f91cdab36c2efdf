"""Which layers of a model detectors read, by its depth."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from lvqa_eval.errors import LvqaError

PROBE_SHARES: Final = (Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1))
"""How deep the layers lie that a probe chooses from."""

LENS_TEXT, LENS_IMAGE = Fraction(27, 32), Fraction(13, 32)
"""How deep ContextualLens reads the answer, and the picture."""


class MissingLayersError(LvqaError, ValueError):
    """Signals that lack a layer which a detector reads."""

    def __init__(self, source: str, needs: str, held: Iterable[object]) -> None:
        there = ", ".join(str(one) for one in held) or "none"
        super().__init__(
            f"signals of {source}: layers: found {there}, needed: {needs}; "
            "extract the features again without a choice of layers"
        )


def layer_at(depth: int, share: Fraction) -> int:
    """Return the layer of a model of `depth` layers that lies at `share` of it; halves go to the even one."""
    return round(depth * share)


def probe_layers(depth: int) -> tuple[int, ...]:
    """Return the layers that a probe chooses from, the earliest first: four, or fewer for a shallow model."""
    return tuple(sorted({layer_at(depth, share) for share in PROBE_SHARES}))


def lens_layers(depth: int) -> tuple[int, int]:
    """Return the (text layer, image layer) of ContextualLens."""
    return layer_at(depth, LENS_TEXT), layer_at(depth, LENS_IMAGE)
