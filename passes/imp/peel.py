"""peel: what stops at the edges of an array is done apart from the interior.

*Why.*  A stencil whose neighbours end at the edges computes indices by minima and maxima, for which
no processor has vectors that are as fast as plain rows.

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

*Correct* because a kernel's iterations are independent, and each is done once: with b and a as the
widths of the edges, j is in b … b + inner - 1, or below b, or from b + inner on.  In the interior
``j - k`` is not negative for k <= b, and ``j + k`` at most ``m - 1`` for k <= a.

*Conditions.*

    (1) straight        its body has no loops, branches or blocks of its own
    (2) checks_nothing  so that the first iteration that fails is no other
    (3) stops           a variable, assigned once, is an index of the last dimension and a small
                        number, as far as that does not leave the dimension at one end or either

*Precondition*: IMP.  *Postcondition*: the same statements on each element, but for those limits.
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
from funmem.passes.imp.tile import checks_nothing, straight

WIDEST = 8
"""No edge is wider; beyond that, the limit is no stencil's."""


@imp_pass("peel", summary="stencils' interiors are done apart from what stops at the edges")
def peel(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Every kernel of the host that meets the conditions."""
    return map_host(p, lambda names: partial(_kernel, names=names, ctx=ctx))


def _kernel(s: KernelStm, names: Names, ctx: Context) -> Block:
    limits = tuple(_limits(s))
    if not limits:  # (3) stops
        return (s,)
    for condition in (straight, checks_nothing):
        if (why := condition(s)) is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", condition.__name__, why)
            return (s,)
    return _apart(s, limits, names)


@frozen
class _Limit:
    """An assignment whose value, away from the edges, is ``plain``; ``before`` and ``after``: how
    far from the first and from the last index that is.
    """

    stm: Assign
    plain: Size
    before: int
    after: int


def _limits(s: KernelStm) -> Iterator[_Limit]:
    """The body's assignments of limited indices.

    A polynomial says what a variable is if nobody assigns anything to its own variables.
    """
    last = s.dims[-1]
    assigned = Counter(x for t in nested(s.body) for x in own_assigns(t))
    once = [t for t in s.body if isinstance(t, Assign) and assigned[t.x] == 1]
    polynomials = ((t.x, p) for t in once if (p := exp_size(t.value)) is not None)
    known = {x: p for x, p in polynomials if p.free().isdisjoint(assigned)}
    for t in once:
        within = _within(t.value, last)
        k = None if within is t.value else _offset(within, last, known)
        if k is not None and abs(k) <= WIDEST:
            yield _Limit(t, var(last.index) + k, max(0, -k), max(0, k))


def _within(e: ScalarExp, dim: ImpDim) -> ScalarExp:
    """What zero and the dimension's last index limit, or one of them; ``e`` if nothing is."""
    match e:
        case Bin(BinOp.MAX, a, b):
            ends = [y for x, y in ((a, b), (b, a)) if x == Const(0, I64)]
        case Bin(BinOp.MIN, a, b):
            ends = [y for x, y in ((a, b), (b, a)) if _is(x, dim.bound - 1)]
        case _:
            ends = []
    return _within(ends[0], dim) if ends else e


def _offset(e: ScalarExp, dim: ImpDim, known: Mapping[Name, Size]) -> int | None:
    """``k`` of ``j + k``, where j is the dimension's index; None for what is not of that form."""
    p = exp_size(e)
    return None if p is None else (p.subst(known) - var(dim.index)).as_const


def _is(e: ScalarExp, p: Size) -> bool:
    return isinstance(e, Bin | Var | Const) and exp_size(e) == p


def _apart(s: KernelStm, limits: tuple[_Limit, ...], names: Names) -> Block:
    last = s.dims[-1]
    before, after = max(x.before for x in limits), max(x.after for x in limits)
    plain = {x.stm.x: x.plain for x in limits}
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
    """Whether a statement declares or assigns one of these."""
    return isinstance(s, Declare | Assign) and s.x in plain


def _edges(s: KernelStm, names: Names, before: int, inner: Size) -> KernelStm:
    """The first ``before`` iterations of the last dimension, and those after the interior."""
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
