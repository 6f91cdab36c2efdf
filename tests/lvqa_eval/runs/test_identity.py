"""What makes two runs the same run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.runs.identity import GROWING, IdentityChangedError, RunIdentity, check_same, differences
from lvqa_eval.statuses import Status

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["1e-5", "2026-01-31", "on", "a\u0085 b", "\u2028", "0x1f", "12:30:00", "~", "'", '"'])
)
nested = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6) | st.just("\x85"), inner, max_size=3)
    ),
    max_leaves=8,
)
mappings = st.dictionaries(st.text(max_size=8), nested, max_size=4)


@settings(deadline=None)
@given(mappings)
def test_settings_come_back_from_the_file(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("identity") / "run.yaml"
    identity = RunIdentity(values)
    identity.write(path)
    back = RunIdentity.read(path)
    assert back.settings == identity.settings
    assert back == identity
    assert back.digest() == identity.digest()
    assert differences(identity, back) == []
    assert [one.name for one in path.parent.iterdir()] == ["run.yaml"]


@settings(deadline=None)
@given(mappings, mappings)
def test_identities_are_equal_exactly_where_nothing_differs(one, other):
    ours, theirs = RunIdentity(one), RunIdentity(other)
    assert (ours == theirs) == (not differences(ours, theirs))


def test_the_digest_is_the_start_of_the_sha_256_of_canonical_json():
    # sha256sum of the seven bytes {"a":1}
    assert RunIdentity({"a": 1}).digest() == "015abd7f"


def test_the_order_of_keys_and_the_spelling_of_whole_numbers_do_not_count():
    one = RunIdentity({"b": {"x": 1.0, "y": (1, 2)}, "a": Status.OK})
    other = RunIdentity({"a": "ok", "b": {"y": [1, 2], "x": 1}})
    assert one == other
    assert one.digest() == other.digest()
    assert hash(one) == hash(other)


def test_every_difference_is_one_line_with_its_place():
    old = RunIdentity(
        {
            "model": "m",
            "sampling": {"temperature": 1.0, "seed": 7},
            "conditions": ["full", "oracle"],
            "thinking": True,
            "old": {"x": 1},
        }
    )
    new = RunIdentity(
        {
            "model": "m",
            "sampling": {"temperature": 0.6, "seed": 7, "top_k": None},
            "conditions": ["full"],
            "thinking": 1,
        }
    )
    assert differences(old, new) == [
        "sampling.temperature: this run has 1.0, asked for 0.6",
        "sampling.top_k: this run has nothing, asked for null",
        'conditions: this run has ["full","oracle"], asked for ["full"]',
        "thinking: this run has true, asked for 1",
        'old: this run has {"x":1}, asked for nothing',
    ]


def test_a_change_is_refused_with_the_file_and_the_differences(tmp_path):
    path = tmp_path / "run.yaml"
    check_same(path, RunIdentity({"a": 1}), RunIdentity({"a": 1}))
    with pytest.raises(IdentityChangedError) as refused:
        check_same(path, RunIdentity({"a": 1, "b": "x"}), RunIdentity({"a": 2, "b": "y"}))
    assert refused.value.differences == [
        "a: this run has 1, asked for 2",
        'b: this run has "x", asked for "y"',
    ]
    assert str(refused.value) == (
        f"{path}: made with other settings; use these again, or another name or folder:\n"
        '  a: this run has 1, asked for 2\n  b: this run has "x", asked for "y"'
    )


def test_parts_may_be_added_to_a_setting_that_grows_and_nothing_else(tmp_path):
    path = tmp_path / "run.yaml"
    plain, one = RunIdentity({"runs": 3}), RunIdentity({"runs": 3, "baselines": {"a": "x"}})
    two = RunIdentity({"runs": 3, "baselines": {"a": "x", "b": "y"}})
    for old, new in ((plain, one), (one, two), (plain, two), (two, two)):
        check_same(path, old, new, GROWING)
    with pytest.raises(IdentityChangedError) as removed:
        check_same(path, two, one, GROWING)
    assert removed.value.differences == ['baselines.b: this run has "y", asked for nothing']
    other = RunIdentity({"runs": 3, "baselines": {"a": "z"}})
    assert differences(one, other, GROWING) == ['baselines.a: this run has "x", asked for "z"']
    assert differences(plain, one) == ['baselines: this run has nothing, asked for {"a":"x"}']


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": {"b": float("nan")}}, r"^a\.b: found nan, allowed: "),
        ({"a": [1, float("inf")]}, r"^a\[1\]: found inf, allowed: "),
        ({"a": {3: "x"}}, "^a: found the key 3, allowed: text"),
        ({"a": {1, 2}}, r"^a: found \{1, 2\}, allowed: "),
        ({"a": 2**70}, "^a: found 1180591620717411303424, allowed: "),
        ({"a": "\ud800"}, "^a: found "),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(values, message):
    with pytest.raises(ValueError, match=message):
        RunIdentity(values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", "run.yaml: not readable as YAML"),
        ("- 1", "run.yaml: found list, allowed: a mapping of settings"),
        ("", "run.yaml: found NoneType, allowed: a mapping of settings"),
        ("a: 2026-01-31", r"run.yaml: a: found datetime.date\(2026, 1, 31\), allowed: "),
    ],
)
def test_a_file_that_is_no_mapping_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        RunIdentity.read(path)
