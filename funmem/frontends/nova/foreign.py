"""NOVA's foreign functions: C signatures, struct types, and adapters to Core's convention.

    (f : int -> (float, bool) -> (int, int))        void f(tuple_int_int *out, int a0,
                                                           tuple_float_bool a1)

Paper 001, section 6.1: the result is always void, and the first parameter points to the result;
bool is int; a tuple is a struct, whose components are ``_0``, ``_1``, … here.  A function of unit
has no parameter.  Vectors are in foreign_types.py and foreign_vectors.py.

The header with the types and the prototypes precedes the user's source; the
adapters follow it, and the C compiler inlines them.
"""

import re
from collections.abc import Sequence

from funmem.frontends.foreign import defines, function
from funmem.frontends.nova import foreign_vectors as vectors
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.foreign_types import c_type, leaves, members_of, natural, structs
from funmem.ir import core as c
from funmem.ir.core import ForeignDef, Type
from funmem.ir.foreign import C_TYPES, ForeignCode, symbol
from funmem.ir.scalars import BOOL

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

    Raises SourceError: ``nova-foreign`` for a name that C cannot have and for vectors of units,
    ``not-supported`` for a sum.
    """
    for d in defs:
        require_name(d)
    on_arrays = tuple(f for d in defs if (f := vectors.function(d)) is not None)
    names = {f.name for f in on_arrays}
    flat = [d for d in defs if d.name not in names]
    functions = [function(d, d.name, c_source, cl_source) for d in flat]
    for f in on_arrays:
        functions += f.functions(c=defines(c_source, f.name))
    c_unit = _unit(defs, c_source, [d for d in defs if defines(c_source, d.name)])
    cl_unit = _unit(flat, cl_source, [d for d in flat if defines(cl_source, d.name)])
    bulk = tuple(o for f in on_arrays for o in f.in_bulk(c=defines(c_source, f.name)))
    return ForeignCode(
        tuple(functions), c_unit, cl_unit, Code.FOREIGN.value, header(defs), on_arrays, bulk
    )


def _unit(defs: Sequence[ForeignDef], source: str, defined: Sequence[ForeignDef]) -> str:
    """Return a source between the header and the adapters of the functions that it defines."""
    if not defined:
        return ""
    found = [vectors.adapter(d) if vectors.function(d) else _adapter(d) for d in defined]
    return "\n".join((header(defs), source, vectors.helpers(defined), *found))


def require_name(d: ForeignDef) -> None:
    """Raise SourceError unless a foreign function has a name that C can have, too."""
    if _TAKEN.fullmatch(d.name) or not d.name.isidentifier():
        message = f"the foreign function `{d.name}` has a name that C or emitted code uses"
        fail(d.at, Code.FOREIGN, message, "rename it")


def header(defs: Sequence[ForeignDef]) -> str:
    """Return the struct types and the prototypes of foreign functions."""
    made: dict[str, str] = {}
    for d in defs:
        for t in (*d.params, d.result):
            made |= structs(natural(t))
    prototypes = (f"static {_prototype(d)};" for d in defs)
    return "\n".join(("/* Foreign functions of a NOVA program. */", *made.values(), *prototypes))


def _prototype(d: ForeignDef) -> str:
    params = [natural(t) for t in d.params]
    given = [x for k, t in enumerate(params) if t != c.UNIT for x in _parameter(t, f"a{k}")]
    out = [] if d.result == c.UNIT else _out(natural(d.result))
    return f"void {d.name}({', '.join((*out, *given)) or 'void'})"


def _parameter(t: Type, name: str) -> list[str]:
    """Return the declarations for a parameter; what pointers point to is constant."""
    found = members_of(t, name)
    return [f"const {x}" if "*" in x else x for x in found]


def _out(t: Type) -> list[str]:
    """Return the declarations of the pointers to the result; the function allocates vectors."""
    return [" *".join(x.rsplit(" ", 1)) for x in members_of(t, "out")]


def _adapter(d: ForeignDef) -> str:
    """Return the function of Core's convention that calls the user's."""
    flat: list[str] = []
    args: list[str] = []
    lines: list[str] = []
    for k, t in enumerate(d.params):
        if t == c.UNIT:
            continue
        lines.append(f"{c_type(t)} a{k};")
        args.append(f"a{k}")
        for path, s in leaves(t, f"a{k}"):
            name = f"x{len(flat)}"
            flat.append(f"{C_TYPES[s]} {name}")
            lines.append(f"{path} = {name};")
    after: list[str] = []
    if d.result != c.UNIT:
        lines.append(f"{c_type(d.result)} out;")
        args.insert(0, "&out")
        for n, (path, s) in enumerate(leaves(d.result, "out")):
            flat.append(f"{C_TYPES[s]} *r{n}")
            after.append(f"*r{n} = {path}{' != 0' if s is BOOL else ''};")
    body = [*lines, f"{d.name}({', '.join(args)});", *after]
    head = f"static inline void {symbol(d.name)}({', '.join(flat) or 'void'})"
    return "\n".join((head, "{", *(f"    {line}" for line in body), "}"))
