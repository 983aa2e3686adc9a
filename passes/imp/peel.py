"""peel: index-set splitting of kernels into an interior without clamps and branches, and edges.

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

A remainder by the dimension, as on a torus, is left out of the interior too:

    east <- (j + 1) % m;                      … xs[i*m + k + 1] …

A neighbour in another dimension, or in the edges, is found without a division:

    south <- (i + 1) % n;           ->      last <- i == n - 1;
                                            if last then south <- 0 else south <- i + 1 fi

A branch on the index is left out of the interior in the same way
(:mod:`decided <funmem.passes.imp.decided>`): a C compiler does not vectorise what it guards, since
the elements may not exist where the condition is false.

    kernel i < n, j < m do                  inner <- max(m - 1, 0);
      first <- j == 0;                      kernel i < n, k < inner do
      if first then …                         … xs[i*m + k] …
      else … xs[i*m + j - 1] … fi     ->    done
    done                                    kernel i < n, e < m - inner do … as it was … done

*Correct* because a kernel's iterations are independent, and each one runs exactly once.  Let b and
a be the widths of the edges before and after the interior.  Then j is below b, in the interior
b … b + inner - 1, or at least b + inner.  In the interior, ``j - k >= 0`` for k <= b, and
``j + k <= m - 1`` for k <= a, so clamping and remainders change nothing, and comparisons of j with
constants below b, or above m - 1 - a, are constant.  A remainder of ``j + m + k`` is that of
``j + k``, unless the sum wraps around: then j is at least 2^62, and a kernel whose iterations write
elements of an array has fewer.

*Conditions.*

    (1) no_loops        its body declares no blocks and contains no loops.  (The passes that follow
                        copy kernels with loops up to four times; two kernels would be eight.)
    (2) checks_nothing  its body has no checks: the split changes the order of iterations, so
                        another check could fail first
    (3) clamped         a variable, assigned once, is the index of the last dimension plus a
                        constant of at most 8, clamped to the dimension at one end or at both, or
                        modulo the dimension; or a
                        branch with accesses to memory depends on a comparison of the index with a
                        constant, or with the dimension's bound plus a constant, that changes its
                        truth value in the first or last 8 iterations

*Precondition*: IMP.  *Postcondition*: the same statements on each element, without the clamps and
the branches in the interior.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.fun import Bin, Const, ScalarExp, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import nested, own_assigns, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, const, var
from funmem.passes.framework import Context, imp_pass
from funmem.passes.imp.decided import WIDEST, Comparison, comparisons, settled
from funmem.passes.imp.host_kernels import Names, at, map_host
from funmem.passes.imp.tile import checks_nothing


@imp_pass("peel", summary="split kernels of stencils into interior and edges")
def peel(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Split every kernel of the host that meets the conditions, and find neighbours on a torus
    without divisions.
    """
    return map_host(p, lambda names: partial(_kernel, names=names, ctx=ctx))


def _kernel(s: KernelStm, names: Names, ctx: Context) -> Block:
    edges = _edges_of(s)
    if not edges.clamps and not edges.comparisons:  # (3) clamped
        return (s,) if no_loops(s) else (_undivided(s, names),)
    for condition in (no_loops, checks_nothing):
        if (why := condition(s)) is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", condition.__name__, why)
            return (s,)
    return _peeled(s, edges, names)


def no_loops(s: KernelStm) -> str | None:
    """(1) The body declares no blocks and contains no loops."""
    for t in nested(s.body):
        match t:
            case ForStm() | WhileStm() | KernelStm() | Allocate() | OpaqueStm():
                return "its body contains loops or blocks"
            case Declare(_, kind) if not isinstance(kind, ScalarType):
                return "its body contains loops or blocks"
            case Declare() | Assign() | Read() | Write() | CopyElement() | Check():
                pass
            case CallStm() | IfStm():
                pass
    return None


@frozen
class _Edges:
    """What is simpler in the interior."""

    clamps: "tuple[_Clamp, ...]"
    comparisons: tuple[Comparison, ...]

    @property
    def before(self) -> int:
        """Return the number of iterations before the interior."""
        both: tuple[_Clamp | Comparison, ...] = (*self.clamps, *self.comparisons)
        return max((x.before for x in both), default=0)

    @property
    def after(self) -> int:
        """Return the number of iterations after the interior."""
        both: tuple[_Clamp | Comparison, ...] = (*self.clamps, *self.comparisons)
        return max((x.after for x in both), default=0)


