"""Documents whose addresses somebody wrote down: government portals above all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.source import SourceError, WebSource
from dataset_builders.bear_bench.collect.visit import Visit
from dataset_builders.bear_bench.records import Domain


class Seed(BaseModel):
    """One entry of a seed list: where a document is, and what it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    domain: Domain
    document_type: str = Field(min_length=1)
    licence: str | None = None
    title: str | None = None

    @field_validator("url")
    @classmethod
    def _on_the_web(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            raise ValueError("an address begins with http:// or https://")
        return url


class PortalsSource(WebSource):
    """The documents of a seed list: PDFs, and archives with PDFs in them. A group is a document type."""

    name: ClassVar[str] = "portals"
    example: ClassVar[str] = '--seeds portals.yaml --user-agent "Example University jane@example.edu"'
    many_hosts: ClassVar[bool] = True

    limit: int = Field(10**6, ge=1, description="Most documents of each document type.")
    seeds: Path = Field(
        description="YAML list of url, domain, document_type, and licence and title if known."
    )

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the seeds in their order; SourceError with everything that is wrong in the list."""
        for seed in read_seeds(self.seeds):
            if not visit.full(seed.document_type):
                yield Candidate(
                    url=seed.url,
                    domain=seed.domain,
                    document_type=seed.document_type,
                    group=seed.document_type,
                    title=seed.title,
                    licence=seed.licence,
                    accepts=frozenset({"pdf", "zip"}),
                )


def read_seeds(path: Path) -> list[Seed]:
    """Return the entries of a seed list; SourceError with all that are wrong."""
    try:
        listed: Any = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise SourceError(f"--seeds: {path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise SourceError(f"{path}: not YAML: {error}") from error
    if not isinstance(listed, list) or not listed:
        raise SourceError(f"{path}: found no list of entries (url, domain, document_type, licence)")
    seeds: list[Seed] = []
    problems: list[str] = []
    for number, entry in enumerate(listed, start=1):
        try:
            seeds.append(Seed.model_validate(entry))
        except ValidationError as error:
            problems += [
                f"{path}: entry {number}: {'.'.join(map(str, one['loc'])) or 'entry'}: {one['msg']}, "
                f"found {one['input']!r:.80}"
                for one in error.errors(include_url=False)
            ]
    addresses = [seed.url for seed in seeds]
    problems += [
        f"{path}: url: {url} stands there twice"
        for url in sorted({u for u in addresses if addresses.count(u) > 1})
    ]
    if problems:
        raise SourceError("\n".join(problems))
    return seeds
