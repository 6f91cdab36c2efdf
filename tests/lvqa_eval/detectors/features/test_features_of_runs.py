"""`lvqa features`: from a run folder to signals of its answers, whatever came between."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from lvqa_eval.detectors.features import extract
from lvqa_eval.detectors.features.model import same_model
from lvqa_eval.detectors.features.read import feature_folders, read_features, text_sha256
from lvqa_eval.detectors.features.store import FeatureStore
from lvqa_eval.main import main
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.page_folder import page_folder
from tests.support.read_runs import REPLIES, answers_of, layered_run, pages_run

pytestmark = pytest.mark.usefixtures("one_load")


@pytest.fixture
def one_load(readers, monkeypatch):
    """Load each model once for all tests; what is asked for is checked."""

    def load(name, revision, device, dtype):
        assert (revision, dtype) == (None, "auto")
        return readers(name)

    monkeypatch.setattr(extract, "load_model", load)


def lvqa(run, dataset, *words, model="qwen2_5_vl", fails=False):
    given = ("features", run.folder, "--model", model, "--device", "cpu", "--dataset", dataset, *words)
    result = CliRunner().invoke(main, [str(word) for word in given])
    assert (result.exit_code != 0) is fails, result.output
    return result.stderr.strip() if fails else result.stdout.strip()


def signals(run, condition):
    (folder,) = feature_folders(run.folder)
    return read_features(folder, answers_of(run, condition))


def test_answers_of_a_run_become_signals(tmp_path, scenes, readers):
    run = layered_run(tmp_path / "run", scenes)
    told = lvqa(run, scenes, "--condition", "full", "--condition", "sharded-v")
    assert told == f"{run.folder / 'features' / 'qwen2_5_vl'}: 12 of 12 answers have features"
    reader = readers("qwen2_5_vl")
    for condition in ("full", "sharded-v"):
        answers, found = answers_of(run, condition), signals(run, condition)
        assert (found.source, found.depth) == ("qwen2_5_vl", 2)
        assert found.about["model"]["files_sha256"] == reader.files.identity()["files_sha256"]
        assert {layer: states.shape for layer, states in found.hidden.items()} == {1: (6, 64), 2: (6, 64)}
        tokenizer = reader.processor.tokenizer
        for answer, tokens, patches in zip(answers.items, found.tokens, found.patches, strict=True):
            assert len(tokens.logprobs) == len(tokenizer(answer.reply)["input_ids"])
            assert (tokens.logprobs < 0).all()
            assert tokens.entropies_upper is tokens.entropies
            sent = sum(len(turn.layers) + turn.composite for turn in answer.conversation.turns)
            assert len(patches.grids) == sent
            assert set(patches.cosines) == set(reader.depths.pairs)
            assert all(len(one) == sum(r * c for r, c in patches.grids) for one in patches.cosines.values())
    # sharded-v sends layer after layer, full one picture.
    assert {len(one.grids) for one in signals(run, "full").patches} == {1}
    assert {len(one.grids) for one in signals(run, "sharded-v").patches} == {4}


def test_pages_are_read_as_they_were_sent(tmp_path):
    dataset = page_folder(tmp_path / "pages")
    run = pages_run(tmp_path / "run", dataset)
    assert "8 of 8 answers" in lvqa(run, dataset)
    assert "8 of 8 answers" in lvqa(run, dataset, "--condition", "downsample-2")
    whole, smaller = signals(run, "default"), signals(run, "downsample-2")
    # 240 x 180 pixels: scaled to 16 positions of 28 a side, four columns and three rows are whole.
    assert whole.patches[0].grids == ((3, 4),)
    # Half of 64 x 52 and of 64 x 56 are 32 x 26 and 32 x 28: one position.
    assert [one.grids for one in smaller.patches][2:4] == [((1, 1),), ((1, 1),)]


def test_what_was_killed_goes_on_to_the_same_rows(tmp_path, scenes, monkeypatch):
    monkeypatch.setattr(extract, "PART_ROWS", 2)
    run = layered_run(tmp_path / "run", scenes)
    words = ("--batch-tokens", "250", "--condition", "sharded-v")
    lvqa(run, scenes, *words, "--name", "whole")
    whole = FeatureStore.open(run.folder / "features" / "whole")
    assert len(list(whole.tables())) == 3

    added, add = [], FeatureStore.add

    def dies(store, rows):
        if len(added) == 2:
            raise KeyboardInterrupt
        added.append(rows)
        add(store, rows)

    monkeypatch.setattr(FeatureStore, "add", dies)
    lvqa(run, scenes, *words, "--name", "killed", fails=True)
    monkeypatch.setattr(FeatureStore, "add", add)
    killed = FeatureStore.open(run.folder / "features" / "killed")
    assert len(killed.finished()) == sum(map(len, added)) < 6
    lvqa(run, scenes, *words, "--name", "killed")
    parts = {path.name: path.read_bytes() for path in killed.folder.iterdir()}
    assert parts == {path.name: path.read_bytes() for path in whole.folder.iterdir()}


def test_finished_answers_are_passed_over(tmp_path, scenes, readers, monkeypatch):
    run = layered_run(tmp_path / "run", scenes)
    lvqa(run, scenes)
    before = sorted((run.folder / "features" / "qwen2_5_vl").iterdir())
    asked, reader = [], readers("qwen2_5_vl")
    monkeypatch.setattr(type(reader), "read", lambda self, batch: asked.append(batch))
    lvqa(run, scenes)
    assert (asked, sorted((run.folder / "features" / "qwen2_5_vl").iterdir())) == ([], before)


def test_shares_make_a_whole(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes)
    told = [lvqa(run, scenes, "--part", f"{number}/3") for number in (1, 2, 3)]
    counts = [int(line.rpartition(": ")[2].split()[0]) for line in told]
    assert sum(counts) == 6
    assert all(one is not None for one in signals(run, "full").tokens)
    assert "allowed: i/n with i from 1 to n" in lvqa(run, scenes, "--part", "4/3", fails=True)


def test_only_answers_are_read(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes)
    lines = (run.folder / "conversations.jsonl").read_text().splitlines()
    # The status of the conversation stands before those of its turns.
    changed = lines[0].replace('"status":"ok"', '"status":"truncated"', 1)
    (run.folder / "conversations.jsonl").write_text("\n".join([changed, *lines[1:]]) + "\n")
    again = RunStore.open(run.folder)
    assert next(iter(again.conversations().values())).status is Status.TRUNCATED
    assert "5 of 5 answers" in lvqa(again, scenes)


def test_an_answer_of_other_words_has_no_features(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes)
    lvqa(run, scenes)
    answers = answers_of(run, "full")
    (folder,) = feature_folders(run.folder)
    first = answers.items[0]
    last = replace(first.conversation.turns[-1], reply="something else")
    talk = replace(first.conversation, turns=(*first.conversation.turns[:-1], last))
    other = replace(answers, items=(replace(first, conversation=talk), *answers.items[1:]))
    found = read_features(folder, other)
    only_first = [True, False, False, False, False, False]
    assert [one is None for one in found.tokens] == only_first
    assert [one is None for one in found.patches] == only_first
    for states in found.hidden.values():
        assert np.isnan(states).all(axis=1).tolist() == only_first
    none = read_features(folder, replace(other, items=other.items[:1]))
    assert (none.tokens, none.hidden, none.patches) == ([None], {}, [None])


def test_an_answer_too_long_for_the_model_is_left_out(tmp_path, scenes, readers, monkeypatch):
    run = layered_run(tmp_path / "run", scenes)
    monkeypatch.setattr(type(readers("qwen2_5_vl")), "context", 20)
    told = lvqa(run, scenes)
    assert told.endswith(": 0 of 6 answers have features; 6 left out: too long for the model")


def test_the_answering_model_itself_is_native(tmp_path, scenes, readers):
    files = readers("qwen2_5_vl").files.identity()["files_sha256"]
    run = layered_run(tmp_path / "run", scenes, model={"name": "some/name", "files_sha256": files})
    lvqa(run, scenes)
    lvqa(run, scenes, model="qwen3_vl")
    found = [read_features(folder, answers_of(run, "full")) for folder in feature_folders(run.folder)]
    assert [one.source for one in found] == ["native", "qwen3_vl"]
    assert [one.about["native"] for one in found] == [True, False]


def test_models_are_the_same_by_their_files_or_their_commit():
    here = {"name": "a", "revision": None, "files_sha256": "12"}
    hub = {"name": "org/a", "revision": "c0ffee", "files_sha256": None}
    assert same_model(here, {"name": "b", "revision": None, "files_sha256": "12"})
    assert not same_model(here, here | {"files_sha256": "34"})
    assert not same_model(here, {"name": "a", "revision": None, "files_sha256": None})
    assert same_model(hub, dict(hub))
    assert not same_model(hub, hub | {"revision": "decaf"})
    assert not same_model(hub | {"revision": None}, hub | {"revision": None})


def test_what_shapes_features_is_recorded(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes, sampling={"chat_template_kwargs": {"enable_thinking": True}})
    lvqa(run, scenes)
    (folder,) = feature_folders(run.folder)
    found = yaml.safe_load((folder / "identity.yaml").read_text())
    assert set(found) == {
        *("rules", "native", "model", "dtype", "width", "depth", "hidden_layers", "lens_layers"),
        *("pictures", "versions", "template_settings"),
    }
    assert found["pictures"] == {
        "size": {"longest_edge": 12544, "shortest_edge": 784},
        "patch_size": 14,
        "merge_size": 2,
        "do_resize": True,
    }
    assert set(found["versions"]) == {"torch", "transformers"}
    assert {"revision", "chat_template_sha256", "files_sha256"} <= set(found["model"])


def test_a_row_says_whose_it_is(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes, runs=2)
    lvqa(run, scenes)
    (folder,) = feature_folders(run.folder)
    held = {key: talk.turns[-1].reply for key, talk in run.conversations().items() if key.condition == "full"}
    expected = {(Key(*key), text_sha256(reply)) for key, reply in held.items()}
    assert FeatureStore.open(folder).finished() == expected
    assert len(expected) == 12
    assert set(held.values()) == set(REPLIES)


def test_another_model_under_the_same_name_is_refused(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes)
    lvqa(run, scenes, "--name", "proxy")
    message = lvqa(run, scenes, "--name", "proxy", model="qwen3_vl", fails=True)
    assert "identity.yaml: made with other settings" in message
    assert 'model.name: this run has "qwen2_5_vl", asked for "qwen3_vl"' in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--condition", "concat-v"), "condition: found concat-v, held: full, sharded-v"),
        (("--batch-tokens", "0"), "0 is not in the range x>=1"),
    ],
)
def test_what_is_not_there_is_named(tmp_path, scenes, words, message):
    run = layered_run(tmp_path / "run", scenes)
    assert message in lvqa(run, scenes, *words, fails=True)


def test_a_run_with_other_prompts_cannot_be_sent_again(tmp_path, scenes):
    run = layered_run(tmp_path / "run", scenes, prompts={"single_turn": "an older one"}, lvqa="0.0.9")
    message = lvqa(run, scenes, fails=True)
    assert "prompts: single_turn had other words when the run was made; lvqa 0.0.9 has them" in message
