"""The error of everything about features that a user can put right."""

from lvqa_eval.errors import LvqaError


class FeaturesError(LvqaError, ValueError):
    """A model, a run or a folder that features cannot be made or read with: which, and why."""
