"""The commands that make what an exhibit lacks."""

from typing import Final

RUN: Final = "lvqa run --benchmark bear"
RUN_COT: Final = f"{RUN} --cot"
RUN_SMALLER: Final = f"{RUN} --downsample 2"
COMPARE: Final = "lvqa build bear compare"
TAG_ERRORS: Final = "lvqa annotate bear"
