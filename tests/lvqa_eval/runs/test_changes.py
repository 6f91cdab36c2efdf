from lvqa_eval.runs.changes import changes, data_changes, listed, revision_changes

DIGEST = "a" * 64


def data(**changed):
    return {"dataset": {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": DIGEST, **changed}}


def told(found):
    return list(map(str, found))


def test_leaves_that_differ():
    a = {"x": {"y": 1, "z": [1, 2]}, "gone": None, "same": 2}
    b = {"x": {"y": True, "z": [1, 3]}, "same": 2.0, "new": {"k": "v"}}
    assert told(changes({"A": a, "B": b})) == [
        "x.y: A has 1, B has True",
        "x.z: A has 1, 2, B has 1, 3",
        "new: A has nothing, B has {k: v}",
    ]


def test_runs_that_have_the_same_are_told_together():
    found = list(changes({name: {"t": 1.0} for name in "abc"} | {"d": {"t": 0.6}}, "sampling."))
    assert told(found) == ["sampling.t: a, b and c have 1.0, d has 0.6"]
    assert found[0].found == {"a": "1.0", "b": "1.0", "c": "1.0", "d": "0.6"}
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"


def test_a_mapping_in_some_runs_alone_is_one_setting():
    assert told(changes({"a": {"user": {"name": "llm"}}, "b": {"user": None}, "c": {}})) == [
        "user: a has {name: llm}, b and c have nothing"
    ]


def test_the_hash_of_the_manifest_says_what_the_data_are():
    runs = {"a": data(revision="c0ffee", condition_options={"seed": 1}), "b": data()}
    assert data_changes(runs) == []
    assert told(revision_changes(runs)) == ["dataset.revision: a has c0ffee, b has nothing"]


def test_without_that_hash_the_commits_must_be_the_same():
    runs = {"a": data(revision="c0ffee", manifest_sha256=None), "b": data(revision="dec0de")}
    assert told(data_changes(runs)) == [
        f"dataset.manifest_sha256: a has nothing, b has {DIGEST}",
        "dataset.revision: a has c0ffee, b has dec0de",
    ]
    assert revision_changes(runs) == []


def test_datasets_by_name_alone():
    assert told(data_changes({"a": {"dataset": "one"}, "b": {"dataset": "other"}})) == [
        "dataset: a has one, b has other"
    ]
    assert data_changes({"a": {}, "b": {"dataset": None}}) == []
