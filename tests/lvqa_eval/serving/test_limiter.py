import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.serving.limiter import START, Limiter, Sign, Window


def round_trip(window, sign=Sign.ROOM, full=True):
    numbers = [window.send() for _ in range(window.limit)]
    for number in numbers:
        window.ended(number, sign, full=full)
    return window.limit


def test_the_limit_doubles_in_a_round_trip_up_to_the_ceiling():
    window = Window(256)
    assert (START, window.limit) == (32, 32)
    assert [round_trip(window) for _ in range(4)] == [64, 128, 256, 256]


def test_a_ceiling_below_the_start_is_the_start():
    assert Window(4).limit == 4
    with pytest.raises(ValueError, match="concurrency: found 0, allowed: 1 or more"):
        Window(0)


def test_after_the_first_sign_the_limit_grows_by_one_in_a_round_trip():
    window = Window(256, start=100)
    window.ended(window.send(), Sign.OVERLOAD, full=True)
    assert window.limit == 50
    # Each answer adds one part of the size of that moment: the first fifty add a little less than one.
    assert [round_trip(window) for _ in range(4)] == [50, 51, 52, 53]


def test_one_round_trip_brings_one_decrease():
    window = Window(256, start=64)
    first = [window.send() for _ in range(64)]
    for number in first:
        window.ended(number, Sign.OVERLOAD, full=True)
    assert window.limit == 32
    later = window.send()
    window.ended(first[0], Sign.OVERLOAD, full=True)
    assert window.limit == 32
    window.ended(later, Sign.OVERLOAD, full=True)
    assert window.limit == 16


def test_the_limit_never_falls_below_one():
    window = Window(256, start=3)
    assert [round_trip(window, Sign.OVERLOAD) for _ in range(4)] == [1, 1, 1, 1]


def test_what_says_nothing_or_was_not_in_use_changes_nothing():
    window = Window(256)
    assert round_trip(window, Sign.NOTHING) == 32
    assert round_trip(window, full=False) == 32


@given(st.lists(st.sampled_from(Sign), max_size=200), st.integers(1, 300), st.integers(1, 300))
def test_the_limit_stays_between_one_and_the_ceiling(signs, ceiling, start):
    window = Window(ceiling, start)
    for sign in signs:
        window.ended(window.send(), sign, full=True)
        assert 1 <= window.limit <= ceiling


@given(st.integers(2, 200), st.integers(1, 400))
def test_the_limit_settles_between_half_of_what_a_server_takes_and_all_of_it(capacity, start):
    window = Window(400, start)
    limits = []
    for _ in range(60):
        sign = Sign.OVERLOAD if window.limit > capacity else Sign.ROOM
        limits.append(round_trip(window, sign))
    assert all(capacity // 2 <= limit <= capacity + 1 for limit in limits[20:])


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_slots_go_to_the_lowest_order_and_among_equals_to_the_first():
    limiter, served = Limiter(1), []

    async def one(name, order):
        number = await limiter.take(order)
        served.append(name)
        await asyncio.sleep(0)
        limiter.give(number, Sign.NOTHING)

    names = [("a", 5), ("b", 9), ("c", 2), ("d", 2), ("e", 7)]
    await asyncio.gather(*[one(*name) for name in names])
    assert served == ["a", "c", "d", "e", "b"]


async def test_a_conversation_that_was_answered_goes_on_before_another_begins():
    limiter, begun, most = Limiter(4), set(), 0
    finished = []

    async def converse(order):
        nonlocal most
        for _ in range(5):
            number = await limiter.take(order)
            begun.add(order)
            most = max(most, len(begun) - len(finished))
            await asyncio.sleep(0)
            limiter.give(number, Sign.NOTHING)
        finished.append(order)

    await asyncio.gather(*[converse(order) for order in range(40)])
    assert most == 4
    assert finished == list(range(40))


async def test_no_slot_is_given_while_paused_and_pauses_add_up():
    limiter, served = Limiter(2), []

    async def one(name):
        number = await limiter.take(0)
        served.append(name)
        limiter.give(number, Sign.NOTHING)

    limiter.pause()
    limiter.pause()
    tasks = [asyncio.create_task(one(name)) for name in "abc"]
    await settle()
    limiter.resume()
    await settle()
    assert served == []
    limiter.resume()
    await asyncio.gather(*tasks)
    assert served == ["a", "b", "c"]


async def test_the_limit_grows_only_while_others_wait_or_all_slots_are_in_use():
    limiter = Limiter(256)
    number = await limiter.take(0)
    limiter.give(number, Sign.ROOM)
    assert limiter.limit == 32
    numbers = [await limiter.take(0) for _ in range(32)]
    limiter.give(numbers[0], Sign.ROOM)
    assert limiter.limit == 33


async def test_after_a_decrease_no_slot_is_given_until_enough_are_back():
    limiter = Limiter(4)
    numbers = [await limiter.take(0) for _ in range(4)]
    waiting = asyncio.create_task(limiter.take(0))
    limiter.give(numbers[0], Sign.OVERLOAD)
    limiter.give(numbers[1], Sign.OVERLOAD)
    await settle()
    assert (limiter.limit, waiting.done()) == (2, False)
    limiter.give(numbers[2], Sign.NOTHING)
    await settle()
    assert waiting.done()


@pytest.mark.parametrize("granted", [False, True])
async def test_one_who_gives_up_waiting_takes_no_slot_along(granted):
    limiter = Limiter(1)
    number = await limiter.take(0)
    leaving, staying = asyncio.create_task(limiter.take(0)), asyncio.create_task(limiter.take(1))
    await asyncio.sleep(0)
    if granted:
        limiter.give(number, Sign.NOTHING)
        limiter._share()  # the slot is given, but its taker has not run yet
    leaving.cancel()
    with suppress(asyncio.CancelledError):
        await leaving
    if not granted:
        limiter.give(number, Sign.NOTHING)
    number = await asyncio.wait_for(staying, 5)
    limiter.give(number, Sign.NOTHING)
    assert await asyncio.wait_for(limiter.take(0), 5) == number + 1
