"""One conversation as the page of examples shows it."""

from collections.abc import Sequence
from typing import Final

from leaderboard.examples.library import Example, Side
from leaderboard.examples.patches import PatchesRead, page_patches
from leaderboard.html.asked_page import page_facts, page_view
from leaderboard.html.escape import Child, Markup, el, outer
from leaderboard.html.exchange import letter, quoted
from leaderboard.html.frame import beside, note, part
from leaderboard.html.heat import patch_map
from leaderboard.html.layers import Scene, scene_view
from leaderboard.html.ledger import ledger
from leaderboard.html.timeline import timeline
from leaderboard.html.words import Words

_CONTRACT: Final = "lv-example-contract"


def drawn(example: Example, turn: int, words: Words, *, evidence: bool = False, patches: str = "") -> Markup:
    """Return a conversation at a turn (from 1), pictures on the left, what was said on the right.

    `evidence` marks it and tells the reference. `patches` names the side, "a" or "b", whose answer is laid
    over a page as a map, empty for none.
    """
    exchange = example.exchange
    if example.scene is None:
        left: Sequence[Child] = [note(words("example.missing", why=example.missing))]
    elif example.layered:
        left = [scene_view(example.scene, exchange, turn, words, evidence=evidence)]
    else:
        left = _page(example, example.scene, words, evidence, patches)
    right = [ledger(exchange, turn, words, evidence=evidence), _told(example, words)]
    if len(exchange.turns) > 1 or example.layered:
        right.insert(0, timeline(exchange, turn, words, evidence=evidence))
    said = part(words, *right, class_="lv-stack")
    return beside(words, part(words, *left), said, narrow_first=example.layered)


def nothing(words: Words) -> Markup:
    """Return that no run of the board has a conversation."""
    return part(words, note(words("example.none")))


def _page(example: Example, page: Scene, words: Words, evidence: bool, patches: str) -> Sequence[Child]:
    side = {"a": 0, "b": 1}.get(patches)
    if side is None or side >= len(example.sides):
        return [page_view(page, words, evidence=evidence)]
    shown = example.sides[side]
    read = page_patches(shown, page.composite)
    facts = page_facts(page, words) if evidence else None
    if read is None:
        return [page_view(page, words, evidence=evidence), _no_patches(shown, words)]
    return [patch_map(read.map, words), _reader(read, words), facts]


def _reader(read: PatchesRead, words: Words) -> Markup | None:
    return None if read.native else note(outer(words("example.map.reader", reader=read.reader)))


def _no_patches(side: Side, words: Words) -> Markup:
    command = f"lvqa features runs/{side.run.store.folder.name} --model NAME"
    told = outer(words("example.map.none", model=side.model))
    return part(words, note(told, " ", el("code", command)))


def _told(example: Example, words: Words) -> Markup:
    """Return what stands before the first turn, and who has judged the replies."""
    lines = []
    if example.contract is not None:
        lines.append(_contract(example.contract.text, words))
    for side, one in enumerate(example.sides):
        lines.append(el("p", letter(side), " ", outer(_verdicts(one, words))))
    return part(words, *lines, class_="lv-told")


def _contract(text: str, words: Words) -> Markup:
    title = words("example.contract.title")
    button = el("button", title, type="button", class_="lv-term", popovertarget=_CONTRACT)
    card = el("span", el("b", title), quoted(text), id=_CONTRACT, popover=True, role="note", class_="lv-def")
    return el("p", words("example.contract.before"), " ", el("span", button, card, class_="lv-term-of"))


def _verdicts(side: Side, words: Words) -> str:
    judges = side.judges
    if judges.final is None:
        return words("example.judged.nobody")
    last = words("example.judged.last", judges=", ".join(judges.names))
    if judges.by_turn is None or judges.by_turn == judges.final:
        return last
    return f"{last} {words('example.judged.before', judge=judges.by_turn)}"
