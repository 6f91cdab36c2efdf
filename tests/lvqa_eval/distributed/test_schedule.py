"""The pure schedule: who is given what, and what becomes of what a lost worker held."""

import random

from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.distributed.schedule import Schedule, Unit


def units(**groups):
    """Units of the given sizes by group, numbered and placed in order."""
    made, place = [], 0
    for group, sizes in groups.items():
        for size in sizes:
            made.append(Unit(len(made), group, dict.fromkeys(range(place, place + size), group)))
            place += size
    return made


def hand_out(schedule):
    given = []
    while (pair := schedule.next()) is not None:
        given.append((pair[0], pair[1].number))
    return given


def joined(*workers, room, **groups):
    schedule = Schedule(units(**groups), room)
    for worker in workers:
        schedule.join(worker)
    return schedule


def test_each_worker_keeps_to_a_group_of_its_own_and_helps_out_at_the_end():
    schedule = joined(1, 2, room=3, a=[2, 2, 2], b=[2], c=[2])
    # Two units fill a worker: 4 items are more than its room.
    assert hand_out(schedule) == [(1, 0), (2, 3), (1, 1), (2, 4)]
    schedule.finished(2, 3)
    assert hand_out(schedule) == [(2, 2)]


def test_a_worker_is_given_more_only_when_it_holds_no_more_than_its_room():
    schedule = joined(1, room=1, a=[2, 2])
    assert hand_out(schedule) == [(1, 0)]
    schedule.came(1, 0, 0)
    assert hand_out(schedule) == [(1, 1)]


def test_work_is_spread_evenly_over_many_workers():
    schedule = joined(*range(1, 9), room=100, **{f"s{n}": [3] for n in range(8)})
    assert sorted(worker for worker, _ in hand_out(schedule)) == list(range(1, 9))


def test_what_a_lost_worker_held_goes_to_another_without_what_came():
    schedule = joined(1, 2, room=0, a=[3], b=[1])
    assert hand_out(schedule) == [(1, 0), (2, 1)]
    schedule.came(1, 0, 1)
    schedule.leave(1)
    assert not schedule.over
    schedule.finished(2, 1)
    worker, unit = schedule.next()
    assert (worker, dict(unit.items)) == (2, {0: "a", 2: "a"})
    schedule.finished(2, 0)
    assert schedule.over


def test_a_unit_whose_items_all_came_is_not_given_again():
    schedule = joined(1, room=0, a=[1])
    hand_out(schedule)
    schedule.came(1, 0, 0)
    schedule.leave(1)
    assert schedule.over


def test_after_a_stop_nothing_is_given_out_and_nothing_given_back():
    schedule = joined(1, 2, room=0, a=[1, 1, 1])
    hand_out(schedule)
    schedule.stop()
    schedule.leave(1)
    assert schedule.next() is None
    assert not schedule.over
    schedule.finished(2, 1)
    assert schedule.over


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(0, 6),
    st.integers(0, 2**31),
)
def test_every_item_is_done_once_whatever_happens_to_workers(sizes, room, seed):
    chance = random.Random(seed)
    all_units = units(**{f"g{number}": of_group for number, of_group in enumerate(sizes)})
    schedule = Schedule(all_units, room)
    held, done, workers = {}, [], 0
    while not schedule.over:
        if not held or chance.random() < 0.1:
            workers += 1
            schedule.join(workers)
            held[workers] = {}
        while (pair := schedule.next()) is not None:
            held[pair[0]][pair[1].number] = dict(pair[1].items)
        worker = chance.choice(sorted(held))
        if chance.random() < 0.2:
            schedule.leave(worker)
            del held[worker]
        elif held[worker]:
            number = chance.choice(sorted(held[worker]))
            items = held[worker][number]
            if items:
                place = min(items)
                del items[place]
                schedule.came(worker, number, place)
                done.append(place)
            else:
                schedule.finished(worker, number)
                del held[worker][number]
    assert sorted(done) == sorted(place for unit in all_units for place in unit.items)
