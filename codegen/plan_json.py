"""Writes plans as JSON text and reads them back.

The annotations of the records drive both directions, so a record is added in one place.  Reading
checks every value against its type: a plan that was truncated, edited or written by another version
is refused, and the error names the path of the wrong value.

    record      {"is": class name, field: value, …}
    size        integer | name | [[coefficient, name, …], …]
    constant    its literal, "1.5f32"
    enum        its value
"""

import json
import types
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from typing import TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import attrs

from funmem.codegen import plan as records
from funmem.codegen.plan import PLAN_VERSION, Plan
from funmem.ir import imp
from funmem.ir.diagnostics import NOWHERE, Diagnostic, InputError, Span
from funmem.ir.fun import Const, Var
from funmem.ir.lmad import Dim
from funmem.ir.names import IDENTIFIER, Name
from funmem.ir.scalars import read, show
from funmem.ir.sizes import Size

Json: TypeAlias = "bool | int | str | Sequence[Json] | dict[str, Json] | None"
R = TypeVar("R")

_RECORDS: dict[str, type] = {
    cls.__name__: cls
    for module in (imp, records)
    for cls in vars(module).values()
    if isinstance(cls, type) and attrs.has(cls) and cls.__module__ == module.__name__
} | {cls.__name__: cls for cls in (Const, Dim, Span, Var)}


class PlanError(InputError):
    """The text is not a plan of this version."""

    def __init__(self, message: str) -> None:
        super().__init__(
            Diagnostic(NOWHERE, "plan", message, "compile the program again with this version")
        )


def dumps(plan: Plan) -> str:
    """Return the plan as JSON text; equal plans give equal text."""
    return _lines(_encode(plan), _BROKEN) + "\n"


_BROKEN = 4
"""Nesting levels of the JSON text that are broken into lines; each top-level step has a line."""


def _lines(value: Json, levels: int, indent: str = "\n") -> str:
    """Return JSON text whose outer ``levels`` are broken into lines.

    The inner levels are not indented, since the json module is fast only without indentation.
    """
    inner = indent + " "
    match value:
        case dict() if value and levels:
            parts = [f"{json.dumps(k)}: {_lines(v, levels - 1, inner)}" for k, v in value.items()]
            return "{" + inner + f",{inner}".join(parts) + indent + "}"
        case list() if value and levels:
            parts = [_lines(v, levels - 1, inner) for v in value]
            return "[" + inner + f",{inner}".join(parts) + indent + "]"
        case _:
            return json.dumps(value)


def loads(text: str) -> Plan:
    """Return the plan that ``dumps`` wrote.  Raises PlanError for any other text."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"not a plan: {error}") from None
    version = data.get("version") if isinstance(data, dict) else None
    if version != PLAN_VERSION:
        raise PlanError(f"the plan has version {version!r}; funmem reads version {PLAN_VERSION}")
    return cast(Plan, _decode(Plan, data, "plan"))


# ---------------------------------------------------------------------- writing


def _encode(value: object) -> Json:
    match value:
        case Const(v, t):
            return {"is": "Const", "value": show(v, t)}
        case Size():
            return _encode_size(value)
        case Enum():
            return cast(str, value.value)
        case tuple():
            return [_encode(v) for v in value]
        case None | bool() | int() | str():
            return value
        case _:
            record = cast(attrs.AttrsInstance, value)
            encoded = {k: _encode(getattr(value, k)) for k in _hints(type(record))}
            return {"is": type(value).__name__, **encoded}


def _encode_size(size: Size) -> Json:
    if (k := size.as_const) is not None:
        return k
    return size.as_name or [[k, *monomial] for monomial, k in size.terms]


# ---------------------------------------------------------------------- reading

_Decoder: TypeAlias = Callable[[Json, str], object]


def _decode(wanted: object, data: Json, path: str) -> object:
    return _decoder(wanted)(data, path)


@cache
def _decoder(wanted: object) -> _Decoder:
    """Return the decoder of the annotated type ``wanted``."""
    if wanted is Size:
        return _decode_size
    if wanted is Name:
        return _decode_name
    if wanted in (int, str, bool):
        return lambda data, path: _atom(cast(type, wanted), data, path)
    if get_origin(wanted) in (Union, types.UnionType):
        allowed = get_args(wanted)
        if allowed == (Name, types.NoneType):
            return lambda data, path: None if data is None else _decode_name(data, path)
        if Size in allowed:
            return lambda data, path: _decode_size_or(allowed, data, path)
        return lambda data, path: _decode_record(allowed, data, path)
    if get_origin(wanted) is tuple:
        item = get_args(wanted)[0]
        return lambda data, path: _decode_tuple(item, data, path)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return lambda data, path: _decode_enum(wanted, data, path)
    return lambda data, path: _decode_record((wanted,), data, path)


def _atom(wanted: type, data: Json, path: str) -> object:
    if type(data) is not wanted:
        raise PlanError(f"{path}: expected {wanted.__name__}")
    return data


def _decode_name(data: Json, path: str) -> Name:
    if not isinstance(data, str) or not IDENTIFIER.fullmatch(data):
        raise PlanError(f"{path}: expected a name")
    return Name(data)


def _decode_tuple(item: object, data: Json, path: str) -> object:
    if not isinstance(data, list):
        raise PlanError(f"{path}: expected a list")
    return tuple(_decode(item, v, f"{path}[{k}]") for k, v in enumerate(data))


def _decode_enum(wanted: type[Enum], data: Json, path: str) -> Enum:
    try:
        return wanted(data)
    except ValueError:
        raise PlanError(f"{path}: expected a {wanted.__name__}") from None


def _decode_size(data: Json, path: str) -> Size:
    if type(data) is int:
        return Size.of(data)
    rows = [[1, data]] if isinstance(data, str) else data
    if not isinstance(rows, list):
        raise PlanError(f"{path}: expected a size")
    terms: dict[tuple[Name, ...], int] = {}
    for row in rows:
        if not isinstance(row, list) or not row or type(row[0]) is not int:
            raise PlanError(f"{path}: expected [coefficient, name, …]")
        monomial = tuple(sorted(_decode_name(cast(Json, x), path) for x in row[1:]))
        terms[monomial] = terms.get(monomial, 0) + row[0]
    return Size.from_terms(terms)


def _decode_size_or(allowed: tuple[object, ...], data: Json, path: str) -> object:
    """Decode a size or one of the allowed records."""
    if isinstance(data, dict):
        return _decode_record(allowed, data, path)
    return _decode_size(data, path)


def _decode_record(allowed: tuple[object, ...], data: Json, path: str) -> object:
    found = _RECORDS.get(str(data.get("is"))) if isinstance(data, dict) else None
    if found is None or found not in allowed or not isinstance(data, dict):
        names = " or ".join(getattr(c, "__name__", str(c)) for c in allowed)
        raise PlanError(f"{path}: expected {names}")
    if found is Const:
        return _decode_const(data, path)
    hints = _hints(found)
    if data.keys() - {"is"} != hints.keys():
        raise PlanError(f"{path}: {found.__name__} must have the fields {', '.join(hints)}")
    return found(**{k: _decode(t, data[k], f"{path}.{k}") for k, t in hints.items()})


def _decode_const(data: dict[str, Json], path: str) -> Const:
    try:
        return Const(*read(cast(str, _atom(str, data.get("value"), path))))
    except ValueError as error:
        raise PlanError(f"{path}: {error}") from None


@cache
def _hints(cls: type) -> dict[str, object]:
    """Map each field to its annotation, with forward references resolved."""
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in attrs.fields(cls) if f.init}
