"""Parts that all kernels need: the elements of the arguments, and the results."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Alloc,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Collective,
    Compound,
    Const,
    Convert,
    DerivedArray,
    FreshArray,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Replicate,
    ScalarExp,
    Slice,
    Type,
    Var,
)
from funmem.ir.fun import Scalar as FunScalar
from funmem.ir.lmad import DimFix, DimRange, SliceDim
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size
from funmem.passes.core.to_fun.state import Arr, Code, Scalar, Val, Vals, Work, int64

LENGTHS = "Arrays of lengths {} and {} where the lengths must be equal."


def together(w: Work, es: Sequence[c.Exp]) -> list[Arr]:
    """Return arrays that are checked to have one length, which is known from then on."""
    xs = w.arrays(es)
    n = xs[0].shape[0]
    for k, (e, x) in enumerate(zip(es, xs, strict=True)):
        if x.shape[0] == n:
            continue
        w.demand(w.equal_sizes(n, x.shape[0]), LENGTHS, [size_exp(n), size_exp(x.shape[0])])
        xs[k] = w.viewed(x, (n, *x.shape[1:]))
        if isinstance(e, c.Var):
            w.bind(e.name, xs[k])
    return xs


def of_length(w: Work, x: Arr, n: Size) -> Arr:
    """Return the array, which is checked to have this length."""
    w.demand(w.equal_sizes(x.shape[0], n), LENGTHS, [size_exp(x.shape[0]), size_exp(n)])
    return w.viewed(x, (n, *x.shape[1:]))


def element(w: Work, x: Arr, i: Size, base: str, shape: Sequence[Size] | None = None) -> Val:
    """Return element i of an array; ``shape`` is a shape that its rows are known to have."""
    made = w.made.get(x.name)
    if x.type.rank > 1:
        row = tuple(x.shape[1:] if shape is None else shape)
        if isinstance(made, Replicate) and len(made.shape) == 1 and w.readable(made.value):
            source = Arr(made.value.name, ArrayType(x.type.elem, x.shape[1:]))
            return w.viewed(source, row)
        dims: tuple[SliceDim, ...] = (DimFix(i), *(DimRange(ZERO, d, ONE) for d in row))
        return w.array_of(base, x.type.elem, row, Slice(x.name, dims))
    t = x.type.elem
    match made:
        case Iota(_, start, stride):
            return w.bound(base, Scalar(_progression(start, stride, i, t), t))
        case Replicate(_, value):
            return Scalar(value, t)
        case None | FunScalar() | Index() | DerivedArray() | FreshArray() | InPlace():
            pass
        case Compound() | Assert() | Alloc():
            pass
    return Scalar(Var(w.let(base, t, Index(x.name, (i,)))), t)


def _progression(start: Atom, stride: Atom, i: Size, t: ScalarType) -> ScalarExp:
    """Return ``start + i * stride`` in t."""
    step = size_exp(i) if t is I64 else Convert(t, size_exp(i))
    if stride != Const(1, t):
        step = Bin(BinOp.MUL, step, stride)
    return step if start == Const(0, t) else Bin(BinOp.ADD, step, start)


def bind_elements(w: Work, fn: c.Lambda, xs: Sequence[Arr], i: Size) -> None:
    """Bind the parameters of a lambda to the elements at i."""
    for p, x in zip(fn.params, xs, strict=True):
        w.bind(p.name, element(w, x, i, p.name))


def index_base(fn: c.Lambda, w: Work, xs: Sequence[Arr]) -> str:
    """Return the base name for a kernel's index: that of a parameter that equals it, or i."""
    for p, x in zip(fn.params, xs, strict=True):
        if isinstance(made := w.made.get(x.name), Iota) and made.start == int64(0):
            return p.name
    return "i"


def row_like(w: Work, x: Arr, i: Size, like: Val) -> Val:
    """Return element i, of the shape of another value, which its rows are known to have."""
    return element(w, x, i, "x", like.shape if isinstance(like, Arr) else None)


def kernel_of(
    w: Work,
    n: Size,
    i: Name,
    code: Code,
    collective: Collective[None],
    rows: Vals,
    folded: Sequence[Type],
    hint: str,
) -> Vals:
    """Emit the kernel with these results in its body; the ``folded`` ones have these types."""
    with w.into(code):
        body = w.body(code, [w.atom(v) for v in rows])
    pat: list[Binder[None]] = []
    for t in (*folded, *(array_over(n, v) for v in rows[len(folded) :])):
        pat.append(Binder(w.name(hint or "r"), t, None))
    w.emit(pat, Kernel((KernelDim(i, n),), collective, body))
    return tuple(value_of(w, p) for p in pat)


def value_of(w: Work, p: Binder[None]) -> Val:
    """Return the value of a new binder; an array aliases nothing."""
    if isinstance(p.type, ArrayType):
        w.alias(p.name, (p.name,))
        return Arr(p.name, p.type)
    assert isinstance(p.type, ScalarType)
    return Scalar(Var(p.name), p.type)


def array_over(n: Size, v: Val) -> ArrayType:
    """Return the type of an array of n such values."""
    if isinstance(v, Arr):
        return ArrayType(v.type.elem, (n, *v.shape))
    return ArrayType(v.type, (n,))
