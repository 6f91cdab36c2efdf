"""The Arrow schema of a record, read off its fields, so that files and records cannot drift apart."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pyarrow as pa


def record_fields(record_type: type) -> "list[pa.Field]":
    """Return the fields of a dataclass; nullable where None is allowed.

    Text and enumerations are strings, whole numbers int32, other numbers float64, tuples lists, dataclasses
    structs. Raises TypeError for any other type.
    """
    import pyarrow as pa

    hints: Mapping[str, Any] = get_type_hints(record_type)
    found = []
    for one in fields(record_type):
        hint, optional = _without_none(hints[one.name])
        found.append(pa.field(one.name, _arrow_type(hint), nullable=optional))
    return found


def _arrow_type(hint: Any) -> "pa.DataType":
    import pyarrow as pa

    if get_origin(hint) is tuple:
        item, optional = _without_none(get_args(hint)[0])
        return pa.list_(pa.field("item", _arrow_type(item), nullable=optional))
    if isinstance(hint, type) and is_dataclass(hint):
        return pa.struct(record_fields(hint))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string()
    plain = {str: pa.string(), bool: pa.bool_(), int: pa.int32(), float: pa.float64()}
    if hint not in plain:
        raise TypeError(f"found {hint!r}, allowed: text, bool, int, float, enumerations, tuples, dataclasses")
    return plain[hint]


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return an optional type without None, and whether it was one."""
    if get_origin(hint) is not UnionType:
        return hint, False
    others = [one for one in get_args(hint) if one is not NoneType]
    if len(others) != 1:
        raise TypeError(f"found {hint!r}, allowed: one type, or one type and None")
    return others[0], True
