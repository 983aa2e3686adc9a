"""The stores: where the vectors of shared regions lie (shared.py says which are shared).

A vector of a shared region is a reference, the pair of an offset and a length.  For each type of
elements there is one store, which code threads like the token: an array of cells, and the number of
those that are used.

    (vector a b)               let cells = … with [used : used+2] = [a, b]; used' = used + 2
                               in (used, 2)
    (vector-ref v i)           cells[v.0 : v.0 + v.1][i]
    (set! (vector-ref v i) e)  let cells = cells with [v.0 + i] = e

The cells grow by copying to twice their number.  Nothing is freed before the program ends.
"""

from funmem.frontends.harlan.elaborate.code import Program, State
from funmem.frontends.harlan.elaborate.grounds import SHARED, mentions_store
from funmem.frontends.harlan.elaborate.wraps import Wrap, i64
from funmem.frontends.harlan.types import PTR_TYPE, VEC_TYPE
from funmem.frontends.inference.types import Opaque, Type
from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I64, BinOp


def is_reference(t: Type) -> bool:
    """True for a ground type of vectors that are references."""
    return isinstance(t, Opaque) and t.hidden in (VEC_TYPE, PTR_TYPE) and t.args[-1] == SHARED


def _element(t: Type) -> Type:
    assert isinstance(t, Opaque)
    return t.args[0]


def no_cells(p: Program, at: Span) -> list[Exp]:
    """Return the stores at the beginning of a program."""
    start: list[Exp] = []
    for elem in p.stores:
        start += [c.ArrayLit((), elem, at), i64(0, at)]
    return start


# ---------------------------------------------------------------------- making, reading


def stored(p: Program, st: State, out: list[Wrap], xs: Exp, t: Type, at: Span) -> Exp:
    """Return a new reference of the ground type ``t``, to a copy of the elements of an array."""
    elem = p.types.of(_element(t))
    whole = p.atom(xs, c.Array(elem), out, "xs")
    n = p.atom(c.Length(whole, 0, at), I64, out, "n")
    store = p.store(elem)
    offset = st.env[store.used]
    end = p.atom(c.Bin(BinOp.ADD, offset, n, at), I64, out, "used")
    cells = _grown(p, st.env[store.cells], whole, n, end, elem, out, at)
    place = (c.Range(offset, end, None),)
    filled = c.Update(cells, place, whole, at)
    st.env[store.cells] = p.atom(filled, c.Array(elem), out, "cells")
    st.env[store.used] = end
    return p.atom(c.tuple_exp(offset, n, at=at), p.types.of(t), out, "v")


def _grown(
    p: Program, cells: Exp, xs: Exp, n: Exp, end: Exp, elem: c.Type, out: list[Wrap], at: Span
) -> Exp:
    """Return the cells, of which there are at least ``end``; the new ones hold any element."""
    now = p.atom(c.Length(cells, 0, at), I64, out, "n")
    some = c.Index(xs, (c.Fix(i64(0, at)),), at)  # there is one, if there is no room for all
    added = c.Replicate(c.Bin(BinOp.MAX, now, n, at), some, at)
    either = c.If(c.Bin(BinOp.LE, end, now, at), cells, c.Concat((cells, added), at), at)
    return p.atom(either, c.Array(elem), out, "cells")


def elements(p: Program, st: State, v: Exp, t: Type, at: Span) -> Exp:
    """Return the elements of a reference as an array, which is a part of the store."""
    cells = st.env[p.store(p.types.of(_element(t))).cells]
    offset, n = c.Project(v, "0", at), c.Project(v, "1", at)
    return c.Index(cells, (c.Range(offset, c.Bin(BinOp.ADD, offset, n, at), None),), at)


def as_array(p: Program, st: State, v: Exp, t: Type, at: Span) -> Exp:
    """Return the elements of a vector of a ground type, which may be an array already."""
    return elements(p, st, v, t, at) if is_reference(t) else v


def length(v: Exp, t: Type, at: Span) -> Exp:
    """Return the length of a vector of a ground type, an i64."""
    return c.Project(v, "1", at) if is_reference(t) else c.Length(v, 0, at)


def set_cell(
    p: Program, st: State, out: list[Wrap], v: Exp, t: Type, i: Exp, value: Exp, at: Span
) -> None:
    """Set the element ``i``, an i64, of a reference; it traps if there is none."""
    elem = p.types.of(_element(t))
    store = p.store(elem)
    v, i = p.atom(v, p.types.of(t), out, "v"), p.atom(i, I64, out, "i")
    n = p.atom(c.Project(v, "1", at), I64, out, "n")
    low = c.Bin(BinOp.LE, i64(0, at), i, at)
    inside = c.Bin(BinOp.LAND, low, c.Bin(BinOp.LT, i, n, at), at)
    message = "Index [{}] out of bounds for array of shape [{}]."
    out.append(lambda rest: c.Assert(inside, message, (i, n), rest, at))
    here = c.Bin(BinOp.ADD, c.Project(v, "0", at), i, at)
    changed = c.Update(st.env[store.cells], (c.Fix(here),), value, at)
    st.env[store.cells] = p.atom(changed, c.Array(elem), out, "cells")


# ---------------------------------------------------------------------- values without references


def unfolded(p: Program, st: State, v: Exp, t: Type, at: Span) -> Exp:
    """Return a scalar, text or vector of them with arrays instead of references."""
    if not mentions_store(t):
        return v
    inner = _element(t)
    xs = as_array(p, st, v, t, at)
    if not mentions_store(inner):
        return xs
    x = c.Binder(p.fresh("x"), p.types.of(inner))
    row = unfolded(p, st, c.Var(x.name, at), inner, at)
    return c.Map(c.Lambda((x,), row, at), (xs,), at)


def unfolded_type(p: Program, t: Type) -> c.Type:
    """Return the type of such a value; that of another one as it is."""
    if isinstance(t, Opaque) and t.hidden in (VEC_TYPE, PTR_TYPE) and mentions_store(t):
        return c.Array(unfolded_type(p, t.args[0]))
    return p.types.of(t)
