"""loop-versioning: a loop gets a second version without bounds checks, chosen by a test before it.

*Why.*  Often an index is in bounds only for some inputs, so its check stays.  A check for each
element costs more than a multiplication, and C compilers do not vectorise a loop with an exit.  If
the index runs through a range, one test of its first and last value replaces all these checks.

*Before -> after.*

    for i < last - first do                     var inside : bool;
      check i + first in n "…" …;               inside <- first >= 0 && first <= last && last <= n;
      x <- xs[i + first] : f32;                 if inside then
      …                                  ->       for i < last - first do  (without the check)
    done                                        else
                                                  for i < last - first do  (as it was)
                                                fi

*Correct* because no check can fail if the test holds.  If the test fails, the original loop runs,
with the same effects before a failing check and the same message.

*Conditions.*

    (1) innermost   the loop contains no other loop, so code grows at most by a factor of two
    (2) running     the index is a loop-invariant term plus or minus the loop's index, itself or as
                    the value of a variable that the body declares and assigns once
    (3) exact       the test is computed without overflow: i64 arithmetic may wrap around, sizes do
                    not.  So the test also bounds the names from which the term, the end of the
                    range and the number of elements are computed.  For c*t + k, for instance, the
                    fast loop runs only if c and t are at most about 2^31

*Precondition*: IMP.  *Postcondition*: same statements on each element, in the same order.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial, reduce

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.fun import Bin, ScalarExp, Var
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
    ImpProgram,
    ImpStm,
    InRange,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import bound_names, nested, own_assigns, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.unchecked import without_in
from funmem.passes.framework import Context, imp_pass
from funmem.passes.imp.host_kernels import Names, map_host


@imp_pass("loop-versioning", summary="two versions of a loop, one of them without bounds checks")
def loop_versioning(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Rewrite the innermost loops of kernels that meet the conditions."""
    return map_host(p, lambda names: partial(_kernel, names=names, ctx=ctx))


def _kernel(s: KernelStm, names: Names, ctx: Context) -> Block:
    return (evolve(s, body=_block(s.body, names, ctx)),)


def _block(stms: Block, names: Names, ctx: Context) -> Block:
    return tuple(new for s in stms for new in _statement(s, names, ctx))


def _statement(s: ImpStm, names: Names, ctx: Context) -> Block:
    match s:
        case IfStm(_, then, orelse):
            both = (_block(then, names, ctx), _block(orelse, names, ctx))
            return (evolve(s, then=both[0], orelse=both[1]),)
        case ForStm() if innermost(s):
            return _versioned(s, names, ctx)
        case ForStm(_, _, body) | WhileStm(_, body) | KernelStm(_, body):
            return (evolve(s, body=_block(body, names, ctx)),)
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return (s,)
        case CallStm() | Check() | OpaqueStm():
            return (s,)


def _versioned(s: ForStm, names: Names, ctx: Context) -> Block:
    """Return the test, and a conditional of the loop without and with its checks."""
    changing, known = _changing(s), _polynomials(s)
    tests: dict[InRange, tuple[ScalarExp, ...]] = {}
    for t in nested(s.body):
        if isinstance(t, Check) and isinstance(t.cond, InRange) and t.cond not in tests:
            found = inside(evolve(t.cond, i=t.cond.i.subst(known)), s, changing)
            if isinstance(found, str):
                ctx.remark(f"loop over {s.index}", "range", found)
            else:
                tests[t.cond] = found
    fast = evolve(s, body=without_in(s.body, lambda c, _: c.cond in tests, kernel=True))
    every = dict.fromkeys(e for es in tests.values() for e in es)
    if not every:
        return (fast,)
    ok = names.fresh("inside")
    names.types[ok] = BOOL
    holds = reduce(partial(Bin, BinOp.LAND), every)
    return (
        Declare(ok, BOOL, s.at),
        Assign(ok, holds, s.at),
        IfStm(Var(ok), (fast,), (_copy(s, names),), s.at),
    )


def _copy(s: ForStm, names: Names) -> ForStm:
    """Return the loop with all its bound names replaced by fresh ones."""
    image = {x: var(names.another(x)) for x in (s.index, *bound_names(s.body))}
    (new,) = subst((s,), image)
    assert isinstance(new, ForStm)
    return new


def innermost(s: ForStm) -> bool:
    """(1) True if the loop contains no other loop."""
    return not any(isinstance(t, ForStm | WhileStm | KernelStm) for t in nested(s.body))


def _changing(s: ForStm) -> frozenset[Name]:
    """Return the names that are not loop-invariant."""
    return frozenset((s.index, *bound_names(s.body), *_assigned(s.body)))


def _polynomials(s: ForStm) -> dict[Name, Size]:
    """Return the polynomials of variables that the loop's body declares and assigns once."""
    often = Counter(_assigned(s.body))
    own = {t.x for t in nested(s.body) if isinstance(t, Declare) and often[t.x] == 1}
    known: dict[Name, Size] = {}
    for t in nested(s.body):
        if isinstance(t, Assign) and t.x in own and (p := exp_size(t.value, known)) is not None:
            known[t.x] = p
    return known


def _assigned(body: Block) -> Iterator[Name]:
    return (x for t in nested(body) for x in own_assigns(t))


def inside(c: InRange, s: ForStm, changing: frozenset[Name]) -> tuple[ScalarExp, ...] | str:
    """(2) and (3): return comparisons that together imply that the index is in bounds in all
    iterations, or the reason why there are none.
    """
    first, last = c.i - var(s.index), c.i - var(s.index) + s.bound
    ends = (first, last)
    ordered: tuple[tuple[Size, Size], ...] = ((ZERO, first), (first, last), (last, c.n))
    if s.index in first.free():  # backwards
        least, behind = c.i + var(s.index) - s.bound + 1, c.i + var(s.index) + 1
        ends, ordered = (least, behind), ((ZERO, least), (behind, c.n))
    limits: dict[Name, int] = {}
    for d in (*ends, c.n):
        if not d.free().isdisjoint(changing):
            return f"index [{c.i}] is not {s.index}, or minus it, plus a loop-invariant term"
        limit = exact_up_to(d)
        if limit < LEAST:
            return f"the bounds test of [{c.i}] computes {d}, which may wrap around"
        if d.as_const is None and d.as_name is None:
            limits |= {x: min(limit, limits.get(x, limit)) for x in sorted(d.free())}
    small = [(const(-k), var(x)) for x, k in limits.items()]
    small += [(var(x), const(k)) for x, k in limits.items()]
    return tuple(_at_most(a, b) for a, b in (*small, *ordered) if a != b)


LEAST = 1 << 20
"""The least useful limit of a name: with a smaller one, mostly the slow loop would run."""


def exact_up_to(d: Size) -> int:
    """Return the largest k such that the size fits 64 bits if all its names are in -k … k."""
    low, high = 0, I64.max
    while low < high:  # the result is in low … high
        middle = (low + high + 1) // 2
        most = sum(abs(k) * middle ** len(monomial) for monomial, k in d.terms)
        low, high = (middle, high) if most <= I64.max else (low, middle - 1)
    return low


def _at_most(a: Size, b: Size) -> ScalarExp:
    return Bin(BinOp.LE, size_exp(a), size_exp(b))
