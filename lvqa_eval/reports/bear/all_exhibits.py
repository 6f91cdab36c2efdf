"""The tables and figures of BEAR-Bench, in the order in which a report shows them."""

from collections.abc import Callable
from typing import Final

from lvqa_eval.reports.bear import (
    answer_length,
    chain_of_thought,
    composition,
    downsampling,
    error_types,
    leaderboard,
    model_size,
    ocr_characters,
    resolution_figure,
    steps,
    steps_by_group,
)
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.exhibit import Exhibit

EXHIBITS: Final[tuple[Callable[[PageInputs], Exhibit], ...]] = (
    ocr_characters.exhibit,
    leaderboard.exhibit,
    chain_of_thought.exhibit,
    downsampling.exhibit,
    answer_length.exhibit,
    composition.exhibit,
    model_size.exhibit,
    error_types.exhibit,
    resolution_figure.exhibit,
    steps.exhibit,
    steps_by_group.exhibit,
)
