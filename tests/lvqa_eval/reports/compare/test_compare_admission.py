from dataclasses import replace

import pytest

from lvqa_eval.reports.choice import NoJudgementError
from lvqa_eval.reports.compare.admission import CompareError, choose_common_judge
from lvqa_eval.reports.compare.comparison import compare_runs
from lvqa_eval.runs.store import RunStore
from tests.support.scored_runs import conversation, judgement, question, write_run

QUESTIONS = tuple(question(f"q{i}", f"s{i % 2}") for i in range(4))


def run(folder, questions=QUESTIONS, conditions=("full",), runs=1, judges=("model",), **settings):
    asked = [(one.question_id, number) for one in questions for number in range(1, runs + 1)]
    talks = [conversation(condition, *key) for condition in conditions for key in asked]
    verdicts = [judgement(condition, *key) for condition in conditions for key in asked]
    return write_run(folder, conditions, runs, questions, talks, dict.fromkeys(judges, verdicts), **settings)


def rejudge(store, name, identity):
    with RunStore.open(store.folder) as again:
        again.start_judge(name, identity)
        for one in QUESTIONS:
            again.append_judgement(name, judgement("full", one.question_id))
    return store


def refused(a, b, **options):
    with pytest.raises(CompareError) as told:
        compare_runs(a, b, **options)
    return told.value.reasons


def test_other_data_are_refused_and_every_difference_named(tmp_path):
    data = {"name": "layered-vqa", "version": "1.1.0", "manifest_sha256": "f" * 64}
    reasons = refused(run(tmp_path / "a"), run(tmp_path / "b", dataset=data))
    assert reasons == (
        "dataset.version: A has 1.0.0, B has 1.1.0",
        f"dataset.manifest_sha256: A has {'0123456789abcdef' * 4}, B has {'f' * 64}",
    )


def test_another_commit_of_the_same_data_is_the_same(tmp_path):
    data = {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": "0123456789abcdef" * 4}
    found = compare_runs(run(tmp_path / "a"), run(tmp_path / "b", dataset=data | {"revision": "c0ffee"}))
    assert found.settings == ()


def test_a_judge_with_other_prompts_is_another_judge(tmp_path):
    identity = {"judge": "m", "prompts": {"judge_rules": "aa"}, "server": {"version": "1"}}
    a = rejudge(run(tmp_path / "a", judges=()), "m-1.5", identity)
    b = rejudge(run(tmp_path / "b", judges=()), "m-1.5", identity | {"prompts": {"judge_rules": "bb"}})
    assert refused(a, b) == ("judge m-1.5: prompts.judge_rules: A has aa, B has bb",)
    c = rejudge(run(tmp_path / "c", judges=()), "m-1.5", identity | {"server": {"version": "2"}})
    assert list(map(str, compare_runs(a, c).settings)) == ["judge m-1.5: server.version: A has 1, B has 2"]


def test_a_consensus_is_compared_judge_by_judge(tmp_path):
    def panel(folder, rules, server):
        store = rejudge(run(folder, judges=()), "m", {"judge": "m", "rules": rules, "server": server})
        digest = store.judge_identity("m").digest()
        return rejudge(store, "consensus", {"judge": "consensus", "members": {"m": digest}})

    a, b = panel(tmp_path / "a", 1, "x"), panel(tmp_path / "b", 1, "y")
    assert list(map(str, compare_runs(a, b).settings)) == ["judge m: server: A has x, B has y"]
    assert refused(a, panel(tmp_path / "c", 2, "x")) == ("judge m: rules: A has 1, B has 2",)
    d = rejudge(run(tmp_path / "d", judges=()), "consensus", {"judge": "consensus", "members": {"n": "0"}})
    assert refused(a, d, judge="consensus") == ("judge consensus: members: A has m, B has n",)


def test_the_judge_is_one_that_both_have(tmp_path):
    a, b = run(tmp_path / "a", judges=("exact-match", "m")), run(tmp_path / "b", judges=("exact-match",))
    assert choose_common_judge(a, b) == "exact-match"
    assert choose_common_judge(a, run(tmp_path / "c", judges=("exact-match", "m"))) == "m"
    with pytest.raises(NoJudgementError, match="judge: found 'm', allowed: exact-match"):
        choose_common_judge(a, b, "m")
    with pytest.raises(NoJudgementError, match=r"exact-match, .*d has n; judge both by the same one first"):
        choose_common_judge(b, run(tmp_path / "d", judges=("n",)))


def test_other_questions_are_refused_or_left_out_and_told(tmp_path):
    a, b = run(tmp_path / "a"), run(tmp_path / "b", (*QUESTIONS[1:], question("q9", "s1")))
    assert refused(a, b) == (
        "questions: only A has q0; --common compares those that both have",
        "questions: only B has q9; --common compares those that both have",
    )
    found = compare_runs(a, b, common=True)
    assert [one.question_id for one in found.questions] == ["q1", "q2", "q3"]
    assert found.left_out == ("questions that only A has: 1 of 4", "questions that only B has: 1 of 4")
    assert found.rows[0].coverage_a.planned == 3


def test_one_id_with_other_words_is_refused_always(tmp_path):
    changed = (replace(QUESTIONS[0], answer="blue"), *QUESTIONS[1:])
    reasons = refused(run(tmp_path / "a"), run(tmp_path / "b", changed), common=True)
    assert reasons == ("questions: other words or evidence under one id: q0",)
    older = tuple(replace(one, shards=("What?",)) for one in QUESTIONS)
    assert len(compare_runs(run(tmp_path / "c"), run(tmp_path / "d", older)).questions) == 4


def test_nothing_in_common_is_refused(tmp_path):
    a = run(tmp_path / "a")
    b = run(tmp_path / "b", tuple(question(f"r{i}", "s0") for i in range(2)), ("oracle",))
    assert refused(a, b, common=True) == (
        "questions: found none that both have, needed one",
        "conditions: found none that both have: A has full, B has oracle",
    )


def test_what_else_differs_is_told_and_what_shapes_replies_warned_of(tmp_path):
    shared = {"user": {"name": "scripted"}, "sampling": {"temperature": 1, "top_p": 1.0}}
    a = run(tmp_path / "a", lvqa="0.1.0", **shared)
    other = {"user": {"name": "llm"}, "sampling": {"temperature": 1.0, "top_p": 0.9}}
    b = run(tmp_path / "b", lvqa="0.2.0", model={"name": "some/other"}, **other)
    found = compare_runs(a, b)
    assert list(map(str, found.settings)) == [
        "model.name: A has some/model-4b, B has some/other",
        "lvqa: A has 0.1.0, B has 0.2.0",
        "user.name: A has scripted, B has llm",
        "sampling.top_p: A has 1.0, B has 0.9",
    ]
    assert found.cautions[0] == (
        "More than the model shapes the replies differently: user.name, sampling.top_p. See the settings."
    )


def test_conditions_of_one_run_alone_are_left_out_and_told(tmp_path):
    found = compare_runs(
        run(tmp_path / "a", conditions=("oracle", "mine", "full")),
        run(tmp_path / "b", conditions=("full", "mine", "sharded-v")),
    )
    assert found.names == ("full", "mine")
    assert found.left_out == ("what only A has: oracle", "what only B has: sharded-v")
