"""What a model is asked about a page, and how its reply is read."""

import hashlib
import json

import pytest

from dataset_builders.bear_bench.classify.contract import SCHEMA, LabelsError, prompt, read_labels
from dataset_builders.bear_bench.records import LABELS


def reply(*held, **changes):
    return json.dumps({"seen": "A page.", **{label: label in held for label in LABELS}, **changes})


def test_labels_come_in_their_order_whatever_the_reply_has():
    assert read_labels(reply("figures", "diagrams")) == ("diagrams", "figures")
    assert read_labels(reply()) == ()


@pytest.mark.parametrize(
    "text",
    [
        f"Here it is:\n```json\n{reply('code')}\n```",
        reply("code").replace("true", '"yes"').replace("false", "0"),
        reply("code").replace("true", '"да"').replace("false", '"нет"'),
        reply("code") + "\n" + reply("code"),
    ],
)
def test_what_a_model_writes_round_it_does_no_harm(text):
    assert read_labels(text) == ("code",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I see a table.", "no JSON object"),
        ("", "no JSON object"),
        ('{"seen": "a table", "tables": true}', "diagrams: missing"),
        (reply(tables="maybe"), "tables: found 'maybe'"),
        (reply(tables=None), "tables: found None"),
        (reply(code=2), "code: found 2"),
        (reply("code") + reply("tables"), "2 different JSON objects"),
        (reply()[:-1] + ', "code": true}', "code: found two different values"),
    ],
)
def test_what_is_missing_or_in_doubt_is_no_label(text, told):
    with pytest.raises(LabelsError, match=told):
        read_labels(text)


def test_the_schema_asks_for_what_is_read():
    assert SCHEMA["required"] == ["seen", *LABELS]
    assert read_labels(reply("tables")) == ("tables",)


def test_the_prompt_names_every_kind_and_has_the_hash_of_its_words():
    asked = prompt("silver_labels")
    assert all(f"- {label}:" in asked.text for label in LABELS)
    assert asked.sha256 == hashlib.sha256(asked.text.encode()).hexdigest()
    assert "$" not in asked.text
    assert "code: missing" in prompt("silver_again").fill(fault="code: missing")
