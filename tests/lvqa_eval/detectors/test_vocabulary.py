import json

from lvqa_eval.detectors import vocabulary as module
from lvqa_eval.detectors.vocabulary import vocabulary
from lvqa_eval.serving.model import Model


def test_the_vocabulary_is_that_of_the_models_files_at_the_runs_revision(tmp_path, monkeypatch):
    asked = []

    def find_model(name, revision, *, fetch):
        asked.append((name, revision, fetch))
        return Model(name, tmp_path, revision)

    monkeypatch.setattr(module, "find_model", find_model)
    settings = {"model": {"name": "some/model-4b", "revision": "0f3a"}}
    assert vocabulary(settings) is None
    (tmp_path / "config.json").write_text(
        json.dumps({"vocab_size": 9, "text_config": {"vocab_size": 151936}})
    )
    assert vocabulary(settings) == 151936
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": 9}))
    assert vocabulary(settings) == 9
    assert set(asked) == {("some/model-4b", "0f3a", False)}


def test_a_model_without_a_revision_is_not_looked_for():
    assert vocabulary({"model": {"name": "gpt", "revision": None}}) is None
    assert vocabulary({"model": {"name": "some/model-4b"}}) is None
    assert vocabulary({}) is None
