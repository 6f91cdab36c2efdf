"""The tables of an annotation file; see `store`."""

from typing import Final

VERSION: Final = 1

SCHEMA: Final = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """CREATE TABLE items (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        origin TEXT NOT NULL,
        subject TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE revisions (
        item TEXT NOT NULL REFERENCES items (id),
        slot TEXT NOT NULL CHECK (slot IN ('author', 'check', 'adjudicate')),
        number INTEGER NOT NULL,
        annotator TEXT NOT NULL,
        saved_at TEXT NOT NULL,
        content TEXT NOT NULL,
        finished INTEGER NOT NULL CHECK (finished IN (0, 1)),
        draft_outcome TEXT,
        UNIQUE (item, slot, number)
    ) STRICT""",
    "CREATE INDEX writers ON revisions (item, slot, annotator)",
    """CREATE TABLE drafts (
        item TEXT NOT NULL REFERENCES items (id),
        number INTEGER NOT NULL,
        made_at TEXT NOT NULL,
        draft TEXT NOT NULL,
        UNIQUE (item, number)
    ) STRICT""",
    """CREATE TABLE scenes (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        drawn TEXT NOT NULL
    ) STRICT""",
)
"""What makes an empty file one of ours; nothing ever changes or deletes a row of `revisions`."""
