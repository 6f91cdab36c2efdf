"""The words of the page, in English and Russian."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "ru")

_WORDS: Mapping[str, tuple[str, str]] = {
    "labelling": ("labelling", "разметка"),
    "adjudication": ("adjudication", "третье мнение"),
    "annotator": ("Annotator", "Разметчик"),
    "language": ("Language", "Язык"),
    "dark": ("Dark", "Тёмная"),
    "light": ("Light", "Светлая"),
    "item": ("Item", "Пример"),
    "of": ("of", "из"),
    "labelled": ("labelled", "размечено"),
    "previous": ("Previous item", "Предыдущий пример"),
    "next": ("Next item", "Следующий пример"),
    "jump": ("Go to item", "К примеру"),
    "unlabelled": ("Next unlabelled", "Следующий без метки"),
    "done": (
        "Every item has a label. You may close the page.",
        "Все примеры размечены. Страницу можно закрыть.",
    ),
    "question": ("Question", "Вопрос"),
    "reference": ("Reference answer", "Эталонный ответ"),
    "last_answer": ("Last answer", "Последний ответ"),
    "nothing": ("(nothing)", "(пусто)"),
    "choice": ("The last answer is", "Этот ответ"),
    "right": ("right", "верен"),
    "wrong": ("wrong", "неверен"),
    "cannot_tell": ("cannot tell", "не решить"),
    "note": ("Note", "Заметка"),
    "note_hint": ("kept with the label", "хранится вместе с меткой"),
    "undo": ("Undo", "Отменить"),
    "move": ("move", "перейти"),
    "annotators_said": ("What the annotators said", "Что сказали разметчики"),
    "conversation": ("Conversation", "Диалог"),
    "turns": ("Turns", "Ходов"),
    "turn": ("Turn", "Ход"),
    "user": ("User", "Пользователь"),
    "assistant": ("Assistant", "Модель"),
    "enlarge": ("Enlarge", "Увеличить"),
    "close": ("Close", "Закрыть"),
    "how": ("How to judge", "Как судить"),
    "lost": (
        "Not saved: the page's program does not answer. Start it again, then load this page anew.",
        "Не сохранено: программа страницы не отвечает. Запустите её снова и обновите страницу.",
    ),
    "truncated": ("cut off at the token limit", "обрезан по длине"),
    "refused": ("refused by the provider", "отклонён поставщиком"),
    "empty": ("no reply came", "ответа нет"),
    "unparsable": ("not in the form that was asked for", "не в заданной форме"),
}

RULES: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Only the assistant's last reply counts, whatever was said before.",
        "The reference answer is authoritative; its meaning counts, not its wording.",
        "Less detail is right as long as all that the question asks for is there.",
        "Another object, colour, number or relation is wrong; so is a reply that only asks back.",
    ),
    "ru": (
        "Считается только последний ответ модели, что бы она ни говорила раньше.",
        "Эталонный ответ верен по определению; важен смысл, а не слова.",
        "Меньше подробностей можно, если есть всё, о чём спрашивает вопрос.",
        "Другой предмет, цвет, число или отношение неверны; встречный вопрос вместо ответа тоже.",
    ),
}


def words(language: str) -> dict[str, str]:
    """Return the words of the page by name; English for a language that is not there."""
    place = LANGUAGES.index(language) if language in LANGUAGES else 0
    return {name: both[place] for name, both in _WORDS.items()}
