"""What in decoded JSON breaks a type, every field of it, in words."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

import msgspec
from msgspec import inspect
from msgspec.structs import fields

from leaderboard.submissions.plain_text import shown


class Fault(NamedTuple):
    """One place that does not fit: `field` such as turns[2].status, what is there, what may be."""

    field: str
    found: str
    allowed: str


def schema_faults(value: Any, kind: Any, place: str = "") -> Iterator[Fault]:
    """Yield every field of `value`, as JSON gives it, that does not fit the msgspec type `kind`.

    Objects and lists are walked through as far as `kind` describes them.
    """
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        yield from _of_struct(value, kind, place)
        return
    inside: list[Fault] = []
    for where, one in _elements(value, place):
        if (element := _element(kind, type(value))) is not None:
            inside += schema_faults(one, element, where)
    yield from inside
    if not inside and not fits(value, kind):
        yield Fault(place or "line", _found(value), in_words(inspect.type_info(kind)))


def fits(value: Any, kind: Any) -> bool:
    """Say whether `value` fits the msgspec type `kind`; nothing is converted."""
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError:
        return False
    return True


def _of_struct(value: dict[str, Any], kind: type[msgspec.Struct], place: str) -> Iterator[Fault]:
    before = f"{place}." if place else ""
    known = {field.encode_name: field for field in fields(kind)}
    for name, field in known.items():
        if name in value:
            yield from schema_faults(value[name], field.type, before + name)
        elif field.required:
            yield Fault(before + name, "nothing", in_words(inspect.type_info(field.type)))
    config = kind.__struct_config__
    for name in value:
        if config.forbid_unknown_fields and name not in known and name != config.tag_field:
            where = before + shown(name).strip('"')
            yield Fault(where, "a field that is not known", f"only {', '.join(known)}")


def _elements(value: Any, place: str) -> list[tuple[str, Any]]:
    """Return the elements of a list or the values of an object, with their places."""
    if isinstance(value, list):
        return [(f"{place}[{number}]", one) for number, one in enumerate(value)]
    if isinstance(value, dict):
        return [(f"{place}.{shown(name)[1:-1]}", one) for name, one in value.items()]
    return []


def _element(kind: Any, holder: type) -> Any:
    """Return what the type `kind` holds in a `holder` (list or dict), None where that is not told."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _element(inner[0], holder)
    if origin is tuple and holder is list:
        return inner[0]
    return inner[1] if origin in (dict, Mapping) and holder is dict and inner[1] is not Any else None


def _found(value: Any) -> str:
    if isinstance(value, str) and len(value) > 200:
        return f"text of {len(value):,} characters"
    return f"a list of {len(value):,}" if isinstance(value, list) and len(value) > 20 else shown(value)


_PLAIN: Final[Mapping[type[inspect.Type], str]] = {
    inspect.NoneType: "null",
    inspect.BoolType: "true or false",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a finite number",
}


def in_words(kind: inspect.Type) -> str:
    """Return what fits a type, in words."""
    words = _PLAIN.get(type(kind), "an object")
    match kind:
        case inspect.UnionType(types=types):
            words = " or ".join(map(in_words, types))
        case inspect.IntType(ge=least, le=most) | inspect.FloatType(ge=least, le=most):
            words += _range(least, most)
        case inspect.StrType(max_length=most, pattern=pattern):
            words = "text" if most is None else f"text of at most {most:,} characters"
            words += f" of the form {pattern}" if pattern else ""
        case inspect.EnumType(cls=cls):
            words = ", ".join(str(one.value) for one in cls)
        case inspect.LiteralType(values=values):
            words = ", ".join(map(str, values))
        case inspect.VarTupleType(item_type=inner, min_length=least, max_length=most):
            words = f"a list of {in_words(inner)}" + _range(least, most, ", of length")
    return words


def _range(least: float | None, most: float | None, head: str = "") -> str:
    parts = [] if least is None else [f"from {least:,}"]
    parts += [] if most is None else [f"to {most:,}" if parts else f"at most {most:,}"]
    return f"{head} {' '.join(parts)}" if parts else ""
