"""Slices of Core arrays: selection and update, with their traps."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.interp.core.arrays import element, nest
from funmem.interp.core.values import (
    Closure,
    Hole,
    Num,
    Partial,
    Rec,
    Rows,
    Tagged,
    Val,
    array,
    row_type,
    rows,
    shape,
    show_shape,
)
from funmem.interp.places import every_index
from funmem.interp.traps import flat_in_bounds
from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.record import frozen
from funmem.ir.sizes import const


@frozen
class SliceRange:
    """``lo:hi:step`` of a slice; None is an absent number."""

    lo: int | None
    hi: int | None
    step: int | None

    def __str__(self) -> str:
        def text(x: int | None) -> str:
            return "" if x is None else str(x)

        tail = "" if self.step is None else f":{self.step}"
        return f"{text(self.lo)}:{text(self.hi)}{tail}"

    def places(self, n: int) -> range | None:
        """Return the indices in a dimension of size n; None if the range is out of bounds.

        The number of elements is ``(hi - lo + step - sgn step) / step``, rounded towards zero.
        """
        step = 1 if self.step is None else self.step
        if step == 0:
            return None
        lo, hi = (0, n) if step > 0 else (n - 1, -1)
        lo, hi = lo if self.lo is None else self.lo, hi if self.hi is None else self.hi
        sign = 1 if step > 0 else -1
        span = hi - lo + step - sign
        count = abs(span) // abs(step) * (1 if span * step >= 0 else -1)
        last = lo + (count - 1) * step
        if count == 0:
            return range(0)
        if count < 0 or not (0 <= lo < n and 0 <= last < n) or (step < 0 and hi < -1):
            return None
        return range(lo, last + sign, step)


Where: TypeAlias = int | SliceRange


def _places(w: Where, n: int) -> range | int | None:
    if isinstance(w, SliceRange):
        return w.places(n)
    return w if 0 <= w < n else None


def _path_shape(v: Val, dims: Sequence[Where], at: Span) -> tuple[int, ...]:
    """Return the sizes of the dimensions that a slice selects from, along its first elements."""
    out: list[int] = []
    for k, w in enumerate(dims):
        xs = array(v, at)
        n = len(xs.elems)
        out.append(n)
        found = _places(w, n)
        i = found if isinstance(found, int) else found[0] if found else 0
        if i < n:
            v = xs.elems[i]
        else:
            t: Type = xs.row
            for _ in dims[k + 1 :]:
                if not isinstance(t, c.Array):
                    raise Stuck(f"{at}: a slice has more dimensions than its array")
                out.append(0 if t.size is None else t.size.as_const or 0)
                t = t.elem
            break
    return tuple(out)


def in_bounds(v: Val, dims: Sequence[Where], at: Span) -> None:
    """Raise Trap unless the slice is in bounds in every dimension."""
    found = _path_shape(v, dims, at)
    if any(_places(w, n) is None for w, n in zip(dims, found, strict=True)):
        text = f"Index [{', '.join(map(str, dims))}]"
        fixed = all(isinstance(w, int) for w in dims)
        kind = TrapKind.INDEX if fixed else TrapKind.SLICE
        raise Trap(kind, f"{text} out of bounds for array of shape {show_shape(found)}.", at)


def select(v: Val, dims: Sequence[Where], at: Span) -> Val:
    """Return ``v[d, …]``."""
    in_bounds(v, dims, at)
    return _select(v, dims, at)


def _select(v: Val, dims: Sequence[Where], at: Span) -> Val:
    if not dims:
        return v
    xs = array(v, at)
    found = _places(dims[0], len(xs.elems))
    if found is None:
        in_bounds(v, dims, at)  # an irregular array: a row is shorter than the first one
        raise Stuck("a slice is both in bounds and out of bounds")
    if isinstance(found, int):
        return _select(xs.elems[found], dims[1:], at)
    t = _sliced(row_type(xs), dims[1:])
    return rows([_select(xs.elems[i], dims[1:], at) for i in found], t)


def _sliced(t: Type, dims: Sequence[Where]) -> Type:
    """Return the element type of an empty slice."""
    if not dims:
        return t
    if not isinstance(t, c.Array):
        raise Stuck("a slice has more dimensions than its array")
    w, elem = dims[0], _sliced(t.elem, dims[1:])
    if isinstance(w, int):
        return elem
    n = None if t.size is None else t.size.as_const
    found = None if n is None else w.places(n)
    return c.Array(elem, None if found is None else const(len(found)))


def update(v: Val, dims: Sequence[Where], new: Val, at: Span) -> Val:
    """Return ``v with [d, …] = new``."""
    in_bounds(v, dims, at)
    return _update(v, dims, new, at)


def _update(v: Val, dims: Sequence[Where], new: Val, at: Span) -> Val:
    if not dims:
        return new
    xs = array(v, at)
    found = _places(dims[0], len(xs.elems))
    if found is None:
        in_bounds(v, dims, at)
        raise Stuck("a slice is both in bounds and out of bounds")
    elems = list(xs.elems)
    if isinstance(found, int):
        elems[found] = _update(elems[found], dims[1:], new, at)
        return rows(elems, xs.row)
    ys = array(new, at).elems
    if len(ys) != len(found):
        message = f"Array of shape [{len(ys)}] where shape [{len(found)}] is needed."
        raise Trap(TrapKind.SHAPE, message, at)
    for i, y in zip(found, ys, strict=True):
        elems[i] = _update(elems[i], dims[1:], y, at)
    return rows(elems, xs.row)


# ---------------------------------------------------------------------- flat slices


def flat_places(
    xs: Rows, offset: int, dims: Sequence[tuple[int, int]], at: Span
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the index of each element of a flat slice, and its index in ``xs``."""
    flat_in_bounds(offset, dims, len(xs.elems), at)
    for index in every_index([n for n, _ in dims]):
        yield index, offset + sum([i * s for i, (_, s) in zip(index, dims, strict=True)])


def flat_slice(xs: Rows, offset: int, dims: Sequence[tuple[int, int]], at: Span) -> Val:
    """Return ``flat xs[o : (n : s), …]``."""
    elems = [xs.elems[k] for _, k in flat_places(xs, offset, dims, at)]
    return nest(elems, [n for n, _ in dims], row_type(xs), at)


def flat_update(xs: Rows, offset: int, strides: Sequence[int], new: Val, at: Span) -> Val:
    """Return ``xs`` after ``flat xs[o : (n : s), …] = new``.

    Raises Trap if an element is written twice, unless it contains no data.
    """
    lens = shape(new, len(strides), at)
    dims = [(n or 0, s) for n, s in zip(lens, strides, strict=True)]
    elems, seen = list(xs.elems), set[int]()
    for index, k in flat_places(xs, offset, dims, at):
        if k in seen and _has_data(elems[k]):
            raise Trap(TrapKind.OVERLAP, "Update writes an element twice.", at)
        seen.add(k)
        elems[k] = element(new, index, at)
    return rows(elems, xs.row)


def _has_data(v: Val) -> bool:
    """True if a value has parts other than empty arrays."""
    match v:
        case Rows(elems, _):
            return any(_has_data(x) for x in elems)
        case Rec(fields):
            return not fields or any(_has_data(x) for _, x in fields)
        case Num() | Hole() | Tagged() | Closure() | Partial():
            return True
