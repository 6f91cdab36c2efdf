"""The judge without a model, and judging a whole run."""

import asyncio

import pytest

from lvqa_eval.judging.exact_match import ExactMatchJudge
from lvqa_eval.judging.judges import JUDGES
from lvqa_eval.judging.run import judge_run
from lvqa_eval.runs.identity import IdentityChangedError, RunIdentity
from lvqa_eval.runs.records import (
    Attempt,
    ConversationRecord,
    JudgementRecord,
    Key,
    QuestionRecord,
    TurnRecord,
)
from lvqa_eval.runs.store import RunFolderError, RunStore
from lvqa_eval.statuses import JudgeStatus, Status


def question(name: str = "q1", answer: str = "red") -> QuestionRecord:
    return QuestionRecord(name, "s1", 3, "direct_ask", "Which?", answer, None, (1,), ((1,),), (), (0, 2))


def conversation(
    *replies: str | tuple[Status, str | None] | None,
    name: str = "q1",
    condition: str = "sharded-q",
    run: int = 1,
    status: Status | None = None,
) -> ConversationRecord:
    turns = []
    for number, given in enumerate(replies):
        outcome, reply = given if isinstance(given, tuple) else (Status.OK, given)
        turns.append(TurnRecord("…", number == 0, (), (), False, number, outcome, reply))
    return ConversationRecord(condition, name, run, status or turns[-1].status, tuple(turns))


def ruling(spoken: ConversationRecord, answer: str = "red") -> JudgementRecord:
    return asyncio.run(ExactMatchJudge().judge(question(answer=answer), spoken))


def test_every_turn_is_an_attempt_and_the_last_one_decides():
    record = ruling(conversation("blue", "**Red.**", "The answer is red."))
    assert record == JudgementRecord(
        condition="sharded-q",
        question_id="q1",
        run=1,
        status=JudgeStatus.OK,
        final_turn_correct=True,
        first_correct_turn=2,
        attempts=(
            Attempt(1, "blue", False),
            Attempt(2, "**Red.**", True),
            Attempt(3, "The answer is red.", True),
        ),
    )


def test_an_answer_that_was_given_up_is_wrong_in_the_end():
    record = ruling(conversation("red", "blue"))
    assert (record.final_turn_correct, record.first_correct_turn) == (False, 1)


def test_a_question_back_is_no_attempt_unless_it_is_the_reference():
    record = ruling(conversation("Which of the cars?", "red"))
    assert record.attempts == (Attempt(2, "red", True),)
    record = ruling(conversation("red", "Which of the cars?"))
    assert (record.final_turn_correct, record.first_correct_turn) == (False, 1)
    assert ruling(conversation("Who goes there?"), "who goes there").final_turn_correct is True


def test_a_conversation_without_a_right_answer_counts_from_zero():
    record = ruling(conversation("blue"))
    assert (record.final_turn_correct, record.first_correct_turn) == (False, 0)


@pytest.mark.parametrize("status", [Status.TRUNCATED, Status.REFUSED, Status.EMPTY, Status.UNPARSABLE])
def test_what_the_model_failed_is_wrong_and_earlier_turns_are_kept(status):
    record = ruling(conversation("red", (status, "red")))
    assert record.status is JudgeStatus.OK
    assert record.attempts == (Attempt(1, "red", True),)
    assert (record.final_turn_correct, record.first_correct_turn) == (False, 1)


def test_a_bad_reply_in_the_middle_is_no_attempt():
    record = ruling(conversation((Status.TRUNCATED, "red"), " \n", (Status.EMPTY, None), "red"))
    assert record.attempts == (Attempt(4, "red", True),)
    assert (record.final_turn_correct, record.first_correct_turn) == (True, 4)


def test_of_a_grounding_reply_only_the_answer_line_counts():
    said = "Answer: 3\nLayers: 1, 2\nConfidence: 90\nWhy: I see 2"
    record = ruling(conversation(said, condition="all-layers"), "3")
    assert record.attempts == (Attempt(1, "3", True),)
    assert record.final_turn_correct is True
    assert ruling(conversation(said, condition="all-layers"), "2").final_turn_correct is False
    without = ruling(conversation("3", condition="all-layers"), "3")
    assert (without.attempts, without.final_turn_correct) == ((), False)
    russian = ruling(conversation("Ответ: красный\nСлои: 1", condition="all-layers"), "красный")
    assert russian.final_turn_correct is True


def test_the_language_of_numbers_is_part_of_the_identity():
    russian = ExactMatchJudge("ru")
    assert russian.identity() == {"judge": "exact-match", "rules": 2, "language": "ru"}
    record = asyncio.run(russian.judge(question(answer="1,5"), conversation("1.5")))
    assert record.final_turn_correct is True
    record = asyncio.run(russian.judge(question(answer="1.234"), conversation("1,234")))
    assert record.final_turn_correct is True


