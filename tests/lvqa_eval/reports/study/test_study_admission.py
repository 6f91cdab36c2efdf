"""Which runs make one study, and what is said of those that do not."""

import pytest

from lvqa_eval.errors import LvqaError
from lvqa_eval.reports.study.admission import MOST, StudyRunsError
from lvqa_eval.reports.study.join import study_inputs
from tests.support.scored_runs import question
from tests.support.study_runs import QUESTIONS, consensus, settings, study_run

SHARED = {
    "benchmark": "layered-vqa",
    "prompts": {"multi_turn": "aa"},
    "user": {"name": "scripted"},
    "images": {"background": "checkerboard"},
}


def refused(*folders, **options):
    with pytest.raises(StudyRunsError) as told:
        study_inputs(folders, draws=20, **options)
    assert isinstance(told.value, LvqaError)
    assert str(told.value).startswith("these runs make no study:\n  ")
    return told.value.reasons


def test_every_obstacle_of_every_run_is_named_at_once(tmp_path):
    a, b = (study_run(tmp_path / name, name, **SHARED) for name in "ab")
    other = {
        "dataset": {"name": "layered-vqa", "version": "1.1.0", "manifest_sha256": "f" * 64},
        "prompts": {"multi_turn": "bb"},
        "user": {"name": "llm"},
        "images": {"background": "white"},
    }
    changed = (question("q0", "s9"), *QUESTIONS[1:3])
    c = study_run(tmp_path / "c", "c", {"n": settings("n")}, questions=changed, **other)
    had = f"{a} and {b} have"
    assert refused(a, b, c) == (
        f"dataset.version: {had} 1.0.0, {c} has 1.1.0",
        f"dataset.manifest_sha256: {had} {'0123456789abcdef' * 4}, {c} has {'f' * 64}",
        f"prompts.multi_turn: {had} aa, {c} has bb",
        f"user.name: {had} scripted, {c} has llm",
        f"images.background: {had} checkerboard, {c} has white",
        f"judge m: {c} lacks it ({c} has n); make it: lvqa judge {c} --judge m@URL --protocol final-turn",
        "question q0: scene_id: a has 's0', c has 's9'",
        "question q3: c does not have it",
    )


def test_of_many_questions_that_differ_some_are_named(tmp_path):
    many = tuple(question(f"q{i:02d}", "s0") for i in range(MOST + 5))
    a = study_run(tmp_path / "a", "a", questions=many, right="+" * len(many))
    reasons = refused(a, study_run(tmp_path / "b", "b", questions=many[:1], right="+"))
    assert reasons[0] == "question q01: b does not have it"
    assert reasons[MOST:] == ("questions: 4 more such differences",)


def test_a_run_of_pages_and_one_without_a_plan_are_refused(tmp_path):
    a = study_run(tmp_path / "a", "a")
    settings_file = a / "run.yaml"
    settings_file.write_text(settings_file.read_text().replace("runs: 1\n", ""))
    assert refused(a) == (f"{a}/run.yaml: runs: found None, allowed: a whole number from 1",)
    b = study_run(tmp_path / "b", "b")
    (b / "run.yaml").write_text((b / "run.yaml").read_text() + "benchmark: bear-bench\n")
    (b / "questions.jsonl").write_text("")
    assert f"{b}/run.yaml: benchmark: found bear-bench, needed layered-vqa" in refused(b)


