"""The layers that features are kept of."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Final, Self

from lvqa_eval.detectors.layers import LENS_IMAGE, LENS_TEXT, layer_at, probe_layers

LENS_SHARES: Final = (Fraction(1, 4), LENS_IMAGE, Fraction(1, 2), LENS_TEXT, Fraction(1))
"""How deep the layers lie that ContextualLens may choose from, for the answer and for the pictures."""


@dataclass(frozen=True)
class Depths:
    """Layers of a text model of `depth` layers: 0 is the embeddings, `depth` comes after the final norm.

    `hidden`: of which the state of the last token is kept. `lens`: of which the states of an answer are
    compared with those of image positions, each layer with each.
    """

    depth: int
    hidden: tuple[int, ...]
    lens: tuple[int, ...]

    @classmethod
    def of(cls, depth: int) -> Self:
        """Return the layers of a model of this depth."""
        lens = sorted({layer_at(depth, share) for share in LENS_SHARES})
        return cls(depth, probe_layers(depth), tuple(lens))

    @classmethod
    def read(cls, identity: Mapping[str, Any]) -> Self:
        """Return the layers that an identity records; KeyError or TypeError where it records none."""
        return cls(int(identity["depth"]), tuple(identity["hidden_layers"]), tuple(identity["lens_layers"]))

    @property
    def all(self) -> tuple[int, ...]:
        """Every layer that is read, the earliest first."""
        return tuple(sorted({*self.hidden, *self.lens}))

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs (text layer, image layer) that are compared."""
        return tuple(product(self.lens, self.lens))

    def identity(self) -> dict[str, Any]:
        """Return the layers as plain values."""
        return {"depth": self.depth, "hidden_layers": list(self.hidden), "lens_layers": list(self.lens)}
