"""The types for which `.fut` expressions are generated, and their matching against schemes.

A scheme is a type with bound names: ``map : (a -> x) -> [n]a -> [n]x``.  A goal is a type whose
names are all in scope.  :func:`match_type` finds the values of the bound names for which a scheme
has a goal as its result.  The generator chooses the remaining ones.

The size ``ANY`` is that of an array whose length has no name (``filter p xs``, ``xs[1:]``).  As a
goal it allows every length.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import field

from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- sizes


@frozen
class SVar:
    """A named size."""

    name: str


@frozen
class SInt:
    """A constant size."""

    value: int


@frozen
class SOp:
    """``a * b``, ``a + b``, ``a - b``: equal only to itself."""

    op: str
    a: "Size"
    b: "Size"


@frozen
class SAny:
    """Any size."""


ANY = SAny()

Size: TypeAlias = SVar | SInt | SOp | SAny


def show_size(s: Size) -> str:
    """Return the size as an expression; that of ``ANY`` is empty."""
    match s:
        case SVar(name):
            return name
        case SInt(value):
            return str(value)
        case SOp(op, a, b):
            return f"{_operand(a)} {op} {_operand(b)}"
        case SAny():
            return ""


def _operand(s: Size) -> str:
    return f"({show_size(s)})" if isinstance(s, SOp) else show_size(s)


# ---------------------------------------------------------------------- types


@frozen
class Arr:
    """``[size]elem``."""

    size: Size
    elem: "Type"


@frozen
class Tup:
    """``(t, t, …)``, at least two."""

    elems: "tuple[Type, ...]"


@frozen
class Rec:
    """``{l: t, …}``; ``name`` is the program's abbreviation for it, or empty."""

    fields: "tuple[tuple[str, Type], ...]"
    name: str = ""


@frozen
class Sum:
    """``#c t … | …``; ``name`` is the abbreviation, ``args`` are its arguments."""

    constructors: "tuple[tuple[str, tuple[Type, ...]], ...]"
    name: str = ""
    args: "tuple[Type, ...]" = ()


@frozen
class Param:
    """A type parameter."""

    name: str


@frozen
class Fun:
    """``param -> result``."""

    param: "Type"
    result: "Type"


Type: TypeAlias = ScalarType | Arr | Tup | Rec | Sum | Param | Fun


def show(t: Type) -> str:
    """Return the type in the syntax of the language; ``ANY`` sizes are left out."""
    match t:
        case ScalarType():
            return str(t)
        case Arr(size, elem):
            return f"[{show_size(size)}]{_element(elem)}"
        case Tup(elems):
            return f"({', '.join(map(show, elems))})"
        case Rec(fields, name):
            return name or "{" + ", ".join(f"{label}: {show(f)}" for label, f in fields) + "}"
        case Sum(constructors, name, args):
            if name:
                return " ".join([name, *(_argument(a) for a in args)])
            return " | ".join(" ".join([f"#{c}", *map(_argument, ts)]) for c, ts in constructors)
        case Param(name):
            return name
        case Fun(param, result):
            left = f"({show(param)})" if isinstance(param, Fun) else show(param)
            return f"{left} -> {show(result)}"


def _element(t: Type) -> str:
    return f"({show(t)})" if isinstance(t, Sum | Fun) else show(t)


def _argument(t: Type) -> str:
    plain = isinstance(t, ScalarType | Param | Tup | Rec)
    return show(t) if plain else f"({show(t)})"


def function(*types: Type) -> Type:
    """Return ``t -> … -> t``."""
    result = types[-1]
    for t in reversed(types[:-1]):
        result = Fun(t, result)
    return result


def parts(t: Type) -> Iterator[Type]:
    """Yield the type and all types in it."""
    yield t
    match t:
        case Arr(_, elem):
            yield from parts(elem)
        case Tup(elems):
            for e in elems:
                yield from parts(e)
        case Rec(fields):
            for _, f in fields:
                yield from parts(f)
        case Sum(constructors):
            for _, ts in constructors:
                for e in ts:
                    yield from parts(e)
        case Fun(param, result):
            yield from parts(param)
            yield from parts(result)
        case ScalarType() | Param():
            pass


def sizes_of(t: Type) -> set[Size]:
    """Return all sizes in a type."""
    return {p.size for p in parts(t) if isinstance(p, Arr)}


