"""A report from run folders: its parts, what they are named, and what its exhibits lack."""

from pathlib import Path

import pytest

from lvqa_eval.reports import parts
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered import all_exhibits
from lvqa_eval.reports.parts import ReportError, layered_part, make_report
from lvqa_eval.reports.report import Choices
from lvqa_eval.reports.sources import short_names
from lvqa_eval.runs.store import RunStore
from tests.support.scored_runs import judgement
from tests.support.small_run import small_run


def told(inputs):
    """Return an exhibit that lacks something, told with the runs' names."""
    command = f"lvqa judge {' '.join(inputs.runs)} --judge NAME@URL"
    return Exhibit("t", "Table 4", "First commitment", "layered-vqa", (), missing=f"None: {command}")


@pytest.fixture(autouse=True)
def one_exhibit(monkeypatch):
    monkeypatch.setattr(all_exhibits, "EXHIBITS", (told,))


def two_runs(folder):
    for name in ("one", "other"):
        small_run(folder / name, model={"name": f"org/{name}"})
    return [folder / "one", folder / "other"]


def test_one_run_has_its_condition_table_and_names_its_folder_alone(tmp_path):
    small_run(tmp_path / "run")
    made = make_report([tmp_path / "run"], Choices(draws=100))
    (part,) = made.parts
    assert part.judge == "exact-match"
    assert part.conditions is not None
    assert [row.condition for row in part.field] == ["full", "sharded-v", "aligned-vq", "misaligned-vq"]
    (source,) = made.sources
    assert (source.run, source.model) == ("run", "some/model-4b")
    assert source.digest == RunStore.open(tmp_path / "run").identity.digest()
    assert list(source.judge_digests) == ["exact-match"]
    assert part.exhibits[0].missing == "None: lvqa judge run --judge NAME@URL"
    assert part.lacking == (
        ("Table 4. First commitment", f"None: lvqa judge {tmp_path}/run --judge NAME@URL"),
    )
    assert str(tmp_path) not in " ".join((*part.cautions, *made.commands))


def test_the_cautions_of_one_run_are_its_tables_and_nothing_is_said_twice(tmp_path):
    small_run(tmp_path / "run")
    (part,) = make_report([tmp_path / "run"], Choices(draws=100)).parts
    assert part.cautions[: len(part.conditions.cautions)] == part.conditions.cautions
    subjects = [caution.partition(":")[0] for caution in part.cautions]
    assert len(set(subjects)) == len(subjects)


def test_several_runs_have_means_and_no_condition_table(tmp_path):
    made = make_report(two_runs(tmp_path), Choices(draws=100))
    (part,) = made.parts
    assert made.conditions is None
    assert [one.model for one in made.sources] == ["org/one", "org/other"]
    # Both models have the same verdicts: 20 of 24 under full.
    full = part.field[0]
    assert (full.accuracy.value, full.accuracy.n, full.difference) == (pytest.approx(20 / 24), 24, None)
    assert part.exhibits[0].missing == "None: lvqa judge one other --judge NAME@URL"


def test_a_run_named_twice_is_one(tmp_path):
    small_run(tmp_path / "run")
    (tmp_path / "again").symlink_to(tmp_path / "run")
    made = make_report([tmp_path / "run", tmp_path / "again"], Choices(draws=100))
    assert len(made.sources) == 1


def test_a_benchmark_without_a_report_is_refused_with_its_run(tmp_path, monkeypatch):
    small_run(tmp_path / "run")
    monkeypatch.setattr(parts, "PARTS", {"other-bench": layered_part})
    with pytest.raises(ReportError) as error:
        make_report([tmp_path / "run"], Choices())
    assert str(error.value) == f"benchmark: found layered-vqa in {tmp_path}/run, allowed: other-bench"


def test_the_judge_is_the_one_that_was_asked_for(tmp_path):
    folders = two_runs(tmp_path)
    for folder in folders:
        with RunStore.open(folder) as writer:
            writer.start_judge("judge-a", {"judge": "judge-a"})
            writer.append_judgement("judge-a", judgement("full", "q0"))
    assert make_report(folders, Choices(draws=100)).parts[0].judge == "judge-a"
    assert make_report(folders, Choices("exact-match", draws=100)).parts[0].judge == "exact-match"


def test_folders_have_as_much_of_their_path_as_tells_them_apart():
    assert short_names([Path("/runs/a"), Path("/runs/b")]) == ("a", "b")
    assert short_names([Path("/x/2026/a"), Path("/y/2026/a")]) == ("x/2026/a", "y/2026/a")
