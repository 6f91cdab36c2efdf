"""Invented names of people and places."""

from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK, Language

_SURNAMES = {
    "en": (
        *("Alder", "Barlow", "Corrin", "Dunning", "Ellery", "Farrow", "Garnet", "Hollis", "Ives", "Jessop"),
        *("Kerrick", "Lowry", "Mercer", "Norrow", "Oakes", "Pell", "Quill", "Rudge", "Selwyn", "Tarrant"),
    ),
    "ru": (
        *(
            "Абрамова",
            "Белов",
            "Вершинина",
            "Громов",
            "Дёмина",
            "Ершов",
            "Жилина",
            "Зимин",
            "Ильина",
            "Краснов",
        ),
        *(
            "Лаптева",
            "Мельников",
            "Нефёдова",
            "Орлов",
            "Панина",
            "Рыбаков",
            "Седова",
            "Тихонов",
            "Уварова",
            "Фомин",
        ),
    ),
}
_INITIALS = {"en": "ABCDEFGHJKLMNPRST", "ru": "АБВГДЕИКЛМНОПРСТ"}
PLACES = {
    "en": (
        *("Aldery", "Brisk Hill", "Corfton", "Dunmere", "Elmsted", "Foxlow", "Gorsley", "Harrowick"),
        *("Ivelstone", "Kelmarsh", "Lodden", "Marlow Quay"),
    ),
    "ru": (
        *("Заречье", "Высоково", "Дубрава", "Ельники", "Каменка", "Липки", "Озерки", "Сосновка"),
        *("Ключи", "Боровое", "Луговое", "Рябинки"),
    ),
}


def people(language: Language, count: int, rng: Random) -> tuple[str, ...]:
    """Return names of different persons, with initials."""
    surnames = rng.sample(_SURNAMES[language], count)
    return tuple(f"{_initials(language, rng)}{NO_BREAK}{surname}" for surname in surnames)


def _initials(language: Language, rng: Random) -> str:
    letters = rng.sample(_INITIALS[language], 2 if language == "ru" else 1)
    return NO_BREAK.join(f"{letter}." for letter in letters)
