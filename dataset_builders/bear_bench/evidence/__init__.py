"""What the words of a page say about its licence, however they were broken or misread."""

from collections.abc import Iterator

from dataset_builders.bear_bench.evidence.creative_commons import creative_commons_in
from dataset_builders.bear_bench.evidence.declaration import Declaration
from dataset_builders.bear_bench.evidence.folding import fold
from dataset_builders.bear_bench.evidence.statements import (
    filings_in,
    free_licences_in,
    government_works_in,
    open_licences_in,
    public_domain_in,
)

__all__ = ["Declaration", "declarations"]

_KINDS = (
    *(creative_commons_in, filings_in, government_works_in, public_domain_in),
    *(free_licences_in, open_licences_in),
)


def declarations(text: str) -> list[Declaration]:
    """Return every declaration on a page: those that speak of the document itself first, each in order."""
    found = fold(text)
    every: Iterator[Declaration] = (one for kind in _KINDS for one in kind(found))
    return sorted(every, key=lambda one: (not one.declared, one.place))
