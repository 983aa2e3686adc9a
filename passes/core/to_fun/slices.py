"""Indexing, slicing, updating: ``e[d, …]``, ``e with [d, …] = v``, and the same on flat arrays.

A range ``lo:hi:s`` has ``(hi - lo + s - sgn s) / s`` elements, truncated.  It is in bounds if it
has no elements, or if their number is positive and the first and the last are in bounds (and, for
s < 0, hi is at least -1).  FUN checks nearly the same.  The assertion is emitted for its message,
which shows the source's numbers: ``Index [3:, 7] out of bounds for array of shape [2][5].``

The numbers of that formula need not fit into an i64, so another one is computed.  A range has
elements if its ends lie in the direction of its step.  Their number is then ``(hi - lo - sgn s) / s
+ 1``, rounded down, in which no operation wraps around if lo is in bounds.
"""

from collections.abc import Sequence
from itertools import pairwise

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Bin,
    Const,
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
from funmem.ir.messages import flat_message
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, U64, BinOp, UnOp
from funmem.ir.sizes import ONE, ZERO, Size, const, product
from funmem.passes.core.to_fun.arrays import IRREGULAR, reshaped
from funmem.passes.core.to_fun.control import choose
from funmem.passes.core.to_fun.exact import ELEMENTS, INDICES, Interval
from funmem.passes.core.to_fun.state import (
    FALSE,
    TRUE,
    Arr,
    Code,
    Scalar,
    Val,
    Work,
    conj,
    either,
    int64,
)

FARTHEST = 1 << 62
"""The largest step that is used.

No two elements of an array are so far apart, so a larger step selects the same elements; with this
one the numbers computed for a slice fit into an i64.
"""

# ---------------------------------------------------------------------- dimensions


@frozen
class _Part:
    """One dimension of a slice: its FUN form, its checks, and its text in a message."""

    dim: SliceDim
    checks: tuple[ScalarExp, ...]
    text: str
    values: tuple[Size, ...]


def slice_dims(w: Work, x: Arr, dims: Sequence[c.Dim]) -> tuple[SliceDim, ...]:
    """Return the dimensions of a slice, one for each of the array's; emit their check."""
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
    """Return the first number, the end and the step of a range.

    ``xs[i*b : i*b + b]`` has b elements even if ``i*b`` wraps around: the difference of the ends is
    known modulo 2^64, and if i64 arithmetic computed another upper end than ``lo + b``, both would
    be out of bounds.
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
    """Return ``lo:hi:s`` in a dimension of n elements as FUN's range, and its checks."""
    k = s.as_const
    if k is None:
        return _any_step(w, lo, hi, s, n)
    if k == 0:
        return DimRange(ZERO, ZERO, ONE), (FALSE,)
    if k > 0:
        a, b = ZERO if lo is None else lo, n if hi is None else hi
    else:
        a, b = n - 1 if lo is None else lo, const(-1) if hi is None else hi
    if abs(k) > 1:
        return _strided(w, a, b, k, n)
    length = (b - a) * k
    if (length.as_const or 0) < 0:
        return DimRange(ZERO, ZERO, ONE), (FALSE,)
    if k == 1:
        inside = conj(_ordered(w, [ZERO, a, b, n]))
        # an empty range from 0 ends at 0, which is in bounds
        some = lo is not None and hi is not None and a != ZERO
    else:
        inside = conj(_ordered(w, [ZERO, b + 1, a, n - 1]))
        inside = conj([inside, *_ordered(w, [const(-1), b])])
        some = True
    if some and inside != TRUE:
        inside = Bin(BinOp.LOR, Bin(BinOp.EQ, size_exp(length), int64(0)), inside)
    return DimRange(a, length, s), (inside,)


def _ordered(w: Work, sizes: Sequence[Size]) -> tuple[ScalarExp, ...]:
    """Return the conditions of ``a <= b <= …`` that are not known."""
    return tuple(
        Bin(BinOp.LE, size_exp(a), size_exp(b))
        for a, b in pairwise(sizes)
        if not w.never_negative(b - a)
    )


