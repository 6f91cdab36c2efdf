"""Labels on disk: kept at once, one writer a person, undone to the beginning."""

import pytest

from lvqa_eval.judging.audit.items import AuditError
from lvqa_eval.judging.audit.labels import (
    Label,
    LabelFile,
    LabelRecord,
    disputed,
    given,
    read_adjudicated,
    read_labels,
)
from lvqa_eval.runs.lines import LogInUseError

ITEMS = ["0001", "0002", "0003"]


def opened(folder, by="ann", **options):
    return LabelFile.open(folder, by, ITEMS, **options)


def kept(folder, by="ann"):
    return (folder / "labels" / f"{by}.jsonl").read_text().splitlines()


def test_a_label_stands_in_the_file_before_anything_else_happens(tmp_path):
    with opened(tmp_path) as file:
        file.set("0002", Label.RIGHT, "plain")
        assert kept(tmp_path) == ['{"item":"0002","by":"ann","label":"right","note":"plain","undo":false}']
        file.set("0002", Label.RIGHT, "plain")
        assert len(kept(tmp_path)) == 1
        file.set("0002", Label.WRONG, "")
    labels = read_labels(tmp_path, ITEMS)
    assert {name: given(own) for name, own in labels.items()} == {"ann": {"0002": Label.WRONG}}


def test_undo_goes_back_step_by_step_also_after_a_restart(tmp_path):
    with opened(tmp_path) as file:
        file.set("0001", Label.RIGHT, "")
        file.set("0002", Label.WRONG, "a note")
        file.set("0001", Label.CANNOT_TELL, "")
        assert file.undo() == "0001"
        assert given(file.standing) == {"0001": Label.RIGHT, "0002": Label.WRONG}
    with opened(tmp_path) as file:
        assert [file.undo() for _ in range(3)] == ["0002", "0001", None]
        assert given(file.standing) == {}
        file.set("0003", Label.RIGHT, "")
        assert file.undo() == "0003"
    lines = kept(tmp_path)
    assert len(lines) == 8
    assert sum('"undo":true' in line for line in lines) == 4


def test_a_note_without_a_label_is_no_label(tmp_path):
    with opened(tmp_path) as file:
        file.set("0001", None, "look again")
        assert given(file.standing) == {}
        assert file.standing["0001"].note == "look again"


def test_a_line_torn_by_a_kill_is_cut_off_and_nothing_else_is_lost(tmp_path):
    with opened(tmp_path) as file:
        file.set("0001", Label.RIGHT, "")
    path = tmp_path / "labels" / "ann.jsonl"
    path.write_bytes(path.read_bytes() + b'{"item":"0002","by":"an')
    assert given(read_labels(tmp_path, ITEMS)["ann"]) == {"0001": Label.RIGHT}
    with opened(tmp_path) as file:
        file.set("0002", Label.WRONG, "")
    assert given(read_labels(tmp_path, ITEMS)["ann"]) == {"0001": Label.RIGHT, "0002": Label.WRONG}


def test_a_second_page_of_one_person_is_refused_and_another_person_is_not(tmp_path):
    with opened(tmp_path):
        with pytest.raises(LogInUseError, match=r"ann\.jsonl: another page writes here; close it"):
            opened(tmp_path)
        with opened(tmp_path, "bo") as file:
            file.set("0001", Label.RIGHT, "")


@pytest.mark.parametrize("name", ["", "../ann", "a/b", ".ann", "adjudicated", "Аня", "a" * 101])
def test_names_that_cannot_be_files_are_refused(tmp_path, name):
    with pytest.raises(AuditError, match=r"--annotator: found .* allowed: up to 100 Latin letters"):
        opened(tmp_path, name)
    assert not (tmp_path / "labels").exists()


def test_a_third_person_adjudicates_under_a_name_of_their_own(tmp_path):
    with opened(tmp_path) as file:
        file.set("0001", Label.RIGHT, "")
    with pytest.raises(AuditError, match="found 'ann', who is an annotator; a third person adjudicates"):
        opened(tmp_path, adjudicate=True)
    assert read_adjudicated(tmp_path, ITEMS) == {}
    with opened(tmp_path, "cara", adjudicate=True) as file:
        file.set("0001", Label.WRONG, "")
    assert read_adjudicated(tmp_path, ITEMS) == {"0001": LabelRecord("0001", "cara", Label.WRONG)}
    assert list(read_labels(tmp_path, ITEMS)) == ["ann"]


def test_every_damaged_or_unknown_line_is_named_at_once(tmp_path):
    with opened(tmp_path) as file:
        file.set("0001", Label.RIGHT, "")
    path = tmp_path / "labels" / "ann.jsonl"
    path.write_text(
        '{"item":"0009","by":"ann","label":"right"}\n{"item":"0001","by":"ann","label":"maybe"}\nnot JSON\n'
        + path.read_text()
    )
    with pytest.raises(AuditError) as found:
        read_labels(tmp_path, ITEMS)
    first, second, third = str(found.value).splitlines()
    assert first.startswith(f"{path}: line 2: refused: label: Invalid enum value 'maybe'")
    assert second.startswith(f"{path}: line 3: damaged: found b'not JSON'")
    assert third == f"{path}: labels of items that the audit does not have: 0009"


def said(item, **labels):
    return {by: {item: LabelRecord(item, by, label)} for by, label in labels.items()}


@pytest.mark.parametrize(
    ("labels", "needed"),
    [
        ({"ann": Label.RIGHT, "bo": Label.RIGHT}, False),
        ({"ann": Label.RIGHT, "bo": Label.WRONG}, True),
        ({"ann": Label.CANNOT_TELL, "bo": Label.CANNOT_TELL}, True),
        ({"ann": Label.CANNOT_TELL, "bo": Label.WRONG}, True),
        ({"ann": Label.CANNOT_TELL}, False),
        ({"ann": Label.RIGHT, "bo": None}, False),
        ({"ann": Label.RIGHT, "bo": Label.RIGHT, "eve": Label.WRONG}, True),
    ],
)
def test_what_needs_a_third_person(labels, needed):
    found = disputed(ITEMS, said("0002", **labels))
    assert list(found) == (["0002"] if needed else [])
    assert all([one.by for one in records] == list(labels) for records in found.values())
