"""What licences ask for together: those of one work with its annotations, and those of a whole dataset.

Plain rules, not legal advice. A work is a scene with its layers and the words about it, or a page with its
question; one licence must be able to cover all of it. A dataset is a collection of such works, each of which
keeps its own licence.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dataset_builders.licences import PUBLIC_DOMAIN, SEC_FILING, US_GOVERNMENT

ATTRIBUTION = "attribution"
NON_COMMERCIAL = "non-commercial"
SHARE_ALIKE = "share-alike"
NO_DERIVATIVES = "no-derivatives"
SOURCE = "editable source"

MIXED = "other"
"""The Hub's word for a dataset that no single licence covers."""


@dataclass(frozen=True)
class Licence:
    """A licence by its SPDX identifier, and what it asks for.

    `alike` is the same for licences whose works may be shared under one another; `rank` orders licences that
    ask for the same.
    """

    spdx: str
    terms: frozenset[str]
    alike: str | None = None
    rank: float = 0.0


def _table() -> dict[str, Licence]:
    free = ("LicenseRef-No-known-copyright-restrictions", US_GOVERNMENT, PUBLIC_DOMAIN, SEC_FILING)
    credit = ("MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ODC-By-1.0")
    copyleft = ("GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later")
    none: frozenset[str] = frozenset()
    found = [Licence(name, none, rank=rank) for rank, name in enumerate((*free, "PDDL-1.0", "CC0-1.0"))]
    found += [Licence(name, frozenset({ATTRIBUTION}), rank=rank / 10) for rank, name in enumerate(credit)]
    found += [Licence(name, frozenset({ATTRIBUTION, SHARE_ALIKE, SOURCE}), alike=name) for name in copyleft]
    found.append(Licence("ODbL-1.0", frozenset({ATTRIBUTION, SHARE_ALIKE}), alike="ODbL"))
    return {licence.spdx: licence for licence in found}


LICENCES = _table()
"""Licences other than the family CC-BY, which `read_licence` takes apart by its name."""

_CC_BY = re.compile(
    r"CC-BY(?P<nc>-NC)?(?:(?P<sa>-SA)|(?P<nd>-ND))?"
    r"(?:-(?P<version>[1-4]\.[05])(?:-[A-Z]{2,3})?)?"
)


def read_licence(spdx: str) -> Licence | None:
    """Return the licence with an SPDX identifier; None where its terms are not known here."""
    unversioned = spdx.startswith("LicenseRef-")
    found = _CC_BY.fullmatch(spdx.removeprefix("LicenseRef-"))
    if found is None or (found["version"] is None) != unversioned:
        return LICENCES.get(spdx)
    terms = {"nc": NON_COMMERCIAL, "sa": SHARE_ALIKE, "nd": NO_DERIVATIVES}
    asked = {ATTRIBUTION, *(term for group, term in terms.items() if found[group])}
    # What names no version may be the first, which allows the least.
    version = float(found["version"] or 1)
    # From 2.0 on, changed works may be shared under later versions of the same licence.
    kind = f"CC-BY{found['nc'] or ''}-SA" + ("" if version >= 2 else f"-{version}")
    return Licence(spdx, frozenset(asked), kind if found["sa"] else None, version)


def parts_of(expression: str) -> list[str]:
    """Return the identifiers of an SPDX expression "A AND B"; other operators leave it whole."""
    return [part.strip() for part in expression.split(" AND ")]


def covering(licences: Sequence[Licence]) -> Licence | None:
    """Return the one of `licences` under which a work made of all of them can be shared, or None."""
    asked = frozenset[str]().union(*(one.terms for one in licences))
    for one in sorted(licences, key=lambda one: (one.rank, one.spdx), reverse=True):
        if one.terms == asked and all(other.alike in (None, one.alike) for other in licences):
            return one
    return None


@dataclass(frozen=True)
class Licensing:
    """The licence of a whole dataset: an SPDX identifier or "other", all it asks for, and what is wrong."""

    whole: str
    terms: tuple[str, ...]
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def licensing(
    works: Mapping[str, str],
    annotations: str,
    allow_unknown: bool = False,
    *,
    work: str = "scene",
    changed: bool = True,
) -> Licensing:
    """Return what may be done with works (id -> SPDX expression) published with annotations of a licence.

    Problems are licences whose terms are unknown (unless allowed), those that forbid changed forms where the
    works are such (`changed`), and works that no licence of theirs and of the annotations covers as a whole.
    `work` is what one is called.
    """
    by_expression: dict[str, list[str]] = defaultdict(list)
    for name, expression in works.items():
        by_expression[expression].append(name)
    covered: list[Licence] = []
    problems: list[str] = []
    notes: list[str] = []
    mixed = False
    for expression, named in sorted(by_expression.items()):
        where = f"{_shown(work, named)}: licence"
        parts = dict.fromkeys([*parts_of(expression), annotations])
        unknown = [part for part in parts if read_licence(part) is None]
        known = [one for one in map(read_licence, parts) if one is not None]
        if unknown:
            mixed = True
            told = f"{where}: found {', '.join(unknown)}, whose terms are not known"
            (notes if allow_unknown else problems).append(
                told if allow_unknown else f"{told}; --allow-unknown-licence publishes it all the same"
            )
        problems += [f"{where}: {line}" for line in _forbidden(known)] if changed else []
        whole = covering(known)
        if whole is None:
            problems.append(
                f"{where}: {' and '.join(sorted(one.spdx for one in known))} clash: "
                f"neither covers {'scene, layers' if changed else work} and annotations together"
            )
        covered += known if whole is None else [whole]
        notes += [
            f"{where}: {one.spdx}: the editable layers go with it" for one in known if SOURCE in one.terms
        ]
    of_all = None if mixed or problems else covering(covered)
    terms = sorted(frozenset[str]().union(*(one.terms for one in covered)))
    return Licensing(of_all.spdx if of_all else MIXED, tuple(terms), problems, notes)


_HUB_WORDS = {"PDDL-1.0": "pddl", "ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl"}


def hub_identifier(spdx: str) -> str:
    """Return the Hub's word for a licence, as it stands in the field `license` of a card."""
    return _HUB_WORDS.get(spdx) or re.sub(r"-(only|or-later)$", "", spdx).lower()


def _forbidden(licences: Iterable[Licence]) -> list[str]:
    return [
        f"{one.spdx} allows no changed forms; layers and shards are changed forms"
        for one in licences
        if NO_DERIVATIVES in one.terms
    ]


def _shown(work: str, names: Sequence[str], limit: int = 3) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{work if len(names) == 1 else f'{work}s'} {', '.join(names[:limit])}{more}"
