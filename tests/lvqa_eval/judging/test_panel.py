"""`lvqa panel`: the consensus by hand, what is kept of it, what is printed, and what is refused."""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from lvqa_eval.judging.panel_members import PanelError
from lvqa_eval.judging.panel_report import make_panel
from lvqa_eval.main import main
from lvqa_eval.reports.choice import choose_judge
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import Attempt, JudgementRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.judged_runs import asked, said
from tests.support.scored_runs import judgement, write_run

GOLDEN = Path(__file__).parent / "golden" / "panel.txt"

# One letter a question: + correct, - wrong, ? could not be read, . not judged. The last question is one on
# which the model failed.
VOTES = {
    "org/a": {"org/a": "++++?+-", "org/b": "++--+--", "org/c": "+-+-?+-"},
    "org/b": {"org/a": "+--+-+-", "org/b": "++-+++-", "org/c": "-+-+--."},
    "x/third": {"org/a": "--+-?--", "org/b": "-+---?-", "org/c": "+-----."},
}
CONDITIONS = ("full", "oracle")
QUESTIONS = [asked(f"q{i}", f"s{i // 2}") for i in range(7)]


def settings(judge, protocol="final-turn", **changes):
    return {"judge": judge, "protocol": protocol, "retest": False, "server": {"version": "1"}} | changes


def write(folder, model, judges, how=None, **identity):
    """Write the run of one model; returns its folder."""
    held = [
        said((Status.EMPTY, None) if i == 6 else "a circle", condition="full", name=f"q{i}") for i in range(7)
    ]
    held.append(said((Status.TIMEOUT, None), condition="oracle", name="q0"))
    write_run(folder, CONDITIONS, 1, QUESTIONS, held, {}, model={"name": model}, **identity)
    with RunStore.open(folder) as store:
        for judge, votes in judges.items():
            add(store, judge, votes, (how or {}).get(judge))
    return folder


def add(store, judge, votes, how=None):
    name = judge.replace("/", "-")
    store.start_judge(name, how or settings(judge))
    for i, letter in enumerate(votes):
        if letter != ".":
            status = JudgeStatus.PARSE_ERROR if letter == "?" else JudgeStatus.OK
            store.append_judgement(name, judgement("full", f"q{i}", 1, letter == "+", status))


@pytest.fixture
def runs(tmp_path):
    return [write(tmp_path / model.replace("/", "-"), model, judges) for model, judges in VOTES.items()]


def consensus_of(folder, judge="consensus"):
    return list(RunStore.open(folder).judgements(judge).values())


def table(report, name):
    return next(one for one in report.tables if one.name == name)


def rows(report, name):
    return {row[0]: row[1:] for row in table(report, name).rows}


def test_the_consensus_by_hand(runs):
    report = make_panel(runs, None, None, 50, 0)
    assert report.kept == ("consensus",)
    # org/a: ++- +++ +-+ +-- ?+? +-+; two of three must have voted, an even split is wrong.
    found = consensus_of(runs[0])
    assert [one.final_turn_correct for one in found] == [True, True, True, False, None, True, False]
    assert [one.status.value for one in found] == ["ok"] * 4 + ["no_quorum"] + ["ok"] * 2
    assert found[4].error == "1 of 3 judges have a valid verdict, needed 2"
    assert [one.first_correct_turn for one in found] == [None] * 7
    # x/third: --+ -+- +-- --- ?-- -?- and the failed one.
    assert [one.final_turn_correct for one in consensus_of(runs[2])] == [False] * 7
    tied = consensus_of(runs[2])[4]
    assert tied.flags == ()
    identity = RunStore.open(runs[0]).judge_identity("consensus").settings
    digest = RunIdentity(settings("org/a")).digest()
    assert identity["members"]["org-a"] == digest
    assert (identity["panel"], identity["protocol"], identity["rule"]) == (3, "final-turn", 1)


def test_an_even_split_is_wrong_and_flagged(tmp_path):
    run = write(tmp_path / "run", "m", {"org/a": "++-?++-", "org/b": "+-?-+--"})
    report = make_panel([run], None, None, 50, 0)
    found = consensus_of(run)
    assert [one.final_turn_correct for one in found] == [True, False, None, None, True, False, False]
    assert [one.flags for one in found][1] == ("tie: 1 of 2 votes say correct",)
    summary = rows(report, "panel")
    assert summary["ties (wrong)"] == (2,)
    assert summary["without a quorum"] == (2,)
    assert summary["conversations put before judges"] == (6,)
    assert summary["failed by the model: wrong, not put before judges"] == (1,)


