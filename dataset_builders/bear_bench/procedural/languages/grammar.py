"""Sentences from templates and word tables.

A template holds fields in braces:

- `{reason}`: a word drawn from the table of that name; the same word wherever the text names it again;
  `{reason2}` is another word of the same table;
- `{customer.gen}`: the word in a case;
- `{new>customer}`, `{new>customer.gen}`: an adjective or a past tense that agrees with the word drawn for
  `customer`;
- `{3..9}`: a whole number; `{3..9 month}`: with its noun, in Russian in the form the number asks for.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK, Language
from dataset_builders.bear_bench.procedural.languages.russian import Adjective, Noun, Past, counted

Word = str | Noun | Adjective | Past
Slot = Sequence[str]
"""Ways to say one thing, of which a text uses one."""

_FIELD = re.compile(r"\{([^{}]+)\}")
_NUMBER = re.compile(r"(\d+)\.\.(\d+)(?: (\w+))?")


class Grammar:
    """Word tables of one language; `counters` has the nouns that follow numbers.

    A Russian counter has three forms ("день|дня|дней"), an English one two ("day|days").
    """

    def __init__(
        self, language: Language, tables: Mapping[str, Sequence[Word]], counters: Mapping[str, str]
    ) -> None:
        self.language = language
        self.tables = tables
        self._counters = counters

    def sentence(self, template: str, rng: Random, given: Mapping[str, Word]) -> str:
        """Return the template with its fields filled; `given` fixes words that are not to be drawn."""
        return self._filled(template, rng, dict(given))

    def _filled(self, template: str, rng: Random, bound: dict[str, Word]) -> str:
        text = _FIELD.sub(lambda match: self._field(match[1], rng, bound), template).replace(
            " —", f"{NO_BREAK}—"
        )
        return text[0].upper() + text[1:]

    def paragraph(self, slots: Sequence[Slot], rng: Random, given: Mapping[str, Word]) -> list[str]:
        """Return the sentences of a paragraph, one for each slot; a field names one word throughout."""
        bound: dict[str, Word] = dict(given)
        return [self._filled(rng.choice(slot), rng, bound) for slot in slots]

    def counted(self, number: int, counter: str) -> str:
        """Return a number with its noun."""
        forms = self._counters[counter]
        if self.language == "ru":
            return f"{number}{NO_BREAK}{counted(number, forms)}"
        one, many = forms.split("|")
        return f"{number}{NO_BREAK}{one if number == 1 else many}"

    def _field(self, field: str, rng: Random, bound: dict[str, Word]) -> str:
        number = _NUMBER.fullmatch(field)
        if number:
            value = rng.randint(int(number[1]), int(number[2]))
            return self.counted(value, number[3]) if number[3] else str(value)
        name, _, case = field.partition(".")
        name, _, head = name.partition(">")
        word = self._word(name, rng, bound)
        if isinstance(word, (Adjective, Past)):
            return word.form(self._noun(head, rng, bound).kind, case or "nom")
        return word if isinstance(word, str) else str(getattr(word, case or "nom"))

    def _noun(self, name: str, rng: Random, bound: dict[str, Word]) -> Noun:
        word = self._word(name, rng, bound)
        if not isinstance(word, Noun):
            raise ValueError(f"{name!r}: found {word!r}, needed a noun to agree with")
        return word

    def _word(self, name: str, rng: Random, bound: dict[str, Word]) -> Word:
        if name not in bound:
            table = self.tables[name.rstrip("0123456789")]
            bound[name] = rng.choice([word for word in table if word not in bound.values()])
        return bound[name]
