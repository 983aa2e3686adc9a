"""nest: parallelism in kernels becomes kernels of several dimensions (FUN -> FUN).

*Why.*  Only the kernels at the top level become threads; what is in them, a thread does alone.
In a source program parallelism is nested: a map over rows of a map over a row.

*Before -> after.*

(N1) A kernel whose body is a kernel is one kernel.  What stands before the inner one is repeated
     by every inner iteration: scalars and views, cheap and unable to trap (perfect.py).

     kernel i < n do a; kernel j < m do b in (y)    ->    kernel i < n, j < m do a; b in (y)

     With an inner reduce or scan it is a segmented one, ``kernel i < n, j < m reduce …``, if only
     views stand before it.  ``schedule`` folds a segment in one thread either way, so
     a collective that is not alone in the body stays where it is, and nothing is kept for it.

(N2) Rows that are returned as they are (a view, ``iota``, ``replicate``, ``copy``) are a kernel
     over their elements, and then (N1).

(N3) A body of several parts is one kernel per part, if one of these is a map: what a part needs
     of an earlier one is kept for all iterations, as it would be anyway when the memory of arrays
     in kernels is expanded (distribute.py).

     kernel i < n do r = kernel j < m do b in (u); s = loop … r …; t = kernel l < m do … s … in (t)
     ->  rs = kernel i < n, j < m do b in (u)
         ss = kernel i < n do r = rs[i, 0 : m]; s = loop … r … in (s)
         ts = kernel i < n, l < m do s = ss[i] … in (t)

     Rows that are concatenated of what maps have made are one concatenation of all rows: the maps
     may then make their parts where these end.

     kernel i < n do r = kernel j < m do b in (u); s = [0]; t = concat 0 r s in (t)
     ->  rs = kernel i < n, j < m do b in (u);  ss = kernel i < n do s = [0] in (s)
         ts = concat 1 rs ss

     A view of what is kept (rows transposed or backwards) is the same view of it in all iterations,
     and what the kernel returns is a copy of that: short-circuiting may make it for nothing.

(N4) A counted loop in a kernel with a map in its body is a loop around kernels (interchange.py).
     It is a win where the loop carries arrays, since these lie in memory either way.

     kernel i < n do loop (a = as[i]) for t < k do kernel j < m do b in (a')
     ->  loop (as' = as) for t < k do kernel i < n, j < m do b

(N5) A collective at the top level over a nest: first the nest as a map, then the collective over
     what that made.  A collective is divided among few threads only.

     kernel i < n reduce (op) (ne) do x = kernel j < m reduce … in (x)
     ->  xs = kernel i < n, j < m reduce …;  kernel i < n reduce (op) (ne) do x = xs[i] in (x)

Everything else stays: sizes that differ from iteration to iteration, loops that update arrays,
parallelism of a few iterations only.  Each condition is a function in conditions.py, each refusal
a remark.

*Traps.*  Iterations of a kernel have no order, but (N3) and (N4) are not applied if two parts may
raise different kinds of trap.

Precondition: well-typed FUN.  Postcondition: well-typed FUN.
"""

from funmem.ir.fun import (
    Ann,
    Body,
    Entry,
    If,
    Kernel,
    Loop,
    Map,
    MemProgram,
    Program,
    Stm,
)
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.traverse import (
    program_fresh,
    sub_bodies,
    walk,
    with_bodies,
)
from funmem.passes.framework import Context, fun_pass
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.place import At, Places
from funmem.passes.fun.nest.conditions import PERFECT, WORTH, Refusal, has_inner_kernel
from funmem.passes.fun.nest.distribute import Distribute, Kind, plan, with_own_operands
from funmem.passes.fun.nest.interchange import interchange
from funmem.passes.fun.nest.perfect import Stms, flatten
from funmem.passes.fun.schedule.builder import Builder
from funmem.passes.fun.schedule.maps import maps_first


@fun_pass("nest", summary="nested kernels become kernels of several dimensions")
def nest(p: MemProgram, ctx: Context) -> MemProgram:
    """The pass; see the package's text for the rules."""
    fresh = program_fresh(p)
    return Program(tuple(_entry(e, fresh, ctx) for e in p.entries))