def _edges_of(s: KernelStm) -> _Edges:
    known = _polynomials(s)
    found = tuple(comparisons(s.body, s.dims[-1], known))
    return _Edges(tuple(_clamps(s, known)), found)


def _settled(body: Block, found: tuple[Comparison, ...]) -> Block:
    return settled(body, {c.exp: c.value for c in found})


@frozen
class _Clamp:
    """An assignment of a clamped index.  Its value is ``plain`` for all but the first ``before``
    and the last ``after`` iterations.
    """

    stm: Assign
    plain: Size
    before: int
    after: int


def _polynomials(s: KernelStm) -> dict[Name, Size]:
    """Return the polynomials of the variables that are assigned once.

    A polynomial stands for a variable only if none of the polynomial's variables is assigned.
    """
    assigned = _assigned(s)
    once = (t for t in nested(s.body) if isinstance(t, Assign) and assigned[t.x] == 1)
    polynomials = ((t.x, p) for t in once if (p := exp_size(t.value)) is not None)
    return {x: p for x, p in polynomials if p.free().isdisjoint(assigned)}


def _assigned(s: KernelStm) -> Counter[Name]:
    return Counter(x for t in nested(s.body) for x in own_assigns(t))


def _clamps(s: KernelStm, known: Mapping[Name, Size]) -> Iterator[_Clamp]:
    """Yield the assignments of clamped indices in the body, outside of branches."""
    last, assigned = s.dims[-1], _assigned(s)
    for t in s.body:
        if isinstance(t, Assign) and assigned[t.x] == 1:
            inner_exp = _unclamped(t.value, last)
            clamped = inner_exp is not t.value
            k = _offset(inner_exp, last, known) if clamped else _wrapped(t.value, last, known)
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


def _wrapped(e: ScalarExp, dim: ImpDim, known: Mapping[Name, Size]) -> int | None:
    """Return k if the expression is ``j + k`` modulo the dimension, where j is its index."""
    if not isinstance(e, Bin) or e.op is not BinOp.MOD:
        return None
    p, divisor = exp_size(e.a, known), exp_size(e.b, known)
    if p is None or divisor != dim.bound:
        return None
    k = (p - var(dim.index)).as_const
    return (p - var(dim.index) - dim.bound).as_const if k is None else k


def _undivided(s: KernelStm, names: Names) -> KernelStm:
    """Find the neighbours of an index modulo its dimension by a comparison.

    The dimension is not empty, since it has this iteration.
    """
    known, assigned = _polynomials(s), _assigned(s)
    body: list[ImpStm] = []
    for t in s.body:
        found = None
        if isinstance(t, Assign) and assigned[t.x] == 1:
            found = next(((d, k) for d in s.dims if (k := _wrapped(t.value, d, known))), None)
        body += (t,) if found is None or abs(found[1]) != 1 else _neighbour(t, *found, names)
    return evolve(s, body=tuple(body))


def _neighbour(s: ImpStm, dim: ImpDim, k: int, names: Names) -> Block:
    """Return statements that assign the index plus k, 1 or -1, modulo its dimension."""
    assert isinstance(s, Assign)
    i, last = var(dim.index), dim.bound - 1
    end, other = (last, const(0)) if k == 1 else (const(0), last)
    at_end = names.fresh("at_end")
    return (
        Declare(at_end, BOOL, s.at),
        Assign(at_end, Bin(BinOp.EQ, size_exp(i), size_exp(end)), s.at),
        IfStm(
            Var(at_end),
            (evolve(s, value=size_exp(other)),),
            (evolve(s, value=size_exp(i + k)),),
            s.at,
        ),
    )


def _is(e: ScalarExp, p: Size) -> bool:
    return isinstance(e, Bin | Var | Const) and exp_size(e) == p


def _peeled(s: KernelStm, edges: _Edges, names: Names) -> Block:
    last, before, after = s.dims[-1], edges.before, edges.after
    plain = {x.stm.x: x.plain for x in edges.clamps}
    body = subst(tuple(t for t in s.body if not _sets(t, plain)), plain)
    body = _settled(body, edges.comparisons) if edges.comparisons else body
    interior = _undivided(evolve(s, body=body), names)
    if before == after == 0:
        return (interior,)
    inner = names.fresh("inner")
    some = Bin(BinOp.MAX, size_exp(last.bound - (before + after)), Const(0, I64))
    k = names.another(last.index)
    interior = at(interior, len(s.dims) - 1, var(k) + before, k, var(inner))
    return (
        Declare(inner, I64, s.at),
        Assign(inner, some, s.at),
        interior,
        _edges(_undivided(names.copy(s), names), names, before, var(inner)),
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
