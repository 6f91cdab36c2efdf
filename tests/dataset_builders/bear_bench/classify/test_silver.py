"""Silver labels from a server on the loopback address: good, bad and missing replies; killed and resumed."""

import asyncio
import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench.classify import silver
from dataset_builders.bear_bench.classify.silver import SilverLabel, SilverOptions, read_silver, run
from dataset_builders.bear_bench.classify.stratified import stratified
from dataset_builders.bear_bench.records import LABELS, Document, Page
from dataset_builders.bear_bench.work import Work, WorkError
from lvqa_eval.main import main
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.statuses import Status
from tests.support.bear_work import bear_work
from tests.support.chat_server import completion, error, says, serving
from tests.support.judged_runs import models

CANARIES = 2
"""Requests of the checks before the first page: a word, and a picture."""


def labels(*held):
    return json.dumps({"seen": "A page.", **{label: label in held for label in LABELS}})


def step(text, **changes):
    body = completion(text)
    body["choices"][0].update(changes)
    return says(body=body)


def options(url, **given):
    return SilverOptions((url,), "org/strong", in_flight=1, **given)


def pages_of(work):
    return work.read("pages", Page, "render")


def asked(server):
    """Return what was asked about pages: the words, the picture's URL, the rest of the body."""
    for body in server.bodies[CANARIES:]:
        (message,) = body["messages"]
        _, picture, words = message["content"]
        yield words["text"], picture["image_url"]["url"], body


@pytest.fixture
def work(tmp_path):
    return bear_work(tmp_path, pages=2, cells={"report": ("business", "en"), "paper": ("science", "en")})


@pytest.fixture
async def label():
    """Return what runs the stage in this thread's loop, at a server with a script."""

    async def labelled(work, *script, **given):
        plain = [says(), says()]
        async with serving(*plain, *script, routes=[models("org/strong")]) as server:
            labelled.server = server
            return await asyncio.to_thread(run, work, options(server.url, **given))

    return labelled


async def test_good_replies_become_labels(work, label):
    script = [step(labels("code")), step(labels("tables", "figures")), step(labels()), step(labels("code"))]
    count = await label(work, *script)
    found = work.read("silver", SilverLabel, "classify")
    assert [one.page_id for one in found] == sorted(page.page_id for page in pages_of(work))
    assert [one.labels for one in found] == [("code",), ("tables", "figures"), (), ("code",)]
    assert {one.status for one in found} == {Status.OK}
    assert (found[0].prompt_tokens, found[0].completion_tokens) == (9, 1)
    assert (count.kept, dict(count.dropped), dict(count.groups)) == (
        4,
        {},
        {"code": 2, "figures": 1, "tables": 1},
    )
    assert not (work.folder / "silver.partial").exists()


async def test_the_request_holds_the_page_the_prompt_and_the_schema(work, label):
    await label(work, *[step(labels())] * 4)
    requests = list(asked(label.server))
    assert len({url for _, url, _ in requests}) == 4
    for words, url, body in requests:
        assert words.startswith("You see one page of a document")
        assert url.startswith("data:image/png;base64,")
        assert body["response_format"]["json_schema"]["schema"]["required"] == ["seen", *LABELS]
        assert (body["temperature"], body["max_tokens"], body["model"]) == (0.0, 2048, "org/strong")
    assert len({body["seed"] for _, _, body in requests}) == 4
    settings = (work.folder / "silver.yaml").read_text()
    assert all(word in settings for word in ("silver_labels", "org/strong", "max_pixels: 2000000"))


async def test_bad_and_missing_replies_are_statuses_and_never_labels(work, label):
    script = [
        *(step("I see a table."), step(labels("tables"))),
        *(step('{"tables": true}'), step("no")),
        step("", finish_reason="length"),
        step(None, message={"role": "assistant", "content": None, "refusal": "I will not."}),
    ]
    count = await label(work, *script)
    again, unread, cut, refused = work.read("silver", SilverLabel, "classify")
    assert (again.status, again.labels, again.prompt_tokens) == (Status.OK, ("tables",), 18)
    assert (unread.status, unread.labels, unread.reply) == (Status.UNPARSABLE, None, "no")
    assert "no JSON object" in unread.error
    assert (cut.status, cut.labels) == (Status.TRUNCATED, None)
    assert (refused.status, refused.labels) == (Status.REFUSED, None)
    assert (count.kept, dict(count.dropped)) == (1, {"unparsable": 1, "truncated": 1, "refused": 1})
    assert read_silver(work, pages_of(work)) == {again.page_id: ("tables",)}
    second = [words for words, _, _ in asked(label.server)][1]
    assert (
        "An earlier reply to this could not be read. What was wrong with it: found no JSON object" in second
    )


async def test_a_failed_server_is_asked_again_by_the_next_run_and_nothing_else_is(work, label):
    await label(work, step(labels("code")), error(400, "too large"), *[step(labels())] * 2)
    assert [one.status.value for one in work.read("silver", SilverLabel, "classify")].count("ok") == 3
    await label(work, step(labels("tables")))
    assert len(label.server.bodies) == CANARIES + 1
    found = work.read("silver", SilverLabel, "classify")
    assert [one.labels for one in found] == [("code",), ("tables",), (), ()]
    await label(work)
    assert label.server.bodies == []
    assert work.read("silver", SilverLabel, "classify") == found


