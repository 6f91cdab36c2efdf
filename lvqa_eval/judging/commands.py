"""The commands that make verdicts, for messages that ask for them."""

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import Any

from lvqa_eval.judging.panel_members import MEMBERS
from lvqa_eval.judging.panel_records import CONSENSUS, CONSENSUS_POST_HOC


def judge_command(runs: Iterable[str], judge: str, settings: Mapping[str, Any]) -> str:
    """Return the command that makes the verdicts of `judge`, whose `settings` tell its protocol, in `runs`.

    A model's server is for the reader to name.
    """
    named = " ".join(map(quote, runs))
    if MEMBERS in settings or judge in (CONSENSUS, CONSENSUS_POST_HOC):
        return f"lvqa panel {named}"
    protocol = settings.get("protocol")
    if not protocol:
        return f"lvqa judge {named} --judge {quote(judge)}"
    again = " --retest" if settings.get("retest") else ""
    model = quote(f"{settings.get('judge', judge)}@URL")
    return f"lvqa judge {named} --judge {model} --protocol {protocol}{again}"


def post_hoc_command(runs: Iterable[str]) -> str:
    """Return the command by which a model rules on `runs` turn by turn."""
    return f"lvqa judge {' '.join(map(quote, runs))} --judge NAME@URL --protocol post-hoc"
