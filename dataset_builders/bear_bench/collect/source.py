"""What every source of documents is, and the list of known ones."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.visit import Visit
from lvqa_eval.errors import LvqaError
from lvqa_eval.extensions import Registry


class SourceError(LvqaError, ValueError):
    """Files or answers of a source that cannot be used; every problem on a line of its own."""


class DocumentSource(BaseModel, ABC):
    """A kind of source: its fields are the options of its command.

    `example` has the options of the example in that command's help.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    example: ClassVar[str]

    max_megabytes: int = Field(100, ge=1, description="Larger documents are left out.")

    @abstractmethod
    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield what the source has, in its own order, and no more of a group once `visit` has it full."""


class WebSource(DocumentSource):
    """A source on the web.

    `home` is its own server, which `base_url` may replace by a mirror; `least_interval` is what that server
    asks for, in seconds. With `many_hosts` a host that is down is passed over, else it ends the run.
    """

    home: ClassVar[str | None] = None
    least_interval: ClassVar[float] = 0.0
    many_hosts: ClassVar[bool] = False

    user_agent: str | None = Field(
        None, description="Who asks: the name of your organisation and an address of a person. Needed."
    )
    limit: int = Field(100, ge=1, description="Most documents of each group.")
    interval: float = Field(2.0, ge=0, description="Least seconds between two requests to one host.")

    @model_validator(mode="after")
    def _keeps_its_distance(self) -> "WebSource":
        own = getattr(self, "base_url", self.home) == self.home
        if own and self.interval < self.least_interval:
            raise ValueError(
                f"--interval: found {self.interval:g}; {self.name} asks for {self.least_interval:g} seconds "
                "or more; a shorter one is for mirrors (--base-url)"
            )
        return self


_HERE = "dataset_builders.bear_bench.collect"
DOCUMENT_SOURCES = Registry(
    "lvqa.document_sources",
    {
        "folder": f"{_HERE}.folder:FolderSource",
        "edgar": f"{_HERE}.edgar:EdgarSource",
        "arxiv": f"{_HERE}.arxiv:ArxivSource",
        "cyberleninka": f"{_HERE}.cyberleninka:CyberLeninkaSource",
        "e-disclosure": f"{_HERE}.disclosure:EDisclosureSource",
        "moex": f"{_HERE}.moex:MoexSource",
        "portals": f"{_HERE}.portals:PortalsSource",
    },
)
"""The sources by name; another distribution adds its own by an entry point of this group."""
