"""`lvqa runs show`: a run in figures, a conversation as text, and its pictures as they were sent."""

import asyncio
import hashlib
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import PictureKey, PictureStore, Rendering
from lvqa_eval.main import main
from lvqa_eval.prompts import load_prompt
from lvqa_eval.runs import terminal
from lvqa_eval.runs.pictures import PictureLog, PictureRecord
from lvqa_eval.runs.records import Attempt, JudgementRecord, TokenLogprobs
from lvqa_eval.runs.store import RunStore
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table, printable
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run
from tests.support.small_run import small_run
from tests.support.sources import SmallSource


def show(*arguments):
    result = CliRunner().invoke(main, ["runs", "show", *map(str, arguments)])
    return result.exit_code, result.output.splitlines()


FIRST = replace(
    turn([2], composite=True, reply="Which \x1b[31mone\x1b[0m?\nThe left one?"),
    user="It is a circle.",
    shards=(1,),
    thinking="Hm.\nA circle.",
    finish_reason="stop",
    prompt_tokens=1234,
    cached_tokens=1000,
    completion_tokens=12,
    user_fallback=True,
    user_prompt_tokens=50,
    user_completion_tokens=7,
    logprobs=TokenLogprobs(("a",), (-0.5,), ((-0.5,),), (0,), ("positive",)),
)
LAST = replace(
    turn(reply=None),
    question=True,
    status=Status.TRUNCATED,
    error="cut off",
    prompt_tokens=2000,
    completion_tokens=3,
)
SENT = PictureRecord("s1", 2, "ab" * 32, "cd" * 32, 99, 28, 40, 20, 40, 1.0, 8, 0)


@pytest.fixture
def folder(tmp_path):
    talk = conversation("aligned-vq", "q1", 2, Status.TRUNCATED, (FIRST, LAST), "strict")
    asked = replace(question("q1", "s1", ((1, 2), (3,))), answer_description="shape and colour")
    right = JudgementRecord(
        "aligned-vq",
        "q1",
        2,
        JudgeStatus.OK,
        False,
        1,
        (Attempt(1, "a circle", True),),
        flags=("look-alikes",),
    )
    failed = replace(judgement("aligned-vq", "q1", 2, None, JudgeStatus.PARSE_ERROR), error="no JSON")
    settings = {
        "user": {"name": "llm", "temperature": 1.0},
        "seed": 7,
        "lvqa": "0.1.0",
        "prompts": {name: load_prompt(name).sha256 for name in ("layer_label", "composite_label")},
    }
    held = [talk, conversation("full", "q1")]
    judged = {"exact": [right], "model": [failed]}
    run = write_run(tmp_path / "run", ["full", "aligned-vq"], 2, [asked], held, judged, **settings).folder
    with PictureLog.open(run) as log:
        log.add(SENT)
    return run


def test_a_conversation_is_told_turn_by_turn(folder):
    assert show(folder, "aligned-vq", "q1", 2) == (
        0,
        [
            "aligned-vq, question q1, run 2: truncated",
            "scene      s1, 4 layers; category spatial",
            "question   What is left of the square?",
            "answer     a red circle (shape and colour)",
            "evidence   layers {1, 2} or {3}",
            "delivery   misalignment: strict",
            "",
            "Turn 1 of 2",
            "picture    Image 1: the whole scene",
            "picture    Image 2: layer 2  (28x40, of 20x40; sha256 abababababababab)",
            "brings     shard 1",
            "fallback   the schedule's words; the simulated user gave none to use",
            "user       It is a circle.",
            "thinking   13 characters; --thinking shows them",
            "assistant  Which \ufffd[31mone\ufffd[0m?",
            "           The left one?",
            "status     ok; finish reason stop; 1,234 tokens in (1,000 cached), 12 out; user 50 in, 7 out; "
            "log-probabilities of 1 tokens (positive); seed 1",
            "",
            "Turn 2 of 2",
            "brings     the question",
            "user       Here it is.",
            "assistant  (nothing)",
            "error      cut off",
            "status     truncated; 2,000 tokens in, 3 out; seed 1",
            "",
            "Judgements",
            "exact      wrong in the last turn; first right in turn 1",
            "attempt    turn 1: 'a circle': right",
            "flag       look-alikes",
            "model      parse_error: no JSON",
        ],
    )
    _, lines = show(folder, "aligned-vq", "q1", 2, "--thinking")
    assert lines[13:15] == ["thinking   Hm.", "           A circle."]


def test_a_run_is_shown_in_figures(folder):
    code, lines = show(folder)
    assert code == 0
    assert lines[:7] == [
        "Model      some/model-4b",
        "Dataset    layered-vqa 1.0.0, manifest sha256 0123456789abcdef",
        "Questions  1",
        "Runs       2",
        "User       name llm, temperature 1.0",
        "Seed       7",
        "Made with  lvqa 0.1.0",
    ]
    assert (
        lines[7] == f"Identity   {RunStore.open(folder).identity.digest()}, in full in {folder / 'run.yaml'}"
    )
    table = [line.split() for line in lines[9:]]
    heads = re.split("  +", lines[9])
    assert heads[:5] == ["Condition", "Done", "Planned", "ok", "truncated"]
    assert heads[5:] == ["Tokens in", "Cached", "Tokens out", "User's tokens"]
    assert table[2] == ["full", "1", "2", "1", "-", "-", "-", "-", "-"]
    assert table[3] == ["aligned-vq", "1", "2", "-", "1", "3,234", "1,000", "15", "57"]
    assert table[4] == ["all", "2", "4", "1", "1", "3,234", "1,000", "15", "57"]
    assert table[6:] == [
        ["Judge", "ok", "parse_error"],
        ["-----", "--", "-----------"],
        ["exact", "1", "-"],
        ["model", "-", "1"],
    ]


