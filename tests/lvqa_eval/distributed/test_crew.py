"""Crews of workers in this process, lost and started anew at will, without Ray."""

import asyncio
from collections import Counter

import pytest

from lvqa_eval.distributed.crew import Crew, CrewGoneError, RefusedError
from lvqa_eval.distributed.schedule import Unit
from lvqa_eval.distributed.worker import LabourLostError, Refused, Worker
from lvqa_eval.errors import LvqaError
from tests.support.near_hand import NearHand


class Doubling:
    """Doubles numbers; `trouble` may raise at any of them."""

    def __init__(self, fact="same", trouble=None):
        self.fact, self.trouble = fact, trouble or (lambda item: None)

    async def start(self, demand, note):
        if isinstance(self.fact, Exception):
            raise self.fact
        note(f"started for {demand}")
        return self.fact

    async def work(self, items, give):
        for place, item in items:
            await asyncio.sleep(0)
            self.trouble(item)
            give(place, 2 * item, settled=item != 13)

    async def stop(self):
        pass


class Taken:
    """Keeps what comes; wants no more once `enough` have come."""

    def __init__(self, enough=10**6):
        self.results, self.notes, self.enough = [], [], enough

    def keep(self, result):
        self.results.append(result)

    def note(self, note):
        self.notes.append(note)

    def goes_on(self):
        return len(self.results) < self.enough


class Hired:
    """Hires workers by the labours that are given for each number, the last of them again and again."""

    def __init__(self, *labours):
        self.labours = {number: list(own) for number, own in enumerate(labours, start=1)}
        self.hands = []
        self.count = Counter()

    def __call__(self, number):
        own = self.labours[number]
        labour = own[min(self.count[number], len(own) - 1)]
        self.count[number] += 1
        hand = NearHand(labour)
        self.hands.append(hand)
        return hand


def lost(at):
    """Trouble that takes the worker away at one number."""

    def trouble(item):
        if item == at:
            raise LabourLostError("no server")

    return trouble


UNITS = [Unit(n, f"s{n}", {4 * n + i: 4 * n + i for i in range(4)}) for n in range(5)]
DOUBLES = [2 * n for n in range(20)]


async def work(hired, taken=None, pauses=(0, 0), units=UNITS, told=None):
    taken = taken or Taken()
    crew = Crew(hired, len(hired.labours), 4, (told if told is not None else []).append, pauses)
    try:
        await crew.start("x")
        await crew.work(units, taken)
    finally:
        await crew.stop()
    return taken


async def test_everything_is_done_once_by_several_workers():
    taken = await work(Hired([Doubling()], [Doubling()]))
    assert sorted(taken.results) == DOUBLES
    assert taken.notes == ["started for x"] * 2


async def test_nothing_to_do_is_done_at_once():
    assert (await work(Hired([Doubling()]), units=[])).results == []


async def test_a_worker_that_is_lost_once_is_started_anew_and_nothing_is_doubled():
    hired, told = Hired([Doubling(trouble=lost(2)), Doubling()], [Doubling()]), []
    taken = await work(hired, told=told)
    assert sorted(taken.results) == DOUBLES
    assert told[0] == "worker 1 is lost, others take over what it held: no server"


async def test_a_killed_worker_is_noticed_and_its_work_goes_to_the_other():
    hired = Hired([Doubling(trouble=lambda item: hired.hands[0].kill())], [Doubling()])
    hired.labours[1].append(Doubling())
    assert sorted((await work(hired)).results) == DOUBLES


async def test_a_worker_that_stays_lost_is_given_up_and_the_others_finish():
    hired, told = Hired([Doubling(trouble=lost(0)), Doubling(LvqaError("no GPU"))], [Doubling()]), []
    taken = await work(hired, told=told)
    assert sorted(taken.results) == DOUBLES
    assert hired.count[1] <= 3


async def test_when_no_worker_is_left_what_came_is_kept_and_one_line_says_so():
    hired, taken, told = Hired([Doubling(trouble=lost(6))]), Taken(), []
    with pytest.raises(CrewGoneError, match="no worker is left; what was done is kept"):
        await work(hired, taken, told=told, units=[Unit(0, "s", {n: n for n in range(9)})])
    assert hired.count[1] == 3
    assert taken.results == [0, 2, 4, 6, 8, 10]
    assert told[-1] == "worker 1 is given up: no server"


async def test_progress_gives_a_worker_its_lives_back():
    # One unit at a time ends, then the next takes the worker away: five losses, two lives in a row.
    one_each = [Unit(n, "s", {n: n}) for n in range(4)]
    labours = [Doubling(trouble=lost(n)) for n in range(4)] + [Doubling()]
    hired = Hired(labours)
    taken = await work(hired, units=one_each, pauses=(0, 0))
    assert sorted(taken.results) == [0, 2, 4, 6]


async def test_a_result_that_is_not_settled_is_kept_when_its_unit_is_finished():
    assert 26 in (await work(Hired([Doubling()]))).results


async def test_a_result_that_is_not_settled_is_done_anew_when_its_worker_is_lost():
    unit = [Unit(0, "s", {0: 13, 1: 14})]
    taken = await work(Hired([Doubling(trouble=lost(14)), Doubling()]), units=unit)
    assert sorted(taken.results) == [26, 28]


async def test_nothing_is_begun_once_enough_has_come():
    many = [Unit(n, "s", {4 * n + i: n for i in range(4)}) for n in range(50)]
    taken = await work(Hired([Doubling()], [Doubling()]), Taken(enough=3), units=many)
    # Two workers hold eight items each at most, and may be through with all of them before they are told.
    assert 3 <= len(taken.results) <= 16


async def test_workers_that_differ_are_refused_before_anything_is_done():
    with pytest.raises(RefusedError) as caught:
        await work(Hired([Doubling("4.1")], [Doubling("4.2")]))
    assert "they differ, and one run needs equal ones: worker 1" in caught.value.problems[0]
    assert "4.1" in caught.value.problems[0]
    assert "4.2" in caught.value.problems[0]


async def test_one_reason_of_many_workers_is_told_once():
    with pytest.raises(RefusedError) as caught:
        await work(Hired(*[[Doubling(LvqaError("no dataset"))]] * 6))
    [problem] = caught.value.problems
    assert problem.count("no dataset") == 1
    assert problem.startswith("worker 1 (")
    assert "and 2 more: no dataset" in problem


async def test_a_worker_that_differs_after_its_return_is_given_up():
    hired, told = Hired([Doubling("a", lost(0)), Doubling("b")]), []
    with pytest.raises(CrewGoneError):
        await work(hired, told=told)
    assert told[-1] == "worker 1 is given up: it differs from the others now: b, not a"


async def test_an_error_that_a_user_can_mend_ends_the_work_in_its_own_words():
    def trouble(item):
        raise LvqaError("picture: not found")

    with pytest.raises(LvqaError, match=r"^picture: not found$"):
        await work(Hired([Doubling(trouble=trouble)], [Doubling()]))


async def test_a_fault_of_ours_shows_the_traceback_of_the_worker():
    def trouble(item):
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*ZeroDivisionError"):
        await work(Hired([Doubling(trouble=trouble)]))


async def test_a_worker_lists_its_problems_one_by_one():
    class ProblemsError(LvqaError):
        problems = ("one", "two")

    answer = await Worker(Doubling(ProblemsError())).start("x")
    assert isinstance(answer, Refused)
    assert answer.problems == ("one", "two")
