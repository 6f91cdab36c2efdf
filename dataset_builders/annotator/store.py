"""Everything that annotators wrote: one SQLite file in the work folder, to which rows are only ever added."""

import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, cast

from dataset_builders.annotator.contents import MODES, Mode, Slot
from dataset_builders.annotator.tables import SCHEMA, VERSION
from lvqa_eval.errors import LvqaError

FILE = "annotation.sqlite"

_WAIT_S = 30.0
"""How long a writer waits for another one; a transaction here takes milliseconds."""


class StoreError(LvqaError, ValueError):
    """A work folder without annotations, of another kind, or of a later version."""


@dataclass(frozen=True)
class StoredItem:
    """Something to annotate: its id, where it comes from, and what it is about (the names of its kind)."""

    id: str
    position: int
    origin: str
    subject: Mapping[str, Any]


@dataclass(frozen=True)
class Revision:
    """One save of a slot of an item; `content` is its JSON, `saved_at` UTC in ISO 8601.

    `draft_outcome` says, where an author finished over a draft by models, what became of that.
    """

    item: str
    slot: Slot
    number: int
    annotator: str
    saved_at: str
    content: str
    finished: bool
    draft_outcome: str | None = None


@dataclass(frozen=True)
class StoredDraft:
    """A draft by models, as JSON; the last of an item stands."""

    number: int
    made_at: str
    draft: str


class StaleSaveError(Exception):
    """A save that started from a revision which is not the newest; nothing was written."""

    def __init__(self, newest: Revision | None) -> None:
        super().__init__("somebody saved in between")
        self.newest = newest


