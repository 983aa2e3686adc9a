"""Mapped results of a collective, computed by a separate kernel: rule (S3)."""

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
from funmem.ir.substitute import freshen_body, subst_body
from funmem.passes.fun.schedule.builder import Builder, of_rows
from funmem.passes.fun.schedule.fold import I64, operands, read_row
from funmem.passes.fun.schedule.strips import is_plain


def maps_first(b: Builder, stm: Stm[Ann], kernel: Kernel[Ann]) -> tuple[Stm[Ann], Kernel[Ann]]:
    """Apply (S3) to a kernel of one dimension; return the collective without mapped results."""
    b.at = stm.at
    folded = len(stm.pat) - len(kernel.body.result) + len(_folded(kernel))
    left = maps_to(b, kernel, stm.pat[folded:])
    return Stm(stm.pat[:folded], left, stm.at), left


def maps_to(b: Builder, kernel: Kernel[Ann], kept: tuple[Binder[Ann], ...]) -> Kernel[Ann]:
    """Add a kernel that binds the mapped results of the innermost dimension to ``kept``; return the
    collective of that dimension without them.

    The values that the collective folds are computed again if that is cheap.  Otherwise it reads
    them from results of the added kernel, mapped or additional ones.
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
"""Largest number of scalar statements that take less time than storing their
result and reading it.
"""


def _cheap(b: Builder, kernel: Kernel[Ann]) -> bool:
    """True if a body may be computed again: it cannot trap, and reads no more than it returns."""
    stms = kernel.body.stms
    reads = sum(isinstance(s.exp, Index) for s in stms)
    plain = all(is_plain(s, kernel.dims[-1], b) for s in stms)
    return plain and reads <= len(_folded(kernel)) and len(stms) - reads <= CHEAP


def _folded(kernel: Kernel[Ann]) -> tuple[Type, ...]:
    """Return the types of the body's results that the collective folds."""
    match kernel.collective:
        case Map():
            return ()
        case Reduce(op) | Scan(op):
            return operands(op)
        case Hist(_, op):
            return (I64, *operands(op))
