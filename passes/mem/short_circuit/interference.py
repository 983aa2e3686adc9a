"""Interference: elements of the destination's block that are needed after a moved array is written.

From the copy backwards to the statements that make the arrays, the later uses of the block are
collected.  A write to a moved array must not overlap any of them:

    straight line    the writes of a statement against the uses after it, and its own reads
    branch           the same inside, with the uses after the branch
    loop             in addition the uses of later iterations
    kernel           in addition the uses of other threads, earlier and later; a thread's own reads
                     come before it writes its part of the result

Reads and writes of arrays that are not moved count as uses.  Moved arrays hold what was written
before, and are read afterwards.  But if several are made in one place (in the iterations of a loop:
its initial value, then each next value), an older one must not be mentioned once the next one is
written.  The same holds for an array that may show an older moved array or another one (``if p then
cur else best``): passed on, it is read under a name that this analysis does not see.

The analysis is applied to the program in which the arrays have already been moved.
"""

from collections.abc import Iterable, Iterator, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Body,
    DerivedArray,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
)
from funmem.ir.logic.body_facts import facts_before, with_sizes
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import collected
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import (
    bound_in_stms,
    inner_binders,
)
from funmem.passes.mem.short_circuit.footprints import (
    Access,
    Footprint,
    Footprints,
    Place,
    Use,
    loop_ranges,
    own_names,
)
from funmem.passes.mem.short_circuit.view import View, names_of


@frozen
class Moved:
    """The arrays that now lie in the destination."""

    made: frozenset[Name]
    """The fresh ones."""
    pure: frozenset[Name]
    """All arrays that show elements only of these."""
    mixed: frozenset[Name]
    """All arrays that may show elements of these or of others."""

    @staticmethod
    def of(made: frozenset[Name], view: View) -> "Moved":
        """Return the fresh arrays ``made`` with the arrays that are made of them."""
        live = view.live
        shown = live.showing(made)
        pure = frozenset(x for x in shown if live.origins(x) <= made)
        return Moved(made, pure, shown - pure)

    @property
    def shown(self) -> frozenset[Name]:
        """All arrays that may show elements of the moved ones."""
        return self.pure | self.mixed


@frozen
class Later:
    """The uses that may follow a statement."""

    uses: tuple[Footprint, ...]
    known: PointFacts
    """The facts at the start of the body."""
    scope: frozenset[Name]
    """The arrays that are bound so far and may show elements of moved ones."""


