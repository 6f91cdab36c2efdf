"""The conditions of a run over pages: the raw question, a prompt that asks for steps, smaller pictures."""

from typing import Final

DEFAULT: Final = "default"
"""Page and question as they are, without a system prompt."""

COT: Final = "cot"
"""With a system prompt that asks for steps."""

FACTORS: Final = (1.0, 1.5, 2.0, 3.0, 4.0)
"""What width and height of a page are divided by; 1 is the default."""


def at_factor(factor: float) -> str:
    """Return the condition in which width and height are divided by `factor`, such as downsample-1.5."""
    return DEFAULT if factor == 1 else f"downsample-{factor:g}"


CONDITIONS: Final = (DEFAULT, COT, *(at_factor(factor) for factor in FACTORS[1:]))
"""All of them, in the order of the tables."""
