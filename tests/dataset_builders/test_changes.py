from dataset_builders.changes import Change, changes, option_changes, shortened


def test_records_are_compared_field_by_field_and_lists_whole():
    old = {"a": 1, "b": {"c": [1, 2], "d": True}, "gone": None}
    new = {"a": 1, "b": {"c": [1, 3], "d": True}, "come": "x"}
    found = changes(old, new)
    assert [str(one) for one in found] == [
        "b.c: [1, 2] -> [1, 3]",
        "come: nothing -> 'x'",
        "gone: None -> nothing",
    ]
    assert found[0] == Change("b.c", [1, 2], [1, 3])
    assert changes(old, old) == []


def test_version_counts_and_files_are_no_options():
    old = {"version": "1.0.0", "counts": {"scenes": 1}, "files": {"a": "1"}, "condition_options": {"seed": 0}}
    new = {"version": "2.0.0", "counts": {"scenes": 2}, "files": {"a": "2"}, "condition_options": {"seed": 1}}
    assert option_changes(old, new) == [Change("condition_options.seed", 0, 1)]


def test_long_values_are_cut_in_the_middle():
    assert shortened("x" * 58) == repr("x" * 58)
    short = shortened("a" + "x" * 100 + "z")
    assert len(short) == 59
    assert short.startswith("'ax")
    assert "..." in short
    assert short.endswith("xz'")
