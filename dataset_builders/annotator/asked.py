"""Questions that nobody has annotated yet, from a form: what `lvqa annotate draft` and authors begin with."""

from collections.abc import Iterator
from pathlib import Path

from dataset_builders.annotator.contents import SceneContent
from dataset_builders.annotator.naming import address
from dataset_builders.annotator.scenes import scene_of
from dataset_builders.annotator.store import Store
from dataset_builders.bear_bench.forms import FormError, Line, read_form
from dataset_builders.layered_vqa.example import CATEGORIES

COLUMNS = ("id", "scene", "category", "question", "answer")
DESCRIPTION = "answer_description"
"""A column that a form may lack."""


def add_asked(store: Store, path: Path) -> int:
    """Add the questions of a form, each to be finished by an author; returns how many are new.

    A question whose id is there already is left as it is. Raises FormError with every problem of the form;
    nothing is added then.
    """
    lines = read_form(path, COLUMNS, (DESCRIPTION,))
    problems = [*_repeated(lines), *(problem for line in lines for problem in _problems(store, line))]
    if problems:
        raise FormError("\n".join(problems))
    with store.writing():
        return sum(store.add_item(address(line.cells["id"]), _subject(line)) for line in lines)


def _subject(line: Line) -> dict[str, object]:
    cells = line.cells
    content = SceneContent(
        question=cells["question"],
        answer=cells["answer"],
        answer_description=cells.get(DESCRIPTION) or None,
        category=cells["category"],
    )
    return {"scene": cells["scene"], "question_id": cells["id"], "start": content.model_dump_json()}


def _repeated(lines: list[Line]) -> Iterator[str]:
    first: dict[str, str] = {}
    for line in lines:
        name = line.cells["id"]
        if name and first.setdefault(name, line.where) != line.where:
            yield f"{line.where}: id: found {name!r} before, at {first[name]}; allowed: each once"


def _problems(store: Store, line: Line) -> Iterator[str]:
    for name in COLUMNS:
        if not line.cells[name]:
            yield f"{line.where}: {name}: found nothing in it"
    scene, category = line.cells["scene"], line.cells["category"]
    if scene and scene_of(store, scene) is None:
        yield f"{line.where}: scene: found {scene!r}, allowed: one that was drawn into {store.folder}"
    if category and category not in CATEGORIES:
        yield f"{line.where}: category: found {category!r}, allowed: {', '.join(CATEGORIES)}"
