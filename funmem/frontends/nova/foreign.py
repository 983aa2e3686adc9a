"""NOVA's foreign functions: C signatures, struct types, and adapters to Core's convention.

    (f : int -> (float, bool) -> (int, int))        void f(tuple_int_int *out, int a0,
                                                           tuple_float_bool a1)

Paper 001, section 6.1: the result is always void, and the first parameter points to the result;
bool is int; a tuple is a struct, whose components are ``_0``, ``_1``, … here.  A function of unit
has no parameter.  The header with the types and the prototypes precedes the user's source; the
adapters follow it, and the C compiler inlines them.
"""

import re
from collections.abc import Iterator, Sequence

from funmem.frontends.foreign import function, parameters
from funmem.frontends.nova.errors import Code, fail
from funmem.ir import core as c
from funmem.ir.core import ForeignDef, Type
from funmem.ir.foreign import C_TYPES, ForeignCode, symbol
from funmem.ir.scalars import BOOL, ScalarType

_NAMES = {
    ScalarType.BOOL: "bool",
    ScalarType.I8: "int8",
    ScalarType.I16: "int16",
    ScalarType.I32: "int",
    ScalarType.F32: "float",
    ScalarType.F64: "double",
}

_TAKEN = re.compile(
    r"""(?x) auto | break | case | char | const | continue | default | do | double | else | enum
    | extern | float | for | goto | if | inline | int | long | register | restrict | return | short
    | signed | sizeof | static | struct | switch | typedef | union | unsigned | void | volatile
    | while | main | bool | half | kernel | global | local | private | uchar | ushort | uint | ulong
    | (?: _ | fm_ | rt_ | sz_ | foreign_ | called_ | tuple_ ) \w* | [A-Z0-9_]+ | [fk]\d+_\w*"""
)
"""Words of C and names of emitted code."""


def implement(defs: Sequence[ForeignDef], c_source: str, cl_source: str) -> ForeignCode:
    """Return a program's foreign functions, given the user's C and OpenCL C.

    Raises SourceError: ``nova-foreign`` for a name that C cannot have, ``not-supported`` for a
    vector.
    """
    for d in defs:
        require_name(d)
    functions = tuple(function(d, d.name, c_source, cl_source) for d in defs)
    c_unit = _unit(defs, c_source, [d for d, f in zip(defs, functions, strict=True) if f.c])
    cl_unit = _unit(defs, cl_source, [d for d, f in zip(defs, functions, strict=True) if f.cl])
    return ForeignCode(functions, c_unit, cl_unit, Code.FOREIGN.value)


def _unit(defs: Sequence[ForeignDef], source: str, defined: Sequence[ForeignDef]) -> str:
    """Return a source between the header and the adapters of the functions that it defines."""
    return "\n".join((header(defs), source, *map(_adapter, defined))) if defined else ""


def require_name(d: ForeignDef) -> None:
    """Raise SourceError unless a foreign function has a name that C can have, too."""
    if _TAKEN.fullmatch(d.name) or not d.name.isidentifier():
        message = f"the foreign function `{d.name}` has a name that C or emitted code uses"
        fail(d.at, Code.FOREIGN, message, "rename it")


def header(defs: Sequence[ForeignDef]) -> str:
    """Return the struct types and the prototypes of foreign functions."""
    structs: dict[str, str] = {}
    for d in defs:
        for t in (*d.params, d.result):
            structs |= _structs(t)
    prototypes = (f"static {_prototype(d)};" for d in defs)
    return "\n".join(("/* Foreign functions of a NOVA program. */", *structs.values(), *prototypes))


def _c_type(t: Type) -> str:
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


def _structs(t: Type) -> dict[str, str]:
    """Return the definitions of a type's structs, inner ones first."""
    if not isinstance(t, c.Record) or not t.fields:
        return {}
    found: dict[str, str] = {}
    for _, u in t.fields:
        found |= _structs(u)
    members = " ".join(f"{_c_type(u)} _{k};" for k, (_, u) in enumerate(t.fields))
    return {**found, _tag(t): f"typedef struct {{ {members} }} {_tag(t)};"}


def _prototype(d: ForeignDef) -> str:
    given = [f"{_c_type(t)} a{k}" for k, t in enumerate(parameters(d)) if t != c.UNIT]
    out = [] if d.result == c.UNIT else [f"{_c_type(d.result)} *out"]
    return f"void {d.name}({', '.join((*out, *given)) or 'void'})"


def _adapter(d: ForeignDef) -> str:
    """Return the function of Core's convention that calls the user's."""
    flat: list[str] = []
    args: list[str] = []
    lines: list[str] = []
    for k, t in enumerate(parameters(d)):
        if t == c.UNIT:
            continue
        lines.append(f"{_c_type(t)} a{k};")
        args.append(f"a{k}")
        for path, s in _leaves(t, f"a{k}"):
            name = f"x{len(flat)}"
            flat.append(f"{C_TYPES[s]} {name}")
            lines.append(f"{path} = {name};")
    after: list[str] = []
    if d.result != c.UNIT:
        lines.append(f"{_c_type(d.result)} out;")
        args.insert(0, "&out")
        for n, (path, s) in enumerate(_leaves(d.result, "out")):
            flat.append(f"{C_TYPES[s]} *r{n}")
            after.append(f"*r{n} = {path}{' != 0' if s is BOOL else ''};")
    body = [*lines, f"{d.name}({', '.join(args)});", *after]
    head = f"static inline void {symbol(d.name)}({', '.join(flat) or 'void'})"
    return "\n".join((head, "{", *(f"    {line}" for line in body), "}"))


def _leaves(t: Type, path: str) -> Iterator[tuple[str, ScalarType]]:
    """Yield the C expressions of the scalars in a value, and their types."""
    match t:
        case ScalarType():
            yield path, t
        case c.Record(fields):
            for k, (_, u) in enumerate(fields):
                yield from _leaves(u, f"{path}._{k}")
        case _:
            raise TypeError(f"{t} is no type of a foreign function")
