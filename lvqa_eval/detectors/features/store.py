"""A folder of features, `features/<name>` of a run: `identity.yaml`, and Parquet parts that never change.

A part is there whole or not at all, so what was killed goes on with the answers that no part has.
"""

import hashlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from lvqa_eval.detectors.features.columns import KEY, FeatureRow, to_table
from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.files import write_whole
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.records import Key

if TYPE_CHECKING:
    import pyarrow as pa

FEATURES: Final = "features"
"""The folder of all features in a run folder."""

IDENTITY: Final = "identity.yaml"


class FeatureStore:
    """One folder of features: `create_or_resume` to write, `open` to read. Several processes may write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.identity = RunIdentity.read(folder / IDENTITY)
        try:
            self.depths = Depths.read(self.identity.settings)
        except (KeyError, TypeError, ValueError) as error:
            raise FeaturesError(f"{folder / IDENTITY}: layers: missing or no numbers ({error})") from error

    @classmethod
    def create_or_resume(cls, folder: Path, identity: Mapping[str, Any]) -> Self:
        """Return the folder for writing; IdentityChangedError where its features were made otherwise."""
        asked, path = RunIdentity(identity), folder / IDENTITY
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            # Of several that begin at once the first stands, and the others are compared with it.
            draft = folder / f".{IDENTITY}.{os.getpid()}"
            asked.write(draft)
            try:
                os.link(draft, path)
            except OSError:
                if not path.exists():  # a file system without links
                    asked.write(path)
            finally:
                draft.unlink()
        check_same(path, RunIdentity.read(path), asked)
        return cls(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the folder for reading; FeaturesError where none is."""
        if not (folder / IDENTITY).is_file():
            raise FeaturesError(f"{folder}: not a folder of features: {IDENTITY} is missing")
        return cls(folder)

    @property
    def native(self) -> bool:
        """Whether the answering model itself was the reader."""
        return bool(self.identity.settings.get("native"))

    def finished(self) -> set[tuple[Key, str]]:
        """Return name and SHA-256 of the text of every answer that has a row."""
        return {
            (Key(condition, question_id, run), text)
            for table in self.tables(columns=list(KEY))
            for condition, question_id, run, text in zip(
                *(table.column(name).to_pylist() for name in KEY), strict=True
            )
        }

    def tables(
        self, condition: str | None = None, columns: Sequence[str] | None = None
    ) -> "Iterator[pa.Table]":
        """Yield the parts in the order of their names, only the rows of `condition` where one is given."""
        import pyarrow as pa
        import pyarrow.parquet

        filters = None if condition is None else [("condition", "==", condition)]
        for path in sorted(self.folder.glob("*.parquet")):
            try:
                yield pyarrow.parquet.read_table(path, columns=columns, filters=filters)
            except (OSError, pa.ArrowInvalid) as error:
                raise FeaturesError(f"{path}: not readable as Parquet: {error}; delete it") from error

    def add(self, rows: Sequence[FeatureRow]) -> None:
        """Write a part, which is named by the answers that it holds."""
        import pyarrow.parquet

        buffer = io.BytesIO()
        pyarrow.parquet.write_table(to_table(rows, self.depths), buffer, compression="zstd")
        names = "\n".join(f"{tuple(row.key)} {row.text_sha256}" for row in rows)
        digest = hashlib.sha256(names.encode()).hexdigest()[:16]
        write_whole(self.folder / f"part-{digest}.parquet", buffer.getvalue())
