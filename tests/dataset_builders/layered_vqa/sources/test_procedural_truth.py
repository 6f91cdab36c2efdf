"""Procedural questions answered again, by another path: pixels -> objects -> English -> answer.

Nothing of the world record is used: objects and overlaps are read from the layers, and each question is
understood from its own words.
"""

import re
from itertools import chain, combinations
from math import atan2, degrees

import numpy as np
import pytest

from dataset_builders.layered_vqa.example import Example, problems
from dataset_builders.layered_vqa.sources.source import Material
from tests.dataset_builders.layered_vqa.sources.test_procedural_pixels import (
    DISCS,
    OUTLINES,
    Seen,
    background_of,
    materials,
)


class UnclearError(Exception):
    """The words do not point to exactly one thing among the layers seen."""


PLURALS = {f"{name}s" if not name.endswith("s") else f"{name}es": name for name in (*OUTLINES, *DISCS)}
NEAREST = {
    "furthest to the left": lambda one: one.centre[0],
    "furthest to the right": lambda one: -one.centre[0],
    "highest up": lambda one: one.centre[1],
    "lowest down": lambda one: -one.centre[1],
}
WAYS = {"to the right of": 0, "below": 90, "to the left of": 180, "above": 270}
NAMED_WAYS = ["right", "below right", "below", "below left", "left", "above left", "above", "above right"]
SIDES = ["right", "bottom right", "bottom", "bottom left", "left", "top left", "top", "top right"]


def value(one: Seen, noun: str) -> str:
    return {"colour": one.colour, "main colour": one.colour, "shape": one.shape, "pattern": one.pattern}[noun]


def angle(start: tuple[float, float], end: tuple[float, float]) -> float:
    return degrees(atan2(end[1] - start[1], end[0] - start[0])) % 360


def apart(one: float, other: float) -> float:
    return min((one - other) % 360, (other - one) % 360)


