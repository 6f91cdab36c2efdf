"""A results repository on a loopback Hub: pull requests, what a maintainer sends, copies that follow it."""

import hashlib
import json
import shutil
from datetime import timedelta

import pytest
import yaml
from click.testing import CliRunner
from huggingface_hub import parse_eval_result_entries

from leaderboard.store.folder import BoardFolder
from leaderboard.store.hub import ResultsRepo, refresh
from leaderboard.store.hub_errors import HubError
from leaderboard.store.hub_files import oid
from leaderboard.store.hub_send import publish_board
from leaderboard.submissions.accept import accept
from leaderboard.submissions.format import pack
from leaderboard.submissions.records import About
from lvqa_eval.main import main
from tests.support.boards import NOW, SLOW, judge_by_panel
from tests.support.hub_storage import git_blob

RESULTS = "ORG/results"


def lvqa(*arguments):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def packed(run, folder, name=SLOW.name):
    folder.mkdir(exist_ok=True)
    return pack(run, About(name), folder / "file.jsonl.gz").path


@pytest.fixture
def sent(published):
    """Give a board that stands in a results repository as well."""
    publish_board(published, RESULTS, print)
    return published


def test_a_submission_becomes_a_pull_request_and_once_merged_a_row(sent, hub, drawn, tmp_path):
    code, told = lvqa("submit", drawn[1], "--repo", RESULTS, "--size", "7.2")
    assert code == 0, told
    assert f"pull request, opened: {hub.url}/datasets/{RESULTS}/discussions/1" in told
    repo = hub.repos[RESULTS]
    [name] = {path.split("/")[1] for path in repo.tree("refs/pr/1") if path.startswith("submissions/")}
    assert sorted(set(repo.tree("refs/pr/1")) - set(repo.tree("main"))) == [
        f"submissions/{name}/receipt.json",
        f"submissions/{name}/upload.jsonl.gz",
    ]
    receipt = json.loads(repo.tree("refs/pr/1")[f"submissions/{name}/receipt.json"])
    assert (receipt["id"], receipt["about"]["model"], receipt["by"]) == (name, SLOW.name, None)

    code, told = lvqa("submit", drawn[1], "--repo", RESULTS, "--size", "7.2")
    assert (code, len(repo.pulls)) == (0, 1)
    assert "open already" in told

    tried = lvqa("board", "refresh", tmp_path / "tried", "--repo", RESULTS, "--revision", "refs/pr/1")
    assert "1 submissions taken, 0 not taken" in tried[1]
    copy = BoardFolder.open(refreshed(tmp_path / "copy"))
    assert copy.submissions() == ()
    repo.merge(1)
    found = refresh(copy.folder, RESULTS)
    assert (found.taken, found.refused) == ([name], {})
    assert copy.receipt(name).about.parameters == 7.2
    assert [(one.event, one.id, one.at) for one in copy.log()] == [("received", name, receipt["received"])]
    assert sorted(copy.runs()) == [name]

    code, told = lvqa("submit", drawn[1], "--repo", RESULTS, "--size", "7.2")
    assert (code, f"submissions/{name}: is there already" in told) == (1, True)


def refreshed(folder):
    refresh(folder, RESULTS)
    return folder


