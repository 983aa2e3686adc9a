"""loop-versioning: a second version of a loop, without checks of indices that run through a range.

*Why.*  Whether an index is inside often depends on what a program is given.  Comparisons for each
element, and a way out of the loop, cost more than a product, and no loop with a way out becomes
vectors; one look at the first and the last index says as much.

*Before -> after.*

    for i < last - first do                     var inside : bool;
      check i + first in n "…" …;               inside <- first >= 0 && first <= last && last <= n;
      x <- xs[i + first] : f32;                 if inside then
      …                                  ->       for i < last - first do  (without the check)
    done                                        else
                                                  for i < last - first do  (as it was)
                                                fi

*Correct* because then the check cannot fail.  Where one of them fails, the loop is what it was, and
so is what has happened until then, and the message.

*Conditions.*

    (1) innermost   no loop is in it, so that no loop is there more than twice
    (2) running     the index is the loop's plus something that the loop does not change
    (3) exact       that, the end of the range, and the number of elements are computed from names
                    that can be limited: arithmetic may wrap around where sizes do not.  In c*t + k
                    neither c nor t may exceed 2^31 or so, else the loop is what it was

*Precondition*: IMP.  *Postcondition*: same statements on each element, in the same order.
"""

from collections.abc import Iterator
from functools import partial, reduce

from funmem.ir.arith import size_exp
from funmem.ir.fun import Bin, ScalarExp, Var
from funmem.ir.imp import (
    Assign,
    Block,
    Check,
    Declare,
    ForStm,
    IfStm,
    ImpProgram,
    ImpStm,
    InRange,
    KernelStm,
    WhileStm,
)
from funmem.ir.imp_traverse import bound_names, nested, own_assigns, subst
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.unchecked import without_in
from funmem.passes.framework import Context, imp_pass
from funmem.passes.imp.host_kernels import Names, map_host


@imp_pass("loop-versioning", summary="loops twice, once without checks that only a bad range fails")
def loop_versioning(p: ImpProgram, ctx: Context) -> ImpProgram:
    """The loops in kernels."""
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
        case _:
            return (s,)


def _versioned(s: ForStm, names: Names, ctx: Context) -> Block:
    """The loop, and in front of it what decides which one it is."""
    changing = _changing(s)
    tests: dict[InRange, tuple[ScalarExp, ...]] = {}
    for t in nested(s.body):
        if isinstance(t, Check) and isinstance(t.cond, InRange) and t.cond not in tests:
            found = inside(t.cond, s, changing)
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
    """The loop with names of its own."""
    image = {x: var(names.another(x)) for x in (s.index, *bound_names(s.body))}
    (new,) = subst((s,), image)
    assert isinstance(new, ForStm)
    return new


def innermost(s: ForStm) -> bool:
    """(1) No loop is in it."""
    return not any(isinstance(t, ForStm | WhileStm | KernelStm) for t in nested(s.body))


def _changing(s: ForStm) -> frozenset[Name]:
    """What is not the same in front of a loop and in it."""
    return frozenset((s.index, *bound_names(s.body), *_assigned(s.body)))


def _assigned(body: Block) -> Iterator[Name]:
    return (x for t in nested(body) for x in own_assigns(t))


def inside(c: InRange, s: ForStm, changing: frozenset[Name]) -> tuple[ScalarExp, ...] | str:
    """(2) and (3): comparisons that all hold only if the index is inside in all iterations; or why
    there are none.
    """
    first = c.i - var(s.index)
    last = first + s.bound
    limits: dict[Name, int] = {}
    for d in (first, last, c.n):
        if not d.free().isdisjoint(changing):
            return f"[{c.i}] does not run through a range with {s.index}"
        limit = exact_up_to(d)
        if limit < LEAST:
            return f"whether [{c.i}] is inside depends on {d}, which may wrap around"
        if d.as_const is None and d.as_name is None:
            limits |= {x: min(limit, limits.get(x, limit)) for x in sorted(d.free())}
    small = [(const(-k), var(x)) for x, k in limits.items()]
    small += [(var(x), const(k)) for x, k in limits.items()]
    ordered = ((ZERO, first), (first, last), (last, c.n))
    return tuple(_at_most(a, b) for a, b in (*small, *ordered) if a != b)


LEAST = 1 << 20
"""A loop whose names had to stay below a smaller number would mostly be the slow one."""


def exact_up_to(d: Size) -> int:
    """A number that no name in a size may exceed, in either direction, so that it fits 64 bits."""
    low, high = 0, I64.max
    while low < high:  # the largest number that will do is in low … high
        middle = (low + high + 1) // 2
        most = sum(abs(k) * middle ** len(monomial) for monomial, k in d.terms)
        low, high = (middle, high) if most <= I64.max else (low, middle - 1)
    return low


def _at_most(a: Size, b: Size) -> ScalarExp:
    return Bin(BinOp.LE, size_exp(a), size_exp(b))
