"""A delivery condition: every layer in a turn of its own, then the question in a turn without pictures."""

from dataset_builders.layered_vqa.conditions import ConditionOptions, Schedule, Turn, announce
from dataset_builders.layered_vqa.example import Example


def question_last(example: Example, options: ConditionOptions) -> Schedule:
    """Return one layer a turn in stack order, then the complete question alone."""
    turns = [Turn(announce([layer]), layers=(layer,)) for layer in range(example.depth)]
    return Schedule((*turns, Turn(example.question, question=True)))
