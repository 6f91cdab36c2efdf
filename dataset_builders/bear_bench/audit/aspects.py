"""What people look at in an audit of the set, and the words of the form in English and Russian."""

from dataclasses import dataclass
from typing import Final

from lvqa_eval.judging.audit.labels import Label


@dataclass(frozen=True)
class Aspect:
    """One thing to look at; `name` is its column and what the paper's figures call it.

    `english` and `russian` ask whether it is right.
    """

    name: str
    english: str
    russian: str


VERDICT: Final = "verdict"
"""The one aspect that needs a model's answer."""

ASPECTS: Final = (
    Aspect(
        "ground_truth",
        "Is the reference answer right and complete, going by the page?",
        "Верен ли эталонный ответ и полон ли он, если судить по странице?",
    ),
    Aspect(
        VERDICT,
        "Is the judge's verdict on the model's answer right?",
        "Верно ли решение судьи об ответе модели?",
    ),
    Aspect(
        "question",
        "Is the question clear, and does the page alone answer it, in several steps?",
        "Понятен ли вопрос и отвечает ли на него одна эта страница, в несколько шагов?",
    ),
    Aspect(
        "image",
        "Is the picture whole and sharp enough to read?",
        "Целая ли картинка и можно ли её прочесть?",
    ),
)

WORDS: Final = {
    Label.RIGHT: ("yes", "да"),
    Label.WRONG: ("no", "нет"),
    Label.CANNOT_TELL: ("cannot tell", "не решить"),
}
"""How the answers are written in the form, in English and Russian."""

_SHORT: Final = {"?": Label.CANNOT_TELL, "y": Label.RIGHT, "n": Label.WRONG}
_READ: Final = {word: label for label, words in WORDS.items() for word in words} | _SHORT

ALLOWED: Final = ", ".join((*(word for words in WORDS.values() for word in words), *_SHORT))


def label_of(text: str) -> Label | None:
    """Return what a cell of the form says, in any case; None for what is none of `ALLOWED`."""
    return _READ.get(" ".join(text.casefold().split()))
