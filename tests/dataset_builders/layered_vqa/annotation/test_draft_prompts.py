"""Prompts of the three calls: loaded whole, hashed whole, replaced by a folder, refused with every reason."""

import json
import re
from dataclasses import replace
from importlib.resources import files

import pytest

from dataset_builders.layered_vqa.annotation import prompts as package
from dataset_builders.layered_vqa.annotation.prompts import PromptsError, load_prompts
from dataset_builders.layered_vqa.annotation.replies import ShardReply
from dataset_builders.layered_vqa.annotation.shard_checks import shard_findings
from dataset_builders.layered_vqa.example import CATEGORIES
from tests.support.draft_replies import ASKED

OWN = load_prompts()


def test_every_call_has_the_rules_of_its_category_and_no_others():
    for category in CATEGORIES:
        shard, evidence, verify = (OWN.rules(call, category) for call in ("shard", "evidence", "verify"))
        text = OWN.texts[f"category_{category}"].text
        first, second = (part.strip() for part in re.split(r"^## .*$", text, flags=re.MULTILINE)[1:])
        assert (first in shard, second in shard) == (True, False)
        assert (first in evidence, second in evidence) == (False, True)
        assert (first in verify, second in verify) == (True, True)
        assert not any("$" in words for words in (shard, evidence, verify))


def test_the_first_call_is_told_nothing_of_pictures_layers_or_answers():
    words = OWN.rules("shard", "counting")
    assert "You see neither the picture nor the answer" in words
    assert "gold" not in words


def test_the_example_in_the_prompt_keeps_every_rule():
    text = OWN.texts["shard"].text
    question = re.search(r'For "(.+?)" a good reply', text)[1]
    (reply,) = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    asked = replace(ASKED, question=question, answer="cat")
    assert list(shard_findings(asked, ShardReply.model_validate(reply), OWN.words)) == []


def test_the_hash_is_of_every_file():
    assert len(OWN.hashes) == 13
    assert {"shard", "evidence", "verify", "repair", "words", "layer_label", "composite_label"} < set(
        OWN.hashes
    )
    assert load_prompts().sha256 == OWN.sha256
    assert re.fullmatch("[0-9a-f]{64}", OWN.sha256)


def test_a_folder_replaces_what_it_has_and_changes_the_hash(tmp_path):
    (tmp_path / "shard.md").write_text("Split it.\n\n$rules\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    other = load_prompts(tmp_path)
    assert other.rules("shard", "counting").startswith("Split it.\n\nThis question asks for a number")
    assert other.texts["verify"] == OWN.texts["verify"]
    assert {name for name in OWN.hashes if other.hashes[name] != OWN.hashes[name]} == {"shard"}
    assert other.sha256 != OWN.sha256


def test_a_copy_of_the_projects_own_folder_has_its_hash(tmp_path):
    for path in files(package).iterdir():
        if path.name.endswith((".md", ".yaml")):
            (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert load_prompts(tmp_path).sha256 == OWN.sha256


def test_words_of_another_language_are_text_whatever_yaml_makes_of_them(tmp_path):
    (tmp_path / "words.yaml").write_text(
        "free: No on\nconnectives: потом\nbenchmark: слой\n", encoding="utf-8"
    )
    lists = load_prompts(tmp_path).words
    assert (lists.free, lists.connectives, lists.benchmark) == ({"no", "on"}, {"потом"}, {"слой"})


def test_everything_wrong_with_a_folder_is_told_at_once(tmp_path):
    (tmp_path / "shards.md").write_text("$rules", encoding="utf-8")
    (tmp_path / "shard.md").write_text("$rules and $question", encoding="utf-8")
    (tmp_path / "evidence.md").write_text("for 5 $", encoding="utf-8")
    (tmp_path / "category_counting.md").write_text("## Shards\n\nCount.", encoding="utf-8")
    (tmp_path / "words.yaml").write_text("free: [a, b]\nconnectives: x\nbenchmark: y\n", encoding="utf-8")
    with pytest.raises(PromptsError) as caught:
        load_prompts(tmp_path)
    lines = str(caught.value).replace(f"{tmp_path}: ", "").splitlines()
    assert sorted(line.split(", allowed")[0] for line in lines) == [
        "category_counting.md: found nothing under the heading '## Evidence'",
        "evidence.md: found a $ that begins no name",
        "shard.md: found the holes $question, $rules",
        "shards.md: found this name",
        "words.yaml: free: found a list",
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("other.txt", b"x", "found no prompts"),
        ("shard.md", b"\xff $rules", "UTF-8"),
        (
            "words.yaml",
            b"free: a\n",
            "found the fields free, allowed: the fields free, connectives, benchmark",
        ),
        ("words.yaml", b"- a\n", "found no fields"),
        ("words.yaml", b"free: [", "not YAML"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PromptsError, match=re.escape(reason)):
        load_prompts(tmp_path)
