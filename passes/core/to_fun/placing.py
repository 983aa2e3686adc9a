"""Operations that write elements to computed positions: scatter and filter.

    filter f xs      ->   kernel i < n do … in (f x)
                          kernel i < n scan (+) (0) do … in (if flag then 1 else 0)
                          kernel i < n do … in (if flag then offset - 1 else -1)
                          scatter (scratch [last offset]t) places xs

Core's scatter becomes FUN's: for an index that occurs twice Core allows either value.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    ArrayType,
    Bin,
    Binder,
    Convert,
    If,
    Index,
    Lambda,
    Map,
    Scan,
    Scatter,
    Scratch,
    Var,
)
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ZERO, Size, product, var
from funmem.passes.core.to_fun.arrays import IRREGULAR, reshaped
from funmem.passes.core.to_fun.control import choose
from funmem.passes.core.to_fun.elements import element, kernel_of, of_length, together
from funmem.passes.core.to_fun.state import Arr, Code, Scalar, Work, conj, int64


def index_arrays(w: Work, indices: c.Exp) -> list[Arr]:
    """Return the index arrays, one for each of the outermost dimensions."""
    if isinstance(indices, c.Zip):
        return together(w, [x for _, x in indices.arrays])
    return [w.array(indices)]


def position(w: Work, dest: Arr, places: Sequence[Arr], i: Size) -> Scalar:
    """Return the position of an element when the outermost dimensions are joined to one.

    It is -1 if an index is out of bounds.
    """
    parts = [element(w, p, i, "j") for p in places]
    if len(parts) == 1:
        (only,) = parts
        assert isinstance(only, Scalar)
        return only
    at, inside = ZERO, []
    for v, d in zip(parts, dest.shape, strict=False):
        assert isinstance(v, Scalar)
        j = w.size(v)
        at = at * d + j
        inside += [Bin(BinOp.LE, int64(0), v.exp), Bin(BinOp.LT, v.exp, size_exp(d))]
    before = set(w.consumed)
    cond = w.atom(Scalar(conj(inside), BOOL), "inside")
    yes, no = Code(w.code), Code(w.code)
    values = (Scalar(size_exp(at), I64),), (Scalar(int64(-1), I64),)
    (v,) = choose(w, cond, (yes, values[0]), (no, values[1]), "place", before)
    assert isinstance(v, Scalar)
    return v


def scatter(w: Work, dest: c.Exp, indices: c.Exp, values: c.Exp, hint: str) -> Arr:
    """Lower ``scatter dest is vs``."""
    x = w.array(dest)
    places = index_arrays(w, indices)
    n, q = places[0].shape[0], len(places)
    v = of_length(w, w.array(values), n)
    line = reshaped(w, x, (product(x.shape[:q]), *x.shape[q:])) if q > 1 else x
    want = (n, *line.shape[1:])
    if v.shape != want:
        text = "[{}]" * len(want[1:])
        same = w.same_shape(v.shape, want)
        values_ = [size_exp(d) for d in (*v.shape[1:], *want[1:])]
        empty = w.equal_sizes(n, ZERO)
        w.demand(Bin(BinOp.LOR, empty, same), IRREGULAR.format(text, text), values_)
        v = reshaped(w, v, want)
    where = places[0]
    if q > 1:
        with w.inside() as code:
            i = w.name("i")
            w.nonneg.add(i)
            w.counts(i, n)
            place = position(w, x, places, var(i))
        (found,) = kernel_of(w, n, i, code, Map(), (place,), (), "places")
        assert isinstance(found, Arr)
        where = found
    if w.may_consume(line.name):
        v, where = w.apart(v, line), w.apart(where, line)
    own = w.own(line)
    exp = Scatter(own.name, where.name, v.name)
    done = w.array_of(hint or x.name, x.type.elem, line.shape, exp)
    return reshaped(w, done, x.shape) if q > 1 else done


def filter_(w: Work, fn: c.Lambda, x: Arr, hint: str) -> Arr:
    """Lower ``filter f xs``: a scan computes offsets, then the kept elements are scattered."""
    n = x.shape[0]
    with w.inside() as code:
        a, b = w.name("a"), w.name("b")
        total = w.let("total", I64, Bin(BinOp.ADD, Var(a), Var(b)))
        plus_body = w.body(code, (Var(total),))
    params = (Binder[None](a, I64, None), Binder[None](b, I64, None))
    plus = Scan(Lambda(params, plus_body), (int64(0),))
    with w.inside() as code:
        i = w.name("i")
        w.nonneg.add(i)
        w.counts(i, n)
        w.bind(fn.params[0].name, element(w, x, var(i), fn.params[0].name))
        kept = w.atom(w.scalar(fn.body), "keep")
    (keep,) = kernel_of(w, n, i, code, Map(), (Scalar(kept, BOOL),), (), "flags")
    assert isinstance(keep, Arr)
    with w.inside() as code:
        i = w.name("i")
        w.nonneg.add(i)
        w.counts(i, n)
        k = w.let("keep", BOOL, Index(keep.name, (var(i),)))
        one = w.atom(Scalar(Convert(I64, Var(k)), I64), "one")
    folded = (ArrayType(I64, (n,)),)
    (offsets,) = kernel_of(w, n, i, code, plus, (Scalar(one, I64),), folded, "offsets")
    assert isinstance(offsets, Arr)
    count = _last(w, offsets, n)
    shape = (count, *x.shape[1:])
    dest = w.array_of("kept", x.type.elem, shape, Scratch(shape, x.type.elem))
    own = w.own(dest)
    with w.inside() as code:
        i = w.name("i")
        w.nonneg.add(i)
        w.counts(i, n)
        k = w.let("keep", BOOL, Index(keep.name, (var(i),)))
        o = w.let("o", I64, Index(offsets.name, (var(i),)))
        at = w.let("at", I64, Bin(BinOp.SUB, Var(o), int64(1)))
        place = w.name("place")
        then, orelse = w.body(Code(None), (Var(at),)), w.body(Code(None), (int64(-1),))
        w.emit((Binder[None](place, I64, None),), If(Var(k), then, orelse))
    (where,) = kernel_of(w, n, i, code, Map(), (Scalar(Var(place), I64),), (), "places")
    assert isinstance(where, Arr)
    return w.array_of(hint or "kept", x.type.elem, shape, Scatter(own.name, where.name, x.name))


def _last(w: Work, offsets: Arr, n: Size) -> Size:
    """Return the last offset; 0 if there is none."""
    before = set(w.consumed)
    cond = w.atom(Scalar(Bin(BinOp.LT, int64(0), size_exp(n)), BOOL), "some")
    with w.block() as yes:
        last = w.let("last", I64, Index(offsets.name, (n - 1,)))
    with w.block() as no:
        pass
    some, none = (Scalar(Var(last), I64),), (Scalar(int64(0), I64),)
    (v,) = choose(w, cond, (yes, some), (no, none), "n", before)
    assert isinstance(v, Scalar)
    size = w.size(v)
    w.nonneg |= size.free()
    return size
