"""Checks of a submission's header: what is said of the model, the settings of run and judges, the claim."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from leaderboard.submissions.faults import Fault, schema_faults
from leaderboard.submissions.lines import AboutLine, HeaderLine
from leaderboard.submissions.names import name_fault
from leaderboard.submissions.plain_text import hidden, shown
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import FORMAT
from leaderboard.submissions.run_settings import Asked, SettingsLine, settings_faults
from leaderboard.submissions.standing import BenchmarkStanding, BoardStanding
from lvqa_eval.runs.identity import IdentityError, RunIdentity

MOST_PARAMETERS: Final = 100_000
"""Billions."""

_DEEPEST: Final = 12
_LONGEST: Final = 20_000
_NOTE: Final = 500
_REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/+-]{0,99}")
_LINK = re.compile(
    r"https://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::\d{1,5})?(?:/[A-Za-z0-9._~:/?#@!$&()*+,;=%-]*)?"
)
_JUDGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Claim:
    """What the header says that the run holds; every part of it fits the board's dataset."""

    standing: BenchmarkStanding
    conditions: tuple[str, ...]
    baselines: tuple[str, ...]
    runs: int
    split: Mapping[str, str]
    seed: int
    scripted: bool


def header_faults(
    header: HeaderLine, standing: BoardStanding, limits: Limits
) -> tuple[list[Fault], Claim | None]:
    """Return everything that is wrong with a header, and what it claims where that can be told."""
    found = list(_format(header, limits))
    found += about_faults(header.about, standing.models)
    plain = list(_plain({"settings": header.settings, "judges": header.judges}, "", 0))
    found += plain or _kept(header)
    of_settings = list(schema_faults(header.settings, SettingsLine, "settings"))
    claim = None
    if not any(fault.field.startswith("settings.benchmark") for fault in of_settings):
        name = header.settings["benchmark"]
        if name in standing.benchmarks:
            asked = Asked(header.settings, standing.benchmarks[name])
            of_settings += settings_faults(asked, of_settings)
            claim = None if of_settings else _claim(asked)
            of_settings += [] if claim is None else _questions(asked, claim)
        else:
            allowed = ", ".join(standing.benchmarks) or "none"
            of_settings.append(Fault("settings.benchmark", shown(name), allowed))
    return found + of_settings, claim


def about_faults(about: AboutLine, taken: tuple[str, ...] = ()) -> Iterator[Fault]:
    """Yield what is wrong with what a submitter says of the model; `taken` are the board's models."""
    if (name := name_fault(about.model, taken)) is not None:
        yield name
    if about.revision is not None and not _REVISION.fullmatch(about.revision):
        allowed = "up to 100 letters, digits, . _ / + -, a letter or digit first, no .."
        yield Fault("about.revision", shown(about.revision), allowed)
    if about.parameters is not None and not 0 < about.parameters <= MOST_PARAMETERS:
        yield Fault(
            "about.parameters", shown(about.parameters), f"billions, above 0, at most {MOST_PARAMETERS:,}"
        )
    if about.link is not None and not (len(about.link) <= 300 and _LINK.fullmatch(about.link)):
        yield Fault("about.link", shown(about.link), "an https address of at most 300 ASCII characters")
    if len(about.note) > _NOTE:
        yield Fault("about.note", f"{len(about.note):,} characters", f"at most {_NOTE}")
    if (letter := hidden(about.note)) is not None:
        yield Fault("about.note", f"the character {letter}", "one line of text whose characters are all seen")


def _format(header: HeaderLine, limits: Limits) -> Iterator[Fault]:
    if header.format != FORMAT:
        yield Fault("format", str(header.format), f"{FORMAT}; a newer LVQA may write another")
    for name, count, most in (
        ("conversations", header.conversations, limits.conversations),
        ("judgements", header.judgements, limits.conversations * limits.judges),
        ("judges", len(header.judges), limits.judges),
    ):
        if count > most:
            yield Fault(name, f"{count:,}", f"at most {most:,}")
    for judge in header.judges:
        if not _JUDGE.fullmatch(judge):
            allowed = "up to 100 Latin letters, digits, . _ -, a letter or digit first"
            yield Fault("judges", shown(judge), allowed)


def _plain(value: Any, place: str, depth: int) -> Iterator[Fault]:
    """Yield the texts of nested settings that have no place in them, keys as well."""
    if depth > _DEEPEST:
        yield Fault(place, "more levels", f"at most {_DEEPEST} levels of nesting")
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _plain(key, place or "key", depth)
            yield from _plain(one, f"{place}.{shown(key)[1:-1]}" if place else key, depth + 1)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _plain(one, f"{place}[{number}]", depth + 1)
    elif isinstance(value, str):
        if len(value) > _LONGEST:
            yield Fault(place, f"text of {len(value):,} characters", f"at most {_LONGEST:,}")
        elif (letter := hidden(value, "\n\t")) is not None:
            yield Fault(place, f"the character {letter}", "text whose characters are all seen")


def _kept(header: HeaderLine) -> list[Fault]:
    """Return why the settings could not be kept as those of a run."""
    found = []
    for place, settings in {"settings": header.settings, "judges": header.judges}.items():
        try:
            RunIdentity(settings)
        except IdentityError as error:
            where, _, what = str(error).partition(": found ")
            value, _, allowed = what.partition(", allowed: ")
            found.append(Fault(f"{place}.{where}", shown(value), allowed))
    return found


def _claim(asked: Asked) -> Claim:
    settings = asked.settings
    return Claim(
        asked.standing,
        tuple(settings["conditions"]),
        tuple(settings.get("baselines", ())),
        settings["runs"],
        settings.get("split", {}),
        settings["seed"],
        settings["user"]["name"] == "scripted",
    )


def _questions(asked: Asked, claim: Claim) -> list[Fault]:
    plan = asked.standing.plan(claim.conditions, claim.runs, claim.baselines, claim.split)
    count = len(plan.questions())
    if asked.settings["questions"] == count:
        return []
    return [
        Fault("settings.questions", str(asked.settings["questions"]), f"{count}, every one of the dataset")
    ]
