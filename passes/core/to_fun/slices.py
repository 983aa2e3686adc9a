"""Indexing, slicing, updating: ``e[d, …]``, ``e with [d, …] = v``, and the same on flat arrays.

A range ``lo:hi:s`` has ``(hi - lo + s - sgn s) / s`` elements, truncated.  It is fine if it has
none, or if their number is positive and the first and the last are inside (and for s < 0, hi is
not below -1).  FUN checks nearly the same; the assertion here is made for what it says, which
is what was written: ``Index [3:, 7] out of bounds for array of shape [2][5].``
"""

from collections.abc import Sequence
from itertools import pairwise

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Bin,
    Convert,
    FlatSlice,
    Index,
    ScalarExp,
    Slice,
    Un,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, SliceDim
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, UnOp
from funmem.ir.sizes import ONE, ZERO, Size, const, product
from funmem.passes.core.to_fun.arrays import reshaped
from funmem.passes.core.to_fun.control import choose
from funmem.passes.core.to_fun.exact import ELEMENTS, INDICES, Interval
from funmem.passes.core.to_fun.state import FALSE, TRUE, Arr, Code, Scalar, Val, Work, conj, int64

# ---------------------------------------------------------------------- dimensions


@frozen
class _Part:
    """One dimension: what FUN needs, what must hold, and how a message shows it."""

    dim: SliceDim
    checks: tuple[ScalarExp, ...]
    text: str
    values: tuple[Size, ...]


def slice_dims(w: Work, x: Arr, dims: Sequence[c.Dim]) -> tuple[SliceDim, ...]:
    """The dimensions of a slice, checked, all of x's."""
    element = (
        x.name in w.held and all(isinstance(d, c.Fix) for d in dims) and len(dims) == x.type.rank
    )
    within = ELEMENTS if element else INDICES
    ps = [_part(w, d, n, within) for d, n in zip(dims, x.shape, strict=False)]
    cond = conj(check for p in ps for check in p.checks)
    shape = "[{}]" * len(ps)
    w.demand(
        cond,
        f"Index [{', '.join(p.text for p in ps)}] out of bounds for array of shape {shape}.",
        [size_exp(v) for v in (*(v for p in ps for v in p.values), *x.shape[: len(ps)])],
    )
    rest = tuple(DimRange(ZERO, d, ONE) for d in x.shape[len(ps) :])
    return (*(p.dim for p in ps), *rest)


def _part(w: Work, d: c.Dim, n: Size, within: Interval) -> _Part:
    match d:
        case c.Fix(index):
            i = w.size_of(index, within)
            return _Part(DimFix(i), (), "{}", (i,))
        case c.Range(lo, hi, step):
            ends = _ends(w, lo, hi, step)
            first, last, s = ends
            dim, checks = _range(w, first, last, ONE if s is None else s, n)
            text = f"{_hole(lo)}:{_hole(hi)}{'' if s is None else ':{}'}"
            return _Part(dim, checks, text, tuple(x for x in ends if x is not None))


def _ends(
    w: Work, lo: c.Exp | None, hi: c.Exp | None, step: c.Exp | None
) -> tuple[Size | None, Size | None, Size | None]:
    """The numbers of a range.

    ``xs[i*b : i*b + b]`` has b elements even if ``i*b`` wraps around: the difference of the ends is
    known modulo 2^64, and if i64 arithmetic made another number than ``lo + b`` of the upper one,
    both would be outside of the array.
    """
    first, last, s = (None if x is None else w.scalar(x) for x in (lo, hi, step))
    a = None if first is None else w.size(first)
    span = b = None
    if first is not None and last is not None and step is None:
        span = w.exact(Bin(BinOp.SUB, last.exp, first.exp))
    if last is not None:
        b = w.size(last) if a is None or span is None else a + span
    return a, b, None if s is None else w.size(s)


def _hole(e: c.Exp | None) -> str:
    return "" if e is None else "{}"


