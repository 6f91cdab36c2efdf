"""The running texts: word tables and topics, read from the YAML files beside this one (README.md there)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dataset_builders.bear_bench.procedural.languages.grammar import Grammar, Slot, Word
from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.languages.russian import Adjective, Noun, Past
from dataset_builders.bear_bench.records import Domain


@dataclass(frozen=True)
class Topic:
    """Headings to choose from, and the sentences of a paragraph in their order."""

    headings: Slot
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Texts:
    """What documents of one language and domain say."""

    grammar: Grammar
    topics: tuple[Topic, ...]


@cache
def texts_of(language: Language, domain: Domain) -> Texts:
    """Return the texts of a language and domain."""
    import yaml

    read = yaml.safe_load(files(__package__).joinpath(f"{domain}_{language}.yaml").read_text("utf-8"))
    topics = tuple(Topic(tuple(one["headings"]), tuple(map(tuple, one["slots"]))) for one in read["topics"])
    return Texts(Grammar(language, _tables(read), read["counters"]), topics)


def _tables(read: Mapping[str, Any]) -> dict[str, Sequence[Word]]:
    tables: dict[str, Sequence[Word]] = {name: tuple(words) for name, words in read.get("words", {}).items()}
    for name, nouns in read.get("nouns", {}).items():
        tables[name] = tuple(_noun(forms) for forms in nouns)
    for name, adjectives in read.get("adjectives", {}).items():
        tables[name] = tuple(map(Adjective, adjectives))
    for name, pasts in read.get("pasts", {}).items():
        tables[name] = tuple(Past(*forms.split("; ")) for forms in pasts)
    return tables


def _noun(forms: str) -> Noun:
    kind, nom, gen, dat, acc, ins, loc = forms.split("; ")
    return Noun(nom, gen, dat, acc, ins, loc, kind)