def _entry(e: Entry[Ann], fresh: Fresh, ctx: Context) -> Entry[Ann]:
    if not any(isinstance(s.exp, Kernel) for s in walk(e.body)):
        return e
    walker = _Nest(fresh, Aliases(e), ctx)
    return evolve(e, body=walker.body(e.body, lambda: of_entry(e)))


class _Nest:
    """The walk over what is not in a kernel."""

    def __init__(self, fresh: Fresh, aliases: Aliases, ctx: Context) -> None:
        self.fresh = fresh
        self.aliases = aliases
        self.ctx = ctx

    def body(self, b: Body[Ann], start: At) -> Body[Ann]:
        """The statements in order."""
        places = Places(start, b.stms)
        out: list[Stm[Ann]] = []
        for q, s in enumerate(b.stms):
            match s.exp:
                case Kernel() as e:
                    out += self.kernel(s, e, places.before(q))
                case If() | Loop() as e:
                    out.append(self.control(s, e, q, places))
                case _:
                    out.append(s)
        return evolve(b, stms=tuple(out))

    def control(self, s: Stm[Ann], e: If[Ann] | Loop[Ann], q: int, places: Places) -> Stm[Ann]:
        """A branch or a loop at the top level: what is in it is at the top level, too."""
        bodies = sub_bodies(e)
        if not any(map(has_inner_kernel, bodies)):
            return s
        new = [self.body(b, places.inside(q, e, k)) for k, b in enumerate(bodies)]
        return evolve(s, exp=with_bodies(e, new))

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], known: PointFacts) -> Stms:
        """A kernel and what is in it."""
        if isinstance(e.collective, Map):
            return self.map(s, e, known)
        if len(e.dims) > 1 or not any(isinstance(t.exp, Kernel) for t in e.body.stms):
            return (s,)
        out = Builder(self.fresh, frozenset(), s.at)
        rest, _ = maps_first(out, s, e)  # (N5)
        (first,) = out.stms
        assert isinstance(first.exp, Kernel)
        return (*self.map(first, first.exp, known), rest)

    def map(self, s: Stm[Ann], e: Kernel[Ann], known: PointFacts) -> Stms:
        """A map: one kernel, one kernel per part, a loop around kernels, or as it is."""
        flat = flatten(s, e, known, self.fresh, self.aliases)
        if not isinstance(flat, Refusal):
            return self.flattened(flat, known)
        if not has_inner_kernel(e.body):
            return (s,)
        outside = interchange(s, e, known, self.fresh)
        if not isinstance(outside, Refusal):
            return self.body(Body(outside, ()), lambda: known).stms
        own = with_own_operands(e, known, self.fresh)
        parts = plan(own, known, self.aliases)
        if not isinstance(parts, Refusal):
            split = self.split(Distribute(s, own, parts, self.fresh).kernels(), known)
            if split is not None:
                return self.body(Body(split, ()), lambda: known).stms
            parts = Refusal(WORTH, "no part of the body becomes a kernel of its own")
        for no in (flat, outside, parts):
            if no is flat or no.condition != PERFECT:  # what is no loop is nothing to remark
                self.ctx.remark(s, no.condition, no.reason)
        return (s,)

    def split(self, kernels: list[tuple[Kind, Stm[Ann]]], known: PointFacts) -> Stms | None:
        """The kernels of the parts; None if none of those with a map has become more parallel."""
        out: list[Stm[Ann]] = []
        won = False
        for kind, s in kernels:
            new: Stms | Refusal = (s,)
            if isinstance(s.exp, Kernel):
                new = flatten(s, s.exp, known, self.fresh, self.aliases)
                if isinstance(new, Refusal) and kind is Kind.LOOP:
                    new = interchange(s, s.exp, known, self.fresh)
            if isinstance(new, Refusal):
                new = (s,)
            else:
                won = won or kind in (Kind.MAP, Kind.LOOP)
            out += new
            known = known.after_all(new)
        return tuple(out) if won else None

    def flattened(self, stms: Stms, known: PointFacts) -> Stms:
        """What became one kernel may be the body of a map again."""
        out: list[Stm[Ann]] = []
        for s in stms:
            if isinstance(s.exp, Kernel) and isinstance(s.exp.collective, Map):
                out += self.map(s, s.exp, known)
            else:
                out.append(s)
            known = known.after(s)
        return tuple(out)
