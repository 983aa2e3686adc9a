"""Results that are mapped beside a collective, by a kernel of their own: rule (S3)."""

from funmem.ir.fun import (
    Ann,
    Binder,
    Body,
    Hist,
    Index,
    Kernel,
    KernelDim,
    Map,
    Reduce,
    Scan,
    Stm,
    Type,
    Var,
)
from funmem.ir.sizes import var
from funmem.ir.traverse import freshen_body, subst_body
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import I64, operands, read_row
from funmem.passes.fun.schedule.strips import is_plain


def maps_first(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann]) -> tuple[Stm[Ann], Kernel[Ann]]:
    """(S3) of a kernel with one dimension; answers the collective without the mapped results."""
    b.at = stm.at
    folded = len(stm.pat) - len(kernel.body.result) + len(_folded(kernel))
    left = maps_to(b, kernel, stm.pat[folded:])
    return Stm(stm.pat[:folded], left, stm.at), left


def maps_to(b: Builder, kernel: Kernel[Ann], kept: tuple[Binder[Ann], ...]) -> Kernel[Ann]:
    """The mapped results of the innermost dimension, bound to ``kept``; answers the collective of
    that dimension without them.

    What the collective takes is computed again if that is cheap.  If not, it reads what the other
    kernel has written: for it, or as a result.
    """
    dim = kernel.dims[-1]
    types = _folded(kernel)
    taken, rest = kernel.body.result[: len(types)], kernel.body.result[len(types) :]
    if _cheap(b, kernel):
        index = b.fresh(dim.index)
        again = freshen_body(subst_body(kernel.body, {dim.index: Var(index)}), b.fresh)
        maps = Body(again.stms, again.result[len(types) :])
        b.stms.append(Stm(kept, Kernel((KernelDim(index, dim.size),), Map(), maps), b.at))
        return Kernel((dim,), kernel.collective, Body(kernel.body.stms, taken))
    tables = {a: x.name for a, x in zip(rest, kept, strict=True)}
    values = {
        a: Binder[Ann](b.fresh("value"), of_rows(t, dim.size), None)
        for a, t in zip(taken, types, strict=True)
        if a not in tables
    }
    maps = Body(kernel.body.stms, (*values, *rest))
    b.stms.append(Stm((*values.values(), *kept), Kernel((dim,), Map(), maps), b.at))
    tables |= {a: x.name for a, x in values.items()}
    index = b.fresh(dim.index)
    reader = b.inner()
    read = (
        read_row(reader, "v", tables[a], t, var(index)) for a, t in zip(taken, types, strict=True)
    )
    body = reader.body(*map(Var, read))
    return Kernel((KernelDim(index, dim.size),), kernel.collective, body)


CHEAP = 8
"""So many scalar statements take less time than to write their result and to read it twice."""


def _cheap(b: Builder, kernel: Kernel[Ann]) -> bool:
    """Whether a body may be computed again: it cannot trap, and reads no more than it gives."""
    stms = kernel.body.stms
    reads = sum(isinstance(s.exp, Index) for s in stms)
    plain = all(is_plain(s, kernel.dims[-1], b) for s in stms)
    return plain and reads <= len(_folded(kernel)) and len(stms) - reads <= CHEAP


def _folded(kernel: Kernel[Ann]) -> tuple[Type, ...]:
    """The types of the body's results that the collective takes."""
    match kernel.collective:
        case Map():
            return ()
        case Reduce(op) | Scan(op):
            return operands(op)
        case Hist(_, op):
            return (I64, *operands(op))
