"""Judge a run: every conversation that has no ruling yet, grouped by question."""

from collections import Counter

from lvqa_eval.judging.judges import Judge
from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord
from lvqa_eval.runs.store import RunFolderError, RunStore
from lvqa_eval.statuses import EXCLUDED, JudgeStatus


async def judge_run(store: RunStore, judge: Judge, in_flight: int) -> Counter[JudgeStatus]:
    """Let `judge` rule on what it has not judged, `in_flight` at a time; each ruling is kept at once.

    Conversations of an excluded status are left out; judgements that the transport broke are made anew.
    All conversations of one question follow each other, so a server finds their shared prefix in its cache.
    Returns the number of new judgements of each status. Raises IdentityChangedError where a judge of this
    name judged the run with other settings, and whatever the judge raises.
    """
    store.start_judge(judge.name, judge.identity())
    work = _unjudged(store, judge.name)
    made: Counter[JudgeStatus] = Counter()
    with progress(f"judging: {judge.name}", len(work)) as advance:

        async def rule(pair: tuple[QuestionRecord, ConversationRecord]) -> None:
            record = await judge.judge(*pair)
            store.append_judgement(judge.name, record)
            made[record.status] += 1
            advance()

        await for_each(work, rule, in_flight)
    return made


def _unjudged(store: RunStore, judge: str) -> list[tuple[QuestionRecord, ConversationRecord]]:
    questions = store.questions()
    judged = {
        key
        for key, record in store.judgements(judge).items()
        if record.status is not JudgeStatus.TRANSPORT_ERROR
    }
    waiting = [
        conversation
        for key, conversation in store.conversations().items()
        if key not in judged and conversation.status not in EXCLUDED
    ]
    unknown = sorted({one.question_id for one in waiting} - questions.keys())
    if unknown:
        raise RunFolderError(f"{store.folder}: conversations of unknown questions: {', '.join(unknown)}")
    waiting.sort(key=lambda one: one.question_id)
    return [(questions[one.question_id], one) for one in waiting]
