import asyncio

import pytest

from lvqa_eval.serving.breaker import Breaker, ServerGoneError
from lvqa_eval.serving.limiter import Limiter


class Probe:
    """Answers as the list says, then as its last entry; counts the questions."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    async def __call__(self):
        self.asked += 1
        await asyncio.sleep(0)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def breaker(probe, **options):
    options = {"threshold": 3, "patience": 5.0, "wait": 0.001} | options
    limiter = Limiter(8)
    return Breaker("http://x/v1", limiter, probe, **options), limiter


async def slot(limiter, seconds=5.0):
    return await asyncio.wait_for(limiter.take(0), seconds)


async def test_it_opens_after_so_many_attempts_in_a_row_and_an_answer_starts_the_count_anew():
    guard, limiter = breaker(Probe(False))
    assert [guard.unanswered("reset"), guard.unanswered("reset")] == [True, True]
    guard.answered()
    assert [guard.unanswered("reset"), guard.unanswered("reset")] == [True, True]
    await slot(limiter)
    assert guard.unanswered("reset") is True
    with pytest.raises(TimeoutError):
        await slot(limiter, 0.02)
    guard.stop()


async def test_what_was_in_flight_when_it_opened_does_not_count():
    guard, _ = breaker(Probe(False))
    assert [guard.unanswered("reset") for _ in range(5)] == [True, True, True, False, False]
    guard.stop()


async def test_a_server_that_is_back_goes_on(caplog):
    probe = Probe(False, False, True)
    guard, limiter = breaker(probe)
    for _ in range(3):
        guard.unanswered("reset")
    await slot(limiter)
    assert (probe.asked, guard.dead) == (3, None)
    assert [record.message for record in caplog.records] == [
        "http://x/v1: 3 requests in a row without an answer, the last: reset; waiting up to 5 s for it",
        "http://x/v1: answers again",
    ]
    assert [guard.unanswered("reset") for _ in range(4)] == [True, True, True, False]
    guard.stop()


async def test_a_late_answer_closes_it_too():
    guard, limiter = breaker(Probe(False))
    for _ in range(3):
        guard.unanswered("reset")
    guard.answered()
    await slot(limiter)
    assert guard.dead is None
    await asyncio.sleep(0.02)
    await slot(limiter)


async def test_after_the_patience_the_endpoint_is_dead_for_good():
    guard, limiter = breaker(Probe(False), patience=0.03)
    for _ in range(3):
        guard.unanswered("refused")
    await slot(limiter)
    assert guard.dead == "3 requests in a row without an answer, the last: refused; not back within 0.03 s"
    assert guard.unanswered("refused") is False
    assert str(ServerGoneError([guard])) == f"http://x/v1: {guard.dead}"


async def test_a_probe_that_hangs_does_not_outlast_the_patience():
    async def hangs():
        await asyncio.sleep(60)
        return True

    guard, limiter = breaker(hangs, patience=0.03)
    for _ in range(3):
        guard.unanswered("refused")
    await slot(limiter)
    assert guard.dead is not None


async def test_a_process_that_is_known_to_have_ended_is_not_waited_for():
    probe = Probe(False)
    guard, limiter = breaker(probe, patience=60.0, ended=lambda: "exit code 1")
    assert guard.unanswered("reset") is True
    assert guard.dead == "the server has ended: exit code 1"
    await slot(limiter)
    assert probe.asked == 0


async def test_a_process_that_ends_while_it_is_waited_for_is_given_up():
    words = [None, None, None, None, "out of memory"]
    guard, limiter = breaker(Probe(False), patience=60.0, ended=lambda: words.pop(0) if words else "gone")
    for _ in range(3):
        guard.unanswered("reset")
    await slot(limiter)
    assert guard.dead == "the server has ended: out of memory"
