"""The turns of a conversation in columns: what each brings, and what the models' replies were."""

from leaderboard.html.condition_matrix import family
from leaderboard.html.escape import Child, Markup, el, joined
from leaderboard.html.exchange import Exchange, Turn, letter, ruling
from leaderboard.html.frame import caption, part, scroll
from leaderboard.html.glyph import delivery_glyph
from leaderboard.html.words import Words


def timeline(exchange: Exchange, turn: int, words: Words, *, evidence: bool = False) -> Markup:
    """Return the timeline at a turn (from 1). Its buttons have their turn in `data-turn`."""
    lines = [
        _line(
            words("timeline.question"), [_question(one) for one in exchange.turns], exchange, turn, evidence
        ),
        _line(
            words("timeline.scene"),
            [_scene(exchange, number, words, evidence) for number in range(1, len(exchange.turns) + 1)],
            exchange,
            turn,
            evidence,
        ),
        *(_replies(exchange, side, turn, words, evidence) for side in range(len(exchange.models))),
    ]
    title = words("timeline.title")
    widths = el("colgroup", el("col", class_="c0"), *(el("col", class_="ct") for _ in exchange.turns))
    whole = el(
        "table", caption(title), widths, _turns(exchange, turn, words), el("tbody", *lines), class_="lv-time"
    )
    return part(words, _head(exchange.condition, words), scroll(title, whole))


def _head(condition: str, words: Words) -> Markup:
    key = f"condition.{condition}"
    told = words(key) if words.has(key) else family(condition, words)
    return el(
        "div", el("h2", condition), delivery_glyph(condition), el("p", told), class_="lv-head lv-condition"
    )


def _turns(exchange: Exchange, turn: int, words: Words) -> Markup:
    heads = [el("th", words("timeline.turn"), scope="col", class_="pin")]
    for number in range(1, len(exchange.turns) + 1):
        button = el(
            "button",
            words.integer(number),
            type="button",
            data_turn=number,
            aria_label=words("timeline.go", n=words.integer(number)),
            aria_current="step" if number == turn else None,
            tabindex="0" if number == turn else "-1",
        )
        heads.append(el("th", button, scope="col", class_="cur" if number == turn else None))
    return el("thead", el("tr", *heads))


def _line(title: Child, cells: list[Child], exchange: Exchange, turn: int, evidence: bool) -> Markup:
    shown = []
    for number, content in enumerate(cells, 1):
        state = ["cur"] if number == turn else ["fut"] if number > turn else []
        if evidence and number == exchange.complete:
            state.append("done")
        shown.append(el("td", content, class_=" ".join(state) or None))
    return el("tr", el("th", title, scope="row", class_="pin"), *shown)


def _question(turn: Turn) -> Child:
    """Return Q for the whole question, the numbers of shards otherwise."""
    if turn.question:
        return el("b", "Q")
    return ", ".join(f"q{shard}" for shard in turn.shards) or None


def _scene(exchange: Exchange, number: int, words: Words, evidence: bool) -> Child:
    turn = exchange.turns[number - 1]
    chips = [el("span", words("timeline.whole"), class_="lay")] if turn.composite else []
    for layer in turn.layers:
        gold = evidence and layer in exchange.gold
        chips.append(el("span", words.integer(layer), class_="lay gold" if gold else "lay"))
    if evidence and number == exchange.complete:
        chips.append(el("span", words("timeline.complete"), class_="lv-evtag word"))
    return el("span", *chips, class_="chips") if chips else None


def _replies(exchange: Exchange, side: int, turn: int, words: Words, evidence: bool) -> Markup:
    cells: list[Child] = []
    for number, one in enumerate(exchange.turns, 1):
        reply = one.replies[side] if side < len(one.replies) else None
        cells.append(ruling(reply.ruling, words) if reply is not None and number <= turn else None)
    title = joined([letter(side), " ", words("timeline.reply")])
    return _line(title, cells, exchange, turn, evidence)
