"""Rows from rows: those at some places, one after the other, as a matrix and from one."""

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Deep,
    Ragged,
    State,
    Stored,
    all_of,
    at,
    elem_of,
    iota,
    lengths_at,
    minus,
    one,
    plus,
    prefixes,
    rank,
    start_of,
    zero,
)

IRREGULAR = "Irregular array: rows of different lengths."
"""Where a matrix is needed."""
ELEMENTS = "The elements of the rows are {} where {} are expected."
"""Where rows were found to have equal lengths."""
ROWS = "{} rows where {} are expected."


def of_regular(s: State, e: Exp, t: Type) -> Stored:
    """Bind an array of at least two dimensions as rows."""
    x = s.let("matrix", t, e)
    elem, d = elem_of(t), rank(t)
    width = s.let("width", I64, c.Length(c.Var(x), 1))
    i = s.fresh("i")
    fn = c.Lambda((c.Binder(i, I64),), c.Bin(BinOp.MUL, c.Var(i), c.Var(width)))
    ends = c.Map(fn, (iota(plus(c.Length(c.Var(x)), one())),))
    offsets = s.let("offsets", INTS, ends)
    if d == 2:
        return Ragged(offsets, s.let("data", c.Array(elem), c.Flatten(2, c.Var(x))), elem)
    inner: Type = elem
    for _ in range(d - 1):
        inner = c.Array(inner)
    return Deep(offsets, of_regular(s, c.Flatten(2, c.Var(x)), inner))


def as_regular(s: State, x: Exp | Stored) -> Exp:
    """Return a value as an array of one shape."""
    return regular(s, x) if isinstance(x, Ragged | Deep) else x


def regular(s: State, x: Stored) -> Exp:
    """Return rows as a matrix, which they must be: the program traps otherwise."""
    n = s.let("n", I64, s.rows(x))
    each = width(s, x, 1)
    data: Exp = regular(s, x.inner) if isinstance(x, Deep) else c.Var(x.data)
    return c.Unflatten((c.Var(n), each), data)


def width(s: State, x: Stored, dim: int) -> Exp:
    """Return the length of the rows, checked to be one; ``dim`` 2: of their rows, …"""
    if dim > 1 and isinstance(x, Deep):
        return width(s, x.inner, dim - 1)
    n, i = s.rows(x), s.fresh("i")
    some = c.Bin(BinOp.GT, n, zero())
    first = s.let("width", I64, c.If(some, lengths_at(x, zero()), zero()))
    same = c.Bin(BinOp.EQ, lengths_at(x, c.Var(i)), c.Var(first))
    s.check(all_of(s, c.Map(c.Lambda((c.Binder(i, I64),), same), (iota(n),))), IRREGULAR)
    return c.Var(first)


def gathered(s: State, rows: Stored, places: Name) -> Stored:
    """Bind the rows at some places."""
    i, j, k = s.fresh("i"), s.fresh("i"), s.fresh("k")
    s.types |= {i: I64, j: I64, k: I64}
    own = c.Lambda((c.Binder(i, I64),), lengths_at(rows, at(places, c.Var(i))))
    lengths = c.Map(own, (iota(c.Length(c.Var(places))),))
    offsets = prefixes(s, lengths)
    total = s.let("total", I64, at(offsets, c.Length(c.Var(places))))
    base = start_of(rows, at(places, c.Var(j)))
    place = plus(base, minus(c.Var(k), at(offsets, c.Var(j))))
    params = (c.Binder(j, I64), c.Binder(k, I64))
    if isinstance(rows, Ragged):
        fn = c.Lambda(params, at(rows.data, place))
        data = c.Segmented(fn, c.Var(offsets), c.Var(total))
        return Ragged(offsets, s.let("data", c.Array(rows.elem), data), rows.elem)
    chosen = c.Segmented(c.Lambda(params, place), c.Var(offsets), c.Var(total))
    return Deep(offsets, gathered(s, rows.inner, s.let("places", INTS, chosen)))


def places_of(s: State, keep: Name, n: Exp) -> Name:
    """Bind the indices where an array of bools is true."""
    q = s.fresh("q")
    s.types[q] = I64
    test = c.Lambda((c.Binder(q, I64),), at(keep, c.Var(q)))
    return s.let("places", INTS, c.Filter(test, iota(n)))


def kept_in_rows(s: State, keep: Ragged, n: Exp) -> tuple[Name, Name]:
    """Bind the offsets of the elements that are kept of each row, and their places among all."""
    a, b, i, k = (s.fresh(y) for y in ("a", "b", "i", "k"))
    s.types |= {i: I64, k: I64}
    add = c.Lambda((c.Binder(a, I64), c.Binder(b, I64)), plus(c.Var(a), c.Var(b)))
    number = c.If(at(keep.data, c.Var(k)), c.Const(1, I64), c.Const(0, I64))
    count = c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), number)
    counts = c.Segmented(count, c.Var(keep.offsets), n, add, (c.Const(0, I64),), comm=True)
    return prefixes(s, counts), places_of(s, keep.data, n)


def joined(s: State, parts: list[Stored]) -> Stored:
    """Bind rows and the rows that follow them."""
    first, *others = parts
    offsets, length = [c.Var(first.offsets)], s.total(first)
    for x in others:
        before = s.let("before", I64, length)
        i = s.fresh("i")
        moved = plus(at(x.offsets, plus(c.Var(i), one())), c.Var(before))
        fn = c.Lambda((c.Binder(i, I64),), moved)
        offsets.append(c.Var(s.let("moved", INTS, c.Map(fn, (iota(s.rows(x)),)))))
        length = plus(c.Var(before), s.total(x))
    name = s.let("offsets", INTS, c.Concat(tuple(offsets)))
    if isinstance(first, Deep):
        return Deep(name, joined(s, [x.inner for x in parts if isinstance(x, Deep)]))
    data = c.Concat(tuple(c.Var(x.data) for x in parts if isinstance(x, Ragged)))
    return Ragged(name, s.let("data", c.Array(first.elem), data), first.elem)


def same_offsets(s: State, a: Stored, b: Stored, n: Exp) -> None:
    """Add a check that rows have equal lengths, one by one.

    It reads slices of the offsets, as many as there are rows, so that a read needs no check.
    """
    names = [s.fresh(x) for x in ("hi", "lo", "hi", "lo")]
    s.types |= dict.fromkeys(names, I64)
    hi, lo, other_hi, other_lo = map(c.Var, names)
    test = c.Bin(BinOp.EQ, minus(hi, lo), minus(other_hi, other_lo))
    ends = tuple(
        c.Index(c.Var(x.offsets), (c.Range(k, plus(n, k), None),))
        for x in (a, b)
        for k in (one(), zero())
    )
    fn = c.Lambda(tuple(c.Binder(x, I64) for x in names), test)
    s.check(all_of(s, c.Map(fn, ends)), "Rows of different lengths.")


__all__ = [
    "ELEMENTS",
    "IRREGULAR",
    "ROWS",
    "as_regular",
    "gathered",
    "joined",
    "kept_in_rows",
    "of_regular",
    "places_of",
    "regular",
    "same_offsets",
    "width",
]
