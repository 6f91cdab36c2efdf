"""Numbers, Russian forms, hyphenation and the grammar of the running texts."""

import itertools
import re
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench.procedural.languages.grammar import Grammar
from dataset_builders.bear_bench.procedural.languages.numbers import (
    exact,
    is_safe,
    parsed,
    printed,
    rounded,
)
from dataset_builders.bear_bench.procedural.languages.russian import CASES, Adjective, Noun, Past, counted
from dataset_builders.bear_bench.procedural.texts.topic import texts_of
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import divisions

EVERY_TEXT = [(language, domain) for language in ("en", "ru") for domain in ("business", "science")]


@pytest.mark.parametrize(
    ("value", "english", "russian"),
    [
        (999, "999", "999"),
        (1234, "1,234", "1234"),
        (Decimal("12345.60"), "12,345.60", "12\u00a0345,60"),
        (Decimal("0.5"), "0.5", "0,5"),
        (-3, "−3", "−3"),
        (Fraction(1, 8), "0.125", "0,125"),
        (1234567, "1,234,567", "1\u00a0234\u00a0567"),
    ],
)
def test_numbers_are_printed_as_each_language_does(value, english, russian):
    assert printed(value, "en") == english
    assert printed(value, "ru") == russian


@given(st.decimals(-(10**7), 10**7, places=2), st.sampled_from(["en", "ru"]))
def test_a_printed_number_can_be_read(value, language):
    assert parsed(printed(value, language), language) == value


def test_rounding_takes_halves_away_from_zero_and_knows_what_is_safe():
    assert rounded(Fraction(25, 1000), 2) == Decimal("0.03")
    assert rounded(Fraction(2, 3), 1) == Decimal("0.7")
    assert exact(Fraction(3, 8)) == Decimal("0.375")
    with pytest.raises(ValueError, match="1/3"):
        exact(Fraction(1, 3))
    assert is_safe(Fraction(1234, 1000), 1)
    assert not is_safe(Fraction(1251, 1000), 1)


FORMS = {
    "день": (1, 21, 101, 1001),
    "дня": (2, 3, 4, 22, 104),
    "дней": (0, 5, 11, 12, 13, 14, 20, 25, 100, 111, 112),
}


@pytest.mark.parametrize(("number", "form"), [(n, form) for form, ns in FORMS.items() for n in ns])
def test_nouns_after_numerals(number, form):
    assert counted(number, "день|дня|дней") == form


@pytest.mark.parametrize(
    ("base", "kind", "forms"),
    [
        ("новый", "m", "новый нового новому новый новым новом"),
        ("новый", "f", "новая новой новой новую новой новой"),
        ("новый", "n", "новое нового новому новое новым новом"),
        ("новый", "p", "новые новых новым новые новыми новых"),
        ("прежний", "m", "прежний прежнего прежнему прежний прежним прежнем"),
        ("прежний", "f", "прежняя прежней прежней прежнюю прежней прежней"),
        ("краткий", "p", "краткие кратких кратким краткие краткими кратких"),
        ("краткий", "n", "краткое краткого краткому краткое кратким кратком"),
        ("простой", "m", "простой простого простому простой простым простом"),
        ("хороший", "n", "хорошее хорошего хорошему хорошее хорошим хорошем"),
        ("хороший", "f", "хорошая хорошей хорошей хорошую хорошей хорошей"),
        ("другой", "p", "другие других другим другие другими других"),
    ],
)
def test_adjectives_agree(base, kind, forms):
    assert [Adjective(base).form(kind, case) for case in CASES] == forms.split()


@pytest.mark.parametrize(
    ("past", "forms"),
    [
        (Past("стал"), "стал стала стало стали"),
        (Past("усилился"), "усилился усилилась усилилось усилились"),
        (Past("помог", "помог"), "помог помогла помогло помогли"),
    ],
)
def test_past_tenses_agree(past, forms):
    assert [past.form(kind) for kind in "mfnp"] == forms.split()


def test_a_template_binds_words_and_makes_others_agree():
    line = Noun("линия", "линии", "линии", "линию", "линией", "линии", "f")
    shop = Noun("цех", "цеха", "цеху", "цех", "цехом", "цехе", "m")
    tables = {"thing": (line, shop), "new": (Adjective("новый"),), "came": (Past("появился"),)}
    grammar = Grammar("ru", tables, {"month": "месяц|месяца|месяцев"})
    text = (
        "{came>thing} {new>thing} {thing}, без {new>thing.gen} {thing.gen} и {thing2.gen}, за {2..2 month}."
    )
    said = {grammar.sentence(text, Random(seed), {}) for seed in range(20)}
    assert said == {
        "Появилась новая линия, без новой линии и цеха, за 2\u00a0месяца.",
        "Появился новый цех, без нового цеха и линии, за 2\u00a0месяца.",
    }


def test_a_paragraph_keeps_to_its_words():
    grammar = Grammar("en", {"thing": ("cards", "boxes", "lamps")}, {})
    for seed in range(10):
        first, second = grammar.paragraph([["{thing} came."], ["We used {thing}."]], Random(seed), {})
        assert first.split()[0].lower() == second.split()[-1].rstrip(".")


@pytest.mark.parametrize(("language", "domain"), EVERY_TEXT)
def test_every_sentence_of_the_running_texts_can_be_made(language, domain):
    texts = texts_of(language, domain)
    assert len(texts.topics) >= 11
    for topic in texts.topics:
        assert len(topic.slots) >= 4
        assert all(len(slot) >= 2 for slot in (topic.headings, *topic.slots))
        for slot in topic.slots:
            for template in slot:
                for seed in range(3):
                    said = texts.grammar.sentence(template, Random(seed), {})
                    assert said[0].isupper()
                    assert said[-1] == "."
                    assert not re.search(r"[{}]|  | [,.;]|\.\.", said), said


@pytest.mark.parametrize("domain", ["business", "science"])
def test_plurals_never_meet_a_verb_in_the_singular(domain):
    """A word in the nominative beside a verb of one number needs a table of that number alone."""
    texts = texts_of("ru", domain)
    mixed = {
        name
        for name, words in texts.grammar.tables.items()
        if len({word.kind == "p" for word in words if isinstance(word, Noun)}) == 2
    }
    singular = r"\b\w+(?:ется|ит|ает|ует|ял|ила|ило)(?:ся)? \{(\w+?)\d*\}"
    for topic in texts.topics:
        for slot in topic.slots:
            for template in slot:
                assert not {*re.findall(singular, template)} & mixed, template


@pytest.mark.parametrize(
    ("word", "language", "parts"),
    [
        ("непрерывность", "ru", ["не", "пре", "рыв", "ность"]),
        ("объединение", "ru", ["объ", "еди", "не", "ние"]),
        ("стол", "ru", ["стол"]),
        ("США", "ru", ["США"]),
        ("transportation", "en", ["trans", "porta", "tion"]),
        ("management", "en", ["manage", "ment"]),
        ("house", "en", ["house"]),
        ("T2-slots", "en", ["T2-", "slots"]),
    ],
)
def test_words_are_divided_only_where_they_may(word, language, parts):
    at = [0, *divisions(word, language), len(word)]
    found = [word[start:end] for start, end in itertools.pairwise(at)]
    assert "".join(found) == word
    assert found == parts
