"""(N0) Work in a branch that all iterations but one take moves in front of the branch.

    kernel i < n, j < m do                        kernel i < n, j < m do
      diagonal = i == j                             s = kernel k < d reduce (+) …
      r = if diagonal then … in (1)        ->       diagonal = i == j
          else s = kernel k < d reduce (+) …        r = if diagonal then … in (1)
               … in (s)                                 else … in (s)

A kernel or loop inside a branch is not found by the passes that look for what every iteration does:
``nest``, ``vectorise``, ``unroll-and-jam``.  The price is that one more iteration in a dimension
does the work.

*Correct* because the statements cannot trap, whatever the branch, and write nothing that existed
before; where the branch is not taken, nobody uses their values.

*Conditions.*

    (10) mostly_taken  the branch is taken unless an index of the kernel equals a value that does
                       not depend on this index; so all iterations of this dimension but one take it
    (11) harmless      its statements cannot trap, also if the branch is not taken, and terminate
    (12) pure          they call no function with effects and update no array
"""

from collections.abc import Sequence

from funmem.ir.arith import exp_size
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Bin,
    Body,
    Call,
    DerivedArray,
    Entry,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Linkage,
    Loop,
    Opaque,
    RaggedKernel,
    Scalar,
    ScalarExp,
    Stm,
    Var,
)
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.logic.may_trap import why_statement_traps
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BinOp
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.traverse import sub_bodies, walk, with_bodies, with_stms
from funmem.passes.framework import Context
from funmem.passes.fun.fuse.conditions import Refusal

MOSTLY_TAKEN = "(10) all iterations but one take the branch"
HARMLESS = "(11) what the branch computes cannot trap elsewhere"
PURE = "(12) the branch updates no array and calls no function with effects"


def hoist_branches(e: Entry[Ann], ctx: Context) -> Entry[Ann]:
    """Return an entry point with the work of such branches in front of them."""
    if not any(_has_work(s) for s in walk(e.body)):
        return e
    return evolve(e, body=_Hoisting(ctx).body(e.body, of_entry(e), _Kernel()))


def _has_work(s: Stm[Ann]) -> bool:
    """True if a branch of a conditional contains a kernel or a loop."""
    return isinstance(s.exp, If) and any(map(_works, sub_bodies(s.exp)))


def _works(b: Body[Ann]) -> bool:
    return any(isinstance(s.exp, Kernel | Loop) for s in b.stms)


@frozen
class _Kernel:
    """The enclosing kernel: its indices, and the names that its body has bound so far."""

    indices: tuple[Name, ...] = ()
    own: frozenset[Name] = frozenset()

    def after(self, s: Stm[Ann]) -> "_Kernel":
        return evolve(self, own=self.own.union(p.name for p in s.pat))


class _Hoisting:
    """Traverses an entry point with the facts at each statement."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def body(self, b: Body[Ann], known: PointFacts, kernel: _Kernel) -> Body[Ann]:
        done: list[Stm[Ann]] = []
        for s in b.stms:
            for t in self.statement(s, known, kernel):
                done.append(t)
                known, kernel = known.after(t), kernel.after(t)
        return with_stms(b, done)

    def statement(self, s: Stm[Ann], known: PointFacts, kernel: _Kernel) -> Sequence[Stm[Ann]]:
        """Return the statements that replace one: those of a branch, and itself."""
        match s.exp:
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                return (s,)
            case Assert() | Alloc() | RaggedKernel() | Opaque():
                return (s,)
            case Kernel(dims) as e:
                *ops, body = sub_bodies(e)
                inside = _Kernel(tuple(d.index for d in dims))
                new = self.body(body, known.inside(e)[-1], inside)
                return (s,) if new is body else (evolve(s, exp=with_bodies(e, (*ops, new))),)
            case Loop() as e:
                (known,) = known.inside(e)
                new = self.body(sub_bodies(e)[0], known, evolve(kernel, indices=()))
                return (s,) if new is e.body else (evolve(s, exp=with_bodies(e, (new,))),)
            case If() as e:
                if kernel.indices and _has_work(s):
                    return self.conditional(s, e, known, kernel)
                return (s,)

    def conditional(
        self, s: Stm[Ann], e: If[Ann], known: PointFacts, kernel: _Kernel
    ) -> Sequence[Stm[Ann]]:
        """Return the statements of the branch that is mostly taken, and the conditional."""
        equal = _comparison(e.cond, known)
        if equal is None or not _one_iteration(equal, known, kernel):
            self.refuse(s, Refusal(MOSTLY_TAKEN, "its condition is no comparison with an index"))
            return (s,)
        b = e.orelse if equal.op is BinOp.EQ else e.then
        if not _works(b):
            return (s,)
        why = harmless(b, known) or pure(b)
        if why is not None:
            self.refuse(s, why)
            return (s,)
        rest = with_stms(b, ())
        new = evolve(e, orelse=rest) if equal.op is BinOp.EQ else evolve(e, then=rest)
        return (*b.stms, evolve(s, exp=new))

    def refuse(self, s: Stm[Ann], why: Refusal) -> None:
        self.ctx.remark(s, why.condition, why.reason)


# ---------------------------------------------------------------------- conditions


def _comparison(cond: Atom, known: PointFacts) -> Bin | None:
    """Return the definition of a condition if it is ``a == b`` or ``a != b``."""
    found = known.scalars.get(cond.name) if isinstance(cond, Var) else None
    return found if isinstance(found, Bin) and found.op in (BinOp.EQ, BinOp.NE) else None


def _one_iteration(equal: Bin, known: PointFacts, kernel: _Kernel) -> bool:
    """(10) True if both sides are equal for at most one value of an index of the kernel."""
    a, b = (_expanded(x, known) for x in (equal.a, equal.b))
    if a is None or b is None:
        return False
    for i in kernel.indices:
        rest = (a - b).subst({i: ZERO})
        slope = ((a - b) - rest).subst({i: const(1)}).as_const
        linear = slope in (-1, 1) and (a - b) - rest == var(i) * (slope or 0)
        if linear and rest.free().isdisjoint(kernel.own):
            return True
    return False


def _expanded(e: ScalarExp, known: PointFacts) -> Size | None:
    return exp_size(e, known.values)


def harmless(b: Body[Ann], known: PointFacts) -> Refusal | None:
    """(11) No statement traps by the facts in front of the branch."""
    for s in b.stms:
        if (why := why_statement_traps(s, known)) is not None:
            return Refusal(HARMLESS, why)
        known = known.after(s)
    return None


def pure(b: Body[Ann]) -> Refusal | None:
    """(12) No statement at any depth updates an array, or calls a function with effects."""
    for s in walk(b):
        e = s.exp
        if isinstance(e, InPlace) or (isinstance(e, Kernel) and isinstance(e.collective, Hist)):
            return Refusal(PURE, "it updates an array")
        if isinstance(e, Call) and e.linkage is Linkage.EFFECT:
            return Refusal(PURE, f"it calls {e.fn}")
    return None
