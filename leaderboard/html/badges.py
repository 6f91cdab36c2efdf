"""How far a row can be trusted: the badge as a word, and the four of them as a ladder."""

from typing import Literal

from leaderboard.html.escape import Markup, el
from leaderboard.html.frame import head, part
from leaderboard.html.words import Words
from leaderboard.submissions.records import BADGES, Badge


def badge(name: Badge | Literal["reported"], words: Words) -> Markup:
    """Return a badge as a chip: its word, and for one that no panel stands behind a dashed frame."""
    return el("span", words(f"badge.{name}.name"), class_=f"lv-chip lv-{name}")


def badge_ladder(words: Words, reached: Badge | None = None) -> Markup:
    """Return the badges from the first to the last with what each stands for; `reached` is marked."""
    steps = [
        el(
            "li",
            el("b", words(f"badge.{name}.name")),
            words(f"badge.{name}.meaning"),
            class_="on" if name == reached else None,
            aria_current="step" if name == reached else None,
        )
        for name in BADGES
    ]
    title = head(words("badges.title"), words("badges.lead"))
    return part(words, title, el("ol", *steps, class_="lv-steps"))
