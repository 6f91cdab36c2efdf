import pytest

from dataset_builders.licences import creative_commons, spdx_of
from dataset_builders.publishing.licensing import read_licence


@pytest.mark.parametrize(
    ("written", "identifier"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("cc-by-nc-sa-3.0", "CC-BY-NC-SA-3.0"),
        ("CC BY-NC-ND", "LicenseRef-CC-BY-NC-ND"),
        ("https://creativecommons.org/licenses/by-nd/4.0/deed.ru", "CC-BY-ND-4.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("CC0", "CC0-1.0"),
        ("общественное  достояние", "LicenseRef-Public-Domain"),
        ("GPL-2.0-or-later", "GPL-2.0-or-later"),
        ("LPPL-1.3c", "LPPL-1.3c"),
        ("MIT", "MIT"),
        ("NONE", "NONE"),
        ("LicenseRef-Own-Terms", "LicenseRef-Own-Terms"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", None),
        ("free for all", None),
        ("by", None),
        ("", None),
    ],
)
def test_licences_as_people_write_them(written, identifier):
    assert spdx_of(written) == identifier


def test_terms_stand_in_spdxs_order_and_what_forbids_more_wins():
    assert creative_commons(["sa", "nc"], "4.0") == "CC-BY-NC-SA-4.0"
    assert creative_commons(["SA", "ND"], "3.0") == "CC-BY-ND-3.0"


def test_a_licence_without_a_version_is_taken_as_the_first():
    found = read_licence("LicenseRef-CC-BY-NC-SA")
    assert found.terms == {"attribution", "non-commercial", "share-alike"}
    assert found.alike == read_licence("CC-BY-NC-SA-1.0").alike
    assert read_licence("CC-BY-NC-SA") is None
    assert read_licence("LicenseRef-CC-BY-4.0") is None
