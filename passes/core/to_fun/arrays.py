"""Lowering of array operations that compute no elements: iota … unflatten, coerce."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.arith import nth, size_exp
from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    ArrayLit,
    Bin,
    Concat,
    Convert,
    Copy,
    Iota,
    Permute,
    Replicate,
    Reshape,
    Reverse,
    ScalarExp,
    Scratch,
    Var,
)
from funmem.ir.messages import literal, parts
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var
from funmem.passes.core.to_fun.state import FALSE, TRUE, Arr, Scalar, Val, Work, conj, either, int64

IRREGULAR = "Irregular array: a row of shape {} where the others have shape {}."


def make(w: Work, e: c.FreshExp | c.DerivedExp | c.Coerce, hint: str) -> Val:
    """Lower an array operation that computes no elements."""
    match e:
        case c.Iota(n, start, step):
            size = w.length_of(n)
            first, stride = w.scalar(start), w.scalar(step)
            exp = Iota(size, w.atom(first), w.atom(stride))
            return w.array_of(hint or "iota", first.type, (size,), exp)
        case c.Replicate(n, value):
            return replicate(w, w.length_of(n), w.one(value), hint or "rep")
        case c.Scratch(n, elem):
            size = w.length_of(n)
            scalar, shape = stated(w, elem)
            known = [d for d in shape if d is not None]
            if len(known) < len(shape):
                w.unsupported("scratch whose elements have an unknown size")
            full = (size, *known)
            return w.array_of(hint or "scratch", scalar, full, Scratch(full, scalar))
        case c.ArrayLit(elems, elem):
            return array_literal(w, elems, elem, hint or "lit")
        case c.Copy(exp):
            v = w.one(exp)
            if isinstance(v, Scalar):
                return v
            return w.array_of(hint or v.name, v.type.elem, v.shape, Copy(v.name))
        case c.Concat(arrays):
            return concat(w, w.arrays(arrays), hint or "joined")
        case c.Rearrange(perm, array_):
            x = w.array(array_)
            full_perm = (*perm, *range(len(perm), x.type.rank))
            new = tuple(x.shape[k] for k in full_perm)
            return w.array_of(hint or x.name, x.type.elem, new, Permute(full_perm, x.name))
        case c.Reverse(array_):
            x = w.array(array_)
            return w.array_of(hint or x.name, x.type.elem, x.shape, Reverse(0, x.name))
        case c.Flatten(rank, array_):
            x = w.array(array_)
            return reshaped(w, x, (product(x.shape[:rank]), *x.shape[rank:]), hint)
        case c.Unflatten(sizes, array_):
            ds = tuple(w.length_of(d) for d in sizes)
            return unflatten(w, w.array(array_), ds, hint)
        case c.Coerce(exp, t, message):
            return coerce(w, w.array(exp), t, message)
        case c.Zip() | c.Unzip():
            raise Stuck(f"{type(e).__name__} is not flattened Core")


def counted(w: Work, array: c.Exp, dims: Sequence[c.Dim]) -> Scalar | None:
    """Return an element of an iota as a computed scalar, if the index is known to be in bounds.

    So a loop over a range needs no array.  None in other cases.
    """
    match array, dims:
        case c.Var(name), (c.Fix(c.Var(index)),):
            x, i = w.code.find(name), w.code.find(index)
        case _:
            return None
    made = w.made.get(x.name) if isinstance(x, Arr) else None
    if not (isinstance(made, Iota) and isinstance(x, Arr) and isinstance(i, Scalar)):
        return None
    if not isinstance(i.exp, Var) or w.below.get(i.exp.name) != made.n:
        return None
    return Scalar(nth(i.exp, made.start, made.stride, x.type.elem), x.type.elem)


def stated(w: Work, t: c.Type) -> tuple[ScalarType, tuple[Size | None, ...]]:
    """Return the scalar type of a flattened type's elements, and the sizes that the type states."""
    shape: list[Size | None] = []
    while isinstance(t, c.Array):
        shape.append(w.type_size(t.size))
        t = t.elem
    if not isinstance(t, ScalarType):
        raise Stuck(f"{t} is not flattened")
    return t, tuple(shape)


def replicate(w: Work, n: Size, v: Val, hint: str) -> Arr:
    """Lower ``replicate n v``; a replicate of a replicate becomes one."""
    if isinstance(v, Scalar):
        return w.array_of(hint, v.type, (n,), Replicate((n,), w.atom(v)))
    inner = w.made.get(v.name)
    if isinstance(inner, Replicate) and (
        len(v.shape) == len(inner.shape) or w.readable(inner.value)
    ):
        return w.array_of(
            hint, v.type.elem, (n, *v.shape), Replicate((n, *inner.shape), inner.value)
        )
    return w.array_of(hint, v.type.elem, (n, *v.shape), Replicate((n,), Var(v.name)))