def test_judges_that_have_not_begun_count_for_the_quorum(runs):
    make_panel(runs, None, 5, 50, 0)
    found = consensus_of(runs[0])
    assert [one.final_turn_correct for one in found] == [True, True, True, False, None, True, False]
    make_panel(runs, None, 6, 50, 0)
    assert {one.status for one in consensus_of(runs[0])} == {JudgeStatus.NO_QUORUM}
    with pytest.raises(PanelError, match="--panel: found 2, allowed: at least 3, the judges that voted"):
        make_panel(runs, None, 2, 50, 0)


def test_tables_by_hand(runs):
    report = make_panel(runs, None, None, 50, 0)
    judges = rows(report, "judges")
    # org-a on 18 conversations: 15 verdicts, 3 unreadable; 5 + 3 + 1 of them favourable.
    n, coverage, parse_rate, correct = judges["org-a"][:4]
    assert (n, coverage, parse_rate, correct) == (18, 16 / 18, 16 / 18, 9 / 16)
    assert rows(report, "parse_rates")["org/a"] == (5 / 6, 1.0, 5 / 6)
    assert rows(report, "cross_judging")["org/a"] == (1.0, 3 / 6, 3 / 5)
    # Of 7 with the failed one, 6 decided: 4 right; without its own vote 1, since ties are wrong.
    assert rows(report, "assistants")["org/a"] == (7, 6 / 7, 4 / 6, 1, 6 / 7, 1 / 6, 1)
    assert list(rows(report, "self_preference")) == ["org/a", "org/b", "mean"]
    assert rows(report, "kappas")["org-a"][0] == ""


def test_the_same_records_give_the_same_report(runs, tmp_path):
    for out in ("a", "b"):
        make_panel(runs, None, None, 50, 0).write(tmp_path / out)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == [
        *("assistants.csv", "cross_judging.csv", "judges.csv", "kappas.csv", "panel.csv", "panel.md"),
        *("parse_rates.csv", "residuals.csv", "self_preference.csv", "without_one_judge.csv"),
    ]
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with (tmp_path / "a" / "cross_judging.csv").open() as file:
        first = next(csv.DictReader(file))
    assert first == {"Assistant": "org/a", "org-a": "1.000000", "org-b": "0.500000", "org-c": "0.600000"}
    assert str(tmp_path) not in (tmp_path / "a" / "panel.md").read_text()


def test_what_is_printed(runs, monkeypatch):
    monkeypatch.chdir(runs[0].parent)
    result = CliRunner().invoke(main, ["panel", *(run.name for run in runs), "--draws", "200"])
    assert result.exit_code == 0, result.output
    assert result.output == GOLDEN.read_text(encoding="utf-8")


def test_the_consensus_follows_its_members(runs):
    make_panel(runs, None, None, 50, 0)
    path = runs[0] / "judgements" / "consensus.jsonl"
    before, written = path.read_bytes(), path.stat().st_mtime_ns
    make_panel(runs, None, None, 50, 0)
    assert path.stat().st_mtime_ns == written
    make_panel(runs, ["org/a", "org-b"], None, 50, 0)
    assert list(RunStore.open(runs[0]).judge_identity("consensus").settings["members"]) == ["org-a", "org-b"]
    assert path.read_bytes() != before
    with RunStore.open(runs[0]) as store:
        store.start_judge("org-c", settings("org/c"))
        store.append_judgement("org-c", judgement("full", "q4", 1, True))
    make_panel(runs, None, None, 50, 0)
    assert consensus_of(runs[0])[4].final_turn_correct is True


def test_a_report_takes_the_consensus_as_any_judge(runs):
    make_panel(runs, None, None, 50, 0)
    for options in ([], ["--judge", "consensus"]):
        result = CliRunner().invoke(main, ["report", str(runs[0]), "--draws", "50", *options])
        assert result.exit_code == 0, result.output
        assert "Judge      consensus" in result.output
    # Of the 7 conversations of full one has no quorum.
    [row] = [line for line in result.output.splitlines() if line.startswith("full")]
    assert row.split()[1] == "66.7"
    assert row.split()[-2:] == ["6", "85.7"]
    assert "members" in (runs[0] / "report" / "index.html").read_text(encoding="utf-8")
    assert CliRunner().invoke(main, ["export", str(runs[0]), "--out", str(runs[0] / "out")]).exit_code == 0


