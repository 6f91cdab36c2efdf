"""How well the model answers, by category and condition, in conversations that go on from its own replies.

The scenes are those of the procedural source under a seed of their own, with its own choice of questions.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from dataset_builders.layered_vqa.conditions import CONDITIONS
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from lvqa_eval.judging.answers import same_answer
from lvqa_eval.judging.exact_match import GROUNDING_CONDITION
from lvqa_eval.judging.grounding import grounded_answer

from .architecture import SmallModel
from .packing import Batch, Strand, batch, pack, strand
from .prompts import Conversation, conversation
from .questions import Question
from .tokens import END, Tokens
from .worlds import HELD_OUT, as_seen

EXAM_SEED = 770_077
"""No demo, no test and no training scene has this seed."""

DEPTHS = (3, 6)
LONGEST_REPLY = 40
TALKS_AT_ONCE = 24


@dataclass(frozen=True)
class ExamScene:
    """One scene with its questions; `pictures` has the whole scene under None. `held_out`: see `HELD_OUT`."""

    questions: tuple[Question, ...]
    pictures: dict[int | None, Pixels]
    held_out: bool


def exam(scenes: int, side: int) -> list[ExamScene]:
    """Return so many scenes of two to five objects, with the questions that the source asks about them."""
    least, most = DEPTHS
    source = ProceduralSource(scenes=scenes, seed=EXAM_SEED, min_depth=least, max_depth=most)
    drawn = []
    for material in source.read():
        pictures: dict[int | None, Pixels] = {None: as_seen(material.scene.composite(), side)}
        pictures |= {index: as_seen(layer, side) for index, layer in enumerate(material.scene.layers)}
        words = [set(caption.split()) for caption in material.scene.captions[1:]]
        held_out = any(set(pair) <= caption for pair in HELD_OUT for caption in words)
        drawn.append(ExamScene(tuple(map(as_asked, material.examples)), pictures, held_out))
    return drawn


def as_asked(example: Example) -> Question:
    """Return an example of the source as a question of which nothing else is known."""
    return Question("", example, (), (0,) * len(example.shards), -1)


@dataclass(frozen=True)
class Answered:
    """One conversation held: what was asked, the replies, and whether the last one is right."""

    condition: str
    category: str
    question_id: str
    held_out: bool
    replies: tuple[str, ...]
    right: bool


def hold(
    model: SmallModel, tokens: Tokens, scenes: Sequence[ExamScene], conditions: Sequence[str]
) -> Iterator[Answered]:
    """Hold every question's conversation under each condition, and yield what came of it."""
    for condition in conditions:
        waiting: list[tuple[ExamScene, Conversation]] = []
        for scene in scenes:
            waiting += [(scene, conversation(one, condition)) for one in scene.questions]
            if len(waiting) >= TALKS_AT_ONCE:
                yield from _held(model, tokens, waiting)
                waiting = []
        yield from _held(model, tokens, waiting)


def _held(
    model: SmallModel, tokens: Tokens, talks: Sequence[tuple[ExamScene, Conversation]]
) -> Iterator[Answered]:
    for (scene, talk), said in zip(talks, replies_to(model, tokens, talks), strict=True):
        example = talk.question.example
        replies = tuple(tokens.tokenizer.decode(one) for one in said)
        last = replies[-1]
        answer = (grounded_answer(last) or "") if talk.condition == GROUNDING_CONDITION else last
        yield Answered(
            talk.condition,
            example.category,
            example.question_id,
            scene.held_out,
            replies,
            same_answer(example.answer, answer),
        )


@torch.inference_mode()
def replies_to(
    model: SmallModel, tokens: Tokens, talks: Sequence[tuple[ExamScene, Conversation]]
) -> list[list[list[int]]]:
    """Return the model's most likely replies in each conversation, as tokens.

    Each goes on from the replies before it. The right replies are the first guess. One pass over a
    conversation shows how far a guess is what the model says; it is mended there, and the pass repeated,
    until nothing is left to mend. The result is that of drawing token by token, in far fewer passes.
    """
    guesses = [[list(tokens.read(one.reply)[0]) for one in talk.exchanges] for _, talk in talks]
    open_ones = list(range(len(talks)))
    while open_ones:
        strands = {i: strand(talks[i][1], tokens, model.shape.grid, guesses[i]) for i in open_ones}
        said = _most_likely(model, [(talks[i][0], strands[i]) for i in open_ones])
        open_ones = [i for i in open_ones if _mend(guesses[i], said[id(strands[i])], tokens.ids[END])]
    return guesses


def _most_likely(model: SmallModel, talks: Sequence[tuple[ExamScene, Strand]]) -> dict[int, list[int]]:
    """Return for each strand the most likely token at each place of its replies."""
    rows: dict[int, list[Strand]] = defaultdict(list)
    scenes = {id(scene): scene for scene, _ in talks}
    for scene, one in talks:
        rows[id(scene)].append(one)
    about = [scenes[key] for key in rows]
    whole: Batch = batch(
        [pack(group) for group in rows.values()], lambda row, layer: about[row].pictures[layer]
    )
    seen = model.look(whole.pictures)
    states = model.read(whole.ids, whole.positions, whole.layout, seen, whole.shown)
    likely = model.lm_head(states[-1][whole.before])
    likely[:, model.picture_token] = -torch.inf  # its place in a reply would be taken for that of a picture
    best = likely.argmax(-1)
    return {
        id(one): part.tolist()
        for one, part in zip(whole.strands, best.split(list(whole.counts)), strict=True)
    }


def _mend(guesses: list[list[int]], said: list[int], end: int) -> bool:
    """Mend the first of the guessed replies that differs from what is said; tells whether one did."""
    start = 0
    for number, guess in enumerate(guesses):
        here = said[start : start + len(guess) + 1]
        start += len(guess) + 1
        for index, token in enumerate(here):
            due = guess[index] if index < len(guess) else end
            if token == due or index == LONGEST_REPLY:
                continue
            guesses[number] = guess[:index] + ([] if token == end else [token])
            return True
    return False


def shares(held: Sequence[Answered]) -> dict[str, float]:
    """Return the share of right answers by condition, by condition and category, and on held-out pairs."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for one in held:
        for name in (one.condition, f"{one.condition}: {one.category}"):
            groups[name].append(one.right)
        if one.held_out:
            groups[f"{one.condition}: held-out pairs"].append(one.right)
    return {name: round(sum(right) / len(right), 3) for name, right in groups.items()}


def all_conditions() -> list[str]:
    """Return every published condition."""
    return list(CONDITIONS.names())


def gathered(held: Sequence[Answered], count: int) -> list[Answered]:
    """Return what all of `count` processes held, in their order."""
    if count == 1:
        return list(held)
    parts: list[Any] = [None] * count
    dist.all_gather_object(parts, list(held))
    return [one for part in parts for one in part]
