"""What every scene source gives, and the list of known ones."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.scene import Scene
from lvqa_eval.errors import LvqaError
from lvqa_eval.extensions import Registry


@dataclass(frozen=True, eq=False)
class Material:
    """One scene with the questions about it."""

    scene: Scene
    examples: tuple[Example, ...]


class SourceError(LvqaError, ValueError):
    """Input that cannot be used; `problems` holds every reason, one line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class SceneSource(BaseModel, ABC):
    """A reader of one kind of input: its fields are its options.

    Each field becomes an option of `lvqa build layered-vqa --source NAME` (`max_layers` is `--max-layers`),
    is checked by its type, described by its description, and recorded in the manifest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]

    def recorded_options(self) -> dict[str, Any]:
        """Return the options for the manifest; files and folders by their last name alone."""
        return {name: _recorded(value) for name, value in self}

    @abstractmethod
    def read(self) -> Iterator[Material]:
        """Yield scenes with their examples in a fixed order; raises SourceError on unusable input."""


def _recorded(value: Any) -> Any:
    if isinstance(value, Path):
        return value.name
    if isinstance(value, tuple | list):
        return [_recorded(item) for item in value]
    return value


_HERE = "dataset_builders.layered_vqa.sources"
SCENE_SOURCES = Registry(
    "lvqa.scene_sources",
    {
        "procedural": f"{_HERE}.procedural:ProceduralSource",
        "procedural-dose": f"{_HERE}.procedural:DoseSource",
        "coco": f"{_HERE}.coco:CocoSource",
        "mulan": f"{_HERE}.mulan:MulanSource",
        "panoptic": f"{_HERE}.panoptic:PanopticSource",
        "png-layers": f"{_HERE}.png_layers:PngLayersSource",
        "openraster": f"{_HERE}.openraster:OpenRasterSource",
        "photoshop": f"{_HERE}.photoshop:PhotoshopSource",
    },
)
