"""`lvqa runs verify` and `lvqa runs repair`: what is wrong, all at once; what can be mended, without loss."""

import dataclasses
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.runs.lines import AppendLog, LogInUseError, read_lines
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.repair import repair
from lvqa_eval.runs.store import RunFolderError, RunStore
from lvqa_eval.runs.verify import verify
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

CASES = Path(__file__).resolve().parents[2] / "cases"
IDENTITY = {"sampling": {"temperature": 1.0}, "seed": 0, "user": {"name": "scripted"}}
QUESTIONS = [question("q1", "s1"), question("q2", "s1")]


def sound_run(folder: Path, **settings) -> RunStore:
    """Write a run of 4 conversations, 1 of them to be held, and 2 judgements."""
    held = [
        conversation("full", "q1"),
        conversation("full", "q2"),
        conversation("oracle", "q1"),
        conversation("oracle", "q2", 1, Status.TIMEOUT, [dataclasses.replace(turn(), status=Status.TIMEOUT)]),
    ]
    judged = [judgement("full", "q1"), judgement("full", "q2", 1, False)]
    return write_run(folder, ["full", "oracle"], 1, QUESTIONS, held, {"exact": judged}, **IDENTITY | settings)


def run(*arguments):
    result = CliRunner().invoke(main, ["runs", *map(str, arguments)])
    return result.exit_code, result.output.splitlines()


def test_a_sound_run_has_no_problems_and_tells_its_coverage(tmp_path):
    folder = sound_run(tmp_path / "run").folder
    assert verify(folder).problems == []
    assert run("verify", folder) == (
        0,
        [
            "note: oracle: 1 of 2 conversations are final; the command that began the run holds the others",
            f"{folder}: no problems; 3 of 4 conversations are final",
        ],
    )


def test_a_lost_conversation_fails_a_complete_check(tmp_path):
    folder = sound_run(tmp_path / "run").folder
    code, lines = run("verify", folder, "--complete")
    assert code == 1
    assert lines == [
        f"{folder}: oracle: 1 of 2 conversations are final",
        f"{folder}: 1 problem; 3 of 4 conversations are final",
    ]


def test_every_problem_of_every_file_is_named_at_once(tmp_path):
    folder = sound_run(tmp_path / "run", seed=None).folder
    (folder / "run.yaml").write_text((folder / "run.yaml").read_text().replace("seed: null\n", ""))
    log, verdicts = folder / "conversations.jsonl", folder / "judgements" / "exact.jsonl"
    lines = log.read_bytes().splitlines()
    other = encode(conversation("full", "q2", turns=[turn(reply="a square")])).strip()
    log.write_bytes(
        b"\n".join(
            [
                lines[0] + lines[2],  # joined
                b"{broken",  # damaged
                lines[3],
                lines[1],
                other,  # a repeat that disagrees
                encode(conversation("full", "q9")).strip(),
                encode(conversation("sharded", "q1")).strip(),
                encode(conversation("full", "q1", 2)).strip(),
                encode(conversation("full", "q1", 3)).strip().replace(b'"seed":1', b'"seed":"1"'),  # refused
                lines[0][:30],  # torn
            ]
        )
    )
    with verdicts.open("ab") as file:
        file.write(encode(judgement("oracle", "q2")))
        file.write(encode(judgement("oracle", "q3")))
        file.write(encode(judgement("oracle", "q1", 1, None, JudgeStatus.PARSE_ERROR)))
    (folder / "judgements" / "lost.jsonl").touch()
    (folder / "judgements" / "bare.yaml").write_text("judge: bare\n")
    (folder / "pictures.jsonl").write_bytes(b'{"scene_id":"s1"}\n')
    found = verify(folder)
    bare, lost = folder / "judgements" / "bare.jsonl", folder / "judgements" / "lost.yaml"
    assert found.problems == [
        f"{folder / 'run.yaml'}: seed: missing",
        f"{log}: line 1: joined: 2 records on one line, all read",
        f"{log}: line 2: damaged: found b'{{broken' (7 bytes), allowed: one JSON object",
        f"{log}: line 9: refused: turns[0].seed: Expected `int`, got `str`",
        f"{log}: line 10: torn: found {lines[0][:30]!r} (30 bytes), allowed: one JSON object",
        f"{log}: 1 record(s) repeat the key of another, which stands in their place",
        f"{log}: full, question q2, run 1: final records disagree; the last one stands",
        f"{log}: full, question q1, run 2: run: found 2, allowed: 1 to 1",
        f"{log}: full, question q9, run 1: question_id: found 'q9', not in questions.jsonl",
        f"{log}: sharded, question q1, run 1: condition: found 'sharded', allowed: full, oracle",
        f"{bare}: missing, though bare.yaml stands beside it",
        f"{verdicts}: oracle, question q2, run 1: its conversation ended with timeout, which is not judged",
        f"{verdicts}: oracle, question q3, run 1: found no such conversation in conversations.jsonl",
        f"{lost}: missing; without it nobody knows how lost judged",
        f"{folder / 'pictures.jsonl'}: line 1: refused: Object missing required field `layer`",
    ]
    assert found.coverage == {"full": 2, "oracle": 1}
    code, lines = run("verify", folder)
    assert code == 1
    assert lines[-1] == f"{folder}: 15 problems; 3 of 4 conversations are final"


