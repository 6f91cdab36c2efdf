"""`lvqa judge`: several judges over several runs, resumed, refused, and counted."""

import asyncio
import contextlib
import json
import shutil
from dataclasses import replace
from itertools import groupby

import pytest
from click.testing import CliRunner

from lvqa_eval.distributed import cluster
from lvqa_eval.judging import labour, model_servers, spread
from lvqa_eval.judging.cases import Cases, routed
from lvqa_eval.main import main
from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.structured import compact
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.chat_server import completion, error, says, serving
from tests.support.judged_runs import asked, models, rules, said, verdict
from tests.support.near_hand import NearCluster
from tests.support.scored_runs import write_run

CANARY = says(body=completion("{"))
"""The answer to the two requests that come before any verdict: a plain one, and one with the schema."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    defaults = ChatClient.__init__.__kwdefaults__
    for name, value in {"backoff": 0.001, "patience": 0.05, "breaker": 3, "attempts": 2}.items():
        monkeypatch.setitem(defaults, name, value)


def run(folder, model, *replies, **settings):
    """Write a run of two questions and two conditions whose last replies are these."""
    held = [
        said(reply, condition=condition, name=name)
        for reply, (condition, name) in zip(
            replies, [(c, n) for c in ("full", "oracle") for n in ("q1", "q2")], strict=True
        )
    ]
    questions = [asked("q1", "s1"), asked("q2", "s2", answer="two")]
    write_run(folder, ["full", "oracle"], 1, questions, held, {}, model={"name": model}, **settings)
    return folder


@pytest.fixture
def runs(tmp_path):
    return (
        run(tmp_path / "one", "org/one", "a red circle", "two", "blue", "three"),
        run(tmp_path / "two", "org/two", "red, a circle", "2", "green", (Status.TRUNCATED, "tw")),
    )


RIGHT = ('"assistant\\":\\"a red circle', '"assistant\\":\\"red', '"assistant\\":\\"tw', '"assistant\\":\\"2')
HONEST = rules(
    ("Say yes.", CANARY), *((words, verdict(span="")) for words in RIGHT), ("", verdict(False, span=""))
)


async def lvqa(*arguments):
    """Invoke the command in a thread: it brings an event loop of its own."""
    return await asyncio.to_thread(CliRunner().invoke, main, list(map(str, arguments)))


def verdicts(folder, judge):
    return [one.final_turn_correct for one in RunStore.open(folder).judgements(judge).values()]


def puts(body):
    """Return the question and the assistant's words of a judge's request, None for a canary."""
    words = body["messages"][-1]["content"]
    if "Say yes." in str(words):
        return None
    line = next(line for line in words.splitlines() if line.startswith('{"turn"'))
    return words.splitlines()[1], json.loads(line)["assistant"]


async def test_several_judges_go_over_several_runs_one_after_another(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x", "b/y")]) as server:
        named = [f"--judge={name}@{server.url}" for name in ("a/x", "b/y")]
        result = await lvqa("judge", *runs, "--judge", "exact-match", *named, "--in-flight", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"{folder}: 4 judged by {judge}, 4 of them now: 4 ok"
        for judge in ("exact-match", "a-x", "b-y")
        for folder in runs
    ]
    assert result.stderr.splitlines() == ["a-x: 63 + 7 tokens", "b-y: 63 + 7 tokens"]
    for judge in ("a-x", "b-y"):
        assert [verdicts(folder, judge) for folder in runs] == [[True, True, False, False]] * 2
    # One model has all its conversations behind it before the next begins; a question's come together.
    assert [name for name, _ in groupby(body["model"] for body in server.bodies)] == ["a/x", "b/y"]
    put = [one for one in map(puts, server.bodies[:9]) if one]
    assert put == [
        ("Reference answer: a red circle", "a red circle"),
        ("Reference answer: a red circle", "red, a circle"),
        ("Reference answer: a red circle", "blue"),
        ("Reference answer: a red circle", "green"),
        ("Reference answer: two", "two"),
        ("Reference answer: two", "2"),
        ("Reference answer: two", "three"),
    ]
    identity = RunStore.open(runs[0]).judge_identity("a-x").settings
    assert identity["judge"] == identity["model"]["name"] == "a/x"
    assert identity["server"] == {"max_model_len": 8192, "version": None}
    assert (identity["providers"], identity["vllm_serve"]) == ([], None)


async def test_both_protocols_are_two_judges(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x")]) as server:
        result = await lvqa("judge", *runs, f"--judge=a/x@{server.url}", "--protocol", "both")
    assert result.exit_code == 0, result.output
    assert RunStore.open(runs[0]).judges() == ["a-x", "a-x.post-hoc"]
    systems = {
        body["messages"][0]["content"] for body in server.bodies if body["messages"][0]["role"] == "system"
    }
    assert ["rule on the assistant's last turn" in one for one in sorted(systems)].count(True) == 1
    assert len(systems) == 2


async def test_what_the_serving_failed_is_judged_again_and_nothing_else_is(runs):
    broken = rules(
        ("Say yes.", CANARY),
        ('assistant\\":\\"blue', error(503, "busy")),
        ('assistant\\":\\"green', says(body=completion("It is wrong."))),
        ("", verdict(False, span="")),
    )
    async with serving(*[broken] * 99, routes=[models("a/x")]) as server:
        command = ("judge", *runs, f"--judge=a/x@{server.url}")
        result = await lvqa(*command)
        assert result.exit_code == 1
        assert result.stdout.splitlines() == [
            f"{runs[0]}: 3 judged by a-x, 4 of them now: 3 ok, 1 transport_error",
            f"{runs[1]}: 4 judged by a-x, 4 of them now: 3 ok, 1 parse_error",
        ]
        assert result.stderr.endswith(
            "Error: 1 judgements failed in serving: the same command tries them again\n"
        )
        before = len(server.bodies)
        server.script = [HONEST] * 99
        result = await lvqa(*command)
    assert (result.exit_code, [puts(body) for body in server.bodies[before:]][2:]) == (
        0,
        [("Reference answer: a red circle", "blue")],
    )
    assert result.stdout.splitlines() == [
        f"{runs[0]}: 4 judged by a-x, 1 of them now: 1 ok",
        f"{runs[1]}: 4 judged by a-x, 0 of them now",
    ]
    statuses = [one.status for one in RunStore.open(runs[1]).judgements("a-x").values()]
    assert statuses.count(JudgeStatus.PARSE_ERROR) == 1
    # With nothing left, not even the server has to be there.
    assert (await lvqa(*command)).exit_code == 0


async def test_another_setting_of_a_judge_is_refused_before_anything_is_asked(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x", "b/y")]) as server:
        named = (f"--judge=b/y@{server.url}", f"--judge=a/x@{server.url}")
        await lvqa("judge", runs[0], named[1])
        asked_for = len(server.bodies)
        result = await lvqa("judge", *runs, *named, "--temperature", 0.5, "--no-structured")
        assert len(server.bodies) == asked_for
    assert result.exit_code == 1
    assert "sampling.temperature: this run has 0.0, asked for 0.5" in result.stderr
    assert "structured: this run has true, asked for false" in result.stderr
    assert RunStore.open(runs[0]).judges() == ["a-x"]


async def test_another_server_under_the_same_judge_is_refused(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x")]) as server:
        await lvqa("judge", runs[0], f"--judge=a/x@{server.url}")
    longer = ("GET", "/v1/models", says(body={"data": [{"id": "a/x", "max_model_len": 99}]}))
    async with serving(*[HONEST] * 99, routes=[longer]) as server:
        result = await lvqa("judge", *runs, f"--judge=a/x@{server.url}")
    assert result.exit_code == 1
    assert "server.max_model_len: this run has 8192, asked for 99" in result.stderr


NO_SCHEMA = [
    (error(400, "response_format is not supported"), "fails: HTTP 400: response_format is not supported"),
    (says(body=completion("Yes.")), "does not hold replies to a schema: it says 'Yes.'"),
]


@pytest.mark.parametrize(("answer", "words"), NO_SCHEMA)
async def test_a_server_without_structured_output_is_told_in_one_line(runs, answer, words):
    async with serving(
        *[rules(("response_format", answer), ("", CANARY))] * 9, routes=[models("m")]
    ) as server:
        result = await lvqa("judge", runs[0], f"--judge=m@{server.url}")
        [line] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
        assert words in line
        assert line.endswith("judge with --no-structured; verdicts are read as strictly")
        assert result.exit_code == 1
        server.script = [HONEST] * 99
        result = await lvqa("judge", runs[0], f"--judge=m@{server.url}", "--no-structured")
    assert result.exit_code == 0, result.output
    assert not any("response_format" in body for body in server.bodies[-4:])


async def test_a_judge_that_cannot_be_reached_keeps_the_next_from_nothing(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x")]) as server:
        gone = "--judge=gone@http://127.0.0.1:9/v1"
        result = await lvqa("judge", *runs, gone, f"--judge=a/x@{server.url}")
    assert result.exit_code == 1
    assert verdicts(runs[1], "a-x") == [True, True, False, False]
    assert "Cannot connect" in result.stderr
    assert result.stderr.endswith("8 judgements are left\n")


async def test_xml_asks_without_a_schema(runs):
    answer = rules(
        ("Say yes.", CANARY),
        ("<answer>\\ntwo", "So.<verdict>correct</verdict>"),
        ("", "<verdict>no</verdict>"),
    )
    async with serving(*[answer] * 99, routes=[models("a/x")]) as server:
        result = await lvqa("judge", runs[0], f"--judge=a/x@{server.url}", "--protocol", "xml")
    assert result.exit_code == 0, result.output
    assert verdicts(runs[0], "a-x.xml") == [False, True, False, False]
    assert not any("response_format" in body for body in server.bodies)


async def test_one_bad_escape_costs_no_other_verdict(tmp_path):
    folder = run(tmp_path / "run", "m", "a \\$ circle", "two", "blue", (Status.EMPTY, None))
    bad = verdict(span="").replace("Compared.", r"It costs \$5.")
    answer = rules(("Say yes.", CANARY), ("\\$ circle", bad), ("", verdict(False, span="")))
    async with serving(*[answer] * 9, routes=[models("m")]) as server:
        assert (await lvqa("judge", folder, f"--judge=m@{server.url}")).exit_code == 0
    assert verdicts(folder, "m") == [True, False, False, False]
    assert len(server.bodies) == 5


async def test_a_second_pass_has_a_name_and_seeds_of_its_own(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x")]) as server:
        for options in ((), ("--retest",)):
            result = await lvqa("judge", runs[0], f"--judge=a/x@{server.url}", *options)
            assert result.exit_code == 0, result.output
    assert RunStore.open(runs[0]).judges() == ["a-x", "a-x.retest"]
    seeds = [body["seed"] for body in server.bodies if puts(body)]
    assert len(seeds) == len(set(seeds)) == 8
    refused = await lvqa("judge", runs[0], "--retest")
    assert "--retest: found exact-match, allowed: models" in refused.stderr


async def test_nothing_is_begun_once_the_money_is_spent(runs):
    async with serving(*[HONEST] * 99, routes=[models("a/x")]) as server:
        # A verdict takes 9 + 1 tokens.
        prices = ("--price-in", 1e5, "--price-out", 1e5, "--in-flight", 1)
        command = ("judge", *runs, f"--judge=a/x@{server.url}", *prices, "--max-cost")
        result = await lvqa(*command, 2.5)
        assert result.stderr.splitlines() == [
            "a-x: 27 + 3 tokens, cost 3.00",
            "Error: 5 judgements are left: --max-cost 2.5 is spent",
        ]
        result = await lvqa(*command, 4)
    assert result.stderr.splitlines()[0] == "a-x: 9 + 1 tokens, cost 1.00"
    unpriced = await lvqa("judge", runs[0], "--max-cost", 1)
    assert "--max-cost needs --price-in and --price-out" in unpriced.stderr


async def test_servers_of_one_name_share_the_work_and_a_question_stays_with_one(runs):
    script, route = [HONEST] * 99, models("m")
    async with serving(*script, routes=[route]) as one, serving(*script, routes=[route]) as two:
        result = await lvqa("judge", *runs, f"--judge=m@{one.url}", f"--judge=m@{two.url}")
    assert result.exit_code == 0, result.output
    put = [{puts(body)[0] for body in server.bodies if puts(body)} for server in (one, two)]
    assert put == [{"Reference answer: a red circle"}, {"Reference answer: two"}]


def test_the_idlest_endpoint_takes_the_next_question():
    loads = [0, 0]
    routes = routed([["a1", "a2", "a3"], ["b1"], ["c1", "c2"]], loads)
    assert [next(routes) for _ in range(3)] == [((0, 0), "a1"), ((1, 1), "b1"), ((0, 2), "a2")]
    loads[1] -= 1
    assert [next(routes) for _ in range(2)] == [((1, 3), "c1"), ((1, 4), "c2")]
    assert [case for _, case in routes] == ["a3"]
    assert list(routed([], [0])) == []


async def test_a_model_without_a_server_gets_one_for_as_long_as_it_judges(runs, monkeypatch, tmp_path):
    events = []
    folders = [tmp_path / name for name in ("judge-a", "judge-b")]
    for folder in folders:
        folder.mkdir()
        (folder / "config.json").write_text('{"max_position_embeddings": 4096}')

    async with serving(*[HONEST] * 99, routes=[models("judge-a", "judge-b")]) as server:

        @contextlib.contextmanager
        def started(options, logs):
            events.append((options.name, options.max_model_len, options.images_per_prompt, options.extra))
            events.append([str(log) for log in logs])
            yield [FakeServer(server.url)]
            events.append("ended")

        monkeypatch.setattr(model_servers, "serving", started)
        names = [f"--judge={folder}" for folder in folders]
        command = ("judge", *runs, *names, "--protocol", "both", "--server-arg=--enforce-eager", "--seed", 3)
        result = await lvqa(*command)
        assert result.exit_code == 0, result.output
        assert events == [
            event
            for name in ("judge-a", "judge-b")
            for event in (
                (name, 4096, 0, (*compact(()), "--enforce-eager")),
                [str(tmp_path / f"judge-{name}.log")],
                "ended",
            )
        ]
        assert (await lvqa(*command)).exit_code == 0
        assert len(events) == 6
    identity = RunStore.open(runs[0]).judge_identity("judge-a.post-hoc")
    served = identity.settings["vllm_serve"]
    assert served[:4] == ["--served-model-name", "judge-a", "--max-model-len", "4096"]
    assert served[-1] == "--enforce-eager"
    assert len(identity.settings["model"]["files_sha256"]) == 64
    assert str(tmp_path) not in (runs[0] / "judgements" / "judge-a.yaml").read_text()


class FakeServer:
    def __init__(self, base_url):
        self.base_url = base_url

    def ended(self):
        return None


async def test_a_key_is_sent_and_kept_nowhere(runs, monkeypatch):
    monkeypatch.setenv("LVQA_API_KEY", "sk-very-secret")
    async with serving(*[HONEST] * 99, routes=[models("m")]) as server:
        await lvqa("judge", runs[0], f"--judge=m@{server.url}")
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-very-secret"}
    kept = [path.read_text() for path in (runs[0] / "judgements").iterdir()]
    assert not any("sk-very-secret" in text or server.url in text for text in kept)


async def test_names_that_are_no_judge(runs):
    result = await lvqa("judge", runs[0], "--judge", "exact-mtch")
    assert result.exit_code == 1
    assert (
        "judge: found 'exact-mtch', allowed: exact-match, NAME@URL of a running server, or a" in result.stderr
    )
    result = await lvqa("judge", runs[0], "--judge", "@http://host")
    assert "judge: found '@http://host', needed NAME@URL" in result.stderr


def test_log_probabilities_are_not_carried_along(tmp_path):
    held = said("red", condition="full")
    figures = TokenLogprobs(("red",), (-0.5,), ((-0.5,),), (0,))
    turns = (replace(held.turns[0], logprobs=figures),)
    store = write_run(tmp_path, ["full"], 1, [asked()], [replace(held, turns=turns)], {})
    [[case]] = Cases([store]).left("anyone")
    assert case.conversation == held


@pytest.fixture
def near(monkeypatch):
    """Workers in this process, in place of those of a cluster."""
    monkeypatch.setattr(cluster, "joined", lambda *_, **__: contextlib.nullcontext(NearCluster()))
    monkeypatch.setattr(spread, "PAUSES", (0.01,))
    monkeypatch.setattr(labour, "has_gpu", lambda: False)


async def test_workers_of_a_cluster_judge_as_one_machine_does(runs, near, tmp_path):
    here = [shutil.copytree(run, tmp_path / "here" / run.name) for run in runs]
    script, route = [HONEST] * 99, models("m")
    async with serving(*script, routes=[route]) as one, serving(*script, routes=[route]) as two:
        named = (f"--judge=m@{one.url}", f"--judge=m@{two.url}", "--protocol", "both")
        spread_out = await lvqa("judge", *runs, *named, "--ray", "auto", "--in-flight", 1)
        assert spread_out.exit_code == 0, spread_out.output
        assert "starting 2 workers on 1 machines" in spread_out.stderr
        put = [{puts(body)[0] for body in server.bodies if puts(body)} for server in (one, two)]
        assert all(put)
        assert (await lvqa("judge", *here, *named)).exit_code == 0
    for run, other in zip(runs, here, strict=True):
        for judge in ("m", "m.post-hoc"):
            assert RunStore.open(run).judgements(judge) == RunStore.open(other).judgements(judge)
            settings = (run / "judgements" / f"{judge}.yaml").read_bytes()
            assert settings == (other / "judgements" / f"{judge}.yaml").read_bytes()


async def test_what_workers_leave_is_judged_again(runs, near):
    broken = rules(("Say yes.", CANARY), ('assistant\\":\\"blue', error(503, "busy")), ("", HONEST))
    async with serving(*[broken] * 99, routes=[models("m")]) as server:
        command = ("judge", *runs, f"--judge=m@{server.url}", "--ray", "auto")
        result = await lvqa(*command)
        assert result.exit_code == 1
        assert "1 judgements failed in serving: the same command tries them again" in result.stderr
        server.script = [HONEST] * 99
        assert (await lvqa(*command)).exit_code == 0
    assert [verdicts(run, "m") for run in runs] == [[True, True, False, False]] * 2


async def test_a_cluster_without_room_or_servers_that_cannot_judge(runs, near):
    async with serving(*[rules(("", CANARY))] * 99, routes=[models("other")]) as server:
        named = [f"--judge=m@{server.url.replace('127.0.0.1', host)}" for host in ("127.0.0.1", "localhost")]
        result = await lvqa("judge", *runs, *named, "--ray", "auto")
        assert result.exit_code == 1
        assert "model: found other at" in result.stderr
        result = await lvqa("judge", *runs, *named, f"--judge=m@{server.url}/", "--ray", "auto")
    assert "room for 2 workers of a CPU, needed: 3" in result.stderr
    for options, words in (
        (("--workers", 2), "--workers needs --ray"),
        (("--servers", 2, "--ray", "auto"), "--servers is not for it"),
    ):
        assert words in (await lvqa("judge", runs[0], *options)).stderr


def test_a_long_question_is_given_out_in_pieces(tmp_path):
    held = [said("red", condition="full", run=number) for number in range(1, 131)]
    store = write_run(tmp_path, ["full"], 130, [asked()], held, {})
    cases = Cases([store])
    found = list(spread.units([cases.left("a"), cases.left("b")], cases))
    assert [(unit.number, unit.group, len(unit.items)) for unit in found] == [
        *((0, "0 q1", 64), (1, "0 q1", 64), (2, "0 q1", 2)),
        *((3, "1 q1", 64), (4, "1 q1", 64), (5, "1 q1", 2)),
    ]
    assert [place for unit in found for place in unit.items] == list(range(260))
    assert {item.protocol for item in found[3].items.values()} == {1}
