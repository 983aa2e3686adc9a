"""The C types of NOVA's foreign functions: numbers, and a struct for each type of tuples."""

from collections.abc import Iterator

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.foreign import C_TYPES
from funmem.ir.scalars import BOOL, ScalarType

_NAMES = {
    ScalarType.BOOL: "bool",
    ScalarType.I8: "int8",
    ScalarType.I16: "int16",
    ScalarType.I32: "int",
    ScalarType.F32: "float",
    ScalarType.F64: "double",
}


def c_type(t: Type) -> str:
    """Return the C type of a scalar or a tuple of scalars."""
    match t:
        case c.Record():
            return _tag(t)
        case ScalarType():
            return "int" if t is BOOL else C_TYPES[t]
        case _:
            raise TypeError(f"{t} is no type of a foreign function")


def _tag(t: Type) -> str:
    """Return the name of a type inside the name of a struct."""
    match t:
        case c.Record(fields):
            return "_".join(("tuple", *(_tag(u) for _, u in fields)))
        case ScalarType():
            return _NAMES.get(t, str(t))
        case _:
            raise TypeError(f"{t} is no type of a foreign function")


def structs(t: Type) -> dict[str, str]:
    """Return the definitions of a type's structs, inner ones first."""
    while isinstance(t, c.Array):
        t = t.elem
    if not isinstance(t, c.Record) or not t.fields:
        return {}
    found: dict[str, str] = {}
    for _, u in t.fields:
        found |= structs(u)
    members = " ".join(f"{c_type(u)} _{k};" for k, (_, u) in enumerate(t.fields))
    return {**found, _tag(t): f"typedef struct {{ {members} }} {_tag(t)};"}


def leaves(t: Type, path: str) -> Iterator[tuple[str, ScalarType]]:
    """Yield the C expressions of the scalars in a value, and their types."""
    match t:
        case ScalarType():
            yield path, t
        case c.Record(fields):
            for k, (_, u) in enumerate(fields):
                yield from leaves(u, f"{path}._{k}")
        case _:
            raise TypeError(f"{t} is no type of a foreign function")
