"""How a server is told to hold replies to a schema."""

import json

import pytest

from lvqa_eval.judging.model_servers import ModelServers
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.serving.request import Sampling
from lvqa_eval.serving.structured import compact, held_to

CONFIG = "--structured-outputs-config"


def test_a_server_of_ours_is_told_to_write_compact_json():
    name, value = compact(())
    assert name == CONFIG
    assert json.loads(value) == {"backend": "xgrammar", "disable_any_whitespace": True}


@pytest.mark.parametrize("own", [(CONFIG, "{}"), (f"{CONFIG}={{}}",)])
def test_what_somebody_says_of_it_stands(own):
    assert compact(own) == ()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (JudgeOptions(), 1),
        (JudgeOptions(structured=False), 0),
        (JudgeOptions(server_arguments=(f'{CONFIG}={{"backend":"guidance"}}',)), 0),
    ],
)
def test_a_judges_verdicts_say_how_its_server_held_them(tiny_model, options, told):
    known = ModelServers(str(tiny_model), (), options, gpu=False).known
    assert json.dumps(known).count("disable_any_whitespace") == told


def test_a_request_names_the_schema_and_keeps_what_else_was_asked():
    held = held_to(Sampling(extra={"min_p": 0.1}), "verdict", {"type": "object"})
    assert held.extra == {
        "min_p": 0.1,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "schema": {"type": "object"}},
        },
    }