def test_every_condition_of_a_run_is_counted(tmp_path):
    _, lines = show(small_run(tmp_path / "run").folder)
    rows = {
        line.split()[0]: line.split()[1:6] for line in lines if line.startswith(("full", "sharded", "all "))
    }
    assert rows == {
        "full": ["12", "12", "12", "-", "-"],
        "sharded-v": ["10", "12", "9", "1", "-"],
        "all": ["46", "48", "44", "1", "1"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "q1"), "CONDITION: found 'x', held: aligned-vq, full"),
        (("full", "q2"), "QUESTION: found 'q2', held under full: q1"),
        (("full", "q1", 2), "N: found 2, held: 1"),
        (("full",), "QUESTION: missing; allowed: q1"),
        (("--save-images", "there"), "--save-images: name a CONDITION and a QUESTION too"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(folder, arguments, message):
    assert show(folder, *arguments) == (1, [f"Error: {message}"])


def test_other_labels_than_those_of_the_run_are_pointed_out(tmp_path):
    run = write_run(
        tmp_path / "run",
        ["full"],
        1,
        [question("q1", "s1")],
        [conversation("full", "q1")],
        {},
        prompts={"layer_label": "x"},
    )
    result = CliRunner().invoke(main, ["runs", "show", str(run.folder), "full", "q1"])
    assert "had other words than this version's" in result.stderr


@pytest.fixture
def delivered(tmp_path):
    """Give a run over a small dataset, with the record of its pictures, and the dataset."""
    dataset = open_dataset(
        str(build(SmallSource(scenes=1), tmp_path / "set", "1.0.0", ConditionOptions()).folder)
    )
    row = dataset.rows("all-layers")[0]
    scene = dataset.scenes()[0]
    talk = conversation("all-layers", row.question_id, turns=[turn([0, 3, 3], composite=True)])
    identity = {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": dataset.manifest_sha256}
    run = write_run(
        tmp_path / "run",
        ["all-layers"],
        1,
        [question(row.question_id, scene.scene_id)],
        [talk],
        {},
        dataset=identity,
        images=Rendering("grey").identity(),
    )

    async def send():
        with PictureLog.open(run.folder) as log:
            pictures = PictureStore(Rendering("grey"), record=log.add)
            for layer, name in [(None, scene.composite_file_name), *enumerate(scene.layers_file_names)]:
                await pictures.picture(PictureKey(scene.scene_id, layer, name), dataset.picture)

    asyncio.run(send())
    return run.folder, row.question_id, dataset


def test_pictures_are_written_exactly_as_they_were_sent(delivered, tmp_path):
    run, name, dataset = delivered
    code, lines = show(
        run, "all-layers", name, "--save-images", tmp_path / "png", "--dataset", dataset.folder
    )
    assert (code, lines[-1]) == (0, f"{tmp_path / 'png'}: 4 pictures")
    written = sorted((tmp_path / "png").iterdir())
    assert [path.name for path in written] == [
        "01-turn-01-composite.png",
        "02-turn-01-layer-0.png",
        "03-turn-01-layer-3.png",
        "04-turn-01-layer-3.png",
    ]
    shown = [line.rpartition("sha256 ")[2].rstrip(")") for line in lines if line.startswith("picture")]
    assert [hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in written] == shown


def test_pictures_of_another_dataset_are_refused(delivered, tmp_path):
    run, name, _ = delivered
    other = build(SmallSource(scenes=2), tmp_path / "other", "2.0.0", ConditionOptions()).folder
    code, lines = show(run, "all-layers", name, "--save-images", tmp_path / "png", "--dataset", other)
    assert code == 1
    assert lines[-1].startswith(f"Error: {other}: manifest.json: found sha256 ")
    assert not (tmp_path / "png").exists()


def test_a_picture_that_changed_since_is_refused(delivered, tmp_path):
    run, name, dataset = delivered
    path = dataset.picture(dataset.scenes()[0].layers_file_names[3])
    path.write_bytes(dataset.picture(dataset.scenes()[0].layers_file_names[2]).read_bytes())
    code, lines = show(
        run, "all-layers", name, "--save-images", tmp_path / "png", "--dataset", dataset.folder
    )
    assert code == 1
    assert lines[-1].startswith("Error: scene s1, layer 3: found pixels ")
    assert not (tmp_path / "png").exists()


def test_control_characters_never_reach_a_terminal():
    assert printable("a\x1b]0;x\x07b\tc\r\nd\x9be\x00") == "a\ufffd]0;x\ufffdb\tc\nd\ufffde\ufffd"


def test_a_terminal_gets_the_same_words_in_style(monkeypatch, capsys):
    monkeypatch.setattr(terminal.sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    print_table([Column("Run"), Column("Done", "right")], [["a-rather-long-name", "1"], ["[b]", "22"]])
    print_labelled(
        [Labelled("", "Turn 1"), Labelled("user", "word " * 20), Labelled("label", "ok\x1b[2J", "dim")]
    )
    written = capsys.readouterr().out
    assert "\x1b[2J" not in written
    words = re.sub(r"\x1b\[[0-9;]*m|─", "", written)
    assert [line.split() for line in words.splitlines()] == [
        ["Run", "Done"],
        [],
        ["a-rather-long-name", "1"],
        ["[b]", "22"],
        [],
        ["Turn", "1"],
        ["user", *["word"] * 10],
        [*["word"] * 10],
        ["label", "ok\ufffd[2J"],
    ]
