"""peel: index-set splitting of stencils into an interior without clamped indices, and the edges.

*Why.*  A stencil that clamps its neighbours' indices to the array computes them by minima and
maxima.  Vector loads of such indices are gathers, which are slower than loads of a contiguous row.

*Before -> after.*

    kernel i < n, j < m do                  inner <- max(m - 2, 0);
      west <- max(0, j - 1);                kernel i < n, k < inner do
      east <- min(m - 1, j + 1);              … xs[i*m + k] … xs[i*m + k + 2]
      … xs[i*m + west] … xs[i*m + east]     done
    done                              ->
                                            kernel i < n, e < m - inner do
                                              var j : i64;
                                              j <- e;  at_end <- e >= 1;
                                              if at_end then j <- e + inner else fi
                                              … as it was
                                            done

*Correct* because a kernel's iterations are independent, and each one runs exactly once.  Let b and
a be the widths of the edges before and after the interior.  Then j is below b, in the interior
b … b + inner - 1, or at least b + inner.  In the interior, ``j - k >= 0`` for k <= b, and
``j + k <= m - 1`` for k <= a, so clamping changes nothing.

*Conditions.*

    (1) straight_line   its body declares no blocks and contains no loops or branches
    (2) checks_nothing  its body has no checks: the split changes the order of iterations, so
                        another check could fail first
    (3) clamped         a variable, assigned once, is the index of the last dimension plus a
                        constant of at most 8, clamped to the dimension at one end or at both

*Precondition*: IMP.  *Postcondition*: the same statements on each element, without the clamps in
the interior.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.fun import Bin, Const, ScalarExp, Var
from funmem.ir.imp import (
    Assign,
    Block,
    Declare,
    IfStm,
    ImpDim,
    ImpProgram,
    ImpStm,
    KernelStm,
)
from funmem.ir.imp_traverse import nested, own_assigns, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import Size, var
from funmem.passes.framework import Context, imp_pass
from funmem.passes.imp.host_kernels import Names, at, map_host
from funmem.passes.imp.tile import checks_nothing, straight_line

WIDEST = 8
"""Largest width of an edge, in iterations; stencils have narrower ones."""


@imp_pass("peel", summary="split kernels of stencils into interior and edges")
def peel(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Split every kernel of the host that meets the conditions."""
    return map_host(p, lambda names: partial(_kernel, names=names, ctx=ctx))


def _kernel(s: KernelStm, names: Names, ctx: Context) -> Block:
    clamps = tuple(_clamps(s))
    if not clamps:  # (3) clamped
        return (s,)
    for condition in (straight_line, checks_nothing):
        if (why := condition(s)) is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", condition.__name__, why)
            return (s,)
    return _peeled(s, clamps, names)


@frozen
class _Clamp:
    """An assignment of a clamped index.  Its value is ``plain`` for all but the first ``before``
    and the last ``after`` iterations.
    """

    stm: Assign
    plain: Size
    before: int
    after: int


def _clamps(s: KernelStm) -> Iterator[_Clamp]:
    """Yield the assignments of clamped indices in the body.

    A polynomial stands for a variable only if none of the polynomial's variables is assigned.
    """
    last = s.dims[-1]
    assigned = Counter(x for t in nested(s.body) for x in own_assigns(t))
    once = [t for t in s.body if isinstance(t, Assign) and assigned[t.x] == 1]
    polynomials = ((t.x, p) for t in once if (p := exp_size(t.value)) is not None)
    known = {x: p for x, p in polynomials if p.free().isdisjoint(assigned)}
    for t in once:
        inner_exp = _unclamped(t.value, last)
        k = None if inner_exp is t.value else _offset(inner_exp, last, known)
        if k is not None and abs(k) <= WIDEST:
            yield _Clamp(t, var(last.index) + k, max(0, -k), max(0, k))


def _unclamped(e: ScalarExp, dim: ImpDim) -> ScalarExp:
    """Return ``e`` without clamping to zero and to the dimension's last index."""
    match e:
        case Bin(BinOp.MAX, a, b):
            ends = [y for x, y in ((a, b), (b, a)) if x == Const(0, I64)]
        case Bin(BinOp.MIN, a, b):
            ends = [y for x, y in ((a, b), (b, a)) if _is(x, dim.bound - 1)]
        case _:
            ends = []
    return _unclamped(ends[0], dim) if ends else e


def _offset(e: ScalarExp, dim: ImpDim, known: Mapping[Name, Size]) -> int | None:
    """Return k if the expression is ``j + k``, where j is the dimension's index; None otherwise."""
    p = exp_size(e)
    return None if p is None else (p.subst(known) - var(dim.index)).as_const


def _is(e: ScalarExp, p: Size) -> bool:
    return isinstance(e, Bin | Var | Const) and exp_size(e) == p


def _peeled(s: KernelStm, clamps: tuple[_Clamp, ...], names: Names) -> Block:
    last = s.dims[-1]
    before, after = max(x.before for x in clamps), max(x.after for x in clamps)
    plain = {x.stm.x: x.plain for x in clamps}
    body = subst(tuple(t for t in s.body if not _sets(t, plain)), plain)
    if before == after == 0:
        return (evolve(s, body=body),)
    inner = names.fresh("inner")
    some = Bin(BinOp.MAX, size_exp(last.bound - (before + after)), Const(0, I64))
    k = names.another(last.index)
    interior = at(evolve(s, body=body), len(s.dims) - 1, var(k) + before, k, var(inner))
    return (
        Declare(inner, I64, s.at),
        Assign(inner, some, s.at),
        interior,
        _edges(names.copy(s), names, before, var(inner)),
    )


def _sets(s: ImpStm, plain: Mapping[Name, Size]) -> bool:
    """True if a statement declares or assigns one of these variables."""
    return isinstance(s, Declare | Assign) and s.x in plain


def _edges(s: KernelStm, names: Names, before: int, inner: Size) -> KernelStm:
    """Return a kernel of the first ``before`` iterations of the last dimension, and of those after
    the interior.
    """
    last = s.dims[-1]
    e, j, at_end = names.fresh("e"), names.another(last.index), names.fresh("at_end")
    head: tuple[ImpStm, ...] = (
        Declare(j, I64, s.at),
        Assign(j, Var(e), s.at),
        Declare(at_end, BOOL, s.at),
        Assign(at_end, Bin(BinOp.GE, Var(e), Const(before, I64)), s.at),
        IfStm(Var(at_end), (Assign(j, size_exp(var(e) + inner), s.at),), (), s.at),
    )
    dims = (*s.dims[:-1], ImpDim(e, last.bound - inner))
    return evolve(s, dims=dims, body=(*head, *subst(s.body, {last.index: var(j)})))