class Store:
    """The annotations of a work folder; safe for several threads and several processes.

    What a method returned from is on disk. Reads and writes that belong together stand in `with writing()`.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection
        self._mutex = threading.RLock()
        self._depth = 0

    @classmethod
    def create(cls, folder: Path, mode: Mode, facts: Mapping[str, Any] | None = None) -> Self:
        """Open the annotations of `folder`, made where there are none; StoreError for another kind of them.

        `facts` are kept where nothing of their name is yet.
        """
        folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder, _connect(folder / FILE))
        with store.writing():
            if store._version() == 0:
                for statement in SCHEMA:
                    store._connection.execute(statement)
                store._connection.execute(f"PRAGMA user_version = {VERSION}")
                store.set_fact("mode", mode)
                # By it a browser keeps apart what it could not send yet.
                store.set_fact("work", secrets.token_hex(8))
            store._check(mode)
            for name, value in (facts or {}).items():
                if store.fact(name) is None:
                    store.set_fact(name, value)
        return store

    @classmethod
    def open(cls, folder: Path, mode: Mode | None = None) -> Self:
        """Open the annotations of `folder`; StoreError where there are none, or none of the kind `mode`."""
        path = folder / FILE
        if not path.is_file():
            raise StoreError(f"{path}: not found; begin with: lvqa annotate layered-vqa|bear|errors {folder}")
        store = cls(folder, _connect(path))
        store._check(mode)
        return store

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the one right to write: all of what happens inside is on disk at the end, or nothing."""
        with self._mutex:
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # Some errors of a full disk have ended the transaction themselves.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    @property
    def mode(self) -> Mode:
        """The kind of its items."""
        return cast(Mode, self.fact("mode"))

    def fact(self, name: str) -> Any:
        """Return what is known of the whole under `name`, None where nothing is."""
        row = self._one("SELECT value FROM facts WHERE name = ?", name)
        return json.loads(row[0]) if row else None

    def set_fact(self, name: str, value: Any) -> None:
        """Keep what is known of the whole under `name`."""
        with self.writing():
            self._connection.execute("REPLACE INTO facts VALUES (?, ?)", (name, _dump(value)))

    def add_item(self, item: str, subject: Mapping[str, Any], origin: str = "new") -> bool:
        """Add an item at the end; False, and nothing done, where there is one of this id."""
        with self.writing():
            done = self._connection.execute(
                "INSERT OR IGNORE INTO items (id, origin, subject) VALUES (?, ?, ?)",
                (item, origin, _dump(subject)),
            )
        return done.rowcount == 1

    def items(self) -> list[StoredItem]:
        """Return all items in the order in which they were added."""
        return [_item(row) for row in self._all("SELECT * FROM items ORDER BY position")]

    def item(self, item: str) -> StoredItem | None:
        """Return one item, None where there is none of this id."""
        row = self._one("SELECT * FROM items WHERE id = ?", item)
        return _item(row) if row else None

    def save(
        self,
        item: str,
        slot: Slot,
        annotator: str,
        started_from: int,
        content: str,
        *,
        finished: bool = False,
        draft_outcome: str | None = None,
    ) -> Revision:
        """Add a revision to a slot, on disk on return; the first is number 1 and starts from 0.

        Raises StaleSaveError with the newest revision where that is not the one that the save started from.
        """
        with self.writing():
            newest = self.newest(item, slot)
            number = newest.number if newest else 0
            if number != started_from:
                raise StaleSaveError(newest)
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            made = Revision(item, slot, number + 1, annotator, now, content, finished, draft_outcome)
            values = (item, slot, made.number, annotator, now, content, int(finished), draft_outcome)
            self._connection.execute(f"INSERT INTO revisions ({_REVISION}) VALUES (?,?,?,?,?,?,?,?)", values)
        return made

    def newest(self, item: str, slot: Slot) -> Revision | None:
        """Return the newest revision of a slot, None before the first."""
        row = self._one(
            f"SELECT {_REVISION} FROM revisions WHERE item = ? AND slot = ? ORDER BY number DESC LIMIT 1",
            *(item, slot),
        )
        return _revision(row) if row else None

    def history(self, item: str, slot: Slot) -> list[Revision]:
        """Return all revisions of a slot, oldest first."""
        query = f"SELECT {_REVISION} FROM revisions WHERE item = ? AND slot = ? ORDER BY number"
        return [_revision(row) for row in self._all(query, item, slot)]

    def standing(self, item: str | None = None) -> list[Revision]:
        """Return the newest revision of every slot of every item, or of one."""
        which, values = ("WHERE item = ?", (item,)) if item is not None else ("", ())
        query = f"""
            SELECT {_REVISION} FROM revisions JOIN
            (SELECT item AS i, slot AS s, MAX(number) AS n FROM revisions {which} GROUP BY item, slot)
            ON item = i AND slot = s AND number = n"""
        return [_revision(row) for row in self._all(query, *values)]

    def writers(self, item: str | None = None) -> dict[tuple[str, Slot], frozenset[str]]:
        """Return who has ever written in each slot of every item, or of one."""
        which, values = ("WHERE item = ?", (item,)) if item is not None else ("", ())
        found: dict[tuple[str, Slot], set[str]] = {}
        for name, slot, annotator in self._all(
            f"SELECT DISTINCT item, slot, annotator FROM revisions {which}", *values
        ):
            found.setdefault((name, slot), set()).add(annotator)
        return {place: frozenset(names) for place, names in found.items()}

    def put_draft(self, item: str, draft: str) -> int:
        """Keep a draft by models (JSON of `contents.Draft`) beside those before; returns its number."""
        with self.writing():
            number = len(self.drafts(item)) + 1
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._connection.execute("INSERT INTO drafts VALUES (?, ?, ?, ?)", (item, number, now, draft))
        return number

    def drafts(self, item: str) -> list[StoredDraft]:
        """Return the drafts of an item, oldest first."""
        query = "SELECT number, made_at, draft FROM drafts WHERE item = ? ORDER BY number"
        return [StoredDraft(*row) for row in self._all(query, item)]

    def put_scene(self, scene: str, drawn: str) -> None:
        """Keep how a scene was drawn (JSON), in place of what was there."""
        query = """
            INSERT INTO scenes (id, drawn) VALUES (?, ?)
            ON CONFLICT (id) DO UPDATE SET drawn = excluded.drawn"""
        with self.writing():
            self._connection.execute(query, (scene, drawn))

    def scene(self, scene: str) -> str | None:
        """Return how a scene was drawn (JSON), None for an unknown one."""
        row = self._one("SELECT drawn FROM scenes WHERE id = ?", scene)
        return row[0] if row else None

    def scenes(self) -> dict[str, str]:
        """Return how each scene was drawn (JSON), in the order in which they came."""
        return dict(self._all("SELECT id, drawn FROM scenes ORDER BY position"))

    def _version(self) -> int:
        return int(self._one("PRAGMA user_version")[0])

    def _check(self, mode: Mode | None = None) -> None:
        version, path = self._version(), self.folder / FILE
        if version != VERSION:
            raise StoreError(f"{path}: version: found {version}, this lvqa reads {VERSION}")
        if self.mode not in MODES or (mode is not None and self.mode != mode):
            raise StoreError(
                f"{path}: found annotations of {self.mode}, wanted are {mode}; take another WORK"
            )

    def _one(self, query: str, *values: object) -> Any:
        with self._mutex:
            return self._connection.execute(query, values).fetchone()

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._mutex:
            return self._connection.execute(query, values).fetchall()


_REVISION = "item, slot, number, annotator, saved_at, content, finished, draft_outcome"


def _connect(path: Path) -> sqlite3.Connection:
    try:
        # Transactions are opened by hand; the mutex of the store keeps threads apart.
        connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: cannot be opened: {error}") from error
    return connection


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _item(row: tuple[Any, ...]) -> StoredItem:
    position, name, origin, subject = row
    return StoredItem(name, position, origin, json.loads(subject))


def _revision(row: tuple[Any, ...]) -> Revision:
    item, slot, number, annotator, saved_at, content, finished, outcome = row
    return Revision(item, slot, number, annotator, saved_at, content, bool(finished), outcome)
