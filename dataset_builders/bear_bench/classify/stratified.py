"""The pages that a strong model labels: some of every kind of document, drawn by lot."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from dataset_builders.bear_bench.records import Document, Page
from dataset_builders.bear_bench.sample import allocate
from lvqa_eval.seeds import seed_of

PAGES = 3000
SEED = 42


def stratified(
    pages: Iterable[Page], documents: Mapping[str, Document], size: int = PAGES, seed: int = SEED
) -> list[Page]:
    """Return `size` pages, sorted by id; all where there are fewer.

    A stratum is the pages of one source, domain and type of document. Strata get shares in proportion to
    their pages, and each at least one. Inside a stratum the lot decides, which depends on the seed and the
    page's id alone.
    """
    strata: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        document = documents[page.document_id]
        strata[f"{document.source} {document.domain} {document.document_type}"].append(page)
    shares = allocate({name: len(strata[name]) for name in sorted(strata)}, size)
    drawn = [
        page
        for name, share in shares.items()
        for page in sorted(strata[name], key=lambda one: (_lot(one, seed), one.page_id))[:share]
    ]
    return sorted(drawn, key=lambda page: page.page_id)


def _lot(page: Page, seed: int) -> int:
    return seed_of(f"silver:{seed}:{page.page_id}")
