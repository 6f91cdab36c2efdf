"""Stage sample: the pages for which questions are to be written, some of each kind, drawn by lot."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.density import PageDensity
from dataset_builders.bear_bench.records import (
    LABELS,
    Document,
    Domain,
    Drop,
    Language,
    Page,
    PageLabels,
)
from dataset_builders.bear_bench.work import Work

STAGE = "sample"
NOT_DRAWN = "not drawn"

PER_LANGUAGE = 1500
SEED = 42
UNLABELLED = "none"


@dataclass(frozen=True)
class Candidate:
    """A page that may be drawn, and what decides its stratum."""

    page_id: str
    language: Language
    domain: Domain
    labels: tuple[str, ...]


def run(work: Work, each: int = PER_LANGUAGE, seed: int = SEED) -> StageCount:
    """Draw at most `each` pages of a language among those that were kept; sample.jsonl has their `Page`."""
    domains = {one.document_id: one.domain for one in work.read("documents", Document, "collect")}
    labels = {one.page_id: one.labels for one in work.read("labels", PageLabels, "classify")}
    languages = {one.page_id: one.language for one in work.read("density", PageDensity, "density")}
    pages = {one.page_id: one for one in work.read("pages", Page, "render") if one.page_id in languages}
    candidates = [
        Candidate(name, languages[name], domains[page.document_id], labels[name])
        for name, page in pages.items()
    ]
    drawn = draw(candidates, each, seed)
    drops = [Drop(id=name, stage=STAGE, reason=NOT_DRAWN) for name in sorted(pages.keys() - drawn.keys())]
    work.write(STAGE, [pages[name] for name in drawn], drops)
    return counted(STAGE, "pages", len(drawn), drops, drawn.values())


def draw(candidates: Iterable[Candidate], each: int = PER_LANGUAGE, seed: int = SEED) -> dict[str, str]:
    """Return page id -> stratum of the pages drawn, at most `each` of a language, sorted by id.

    A stratum is a language, a domain and one content label: of a page with several, the label that is rarest
    among the candidates of its language. Strata get shares in proportion to their sizes, by largest
    remainder, and each at least one page where there is room. In a stratum the lot decides; it depends on
    the seed and the page's id alone, so the order of the candidates does not matter.
    """
    pages = sorted(candidates, key=lambda page: page.page_id)
    drawn: dict[str, str] = {}
    for language in ("en", "ru"):
        inside = [page for page in pages if page.language == language]
        strata = _strata(inside)
        shares = allocate({name: len(members) for name, members in strata.items()}, each)
        for name, members in strata.items():
            lots = sorted(members, key=lambda page: _lot(page.page_id, seed))
            drawn |= {page.page_id: name for page in lots[: shares[name]]}
    return dict(sorted(drawn.items()))


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Share `total` among strata (name -> members, at least one each); none gets more than it has.

    Every stratum gets one page first, the largest where there are too many strata. The others follow the
    sizes of what is left, by largest remainder; ties go to the larger stratum, then to the first name.
    """
    everything, strata = sum(sizes.values()), len(sizes)
    if everything <= total:
        return dict(sizes)
    by_size = sorted(sizes, key=lambda name: (-sizes[name], name))
    if strata >= total:
        return dict.fromkeys(sizes, 0) | dict.fromkeys(by_size[:total], 1)
    # Whole numbers throughout: a remainder that is rounded could decide a tie.
    quotas = {name: divmod((total - strata) * (sizes[name] - 1), everything - strata) for name in by_size}
    shares = {name: 1 + whole for name, (whole, _) in quotas.items()}
    by_remainder = sorted(by_size, key=lambda name: -quotas[name][1])
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


def _strata(pages: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    frequency = Counter(label for page in pages for label in page.labels)
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for page in pages:
        known = [label for label in LABELS if label in page.labels]
        label = min(known, key=lambda one: frequency[one], default=UNLABELLED)
        strata[f"{page.domain} {page.language} {label}"].append(page)
    return dict(sorted(strata.items()))


def _lot(page_id: str, seed: int) -> str:
    return hashlib.sha256(f"{seed} {page_id}".encode()).hexdigest()