def test_the_judge_is_known_by_its_name():
    assert JUDGES.get("exact-match") is ExactMatchJudge
    assert "exact-match" in JUDGES.names()


def make_run(folder, *spoken: ConversationRecord) -> None:
    questions = [question("q2", "3"), question("q1", "red")]
    with RunStore.create_or_resume(folder, RunIdentity({"model": "tiny"}), questions) as store:
        for one in spoken:
            store.append(one)


def test_a_run_is_judged_once_and_the_excluded_are_left_out(tmp_path):
    make_run(
        tmp_path,
        conversation("red", name="q1"),
        conversation("2", name="q2"),
        conversation((Status.TRUNCATED, "red"), name="q1", run=2),
        conversation((Status.TIMEOUT, None), name="q2", run=2),
        conversation((Status.CONTEXT_OVERFLOW, None), name="q2", run=3),
    )
    with RunStore.open(tmp_path) as store:
        assert asyncio.run(judge_run(store, ExactMatchJudge(), 8)) == {JudgeStatus.OK: 3}
        assert asyncio.run(judge_run(store, ExactMatchJudge(), 8)) == {}
    make_run(tmp_path, conversation("three", name="q2", run=2))
    with RunStore.open(tmp_path) as store:
        assert asyncio.run(judge_run(store, ExactMatchJudge(), 1)) == {JudgeStatus.OK: 1}
        verdicts = {key[1:]: one.final_turn_correct for key, one in store.judgements("exact-match").items()}
        assert verdicts == {("q1", 1): True, ("q1", 2): False, ("q2", 1): False, ("q2", 2): True}
        assert store.judges() == ["exact-match"]
        with pytest.raises(IdentityChangedError, match='language: this run has null, asked for "ru"'):
            asyncio.run(judge_run(store, ExactMatchJudge("ru"), 1))


class Fickle:
    """Fails every conversation once by transport, and notes the order and how many it has at a time."""

    name = "fickle"

    def __init__(self) -> None:
        self.seen: list[Key] = []
        self.at_once = self.most_at_once = 0

    def identity(self):
        return {}

    async def judge(self, question, conversation):
        failed = conversation.key not in self.seen
        self.seen.append(conversation.key)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        status = JudgeStatus.TRANSPORT_ERROR if failed else JudgeStatus.PARSE_ERROR
        return JudgementRecord(*conversation.key, status, None, None)


def test_broken_transport_is_tried_again_and_questions_stay_together(tmp_path):
    make_run(
        tmp_path,
        *(
            conversation("red", name=name, condition=condition)
            for condition in ("full", "oracle")
            for name in ("q2", "q1")
        ),
    )
    judge = Fickle()
    with RunStore.open(tmp_path) as store:
        assert asyncio.run(judge_run(store, judge, 3)) == {JudgeStatus.TRANSPORT_ERROR: 4}
        assert [key.question_id for key in judge.seen] == ["q1", "q1", "q2", "q2"]
        assert judge.most_at_once == 3
        assert asyncio.run(judge_run(store, judge, 3)) == {JudgeStatus.PARSE_ERROR: 4}
        assert asyncio.run(judge_run(store, judge, 3)) == {}
        with pytest.raises(ValueError, match="in flight: found 0, allowed: 1 or more"):
            asyncio.run(judge_run(store, judge, 0))


def test_what_was_ruled_before_a_judge_broke_is_kept(tmp_path):
    class Breaks(ExactMatchJudge):
        async def judge(self, question, conversation):
            if conversation.question_id == "q2":
                raise RuntimeError("no power")
            return await super().judge(question, conversation)

    make_run(tmp_path, conversation("red", name="q1"), conversation("3", name="q2"))
    with RunStore.open(tmp_path) as store:
        with pytest.raises(RuntimeError, match="no power"):
            asyncio.run(judge_run(store, Breaks(), 1))
        assert list(store.judgements("exact-match")) == [Key("sharded-q", "q1", 1)]
        assert asyncio.run(judge_run(store, ExactMatchJudge(), 1)) == {JudgeStatus.OK: 1}


def test_look_alike_letters_are_flagged():
    # The a of the first word is Latin.
    record = ruling(conversation("kр\u0061сный", "кр\u0061сный и синий"), answer="красный")
    flag = "Latin and Cyrillic letters in one word: "
    assert record.flags == (flag + "kр\u0061сный", flag + "кр\u0061сный")
    assert ruling(conversation("красный", "red")).flags == ()


def test_conversations_of_unknown_questions_are_named(tmp_path):
    make_run(tmp_path, conversation("red", name="q1"))
    path = tmp_path / "conversations.jsonl"
    path.write_text(path.read_text().replace('"q1"', '"q7"'))
    with (
        RunStore.open(tmp_path) as store,
        pytest.raises(RunFolderError, match="conversations of unknown questions: q7"),
    ):
        asyncio.run(judge_run(store, ExactMatchJudge(), 1))
