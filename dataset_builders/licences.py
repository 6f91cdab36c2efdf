"""Licences as SPDX names them: that of what this project adds, and those that documents declare."""

import re
from collections.abc import Iterable

ANNOTATIONS = "CC-BY-4.0"
"""Licence of questions and annotations, as SPDX names it."""

# SPDX has no identifier for these; it lets everybody name more with LicenseRef-.
PUBLIC_DOMAIN = "LicenseRef-Public-Domain"
US_GOVERNMENT = "LicenseRef-United-States-Government-Work"
SEC_FILING = "LicenseRef-SEC-Filing"
"""A filing that the Securities and Exchange Commission passes on to everybody."""
CREATIVE_COMMONS = "LicenseRef-Creative-Commons"
"""A licence of Creative Commons that is not named further."""
OPEN_LICENCE = "LicenseRef-Open-Licence"
"""A licence that is called free or open, and is not named further."""

NONE = "NONE"
"""SPDX's word for: there is no licence."""

_SPDX = re.compile(
    r"LicenseRef-[A-Za-z0-9.-]+|[A-Za-z][A-Za-z0-9.-]*-\d+(?:\.\d+)*[a-z]?(?:-only|-or-later)?|MIT|NONE"
)
_AT_HOME = r"(?:https?://)?(?:www\.)?creativecommons\.org"
_CC = re.compile(
    rf"(?:CC[ -]|{_AT_HOME}/licenses/)BY((?:[ -](?:NC|SA|ND))*)(?:[ /-]([1-4]\.[05]))?(?:[/-][\w.]*)*",
    re.IGNORECASE,
)
_ZERO = re.compile(rf"CC[ -]?0(?:[ -]1\.0)?|{_AT_HOME}/publicdomain/zero/1\.0(?:/[\w.]*)*", re.IGNORECASE)


def creative_commons(terms: Iterable[str] = (), version: str | None = None, zero: bool = False) -> str:
    """Return the identifier of CC BY with further `terms` (NC, SA, ND), or of CC0 where it is `zero`.

    SPDX knows CC BY with its version alone; without one the name begins with LicenseRef-.
    """
    if zero:
        return "CC0-1.0"
    asked = {term.upper() for term in terms}
    # Both cannot be had; what forbids changes forbids more.
    asked -= {"SA"} if "ND" in asked else set()
    name = "-".join(["CC-BY", *(term for term in ("NC", "ND", "SA") if term in asked)])
    return f"{name}-{version}" if version else f"LicenseRef-{name}"


def spdx_of(written: str) -> str | None:
    """Return the identifier of a licence as people write it: CC BY 4.0, an address, SPDX's own; else None."""
    text = " ".join(written.split())
    if _ZERO.fullmatch(text):
        return creative_commons(zero=True)
    if found := _CC.fullmatch(text):
        return creative_commons(re.findall("[A-Za-z]+", found[1]), found[2])
    if text.casefold() in ("public domain", "общественное достояние"):
        return PUBLIC_DOMAIN
    return text if _SPDX.fullmatch(text) else None
