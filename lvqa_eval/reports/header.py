"""What stands at the head of a report: what was measured, on what and by whom, in the same words in all."""

from collections.abc import Mapping
from typing import Any, Final

from lvqa_eval.runs.overview import named

UNNAMED: Final = "not named"
PROVISIONAL_JUDGES: Final[Mapping[str, str]] = {
    "exact-match": "provisional: exact text match, no judge model"
}
"""Judges that are no model, and what makes their verdicts provisional."""

Line = tuple[str, str]
"""A label and its text."""


def judge_label(judge: str) -> str:
    """Return the judge's name, with what makes its verdicts provisional where something does."""
    remark = PROVISIONAL_JUDGES.get(judge)
    return f"{judge} ({remark})" if remark else judge


def dataset_label(setting: Any) -> str:
    """Return a run's dataset with its version and the hash of its manifest, as far as they are known."""
    if not isinstance(setting, Mapping):
        return str(setting) if setting else UNNAMED
    digest = setting.get("manifest_sha256")
    known = (named(setting, "name", "version"), f"manifest sha256:{digest[:16]}" if digest else "")
    return ", ".join(filter(None, known)) or UNNAMED


def user_line(settings: Mapping[str, Any]) -> tuple[Line, ...]:
    """Return who asked in the conversations of a run with these settings; nothing where they do not say."""
    name = named(settings.get("user"))
    return (("User", f"{name}, in the conversations of several turns"),) if name else ()


def questions_line(questions: int, clusters: int, cluster: str = "scene") -> Line:
    """Return how many questions there are, in how many scenes, or what else a cluster is."""
    return "Questions", f"{questions} in {clusters} {cluster}{'s' * (clusters != 1)}"


def intervals_line(draws: int, seed: int, cluster: str = "scene") -> Line:
    """Return how the intervals were made, by drawing what."""
    return "Intervals", f"95 %, {cluster}-cluster bootstrap, {draws:,} draws, seed {seed}"
