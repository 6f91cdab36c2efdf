import pytest

from lvqa_eval.reports.choice import NoJudgementError, choose_judge
from lvqa_eval.runs.store import RunStore
from tests.support.scored_runs import judgement
from tests.support.small_run import small_run


def add_judge(store, judge):
    with RunStore.open(store.folder) as writer:
        writer.start_judge(judge, {"judge": judge})
        writer.append_judgement(judge, judgement("full", "q0"))


def test_without_judgements_the_error_names_the_command(tmp_path):
    store = small_run(tmp_path / "run")
    for path in (store.folder / "judgements").iterdir():
        path.unlink()
    with pytest.raises(NoJudgementError) as error:
        choose_judge(store)
    assert str(error.value) == (
        f"{store.folder}: no judgements yet; make some: lvqa judge {store.folder} --judge exact-match"
    )


def test_a_judge_that_has_not_judged_is_refused(tmp_path):
    store = small_run(tmp_path / "run")
    with pytest.raises(NoJudgementError, match="judge: found 'other', allowed: exact-match"):
        choose_judge(store, "other")


def test_a_model_goes_before_exact_match_and_two_models_need_a_choice(tmp_path):
    store = small_run(tmp_path / "run")
    assert choose_judge(store) == "exact-match"
    add_judge(store, "judge-a")
    assert choose_judge(store) == "judge-a"
    assert choose_judge(store, "exact-match") == "exact-match"
    add_judge(store, "judge-b")
    with pytest.raises(NoJudgementError, match="several judges; choose one with --judge: judge-a, judge-b"):
        choose_judge(store)
    assert choose_judge(store, "judge-b") == "judge-b"
