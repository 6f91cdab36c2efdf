"""Direct questions: one thing is named, one attribute is read off.

Sufficient sets: the layer of the object named, or the background. Where a question says that several objects
share an attribute and asks for it, each of them alone is sufficient, so there is one minimal set for each.
"""

from collections.abc import Iterator

from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    NOUNS,
    SHARED_NOUNS,
    Reference,
    Setting,
    about_one_object,
    ask,
    describe,
    layers_of,
)

CATEGORY = "direct_ask"


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the direct questions about a world."""
    yield from _named(setting)
    yield from _background(setting)
    yield from _shared(setting)


def _named(setting: Setting) -> Iterator[Candidate]:
    for one in setting.objects:
        for asks in ASKED:
            names = [sets for sets in setting.unique_sets(one) if len(sets) <= 1 and asks not in sets]
            if not names:
                continue
            reference = Reference(one, setting.rng.choice(names))
            pieces = [*about_one_object(setting, asks, one.layer), *reference.pieces("The object")]
            question = ask(setting, asks, str(reference))
            yield Candidate(
                "named", CATEGORY, asks, question, one.look.get(asks), ((one.layer,),), tuple(pieces)
            )


def _background(setting: Setting) -> Iterator[Candidate]:
    pieces = (
        (
            setting.phrase("I have a question about a part of this picture.", "I ask about one part of it."),
            (),
        ),
        (setting.phrase("I want to know its colour.", "What I need is its colour."), (0,)),
        (setting.phrase("The part is the background.", "I mean the background."), (0,)),
    )
    question = setting.phrase(
        "What colour is the background?",
        "What is the colour of the background?",
        "Which colour does the background have?",
    )
    colour = setting.world.background.colour
    yield Candidate("background", CATEGORY, "background colour", question, colour, ((0,),), pieces)


def _shared(setting: Setting) -> Iterator[Candidate]:
    for attributes, members in setting.groups(most=1):
        for asks in ASKED:
            answers = {one.look.get(asks) for one in members}
            if asks in attributes or len(members) < 2 or len(answers) > 1:
                continue
            group, noun = describe(members[0], attributes, plural=True), SHARED_NOUNS[asks]
            layers = layers_of(members)
            question = setting.phrase(
                f"All the {group} have the same {noun}. Which {noun} is it?",
                f"What {noun} do all the {group} have in common?",
                f"Which {noun} is shared by all the {group}?",
            )
            pieces = (
                (f"I need a {NOUNS[asks]} from this picture.", ()),
                (f"It is the {noun} that several objects all have.", layers),
                (f"The objects are all the {group} in the picture.", layers),
            )
            minimal_sets = tuple((layer,) for layer in layers)
            yield Candidate("shared", CATEGORY, asks, question, answers.pop(), minimal_sets, pieces)