class Reader:
    """Understands questions about the layers that it is shown."""

    def __init__(self, seen: dict[int, Seen], shown: frozenset[int], background: str) -> None:
        self.objects = [one for layer, one in seen.items() if layer in shown]
        self.shown = shown
        self.background = background

    def fitting(self, words: str) -> list[Seen]:
        names = {PLURALS.get(word, word.replace("objects", "object")) for word in words.split()}
        return [one for one in self.objects if names <= one.words()]

    def covering(self, one: Seen) -> list[Seen]:
        return [o for o in self.objects if o.layer > one.layer and (o.mask & one.mask).any()]

    def covered(self, one: Seen) -> list[Seen]:
        return [o for o in self.objects if o.layer < one.layer and (o.mask & one.mask).any()]

    def cell(self, one: Seen) -> str:
        (x, y), (height, width) = one.centre, one.mask.shape
        row = ("top", "centre", "bottom")[int(3 * y / height)]
        column = ("left", "centre", "right")[int(3 * x / width)]
        return "centre" if row == column == "centre" else f"{row} {column}"

    def in_direction(self, way: str, start: Seen) -> list[Seen]:
        others = [one for one in self.objects if one is not start]
        return [one for one in others if apart(angle(start.centre, one.centre), WAYS[way]) < 26]

    def one(self, words: str, it: Seen | None = None) -> Seen:
        found = self.all(words, it)
        if len(found) != 1:
            raise UnclearError(words)
        return found[0]

    def all(self, words: str, it: Seen | None) -> list[Seen]:
        if words == "it":
            return [] if it is None else [it]
        if words == "the only object shown":
            return self.objects
        if m := re.fullmatch(r"the object that is both (\w+) and (\w+)", words):
            return self.fitting(f"{m[1]} {m[2]}")
        if m := re.fullmatch(r"the object that partly covers both (the .+) and (the .+)", words):
            first, second = (self.covering(self.one(part)) for part in m.groups())
            return [one for one in first if one in second]
        if m := re.fullmatch(r"the object that both (the .+) and (the .+) partly cover", words):
            first, second = (self.covered(self.one(part)) for part in m.groups())
            return [one for one in first if one in second]
        if m := re.fullmatch(
            r"the object (?:that (?:in turn )?partly covers|lying on top of part of) (.+)", words
        ):
            return self.covering(self.one(m[1], it))
        if m := re.fullmatch(
            r"the object (?:that (?:in turn )?is partly covered by|lying partly underneath) (.+)", words
        ):
            return self.covered(self.one(m[1], it))
        if m := re.fullmatch(r"the object that (the .+) partly covers", words):
            return self.covered(self.one(m[1]))
        if m := re.fullmatch(
            r"the object (?:that is )?directly (above|below|to the left of|to the right of) (.+)", words
        ):
            return self.in_direction(m[1], self.one(m[2]))
        if m := re.fullmatch(r"the object in the (.+) of the picture", words):
            where = "centre" if m[1] == "middle" else m[1].removesuffix(" corner")
            return [one for one in self.objects if self.cell(one) == where]
        if m := re.fullmatch(r"the other object with the same (\w+)(?: as (.+))?", words):
            like = self.one(m[2]) if m[2] else self.one("it", it)
            return [one for one in self.objects if one is not like and value(one, m[1]) == value(like, m[1])]
        if m := re.fullmatch(r"the (.+) (furthest to .+|highest up|lowest down) in the picture", words):
            return sorted(self.fitting(m[1]), key=NEAREST[m[2]])[:1]
        return self.fitting(words.removeprefix("the "))

    def answer(self, question: str) -> str:
        for understand in (self.lead, self.number, self.place, self.relation, self.group, self.attribute):
            answer = understand(question)
            if answer is not None:
                return answer
        raise AssertionError(f"not understood: {question}")

    def lead(self, question: str) -> str | None:
        """Questions of two sentences: the first says what "it" is."""
        if m := re.fullmatch(r"(?:Take|Find|Start from) (the .+?)\. (.+)", question):
            return self.attribute(m[2], self.one(m[1]))
        if m := re.fullmatch(r"One other object has the same (\w+) as (.+?)\. (.+)", question):
            it = self.one(f"the other object with the same {m[1]} as {m[2]}")
            return self.place(m[3], it) or self.attribute(m[3], it)
        if m := re.fullmatch(
            r"Another object partly hides (.+)\. What (\w+) does that object have\?", question
        ):
            return value(self.one(f"the object that partly covers {m[1]}"), m[2])
        if m := re.fullmatch(
            r"Another object is partly hidden by (.+)\. What (\w+) does that object have\?", question
        ):
            return value(self.one(f"the object that is partly covered by {m[1]}"), m[2])
        if m := re.fullmatch(r"Of all the (.+), one is (.+?)\. (.+)", question):
            return self.attribute(m[3], self.one(f"the {m[1]} {m[2]} in the picture"))
        return None

    def number(self, question: str) -> str | None:
        if re.search(r"in all, not counting|Leaving the background out|lie on the background", question):
            return str(len(self.objects))
        if m := re.fullmatch(
            r"How many objects (?:partly cover|lie on top of some part of) (.+)\?", question
        ):
            return str(len(self.covering(self.one(m[1]))))
        if m := re.fullmatch(
            r"How many objects (?:does (.+) partly cover|are partly hidden by (.+))\?", question
        ):
            return str(len(self.covered(self.one(m[1] or m[2]))))
        if m := re.fullmatch(
            r"How many other objects have the same (\w+) as (.+)\?", question
        ) or re.fullmatch(
            r"Apart from (?P<one>.+) itself, how many objects have its (?P<noun>\w+)\?", question
        ):
            noun, words = (m["noun"], m["one"]) if "one" in m.groupdict() else m.groups()
            like = self.one(words)
            return str(sum(value(one, noun) == value(like, noun) for one in self.objects) - 1)
        if m := re.fullmatch(
            r"How many different shapes (?:are there among the (.+)|do the (.+) have)\?", question
        ):
            return str(len({one.shape for one in self.fitting(m[1] or m[2])}))
        if m := re.fullmatch(r"How many (?:objects|of the objects in the picture) are not (.+)\?", question):
            return str(len(self.objects) - len(self.fitting(m[1])))
        if m := re.fullmatch(
            r"How many objects (?:in the picture )?are (?:either )?(\w+) or (\w+)\?", question
        ):
            return str(len(self.fitting(m[1])) + len(self.fitting(m[2])))
        if m := re.fullmatch(
            r"How many (.+?) (?:are there|can you see in the picture)\?"
            r"|What is the number of (.+) in the picture\?|Count the (.+)\. How many are there\?",
            question,
        ):
            return str(len(self.fitting(next(filter(None, m.groups())))))
        return None

    def place(self, question: str, it: Seen | None = None) -> str | None:
        if m := re.fullmatch(
            r"(?:Where in the picture|In which part of the picture) is (.+)\?"
            r"|Which part of the picture does (.+) lie in\?",
            question,
        ):
            return self.cell(self.one(m[1] or m[2], it))
        return None

    def relation(self, question: str) -> str | None:
        """Directions from one object to another, and the side on which one hides another."""
        for form in (
            r"In which direction does (?P<end>.+) lie from (?P<start>.+)\?",
            r"Seen from (?P<start>.+), in which direction is (?P<end>.+)\?",
            r"Where does (?P<end>.+) lie as seen from (?P<start>.+)\?",
        ):
            if m := re.fullmatch(form, question):
                way = angle(self.one(m["start"]).centre, self.one(m["end"]).centre)
                return NAMED_WAYS[round(way / 45) % 8]
        for form in (
            r"Which side of (?P<below>.+) is hidden by (?P<above>.+)\?",
            r"On which side does (?P<above>.+) cover (?P<below>.+)\?",
            r"(?P<above>The .+) hides one side of (?P<below>.+)\. Which side\?",
        ):
            if m := re.fullmatch(form, question):
                above, below = self.one(m["above"].replace("The ", "the ")), self.one(m["below"])
                rows, columns = np.nonzero(above.mask & below.mask)
                if above.layer < below.layer or not len(rows):
                    raise UnclearError(question)
                hidden = (float(columns.mean()) + 0.5, float(rows.mean()) + 0.5)
                return SIDES[round(angle(below.centre, hidden) / 45) % 8]
        return None

    def group(self, question: str) -> str | None:
        """What several objects have in common, and what comes more than once."""
        if m := re.fullmatch(
            r"All the (.+) have the same (.+)\. Which .+ is it\?|What (.+) do all the (.+) have in common\?"
            r"|Which (.+) is shared by all the (.+)\?",
            question,
        ):
            words, noun = (m[1], m[2]) if m[1] else (m[4] or m[6], m[3] or m[5])
            values = {value(one, noun) for one in self.fitting(words)}
        elif m := re.fullmatch(
            r"Which (.+) does more than one object have\?|Which (.+) occurs at least twice among .+"
            r"|Only one (.+) is found on more than one object\. .+",
            question,
        ):
            noun = next(filter(None, m.groups()))
            every = [value(one, noun) for one in self.objects]
            values = {one for one in every if every.count(one) > 1}
        else:
            return None
        if len(values) != 1:
            raise UnclearError(question)
        return values.pop()

    def attribute(self, question: str, it: Seen | None = None) -> str | None:
        m = (
            re.fullmatch(r"(?:What is|Can you tell me) the (\w+) of (.+)\?", question)
            or re.fullmatch(r"(?:What|Which) (\w+) does (.+) have\?", question)
            or re.fullmatch(r"What (\w+) is (.+)\?", question)
        )
        if m is None:
            return None
        if m[2] == "the background":
            if 0 not in self.shown:
                raise UnclearError(question)
            return self.background
        return value(self.one(m[2], it), m[1])


