from dataclasses import replace

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import open_dataset
from lvqa_eval.plan import make_plan
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.structured import compact
from lvqa_eval.settings import Settings, identity
from tests.support.sources import SmallSource


def test_a_run_records_the_commit_of_a_dataset_of_the_hub(tmp_path):
    built = build(SmallSource(scenes=1), tmp_path / "layered-vqa", "1.0.0", ConditionOptions())
    local = open_dataset(str(built.folder))
    plan = make_plan(LAYERED_VQA, local, ("full",), 1, None)
    settings, model = Settings(model="org/model"), Model("org/model", None, None)
    assert "revision" not in identity(settings, local, plan, model, None)["dataset"]
    fetched = identity(settings, replace(local, revision="ab" * 20), plan, model, None)
    assert fetched["dataset"]["revision"] == "ab" * 20
    assert fetched["dataset"]["manifest_sha256"] == local.manifest_sha256


@pytest.mark.parametrize(
    ("chosen", "form"),
    [
        ({}, ()),
        ({"user": "llm"}, compact(())),
        ({"user": "llm", "user_structured": False}, ()),
    ],
)
def test_a_server_whose_model_speaks_as_the_user_too_holds_it_to_compact_json(tmp_path, chosen, form):
    built = build(SmallSource(scenes=1), tmp_path / "layered-vqa", "1.0.0", ConditionOptions())
    settings = Settings(model="org/model", context=4096, server_arguments=("--enforce-eager",), **chosen)
    plan = make_plan(LAYERED_VQA, open_dataset(str(built.folder)), ("full",), 1, None)
    started = settings.server(plan, Model("org/model", None, None))
    assert started.extra == (*form, "--enforce-eager")
