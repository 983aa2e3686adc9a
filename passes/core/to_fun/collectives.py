"""Reduce, scan and hist: the operator, the neutral elements, the kernel.

    reduce op ne xs  ->   kernel i < n reduce (op) (ne) do let x = xs[i] in (x)

In FUN an operator's operands and results have one shape, that of the neutral element.  A reduction
whose accumulators change their shape becomes a loop.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.core_traverse import unsized
from funmem.ir.fun import (
    ArrayType,
    Bin,
    Binder,
    Hist,
    Kernel,
    KernelDim,
    Lambda,
    Reduce,
    Scan,
    Type,
)
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import ZERO, product, var
from funmem.passes.core.to_fun.arrays import reshaped
from funmem.passes.core.to_fun.elements import (
    array_over,
    kernel_of,
    of_length,
    row_like,
    value_of,
)
from funmem.passes.core.to_fun.placing import index_arrays, position
from funmem.passes.core.to_fun.state import Arr, Scalar, Val, Vals, Work


def reduce(
    w: Work, op: c.Lambda, ne: Sequence[Val], xs: Sequence[Arr], comm: bool, hint: str
) -> Vals:
    """Lower ``reduce op ne xs``."""
    start = [w.named("ne", v) for v in ne]
    made = operator(w, op, start, xs)
    if made is None:
        return _fold(w, op, start, xs, hint)
    return collect(w, Reduce(made, tuple(w.atom(v) for v in start), comm), start, xs, False, hint)


def scan(w: Work, op: c.Lambda, ne: Sequence[Val], xs: Sequence[Arr], hint: str) -> Vals:
    """Lower ``scan op ne xs``."""
    start = [w.named("ne", v) for v in ne]
    made = operator(w, op, start, xs)
    if made is None:
        w.unsupported("scan with an operator whose result has another shape than its operands")
    return collect(w, Scan(made, tuple(w.atom(v) for v in start)), start, xs, True, hint)


def collect(
    w: Work,
    collective: Reduce[None] | Scan[None],
    ne: Sequence[Val],
    xs: Sequence[Arr],
    each: bool,
    hint: str,
) -> Vals:
    """Emit the kernel of a reduction or scan."""
    n = xs[0].shape[0]
    same_rows(w, xs, ne)
    with w.inside() as code:
        i = w.name("i")
        w.nonneg.add(i)
        w.counts(i, n)
        rows = tuple(row_like(w, x, var(i), v) for x, v in zip(xs, ne, strict=True))
    types = [array_over(n, v) if each else v.type for v in ne]
    return kernel_of(w, n, i, code, collective, rows, types, hint)


def same_rows(w: Work, xs: Sequence[Arr], ne: Sequence[Val]) -> None:
    """Check that the rows have the shape of the neutral element, unless there are none."""
    for x, v in zip(xs, ne, strict=True):
        if isinstance(v, Arr) and x.shape[1:] != v.shape:
            text = "[{}]" * len(v.shape)
            same = w.same_shape(x.shape[1:], v.shape)
            empty = w.equal_sizes(x.shape[0], ZERO)
            w.demand(
                Bin(BinOp.LOR, empty, same),
                f"Elements of shape {text} where the operator takes shape {text}.",
                [size_exp(d) for d in (*x.shape[1:], *v.shape)],
            )


def operator(w: Work, op: c.Lambda, ne: Sequence[Val], xs: Sequence[Arr]) -> Lambda[None] | None:
    """Return a collective's operator; None if its results have another shape than its operands.

    If the elements have another shape than the neutral elements, and the operator's results have
    the shape of its left operands for any shape of its right operands, the elements are
    checked to have the shape of the neutral elements.
    """
    at, consumed, touched = w.at, set(w.consumed), set(w.touched)
    elems = [x.type.elem if x.type.rank == 1 else ArrayType(x.type.elem, x.shape[1:]) for x in xs]
    types = [v.type for v in ne]
    made = None
    if elems == types or _applied(w, op, types, elems) is not None:
        w.at, w.consumed, w.touched = at, set(consumed), set(touched)
        made = _applied(w, op, types, types)
    w.at = at
    if made is None:
        w.consumed = consumed
    return made


def operator_on(w: Work, op: c.Lambda, types: Sequence[Type]) -> Lambda[None] | None:
    """Return an operator on operands of these types; None if its results have other types."""
    return _applied(w, op, types, types)


def _applied(
    w: Work, op: c.Lambda, left: Sequence[Type], right: Sequence[Type]
) -> Lambda[None] | None:
    """Return an operator on operands of these types; None if its results have other types."""
    with w.inside() as code:
        params: list[Binder[None]] = []
        for p, t in zip(op.params, (*left, *right), strict=True):
            name = w.name(p.name)
            params.append(Binder(name, t, None))
            w.bind(p.name, value_of(w, params[-1]))
        results = w.exp(op.body)
        body = w.body(code, [w.atom(v) for v in results])
    if any(v.type != t for v, t in zip(results, left, strict=True)):
        return None
    return Lambda(tuple(params), body)


def _fold(w: Work, op: c.Lambda, ne: Sequence[Val], xs: Sequence[Arr], hint: str) -> Vals:
    """Lower a reduction to a loop, whose accumulators may change shape."""
    k = len(ne)
    index, n = _core_name(w, "i"), _core_name(w, "n")
    elems = [_core_name(w, "xs") for _ in xs]
    inits = [_core_name(w, "ne") for _ in ne]
    w.bind(n, Scalar(size_exp(xs[0].shape[0]), I64))
    for name, x in zip(elems, xs, strict=True):
        w.bind(name, x)
    for name, v in zip(inits, ne, strict=True):
        w.bind(name, v)
    body: c.Exp = op.body
    for p, name in reversed(list(zip(op.params[k:], elems, strict=True))):
        body = c.Let((p,), c.Index(c.Var(name), (c.Fix(c.Var(index)),)), body)
    loop = c.Loop(
        tuple(c.Binder(p.name, unsized(p.type)) for p in op.params[:k]),
        tuple(map(c.Var, inits)),
        c.For(index, c.Var(n)),
        body,
        w.at,
    )
    w.hint = hint
    return w.exp(loop)


def _core_name(w: Work, base: str) -> Name:
    """Return a name that does not occur in any Core program."""
    return Name(f"{w.fresh(base)} of the fold")


def hist(
    w: Work,
    op: c.Lambda,
    ne: Sequence[Val],
    dest: Sequence[Arr],
    indices: c.Exp,
    values: Sequence[c.Exp],
    hint: str,
) -> Vals:
    """Lower ``hist op ne dest is vs``."""
    start = [w.named("ne", v) for v in ne]
    places = index_arrays(w, indices)
    q, n = len(places), places[0].shape[0]
    vs = [of_length(w, x, n) for x in w.arrays(values)]
    flat: list[Arr] = []
    for x, v in zip(dest, start, strict=True):
        rows = v.shape if isinstance(v, Arr) else ()
        fitted = w.fit(x, (*dest[0].shape[:q], *rows))
        flat.append(reshaped(w, fitted, (product(dest[0].shape[:q]), *rows)) if q > 1 else fitted)
    same_rows(w, vs, start)
    touched, w.touched = w.touched, set()
    made = operator(w, op, start, vs)
    if made is None:
        w.unsupported("hist with an operator whose result has another shape than its operands")
    read = {*w.touched, *(x.name for x in (*places, *vs))}
    w.touched |= touched
    own = [_owned(w, x, read) for x in flat]
    with w.inside() as code:
        i = w.name("i")
        w.nonneg.add(i)
        w.counts(i, n)
        bucket = position(w, dest[0], places, var(i))
        rows_ = tuple(row_like(w, x, var(i), v) for x, v in zip(vs, start, strict=True))
        body = w.body(code, [w.atom(v) for v in (bucket, *rows_)])
    pat = [Binder[None](w.name(hint or x.name), x.type, None) for x in own]
    collective = Hist(tuple(x.name for x in own), made, tuple(w.atom(v) for v in start))
    w.emit(pat, Kernel((KernelDim(i, n),), collective, body))
    out: list[Val] = []
    for p in pat:
        v = value_of(w, p)
        assert isinstance(v, Arr)
        out.append(reshaped(w, v, (*dest[0].shape[:q], *v.shape[1:])) if q > 1 else v)
    return tuple(out)


def _owned(w: Work, x: Arr, read: set[Name]) -> Arr:
    """Return a destination that may be consumed while the arrays ``read`` are read."""
    if any(w.roots[x.name] & w.roots[y] for y in read):
        x = w.copy(x)
    return w.own(x)
