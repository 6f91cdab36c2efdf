"""Publishing to a Hub on the loopback address: what is sent, kept, replaced and refused."""

import pytest
from click.testing import CliRunner

from dataset_builders.publishing.errors import PublishError
from lvqa_eval.main import main
from tests.support.publishing import NAME, built, content, publish_killed, publish_quietly

# The client's own way of sending files.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def folder(tmp_path):
    return built(tmp_path / "layered-vqa")


def test_the_repository_holds_exactly_the_folder_under_its_tag(hub, folder):
    done, told = publish_quietly(folder)
    repo = hub.repos[NAME]
    assert repo.tree("v1.0.0") == repo.tree("main") == content(folder)
    assert (done.commit, done.tag) == (repo.branches["main"], "v1.0.0")
    assert not repo.private
    assert told[0] == f"{NAME} (new) at main, version 1.0.0"
    assert f"  add     {len(content(folder)):>6} files" in told[1]
    # 17 tables and descriptions with 8 pictures, six a commit; then card and manifest.
    planned = -(-(len(content(folder)) - 2) // 6) + 1
    assert f"  commits {planned:>6}, " in "\n".join(told)
    assert len(repo.commits) == planned + 1
    assert sorted(set(repo.tree("main")) - set(repo.tree(repo.commits[done.commit].parent))) == [
        "README.md",
        "manifest.json",
    ]


def test_a_dry_run_shows_the_plan_and_sends_nothing(hub, folder):
    done, told = publish_quietly(folder, dry_run=True)
    assert done is None
    assert hub.writes() == []
    assert hub.repos == {}
    assert "  licence CC-BY-4.0: attribution" in told
    publish_quietly(folder)
    built(folder, "1.1.0", scenes=1, depth=4)
    before = len(hub.requests)
    _, told = publish_quietly(folder, dry_run=True)
    assert all(line.startswith("GET ") for line in hub.requests[before:])
    counts = {line.split()[0]: int(line.split()[1]) for line in told if " files " in line}
    # Of scene s1: a third object is new; composite and background differ in every pixel, the two other layers
    # and the rest in their content; scene s2 goes.
    assert (counts["add"], counts["delete"]) == (1, 4)
    assert counts["add"] + counts["change"] + counts["keep"] == len(content(folder))
    assert "            scenes/s1/layer-3.png" in told
    assert "            scenes/s2/composite.png" in told


def test_a_second_time_sends_nothing(hub, folder):
    first, _ = publish_quietly(folder)
    before = len(hub.writes())
    again, _ = publish_quietly(folder)
    assert again == first.__class__(NAME, "1.0.0", "v1.0.0", first.commit, "v1.0.0")
    assert len(hub.writes()) == before


def test_an_update_switches_over_in_one_commit(hub, folder):
    publish_quietly(folder)
    repo, old = hub.repos[NAME], content(folder)
    start = repo.branches["main"]
    built(folder, "1.1.0", scenes=1, depth=8)
    done, _ = publish_quietly(folder)
    assert repo.tree("main") == repo.tree("v1.1.0") == content(folder)
    assert repo.tree("v1.0.0") == old
    between = repo.commits[done.commit].parent
    assert between != start, "the new layers come in a commit of their own"
    assert old.items() <= repo.tree(between).items(), "until the last commit the old set is whole"


def test_a_published_version_never_changes(hub, folder):
    first, _ = publish_quietly(folder)
    built(folder, "1.0.0", scenes=1)
    before = len(hub.writes())
    with pytest.raises(PublishError) as caught:
        publish_quietly(folder)
    assert str(caught.value) == (
        f"{NAME}: v1.0.0: is published with other content (commit {first.commit[:12]}) and never changes; "
        "build this with a new --version"
    )
    assert len(hub.writes()) == before


def test_an_old_version_does_not_come_back_over_a_newer_one(hub, folder, tmp_path):
    first, _ = publish_quietly(folder)
    newer = built(tmp_path / "newer", "1.1.0", scenes=1)
    publish_quietly(newer)
    again, _ = publish_quietly(folder)
    assert again.commit == first.commit
    assert hub.repos[NAME].tree("main") == content(newer)


LAST = '"Publish version 1.1.0"'


@pytest.mark.parametrize(
    ("wanted", "then"),
    [
        (("/store/", 3), "drop"),
        (("/commit/", 1), "lose"),
        (("/commit/", 2), "drop"),
        ((LAST, 1), "drop"),
        ((LAST, 1), "lose"),
        (("/tag/", 1), "drop"),
    ],
)
def test_a_killed_upload_is_finished_by_the_same_command(hub, tmp_path, wanted, then):
    publish_quietly(built(tmp_path / "old", "1.0.0", scenes=4, depth=4))
    repo, old = hub.repos[NAME], hub.repos[NAME].tree("v1.0.0")
    new = built(tmp_path / "new", "1.1.0", scenes=3, depth=8)
    publish_killed(hub, new, wanted, then)
    switched = (wanted[0], then) in [(LAST, "lose"), ("/tag/", "drop")]
    assert repo.tree("main") == content(new) if switched else old.items() <= repo.tree("main").items()
    assert "v1.1.0" not in repo.tags
    stored = len(hub.lfs)
    sent = [line for line in hub.requests if line.startswith("PUT /store/")]
    publish_quietly(new)
    assert repo.tree("main") == repo.tree("v1.1.0") == content(new)
    assert repo.tree("v1.0.0") == old
    more = [line for line in hub.requests if line.startswith("PUT /store/")][len(sent) :]
    assert len(more) == len(hub.lfs) - stored, "what the Hub had is not sent again"


def test_a_push_that_stopped_leaves_nothing_of_itself_in_a_smaller_one(hub, tmp_path):
    publish_killed(hub, built(tmp_path / "four", scenes=4), ("/commit/", 6), "drop")
    repo = hub.repos[NAME]
    assert any(path.startswith("scenes/s2/") for path in repo.tree("main"))
    three = built(tmp_path / "three", scenes=1, depth=4)
    publish_quietly(three)
    assert repo.tree("main") == repo.tree("v1.0.0") == content(three)


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        (503, "/commit/"),
        ("lose", "/commit/"),
        (429, "/tag/"),
        ("lose", "/tag/"),
        ("lose", "/create"),
        ("drop", "/refs"),
    ],
)
def test_a_busy_hub_and_a_lost_answer_are_tried_again(hub, folder, fault, where, monkeypatch):
    monkeypatch.setattr("dataset_builders.publishing.errors.WAITS", (0.0, 0.0))
    failed = []

    def once(method, path, body):
        if where in path and not failed:
            failed.append(path)
            return fault
        return None

    hub.on_request = once
    _, told = publish_quietly(folder)
    assert hub.repos[NAME].tree("v1.0.0") == content(folder)
    assert any("trying again in 0 s" in line for line in told)
    assert len(failed) == 1


