"""What a page must say so that its document may be used, in two languages and after line breaks and OCR."""

import pytest

from dataset_builders.bear_bench.evidence import declarations
from dataset_builders.licences import (
    CREATIVE_COMMONS,
    OPEN_LICENCE,
    PUBLIC_DOMAIN,
    SEC_FILING,
    US_GOVERNMENT,
)


def found(text):
    return [(one.licence, one.declared) for one in declarations(text)]


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (
            "This work is licensed under a Creative Commons Attribution 4.0 International License.",
            "CC-BY-4.0",
        ),
        (
            "licensed on a Creative Com-\nmons Attribution-Non-\nCommercial-ShareAlike 3.0 License",
            "CC-BY-NC-SA-3.0",
        ),
        ("licensed under a Creative\x02Commons Attribution-NoDerivs 2.5 licence", "CC-BY-ND-2.5"),
        ("Licensed under https://creativecommons.org/licenses/by-nc-\nnd/4.0/", "CC-BY-NC-ND-4.0"),
        ("licensed: creativecommons.org/licenses/by-sa/2.0/de/", "CC-BY-SA-2.0"),
        ("This article is open access under CC BY", "LicenseRef-CC-BY"),
        ("This work is licensed under CC-BY-SA 4.0", "CC-BY-SA-4.0"),
        ("The text is available under CC0", "CC0-1.0"),
        ("This work is licensed under Creative Commons Zero 1.0", "CC0-1.0"),
        ("Статья распространяется на условиях лицензии Creative\nCommons Attribution 4.0", "CC-BY-4.0"),
        ("Статья доступна по лицензии Creative Commons «Attribution-NonCommercial» 4.0", "CC-BY-NC-4.0"),
        (
            "По лицензии Creative Commons С указанием авторства — Без производных 4.0 Всемирная",
            "CC-BY-ND-4.0",
        ),
        (
            "Лицензия Creative Commons: Атрибуция — Некоммерческое использование —\nНа тех же условиях 3.0",
            "CC-BY-NC-SA-3.0",
        ),
        ("лицензия Creative Commons", CREATIVE_COMMONS),
        # Letters of the other alphabet, digits for letters, rn for m, as OCR reads them.
        ("licensed under a Creatlve Cornmons Attributlon 4.O License", "CC-BY-4.0"),
        ("Контент доступен по лицензии СС ВY-SА 3,0", "CC-BY-SA-3.0"),
        ("Лицензия Сrеаtivе Соmmоns Аttributiоn 4.0", "CC-BY-4.0"),
        ("licensed under a Creative Cmmons Attribution 4.0 License", "CC-BY-4.0"),
    ],
)
def test_creative_commons_is_read_with_kind_and_version(text, licence):
    assert found(text)[0] == (licence, True)


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("Commission File Number: 001-36743", SEC_FILING),
        ("Commission file number: 0-23985", SEC_FILING),
        ("(Commission File No.) 1-\n9876", SEC_FILING),
        ("Registration Statement No. 333-123456", SEC_FILING),
        ("UNITED STATES\r\nSECURITIES AND EXCHANGE COMMISSION\r\nWashington, D.C. 20549", SEC_FILING),
        ("UNITED STATES SECUR1TIES AND EXCHANGE COMM1SSION Washington", SEC_FILING),
        ("This is a work of the U.S.\nGovernment.", US_GOVERNMENT),
        ("not subject to copyright under 17 U.S.C. § 105", US_GOVERNMENT),
        ("This document is in the public domain and may be copied.", PUBLIC_DOMAIN),
        ("This report is not subject to copyright protection in the United States.", PUBLIC_DOMAIN),
        ("Данное произведение находится в общественном достоянии.", PUBLIC_DOMAIN),
        ("Документ является о6щественным дос-\nтоянием", PUBLIC_DOMAIN),
        ("Лицензия: общественное достояние", PUBLIC_DOMAIN),
        ("Настоящие материалы не являются объектами авторских прав", PUBLIC_DOMAIN),
        ("Текст распространяется под сво-\nбодной лицензией.", OPEN_LICENCE),
        ("Отчёт опубликован на условиях открытой\nлицензии", OPEN_LICENCE),
        (
            "This document is free; you can redistribute it under the terms of the GNU General\nPublic "
            "License; either version 2 of the License, or (at your option) any later version.",
            "GPL-2.0-or-later",
        ),
        (
            "Permission is granted to copy this manual under the terms of the GNU Free Documentation "
            "License, Version 1.3 or any later version",
            "GFDL-1.3-or-later",
        ),
        ("Это руководство распространяется на условиях LaTeX Project Public License", "LPPL-1.3c"),
    ],
)
def test_other_grounds_are_found(text, licence):
    assert (licence, True) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "All rights reserved.",
        "Photo by A. Smith, CC BY 2.0",
        "Фото: А. Иванов, лицензия CC BY-SA 3.0",
        "We use Creative Commons images of a public collection.",
        "This work is not licensed under Creative Commons Attribution 4.0",
        "sent in cc by the author",
        "access 0 and account 0",
        "see our Annual Report on Form 10-K filed with the Securities and Exchange Commission",
        "registration number 94-2404110",
        "This is not a work of the United States Government.",
        "This paper tells how texts of the public domain software were counted.",
        "This document is not in the public domain.",
        "По истечении срока произведение переходит в общественное достояние (статья 1282).",
        "Программа использует библиотеку под лицензией GNU General Public License.",
        "Лицензия на осуществление образовательной деятельности № 1234",
        "",
    ],
)
def test_what_only_speaks_of_licences_is_no_evidence(text):
    assert found(text) == []


def test_a_licence_named_alone_comes_after_one_that_the_page_declares():
    text = "© Иванов И. И., 2020. CC BY-NC 4.0. " + "Текст. " * 40 + "Статья доступна по лицензии CC BY 4.0"
    assert found(text) == [("CC-BY-4.0", True), ("CC-BY-NC-4.0", False)]


def test_the_evidence_is_the_sentence_on_one_line():
    text = "An earlier one. This work is licensed\nunder a Creative Com-\nmons Attribution 4.0 License. More."
    (one,) = declarations(text)
    assert one.evidence == "This work is licensed under a Creative Com- mons Attribution 4.0 License."