class Interference:
    """The walk from the copy backwards; it returns the first obstacle as text."""

    def __init__(self, view: View, moved: Moved, block: Name) -> None:
        self.view = view
        self.moved = moved
        self.footprints = Footprints(view, block, moved.pure)
        self.all_footprints = Footprints(view, block)

    def obstacle(
        self, stms: Sequence[Stm[Ann]], last: Iterable[Access], start: PointFacts, end: PointFacts
    ) -> str | None:
        """Return the reason why ``stms`` cannot write the moved arrays, or None.

        ``start`` and ``end`` are the facts before and after ``stms``; ``last`` has the uses at the
        copy.
        """
        uses = self.footprints.footprints(last, end.facts)
        outside = self.moved.shown - bound_in_stms(stms)
        return self.walk(stms, Later(uses, start, outside))

    # ------------------------------------------------------------------ bodies

    def walk(self, stms: Sequence[Stm[Ann]], later: Later) -> str | None:
        """Return the first obstacle in statements, from the last to the first; ``later`` follows
        them all.

        A use may rely on the facts that hold when it happens: if they do not hold, the program has
        trapped before.
        """
        left = len(self.made_in(stms))
        before = facts_before(stms, later.known, with_sizes)
        for k in reversed(range(len(stms))):
            s = stms[k]
            mine = self.made_in((s,))
            if mine:
                scope = later.scope | self.moved.shown & names_of(stms[:k])
                now = evolve(later, scope=scope, known=before[k])
                if (why := self.statement(s, now)) is not None:
                    return why
                left -= len(mine)
                if not left:
                    return None
            uses = self.footprints.footprints(self.footprints.of(s), before[k].facts)
            later = evolve(later, uses=(*uses, *later.uses))
        return None

    def made_in(self, stms: Iterable[Stm[Ann]]) -> frozenset[Name]:
        """Return the moved fresh arrays that statements make, at any depth."""
        return self.moved.made & bound_in_stms(stms)

    def statement(self, s: Stm[Ann], later: Later) -> str | None:
        """Return an obstacle in a statement that makes moved arrays, itself or inside;
        ``later.known`` holds before it.
        """
        match s.exp:
            case If(_, then, orelse):
                return self.body(s, then, later) or self.body(s, orelse, later)
            case Loop() as e:
                (known,) = later.known.inside(e)
                params = self.moved.shown & {p.name for p in inner_binders(e)}
                uses = (*self.next_iterations(s, e, known.facts), *later.uses)
                return self.body(s, e.body, Later(uses, known, later.scope | params))
            case Kernel() as e:
                return self.kernel(s, e, later)
            case (
                Scalar()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Assert()
                | Alloc()
                | Opaque()
            ):
                return self.at_once(s, later)
            case RaggedKernel():
                raise unscheduled()

    def body(self, s: Stm[Ann], b: Body[Ann], later: Later) -> str | None:
        """Return an obstacle in a branch or one iteration; its results are passed on at its end."""
        results = self.footprints.relevant(self.footprints.mentions(b.result, s))
        uses = self.footprints.footprints(results, later.known.facts)
        return self.walk(b.stms, evolve(later, uses=(*uses, *later.uses)))

    def next_iterations(self, s: Stm[Ann], e: Loop[Ann], facts: Facts) -> Iterator[Footprint]:
        """Yield the uses in the iterations after this one: i + 1 + d, where 0 <= d < n - i - 1."""
        found = self.footprints.of_body(e.body, s)
        ranges = loop_ranges(e)
        for a in self.footprints.leaving(found, own_names(e), ranges):
            inner = a.ranges[1:] if a.ranges[:1] == ranges else a.ranges
            f = self.footprints.footprint(evolve(a, ranges=inner), facts)
            if isinstance(e.form, For) and len(inner) < len(a.ranges):
                f = after(f, e.form.index, e.form.bound)
            yield f

    # ------------------------------------------------------------------ writes

    def at_once(self, s: Stm[Ann], later: Later) -> str | None:
        """Return an obstacle to a statement that reads its operands, then writes all of one moved
        array, or of several.
        """
        own = (a for a in self.all_footprints.of(s) if a.use is Use.READ)
        uses = self.footprints.footprints(own, later.known.facts)
        for b in s.pat:
            if b.name not in self.moved.made:
                continue
            place = self.footprints.place(b.name)
            own_uses = self.clash(place, b.name, uses, None)
            why = own_uses or self.clash(place, b.name, later.uses, later.scope)
            if why is not None:
                return why
        return None

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], later: Later) -> str | None:
        """Return an obstacle to the threads' writes of their parts of the moved results."""
        first = collected(e.collective)
        *_, known = later.known.inside(e)
        for k, b in enumerate(s.pat):
            if b.name not in self.moved.made:
                continue
            place = self.footprints.place(b.name)
            why = self.clash(place, b.name, later.uses, later.scope)
            if why is None and k >= first and isinstance(e.collective, Map):
                why = self.threads(s, e, k, known.facts)
            elif why is None:
                own = (a for a in self.all_footprints.of(s) if a.array != b.name)
                uses = self.footprints.footprints(own, later.known.facts)
                why = self.clash(place, b.name, uses, None)
            if why is not None:
                return why
        return None

    def threads(self, s: Stm[Ann], e: Kernel[Ann], k: int, facts: Facts) -> str | None:
        """Check a thread's writes to the k-th result against other threads and its own last
        copies.
        """
        x, at = s.pat[k].name, self.all_footprints
        row = at.place(x).ix.prefix([var(d.index) for d in e.dims])
        place = evolve(at.place(x), ix=row)
        own = at.relevant(a for j in range(k, len(s.pat)) for a in at.of_result(s, e, j))
        others = at.footprints(at.relevant(at.of_thread(s, e)), facts)
        uses = (*at.footprints(own, facts), *_of_others(others, e.dims))
        return self.clash(place, x, (u for u in uses if u.array != x), None)

    # ------------------------------------------------------------------ overlap

    def clash(
        self, place: Place, x: Name, uses: Iterable[Footprint], scope: frozenset[Name] | None
    ) -> str | None:
        """Return the use that may overlap the place of ``x``, as text; None if no use does."""
        for u in uses:
            if self.counts(u, scope) and not u.apart(place):
                where = "anywhere in its block" if u.place is None else f"at {u.place}"
                what = " ".join(
                    p.name for p in u.at.pat if isinstance(p.type, ArrayType | ScalarType)
                )
                return f"{what} {u.use.value} {u.array} {where}, and {x} is written to {place}"
        return None

    def counts(self, u: Footprint, scope: frozenset[Name] | None) -> bool:
        """True if a use needs, or overwrites, the contents before the array is written.

        Of uses of moved arrays this holds for those bound before, in ``scope``, and for mentions of
        arrays that may show one of these or another one.  With ``scope`` None, the use is in the
        statement that writes: all arrays are older, and only reads and writes count.
        """
        if scope is not None and u.array in self.moved.pure:
            return u.array in scope
        if u.use is Use.MENTION:
            return scope is not None and u.array in self.moved.mixed & scope
        return True


def after(f: Footprint, i: Name, n: Size) -> Footprint:
    """Return the elements for greater values of index i: i + 1 + d, where 0 <= d < n - i - 1."""
    d = Name(f"{i}.d")
    return f.subst(i, var(i) + 1 + var(d), (d, n - var(i) - 1))


def before(f: Footprint, i: Name) -> Footprint:
    """Return the elements for smaller values of index i: d, where 0 <= d < i."""
    d = Name(f"{i}.d")
    return f.subst(i, var(d), (d, var(i)))


def _of_others(uses: Sequence[Footprint], dims: Sequence[KernelDim]) -> Iterator[Footprint]:
    """Yield the uses of other threads: they differ in one index first, and in any that follow."""
    for k, d in enumerate(dims):
        inner = tuple((e.index, e.size) for e in dims[k + 1 :])
        for u in uses:
            u = evolve(u, ranges=(*inner, *u.ranges))
            yield before(u, d.index)
            yield after(u, d.index, d.size)