def holds_function(t: Type) -> bool:
    """True if a function type occurs in it; arrays and branches contain none."""
    return any(isinstance(p, Fun) for p in parts(t))


def holds_array(t: Type) -> bool:
    """True if values of the type may share memory."""
    return any(isinstance(p, Arr | Param) for p in parts(t))


# ---------------------------------------------------------------------- matching


@frozen
class Bound:
    """The known values of the bound names of a scheme."""

    types: Mapping[str, Type] = field(factory=dict)
    sizes: Mapping[str, Size] = field(factory=dict)


def match_type(
    pattern: Type, goal: Type, found: Bound, types: frozenset[str], sizes: frozenset[str]
) -> Bound | None:
    """Return ``found`` extended so that ``pattern`` becomes the goal; None if that
    is impossible.
    """
    match pattern, goal:
        case Param(name), _ if name in types:
            if name in found.types:
                return found if found.types[name] == goal else None
            if holds_function(goal):
                return None
            return Bound({**found.types, name: goal}, found.sizes)
        case Arr(s, a), Arr(z, b):
            sized = match_size(s, z, found, sizes)
            return None if sized is None else match_type(a, b, sized, types, sizes)
        case Tup(xs), Tup(ys) if len(xs) == len(ys):
            return _match_all(zip(xs, ys, strict=True), found, types, sizes)
        case Rec(fs, n), Rec(gs, m) if n == m and _labels(fs) == _labels(gs):
            pairs = ((f, g) for (_, f), (_, g) in zip(fs, gs, strict=True))
            return _match_all(pairs, found, types, sizes)
        case Sum(_, n, xs), Sum(_, m, ys) if n == m and n:
            return _match_all(zip(xs, ys, strict=True), found, types, sizes)
        case Fun(p, r), Fun(q, s):
            return _match_all(((p, q), (r, s)), found, types, sizes)
        case _:
            return found if pattern == goal else None


def _labels(fields: tuple[tuple[str, Type], ...]) -> list[str]:
    return [label for label, _ in fields]


def _match_all(
    pairs: "Iterator[tuple[Type, Type]] | tuple[tuple[Type, Type], ...] | zip[tuple[Type, Type]]",
    found: Bound,
    types: frozenset[str],
    sizes: frozenset[str],
) -> Bound | None:
    for a, b in pairs:
        more = match_type(a, b, found, types, sizes)
        if more is None:
            return None
        found = more
    return found


def match_size(pattern: Size, goal: Size, found: Bound, sizes: frozenset[str]) -> Bound | None:
    """Return ``found`` extended so that a size becomes the goal; None if that is impossible."""
    match pattern, goal:
        case _, SAny():
            return found
        case SVar(name), _ if name in sizes:
            if name in found.sizes:
                return found if found.sizes[name] == goal else None
            return Bound(found.types, {**found.sizes, name: goal})
        case SOp(op, a, b), SOp(other, c, d) if op == other:
            left = match_size(a, c, found, sizes)
            return None if left is None else match_size(b, d, left, sizes)
        case _:
            return found if pattern == goal else None


def substitute(t: Type, b: Bound) -> Type:
    """Return the type with its bound names replaced."""
    match t:
        case Param(name):
            return b.types.get(name, t)
        case Arr(s, elem):
            return Arr(substitute_size(s, b), substitute(elem, b))
        case Tup(elems):
            return Tup(tuple(substitute(e, b) for e in elems))
        case Rec(fields, name):
            return Rec(tuple((label, substitute(f, b)) for label, f in fields), name)
        case Sum(constructors, name, args):
            cs = tuple((c, tuple(substitute(e, b) for e in ts)) for c, ts in constructors)
            return Sum(cs, name, tuple(substitute(a, b) for a in args))
        case Fun(p, r):
            return Fun(substitute(p, b), substitute(r, b))
        case ScalarType():
            return t


def substitute_size(s: Size, b: Bound) -> Size:
    """Return the size with its bound names replaced."""
    match s:
        case SVar(name):
            return b.sizes.get(name, s)
        case SOp("?"):
            return ANY
        case SOp(op, x, y):
            return SOp(op, substitute_size(x, b), substitute_size(y, b))
        case SInt() | SAny():
            return s