def test_a_report_takes_neither_a_second_pass_nor_rulings_turn_by_turn_unasked(tmp_path):
    run = write(tmp_path / "run", "m", {"org/a": "++++++-"})
    with RunStore.open(run) as store:
        for name, how in {"post-hoc": {"protocol": "post-hoc"}, "retest": {"retest": True}}.items():
            store.start_judge(f"org-a.{name}", settings("org/a") | how)
            store.append_judgement(f"org-a.{name}", judgement("full", "q0"))
    assert choose_judge(RunStore.open(run)) == "org-a"
    assert choose_judge(RunStore.open(run), "org-a.retest") == "org-a.retest"
    with pytest.raises(PanelError, match=r"judge: found 'org-a\.retest', allowed: org-a"):
        make_panel([run], ["org-a", "org-a.retest"], None, 50, 0)


def attempts(store, judge, *listed):
    """Keep a post-hoc judgement on each question: its attempts, None for one that could not be read."""
    name = f"{judge.replace('/', '-')}.post-hoc"
    store.start_judge(name, settings(judge, "post-hoc"))
    for i, found in enumerate(listed):
        key = ("full", f"q{i}", 1)
        if found is None:
            store.append_judgement(name, JudgementRecord(*key, JudgeStatus.PARSE_ERROR, None, None))
            continue
        tried = tuple(Attempt(turn, f"{judge} {turn}", right) for turn, right in found)
        first = min((turn for turn, right in found if right), default=0)
        record = JudgementRecord(*key, JudgeStatus.OK, (3, True) in found, first, tried)
        store.append_judgement(name, record)


def test_several_post_hoc_judges_agree_on_attempts(runs):
    make_panel(runs, None, None, 50, 0)
    assert "consensus.post-hoc" not in RunStore.open(runs[0]).judges()
    for run in runs:
        with RunStore.open(run) as store:
            attempts(store, "org/a", [(1, False), (3, True)], [(1, True)], None, [(3, True)])
            attempts(store, "org/b", [(1, True), (3, True)], [], None, [(3, False)])
            attempts(store, "org/c", [(1, False), (2, True)], [(1, True)], [(1, True)], None)
    report = make_panel(runs, None, None, 50, 0)
    assert report.kept == ("consensus", "consensus.post-hoc")
    first, second, third, fourth, *rest = consensus_of(runs[0], "consensus.post-hoc")
    assert first.attempts == (Attempt(1, "org/a 1", False), Attempt(3, "org/a 3", True))
    assert (first.final_turn_correct, first.first_correct_turn) == (True, 3)
    assert second.attempts == (Attempt(1, "org/a 1", True),)
    assert (second.final_turn_correct, second.first_correct_turn) == (False, 1)
    assert (third.status, third.attempts) == (JudgeStatus.NO_QUORUM, ())
    # Two valid ones of three: one of two is no majority, and an even split is wrong.
    assert fourth.attempts == (Attempt(3, "org/b 3", False),)
    assert (fourth.final_turn_correct, fourth.first_correct_turn) == (False, 0)
    assert fourth.flags == ("tie: 1 of 2 votes say correct",)
    assert {one.status for one in rest} == {JudgeStatus.NO_QUORUM}


def test_a_second_pass_is_compared(runs):
    for run in runs:
        with RunStore.open(run) as store:
            again = settings("org/a", retest=True)
            store.start_judge("org-a.retest", again)
            for i, letter in enumerate("+-++++-"):
                store.append_judgement("org-a.retest", judgement("full", f"q{i}", 1, letter == "+"))
    report = make_panel(runs, None, None, 50, 0)
    assert [row[0] for row in table(report, "judges").rows] == ["org-a", "org-b", "org-c"]
    # First ++++?+ +--+-+ --+-?-, then +-++++ three times: flips at 1; 1? no, 2, 4; 0, 3, 5.
    n, flips, *_, lost, gained = rows(report, "retest")["org-a"]
    assert (n, flips, lost, gained) == (16, 6 / 16, 0, 2)


