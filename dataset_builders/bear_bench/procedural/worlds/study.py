"""A study: what a paper reports on, the same on all of its pages."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from dataset_builders.bear_bench.procedural.languages.grammar import Word
from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.languages.russian import Noun
from dataset_builders.bear_bench.procedural.texts.topic import texts_of
from dataset_builders.bear_bench.procedural.worlds.names import people


@dataclass(frozen=True)
class Study:
    """A study; `scores` are in per cent, by method and dataset, `sizes` the items of each dataset.

    `words` are those that its text uses throughout. The first method is the baseline.
    """

    language: Language
    title: str
    authors: tuple[str, ...]
    institute: str
    year: int
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    sizes: tuple[int, ...]
    scores: tuple[tuple[Decimal, ...], ...]
    words: dict[str, Word]


_METHODS = (
    *("Gated", "Lattice", "Ripple", "Mosaic", "Quill", "Tandem", "Cascade", "Orbit", "Prism", "Relay"),
    *("Strata", "Vertex"),
)
_DATASETS = ("Birch", "Cedar", "Hazel", "Larch", "Maple", "Rowan", "Alder", "Aspen")
_INSTITUTES: dict[Language, tuple[str, ...]] = {
    "en": (
        *("Institute of Applied Signals, Elmsted", "Department of Computing, Corfton College"),
        *("Laboratory for Measurement, Kelmarsh", "School of Data Science, Dunmere"),
    ),
    "ru": (
        *("Институт прикладных сигналов, г. Высоково", "Кафедра вычислительной техники, г. Луговое"),
        *("Лаборатория измерений, пос. Озерки", "Центр анализа данных, г. Боровое"),
    ),
}
_BOUND = ("task", "object", "object2", "field", "device", "filter", "trouble")


def draw_study(language: Language, rng: Random, small: bool) -> Study:
    """Draw a study; a `small` one has fewer methods and datasets, and whole scores."""
    methods, datasets = (3, 3) if small else (rng.randint(5, 6), 4)
    tables = texts_of(language, "science").grammar.tables
    words: dict[str, Word] = {}
    for name in _BOUND:
        rest = [word for word in tables[name.rstrip("2")] if word not in words.values()]
        words[name] = rng.choice(rest)
    return Study(
        language=language,
        title=_title(language, words, rng),
        authors=people(language, rng.randint(2, 4), rng),
        institute=rng.choice(_INSTITUTES[language]),
        year=rng.randint(2018, 2024),
        methods=tuple(rng.sample(_METHODS, methods)),
        datasets=tuple(sorted(rng.sample(_DATASETS, datasets))),
        sizes=tuple(rng.sample(range(300, 9_000, 20), datasets)),
        scores=tuple(tuple(_score(rng, number, small) for _ in range(datasets)) for number in range(methods)),
        words=words,
    )


def _score(rng: Random, method: int, whole: bool) -> Decimal:
    base = rng.randint(56, 70) + 3 * method
    return Decimal(base) if whole else Decimal(base) + Decimal(rng.randint(0, 9)).scaleb(-1)


def _title(language: Language, words: dict[str, Word], rng: Random) -> str:
    task, thing, trouble = words["task"], words["object"], words["trouble"]
    if isinstance(task, Noun) and isinstance(thing, Noun) and isinstance(trouble, Noun):
        made = (
            f"{task} при малом числе примеров: сравнение методов",
            f"{trouble} и {task.nom}: что можно измерить",
            f"О том, как {trouble} влияет на {task.acc}"
            if trouble.kind != "p"
            else f"{task}: сравнение методов",
        )
    else:
        made = (
            f"{task} with few examples: a controlled comparison",
            f"{task} under {trouble}: an experimental study",
            f"Measuring {task} on {thing}: what matters and what does not",
        )
    title = rng.choice(made)
    return title[0].upper() + title[1:]
