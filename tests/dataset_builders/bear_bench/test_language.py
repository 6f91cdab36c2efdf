"""The language of a text: English, Russian, or neither of these."""

import pytest

from dataset_builders.bear_bench.language import doubtful_words, language_of
from dataset_builders.bear_bench.words import characters, is_doubtful, words

SENTENCES = {
    "Звіт про якість підручників їхньої школи": "other",  # Ukrainian
    "Я пайшоў у школу, каб вучыцца": "other",  # Belarusian
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności": "other",  # Polish
    "Le rapport annuel de la société est disponible sur le site": "other",
    "Der Bericht des Vorstands liegt vor und wird im Mai beraten": "other",
    "El informe anual de la empresa se publica en el mes de mayo": "other",
    "Съветът на директорите прие решение, което се прилага": "other",  # Bulgarian
    "Управни одбор је усвојио извештај за протеклу годину": "other",  # Serbian
    "Κατά την ετήσια έκθεση": "other",
    "年度报告": "other",
    "Отчёт о работе комиссии за 2019 год": "ru",
    "Годовой отчет": "ru",
    "Общество с ограниченной ответственностью «Ромашка»": "ru",
    "Пётр І и Екатерина ІІ, глава XIX": "ru",  # the numerals are Ukrainian letters
    "Команда \\includegraphics вставляет рисунок, а команда \\caption подпись к нему": "ru",
    "Annual report of the company": "en",
    "Total net sales 1,234 5,678": "en",
    "NVIDIA Corporation": "en",
    "The café of the naïve coöperative was full": "en",
    "": "other",
    "1 234,5 + 17 %": "other",
}


@pytest.mark.parametrize(("text", "language"), SENTENCES.items())
def test_languages(text, language):
    assert language_of(text) == language


def test_one_ukrainian_letter_is_enough():
    russian = "Отчёт о работе комиссии за 2019 год и о том, что было сделано. " * 20
    assert language_of(russian) == "ru"
    assert language_of(russian + "Київ") == "other"


def test_ukrainian_read_by_russian_and_english_ocr_is_not_russian():
    assert language_of("Звiт про якicть пiдручникiв та навчальних планiв") == "other"


def test_names_in_latin_letters_leave_a_russian_page_russian():
    names = ", ".join(
        f"{first} {last}" for first in ("Donald", "Leslie", "Frank") for last in ("Knuth", "Lamport")
    )
    assert language_of(f"Я благодарю за помощь: {names}.") == "ru"


def test_an_english_page_with_letters_misread_by_ocr_stays_english():
    assert language_of("The committee read the report of the year ТНЕ УЕАК and of the next one") == "en"


def test_what_ocr_makes_of_an_unknown_script_is_no_language():
    assert language_of("ЪжщЙ тПрСт мНк ьЬЪ шщЖр кПлР и по") == "other"
    assert language_of("MHHo6pHayKH PoccHH pearrH3aU:HIO Mep rocy.n;apcTBeHHOH noMep)I(KI1") == "other"


def test_words_with_mixed_scripts_are_flagged_and_no_evidence():
    assert doubtful_words("Порт USB и порт UЅВ, кабель О5В, ГОСТ 2.105, СНиП 2001, тест1, А4, B2B") == (
        "UЅВ",
        "О5В",
    )
    assert language_of("мaшинa тeкcт cлoвo") == "other"  # every word has Latin a, e, c or o
    assert not is_doubtful("14Y26")


def test_words_join_what_a_line_broke_and_part_at_hyphens():
    assert list(words("объек-\nтов PDF-файл don’t 3,5")) == ["объектов", "PDF", "файл", "don’t", "3", "5"]


def test_decomposed_letters_are_letters():
    assert list(words("мои\u0306")) == ["мой"]
    assert language_of("Мои\u0306 отчёт и твои\u0306") == "ru"


def test_white_space_is_not_counted():
    assert characters(" a\u00a0б\u202f1\n\t,") == 4


def test_scans_in_other_languages_are_not_russian_when_read_as_russian():
    # What Tesseract makes of Ukrainian, Kazakh and Serbian with its data for Russian and English.
    assert language_of("Беручи до уваги, що визнання г!дност!, яка властива вс!м членам людсько!") == "other"
    assert language_of("Адамзат кауымынын барлык мушелер!не тэн кад!р-касиейн жэне олардын") == "other"
    assert language_of("Пошто je признаваъе урофеног досто]анства и ]феднаких и неотуфивих права") == "other"
