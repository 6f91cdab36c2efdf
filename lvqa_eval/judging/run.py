"""Let one judge rule on the conversations of runs that it has not judged yet."""

from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import takewhile

from lvqa_eval.judging.cases import Case, Cases, routed
from lvqa_eval.judging.judges import Judge, RoutedJudge
from lvqa_eval.judging.tally import Account
from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Question
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.request import Route
from lvqa_eval.statuses import JudgeStatus

Ask = Callable[[Question, ConversationRecord, Route], Awaitable[JudgementRecord]]


async def judge_run(store: RunStore, judge: Judge, in_flight: int) -> Counter[JudgeStatus]:
    """Let `judge` rule on one run; returns the number of new judgements of each status.

    As `judge_cases` otherwise.
    """
    account = Account()
    await judge_cases(Cases([store]), judge, in_flight, account)
    return account.made(judge.name, store.folder)


async def judge_cases(cases: Cases, judge: Judge | RoutedJudge, in_flight: int, account: Account) -> None:
    """Let `judge` rule on what it has not judged, `in_flight` at a time; each ruling is kept at once.

    A judge of several endpoints has so many in flight at each. Conversations of an excluded status are left
    out; judgements that the transport broke are made anew. Nothing more is begun once `account` says so.
    Raises IdentityChangedError where a judge of this name judged a run with other settings, and whatever the
    judge raises.
    """
    for store in cases.stores:
        store.start_judge(judge.name, judge.identity())
    left = cases.left(judge.name)
    ask, endpoints = _asking(judge)
    loads = [0] * endpoints
    with progress(f"judging: {judge.name}", sum(map(len, left))) as advance:

        async def rule(one: tuple[Route, Case]) -> None:
            route, (store, question, conversation) = one
            record = await ask(question, conversation, route)
            loads[route.endpoint] -= 1
            store.append_judgement(judge.name, record)
            account.add(judge.name, store.folder, record)
            advance(account.note(judge.name))

        begun = takewhile(lambda _: account.goes_on(), routed(left, loads))
        await for_each(begun, rule, in_flight * endpoints)


def _asking(judge: Judge | RoutedJudge) -> tuple[Ask, int]:
    """Return what asks the judge, and the number of its endpoints."""
    if isinstance(judge, RoutedJudge):
        return judge.judge, judge.endpoints

    async def ask(question: Question, conversation: ConversationRecord, _: Route) -> JudgementRecord:
        return await judge.judge(question, conversation)

    return ask, 1
