"""Items on which models agree while the judge calls every answer wrong, and what people decide of them."""

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench import finish
from dataset_builders.bear_bench.decisions import COLUMNS, FORM, read_decisions, settle
from dataset_builders.bear_bench.forms import FormError, read_form, write_form
from dataset_builders.bear_bench.quality import Flag, Given, QualityError, flagged, run
from dataset_builders.bear_bench.records import Item
from lvqa_eval.judging.audit.items import AuditError
from lvqa_eval.main import main
from lvqa_eval.pages import open_pages
from lvqa_eval.statuses import Status
from tests.support.answered_pages import answered_run
from tests.support.bear_work import bear_work
from tests.support.page_studies import page


def given(*answers, right=False):
    """Return one answer a model, all with this ruling; (answer, ruling) for one of its own."""
    pairs = [one if isinstance(one, tuple) else (one, right) for one in answers]
    return [Given(f"m{place}", answer, ruled) for place, (answer, ruled) in enumerate(pairs)]


@pytest.mark.parametrize(
    "answers",
    [
        ("48", "48", "48"),
        ("Forty  TWO units.", "forty two units", "«forty two units»", "7"),
        ("So it adds up.\nAnswer: 48", "**48**", "The answer is 48.", "49"),
        ("1,234", "1234", "1 234"),
        ("five", "5", "Five."),
    ],
)
def test_three_of_the_same_answer_make_a_flag(answers):
    found = flagged(page("q1"), given(*answers))
    assert len(found.models) == 3
    assert len(found.others) == len(answers) - 3


@pytest.mark.parametrize(
    "answers",
    [
        ("48", "48", "49"),
        ("48", "48", "48", ("42", True)),
        (("48", True), "48", "48"),
        ("48", "48", ("48", None)),
        ("мой", "мои", "мой"),
        (),
    ],
    ids=["two", "one is right", "the same is right", "one is not ruled on", "different letters", "none"],
)
def test_less_than_that_makes_none(answers):
    asked = page("q1", language="ru") if "мой" in answers else page("q1")
    assert flagged(asked, given(*answers)) is None


def test_yo_and_case_do_not_part_russian_answers():
    found = flagged(page("q1", language="ru"), given("Пётр", "петр.", "ПЁТР"))
    assert found.answer == "Пётр"


def test_a_flag_has_the_answer_as_it_was_declared_and_the_others():
    found = flagged(
        page("q1", question="How many?", answer="42"), given("Let us see.\nAnswer: 48", "48", "7", "48.", "8")
    )
    assert found == Flag(
        page_id="q1",
        question="How many?",
        reference="42",
        answer="48",
        models=("m0", "m1", "m3"),
        others=("7", "8"),
    )


def test_how_many_must_agree_is_a_choice():
    assert flagged(page("q1"), given("1", "1"), least=2) is not None
    assert flagged(page("q1"), given("1", "1", "1"), least=4) is None


ITEMS = ("folder-report-p0001", "folder-report-p0002", "folder-report-p0003")


@pytest.fixture
def work(tmp_path):
    return bear_work(tmp_path / "work", cells={"report": ("business", "en")})


def asked_about(work):
    items = {one.page_id: one for one in work.read("items", Item, "annotate")}
    return [page(name, question=one.question, answer=one.answer) for name, one in items.items()]


def runs_over(work, folder, *answers):
    """Write a run for each of `answers`: page -> (reply, right)."""
    return [
        answered_run(
            folder / f"run{place}", f"org/m{place}", asked_about(work), dict(zip(ITEMS, own, strict=True))
        )
        for place, own in enumerate(answers)
    ]


WRONG, RIGHT = ("99", False), ("2", True)


@pytest.fixture
def runs(work, tmp_path):
    """Three runs: on the first page all say 99, on the second one is right, on the third one was cut off."""
    return runs_over(
        work,
        tmp_path / "runs",
        (WRONG, WRONG, WRONG),
        (WRONG, RIGHT, WRONG),
        (("99.", False), WRONG, (Status.TRUNCATED, False)),
    )


def fill(work, *decisions):
    """Write decisions into the form, one a row: what differs from the row that stands there."""
    rows = [dict(line.cells) for line in read_form(work.folder / FORM, COLUMNS)]
    filled = [row | decided for row, decided in zip(rows, decisions, strict=True)]
    write_form(work.folder / FORM, COLUMNS, filled)


KEPT = {"decision": "keep", "decided_by": "ann"}
CORRECTED = {"decision": "Correct", "new_answer": "99", "decided_by": "ann"}
DROPPED = {"decision": "drop", "decided_by": "ann", "note": "two readings"}