# The tests


def asked() -> list[tuple[Example, Material, dict[int, Seen]]]:
    return [(example, material, seen) for material, seen in materials() for example in material.examples]


def answer_from(
    example: Example, material: Material, seen: dict[int, Seen], layers: frozenset[int]
) -> str | None:
    reader = Reader(seen, layers, background_of(material.scene.layers[0]))
    try:
        return reader.answer(example.question)
    except UnclearError:
        return None


def test_every_answer_follows_from_the_pixels() -> None:
    wrong = [
        (example.question_id, example.question, example.answer)
        for example, material, seen in asked()
        if answer_from(example, material, seen, frozenset(range(example.depth))) != example.answer
    ]
    assert len(asked()) >= 300
    assert wrong == []


def is_comparison(example: Example) -> bool:
    return any("compared" in shard.text for shard in example.shards)


def subsets(depth: int) -> list[frozenset[int]]:
    every = chain.from_iterable(combinations(range(depth), size) for size in range(depth + 1))
    return [frozenset(layers) for layers in every]


def test_minimal_sets_are_all_the_smallest_sets_that_give_the_answer() -> None:
    checked = 0
    for example, material, seen in asked():
        if example.depth > 5 or is_comparison(example):
            continue
        enough = [
            layers
            for layers in subsets(example.depth)
            if answer_from(example, material, seen, layers) == example.answer
        ]
        smallest = {layers for layers in enough if not any(other < layers for other in enough)}
        assert smallest == set(map(frozenset, example.minimal_sets)), (example.question_id, example.question)
        checked += 1
    assert checked >= 120


def test_in_deep_scenes_every_layer_of_a_minimal_set_is_needed() -> None:
    for example, material, seen in asked():
        for minimal in () if is_comparison(example) else example.minimal_sets:
            assert answer_from(example, material, seen, frozenset(minimal)) == example.answer
            for layer in minimal:
                fewer = frozenset(minimal) - {layer}
                assert answer_from(example, material, seen, fewer) != example.answer, example.question


def test_comparisons_need_every_object_of_the_kind() -> None:
    compared = [one for one in asked() if is_comparison(one[0])]
    assert len(compared) >= 10
    for example, _, seen in compared:
        words = next(re.findall(r"All the (.+) are compared", s.text) for s in example.shards[1:])[0]
        fitting = Reader(seen, frozenset(seen), "").fitting(words)
        assert example.minimal_sets == (tuple(sorted(one.layer for one in fitting)),)


def test_every_example_keeps_the_invariants() -> None:
    assert [str(problem) for example, _, _ in asked() for problem in problems(example)] == []


@pytest.mark.parametrize("category", ["spatial", "occlusion", "multi_hop"])
def test_dependencies_lead_from_the_described_object_to_the_one_found(category: str) -> None:
    pairs = [pair for one, _, _ in asked() if one.category == category for pair in one.dependencies]
    assert pairs
    for example, _, _ in asked():
        if example.category == category and example.dependencies:
            found = {after for _, after in example.dependencies}
            assert {before for before, _ in example.dependencies} - found, (
                "one object must stand at the start"
            )