def test_a_hub_that_stays_busy_is_one_clear_line(hub, folder, monkeypatch):
    monkeypatch.setattr("dataset_builders.publishing.errors.WAITS", (0.0, 0.0))
    hub.on_request = lambda method, path, body: 503 if "/commit/" in path else None
    with pytest.raises(PublishError, match=rf"^{NAME}: .*503"):
        publish_quietly(folder)


def test_someone_elses_commit_on_the_way_is_not_overwritten(hub, folder):
    publish_quietly(folder)
    built(folder, "1.1.0", scenes=1, depth=8)
    repo = hub.repos[NAME]

    def on_request(method, path, body):
        if "/commit/" in path:
            hub.on_request = None
            header = {"key": "header", "value": {"summary": "theirs"}}
            repo.commit("main", [header, {"key": "file", "value": {"path": "notes.md", "content": b"x"}}])

    hub.on_request = on_request
    with pytest.raises(PublishError, match="someone else changed the repository meanwhile"):
        publish_quietly(folder)
    assert "notes.md" in repo.tree("main")


def test_a_pull_request_takes_everything_and_leaves_main_alone(hub, folder):
    publish_quietly(folder)
    repo, old = hub.repos[NAME], content(folder)
    built(folder, "1.1.0", scenes=1, depth=8)
    done, told = publish_quietly(folder, create_pr=True)
    assert (done.revision, done.tag) == ("refs/pr/1", None)
    assert "  tag     none" in told
    assert repo.tree("main") == old
    assert repo.tree("refs/pr/1") == content(folder)
    assert repo.pulls[1]["status"] == "open"
    assert (repo.pulls[1]["title"], list(repo.tags)) == ("Publish version 1.1.0", ["v1.0.0"])
    again, _ = publish_quietly(folder, create_pr=True)
    assert (again, len(repo.pulls)) == (done, 1)


def test_a_branch_is_made_where_it_is_missing(hub, folder):
    publish_quietly(folder)
    repo, old = hub.repos[NAME], content(folder)
    built(folder, "1.1.0", scenes=1)
    done, _ = publish_quietly(folder, revision="next", tag=False)
    assert (done.revision, done.tag, list(repo.tags)) == ("next", None, ["v1.0.0"])
    assert (repo.tree("main"), repo.tree("next")) == (old, content(folder))


def test_a_private_repository_is_made_so_and_a_public_one_is_not_taken_for_it(hub, folder):
    publish_quietly(folder, private=True)
    assert hub.repos[NAME].private
    publish_quietly(folder, private=True)
    hub.repos[NAME].private = False
    built(folder, "1.1.0")
    with pytest.raises(PublishError, match="is public already; --private makes new repositories private"):
        publish_quietly(folder, private=True)


def test_a_broken_folder_is_refused_before_the_hub_is_asked(hub, folder):
    (folder / "full.jsonl").write_bytes(b"")
    with pytest.raises(PublishError, match=r"full\.jsonl: changed: found sha256"):
        publish_quietly(folder)
    assert hub.requests == []


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (
            "hf_wrong",
            "the Hub does not accept the token, or hides the repository from it; set HF_TOKEN, or run "
            "`hf auth login`: Invalid user token.",
        ),
        (None, "found no token: set HF_TOKEN, or run `hf auth login`"),
    ],
)
def test_a_wrong_or_missing_token_is_one_line_without_the_token(
    hub, folder, monkeypatch, tmp_path, token, told
):
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    if token is None:
        monkeypatch.delenv("HF_TOKEN")
    else:
        monkeypatch.setenv("HF_TOKEN", token)
    result = CliRunner().invoke(main, ["publish", str(folder), NAME])
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {NAME}: {told}")
    assert len(result.output.strip().splitlines()) == 1
    assert "hf_wrong" not in result.output


def test_the_command_says_where_the_version_is(hub, folder):
    result = CliRunner().invoke(main, ["publish", str(folder), NAME])
    commit = hub.repos[NAME].branches["main"]
    assert result.stdout.splitlines()[-1] == f"{NAME}: version 1.0.0 is at v1.0.0, commit {commit}"
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "told"),
    [("OTHER/set", "the token may not write there"), ("a/b/c", "Repo id must be in the form")],
)
def test_names_that_cannot_be_written_to_are_refused(hub, folder, name, told):
    result = CliRunner().invoke(main, ["publish", str(folder), name])
    assert (result.exit_code, told in result.stderr) == (1, True), result.output