class KilledError(Exception):
    """Ends a run where a kill would."""


class KilledAfterTwo(silver.AppendLog):
    """Takes two records, and then the run is over."""

    def append(self, record):
        super().append(record)
        self.taken = [*getattr(self, "taken", []), record]
        if len(self.taken) == 2:
            raise KilledError


async def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(work, label, tmp_path):
    replies = [step(labels("code")), step(labels("tables")), step(labels()), step(labels("figures"))]
    other = bear_work(
        tmp_path / "other", pages=2, cells={"report": ("business", "en"), "paper": ("science", "en")}
    )
    await label(other, *replies)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(silver, "AppendLog", KilledAfterTwo)
        with pytest.raises(KilledError):
            await label(work, *replies)
    partial = work.folder / "silver.partial/replies.jsonl"
    with partial.open("ab") as file:
        file.write(b'{"page_id": "torn')
    assert not work.has("silver")
    await label(work, *replies[2:])
    assert len(label.server.bodies) == CANARIES + 2
    for name in ("silver.jsonl", "silver.yaml"):
        assert (work.folder / name).read_bytes() == (other.folder / name).read_bytes()


async def test_labels_of_other_settings_are_not_mixed(work, label):
    await label(work, *[step(labels())] * 4)
    with pytest.raises(IdentityChangedError, match=r"structured: this run has true, asked for false"):
        await label(work, structured=False)
    assert label.server.bodies == []


async def test_a_page_that_was_drawn_anew_is_asked_about_again(work, label):
    await label(work, *[step(labels())] * 4)
    pages = pages_of(work)
    old = pages[0]
    data = (work.folder / pages[1].file).read_bytes()
    (work.folder / old.file).write_bytes(data)
    changed = [old.model_copy(update={"sha256": pages[1].sha256}), *pages[1:]]
    assert old.page_id not in read_silver(work, changed)
    work.write("pages", changed)
    await label(work, step(labels("code")))
    assert len(label.server.bodies) == CANARIES + 1
    assert read_silver(work, changed)[old.page_id] == ("code",)


async def test_a_server_without_the_model_is_told_in_one_line(work):
    async with serving(routes=[models("other")]) as server:
        with pytest.raises(PreflightError, match=r"found other at .*, not 'org/strong'"):
            await asyncio.to_thread(run, work, options(server.url))
    assert not work.has("silver")


def material(kinds):
    """Return pages and documents: kind -> number of pages, a document of 10 pages at most each."""
    pages, documents = [], {}
    for kind, count in kinds.items():
        for number in range(count):
            name = f"{kind}-{number // 10:02}"
            documents[name] = Document(
                document_id=name,
                file="x",
                sha256="0",
                source=kind,
                url="x",
                domain="business",
                document_type="report",
            )
            pages.append(
                Page(
                    page_id=f"{name}-{number:03}",
                    document_id=name,
                    page=1,
                    file="x",
                    sha256="0",
                    width=1,
                    height=1,
                    dpi=1,
                    ink=0.1,
                )
            )
    return pages, documents


def test_the_sample_has_its_share_of_every_stratum_and_one_at_least():
    pages, documents = material({"a": 300, "b": 100, "c": 2})
    drawn = stratified(pages, documents, 40)
    counts = {kind: sum(page.page_id.startswith(kind) for page in drawn) for kind in "abc"}
    assert counts == {"a": 29, "b": 10, "c": 1}
    assert drawn == stratified(reversed(pages), documents, 40)
    assert drawn != stratified(pages, documents, 40, seed=1)
    assert [page.page_id for page in drawn] == sorted({page.page_id for page in drawn})
    assert len(stratified(pages, documents, 1000)) == 402


def test_identity_tells_of_everything_that_shapes_a_label():
    one = SilverOptions(("http://127.0.0.1:1/v1",), "m")
    for changed in (
        replace(one, model="n"),
        replace(one, structured=False),
        replace(one, max_pixels=None),
        replace(one, seed=1),
    ):
        assert changed.identity() != one.identity()
    # A sample may grow.
    assert replace(one, in_flight=3, deadline=1.0, size=9).identity() == one.identity()
    # Who serves a model can change what it says.
    assert replace(one, base_urls=("https://api.example.org/v1",)).identity() != one.identity()


def test_a_work_folder_without_pages_names_the_command(tmp_path):
    with pytest.raises(WorkError, match="lvqa build bear collect"):
        run(Work(tmp_path), options("http://127.0.0.1:1/v1"))


async def test_the_command_asks_and_then_classifies(work):
    script = [says(), says(), *[step(labels("diagrams")), step(labels("tables"))] * 2]
    async with serving(*script, routes=[models("org/strong")]) as server:
        words = ["build", "bear", "classify", str(work.folder), "--silver", server.url, "--in-flight", "1"]
        words += ["--model", "org/strong", "--thinking", "off", "--silver-pages", "9"]
        ran = await asyncio.to_thread(CliRunner().invoke, main, words)
    assert ran.exit_code == 0, ran.output
    lines = ran.output.splitlines()
    assert lines[0] == "silver: 4 labelled pages kept, 0 dropped"
    assert any(line.startswith("classify: ") for line in lines)
    assert server.bodies[-1]["chat_template_kwargs"] == {"enable_thinking": False}
