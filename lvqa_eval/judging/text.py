"""One spelling for texts that say the same: case, spaces, marks, hyphens, decoration, articles, numbers."""

import re
import unicodedata

from lvqa_eval.judging.numbers import Language, canonical_numbers, words_to_digits

_QUOTES = str.maketrans({**dict.fromkeys("«»“”„‟〝〞", '"'), **dict.fromkeys("‘’‚‛´ʼ", "'")})
_CONTROLS = {code: None for code in [*range(32), *range(127, 160)] if not chr(code).isspace()}
_LINE_END_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u00ad][ \t]*[\n\r\u2028]\s*(?=\w)")
_TEX_COMMAND = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}")
_EMPHASIS = re.compile(r"\*\*|__|`")
_SPACE_BEFORE_UNIT = re.compile(r"(?<=[0-9]) (?=[%‰°])")
_ARTICLE = re.compile(r"(?<![\w-])(?:[Tt]he|THE|[Aa]n|AN|a)\s+(?=\w)|^\W*A\s+(?!and\b|or\b)(?=\w)")

_KEPT_APART = {"<super>": "^", "<sub>": "_", "<fraction>": " ", "<circle>": " "}

_LATIN_LIKE = frozenset("ABCEHIJKMOPSTXYaceijkopsxy")
_CYRILLIC_LIKE = frozenset("АВСЕНІЈКМОРЅТХУасеіјкорѕху")


def normalise(text: str, language: Language | None = None) -> str:
    """Return the one spelling under which two short answers are compared; never empty for visible text.

    NFKC, casefolded, ё as е (й stays), one kind of dash, quote and space, marks of the Unicode classes P and
    S stripped at the ends (a minus before a digit stays), articles dropped unless `language` is "ru", number
    words as digits, numbers without group marks.
    """
    text = clean(text)
    if language != "ru":
        text = _ARTICLE.sub("", text)
    text = unicodedata.normalize("NFKC", text.casefold()).replace("ё", "е")
    text = canonical_numbers(words_to_digits(text), language)
    return _strip_marks(_SPACE_BEFORE_UNIT.sub("", text)) or text


def clean(text: str) -> str:
    """Return `text` in NFKC with one kind of dash, quote and space, without invisible marks and emphasis.

    What NFKC would glue to a number stays apart: 5² gives "5^2", 2½ gives "2 1/2".
    """
    text = _TEX_COMMAND.sub(r"\1", text)
    if not text.isascii():
        text = "".join(map(_apart, " " + text, text))
        text = unicodedata.normalize("NFKC", text.translate(_QUOTES))
        text = "".join(map(_plain_mark, text))
    text = text.translate(_CONTROLS)
    return " ".join(_EMPHASIS.sub("", text).split())


def readings(text: str) -> list[str]:
    """Return `text` once with hyphens at line ends as mere line breaks, once with them kept, if it has any.

    A line-end hyphen may belong to the word ("кто-то") or not ("ведо-мость"); the text alone does not say.
    """
    if not _LINE_END_HYPHEN.search(text):
        return [text]
    return [_LINE_END_HYPHEN.sub("", text), _LINE_END_HYPHEN.sub("-", text)]


def mixed_script_words(text: str) -> list[str]:
    """Return the words in which letters of one script pass for the other: "Mосква" with a Latin M.

    A word counts if it holds Latin and Cyrillic letters and all its letters of either script have a
    look-alike in the other; "USBшный" does not.
    """
    return [word for word in re.findall(r"\w+", unicodedata.normalize("NFC", text)) if _is_mixed(word)]


def _is_mixed(word: str) -> bool:
    latin = {letter for letter in word if _script(letter) == "LATIN"}
    cyrillic = {letter for letter in word if _script(letter) == "CYRILLIC"}
    return bool(latin and cyrillic) and (latin <= _LATIN_LIKE or cyrillic <= _CYRILLIC_LIKE)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _apart(before: str, mark: str) -> str:
    """Return `mark` with what keeps it apart from a digit before it once NFKC has made it one itself."""
    if mark == "№":
        return "No "
    kind = unicodedata.decomposition(mark).partition(" ")[0]
    if not before.isdecimal():
        return mark
    return _KEPT_APART.get(kind, "") + mark


def _plain_mark(mark: str) -> str:
    category = unicodedata.category(mark)
    if category == "Pd" or mark == "\u2212":
        return "-"
    if mark == "\u2044":
        return "/"
    return "" if category == "Cf" or "\ufe00" <= mark <= "\ufe0f" else mark


def _strip_marks(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_mark(text[start]) and not _is_minus(text, start):
        start += 1
    while end > start and _is_mark(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_mark(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter)[0] in "PS"


def _is_minus(text: str, at: int) -> bool:
    return text[at] == "-" and text[at + 1 : at + 2].isdecimal()
