"""Pickles from strangers as plain data: nothing that they name is ever imported or called.

A pickle names classes and functions and asks for them to be called. The few that arrays and grey pictures
need are replaced by the small classes below, which check what they are given; every other name is refused.
"""

import io
import pickle
import pickletools
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 512 * 2**20
"""Most bytes that an annotation may hold once decompressed: some 60 layers of two megapixels."""

MAX_OPERATIONS = 1_000_000
"""Most steps of a pickle; an annotation of 20 layers has under a thousand, its arrays being one step each."""

_PIECE = 2**20
_SLOTTING = ("PUT", "BINPUT", "LONG_BINPUT")
_NUMBER = re.compile(r"[biuf][1248]")


class AnnotationError(ValueError):
    """An annotation that cannot be used; the text says why."""


class StoredArray:
    """An array of numbers as it stands in a pickle; `values` once its content has been read."""

    def __init__(self, *_: object) -> None:
        self.values: NDArray[Any] | None = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, by_columns, content = state
        self.values = _array(content, kind, shape, "F" if by_columns else "C")


class StoredPicture(StoredArray):
    """A grey picture of Pillow as it stands in a pickle; `values` is height x width."""

    def __setstate__(self, state: Any) -> None:
        mode, (width, height), content = state[1], state[2], state[4]
        if mode != "L":
            raise AnnotationError(f"picture: found the mode {mode!r:.20}, allowed: L (8-bit grey)")
        self.values = _array(content, _Kind("u1"), (height, width), "C")


# Each has __setstate__: a pickle could otherwise write attributes into the class itself.
class _Kind:
    """Stands for numpy.dtype."""

    def __init__(self, code: Any, *_: object) -> None:
        if not isinstance(code, str) or not _NUMBER.fullmatch(code):
            raise AnnotationError(f"array: found elements of type {code!r:.40}, allowed: numbers")
        self.type = np.dtype(code)

    def __setstate__(self, state: Any) -> None:
        self.type = self.type.newbyteorder(">" if state[1] == ">" else "<")


class _Number:
    """Stands for numpy's function that makes one number."""

    def __new__(cls, kind: Any, content: Any) -> Any:
        return _array(content, kind, (), "C").item()

    def __setstate__(self, state: Any) -> None:
        raise AnnotationError("number: found a state, allowed: none")


class _FromBuffer:
    """Stands for numpy's function that makes an array of a buffer (protocol 5)."""

    def __new__(cls, content: Any, kind: Any, shape: Any, order: Any) -> Any:
        array = StoredArray()
        array.values = _array(content, kind, shape, "F" if order == "F" else "C")
        return array

    def __setstate__(self, state: Any) -> None:
        raise AnnotationError("buffer: found a state, allowed: none")


class _Encoded:
    """Stands for the function by which protocols up to 2 write bytes as text, and for bytes: no bytes."""

    def __new__(cls, text: Any = "", coding: Any = "latin1") -> Any:
        if not isinstance(text, str) or coding != "latin1":
            raise AnnotationError(f"bytes: found the coding {coding!r:.40}, allowed: latin1")
        return text.encode("latin1")

    def __setstate__(self, state: Any) -> None:
        raise AnnotationError("bytes: found a state, allowed: none")


def _array(content: Any, kind: Any, shape: Any, order: Any) -> NDArray[Any]:
    if not isinstance(kind, _Kind) or not isinstance(content, bytes | bytearray):
        raise AnnotationError("array: found no plain numbers, allowed: numbers as bytes")
    if not isinstance(shape, tuple) or len(shape) > 4 or not all(type(n) is int and n >= 0 for n in shape):
        raise AnnotationError("array: found no shape of at most four sides")
    wanted = kind.type.itemsize
    for side in shape:
        wanted *= side
    if len(content) != wanted:
        raise AnnotationError(f"array: found {len(content)} bytes, its shape {shape} needs {wanted}")
    return np.frombuffer(content, kind.type).reshape(shape, order=order)


# numpy 2 moved its core to `_core`; files of either age are read.
_KNOWN: dict[tuple[str, str], type] = {
    ("numpy", "ndarray"): StoredArray,
    ("numpy", "dtype"): _Kind,
    ("PIL.Image", "Image"): StoredPicture,
    ("_codecs", "encode"): _Encoded,
    ("__builtin__", "bytes"): _Encoded,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): StoredArray for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _Number for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _FromBuffer for core in ("core", "_core")},
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        known = _KNOWN.get((module, name))
        if known is None:
            raise AnnotationError(
                f"pickle: found {f'{module}.{name}'!r:.120}, allowed: arrays, grey pictures, dicts, lists, "
                "texts and numbers"
            )
        return known


def read_pickle(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the content of a zlib-compressed pickle; arrays and pictures as StoredArray.

    Raises AnnotationError in one line for a file that is missing, broken, larger than `max_bytes` once
    decompressed (which is counted before any of it is kept), or that names anything beyond plain data.
    """
    for _ in _inflated(path, max_bytes):
        pass
    content = io.BytesIO()
    content.writelines(_inflated(path, max_bytes))
    content.seek(0)
    _check_operations(content)
    content.seek(0)
    try:
        return _Unpickler(content).load()
    except AnnotationError:
        raise
    except Exception as error:  # a broken pickle raises whatever the step at fault raises
        raise AnnotationError(f"broken pickle: {type(error).__name__}: {_line(error)}") from error


def _inflated(path: Path, max_bytes: int) -> Iterator[bytes]:
    """Yield the decompressed content in pieces of at most one MiB."""
    inflater = zlib.decompressobj()
    total = 0
    try:
        with path.open("rb") as stream:
            while not inflater.eof:
                compressed = inflater.unconsumed_tail or stream.read(_PIECE)
                piece = inflater.decompress(compressed, _PIECE)
                if not compressed and not piece:
                    raise AnnotationError("broken zlib data: the end is missing")
                total += len(piece)
                if total > max_bytes:
                    raise AnnotationError(f"size: found more than {max_bytes} bytes once decompressed")
                yield piece
            if inflater.unused_data or stream.read(1):
                raise AnnotationError("broken zlib data: found bytes after its end")
    except OSError as error:
        raise AnnotationError(f"cannot be opened: {error.strerror}") from error
    except zlib.error as error:
        raise AnnotationError(f"broken zlib data: {error}") from error


def _check_operations(content: io.BytesIO) -> None:
    """Refuse a pickle whose steps alone would take memory without end.

    An empty list is one byte here and 56 in memory, and a slot number of five bytes makes the unpickler
    reserve every slot below it.
    """
    count = 0
    try:
        for operation, argument, _ in pickletools.genops(content):
            count += 1
            if count > MAX_OPERATIONS:
                raise AnnotationError(f"pickle: found more than {MAX_OPERATIONS} steps")
            if operation.name in _SLOTTING and isinstance(argument, int) and not 0 <= argument <= count:
                raise AnnotationError(f"pickle: found the slot {argument} at step {count}")
    except (ValueError, OverflowError, MemoryError, UnicodeError) as error:
        if isinstance(error, AnnotationError):
            raise
        raise AnnotationError(f"broken pickle: {_line(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
