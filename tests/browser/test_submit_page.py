"""The page that takes submissions, in a browser: a bad file, one that is too large, and a good one."""

import gzip
import json
import os
import tempfile
from pathlib import Path

import pytest

from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import About
from tests.support.boards import empty_board, submission, tiny_folder
from tests.support.browser import WIDTHS, faults, watch
from tests.support.submitted import MadeUp

LIMITS = Limits(packed_bytes=1 << 20, unpacked_bytes=1 << 22, conversations=200)
LOOKS = {("en", 1280): "light", ("ru", 390): "dark"}
SAID = {
    "en": ("Check only", "Submit", "These conversations may be published", "Not accepted: 4 problems"),
    "ru": ("Только проверить", "Отправить", "Эти диалоги можно опубликовать", "Не принято: 4 ошибки"),
}
ANSWER = ".lv-answer h2"
FIELDS = ("about.model", "settings.dataset.version", "turns[0].status", "0xcf")
OWN_WARNING = "Method not implemented."
"""What Gradio's client says whenever it has heard the end of an event."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("data") / "layered-vqa")


@pytest.fixture(scope="module")
def board(dataset, tmp_path_factory):
    return empty_board(tmp_path_factory.mktemp("board") / "board", dataset, limits=LIMITS)


@pytest.fixture(scope="module")
def url(pages, board):
    """Give the address of the board's pages."""
    with pages.serving("leaderboard", board.folder, "--no-open") as served:
        yield served.url()


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def opened(request, page, url):
    """Open the page in one language, theme and width; it must ask no other host and log no error."""
    language, width = request.param
    watched = watch(page)
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.goto(f"{url}submit?lang={language}&__theme={LOOKS[request.param]}")
    page.wait_for_selector(ANSWER)
    yield language, page
    told = [one for one in watched.errors if OWN_WARNING not in one]
    assert (told, watched.hosts) == ([], {url.split("/")[2]})


def packed(folder, dataset, name):
    """Return a good submission, under a name that no other upload of this machine has."""
    file = submission(folder, dataset, MadeUp(name, 0.6), About(name), conditions=("full", "oracle"), runs=1)
    return file.rename(folder / f"run-{os.getpid()}-{name.rpartition('/')[2]}.jsonl.gz")


def spoilt(file):
    """Return a file beside it with four problems: a name, a version, a status, a byte."""
    lines = gzip.decompress(file.read_bytes()).splitlines()
    header, talk = json.loads(lines[0]), json.loads(lines[1])
    header["about"]["model"] = "Org/<img src=x onerror=document.title=1>${document.title=2}"
    header["settings"]["dataset"]["version"] = "0.9.0"
    talk["turns"][0]["status"] = "done"
    lines[0], lines[1] = (json.dumps(one).encode() for one in (header, talk))
    lines[2] = b'{"kind":"conversation","condition":"\xcf\xf0\xe8\xe2\xe5\xf2"}'
    bad = file.with_name(f"bad-{file.name}")
    bad.write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
    return bad


def press(page, button, file=None):
    """Choose a file if there is one, press a button, and return the head of the answer."""
    page.evaluate(f"document.querySelector('{ANSWER}').textContent = ''")
    if file is not None:
        page.set_input_files("input[type=file]", str(file))
        page.get_by_text(file.name).wait_for()
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_function(f"document.querySelector('{ANSWER}')?.textContent")
    return page.locator(ANSWER).first.inner_text()


def wrong(page):
    """Return what is wrong with how the page looks.

    Left out: a box to be ticked, which has no words to contrast, and the navigation, whose links take the
    focus themselves.
    """
    ticked = [one for one in faults(page) if one.startswith("contrast: input.") and '""' in one]
    return [one for one in faults(page) if one not in ticked and "nav.fillable" not in one]


def left(file):
    """Return where Gradio still has an upload of this name."""
    folder = Path(os.environ.get("GRADIO_TEMP_DIR") or Path(tempfile.gettempdir()) / "gradio")
    return sorted(folder.rglob(file.name))


def test_a_bad_file_is_told_whole_and_a_good_one_becomes_a_row(opened, board, dataset, tmp_path):
    language, page = opened
    check, submit, agreed, refused = SAID[language]
    model = f"Org/Model-{language}"
    good = packed(tmp_path / "good", dataset, model)
    bad = spoilt(good)
    state = board.state()

    assert press(page, check, bad) == refused
    rows = page.locator(".lv-prob tbody tr").all_inner_texts()
    assert len(rows) == 4
    for row, words in zip(rows, FIELDS, strict=True):
        assert words in row
    assert "1" in rows[0]
    assert "full, " in rows[2]
    assert page.locator(".lv-answer img").count() == 0
    assert page.title() not in ("1", "2")
    assert (wrong(page), left(bad)) == ([], [])

    assert "%" in press(page, check, good)
    assert page.locator(".lv-answer tbody tr").count() == 2
    assert (wrong(page), board.state()) == ([], state)

    assert press(page, submit) == page.locator(ANSWER).inner_text()
    assert BoardFolder.open(board.folder).state() == state
    page.get_by_label(agreed).check()
    press(page, submit)
    [taken] = [one for one in board.submissions() if one.receipt.about.model == model]
    assert taken.id[:16] in page.locator(".lv-answer").first.inner_text()
    assert (wrong(page), left(good)) == ([], [])
    found = page.evaluate("fetch('/views/layered').then((answer) => answer.text())")
    assert model in found


def test_a_file_over_the_limit_is_stopped_while_it_arrives(opened, board, tmp_path):
    language, page = opened
    large = tmp_path / f"large-{os.getpid()}-{language}.jsonl"
    large.write_bytes(b"{" + b" " * LIMITS.packed_bytes)
    state = board.state()
    page.set_input_files("input[type=file]", str(large))
    page.get_by_text("exceed the maximum allowed size of 1.0 Mb").first.wait_for()
    assert press(page, SAID[language][0]) in ("Nothing was submitted", "Ничего не отправлено")
    assert (left(large), board.state()) == ([], state)


def test_a_server_takes_no_more_than_the_limit_of_whoever_does_not_ask(url, tmp_path):
    import httpx

    large = tmp_path / f"sent-{os.getpid()}.jsonl"
    large.write_bytes(b"{" + b" " * LIMITS.packed_bytes)
    with large.open("rb") as file:
        answer = httpx.post(f"{url}gradio_api/upload", files={"files": (large.name, file)}, timeout=60)
    assert (answer.status_code, left(large)) == (413, [])


def test_programs_check_a_file_by_name(url, board, dataset, tmp_path):
    from gradio_client import Client, handle_file

    good = packed(tmp_path / "good", dataset, "Org/Called")
    client = Client(url, verbose=False)
    told = client.predict(handle_file(str(good)), api_name="/check_submission")
    assert (told["problems"], told["read"], told["planned"]) == ([], 4, 4)
    assert set(told["figures"]) == {"full", "oracle"}
    assert told["figures"]["full"]["n"] == 2
    told = client.predict(handle_file(str(spoilt(good))), api_name="/check_submission")
    assert [problem["line"] for problem in told["problems"]] == [1, 1, 2, 3]
    assert all({"id", "field", "found", "allowed"} < set(problem) for problem in told["problems"])
    assert left(good) == []
    assert [one for one in board.submissions() if one.receipt.about.model == "Org/Called"] == []
