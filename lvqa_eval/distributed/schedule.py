"""Which worker is given which unit of work next: a pure schedule that knows no processes and no network."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Unit(Generic[Item]):
    """Work that is given out together: items by their place in the whole work.

    Units of one `group` share something that a worker keeps warm, such as the pictures of a scene.
    """

    number: int
    group: str
    items: Mapping[int, Item]


class Schedule(Generic[Item]):
    """Keeps account of units that wait and units that workers hold.

    A worker is given units while it holds at most `room` unfinished items, so that it has more to do than it
    can do at once until the end; the one that holds least comes first. A worker goes on with the group that
    it was given last, else takes the first group that nobody is at, else helps where most is left.
    """

    def __init__(self, units: Iterable[Unit[Item]], room: int) -> None:
        self._room = room
        self._waiting: dict[str, list[Unit[Item]]] = {}
        self._held: dict[int, dict[int, Unit[Item]]] = {}
        self._group: dict[int, str] = {}
        self._stopped = False
        for unit in units:
            self._waiting.setdefault(unit.group, []).append(unit)

    @property
    def over(self) -> bool:
        """Whether nothing waits and nobody holds anything."""
        return not self._waiting and not any(self._held.values())

    def join(self, worker: int) -> None:
        """Let a worker take part; a second time is the first."""
        self._held.setdefault(worker, {})

    def next(self) -> tuple[int, Unit[Item]] | None:
        """Return a worker and the unit to give it now, None where none has room or nothing waits."""
        free = [(load, worker) for worker in self._held if (load := self._load(worker)) <= self._room]
        if not free or not self._waiting:
            return None
        worker = min(free)[1]
        group = self._choose(worker)
        unit = self._waiting[group].pop(0)
        if not self._waiting[group]:
            del self._waiting[group]
        self._held[worker][unit.number] = unit
        self._group[worker] = group
        return worker, unit

    def came(self, worker: int, number: int, place: int) -> None:
        """Learn that one item of a unit is done for good."""
        unit = self._held[worker][number]
        left = {other: item for other, item in unit.items.items() if other != place}
        self._held[worker][number] = replace(unit, items=left)

    def finished(self, worker: int, number: int) -> None:
        """Learn that a worker is through with a unit; items that did not come are left as they are."""
        del self._held[worker][number]

    def leave(self, worker: int) -> None:
        """Take a worker out; what it held and had not done waits again, before all else of its group."""
        held = self._held.pop(worker, {})
        self._group.pop(worker, None)
        if self._stopped:
            return
        for number in sorted(held, reverse=True):
            unit = held[number]
            if unit.items:
                self._waiting.setdefault(unit.group, []).insert(0, unit)

    def stop(self) -> None:
        """Give out nothing more; what is held goes on."""
        self._stopped = True
        self._waiting.clear()

    def _load(self, worker: int) -> int:
        return sum(len(unit.items) for unit in self._held[worker].values())

    def _choose(self, worker: int) -> str:
        own = self._group.get(worker)
        if own in self._waiting:
            return own
        taken = set(self._group.values())
        free = [(units[0].number, group) for group, units in self._waiting.items() if group not in taken]
        if free:
            return min(free)[1]
        return min(self._waiting, key=lambda group: (-len(self._waiting[group]), group))
