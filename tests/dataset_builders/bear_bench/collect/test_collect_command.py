"""The command: a source's fields as its options, and errors that say what to do."""

import shlex

from click.testing import CliRunner

from dataset_builders.bear_bench.collect.source import DOCUMENT_SOURCES
from lvqa_eval.main import main
from tests.support.document_sites import made_pdf


def call(*words):
    return CliRunner().invoke(main, ["build", "bear", "collect", *map(str, words)])


def test_every_source_has_a_command_with_an_example_that_is_understood():
    for name in DOCUMENT_SOURCES.names():
        help_of = call(name, "--help")
        assert help_of.exit_code == 0, help_of.output
        assert f"Example: lvqa build bear collect {name} work --" in " ".join(help_of.output.split())
        kind = DOCUMENT_SOURCES.get(name)
        given = [word for word in shlex.split(kind.example) if word.startswith("--")]
        assert all(word[2:].replace("-", "_") in kind.model_fields for word in given)
    assert [name for name in DOCUMENT_SOURCES.names() if f"  {name} " not in call("--help").output] == []


def test_a_folder_is_collected(tmp_path):
    (tmp_path / "a.pdf").write_bytes(made_pdf("a"))
    done = call("folder", tmp_path / "work", "--path", tmp_path, "--domain", "business", "--type", "order")
    assert done.exit_code == 0, done.output
    assert done.output == "collect: 1 documents kept, 0 dropped\n  kept           1  folder: order\n"


def test_without_a_user_agent_nothing_is_asked_and_nothing_is_made(tmp_path):
    done = call("arxiv", tmp_path / "work")
    assert done.exit_code == 1
    assert "--user-agent: found none; it names your organisation and an address of a person" in done.output
    assert "SEC asks" in done.output
    assert not (tmp_path / "work").exists()


def test_wrong_options_are_named_together(tmp_path):
    done = call("edgar", tmp_path / "work", "--per-company", "0", "--since", "yesterday")
    assert done.exit_code == 2
    assert "--company: needed by collect edgar" in done.output
    assert "--per-company: Input should be greater than or equal to 1, found 0" in done.output
    assert "--since: String should match pattern" in done.output


def test_an_interval_below_what_the_site_asks_for_is_refused(tmp_path):
    done = call("cyberleninka", tmp_path / "work", "--interval", "1")
    assert done.exit_code == 2
    assert "--interval: found 1; cyberleninka asks for 3 seconds or more" in done.output


def test_an_unknown_source_is_refused(tmp_path):
    done = call("elibrary", tmp_path / "work")
    assert done.exit_code == 2
    assert "No such command 'elibrary'" in done.output
