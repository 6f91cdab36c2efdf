"""A folder at a URL of any file system that fsspec knows (s3://, gs://, file://, memory://, …)."""

import os
from pathlib import Path

from lvqa_eval.errors import LvqaError

_BEGUN = ".new"


class RemoteError(LvqaError, OSError):
    """A URL that cannot be read or written, or that holds something else than the run."""


class RemoteFolder:
    """Files by their path below `url`. Everything that goes wrong there is a RemoteError that names it."""

    def __init__(self, url: str) -> None:
        import fsspec
        from fsspec.implementations.local import LocalFileSystem

        self.url = url.rstrip("/")
        try:
            self._files, self._root = fsspec.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise RemoteError(f"{url}: {error}") from error
        self._local = isinstance(self._files, LocalFileSystem)
        self._made: set[str] = set()

    def names(self) -> list[str]:
        """Return every file, sorted; none where nothing is."""
        try:
            self._files.invalidate_cache()
            is_file = self._files.isfile(self._root)
            found = self._files.find(self._root) if not is_file and self._files.exists(self._root) else []
        except Exception as error:  # every file system has errors of its own
            raise self._failed("be read", error) from error
        if is_file:
            raise RemoteError(f"{self.url}: found a file, needed a folder, or a place where nothing is")
        names = sorted(str(path)[len(self._root) :].lstrip("/") for path in found)
        return [name for name in names if not (self._local and name.endswith(_BEGUN))]

    def read(self, name: str) -> bytes:
        """Return one file."""
        try:
            data: bytes = self._files.cat_file(self._path(name))
        except Exception as error:
            raise self._failed(f"give {name}", error) from error
        return data

    def write(self, name: str, content: bytes | Path) -> None:
        """Write one file, whole or not at all; a path stands for the content of that file."""
        path = self._path(name)
        # An object stands once all of it has come; a file of a disk is there with its first byte.
        begun = path + _BEGUN if self._local else path
        try:
            self._make(path.rpartition("/")[0])
            if isinstance(content, Path):
                self._files.put_file(str(content), begun)
            else:
                self._files.pipe_file(begun, content)
            if begun != path:
                os.replace(begun, path)
        except Exception as error:
            raise self._failed(f"take {name}", error) from error

    def remove(self, names: list[str]) -> None:
        """Remove files; none of them is no error."""
        try:
            if names:
                self._files.rm([self._path(name) for name in names])
        except Exception as error:
            raise self._failed(f"remove {names[0]}", error) from error

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _make(self, folder: str) -> None:
        if folder not in self._made:
            self._files.makedirs(folder, exist_ok=True)
            self._made.add(folder)

    def _failed(self, what: str, error: Exception) -> RemoteError:
        words = str(error).strip().splitlines()
        return RemoteError(f"{self.url}: cannot {what}: {type(error).__name__}: {words[0] if words else ''}")
