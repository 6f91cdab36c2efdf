import pytest

from dataset_builders.publishing.licensing import covering, hub_identifier, licensing, read_licence

BY = "CC-BY-4.0"


@pytest.mark.parametrize(
    ("spdx", "terms"),
    [
        ("CC0-1.0", set()),
        ("MIT", {"attribution"}),
        ("CC-BY-2.0", {"attribution"}),
        ("CC-BY-SA-3.0-DE", {"attribution", "share-alike"}),
        ("CC-BY-NC-4.0", {"attribution", "non-commercial"}),
        ("CC-BY-NC-SA-2.0", {"attribution", "non-commercial", "share-alike"}),
        ("CC-BY-NC-ND-2.5", {"attribution", "non-commercial", "no-derivatives"}),
        ("GPL-3.0-only", {"attribution", "share-alike", "editable source"}),
        ("LicenseRef-No-known-copyright-restrictions", set()),
    ],
)
def test_what_a_licence_asks_for(spdx, terms):
    assert read_licence(spdx).terms == terms


@pytest.mark.parametrize(
    "spdx", ["NOASSERTION", "CC-BY", "CC-BY-SA-ND-4.0", "cc-by-4.0", "MIT OR CC0-1.0", ""]
)
def test_what_is_not_known(spdx):
    assert read_licence(spdx) is None


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["CC0-1.0", BY], BY),
        (["MIT", BY], BY),
        (["CC-BY-2.0", BY], BY),
        (["CC-BY-SA-2.0", BY], "CC-BY-SA-2.0"),
        (["CC-BY-SA-2.0", "CC-BY-SA-4.0"], "CC-BY-SA-4.0"),
        (["CC-BY-NC-2.0", "CC-BY-NC-SA-4.0", BY], "CC-BY-NC-SA-4.0"),
        (["GPL-3.0-only", BY], "GPL-3.0-only"),
        (["CC0-1.0", "LicenseRef-United-States-Government-Work"], "CC0-1.0"),
        # Work changed from a share-alike one has to stay free for commerce, and the other forbids that.
        (["CC-BY-SA-4.0", "CC-BY-NC-4.0"], None),
        (["CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"], None),
        (["GPL-3.0-only", "CC-BY-NC-4.0"], None),
        (["GPL-2.0-only", "GPL-3.0-only"], None),
        # Version 1.0 allows no later version.
        (["CC-BY-SA-1.0", "CC-BY-SA-4.0"], None),
    ],
)
def test_one_licence_for_a_work_of_several(parts, whole):
    for order in (parts, parts[::-1]):
        found = covering([read_licence(part) for part in order])
        assert (found.spdx if found else None) == whole


def test_scenes_of_one_licence_with_annotations():
    found = licensing({"s1": "CC-BY-NC-SA-4.0", "s2": "CC-BY-NC-SA-4.0"}, BY)
    assert (found.whole, found.problems) == ("CC-BY-NC-SA-4.0", [])
    assert found.terms == ("attribution", "non-commercial", "share-alike")


def test_scenes_keep_their_own_licences_where_none_covers_all():
    found = licensing({"s1": "CC-BY-SA-2.0", "s2": "CC-BY-NC-SA-2.0", "s3": "CC0-1.0"}, BY)
    assert (found.whole, found.problems) == ("other", [])
    assert found.terms == ("attribution", "non-commercial", "share-alike")


def test_a_clash_within_a_scene_names_scenes_and_licences():
    found = licensing({"s1": "CC-BY-NC-SA-4.0 AND CC-BY-SA-2.0", "s2": "CC0-1.0"}, BY)
    assert found.problems == [
        "scene s1: licence: CC-BY-4.0 and CC-BY-NC-SA-4.0 and CC-BY-SA-2.0 clash: "
        "neither covers scene, layers and annotations together"
    ]


def test_no_derivatives_are_refused_beside_others_and_alone():
    found = licensing({"s1": "CC-BY-NC-SA-4.0 AND CC-BY-ND-2.0", "s2": "CC-BY-ND-2.0"}, BY)
    told = "CC-BY-ND-2.0 allows no changed forms; layers and shards are changed forms"
    assert found.problems[0] == f"scene s1: licence: {told}"
    assert f"scene s2: licence: {told}" in found.problems


def test_unknown_terms_are_refused_unless_allowed():
    scenes = {f"s{i}": "NOASSERTION" for i in range(5)} | {"t": BY}
    told = "scenes s0, s1, s2 and 2 more: licence: found NOASSERTION, whose terms are not known"
    assert licensing(scenes, BY).problems == [f"{told}; --allow-unknown-licence publishes it all the same"]
    allowed = licensing(scenes, BY, allow_unknown=True)
    assert (allowed.problems, allowed.notes, allowed.whole) == ([], [told], "other")


def test_pictures_under_the_gpl_are_named():
    found = licensing({"s1": "GPL-3.0-or-later", "s2": "CC0-1.0"}, BY)
    assert found.problems == []
    assert found.whole == "GPL-3.0-or-later"
    assert found.notes == ["scene s1: licence: GPL-3.0-or-later: the editable layers go with it"]


def test_annotations_count_as_well():
    assert licensing({"s1": "CC-BY-SA-4.0"}, "CC-BY-NC-SA-4.0").problems != []
    assert licensing({"s1": "CC0-1.0"}, "CC-BY-NC-4.0").whole == "CC-BY-NC-4.0"


def test_the_hubs_words():
    names = ["CC-BY-NC-SA-4.0", "GPL-3.0-only", "GPL-2.0-or-later", "ODbL-1.0", "ODC-By-1.0", "other"]
    words = ["cc-by-nc-sa-4.0", "gpl-3.0", "gpl-2.0", "odbl", "odc-by", "other"]
    assert [*map(hub_identifier, names)] == words