def test_without_a_token_a_submission_says_how_to_log_in(sent, hub, drawn, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    code, told = lvqa("submit", drawn[1], "--repo", RESULTS)
    assert code == 1
    assert f"Error: {RESULTS}: found no token: set HF_TOKEN, or run `hf auth login`" in told
    assert hub.repos[RESULTS].pulls == {}
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    code, told = lvqa("submit", drawn[1], "--repo", RESULTS)
    assert (code, "run `hf auth login`" in told, "hf_wrong" in told) == (1, True, False)


def test_what_is_wrong_with_a_run_is_told_and_nothing_is_sent(sent, hub, drawn, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(drawn[1], run)
    lines = (run / "conversations.jsonl").read_text().splitlines(keepends=True)
    (run / "conversations.jsonl").write_text("".join(lines[1:]).replace("Which one", "What one", 1))
    code, told = lvqa(
        "submit", run, "--repo", RESULTS, "--link", "http://plain", "--name", "<b>", "--note", "a\nb"
    )
    assert code == 1
    for line in (
        'line 1: about.model: found "<b>", allowed: 1 to 96 characters',
        'line 1: about.link: found "http://plain", allowed: an https address',
        "line 1: about.note: found the character U+000A, allowed: one line of text",
        "run 1: conversation: found nothing, allowed: one conversation",
        "would not be accepted: 4 problem(s); lines of the packed file, which --out FILE keeps",
    ):
        assert line in told
    assert hub.repos[RESULTS].pulls == {}


def test_a_board_and_its_panels_verdicts_travel_to_another_machine(sent, hub, drawn, tmp_path):
    file = packed(drawn[1], tmp_path / "file")
    receipt = accept(sent, file, "ann", NOW)
    judge_by_panel(sent, [receipt.id])
    sent.mark_verified(receipt.id, None, "held again", NOW + timedelta(days=1))
    (sent.run(receipt.id) / "detections").mkdir()
    (sent.run(receipt.id) / "detections" / "full.json").write_text("{}")
    patches = sent.run(receipt.id) / "features" / "tiny"
    patches.mkdir(parents=True)
    (patches / "identity.yaml").write_text("native: true\n")
    (patches / "part-0000.parquet").write_bytes(b"PAR1")
    (sent.run(receipt.id) / "notes.txt").write_text("mine")
    paths = publish_board(sent, RESULTS, print)
    place = f"runs/{receipt.id}"
    assert f"{place}/judgements/consensus.jsonl" in paths
    assert not any("exact-match" in path or "notes" in path or "conversations" in path for path in paths)
    assert publish_board(sent, RESULTS, print) == []

    copy = BoardFolder.open(refreshed(tmp_path / "copy"))
    assert copy.receipt(receipt.id) == receipt
    assert set(copy.log()) == set(sent.log())
    for name in ("consensus.jsonl", "consensus.yaml", "referee-a.jsonl", "exact-match.jsonl"):
        judged = f"{place}/judgements/{name}"
        assert (copy.folder / judged).read_bytes() == (sent.folder / judged).read_bytes()
    assert (copy.folder / place / "detections" / "full.json").read_text() == "{}"
    assert (copy.folder / place / "features" / "tiny" / "part-0000.parquet").read_bytes() == b"PAR1"
    assert copy.submission(receipt.id).verified.note == "held again"
    requests = len(hub.requests)
    assert refresh(copy.folder, RESULTS).taken == []
    assert len(hub.requests) - requests == 1


def test_verdicts_that_were_changed_here_are_kept_until_they_are_sent(sent, drawn, tmp_path):
    name = accept(sent, packed(drawn[1], tmp_path / "file"), None, NOW).id
    judge_by_panel(sent, [name])
    publish_board(sent, RESULTS, print)
    copy = BoardFolder.open(refreshed(tmp_path / "copy"))
    path = f"runs/{name}/judgements/referee-a.jsonl"
    for board in (sent, copy):
        with (board.folder / path).open("a") as file:
            file.write(f"{{}}\n{board.folder.name}\n")
    publish_board(sent, RESULTS, print)
    found = refresh(copy.folder, RESULTS)
    assert found.kept == [path, path.replace("jsonl", "yaml")]
    assert (copy.folder / path).read_text().endswith("copy\n")
    publish_board(copy, RESULTS, print)
    assert refresh(sent.folder, RESULTS).updated == [path]
    assert (sent.folder / path).read_text().endswith("copy\n")


def test_what_a_repository_holds_and_a_board_would_not_take_has_no_effect(sent, hub, drawn, tmp_path):
    good = accept(sent, packed(drawn[1], tmp_path / "file"), None, NOW).id
    publish_board(sent, RESULTS, print)
    repo = hub.repos[RESULTS]
    tree = repo.tree("main")
    upload, receipt = (tree[f"submissions/{good}/{name}"] for name in ("upload.jsonl.gz", "receipt.json"))
    told = json.loads(receipt)
    other, future, torn = ("1" * 64, "2" * 64, "3" * 64)
    late = json.dumps({**told, "id": future, "received": "2999-01-01T00:00:00Z"}).encode()
    bad = {
        f"submissions/{other}/upload.jsonl.gz": upload,
        f"submissions/{other}/receipt.json": receipt.replace(good.encode(), other.encode()),
        f"submissions/{future}/upload.jsonl.gz": upload,
        f"submissions/{future}/receipt.json": late,
        f"submissions/{torn}/upload.jsonl.gz": upload[:100],
        f"submissions/{torn}/receipt.json": receipt.replace(good.encode(), torn.encode()),
        "submissions/../escape/receipt.json": receipt,
        f"runs/{good}/judgements/exact-match.jsonl": b"{}\n",
        f"runs/{good}/conversations.jsonl": b"{}\n",
        f"runs/{good}/judgements/.hidden.jsonl": b"{}\n",
        f"runs/{'4' * 64}/judgements/judge.jsonl": b"{}\n",
        f"runs/{good}/features/../x.parquet": b"",
        f"runs/{good}/features/tiny/../../x.yaml": b"",
        "hub/state.json": b"{}",
    }
    put(repo, bad)
    copy = BoardFolder.open(refreshed(tmp_path / "copy"))
    assert [one.id for one in copy.submissions()] == [good]
    found = refresh(tmp_path / "again", RESULTS)
    assert found.taken == [good]
    assert sorted(found.refused) == [other, future, torn]
    assert f"id: found {good}, allowed: {other}, its own" in found.refused[other]
    assert "received: found 2999-01-01T00:00:00Z, allowed: up to" in found.refused[future]
    assert "a damaged gzip file" in found.refused[torn]
    names = {path.name for path in (copy.folder / "runs" / good / "judgements").iterdir()}
    assert names == {"exact-match.jsonl", "exact-match.yaml"}
    for name in ("judgements/exact-match.jsonl", "conversations.jsonl"):
        assert (copy.run(good) / name).read_bytes() == (sent.run(good) / name).read_bytes()
    assert not (tmp_path / "copy" / "escape").exists()
    code, output = lvqa("board", "refresh", tmp_path / "third", "--repo", RESULTS)
    assert (code, "1 submissions taken, 3 not taken" in output) == (1, True)


def put(repo, files):
    lines = [{"key": "header", "value": {"summary": "by hand"}}]
    lines += [{"key": "file", "value": {"path": path, "content": data}} for path, data in files.items()]
    repo.commit("main", lines)


def test_a_broken_refresh_goes_on_where_it_was(sent, hub, drawn, tmp_path):
    names = [
        accept(sent, packed(drawn[1], tmp_path / name, f"Org/{name}"), None, NOW + timedelta(days=day)).id
        for day, name in enumerate(("A", "B", "C"))
    ]
    publish_board(sent, RESULTS, print)
    fetched = []

    def fault(method, path, body):
        if method == "GET" and "/store/" in path:
            fetched.append(path)
            return 403 if len(fetched) > 2 else None
        return None

    hub.on_request = fault
    with pytest.raises(HubError, match=f"{RESULTS}: the token may not "):
        refresh(tmp_path / "copy", RESULTS)
    hub.on_request = None
    assert refresh(tmp_path / "copy", RESULTS).taken == names
    copy = BoardFolder.open(tmp_path / "copy")
    assert [one.id for one in copy.submissions()] == names
    assert not list((copy.folder / "hub" / "submissions").glob("*/upload.jsonl.gz"))


def test_a_repository_without_a_board_and_one_that_is_not_there(hub, tmp_path):
    code, told = lvqa("board", "refresh", tmp_path / "board", "--repo", "ORG/nothing")
    assert code == 1
    assert "ORG/nothing: not found on the Hub, or hidden from this token: 404" in told
    ResultsRepo("ORG/empty").api.create_repo("ORG/empty", repo_type="dataset")
    code, told = lvqa("board", "refresh", tmp_path / "board", "--repo", "ORG/empty")
    assert code == 1
    assert "ORG/empty: holds no board; `lvqa board publish FOLDER` puts one there" in told


def test_results_for_the_models_own_repository_are_the_boards_and_the_hub_reads_them(
    sent, hub, drawn, tmp_path
):
    code, told = lvqa("submit", drawn[1], "--board", sent.folder, "--eval-results", tmp_path / "exact")
    assert code == 0, told
    [name] = [one.id for one in sent.submissions()]
    exact = read_results(tmp_path / "exact")
    assert [(one.dataset_id, one.task_id) for one in exact] == [
        ("ORG/layered-vqa", "full"),
        ("ORG/layered-vqa", "sharded-v"),
    ]
    revision = hub.repos["ORG/layered-vqa"].tags["v1.0.0"]
    assert {one.dataset_revision for one in exact} == {revision}
    assert exact[0].notes.startswith("accuracy in per cent by exact match; 95 % interval ")
    assert "; 4 of 4 conversations; dataset version 1.0.0; LVQA " in exact[0].notes

    judge_by_panel(sent, [name])
    code, told = lvqa(
        "submit",
        drawn[1],
        "--board",
        sent.folder,
        "--check",
        "--eval-results",
        tmp_path / "panel",
        "--size",
        3,
    )
    assert code == 0, told
    panel = read_results(tmp_path / "panel")
    assert "by the panel of referee-a, referee-b, referee-c" in panel[0].notes
    assert {one.date for one in panel} == {sent.receipt(name).received}
    assert all(0 <= one.value <= 100 and one.verify_token is None for one in (*exact, *panel))


def read_results(folder):
    """Return what the Hub's own parser reads of what was written."""
    [path] = (folder / ".eval_results").iterdir()
    return parse_eval_result_entries(yaml.safe_load(path.read_text()))


def test_the_hash_of_a_file_is_the_hubs(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc\n")
    assert oid(path, large=False) == git_blob(b"abc\n") == "8baef1b4abc478178b004d62031cf7fe6db6f903"
    assert oid(path, large=True) == hashlib.sha256(b"abc\n").hexdigest()