def test_folders_that_are_no_runs_are_named_all(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    reasons = refused(tmp_path / "a", study_run(tmp_path / "c", "c"), tmp_path / "b")
    assert reasons == tuple(f"{tmp_path / one}: not a run folder: run.yaml is missing" for one in "ab")
    assert refused() == ("found no run, needed at least one",)


def test_a_consensus_that_a_run_lacks_is_made_over_all(tmp_path):
    judges = {name: settings(name) for name in ("m", "n")}
    a, b = (study_run(tmp_path / name, name, judges) for name in "ab")
    consensus(a)
    told = f"judge consensus: {b} lacks it ({b} has m, n); make it: lvqa panel {a} {b}"
    assert refused(a, b) == (told,)
    assert refused(a, b, judge="consensus") == (told,)
    assert study_inputs([a, b], "m", draws=20).judge == "m"


def test_a_run_without_a_verdict_needs_the_judge_of_the_others(tmp_path):
    a = study_run(tmp_path / "a", "a", {"exact-match": {"judge": "exact-match"}})
    b = study_run(tmp_path / "b", "b")
    for path in (b / "judgements").iterdir():
        path.unlink()
    assert refused(a, b) == (
        f"judge exact-match: {b} lacks it ({b} has no judge); make it: lvqa judge {b} --judge exact-match",
    )
    assert refused(b)[0].endswith(f"make some: lvqa judge {b} --judge exact-match")


def test_runs_that_would_be_reported_by_different_judges_need_one_named(tmp_path):
    exact = {"exact-match": {"judge": "exact-match"}}
    a = study_run(tmp_path / "a", "a", exact | {"m": settings("m")})
    b = study_run(tmp_path / "b", "b", exact | {"m": settings("m"), "n": settings("n")})
    reasons = refused(a, b)
    assert reasons == (
        f"judge: {a} alone would be reported by m; {b}: several judges; choose one with --judge: m, n; "
        "every run has exact-match, m: name one with --judge",
    )
    assert study_inputs([a, b], "exact-match", draws=20).judge == "exact-match"


def test_a_judge_that_judged_in_another_way_is_another_judge(tmp_path):
    a = study_run(tmp_path / "a", "a", {"m": settings("m", prompts={"rules": "aa"})})
    b = study_run(tmp_path / "b", "b", {"m": settings("m", prompts={"rules": "bb"})})
    assert refused(a, b) == (f"judge m: prompts.rules: {a} has aa, {b} has bb",)
    c = study_run(tmp_path / "c", "c", {"m": settings("m", prompts={"rules": "aa"}, server={"version": "2"})})
    assert study_inputs([a, c], draws=20).cautions[0] == (
        f"The runs differ in judge m: server.version: {a} has 1, {c} has 2."
    )


def test_so_is_one_that_rules_turn_by_turn_and_a_member_of_a_consensus(tmp_path):
    def run(name, seed, kind):
        judges = {one: settings(one) for one in ("m", "n")}
        if kind == "post-hoc":
            return study_run(tmp_path / name, name, {"m": judges["m"], "p": settings("m", kind, seed=seed)})
        folder = study_run(tmp_path / name, name, judges | {"n": settings("n", seed=seed)})
        consensus(folder)
        return folder

    a, b = run("a", 1, "post-hoc"), run("b", 2, "post-hoc")
    assert refused(a, b) == (f"judge p: seed: {a} has 1, {b} has 2",)
    c, d = run("c", 1, "final-turn"), run("d", 2, "final-turn")
    assert refused(c, d) == (f"judge n: seed: {c} has 1, {d} has 2",)


def test_a_judge_named_for_every_turn_has_to_rule_on_every_turn_of_every_run(tmp_path):
    a = study_run(tmp_path / "a", "a", {"m": settings("m"), "p": settings("m", "post-hoc")})
    b = study_run(tmp_path / "b", "b")
    assert refused(a, b, post_hoc="p") == (
        f"judge p: {b} lacks it ({b} has m); make it: lvqa judge {b} --judge m@URL --protocol post-hoc",
    )
    assert refused(a, b, post_hoc="m") == ("post-hoc judge: found 'm', allowed: none as yet",)
    assert refused(a, post_hoc="m") == ("post-hoc judge: found 'm', allowed: p",)


def test_prompts_of_a_baseline_that_every_run_has_are_the_same(tmp_path):
    a, b = (
        study_run(tmp_path / name, name, baselines={"question-only": prompt})
        for name, prompt in (("a", "aa"), ("b", "bb"))
    )
    assert refused(a, b) == (f"baselines.question-only: {a} has aa, {b} has bb",)
    assert study_inputs([a, study_run(tmp_path / "c", "c")], draws=20).baselines is None


def test_what_else_differs_is_told_in_a_sentence_each(tmp_path):
    data = {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": "0123456789abcdef" * 4}
    shared = {"sampling": {"temperature": 1.0, "top_p": 1.0}, "seed": 0}
    a = study_run(
        tmp_path / "a",
        "a",
        lvqa="0.1.0",
        vllm_serve=["--served-model-name", "a", "--max-model-len", "65536", "--eager"],
        **shared,
    )
    b = study_run(
        tmp_path / "b",
        "b",
        lvqa="0.2.0",
        sampling={"temperature": 1, "top_p": 0.9},
        seed=1,
        vllm_serve=["--served-model-name", "b", "--max-model-len", "32768"],
        dataset=data | {"revision": "c0ffee"},
        server={"version": "2"},
    )
    assert study_inputs([a, b], draws=20).cautions[:6] == (
        f"The runs differ in lvqa: {a} has 0.1.0, {b} has 0.2.0.",
        f"The runs differ in sampling.top_p: {a} has 1.0, {b} has 0.9.",
        f"The runs differ in seed: {a} has 0, {b} has 1.",
        f"The runs differ in vllm_serve --max-model-len: {a} has 65536, {b} has 32768.",
        f"The runs differ in vllm_serve --eager: {a} has given, {b} has nothing.",
        f"The runs differ in dataset.revision: {a} has nothing, {b} has c0ffee.",
    )
