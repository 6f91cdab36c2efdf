import json

import pytest

from lvqa_eval.serving.model import find_model, fingerprint


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "my-model"
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"text_config": {"max_position_embeddings": 262144}}))
    (path / "chat_template.jinja").write_text("{{ messages }}")
    (path / "model.safetensors").write_bytes(bytes(3 << 20))
    return path


def test_a_folder_is_named_by_itself_and_fingerprinted(folder):
    model = find_model(str(folder), None, fetch=True)
    assert model.served_name == "my-model"
    identity = model.identity()
    assert identity["name"] == "my-model"
    assert len(identity["chat_template_sha256"]) == 64
    assert identity["files_sha256"] == fingerprint(folder)


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"text_config": {"max_position_embeddings": 262144}}, 65536),
        ({"max_position_embeddings": 32768}, 32768),
        ({}, None),
    ],
)
def test_the_context_is_the_published_one_or_the_models_own(folder, config, context):
    (folder / "config.json").write_text(json.dumps(config))
    assert find_model(str(folder), None, fetch=False).context() == context


@pytest.mark.parametrize("place", [0, 5, (3 << 20) - 1])
def test_a_fingerprint_sees_both_ends_of_a_file_names_and_sizes(folder, place):
    before = fingerprint(folder)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[place] = 1
    (folder / "model.safetensors").write_bytes(weights)
    changed = fingerprint(folder)
    assert changed != before
    (folder / "config.json").rename(folder / "renamed.json")
    assert fingerprint(folder) not in (before, changed)


def test_a_hub_id_is_resolved_in_the_cache_without_asking_the_hub(tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    snapshot = tmp_path / "models--org--name" / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text(json.dumps({"max_position_embeddings": 40960}))
    (tmp_path / "models--org--name" / "refs").mkdir()
    (tmp_path / "models--org--name" / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    model = find_model("org/name", None, fetch=False)
    assert (model.served_name, model.revision, model.context()) == ("org/name", commit, 40960)
    assert model.identity()["files_sha256"] is None


@pytest.mark.parametrize("name", ["gpt-next", "org/unknown"])
def test_a_name_that_only_a_server_knows_is_kept(name, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    model = find_model(name, "r1", fetch=False)
    assert (model.served_name, model.folder, model.context()) == (name, None, None)
    assert model.identity() == {
        "name": name,
        "revision": "r1",
        "chat_template_sha256": None,
        "dtype": None,
        "quantization": None,
        "processor": None,
        "files_sha256": None,
    }


def test_precision_quantisation_and_the_limits_of_pictures_are_told(folder):
    config = {"text_config": {"dtype": "bfloat16"}, "quantization_config": {"quant_method": "fp8"}}
    (folder / "config.json").write_text(json.dumps(config))
    scaling = {"size": {"shortest_edge": 65536, "longest_edge": 16777216}, "image_mean": [0.5]}
    (folder / "preprocessor_config.json").write_text(json.dumps(scaling | {"patch_size": 14}))
    (folder / "processor_config.json").write_text(json.dumps({"image_processor": {"patch_size": 16}}))
    identity = find_model(str(folder), None, fetch=False).identity()
    assert identity["dtype"] == "bfloat16"
    assert identity["quantization"] == {"quant_method": "fp8"}
    assert identity["processor"] == {"size": scaling["size"], "patch_size": 16}