def test_runs_make_flags_and_a_form(work, runs):
    found = run(work, runs)
    assert (found.items, found.models, found.undecided) == (3, ("org/m0", "org/m1", "org/m2"), 1)
    (flag,) = work.read("flags", Flag, "quality")
    assert flag == found.flags[0]
    assert (flag.page_id, flag.reference, flag.answer) == (ITEMS[0], "2", "99")
    (row,) = read_decisions(work)
    assert (row.models, row.picture, row.decision) == (
        "org/m0, org/m1, org/m2",
        f"pages/{ITEMS[0]}.png",
        "",
    )


def test_finish_waits_for_a_person(work, runs, tmp_path):
    run(work, runs)
    with pytest.raises(FormError) as caught:
        finish.run(work, tmp_path / "out", "1.0.0")
    assert str(caught.value).splitlines() == [
        "1 flagged item waits for a person; decisions allowed: keep, correct, drop",
        f"{work.folder / FORM}: {ITEMS[0]}: decision: found nothing in it",
    ]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("decided", "answers", "reasons"),
    [
        (KEPT, ["2", "3", "4"], {}),
        (CORRECTED, ["99", "3", "4"], {}),
        (DROPPED, ["3", "4"], {"flagged": 1}),
    ],
    ids=["keep", "correct", "drop"],
)
def test_finish_follows_what_a_person_decided(work, runs, tmp_path, decided, answers, reasons):
    run(work, runs)
    fill(work, decided)
    finish.run(work, tmp_path / "out", "1.0.0")
    assert [row.answer for row in open_pages(str(tmp_path / "out")).rows()] == answers
    assert work.counts().get("quality", {}) == reasons


def test_a_decision_outlives_further_rounds(work, runs, tmp_path):
    run(work, runs)
    fill(work, CORRECTED)
    assert run(work, runs).undecided == 0
    items = work.read("items", Item, "annotate")
    assert settle(work, items).items[0].answer == "99"
    # The next round is over the corrected set, and flags the correction.
    work.write("items", [items[0].model_copy(update={"answer": "99"}), *items[1:]])
    later = runs_over(work, tmp_path / "later", *[(("2", False), RIGHT, RIGHT)] * 3)
    work.write("items", items)
    assert run(work, later).undecided == 1
    with pytest.raises(FormError, match="1 flagged item waits"):
        settle(work, items)
    fill(work, {}, {"decision": "correct", "new_answer": "2", "decided_by": "bob"})
    assert settle(work, items).items[0].answer == "2"


def test_a_decision_about_words_that_changed_since_says_nothing(work, runs):
    run(work, runs)
    items = work.read("items", Item, "annotate")
    changed = [items[0].model_copy(update={"question": "What is 1 + 98?", "answer": "99"}), *items[1:]]
    assert settle(work, changed).items == tuple(changed)


def test_every_fault_of_the_form_is_told_at_once(work, runs):
    run(work, runs)
    where = f"{work.folder / FORM}: line 2"
    for decided, told in (
        ({"decision": "maybe", "decided_by": "ann"}, f"{where}: decision: found 'maybe', allowed: keep"),
        ({"decision": "keep"}, f"{where}: decided_by: found nothing in it"),
        (
            {"decision": "correct", "decided_by": "ann", "new_answer": ""},
            f"{where}: new_answer: found 'nothing'",
        ),
        ({"decision": "drop", "decided_by": "ann", "new_answer": "5"}, f"{where}: new_answer: found '5'"),
    ):
        fill(work, decided)
        with pytest.raises(FormError) as caught:
            read_decisions(work)
        assert told in str(caught.value)
        (work.folder / FORM).unlink()
        run(work, runs)


def test_without_flags_nothing_is_waited_for(work):
    items = work.read("items", Item, "annotate")
    assert settle(work, items).items == tuple(items)


def test_runs_that_cannot_be_counted_together_are_refused(work, runs, tmp_path):
    twice = answered_run(tmp_path / "twice", "org/m0", asked_about(work), {})
    with pytest.raises(QualityError, match="two runs of org/m0, allowed: one a model; leave twice out"):
        run(work, [*runs, twice])
    other = answered_run(tmp_path / "other", "org/m9", asked_about(work), {}, manifest_sha256="1" * 64)
    with pytest.raises(AuditError, match="different datasets"):
        run(work, [*runs, other])


def test_the_command_tells_where_to_decide(work, runs):
    words = ["build", "bear", "quality", str(work.folder), *map(str, runs)]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    assert ran.output == (
        f"quality: 3 items answered by 3 models, 1 flagged, 1 to be decided in {work.folder / FORM}\n"
    )
    few = CliRunner().invoke(main, words[:5])
    assert few.exit_code == 2
    assert "found 1 runs, needed at least 3" in few.output
