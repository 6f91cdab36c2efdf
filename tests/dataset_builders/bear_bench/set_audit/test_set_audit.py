"""The audit of a finished set: what is drawn, what is shown, how filled forms are scored."""

import json

import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from dataset_builders.bear_bench.audit.aspects import ASPECTS, label_of
from dataset_builders.bear_bench.audit.folder import FORM, PAGE, SHOWN, make_audit
from dataset_builders.bear_bench.audit.sample import draw_pages
from dataset_builders.bear_bench.audit.score import score_audit
from dataset_builders.bear_bench.forms import FormError, read_form, write_form
from lvqa_eval.benchmarks import BEAR_BENCH
from lvqa_eval.judging.audit.items import AuditError, read_keys
from lvqa_eval.judging.audit.labels import Label
from lvqa_eval.main import main
from lvqa_eval.pages import CELLS, open_pages
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.statuses import Status
from tests.support.answered_pages import answered_run
from tests.support.page_folder import SIZES, answer, page_folder, png, question, row

NAMES = [aspect.name for aspect in ASPECTS]


@pytest.fixture
def dataset(tmp_path):
    return page_folder(tmp_path / "bear-bench")


def run_over(dataset, folder, model="org/one", right=True, **answers):
    """Write a run whose model gives the reference everywhere; `answers` has what differs, by page."""
    pages = open_pages(dataset)
    questions = [row.record() for row in BEAR_BENCH.open(dataset).rows("default")]
    said = {name: answers.get(name, (answer(name), right)) for name in SIZES}
    return answered_run(
        folder, model, questions, said, manifest_sha256=pages.manifest_sha256, reasoning="It says the same."
    )


def shown(out):
    return [dict(line.cells) for line in read_form(out / FORM, (*SHOWN, "note"), optional=NAMES)]


def test_pages_of_every_cell_are_shown_with_their_pictures(dataset, tmp_path):
    out = tmp_path / "audit"
    drawn = make_audit(dataset, [], out, per_cell=1)
    assert drawn.drawn == dict.fromkeys(CELLS, 1)
    rows, keys = shown(out), read_keys(out)
    assert [one["item"] for one in rows] == ["0001", "0002", "0003", "0004"]
    assert sorted(one["cell"] for one in rows) == sorted(CELLS)
    for shown_row, key in zip(rows, keys, strict=True):
        assert (key.item, key.group, key.run) == (shown_row["item"], shown_row["cell"], "")
        assert shown_row["asked"] == question(key.question_id)
        assert shown_row["reference"] == answer(key.question_id)
        assert (out / shown_row["picture"]).read_bytes() == png(key.question_id)
        assert key.question_id not in (shown_row["picture"], shown_row["item"])
    # Without runs there is no verdict to look at.
    assert {"ground_truth", "question", "image", "note"} == set(rows[0]) - set(SHOWN)


def test_with_runs_each_page_has_one_models_answer_and_the_verdict(dataset, tmp_path):
    one = run_over(dataset, tmp_path / "one", **{"business-en-1": ("7 units", False)})
    two = run_over(dataset, tmp_path / "two", "org/two")
    out = tmp_path / "audit"
    make_audit(dataset, [one, two], out, per_cell=2)
    rows, keys = shown(out), read_keys(out)
    assert len({key.question_id for key in keys}) == 8
    assert {key.run for key in keys} == {"one", "two"}
    by_page = {key.question_id: (one_row, key) for one_row, key in zip(rows, keys, strict=True)}
    seen, key = by_page["business-en-1"]
    expected = ("7 units", "incorrect") if key.run == "one" else (answer("business-en-1"), "correct")
    assert (seen["answered"], seen["ruled"], seen["because"]) == (*expected, "It says the same.")
    words = (out / FORM).read_text("utf-8-sig") + (out / PAGE).read_text("utf-8")
    assert "org/" not in words


def test_pages_without_an_answer_or_a_ruling_are_not_drawn(dataset, tmp_path):
    left = {"business-en-1": ("x", None), "science-ru-2": (Status.TRUNCATED, False)}
    run = run_over(dataset, tmp_path / "one", **left)
    drawn = make_audit(dataset, [run], tmp_path / "audit", per_cell=2)
    assert drawn.shortfalls == {"business-en": 1, "science-ru": 1}
    assert not {key.question_id for key in read_keys(tmp_path / "audit")} & left.keys()


def test_the_sample_is_the_seeds_and_balanced_whoever_else_is_there():
    rows = list(_many_rows())
    one = draw_pages(rows, {}, 5, 0)
    assert one.drawn == dict.fromkeys(CELLS, 5)
    assert one == draw_pages(rows[::-1], {}, 5, 0)
    assert one != draw_pages(rows, {}, 5, 1)


def _many_rows():
    for name in SIZES:
        for number in range(20):
            yield row(name).model_copy(update={"id": f"{name}-{number}"})


