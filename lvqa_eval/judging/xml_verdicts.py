"""Yes or no from a judge's XML: the word inside one element, with free text round it."""

import html

from lvqa_eval.judging.elements import Element, read_elements
from lvqa_eval.judging.quotation import in_sentence, is_quotation
from lvqa_eval.judging.rulings import MOST_OBJECTS, VerdictError, without_thinking
from lvqa_eval.loose_json import shown, truth

_WORDS = {"correct": True, "верно": True, "incorrect": False, "неверно": False}
_MARKS = " \t\r\n.*_`\"'"


def parse_xml_ruling(text: str, tag: str = "verdict") -> bool:
    """Return the ruling in a judge's reply of the form <verdict>correct</verdict>.

    The words are correct, incorrect, верно, неверно, and those of `rulings.ruling`, in any case; nothing is
    searched for inside other words. Thinking is dropped, and so is what stands in an element with words of
    its own (<reason>), in quote marks or in block quotes: it is another's. An element in the middle of a
    sentence makes no verdict, but contradicts one. A reply without any tag is unescaped once. Raises
    VerdictError where there is no such element, an open or empty one, or different rulings.
    """
    answer = without_thinking(text)
    elements = read_elements(answer)
    if not elements:
        answer = html.unescape(answer)
        elements = read_elements(answer)
    named = [one for one in _unquoted(answer, elements) if one.name == tag.casefold()]
    own = [one for one in named if not is_quotation(answer, one.start, one.end)]
    if len(own) > MOST_OBJECTS:
        raise VerdictError(f"found {len(own)} <{tag}> elements, needed one")
    outside = _without(answer, [one for one in elements if one.parent is None])
    alone = [one for one in own if one.parent is not None or not in_sentence(outside, one.start, one.end)]
    if not alone:
        where = " that stands alone" if own else ""
        raise VerdictError(f"found no <{tag}> element{where}, needed one")
    rulings = {_ruling(answer, one) for one in own}
    if len(rulings) > 1:
        raise VerdictError(f"found <{tag}> elements that contradict each other, needed one")
    return rulings.pop()


def _unquoted(text: str, elements: list[Element]) -> list[Element]:
    """Return those of `elements` that stand in none with words of its own, nor in one without an end."""
    free: list[Element] = []
    wrappers: set[int] = set()
    for one in elements:
        if one.parent is None or id(one.parent) in wrappers:
            free.append(one)
            if one.closed and one.children and not one.has_words(text):
                wrappers.add(id(one))
    return free


def _without(text: str, elements: list[Element]) -> str:
    """Return `text` with spaces in the place of `elements`."""
    pieces, position = [], 0
    for one in elements:
        pieces += [text[position : one.start], " " * (one.end - one.start)]
        position = one.end
    return "".join([*pieces, text[position:]])


def _ruling(text: str, one: Element) -> bool:
    said = text[one.inner_start : one.inner_end]
    if not one.closed:
        raise VerdictError(f"found a <{one.name}> tag without its other half")
    word = said.strip(_MARKS).casefold()
    ruled = _WORDS.get(word, truth(word))
    if ruled is None:
        raise VerdictError(f"{one.name}: found {shown(said)}, allowed: correct or incorrect")
    return ruled