def test_a_status_that_contradicts_its_record_is_named(tmp_path):
    folder = sound_run(tmp_path / "run").folder
    with (folder / "conversations.jsonl").open("ab") as file:
        file.write(encode(conversation("oracle", "q2", 1, Status.EMPTY)))
    with (folder / "judgements" / "exact.jsonl").open("ab") as file:
        file.write(encode(dataclasses.replace(judgement("oracle", "q1"), final_turn_correct=None)))
    assert [problem.partition("jsonl: ")[2] for problem in verify(folder).problems] == [
        "1 record(s) repeat the key of another, which stands in their place",
        "oracle, question q2, run 1: status: found empty, its last turn has ok",
        "oracle, question q1, run 1: final_turn_correct: found None, its status is ok",
    ]


def test_missing_files_and_plans_are_named(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    assert verify(folder).problems == [
        f"{folder / 'run.yaml'}: missing; without it nobody knows what was run",
        f"{folder / 'questions.jsonl'}: missing",
        f"{folder / 'conversations.jsonl'}: missing",
    ]
    sound = sound_run(tmp_path / "sound").folder
    with (sound / "run.yaml").open("a") as file:
        file.write("questions: 3\n")
    with (sound / "questions.jsonl").open("ab") as file:
        file.write(encode(QUESTIONS[0]))
    assert verify(sound).problems == [
        f"{sound / 'questions.jsonl'}: question 'q1': 2 records, allowed: 1",
        f"{sound / 'questions.jsonl'}: found 2 questions, the run's settings say 3",
    ]
    (sound / "run.yaml").write_text("model: m\n")
    assert verify(sound).problems[:2] == [
        f"{sound / 'run.yaml'}: conditions: found None, allowed: a list of names",
        f"{sound / 'run.yaml'}: runs: found None, allowed: a whole number from 1",
    ]


def test_many_problems_of_a_file_are_counted_unless_all_are_asked_for(tmp_path):
    folder = sound_run(tmp_path / "run").folder
    with (folder / "judgements" / "exact.jsonl").open("ab") as file:
        file.writelines(encode(judgement("full", f"x{number:02}")) for number in range(13))
    path = folder / "judgements" / "exact.jsonl"
    code, lines = run("verify", folder)
    assert (code, lines[10]) == (1, f"{path}: 3 more; --all shows them")
    assert len(run("verify", folder, "--all")[1]) == 13 + 2


def damaged_run(folder: Path) -> tuple[RunStore, bytes]:
    """Write a run that has every fault that can be mended, and return it with its file as it was."""
    store = sound_run(folder)
    log = folder / "conversations.jsonl"
    lines = log.read_bytes().splitlines()
    late = encode(conversation("full", "q2", 1, Status.TIMEOUT)).strip()
    other = encode(conversation("full", "q1", turns=[turn(reply="a square")])).strip()
    log.write_bytes(
        b"\n".join([lines[0] + lines[1], b"{broken", b"", late, lines[2], lines[3], other, lines[0][:30]])
    )
    with (folder / "judgements" / "exact.jsonl").open("ab") as file:
        file.write(encode(judgement("full", "q1", 1, None, JudgeStatus.PARSE_ERROR)))
    (folder / "pictures.jsonl").write_bytes(b'{"scene_id":"s1","layer"')
    return store, log.read_bytes()


def test_repair_mends_without_loss_and_says_what_it_did(tmp_path):
    store, before = damaged_run(tmp_path / "run")
    folder = store.folder
    log, verdicts = folder / "conversations.jsonl", folder / "judgements" / "exact.jsonl"
    expected = store.conversations(), store.judgements("exact")
    end = before.splitlines()[-1]
    told = [
        f"{log}: line 1: joined: 2 records on one line, all read: split into lines",
        f"{log}: line 2: damaged: found b'{{broken' (7 bytes), allowed: one JSON object: taken out, kept in "
        "conversations.jsonl.damaged",
        f"{log}: line 8: torn: found {end!r} (30 bytes), allowed: one JSON object: cut off, "
        "kept in conversations.jsonl.torn",
        f"{log}: 2 repeat(s) taken out, kept in conversations.jsonl.repeats",
        f"{verdicts}: 1 repeat(s) taken out, kept in exact.jsonl.repeats",
        f'{folder / "pictures.jsonl"}: line 1: torn: found b\'{{"scene_id":"s1","layer"\' (24 bytes), '
        "allowed: one JSON object: cut off, kept in pictures.jsonl.torn",
    ]
    everything = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run("repair", folder, "--dry-run") == (0, [*told, f"{folder}: 3 files to mend"])
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == everything

    assert run("repair", folder) == (0, [*told, f"{folder}: 3 files mended"])
    assert (store.conversations(), store.judgements("exact")) == expected
    assert verify(folder).problems == []
    assert verify(folder).notes == [
        f"{log}.damaged: 1 piece(s) that were taken out as damaged before",
        f"{log}.repeats: 2 piece(s) that were taken out as repeats before",
        f"{log}.torn: 1 piece(s) that were cut off as torn before",
        f"{verdicts}.repeats: 1 piece(s) that were taken out as repeats before",
        f"{folder / 'pictures.jsonl'}.torn: 1 piece(s) that were cut off as torn before",
    ]
    lines = before.splitlines()
    joined = lines[0].index(b"}{") + 1
    assert log.read_bytes() == b"\n".join([lines[0][joined:], lines[4], lines[5], lines[6], b""])
    assert Path(f"{log}.repeats").read_bytes().splitlines() == [
        b"line 1: " + lines[0][:joined],
        b"line 4: " + lines[3],
    ]
    assert Path(f"{log}.damaged").read_bytes() == b"line 2: {broken\n"
    assert Path(f"{log}.torn").read_bytes() == lines[-1] + b"\n"
    assert run("repair", folder) == (0, [f"{folder}: nothing to mend"])


def test_repair_leaves_a_record_of_another_version_and_what_it_might_replace(tmp_path):
    folder = sound_run(tmp_path / "run").folder
    log = folder / "conversations.jsonl"
    newer = encode(conversation("full", "q1")).replace(b'"reply":"a circle"', b'"reply":{"text":"a circle"}')
    log.write_bytes(log.read_bytes() + newer)
    before = log.read_bytes()
    code, lines = run("repair", folder)
    assert (code, log.read_bytes()) == (0, before)
    assert lines == [
        f"{log}: line 5: refused: turns[0].reply: Expected `str | null`, got `object`: left as it is: "
        "it is JSON, and another version may know it",
        f"{folder}: nothing to mend",
    ]


def test_repair_is_refused_while_another_process_writes(tmp_path):
    store, before = damaged_run(tmp_path / "run")
    with AppendLog(store.folder / "judgements" / "exact.jsonl"):
        with pytest.raises(LogInUseError, match=r"exact\.jsonl: another process is writing here"):
            repair(store.folder)
        code, lines = run("repair", store.folder)
        assert (code, len(lines)) == (1, 1)
        assert (store.folder / "conversations.jsonl").read_bytes() == before


def test_only_the_files_of_a_run_are_mended(tmp_path):
    (tmp_path / "notes.jsonl").write_bytes(b'{"torn":')
    with pytest.raises(RunFolderError, match=r"not a run folder: conversations\.jsonl is missing"):
        repair(tmp_path)
    assert (tmp_path / "notes.jsonl").read_bytes() == b'{"torn":'


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("run_torn_tail.jsonl", ["a", "b"]),
        ("run_torn_then_blank.jsonl", ["a"]),
        ("run_no_final_newline.jsonl", ["a", "b"]),
        ("run_middle_corrupt.jsonl", ["a", "c"]),
        ("run_concatenated.jsonl", ["a", "b", "c"]),
    ],
)
def test_any_damaged_file_of_a_run_is_mended(tmp_path, name, ids):
    (tmp_path / "conversations.jsonl").touch()
    path = Path(shutil.copy(CASES / name, tmp_path / "other.jsonl"))
    repair(tmp_path)
    found, problems = read_lines(path)
    assert ([record["id"] for record in found], problems) == (ids, [])
    assert path.read_bytes().endswith(b"}\n") or name == "run_no_final_newline.jsonl"