def test_the_same_call_completes_a_folder_and_another_is_refused(dataset, tmp_path):
    out, whole = tmp_path / "audit", tmp_path / "whole"
    make_audit(dataset, [], whole, per_cell=2)
    make_audit(dataset, [], out, per_cell=2)
    (out / PAGE).unlink()
    (out / FORM).unlink()
    make_audit(dataset, [], out, per_cell=2)
    for name in (FORM, "key.jsonl", "audit.yaml"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    with pytest.raises(IdentityChangedError):
        make_audit(dataset, [], out, per_cell=2, seed=1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("mine")
    with pytest.raises(AuditError, match="but other content"):
        make_audit(dataset, [], tmp_path / "other")


def test_a_run_over_another_set_is_refused(dataset, tmp_path):
    other = page_folder(tmp_path / "other", version="2.0.0")
    run = run_over(other, tmp_path / "one")
    with pytest.raises(AuditError, match="one: a run over another dataset, or version of it"):
        make_audit(dataset, [run], tmp_path / "audit")


def test_what_models_wrote_cannot_run_in_the_page(dataset, tmp_path):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    run = run_over(dataset, tmp_path / "one", **dict.fromkeys(SIZES, (evil, True)))
    make_audit(dataset, [run], tmp_path / "audit", per_cell=1)
    page = (tmp_path / "audit" / PAGE).read_text("utf-8")
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("yes", Label.RIGHT),
        (" ДА ", Label.RIGHT),
        ("No", Label.WRONG),
        ("нет", Label.WRONG),
        ("cannot  tell", Label.CANNOT_TELL),
        ("?", Label.CANNOT_TELL),
        ("maybe", None),
        ("", None),
    ],
)
def test_answers_in_both_languages(text, label):
    assert label_of(text) is label


@pytest.fixture
def audit(dataset, tmp_path):
    """Draw all eight pages with answers."""
    run = run_over(dataset, tmp_path / "run")
    make_audit(dataset, [run], tmp_path / "audit", per_cell=2)
    return tmp_path / "audit"


def filled(audit, name, **aspects):
    """Write a filled form: aspect -> what is said of the items in their order."""
    path = audit.parent / f"{name}.csv"
    items = [key.item for key in read_keys(audit)]
    rows = [
        {"item": item, **{aspect: said[place] for aspect, said in aspects.items()}}
        for place, item in enumerate(items)
    ]
    write_form(path, ("item", *aspects), rows)
    return path


def test_one_persons_form_by_hand(audit):
    ann = filled(audit, "ann", ground_truth=["yes"] * 6 + ["no", "?"], image=["да"] * 7 + [""])
    truth, image = score_audit(audit, [ann])
    assert (truth.name, truth.acceptable.n, truth.open, truth.missing) == ("ground_truth", 7, 1, 0)
    low, high = binomtest(6, 7).proportion_ci(0.95, method="wilson")
    assert truth.acceptable.value == pytest.approx(6 / 7)
    assert (truth.acceptable.low, truth.acceptable.high) == pytest.approx((low, high))
    assert (image.acceptable.n, image.acceptable.value, image.missing) == (7, 1.0, 1)
    cells = [key.group for key in read_keys(audit)]
    said = [1, 1, 1, 1, 1, 1, 0, None]
    for cell, share in truth.cells.items():
        own = [one for one, where in zip(said, cells, strict=True) if where == cell and one is not None]
        assert (share.n, share.value) == (len(own), sum(own) / len(own))


def test_of_two_people_that_counts_on_which_they_agree(audit):
    ann = filled(audit, "ann", question=["yes"] * 4 + ["no"] * 3 + [""])
    bob = filled(audit, "bob", question=["yes"] * 3 + ["no"] * 3 + ["?", "yes"])
    (found,) = score_audit(audit, [ann, bob])
    # Agreed: three yes, two no; open: the fourth and the seventh; the last has one answer.
    assert (found.acceptable.n, found.acceptable.value, found.open, found.missing) == (5, 0.6, 2, 1)
    (pair,) = found.pairs
    assert (pair.names, pair.agreement.n, pair.raw.value) == (("ann", "bob"), 6, pytest.approx(5 / 6))


def test_a_spreadsheet_may_drop_the_zeros_of_an_item(audit):
    ann = filled(audit, "ann", image=["yes"] * 8)
    ann.write_text(ann.read_text("utf-8-sig").replace("\n000", "\n"))
    (found,) = score_audit(audit, [ann])
    assert found.acceptable.n == 8


def test_every_fault_of_every_form_is_told_at_once(audit):
    ann = filled(audit, "ann", image=["yes"] * 7 + ["perhaps"])
    bob = audit.parent / "bob.csv"
    bob.write_text("item,image\n1,yes\n1,no\n77,no\n")
    with pytest.raises(FormError) as caught:
        score_audit(audit, [ann, bob, audit.parent / "none.csv"])
    told = str(caught.value).splitlines()
    assert [line.partition(".csv: ")[2].partition(", allowed")[0] for line in told] == [
        "line 9: image: found 'perhaps'",
        "line 3: item: '0001', found again",
        "line 4: item: '0077', which the audit does not have",
        "not found",
    ]


def test_the_commands_draw_and_score(dataset, tmp_path):
    run, out = run_over(dataset, tmp_path / "run"), tmp_path / "audit"
    words = ["build", "bear", "audit", "form", dataset, str(run), "--out", str(out), "--per-cell", "2"]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    assert f"open {out / PAGE}" in ran.output
    ann = filled(out, "ann", ground_truth=["yes"] * 7 + ["no"], verdict=["yes"] * 8)
    bob = filled(out, "bob", ground_truth=["yes"] * 7 + ["no"])
    ran = CliRunner().invoke(main, ["build", "bear", "audit", "score", str(out), str(ann), str(bob)])
    assert ran.exit_code == 0, ran.output
    (truth,) = [line for line in ran.output.splitlines() if line.split()[:2] == ["ground_truth", "87.5"]]
    assert truth.split()[-1] == "84.4"
    assert "ann and bob: 100.0" in ran.output
    plain = CliRunner().invoke(
        main, ["build", "bear", "audit", "score", str(out), str(ann), str(bob), "--json"]
    )
    scores = json.loads(plain.output)
    assert scores["verdict"]["acceptable"]["value"] == 1.0
    assert scores["verdict"]["reported_per_cent"] == 90.6
    assert scores["ground_truth"]["annotators"][0]["names"] == ["ann", "bob"]