def _strided(w: Work, a: Size, b: Size, k: int, n: Size) -> tuple[SliceDim, tuple[ScalarExp, ...]]:
    """Return ``a:b:k`` for a constant step other than 1 and -1, and its checks.

    It is empty if b is before a, but by little more than a step; the distance may be as much as
    2^64 - 1.
    """
    sign = 1 if k > 0 else -1
    span, step = b - a, const(sign * min(abs(k), FARTHEST))
    held: ScalarExp = TRUE
    if (whole := span.as_const) is not None:
        past = (whole + k - sign) * sign
        length = const(past // abs(k) if past >= 0 else -(-past // abs(k)))
        if past <= -abs(k):
            return DimRange(ZERO, ZERO, ONE), (FALSE,)
        if length == ZERO:
            return DimRange(a, ZERO, step), ()
    elif w.never_negative(span * sign):
        exact = span.divided_by(k)
        length = exact if exact is not None else _counted(w, _steps(span, sign, int64(k)))
    else:
        held = Bin(BinOp.LT, *map(size_exp, (a, b) if k > 0 else (b, a)))
        length = _counted(w, _if(held, _steps(span, sign, int64(k))))
    inside = conj([held, *_inside(w, a, b, length, const(k), n, k > 0)])
    if whole is not None or inside == TRUE:
        return DimRange(a, length, step), (inside,)
    if held == TRUE:
        empty = w.equal_sizes(a, b)
    else:
        most = Const(2 * (abs(k) - 1), U64)
        back = Bin(BinOp.LE, *map(size_exp, (b, a) if k > 0 else (a, b)))
        empty = conj([back, Bin(BinOp.LE, Convert(U64, size_exp(span * -sign)), most)])
    return DimRange(a, length, step), (Bin(BinOp.LOR, empty, inside),)


def _inside(
    w: Work, a: Size, b: Size, length: Size, step: Size, n: Size, up: bool
) -> tuple[ScalarExp, ...]:
    """Return the conditions that a range with elements lies in bounds."""
    if up:
        last = () if w.never_negative(n - b) else _ordered(w, [a + (length - 1) * step, n - 1])
        return (*_ordered(w, [ZERO, a]), *last)
    return (*_ordered(w, [a, n - 1]), *_ordered(w, [const(-1), b]))


def _steps(span: Size, sign: int, step: ScalarExp) -> ScalarExp:
    """Return the number of elements of a range that is not empty."""
    return Bin(BinOp.ADD, Bin(BinOp.DIV, size_exp(span - sign), step), int64(1))


def _if(cond: ScalarExp, number: ScalarExp) -> ScalarExp:
    """Return the number if the condition holds, else 0."""
    return Bin(BinOp.MUL, Convert(I64, cond), number)


def _counted(w: Work, length: ScalarExp) -> Size:
    """Return a number of elements as a size; it is not negative where it is used."""
    return w.size(w.bound("len", Scalar(length, I64)))


def _any_step(
    w: Work, lo: Size | None, hi: Size | None, s: Size, n: Size
) -> tuple[SliceDim, tuple[ScalarExp, ...]]:
    """Return a range whose step is known at run time only, and its checks.

    The sign of the step decides the default ends and the checks.
    """
    step, zero = size_exp(s), int64(0)
    up, down = Bin(BinOp.LT, zero, step), Bin(BinOp.LT, step, zero)
    a = _end(w, up, lo, (ZERO, n - 1))
    b = _end(w, up, hi, (n, const(-1)))
    # Step 0 fails the check below, which comes after the division.
    divisor = Bin(BinOp.ADD, step, Convert(I64, Bin(BinOp.EQ, step, zero)))
    first, end, sign = size_exp(a), size_exp(b), Un(UnOp.SGN, step)
    rises = conj([up, Bin(BinOp.LT, first, end)])
    falls = conj([down, Bin(BinOp.LT, end, first)])
    some = w.atom(Scalar(Bin(BinOp.LOR, rises, falls), BOOL), "some")
    past = Bin(BinOp.SUB, size_exp(b - a), sign)
    number = Bin(BinOp.ADD, Bin(BinOp.DIV, past, divisor), int64(1))
    length = _counted(w, _if(some, number))
    gap = Bin(BinOp.MUL, size_exp(a - b), sign)
    most = Bin(BinOp.MUL, int64(2), Bin(BinOp.SUB, Bin(BinOp.MUL, step, sign), int64(1)))
    near = Bin(BinOp.LE, Convert(U64, gap), Convert(U64, most))
    rising = conj([rises, *_inside(w, a, b, length, s, n, True)])
    falling = conj([falls, *_inside(w, a, b, length, s, n, False)])
    empty = conj([Un(UnOp.LNOT, some), near])
    inside = Bin(BinOp.LOR, Bin(BinOp.LOR, empty, rising), falling)
    return DimRange(a, length, s), (conj([Bin(BinOp.NE, step, zero), inside]),)


def _end(w: Work, up: ScalarExp, given: Size | None, absent: tuple[Size, Size]) -> Size:
    """Return an end of a range; if it is absent, it depends on the direction."""
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
    """Lower ``x[d, …]``: to an element if all dimensions are fixed."""
    fixed = tuple(d.at for d in dims if isinstance(d, DimFix))
    if len(fixed) == len(dims):
        t = x.type.elem
        return Scalar(Var(w.let(hint or x.name, t, Index(x.name, fixed))), t)
    if all(d == DimRange(ZERO, n, ONE) for d, n in zip(dims, x.shape, strict=True)):
        return x
    shape = tuple(d.len for d in dims if isinstance(d, DimRange))
    return w.array_of(hint or x.name, x.type.elem, shape, Slice(x.name, dims))


def index(w: Work, array: c.Exp, dims: Sequence[c.Dim], hint: str) -> Val:
    """Lower ``e[d, …]``."""
    x = w.array(array)
    return element(w, x, slice_dims(w, x, dims), hint)


def update(w: Work, array: c.Exp, dims: Sequence[c.Dim], value: c.Exp, hint: str) -> Arr:
    """Lower ``e with [d, …] = v``."""
    x = w.array(array)
    places = slice_dims(w, x, dims)
    shape = tuple(d.len for d in places if isinstance(d, DimRange))
    v = w.one(value)
    if isinstance(v, Arr):
        v = _placed(w, v, shape, sum(isinstance(d, c.Range) for d in dims))
    if isinstance(v, Arr) and w.may_consume(x.name):
        v = w.apart(v, x)
    own = w.own(x)
    return w.array_of(hint or x.name, x.type.elem, x.shape, Update(own.name, places, w.atom(v)))


def _placed(w: Work, v: Arr, shape: tuple[Size, ...], ranges: int) -> Arr:
    """Return an array that is checked to have the shape of its destination.

    The outermost ``ranges`` dimensions are those of ranges; the others are those of rows.
    """
    if v.shape[ranges:] == shape[ranges:] and v.shape[1:] == shape[1:]:
        return w.fit(v, shape)
    text = "[{}]" * len(shape)
    said = f"Array of shape {text} where shape {text} is needed."
    outer = w.same_elements(v.shape[:ranges], shape[:ranges])
    w.demand(outer, said, [size_exp(d) for d in (*v.shape, *shape)])
    old, new = v.shape[ranges:], shape[ranges:]
    cond = w.same_elements(old, new)
    for d in shape[:ranges]:
        cond = either(w.equal_sizes(d, ZERO), cond)
    text = "[{}]" * len(new)
    w.demand(cond, IRREGULAR.format(text, text), [size_exp(d) for d in (*old, *new)])
    return w.viewed(v, shape) if v.shape[1:] == shape[1:] else reshaped(w, v, shape)


# ---------------------------------------------------------------------- flat slices


def _lmad(
    w: Work, x: Arr, offset: c.Exp, flat: Sequence[tuple[Size, Size]]
) -> tuple[Size, list[Dim]]:
    """Return the offset and dimensions of a flat slice in terms of the elements of x.

    The slice takes whole rows.
    """
    row, start = product(x.shape[1:]), w.size_of(offset)
    _rows_inside(w, x, start, flat)
    dims = [Dim(n, s * row) for n, s in flat]
    for k, d in enumerate(x.shape[1:], 2):
        dims.append(Dim(d, product(x.shape[k:])))
    return start * row, dims


def _rows_inside(w: Work, x: Arr, offset: Size, flat: Sequence[tuple[Size, Size]]) -> None:
    """Check that the rows are in bounds; if they are empty, FUN would not check it."""
    unsure = [d for d in x.shape[1:] if not (d.as_const or 0) > 0]
    if not unsure:
        return
    n, zero = x.shape[0], int64(0)
    low = high = size_exp(offset)
    checks = [*_ordered(w, [ZERO, offset]), Bin(BinOp.LT, size_exp(offset), size_exp(n))]
    for k, s in flat:
        step, several = size_exp(s), Bin(BinOp.MAX, size_exp(k - 1), int64(1))
        # Nothing wraps around where no stride is longer than this.
        longest = Bin(BinOp.DIV, size_exp(n - 1), several)
        limit = w.bound("longest", Scalar(longest, I64)).exp
        short = conj([Bin(BinOp.LE, step, limit), Bin(BinOp.LE, Un(UnOp.NEG, limit), step)])
        checks.append(either(Bin(BinOp.LE, size_exp(k), int64(1)), short))
        reach = Bin(BinOp.MUL, size_exp(k - 1), step)
        low = Bin(BinOp.ADD, low, Bin(BinOp.MIN, zero, reach))
        high = Bin(BinOp.ADD, high, Bin(BinOp.MAX, zero, reach))
    checks += [Bin(BinOp.LE, zero, low), Bin(BinOp.LT, high, size_exp(n))]
    cond = conj(checks)
    for k, _ in flat:
        cond = either(w.equal_sizes(k, ZERO), cond)
    some = conj(Bin(BinOp.NE, size_exp(d), zero) for d in unsure)
    said = flat_message(offset, [Dim(k, s) for k, s in flat], n)
    w.demand(Bin(BinOp.LOR, some, cond), said.message, [size_exp(d) for d in said.args])


def flat_slice(
    w: Work, array: c.Exp, offset: c.Exp, flat: Sequence[tuple[c.Exp, c.Exp]], hint: str
) -> Arr:
    """Lower ``flat e[o : (n : s), …]``."""
    x = w.array(array)
    sizes = [(w.length_of(n), w.size_of(s)) for n, s in flat]
    start, dims = _lmad(w, x, offset, sizes)
    line = reshaped(w, x, (product(x.shape),))
    shape = tuple(d.len for d in dims)
    return w.array_of(hint or x.name, x.type.elem, shape, FlatSlice(line.name, start, tuple(dims)))


def flat_update(
    w: Work, array: c.Exp, offset: c.Exp, strides: Sequence[c.Exp], value: c.Exp, hint: str
) -> Arr:
    """Lower ``flat e[o : (n : s), …] = v``: an update of the elements of e in one dimension."""
    x, v = w.array(array), w.array(value)
    steps = [w.size_of(s) for s in strides]
    start, dims = _lmad(w, x, offset, list(zip(v.shape, steps, strict=False)))
    v = _placed(w, v, tuple(d.len for d in dims), len(steps))
    if w.may_consume(x.name):
        v = w.apart(v, x)
    own = w.own(reshaped(w, x, (product(x.shape),)))
    exp = Update(own.name, Lmad(start, tuple(dims)), w.atom(v))
    return reshaped(w, w.array_of(hint or x.name, x.type.elem, own.shape, exp), x.shape)