def _range(
    w: Work, lo: Size | None, hi: Size | None, s: Size, n: Size
) -> tuple[SliceDim, tuple[ScalarExp, ...]]:
    """``lo:hi:s`` of n elements, and what must hold."""
    k = s.as_const
    if k is None:
        return _any_step(w, lo, hi, s, n)
    if k == 0:
        return DimRange(ZERO, ZERO, ONE), (FALSE,)
    if k > 0:
        a, b = ZERO if lo is None else lo, n if hi is None else hi
    else:
        a, b = n - 1 if lo is None else lo, const(-1) if hi is None else hi
    length = _length(w, b - a, k)
    if (length.as_const or 0) < 0:
        return DimRange(ZERO, ZERO, ONE), (FALSE,)
    if k == 1:
        inside = conj(_ordered(w, [ZERO, a, b, n]))
        some = lo is not None and hi is not None
    else:
        ends = [ZERO, a, a + (length - 1) * k, n - 1]
        inside = conj(_ordered(w, ends if k > 0 else [ZERO, ends[2], a, n - 1]))
        if k < 0:
            inside = conj([inside, *_ordered(w, [const(-1), b])])
        some = True
    if some and inside != TRUE:
        inside = Bin(BinOp.LOR, Bin(BinOp.EQ, size_exp(length), int64(0)), inside)
    return DimRange(a, length, s), (inside,)


def _ordered(w: Work, sizes: Sequence[Size]) -> tuple[ScalarExp, ...]:
    """``a <= b <= …``, without what is known."""
    return tuple(
        Bin(BinOp.LE, size_exp(a), size_exp(b))
        for a, b in pairwise(sizes)
        if not w.never_negative(b - a)
    )


