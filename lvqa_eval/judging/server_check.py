"""Checks the servers of a judge model before the first verdict: the model, a reply, structured output."""

from collections.abc import Sequence
from dataclasses import replace

from lvqa_eval.judging.llm_judge import JudgeSettings
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.preflight import PreflightError, ServerRecord, preflight
from lvqa_eval.serving.request import Route
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.statuses import EXCLUDED

_CANARY = 16
_CANARY_OF_JSON = 64  # tokens: enough to see whether a reply begins as the schema wants it


async def check_servers(
    urls: Sequence[str], judges: Sequence[JudgeSettings], api_key: str | None, deadline: float
) -> ServerRecord:
    """Ask every server for the model and for short replies; raises PreflightError with all problems."""
    first = judges[0]
    plain = replace(first.sampling, max_tokens=min(_CANARY, first.sampling.max_tokens))
    record = await preflight(urls, first.model, plain, [], api_key=api_key, deadline=deadline)
    if held := [one for one in judges if one.holds_to_schema]:
        await _check_structured(urls, held[0], api_key, deadline)
    return record


async def _check_structured(
    urls: Sequence[str], judge: JudgeSettings, api_key: str | None, deadline: float
) -> None:
    sampling = replace(judge.sampling, max_tokens=min(_CANARY_OF_JSON, judge.sampling.max_tokens))
    body, message = judge.body(1, sampling), text_message("user", "Say yes.")
    client = ChatClient(urls, judge.model, sampling, api_key=api_key, deadline=deadline, attempts=2)
    problems = []
    async with client:
        for endpoint in range(client.endpoints):
            reply = await client.complete([message], seed=0, route=Route(endpoint, endpoint), body=body)
            if reply.status in EXCLUDED:
                problems.append(f"a request with the schema of a verdict fails: {reply.error}")
            elif reply.text and not reply.text.lstrip().startswith("{"):
                said = repr(reply.text[:40])
                problems.append(f"the server does not hold replies to a schema: it says {said}")
    if problems:
        mend = "judge with --no-structured; verdicts are read as strictly"
        raise PreflightError([f"structured output: {problem}: {mend}" for problem in dict.fromkeys(problems)])
