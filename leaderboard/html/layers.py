"""A scene and its layers: which were sent, which come with this turn, and which hold the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.exchange import Exchange, Picture, picture
from leaderboard.html.frame import head, part
from leaderboard.html.words import Words


@dataclass(frozen=True)
class Layer:
    """One layer: its number in the stack, its picture as models get it, and what is on it."""

    number: int
    picture: Picture
    caption: str = ""


@dataclass(frozen=True)
class Scene:
    """A scene with its question; `gold` are the layers that hold the evidence."""

    composite: Picture
    layers: tuple[Layer, ...]
    reference: str
    category: str
    gold: tuple[int, ...]


def scene_view(
    scene: Scene, exchange: Exchange, turn: int, words: Words, *, evidence: bool = False
) -> Markup:
    """Return the composite and the layers as they stand at a turn (from 1).

    `evidence` marks it, and tells the reference: who looks first reads a conversation as the model did.
    """
    whole = next((at for at, one in enumerate(exchange.turns, 1) if one.composite), None)
    if whole is None:
        told = words("layers.composite.never", condition=exchange.condition)
    else:
        told = words("layers.composite.sent", turn=words.integer(whole))
    shown = picture(scene.composite, words("layers.composite.alt"))
    box = el("div", shown, class_="lv-whole now" if whole == turn else "lv-whole")
    grid = el("ol", *_layers(scene, exchange, turn, words, evidence), class_="lv-layers")
    return part(
        words,
        head(words("layers.scene"), told),
        box,
        head(words("layers.title"), words("layers.lead")),
        grid,
        _facts(scene, words) if evidence else None,
        class_="lv-scene",
    )


def _layers(scene: Scene, exchange: Exchange, turn: int, words: Words, evidence: bool) -> Sequence[Markup]:
    so_far = {layer for one in exchange.turns[:turn] for layer in one.layers}
    now = set(exchange.turns[turn - 1].layers)
    return [
        _layer(
            one,
            "now" if one.number in now else "sent" if one.number in so_far else "later",
            evidence and one.number in scene.gold,
            words,
        )
        for one in scene.layers
    ]


def _layer(layer: Layer, state: str, marked: bool, words: Words) -> Markup:
    alt = words("layers.alt", n=words.integer(layer.number), caption=layer.caption)
    told = words(f"layers.state.{state}")
    # A sent layer is what everything before was as well; only the two others are said.
    tag = el("span", words("layers.evidence"), class_="lv-evtag") if marked else None
    return el(
        "li",
        el("span", words.integer(layer.number), class_="no"),
        el("div", picture(layer.picture, alt), class_="lv-check"),
        tag,
        el("div", outer(layer.caption), el("span", told, class_="vh"), class_="cap"),
        class_=f"lv-layer {state} gold" if marked else f"lv-layer {state}",
    )


def _facts(scene: Scene, words: Words) -> Markup:
    told = words(
        "layers.facts",
        reference=scene.reference,
        category=scene.category,
        depth=words.integer(len(scene.layers)),
    )
    numbers = ", ".join(map(words.integer, scene.gold))
    gold = el("b", " ", words("layers.gold", layers=numbers), class_="lv-evtag")
    return el("p", outer(told), gold, class_="lv-note")
