"""Map: a kernel that reads its arguments at the index.

    map f (xs, ys)   ->   kernel i < n do let x = xs[i]  let y = ys[i]  …f…  in (r)

FUN's arrays are regular, Core's need not be.  If the sizes of the rows depend only on values that
are known outside the kernel, they are computed outside.  Otherwise the sizes of the first row are
computed before the kernel, and the program traps if another row has other sizes.
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Bin,
    Const,
    Convert,
    Map,
    ScalarExp,
    Un,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, bin_result, can_trap
from funmem.ir.sizes import ZERO, Size, var
from funmem.ir.traverse import scalar_leaves
from funmem.passes.core.to_fun.control import choose
from funmem.passes.core.to_fun.elements import bind_elements, index_base, kernel_of
from funmem.passes.core.to_fun.state import Arr, Code, Scalar, Val, Vals, Work, int64

ROWS = "Irregular array: a row of shape {} where the first has shape {}."


def map_(w: Work, fn: c.Lambda, xs: Sequence[Arr], hint: str) -> Vals:
    """Lower ``map f (xs, …)``."""
    n, at = xs[0].shape[0], w.at
    consumed = set(w.consumed)
    with w.inside() as code:
        i = w.name(index_base(fn, w, xs))
        w.nonneg.add(i)
        w.counts(i, n)
        bind_elements(w, fn, xs, var(i))
        rows = w.exp(fn.body)
    w.at = at
    for v in rows:
        if isinstance(v, Arr):
            for d in v.shape:
                _hoist(w, code, d)
    if not all(w.code.sees(d) for v in rows if isinstance(v, Arr) for d in v.shape):
        w.consumed = set(consumed)
        sizes = _first_sizes(w, fn, xs, n)
        w.consumed = set(consumed)
        with w.inside() as code:
            i = w.name(index_base(fn, w, xs))
            w.nonneg.add(i)
            w.counts(i, n)
            bind_elements(w, fn, xs, var(i))
            rows = tuple(
                _regular(w, v, shape) for v, shape in zip(w.exp(fn.body), sizes, strict=True)
            )
        w.at = at
    return kernel_of(w, n, i, code, Map(), rows, (), hint)


def _hoist(w: Work, code: Code, size: Size) -> None:
    """Move the scalars that compute a size out of a kernel's body, if they use nothing in it."""
    by_name = {s.pat[0].name: s for s in code.stms if len(s.pat) == 1}
    needed: list[Name] = []
    todo = [x for x in size.free() if x in code.names]
    while todo:
        x = todo.pop()
        if x in needed:
            continue
        s = by_name.get(x)
        if s is None or not isinstance(s.exp, Const | Var | Bin | Un | Convert):
            return
        if not _total(w, s.exp):
            return
        needed.append(x)
        used = [a.name for a in scalar_leaves(s.exp) if isinstance(a, Var)]
        todo += [y for y in used if y in code.names]
    for s in [s for s in code.stms if s.pat and s.pat[0].name in needed]:
        code.stms.remove(s)
        w.code.stms.append(s)
        name = s.pat[0].name
        code.names.discard(name)
        w.code.names.add(name)
        if not isinstance(s.exp, Const | Var) and s.pat[0].type is I64:
            assert isinstance(s.exp, Bin | Un | Convert)
            w.code.equal.setdefault(s.exp, name)


def _total(w: Work, e: ScalarExp) -> bool:
    """True if an i64 expression never traps."""
    match e:
        case Bin(op, a, b):
            safe = isinstance(b, Const) and b.value != 0 and op is not BinOp.POW
            fine = op in _TOTAL or safe
            return fine and _total(w, a) and _total(w, b)
        case Un(_, a) | Convert(_, a):
            return _total(w, a)
        case Const() | Var():
            return True


_TOTAL = frozenset(op for op in BinOp if bin_result(op, I64) is not None and not can_trap(op, I64))


def _first_sizes(
    w: Work, fn: c.Lambda, xs: Sequence[Arr], n: Size
) -> list[tuple[Size, ...] | None]:
    """Return the shapes of the first row's parts; without rows, all sizes are 0."""
    before = set(w.consumed)
    cond = w.atom(Scalar(Bin(BinOp.LT, int64(0), size_exp(n)), BOOL), "some")
    with w.inside() as code:
        bind_elements(w, fn, xs, ZERO)
        rows = w.exp(fn.body)
    found = tuple(Scalar(size_exp(d), I64) for v in rows if isinstance(v, Arr) for d in v.shape)
    zeros = tuple(Scalar(int64(0), I64) for _ in found)
    with w.block() as none:
        pass
    w.consumed = set(before)
    sizes = iter(choose(w, cond, (code, found), (none, zeros), "width", before))
    out: list[tuple[Size, ...] | None] = []
    for v in rows:
        if isinstance(v, Scalar):
            out.append(None)
            continue
        shape: list[Size] = []
        for d in v.shape:
            s = next(sizes)
            assert isinstance(s, Scalar)
            size = w.size(s)
            w.nonneg |= size.free()
            shape.append(d if w.code.sees(d) else size)
        out.append(tuple(shape))
    return out


def _regular(w: Work, v: Val, shape: tuple[Size, ...] | None) -> Val:
    """Return a row that is checked to have the shape of the first row."""
    if isinstance(v, Scalar) or shape is None:
        return v
    text = "[{}]" * len(shape)
    return w.fit(v, shape, ROWS.format(text, text))