def array_literal(w: Work, elems: Sequence[c.Exp], elem: c.Type, hint: str) -> Arr:
    """Lower ``[e, …]``.

    All rows have the shape of the first one; without rows it is the shape of their type.
    """
    scalar, shape = stated(w, elem)
    n = const(len(elems))
    if not shape:
        atoms = tuple(w.atom_of(x) for x in elems)
        return w.array_of(hint, scalar, (n,), ArrayLit(atoms, scalar, ()))
    rows = w.arrays(elems)
    inner = rows[0].shape if rows else tuple(d if d is not None else ZERO for d in shape)
    text = "[{}]" * len(inner)
    fitted = [w.fit(x, inner, IRREGULAR.format(text, text)) for x in rows]
    atoms = tuple(Var(x.name) for x in fitted)
    return w.array_of(hint, scalar, (n, *inner), ArrayLit(atoms, scalar, inner))


def concat(w: Work, xs: Sequence[Arr], hint: str) -> Arr:
    """Lower ``xs ++ …``; rows have the shape of those of the first array that is not empty."""
    inner = _rows_shape(w, xs)
    text = "[{}]" * len(inner)
    message = IRREGULAR.format(text, text)
    first = reshaped(w, xs[0], (xs[0].shape[0], *inner), xs[0].name)
    fitted = [first, *(rows_of(w, x, inner, message) for x in xs[1:])]
    total = sum((x.shape[0] for x in fitted), start=ZERO)
    names = tuple(x.name for x in fitted)
    return w.array_of(hint, xs[0].type.elem, (total, *inner), Concat(0, names))


def _rows_shape(w: Work, xs: Sequence[Arr]) -> tuple[Size, ...]:
    """Return the row shape of the first array that is not empty, or of the first array.

    The choice is made at run time only where the first array may be empty and the row shapes of the
    others may differ.
    """
    inner = xs[0].shape[1:]
    before: list[ScalarExp] = []
    for x in xs:
        if w.same_shape(x.shape[1:], inner) != TRUE:
            some = [] if _has_rows(w, x) else [Bin(BinOp.LT, int64(0), size_exp(x.shape[0]))]
            inner = _chosen(w, conj([*before, *some]), x.shape[1:], inner)
        if _has_rows(w, x):
            break
        before.append(w.equal_sizes(x.shape[0], ZERO))
    return inner


def _has_rows(w: Work, x: Arr) -> bool:
    """True if an array is known to have rows."""
    return w.never_negative(x.shape[0] - ONE)


def _chosen(
    w: Work, cond: ScalarExp, then: Sequence[Size], orelse: Sequence[Size]
) -> tuple[Size, ...]:
    """Return one of two shapes, chosen at run time by ``cond``."""
    if cond in (TRUE, FALSE):
        return tuple(then if cond == TRUE else orelse)
    which = size_exp(w.size(w.bound("which", Scalar(Convert(I64, cond), I64))))
    shape: list[Size] = []
    for a, b in zip(then, orelse, strict=True):
        if w.equal_sizes(a, b) == TRUE:
            shape.append(b)
            continue
        name = w.let(
            "width", I64, Bin(BinOp.ADD, size_exp(b), Bin(BinOp.MUL, which, size_exp(a - b)))
        )
        w.nonneg.add(name)
        shape.append(var(name))
    return tuple(shape)


def rows_of(w: Work, x: Arr, inner: Sequence[Size], message: str) -> Arr:
    """Return an array whose rows have this shape.

    The program traps if they do not, unless there are none.
    """
    want = (x.shape[0], *inner)
    if x.shape == want:
        return x
    cond: ScalarExp = w.same_shape(x.shape[1:], inner)
    empty = w.equal_sizes(x.shape[0], ZERO)
    values = [size_exp(d) for d in (*x.shape[1:], *inner)]
    w.demand(either(empty, cond), message, values)
    return reshaped(w, x, want, x.name)


def reshaped(w: Work, x: Arr, shape: Sequence[Size], hint: str = "") -> Arr:
    """Return the same elements under a shape with as many elements."""
    want = tuple(shape)
    if x.shape == want:
        return x
    return w.array_of(hint or x.name, x.type.elem, want, Reshape(want, x.name))


def unflatten(w: Work, x: Arr, sizes: tuple[Size, ...], hint: str) -> Arr:
    """Split the outermost dimension into several."""
    n = x.shape[0]
    checks = [Bin(BinOp.LE, int64(0), size_exp(d)) for d in sizes if not w.never_negative(d)]
    holes = "[{}]" * len(sizes)
    w.demand(
        conj([*checks, w.equal_sizes(product(sizes), n)]),
        f"Cannot unflatten array of shape [{{}}] to array of shape {holes}",
        [size_exp(d) for d in (n, *sizes)],
    )
    return reshaped(w, x, (*sizes, *x.shape[1:]), hint)


def coerce(w: Work, x: Arr, t: c.Array, message: str) -> Arr:
    """Lower ``e :> t``: the sizes that t states are checked, as far as there are elements."""
    _, sizes = stated(w, t)
    want = tuple(now if d is None else d for d, now in zip(sizes, x.shape, strict=True))
    if want == x.shape:
        return x
    said = _shapes_in(message, len(want))
    values = [size_exp(d) for d in (*x.shape, *want)]
    w.demand(w.same_elements(x.shape, want), said, values)
    return w.viewed(x, want) if x.shape[1:] == want[1:] else reshaped(w, x, want)


def _shapes_in(message: str, rank: int) -> str:
    """Return a message with placeholders for sizes instead of its two placeholders for shapes."""
    texts = [literal(text) for text in parts(message)]
    return ("[{}]" * rank).join(texts)