def _length(w: Work, span: Size, k: int) -> Size:
    """How many elements a range of constant step has."""
    if abs(k) == 1:
        return span * k
    sign = 1 if k > 0 else -1
    if (whole := span.as_const) is not None:
        past = (whole + k - sign) * sign
        return const(past // abs(k) if past >= 0 else -(-past // abs(k)))
    if w.never_negative(span * sign) and (exact := span.divided_by(k)) is not None:
        return exact
    length = Bin(BinOp.QUOT, size_exp((span + (k - sign)) * sign), int64(abs(k)))
    return _counted(w, length)


def _counted(w: Work, length: ScalarExp) -> Size:
    """A number of elements under a name; where it is used it is not negative."""
    return w.size(w.bound("len", Scalar(length, I64)))


def _any_step(
    w: Work, lo: Size | None, hi: Size | None, s: Size, n: Size
) -> tuple[SliceDim, tuple[ScalarExp, ...]]:
    """A step known at run time only: its sign decides what is absent and what is checked."""
    step, zero = size_exp(s), int64(0)
    up, down = Bin(BinOp.LT, zero, step), Bin(BinOp.LT, step, zero)
    a = _end(w, up, lo, (ZERO, n - 1))
    b = _end(w, up, hi, (n, const(-1)))
    # Step 0 fails the check below, which comes after the division.
    divisor = Bin(BinOp.ADD, step, Convert(I64, Bin(BinOp.EQ, step, zero)))
    past = Bin(BinOp.SUB, Bin(BinOp.ADD, size_exp(b - a), step), Un(UnOp.SGN, step))
    length = _counted(w, Bin(BinOp.QUOT, past, divisor))
    last = a + (length - 1) * s
    empty = Bin(BinOp.EQ, size_exp(length), zero)
    rising = conj([up, *_ordered(w, [ONE, length]), *_ordered(w, [ZERO, a, last, n - 1])])
    falling = conj(
        [
            *(down, *_ordered(w, [ONE, length]), *_ordered(w, [ZERO, last, a, n - 1])),
            *_ordered(w, [const(-1), b]),
        ]
    )
    inside = Bin(BinOp.LOR, Bin(BinOp.LOR, empty, rising), falling)
    return DimRange(a, length, s), (conj([Bin(BinOp.NE, step, zero), inside]),)


def _end(w: Work, up: ScalarExp, given: Size | None, absent: tuple[Size, Size]) -> Size:
    """An end of a range; if it is absent, it depends on the direction."""
    if given is not None:
        return given
    cond, before = w.atom(Scalar(up, BOOL), "up"), set(w.consumed)
    rising, falling = (Scalar(size_exp(x), I64) for x in absent)
    then, orelse = Code(w.code), Code(w.code)
    (v,) = choose(w, cond, (then, (rising,)), (orelse, (falling,)), "end", before)
    assert isinstance(v, Scalar)
    return w.size(v)


# ---------------------------------------------------------------------- reading, writing


def element(w: Work, x: Arr, dims: tuple[SliceDim, ...], hint: str) -> Val:
    """``x[d, …]``: an element if all dimensions are fixed."""
    fixed = tuple(d.at for d in dims if isinstance(d, DimFix))
    if len(fixed) == len(dims):
        t = x.type.elem
        return Scalar(Var(w.let(hint or x.name, t, Index(x.name, fixed))), t)
    if all(d == DimRange(ZERO, n, ONE) for d, n in zip(dims, x.shape, strict=True)):
        return x
    shape = tuple(d.len for d in dims if isinstance(d, DimRange))
    return w.array_of(hint or x.name, x.type.elem, shape, Slice(x.name, dims))


def index(w: Work, array: c.Exp, dims: Sequence[c.Dim], hint: str) -> Val:
    """``e[d, …]``."""
    x = w.array(array)
    return element(w, x, slice_dims(w, x, dims), hint)


def update(w: Work, array: c.Exp, dims: Sequence[c.Dim], value: c.Exp, hint: str) -> Arr:
    """``e with [d, …] = v``."""
    x = w.array(array)
    places = slice_dims(w, x, dims)
    shape = tuple(d.len for d in places if isinstance(d, DimRange))
    v = w.one(value)
    if isinstance(v, Arr):
        v = w.fit(v, shape)
    if isinstance(v, Arr) and w.may_consume(x.name):
        v = w.apart(v, x)
    own = w.own(x)
    return w.array_of(hint or x.name, x.type.elem, x.shape, Update(own.name, places, w.atom(v)))


# ---------------------------------------------------------------------- flat slices


def _lmad(
    w: Work, x: Arr, offset: c.Exp, flat: Sequence[tuple[Size, Size]]
) -> tuple[Size, list[Dim]]:
    """The offset and dimensions over all elements of x, whose rows are taken whole."""
    row = product(x.shape[1:])
    dims = [Dim(n, s * row) for n, s in flat]
    for k, d in enumerate(x.shape[1:], 2):
        dims.append(Dim(d, product(x.shape[k:])))
    return w.size_of(offset) * row, dims


def flat_slice(
    w: Work, array: c.Exp, offset: c.Exp, flat: Sequence[tuple[c.Exp, c.Exp]], hint: str
) -> Arr:
    """``flat e[o : (n : s), …]``."""
    x = w.array(array)
    sizes = [(w.length_of(n), w.size_of(s)) for n, s in flat]
    start, dims = _lmad(w, x, offset, sizes)
    line = reshaped(w, x, (product(x.shape),))
    shape = tuple(d.len for d in dims)
    return w.array_of(hint or x.name, x.type.elem, shape, FlatSlice(line.name, start, tuple(dims)))


def flat_update(
    w: Work, array: c.Exp, offset: c.Exp, strides: Sequence[c.Exp], value: c.Exp, hint: str
) -> Arr:
    """``flat e[o : (n : s), …] = v``: the elements of e in one row are updated."""
    x, v = w.array(array), w.array(value)
    steps = [w.size_of(s) for s in strides]
    start, dims = _lmad(w, x, offset, list(zip(v.shape, steps, strict=False)))
    v = w.fit(v, [d.len for d in dims])
    if w.may_consume(x.name):
        v = w.apart(v, x)
    own = w.own(reshaped(w, x, (product(x.shape),)))
    exp = Update(own.name, Lmad(start, tuple(dims)), w.atom(v))
    return reshaped(w, w.array_of(hint or x.name, x.type.elem, own.shape, exp), x.shape)
