"""What was said, turn by turn: the user across, the replies of both models side by side below."""

from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.exchange import Exchange, Reply, Turn, letter, picture, quoted, ruling
from leaderboard.html.frame import part
from leaderboard.html.words import Words
from lvqa_eval.statuses import Status


def ledger(exchange: Exchange, turn: int, words: Words, *, evidence: bool = False) -> Markup:
    """Return everything said up to a turn (from 1); `evidence` marks answers that came before it."""
    heads = [
        el(
            "div",
            letter(side),
            outer(model, class_="lv-name"),
            el("span", words("ledger.final"), " ", ruling(final, words), class_="fin"),
            class_="who",
        )
        for side, (model, final) in enumerate(zip(exchange.models, exchange.finals, strict=True))
    ]
    turns = [
        _turn(one, number, number == turn, exchange, words, evidence)
        for number, one in enumerate(exchange.turns[:turn], 1)
    ]
    alone = " alone" if len(exchange.models) == 1 else ""
    return part(words, el("div", *heads, *turns, class_=f"lv-chat{alone}"))


def _turn(turn: Turn, number: int, current: bool, exchange: Exchange, words: Words, evidence: bool) -> Markup:
    said = el("b", quoted(turn.user)) if turn.question else quoted(turn.user)
    user = el(
        "div",
        el("i", words.integer(number), aria_label=words("ledger.turn", n=words.integer(number))),
        el("div", _pictures(turn, words), said if turn.user else None),
        class_="lv-user",
    )
    replies = [
        _reply(reply, side, exchange, words, evidence)
        for side, reply in enumerate(turn.replies[: len(exchange.models)])
    ]
    return el("div", user, *replies, class_="t cur" if current else "t")


def _pictures(turn: Turn, words: Words) -> Markup | None:
    if not turn.pictures:
        return None
    shown = [
        el(
            "span",
            outer(label, class_="sub"),
            picture(one, words("ledger.picture", label=label)),
            class_="lv-sent",
        )
        for label, one in turn.pictures
    ]
    return el("div", *shown, class_="lv-sents")


def _reply(reply: Reply | None, side: int, exchange: Exchange, words: Words, evidence: bool) -> Markup:
    label = el("span", letter(side), class_="lab")
    if reply is None:
        return el("div", label, el("span", words("ledger.ended"), class_="sub"), class_="lv-rep")
    asked = el("div", words("ledger.asked"), " ", quoted(reply.asked), class_="sub") if reply.asked else None
    status = None
    if reply.status is not Status.OK:
        status = el("span", words(f"status.{reply.status.value}"), class_="lv-chip")
    flag = None
    if evidence and reply.ungrounded and exchange.complete is not None:
        flag = el("div", words("ledger.ungrounded", turn=words.integer(exchange.complete)), class_="lv-flag")
    text = quoted(reply.text) if reply.text else el("span", words("ledger.nothing"), class_="sub inline")
    return el("div", label, asked, text, " ", ruling(reply.ruling, words), status, flag, class_="lv-rep")
