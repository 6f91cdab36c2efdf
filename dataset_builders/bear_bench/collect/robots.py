"""What a site's robots.txt allows a program, by RFC 9309.

Python's own `urllib.robotparser` knows no `*` and `$` in paths and takes the first rule that fits, not the
longest: with it a site's `Disallow: /*?` would go unheard.
"""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlsplit

_EVERYBODY = "*"
_PLAIN = frozenset(string.ascii_letters + string.digits + "-._~")
_SYNTAX = "/*$?=&:@!',;()+~%[]"


class _Line(NamedTuple):
    field: str
    value: str


@dataclass(frozen=True)
class _Rule:
    allow: bool
    length: int
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Robots:
    """The rules for one program; `delay` is the seconds that the site asks for between two requests."""

    rules: Sequence[_Rule] = ()
    delay: float = 0.0

    def allows(self, url: str) -> bool:
        """Tell whether `url` may be fetched: the longest rule that fits decides, Allow before Disallow."""
        parts = urlsplit(url)
        path = _encoded(parts.path or "/") + (f"?{_encoded(parts.query)}" if parts.query else "")
        fitting = [rule for rule in self.rules if rule.pattern.match(path)]
        return max(fitting, key=lambda rule: (rule.length, rule.allow)).allow if fitting else True


def read_robots(text: str, agent: str) -> Robots:
    """Return the rules of a robots.txt for the program that sends `agent` as its User-Agent.

    The groups that name the agent's first word count, all together; where none does, those for everybody.
    Lines that are not understood are passed over.
    """
    product = product_of(agent)
    named: list[_Line] = []
    everybody: list[_Line] = []
    found = False
    for agents, lines in _groups(text):
        if product in agents:
            found = True
            named += lines
        if _EVERYBODY in agents:
            everybody += lines
    lines = named if found else everybody
    rules = [_rule(line) for line in lines if line.field in ("allow", "disallow") and line.value]
    delays = [line.value for line in lines if line.field == "crawl-delay"]
    return Robots(
        tuple(rules), max((float(one) for one in delays if re.fullmatch(r"\d+(\.\d+)?", one)), default=0.0)
    )


def product_of(agent: str) -> str:
    """Return the word by which robots.txt names a program: the first of its User-Agent, in small letters."""
    found = re.match(r"[A-Za-z_-]+", agent)
    return found[0].casefold() if found else ""


def _groups(text: str) -> list[tuple[set[str], list[_Line]]]:
    """Cut the file into groups: lines that name agents, and the rules that follow them."""
    groups: list[tuple[set[str], list[_Line]]] = []
    naming = False
    for raw in text.removeprefix("\ufeff").splitlines():
        field, colon, value = raw.partition("#")[0].partition(":")
        line = _Line(field.strip().casefold(), value.strip())
        if not colon:
            continue
        if line.field == "user-agent":
            if not naming:
                groups.append((set(), []))
            naming = True
            groups[-1][0].add(line.value.casefold() if line.value == _EVERYBODY else product_of(line.value))
        elif line.field in ("allow", "disallow", "crawl-delay"):
            naming = False
            if groups:
                groups[-1][1].append(line)
    return groups


def _rule(line: _Line) -> _Rule:
    path = _encoded(line.value)
    anchored = path.endswith("$")
    pieces = path.removesuffix("$").split("*")
    pattern = ".*".join(map(re.escape, pieces)) + ("$" if anchored else "")
    return _Rule(line.field == "allow", len(path), re.compile(pattern, re.DOTALL))


def _encoded(path: str) -> str:
    """Return a path in one way of writing it: escapes of plain characters undone, others in capitals."""

    def one(escape: re.Match[str]) -> str:
        character = chr(int(escape[1], 16))
        return character if character in _PLAIN else escape[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", one, quote(path, safe=_SYNTAX))
