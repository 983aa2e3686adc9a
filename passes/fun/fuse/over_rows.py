"""Kernels over rows of varying length: checks of the offsets, and maps of the elements alone (F0).

    let (ys : [m]f32) = kernel i < n, k in offs : m do b in (y)            (b does not mention i)
    ->
    let = kernel i < n, k in offs : m do in ()
    let (ys : [m]f32) = kernel k < m do b in (y)

A kernel over rows traps unless its offsets are those of rows.  The check becomes a kernel without
results in front of the first kernel over the rows, so that the kernels themselves raise only the
traps of their bodies, and can be fused.  Afterwards the check returns to the next kernel over the
rows, if no statement between may trap.
"""

from funmem.ir.fun import Ann, Body, Kernel, KernelDim, Map, RaggedKernel, Stm
from funmem.ir.logic.body_facts import BodyFacts
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.traverse import free_in_body
from funmem.passes.fun.fuse.traps import effects

NOTHING: Body[Ann] = Body((), ())


def checks_apart(b: Body[Ann], places: BodyFacts, fresh: Fresh) -> Body[Ann]:
    """Return a body with checks of their own, and maps of elements as kernels over these."""
    out: list[Stm[Ann]] = []
    for q, s in enumerate(b.stms):
        e = s.exp
        if not isinstance(e, RaggedKernel):
            out.append(s)
            continue
        if (e.offsets, e.total) not in places.at(q).rows and s.pat:
            row = KernelDim(fresh(e.row.index), e.row.size)
            check = RaggedKernel(row, fresh(e.index), e.offsets, e.total, Map(), NOTHING)
            out.append(Stm((), check, s.at))
        if isinstance(e.collective, Map) and e.row.index not in free_in_body(e.body) and s.pat:
            s = evolve(s, exp=Kernel((KernelDim(e.index, e.total),), Map(), e.body))
        out.append(s)
    return evolve(b, stms=tuple(out))


def is_check(s: Stm[Ann]) -> bool:
    """True if a statement only checks the offsets of rows."""
    return isinstance(s.exp, RaggedKernel) and not s.pat


def checks_joined(b: Body[Ann], places: BodyFacts) -> Body[Ann]:
    """Return a body without the checks that the next kernel over the rows makes as well."""
    stms = tuple(s for q, s in enumerate(b.stms) if not (is_check(s) and _repeated(b, q, places)))
    return evolve(b, stms=stms)


def _repeated(b: Body[Ann], q: int, places: BodyFacts) -> bool:
    """True if a kernel over the same rows follows, and nothing between may trap."""
    check = b.stms[q].exp
    assert isinstance(check, RaggedKernel)
    for k in range(q + 1, len(b.stms)):
        e = b.stms[k].exp
        if isinstance(e, RaggedKernel) and (e.offsets, e.total) == (check.offsets, check.total):
            return True
        if effects(b.stms[k], places.at(k)):
            return False
    return False
