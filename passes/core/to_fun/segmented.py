r"""Segmented operations: kernels over rows of varying length.

segmented reduce op (ne) (\i k -> e) offs m   ->   kernel i < n - 1, k in offs : m reduce …
"""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.fun import (
    Binder,
    KernelDim,
    Map,
    RaggedKernel,
    Reduce,
    Scan,
    Type,
    Var,
)
from funmem.ir.scalars import I64
from funmem.passes.core.to_fun import collectives
from funmem.passes.core.to_fun.elements import array_over, value_of
from funmem.passes.core.to_fun.state import Arr, Scalar, Val, Vals, Work


def segmented(w: Work, e: c.Segmented, start: Sequence[Val], hint: str) -> Vals:
    """Lower a segmented map, reduce or scan, whose values are scalars; ``start``: those of ne."""
    if not isinstance(e.fn, c.Lambda):
        w.unsupported("a segmented operation whose function is not a lambda")
    offsets, m = w.array(e.offsets), w.size(w.scalar(e.total))
    n = offsets.shape[0] - 1
    start = [w.named("ne", v) for v in start]
    collective: Map | Reduce[None] | Scan[None] = Map()
    if e.op is not None:
        if not isinstance(e.op, c.Lambda):
            w.unsupported("a segmented operation whose operator is not a lambda")
        made = collectives.operator_on(w, e.op, [v.type for v in start])
        if made is None:
            w.unsupported("a segmented operation on values that change their shape")
        ne = tuple(w.atom(v) for v in start)
        collective = Scan(made, ne) if e.each else Reduce(made, ne, e.comm)
    row, element = e.fn.params
    with w.inside() as code:
        i, k = w.name(row.name), w.name(element.name)
        for p, x, d in ((row, i, n), (element, k, m)):
            w.nonneg.add(x)
            w.counts(x, d)
            w.bind(p.name, Scalar(Var(x), I64))
        values = w.exp(e.fn.body)
        if any(isinstance(v, Arr) for v in values):
            w.unsupported("a segmented operation whose values are arrays")
        body = w.body(code, [w.atom(v) for v in values])
    length = m if e.op is None or e.each else n
    types: list[Type] = [array_over(length, v) for v in values]
    pat = [Binder[None](w.name(hint or "r"), t, None) for t in types]
    w.emit(pat, RaggedKernel(KernelDim(i, n), k, offsets.name, m, collective, body))
    return tuple(value_of(w, p) for p in pat)
