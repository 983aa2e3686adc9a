"""The types of NOVA's foreign functions: in C, and the form in which values cross.

In C there are numbers, a struct for each type of tuples, and for a vector its length and a pointer
to its elements; a vector of vectors also has the offsets of its rows among the elements.

    vector float                    int a_length, const float *a
    vector vector float             int a_length, const int *a_offsets, const float *a
    vector vector vector float      …, const int *a_offsets_offsets, const int *a_offsets, …
    (int, vector float)             struct { int _0; int _1_length; float *_1; }
    (+ (A : int) (B : float))       struct { int tag; int as_A; float as_B; }    B has tag 1

Only vectors of scalars, and of tuples of scalars, cross; others are made of these:

    vector vector float             { offsets : []int, rows : []float }
    vector (int, vector float)      { each_0 : []int, each_1 : { offsets : []int, rows : []float } }
    (+ (A : int) (B : float))       { tag : int, as_A : int, as_B : float }

Row k of a vector of vectors is rows[offsets[k]] up to rows[offsets[k+1]], as ``flatten`` and
``segments`` give it (paper 001, figure 7).  The labels of the records determine the type that the
program has, so a declaration in Core says what the C signature is (:func:`natural`).
"""

from collections.abc import Iterator

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.foreign import C_TYPES
from funmem.ir.scalars import BOOL, I32, ScalarType

_NAMES = {
    ScalarType.BOOL: "bool",
    ScalarType.I8: "int8",
    ScalarType.I16: "int16",
    ScalarType.I32: "int",
    ScalarType.F32: "float",
    ScalarType.F64: "double",
}


def c_type(t: Type) -> str:
    """Return the C type of a scalar or a tuple."""
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
            tags = [_tag(u) for _, u in fields]
            if not fields:
                return "unit"
            if fields[0][0] == TAG:
                held = zip(fields[1:], tags[1:], strict=True)
                return "_".join(("sum", *(f"{x.removeprefix(AS)}_{y}_end" for (x, _), y in held)))
            for k, (_, u) in enumerate(fields[:-1]):
                if _ends_in_tuple(u):  # ((int, int), int, int) is not ((int, int, int), int)
                    tags[k] += "_end"
            return "_".join(("tuple", *tags))
        case c.Array(elem):
            return f"vector_{_tag(elem)}"
        case ScalarType():
            return _NAMES.get(t, str(t))
        case _:
            raise TypeError(f"{t} is no type of a foreign function")


def _ends_in_tuple(t: Type) -> bool:
    while isinstance(t, c.Array):
        t = t.elem
    return isinstance(t, c.Record)


def structs(t: Type) -> dict[str, str]:
    """Return the definitions of a type's structs, inner ones first."""
    while isinstance(t, c.Array):
        t = t.elem
    if not isinstance(t, c.Record) or not t.fields:
        return {}
    found: dict[str, str] = {}
    for _, u in t.fields:
        found |= structs(u)
    members = " ".join(f"{m};" for x, u in t.fields for m in members_of(u, member(x)))
    return {**found, _tag(t): f"typedef struct {{ {members} }} {_tag(t)};"}


def member(label: str) -> str:
    """Return the name of a record's component in C."""
    return f"_{label}" if label.isdigit() else label


def members_of(t: Type, name: str) -> list[str]:
    """Return the declarations of the members of a struct, or of variables, that have a value."""
    if t == c.UNIT:
        return []
    if not isinstance(t, c.Array):
        return [f"{c_type(t)} {name}"]
    depth, elem = levels(t)
    offsets = [f"int *{name}{suffix}" for suffix in offset_suffixes(depth)]
    return [f"int {name}_length", *offsets, f"{c_type(elem)} *{name}"]


def levels(t: c.Array) -> tuple[int, Type]:
    """Return the depth of a vector of vectors, and the type of the innermost elements."""
    depth, elem = 1, t.elem
    while isinstance(elem, c.Array):
        depth, elem = depth + 1, elem.elem
    return depth, elem


def offset_suffixes(depth: int) -> list[str]:
    """Return the ends of the names of a vector's offsets, those of the outer rows first."""
    return ["_offsets" * k for k in range(depth - 1, 0, -1)]


def leaves(t: Type, path: str) -> Iterator[tuple[str, ScalarType]]:
    """Yield the C expressions of the scalars in a value, and their types."""
    match t:
        case ScalarType():
            yield path, t
        case c.Record(fields):
            for label, u in fields:
                yield from leaves(u, f"{path}.{member(label)}")
        case _:
            raise TypeError(f"{t} is no type of a foreign function")


# ---------------------------------------------------------------------- crossing

OFFSETS, ROWS, EACH, TAG, AS = "offsets", "rows", "each_", "tag", "as_"


def expanded(t: Type) -> Type:
    """Return a type with a record in place of each sum: the number of the constructor, and what
    each one would hold.
    """
    match t:
        case c.Sum(constructors):
            held = ((AS + name, expanded(u)) for name, (u,) in constructors)
            return c.Record(((TAG, I32), *held))
        case c.Record(fields):
            return c.Record(tuple((label, expanded(u)) for label, u in fields))
        case c.Array(elem):
            return c.Array(expanded(elem))
        case _:
            return t


def with_sums(t: Type) -> Type:
    """Return the type of which :func:`expanded` makes ``t``."""
    match t:
        case c.Record(((first, _), *held)) if first == TAG:
            return c.Sum(tuple((x.removeprefix(AS), (with_sums(u),)) for x, u in held))
        case c.Record(fields):
            return c.Record(tuple((label, with_sums(u)) for label, u in fields))
        case c.Array(elem):
            return c.Array(with_sums(elem))
        case _:
            return t


def has_vectors(t: Type) -> bool:
    """True if a value is or holds a vector."""
    match t:
        case c.Array():
            return True
        case c.Record(fields):
            return any(has_vectors(u) for _, u in fields)
        case _:
            return False


def crossing(t: Type) -> Type:
    """Return the type of the form in which a value crosses."""
    match t:
        case c.Record(fields):
            return c.Record(tuple((label, crossing(u)) for label, u in fields))
        case c.Array(c.Array() as rows):
            return c.Record(((OFFSETS, c.Array(I32)), (ROWS, crossing(rows))))
        case c.Array(c.Record(fields)) if any(has_vectors(u) for _, u in fields):
            return c.Record(tuple((EACH + x, crossing(c.Array(u))) for x, u in fields))
        case _:
            return t


def natural(t: Type) -> Type:
    """Return the type that the program has for what crosses in this form."""
    match t:
        case c.Record(((first, _), (second, rows))) if (first, second) == (OFFSETS, ROWS):
            return c.Array(natural(rows))
        case c.Record(fields) if fields and fields[0][0].startswith(EACH):
            return c.Array(c.Record(tuple((x.removeprefix(EACH), _elem(u)) for x, u in fields)))
        case c.Record(fields):
            return c.Record(tuple((label, natural(u)) for label, u in fields))
        case _:
            return t


def _elem(column: Type) -> Type:
    of = natural(column)
    assert isinstance(of, c.Array)
    return of.elem
