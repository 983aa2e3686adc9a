"""The array operations of Core on values, with their traps."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from funmem.interp.core.values import (
    Dims,
    Num,
    Rec,
    Rows,
    Val,
    array,
    integer,
    record,
    row_type,
    rows,
    shape,
    show_shape,
    sized,
)
from funmem.interp.places import every_index
from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_types import element_text
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.messages import fill, holes
from funmem.ir.scalars import normalise
from funmem.ir.sizes import const


def same_lengths(xs: Sequence[Rows], at: Span) -> int:
    """Return the common length of arrays.  Raises Trap if their lengths differ."""
    n = len(xs[0].elems)
    for x in xs:
        if len(x.elems) != n:
            message = f"Arrays of lengths {n} and {len(x.elems)} where the lengths must be equal."
            raise Trap(TrapKind.SHAPE, message, at)
    return n


def same_shapes(xs: Sequence[Val], places: Rows, at: Span) -> None:
    """Raise Trap unless arrays have equal shapes in the dimensions that ``places`` index."""
    if len(xs) == 1:
        return
    t = row_type(places)
    first, *others = [shape(x, len(t.fields) if isinstance(t, c.Record) else 1, at) for x in xs]
    for other in others:
        if any(m != n for m, n in zip(first, other, strict=True) if None not in (m, n)):
            message = f"Arrays of shapes {show_shape(first)} and {show_shape(other)}"
            raise Trap(TrapKind.SHAPE, f"{message} where the shapes must be equal.", at)


# ---------------------------------------------------------------------- elements


def element(v: Val, index: Sequence[int], at: Span) -> Val:
    """Return ``v[i, …]``, which must be in bounds."""
    for i in index:
        v = array(v, at).elems[i]
    return v


def nest(elems: Sequence[Val], dims: Sequence[int], row: Type, at: Span) -> Val:
    """Return elements in row-major order as an array of these dimensions."""
    for count in accumulate(dims, mul):  # there may be many empty rows
        sized(count, at)
    return _nest(elems, dims, row)


def _nest(elems: Sequence[Val], dims: Sequence[int], row: Type) -> Val:
    if not dims:
        return elems[0]
    t = row
    for n in reversed(dims[1:]):
        t = c.Array(t, const(n))
    step = prod(dims[1:])
    return rows([_nest(elems[k * step : (k + 1) * step], dims[1:], row) for k in range(dims[0])], t)


# ---------------------------------------------------------------------- other shapes


def coerce(v: Val, t: Type, message: str, at: Span) -> Val:
    """Return ``v :> t``.  Raises Trap if sizes differ; empty arrays get the sizes of t."""

    def fail() -> Trap:
        is_, should = [], []
        x: Val | Type = v
        u: Type = t
        while isinstance(u, c.Array):
            n = None
            if isinstance(x, Rows):
                n, x = len(x.elems), x.elems[0] if x.elems else x.row
            elif isinstance(x, c.Array):
                n, x = None if x.size is None else x.size.as_const, x.elem
            is_.append(n)
            should.append(n if u.size is None else u.size.as_const)
            u = u.elem
        texts = [show_shape(is_), show_shape(should), element_text(t)]
        return Trap(TrapKind.SHAPE, fill(message, texts[: holes(message)]), at)

    return _coerce(v, t, fail, at)


def _coerce(v: Val, t: Type, fail: Callable[[], Trap], at: Span) -> Val:
    match t, v:
        case c.Array(elem, size), Rows(elems, row):
            n = None if size is None else size.as_const
            if n is not None and n != len(elems):
                raise fail()
            if not elems:
                return Rows((), row_of_none(_filled(row, elem), at))
            return rows([_coerce(x, elem, fail, at) for x in elems], row)
        case c.Record(types), Rec(fields):
            pairs = zip(fields, types, strict=True)
            return Rec(tuple([(name, _coerce(x, u, fail, at)) for (name, x), (_, u) in pairs]))
        case _:
            return v


def _filled(t: Type, want: Type) -> Type:
    """Return the row type of an empty array, with the sizes of ``want`` where it has some."""
    match t, want:
        case c.Array(elem, size), c.Array(more, new):
            return c.Array(_filled(elem, more), size if new is None else new)
        case c.Record(fs), c.Record(gs):
            pairs = zip(fs, gs, strict=True)
            return c.Record(tuple((x, _filled(u, w)) for (x, u), (_, w) in pairs))
        case _:
            return t


def row_of_none(t: Type, at: Span) -> Type:
    """Return the row type of an empty array.  Raises Trap if it has a negative size."""
    match t:
        case c.Array(elem, size):
            if size is not None and size.as_const is not None:
                sized(size.as_const, at)
            row_of_none(elem, at)
        case c.Record(fields):
            for _, u in fields:
                row_of_none(u, at)
        case _:
            pass
    return t


def known(dims: Dims) -> tuple[int, ...]:
    """Return a shape with 0 for unknown sizes."""
    return tuple([n or 0 for n in dims])


def rearrange(v: Val, perm: Sequence[int], at: Span) -> Val:
    """Permute dimensions: dimension k of the result is dimension perm[k] of v."""
    dims = known(shape(v, len(perm), at))
    new = [dims[k] for k in perm]
    cells: list[Val] = []
    for index in every_index(new):
        source = [0] * len(perm)
        for k, i in zip(perm, index, strict=True):
            source[k] = i
        cells.append(element(v, source, at))
    return nest(cells, new, cell_type(v, len(perm), at), at)


def cell_type(v: Val, rank: int, at: Span) -> Type:
    """Return the element type below the outermost ``rank`` dimensions."""
    xs = array(v, at)
    t: Type = row_type(xs)
    for _ in range(rank - 1):
        if not isinstance(t, c.Array):
            raise Stuck(f"{at}: an array has fewer dimensions than {rank}")
        t = t.elem
    return t


def flatten(v: Val, rank: int, at: Span) -> Val:
    """Flatten the outermost ``rank`` dimensions into one.  If it is 2, rows may differ."""
    if rank == 2:
        cells = [x for r in array(v, at).elems for x in array(r, at).elems]
        return rows(cells, cell_type(v, rank, at))
    dims = known(shape(v, rank, at))
    cells = [element(v, index, at) for index in every_index(dims)]
    return rows(cells, cell_type(v, rank, at))


def unflatten(xs: Rows, sizes: Sequence[int], at: Span) -> Val:
    """Split the outermost dimension into several.  Raises Trap if the sizes do not fit."""
    n = len(xs.elems)
    negative = any(k < 0 for k in sizes)
    if negative or prod(sizes) != n:
        kind = TrapKind.NEGATIVE_SIZE if negative else TrapKind.SHAPE
        message = f"Cannot unflatten array of shape [{n}] to array of shape {show_shape(sizes)}"
        raise Trap(kind, message, at)
    return nest(xs.elems, sizes, row_type(xs), at)


# ---------------------------------------------------------------------- fresh arrays


def iota(n: int, start: Num, step: Num, at: Span) -> Rows:
    """Return ``start + i * step`` for ``i < n``, wrapping around."""
    t = start.t
    first, stride = int(start.v), int(step.v)
    return rows([Num(normalise(first + i * stride, t), t) for i in range(sized(n, at))], t)


def concat(xs: Sequence[Rows]) -> Rows:
    """Concatenate arrays along the outermost dimension."""
    return rows([e for x in xs for e in x.elems], row_type(next((x for x in xs if x.elems), xs[0])))


def zip_(named: Sequence[tuple[str, Rows]], at: Span) -> Rows:
    """Return an array of records.  Raises Trap if the lengths differ."""
    n = len(named[0][1].elems)
    for _, x in named:
        if len(x.elems) != n:
            message = f"Cannot zip arrays of shapes [{n}] and [{len(x.elems)}]."
            raise Trap(TrapKind.SHAPE, message, at)
    t = c.Record(tuple((label, row_type(x)) for label, x in named))
    return rows([Rec(tuple([(label, x.elems[k]) for label, x in named])) for k in range(n)], t)


def unzip(xs: Rows, at: Span) -> Rec:
    """Return the record of arrays of an array of records."""
    t = row_type(xs)
    if not isinstance(t, c.Record):
        raise Stuck(f"{at}: unzip of an array without records")
    recs = [record(x, at) for x in xs.elems]
    return Rec(
        tuple(
            [
                (label, rows([x.fields[k][1] for x in recs], u))
                for k, (label, u) in enumerate(t.fields)
            ]
        )
    )


# ---------------------------------------------------------------------- places named by values


def index_of(v: Val, at: Span) -> tuple[int, ...]:
    """Return the index in an i64 or in a record of them."""
    if isinstance(v, Rec):
        return tuple([integer(x, at) for _, x in v.fields])
    return (integer(v, at),)


def has(v: Val, index: Sequence[int]) -> bool:
    """True if ``v`` has an element at an index."""
    for i in index:
        if not isinstance(v, Rows) or not 0 <= i < len(v.elems):
            return False
        v = v.elems[i]
    return True


def scatter(dest: Val, places: Rows, values: Rows, at: Span) -> Val:
    """Return ``dest`` with elements replaced; of several at one index the last one counts."""
    same_lengths([places, values], at)
    buffer = PendingUpdates(dest)
    for place, new in zip(places.elems, values.elems, strict=True):
        index = index_of(place, at)
        if has(dest, index):
            buffer.put(index, new)
    return buffer.freeze()


class PendingUpdates:
    """An array with replaced elements that are applied at the end."""

    def __init__(self, v: Val) -> None:
        self._whole = v
        self._new: dict[tuple[int, ...], Val] = {}

    def get(self, index: tuple[int, ...], at: Span) -> Val:
        """Return the current element at an index in bounds."""
        found = self._new.get(index)
        return element(self._whole, index, at) if found is None else found

    def put(self, index: tuple[int, ...], v: Val) -> None:
        """Replace the element at an index in bounds."""
        self._new[index] = v

    def freeze(self) -> Val:
        """Return the array with all replacements."""
        return _replaced(self._whole, list(self._new.items()))


def _replaced(v: Val, new: Sequence[tuple[tuple[int, ...], Val]]) -> Val:
    """Return ``v`` with new elements, by index; an empty index stands for ``v`` itself."""
    if not new:
        return v
    if not new[-1][0]:
        return new[-1][1]
    if not isinstance(v, Rows):
        raise Stuck("an index into a value that is not an array")
    inside: dict[int, list[tuple[tuple[int, ...], Val]]] = {}
    for (i, *rest), x in new:
        inside.setdefault(i, []).append((tuple(rest), x))
    elems = list(v.elems)
    for i, xs in inside.items():
        elems[i] = _replaced(elems[i], xs)
    return rows(elems, v.row)
