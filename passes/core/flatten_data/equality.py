"""``==`` at any type, as comparisons of scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_types import tag_type
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.flatten_data.state import Flat

if TYPE_CHECKING:
    from funmem.passes.core.flatten_data.expressions import Flattening

TRUE, FALSE = c.Const(True, BOOL), c.Const(False, BOOL)


def equal(w: Flattening, x: Flat, y: Flat, at: Span) -> Exp:
    """Return an expression that is true if two values are equal."""
    match x.type:
        case ScalarType():
            return c.Bin(BinOp.EQ, x.parts[0], y.parts[0], at)
        case c.Record(fields):
            types = [t for _, t in fields]
            pairs = zip(w.take_apart(x, types), w.take_apart(y, types), strict=True)
            return _fields(w, list(pairs), at)
        case c.Array():
            return _arrays(w, x, y, at)
        case c.Sum() | c.Data():
            return _sums(w, x, y, at)
        case c.Arrow() | c.TypeVar() | c.Token():
            raise TypeError(f"== at {x.type}")


def _fields(w: Flattening, pairs: Sequence[tuple[Flat, Flat]], at: Span) -> Exp:
    """Return the conjunction of equalities, evaluated from left to right until one is false."""
    if not pairs:
        return TRUE
    (a, b), rest = pairs[0], pairs[1:]
    first = equal(w, a, b, at)
    return _both(w, first, lambda: _fields(w, rest, at), at) if rest else first


def _both(w: Flattening, first: Exp, second: Callable[[], Exp], at: Span) -> Exp:
    """Return ``first && second``; ``second`` is evaluated only if the first is true."""
    with w.inner() as scope:
        then = second()
    if not scope.out:
        return c.Bin(BinOp.LAND, first, then, at)
    (r,) = w.results("same", (BOOL,), c.If(first, w.closed(scope, (then,)), FALSE, at))
    return r


def _sums(w: Flattening, x: Flat, y: Flat, at: Span) -> Exp:
    """Return the equality of two sums: equal tags, and equal payloads of that constructor."""
    sum_ = w.layouts.sum(x.type)
    slots = w.layouts.slots(sum_)

    def payload() -> Exp:
        found: Exp = TRUE
        for tag, (name, types) in reversed(list(enumerate(sum_.constructors))):
            if not slots.of[name]:
                continue
            whole = c.tuple_type(*types)
            a, b = (Flat(whole, tuple(v.parts[1 + k] for k in slots.of[name])) for v in (x, y))
            with w.inner() as scope:
                same = equal(w, a, b, at)
            is_it = c.Bin(BinOp.EQ, x.parts[0], c.Const(tag, tag_type(sum_)), at)
            new = c.If(is_it, w.closed(scope, (same,)), found, at)
            (found,) = w.results("same", (BOOL,), new)
        return found

    tags = c.Bin(BinOp.EQ, x.parts[0], y.parts[0], at)
    return _both(w, tags, payload, at)


def _arrays(w: Flattening, x: Flat, y: Flat, at: Span) -> Exp:
    """Return the equality of two arrays: equal shapes and equal elements.

    Dimensions inside one of length 0 are not compared.  The elements are compared one by one: of a
    sum only the parts of its constructor count.
    """
    elem = x.type
    depth = 0
    while isinstance(elem, c.Array):
        depth, elem = depth + 1, elem.elem
    a, b = x.parts[0], y.parts[0]

    def elements() -> Exp:
        types = w.layouts.parts(x.type)
        flat: list[tuple[Exp, ...]] = []
        for v in (x, y):
            if depth > 1:
                flat.append(
                    tuple(
                        w.let("all", _flattened(t, depth), c.Flatten(depth, p, at))
                        for p, t in zip(v.parts, types, strict=True)
                    )
                )
            else:
                flat.append(v.parts)
        cells = w.layouts.cells(elem)
        with w.inner():
            params = [tuple(c.Binder(w.name("x"), t) for t in cells) for _ in range(2)]
            left, right = (Flat(elem, tuple(c.Var(b.name) for b in bs)) for bs in params)
            empty = not w.layouts.parts(elem)
            with w.inner() as inside:
                same = TRUE if empty else equal(w, left, right, at)
            body = w.closed(inside, (same,))
            fn = c.Lambda((*params[0], *params[1]), body, at)
        flags = w.let("same", c.Array(BOOL), c.Map(fn, (*flat[0], *flat[1]), at))
        p, q = (c.Binder(w.name(n), BOOL) for n in ("p", "q"))
        both = c.Lambda((p, q), c.Bin(BinOp.LAND, c.Var(p.name), c.Var(q.name)), at)
        return w.let("equal", BOOL, c.Reduce(both, (TRUE,), (flags,), True, at))

    def shapes(k: int) -> Exp:
        inside = elements if k + 1 == depth else lambda: unless_empty(k)
        return _both(w, _same_length(a, b, k, at), inside, at)

    def unless_empty(k: int) -> Exp:
        some = c.Bin(BinOp.NE, c.Length(a, k, at), c.Const(0, I64), at)
        with w.inner() as scope:
            then = shapes(k + 1)
        (r,) = w.results("same", (BOOL,), c.If(some, w.closed(scope, (then,)), TRUE, at))
        return r

    return shapes(0)


def _same_length(a: Exp, b: Exp, k: int, at: Span) -> Exp:
    return c.Bin(BinOp.EQ, c.Length(a, k, at), c.Length(b, k, at), at)


def _flattened(t: Type, depth: int) -> Type:
    """Return the type of a part whose outermost ``depth`` dimensions are joined to one."""
    for _ in range(depth):
        t = t.elem if isinstance(t, c.Array) else t
    return c.Array(t)
