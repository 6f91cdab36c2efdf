"""What each step of training shows: pictures alone at first, then questions, from few objects to many.

Layers are shown less often than whole scenes: a single object on a plain backdrop is much easier to see.
"""

from collections import defaultdict
from dataclasses import dataclass
from random import Random

from dataset_builders.layered_vqa.example import CATEGORIES

from .packing import Batch, Layer, Row, batch, pack, strand
from .prompts import conversation
from .questions import Question
from .tokens import Tokens
from .worlds import MOST_OBJECTS, Drawn, Scenes


@dataclass(frozen=True)
class Kind:
    """One kind of step: its `conditions` with their shares, and how many scenes and questions a scene it has.

    Questions of one scene share what comes first: `alike` says that they then need the same gold layers.
    """

    conditions: dict[str, float]
    scenes: int
    questions: int
    alike: bool = False


KINDS = {
    "whole": Kind({"full": 0.7, "concat-q": 0.15, "shuffled-concat": 0.15}, 4, 10),
    "whole in turns": Kind({"sharded-q": 0.4, "recap-q": 0.3, "snowball-q": 0.3}, 4, 5),
    "layers at once": Kind({"concat-v": 1.0}, 3, 8),
    "evidence": Kind({"oracle": 1.0}, 5, 6, alike=True),
    "grounded": Kind({"all-layers": 1.0}, 3, 5),
    "layers in turns": Kind(
        {
            "sharded-v": 0.22,
            "recap-v": 0.14,
            "snowball-v": 0.12,
            "evidence-first": 0.13,
            "evidence-last": 0.13,
            "aligned-vq": 0.13,
            "misaligned-vq": 0.13,
        },
        4,
        1,
    ),
    "words alone": Kind({"question-only": 1.0}, 24, 1),
}
"""The kinds of steps with questions. "Scenes" are those of one process."""


@dataclass(frozen=True)
class Stage:
    """One stretch of training, up to `until` (a share of all steps).

    `scenes` is the share of all scenes that are shown, and `relations` what it counts to tell how objects
    stand to each other. `objects` has the shares of scenes with 1, 2, … objects, `kinds` and `categories`
    those of the kinds of steps and of the questions. Without kinds only pictures are looked at.
    """

    until: float
    scenes: float
    relations: float
    objects: tuple[float, ...]
    kinds: dict[str, float]
    categories: dict[str, float]


_EVENLY = dict.fromkeys(CATEGORIES, 1.0)
_RELATIONS_MORE = {**_EVENLY, "counting": 1.1, "spatial": 1.4, "occlusion": 1.4, "multi_hop": 1.5}

STAGES = (
    Stage(0.12, 0.3, 0.05, (1, 2, 3, 3, 3), {}, {}),
    Stage(
        0.2,
        0.6,
        0.3,
        (2, 3, 3, 0, 0),
        {"whole": 0.9, "layers at once": 0.05, "words alone": 0.05},
        {"direct_ask": 2.0, "attribute_binding": 2.0, "counting": 1.0, "spatial": 2.0, "occlusion": 1.0},
    ),
    Stage(
        1.0,
        1.0,
        0.5,
        (1, 2, 3, 3.5, 3.5),
        {
            "whole": 0.66,
            "whole in turns": 0.1,
            "layers at once": 0.05,
            "evidence": 0.03,
            "grounded": 0.05,
            "layers in turns": 0.09,
            "words alone": 0.02,
        },
        _RELATIONS_MORE,
    ),
)

CHECK_STAGES = (
    Stage(0.25, 1.0, 0.0, (1, 1, 0, 0, 0), {}, {}),
    Stage(1.0, 1.0, 0.0, (1, 1, 0, 0, 0), {"whole": 1.0}, {"direct_ask": 1.0, "attribute_binding": 1.0}),
)
"""The stages of a check: few objects, and what is easily asked about them."""

LOOKS_A_STEP = 16
"""Pictures a process looks at in a step without questions."""

LAYER_SHARE = 0.2
"""Chance that a layer of a scene is looked at beside the whole."""


def draw_kind(stage: Stage, rng: Random) -> str | None:
    """Return the kind of a step, None for one that only looks at pictures."""
    return rng.choices(list(stage.kinds), list(stage.kinds.values()))[0] if stage.kinds else None


def draw_looks(stage: Stage, scenes: Scenes, rng: Random) -> list[tuple[Drawn, Layer]]:
    """Return pictures to look at: whole scenes (None), and some of their layers."""
    looks: list[tuple[Drawn, Layer]] = []
    while len(looks) < LOOKS_A_STEP:
        scene = scenes.draw(_objects(stage, rng), rng, stage.scenes)
        looks.append((scene, None))
        if rng.random() < LAYER_SHARE:
            looks.append((scene, rng.randrange(scene.depth)))
    return looks


@dataclass(frozen=True)
class Task:
    """A batch, and the scenes that its rows are about."""

    batch: Batch
    scenes: tuple[Drawn, ...]


def draw_task(kind: Kind, stage: Stage, scenes: Scenes, tokens: Tokens, grid: int, rng: Random) -> Task:
    """Return the rows of one step of `kind`; each is about one scene."""
    rows: list[Row] = []
    drawn: list[Drawn] = []
    # One number of objects, where rows hold a picture for each: they come out about equally long.
    several = any(name in kind.conditions for name in ("concat-v", "all-layers", "sharded-v"))
    objects = _objects(stage, rng) if several else None
    while len(rows) < kind.scenes:
        scene = scenes.draw(objects or _objects(stage, rng), rng, stage.scenes)
        questions = draw_questions(scene, kind, stage.categories, rng)
        if questions:
            names = rng.choices(list(kind.conditions), list(kind.conditions.values()), k=len(questions))
            talks = [conversation(one, name) for one, name in zip(questions, names, strict=True)]
            rows.append(pack([strand(talk, tokens, grid) for talk in talks]))
            drawn.append(scene)
    return Task(batch(rows, lambda row, layer: drawn[row].picture(layer)), tuple(drawn))


def draw_questions(scene: Drawn, kind: Kind, categories: dict[str, float], rng: Random) -> list[Question]:
    """Return up to so many questions of a scene as `kind` has, each drawn by its category, none twice."""
    left: dict[str, list[int]] = defaultdict(list)
    gold = rng.choice(scene.offered)["sets"][0] if kind.alike else None
    for index, one in enumerate(scene.offered):
        if one["category"] in categories and gold in (None, one["sets"][0]):
            left[one["category"]].append(index)
    chosen: list[Question] = []
    while left and len(chosen) < kind.questions:
        category = rng.choices(list(left), [categories[name] for name in left])[0]
        chosen.append(scene.question(left[category].pop(rng.randrange(len(left[category])))))
        if not left[category]:
            del left[category]
    return chosen


def _objects(stage: Stage, rng: Random) -> int:
    return rng.choices(range(1, MOST_OBJECTS + 1), stage.objects)[0]
