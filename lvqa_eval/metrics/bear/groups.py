"""Groups of pages: what they are written in, what they are about, what they hold, how much they ask."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from lvqa_eval.metrics.groups import Groups
from lvqa_eval.runs.records import PageRecord

Pages = Sequence[PageRecord]

LANGUAGES: Final = ("ru", "en")
DOMAINS: Final = ("business", "science")
CELLS: Final = tuple(f"{language}-{domain}" for domain in DOMAINS for language in LANGUAGES)
CONTENT: Final = ("figures", "diagrams", "equations", "tables", "code", "handwriting")
STEPS: Final = ("under 3", "3", "4", "5", "6+", "not stated")


def overall(pages: Pages) -> Groups:
    """Return one group of all pages."""
    return {"overall": np.ones(len(pages), dtype=np.bool_)}


def by_language(pages: Pages) -> Groups:
    """Return the pages of each language."""
    return _by(pages, LANGUAGES, lambda page: page.language)


def by_domain(pages: Pages) -> Groups:
    """Return the pages of each domain."""
    return _by(pages, DOMAINS, lambda page: page.domain)


def by_cell(pages: Pages) -> Groups:
    """Return the pages of each language and domain."""
    return _by(pages, CELLS, lambda page: page.category)


def by_content(pages: Pages) -> Groups:
    """Return the pages with each kind of content; a page may be in several groups, or in none."""
    found = {kind: np.array([holds(page, kind) for page in pages], dtype=np.bool_) for kind in CONTENT}
    return {kind: mask for kind, mask in found.items() if mask.any()}


def by_steps(pages: Pages) -> Groups:
    """Return the pages by the number of reasoning steps that their question takes."""
    return _by(pages, STEPS, steps)


def inside(outer: Groups, inner: Groups) -> Mapping[str, Groups]:
    """Return for each group of `outer` the groups of `inner` inside it, empty ones left out."""
    return {
        name: {part: mask & asked for part, mask in inner.items() if (mask & asked).any()}
        for name, asked in outer.items()
    }


def holds(page: PageRecord, kind: str) -> bool:
    """Tell whether a page holds a kind of `CONTENT`."""
    return bool(getattr(page, f"contains_{kind}"))


def steps(page: PageRecord) -> str:
    """Return which of `STEPS` a page belongs to."""
    stated = page.reasoning_steps
    if stated is None:
        return "not stated"
    return "under 3" if stated < 3 else "6+" if stated >= 6 else str(stated)


def _by(pages: Pages, order: Iterable[str], name: Callable[[PageRecord], str]) -> Groups:
    """Return the groups that have pages: those of `order` first, others by name."""
    named = [name(page) for page in pages]
    found = np.array(named, dtype=object)
    known = [one for one in order if one in named]
    return {one: np.asarray(found == one) for one in [*known, *sorted(set(named) - set(known))]}