def test_judges_that_always_agree_on_one_label_have_no_kappa(tmp_path):
    run = write(tmp_path / "run", "m", {"org/a": "++++++-", "org/b": "++++++-"})
    report = make_panel([run], None, None, 50, 0)
    raw, kappa, others = rows(report, "judges")["org-a"][5:]
    assert (raw, kappa, others) == (1.0, "undefined (one label)", "undefined (one label)")
    assert rows(report, "kappas")["org-a"] == ("", "undefined (one label)")
    assert "self_preference" not in {one.name for one in report.tables}


def test_baselines_are_judged_and_in_no_figure(tmp_path):
    run = tmp_path / "run"
    held = [said("a circle", condition=c, name="q0") for c in ("full", "question-only")]
    write_run(run, ["full"], 1, QUESTIONS[:1], held, {}, baselines={"question-only": "x"})
    with RunStore.open(run) as store:
        for judge in ("a", "b"):
            store.start_judge(judge, settings(judge))
            for condition, right in (("full", False), ("question-only", True)):
                store.append_judgement(judge, judgement(condition, "q0", 1, right))
    report = make_panel([run], None, None, 50, 0)
    assert [one.final_turn_correct for one in consensus_of(run)] == [False, True]
    assert rows(report, "assistants")["some/model-4b"][:3] == (1, 1.0, 0.0)
    assert rows(report, "judges")["a"][0] == 1


def test_runs_of_different_datasets_are_refused_by_name(tmp_path, runs):
    other = write(
        tmp_path / "other", "m", VOTES["org/a"], dataset={"name": "layered-vqa", "version": "1.1.0"}
    )
    with pytest.raises(PanelError) as caught:
        make_panel([*runs, other], None, None, 50, 0)
    assert f"  {other}: layered-vqa 1.1.0" in str(caught.value)
    assert f"  {runs[0]}: layered-vqa 1.0.0, manifest sha256:0123456789abcdef" in str(caught.value)
    assert "consensus" not in RunStore.open(runs[0]).judges()


def test_a_judge_that_has_not_judged_every_run_is_left_out_or_refused(tmp_path, runs):
    some = {"org/a": VOTES["org/a"]["org/a"], "org/b": VOTES["org/a"]["org/b"]}
    fourth = write(tmp_path / "fourth", "m", some)
    report = make_panel([*runs, fourth], None, None, 50, 0)
    assert [row[0] for row in table(report, "judges").rows] == ["org-a", "org-b"]
    assert report.notes == ("org-c has not judged every run and is left out.",)
    with pytest.raises(PanelError, match=r"fourth: judge: found 'org/c', allowed: org-a, org-b"):
        make_panel([*runs, fourth], ["org/a", "org/c"], None, 50, 0)
    with pytest.raises(PanelError, match="judges: found org-a on the final turn of every run, needed two"):
        make_panel([*runs, fourth], ["org-a"], None, 50, 0)


def test_a_judge_with_other_settings_in_one_run_is_refused_and_another_server_is_told(tmp_path, runs):
    how = {"org/b": settings("org/b", server={"version": "2"})}
    fourth = write(tmp_path / "fourth", "m", VOTES["org/a"], how)
    report = make_panel([*runs, fourth], None, None, 50, 0)
    assert report.notes == ('org-b was served differently: server.version: for org-a "1", for fourth "2".',)
    how = {"org/b": settings("org/b", seed=1)}
    fifth = write(tmp_path / "fifth", "m", VOTES["org/a"], how)
    with pytest.raises(
        PanelError, match="with different settings:\n  seed: this run has nothing, asked for 1"
    ):
        make_panel([*runs, fifth], None, None, 50, 0)


def test_a_model_with_two_runs_is_two_assistants(tmp_path, runs):
    again = write(tmp_path / "again", "org/a", VOTES["org/b"])
    report = make_panel([*runs, again], None, None, 50, 0)
    names = ["org/a (org-a)", "org/b", "x/third", "org/a (again)"]
    assert [row[0] for row in table(report, "assistants").rows] == names
    assert list(rows(report, "self_preference")) == [names[0], "org/b", names[3], "mean"]
