"""Footprints: the elements that statements read and write, as LMADs.

    kernel i < n do  let (v : f32) = x[i + 1, j] …  in (v)       with  z = …  @ m -> 0 + {(n : 1)}

    reads   x[i + 1, j]    for 0 <= i < n
    writes  z[i]           for 0 <= i < n

An :class:`Access` is a slice of an array, together with the indices that it ranges over.  Inside a
loop or kernel it belongs to one iteration; outside, to all iterations: the index stays, with its
range, so that no precision is lost (:mod:`~funmem.ir.logic.disjoint`).  Other names bound inside
are eliminated by widening, in this order: the whole dimension, the whole array, the array that this
is a slice of, all of its block (no LMAD).

``MENTION`` stands for an array that is passed on (sliced, returned, given to a loop), and may be
read under another name from then on.

Index functions are polynomials over Z.  Homes of derived arrays follow from their operations
(T-MEM-SLICE, …), so an element that was found to be inside its array has the address they give.
"""

from collections.abc import Iterable, Iterator
from enum import Enum

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Atom,
    Body,
    Concat,
    Copy,
    DerivedArray,
    For,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Reduce,
    Replicate,
    Scalar,
    Scan,
    Scatter,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import Dim, DimFix, DimRange, Lmad, Part, SliceDim
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.disjoint import disjoint
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.traverse import (
    bound_in_body,
    inner_binders,
    inner_indices,
)
from funmem.passes.mem.short_circuit.candidates import Copied, copied, thread_results
from funmem.passes.mem.short_circuit.view import View


class Use(Enum):
    """The kind of use of elements."""

    READ = "reads"
    WRITE = "writes"
    KEEP = "keeps"
    """A copy whose source and destination are the same place: it needs the elements, and moves no
    data.
    """
    MENTION = "passes on"


Range = tuple[Name, Size]
"""``0 <= i < n``."""


@frozen
class Access:
    """Elements of ``array``: a slice of ``base``, for all values of ``ranges``, outermost first."""

    use: Use
    array: Name
    base: Name | None
    """The array, or one that it is derived from; None: anything in the array's block."""
    where: Part
    ranges: tuple[Range, ...]
    at: Stm[Ann]


@frozen
class Place:
    """Elements of a block: an LMAD that counts elements of ``size`` bytes."""

    ix: Lmad
    size: int

    def __str__(self) -> str:
        return str(self.ix)


@frozen
class Footprint:
    """The elements of an access as addresses in its block, and the facts at the access."""

    use: Use
    array: Name
    place: Place | None
    """None: anywhere in the block."""
    ranges: tuple[Range, ...]
    facts: Facts
    at: Stm[Ann]

    def subst(self, i: Name, by: Size, extra: Range) -> "Footprint":
        """Return the elements with an index replaced by ``by``, which ranges over ``extra``."""
        image = {i: by}
        place = self.place and evolve(self.place, ix=self.place.ix.subst(image))
        ranges = (extra, *((j, n.subst(image)) for j, n in self.ranges))
        return evolve(self, place=place, ranges=ranges)

    def apart(self, place: Place) -> bool:
        """True if the footprint is disjoint from a place for all values of its indices."""
        if self.place is None:
            return False
        facts = self.facts
        image: dict[Name, Size] = {}
        for i, n in self.ranges:
            j = Name(f"{i}.")  # differs from all names, so from the index of the same loop
            facts = facts.with_index(j, n.subst(image))
            image[i] = var(j)
        return separate(place, evolve(self.place, ix=self.place.ix.subst(image)), facts)


def separate(a: Place, b: Place, facts: Facts) -> bool:
    """True if two places have no byte in common."""
    if a.size == b.size:
        return disjoint(a.ix, b.ix, facts)
    return disjoint(in_bytes(a.ix, a.size), in_bytes(b.ix, b.size), facts)


def in_bytes(ix: Lmad, size: int) -> Lmad:
    """Return an LMAD over elements of ``size`` bytes as one over bytes."""
    whole = ix.scaled(size)
    return Lmad(whole.offset, (*whole.dims, Dim(Size.of(size), ONE)))


@frozen
class Footprints:
    """The accesses of statements to the arrays that may lie in a block."""

    view: View
    block: Name
    """The block; only arrays that may lie in it are considered."""
    hidden: frozenset[Name] = frozenset()
    """Arrays that are ignored once they are out of scope."""
    _roots: frozenset[Name] = field(init=False)

    @_roots.default
    def _the_roots(self) -> frozenset[Name]:
        return self.view.roots(self.block)

    # ------------------------------------------------------------------ of statements

    def of_all(self, stms: Iterable[Stm[Ann]]) -> tuple[Access, ...]:
        """Return the accesses of statements in order."""
        return tuple(a for s in stms for a in self.of(s))

    def of(self, s: Stm[Ann]) -> tuple[Access, ...]:
        """Return the accesses of a statement in terms of names in scope before it and of its
        pattern.
        """
        return self.relevant(self.all_of(s))

    def relevant(self, accesses: Iterable[Access]) -> tuple[Access, ...]:
        """Return the accesses to arrays that may lie in the block."""
        return tuple(a for a in accesses if self.matters(a.array))

    def matters(self, x: Name) -> bool:
        """True if an array may lie in the current instance of the block."""
        home = self.view.homes.get(x)
        if home is None or self._roots.isdisjoint(self.view.roots(home.block)):
            return False
        return not self.view.is_older(x, self.block)

    def all_of(self, s: Stm[Ann]) -> Iterator[Access]:
        match s.exp:
            case Index(x, index):
                dims = tuple(DimFix(i) for i in index)
                yield Access(Use.READ, x, x, dims, (), s)
            case Iota():
                yield self.whole(Use.WRITE, s.pat[0].name, s)
            case Replicate(_, a):
                yield from self.reads([a], s)
                yield self.whole(Use.WRITE, s.pat[0].name, s)
            case Opaque(_, args):
                yield from self.reads(args, s)
                yield from (self.whole(Use.WRITE, p.name, s) for p in s.pat)
            case Copy() | Concat() | ArrayLit():
                for c in copied(s, self.view):
                    yield from self.copying(c, s)
                if isinstance(s.exp, ArrayLit) and not s.exp.row_shape:
                    yield self.whole(Use.WRITE, s.pat[0].name, s)
            case Update(x, where, value):
                moved = [c for c in copied(s, self.view) if self.moves(c)]
                if moved or not (isinstance(value, Var) and self.view.is_array(value.name)):
                    yield from self.reads([value], s)
                    yield Access(Use.WRITE, x, x, where, (), s)
                else:
                    yield self.whole(Use.KEEP, value.name, s)
                yield self.whole(Use.MENTION, x, s)
            case Scatter(x, indices, values):
                yield from (self.whole(Use.READ, z, s) for z in (indices, values))
                yield from (self.whole(u, x, s) for u in (Use.READ, Use.WRITE, Use.MENTION))
            case Kernel() as e:
                yield from self.of_kernel(s, e)
            case If(_, then, orelse):
                yield from self.leaving(self.of_body(then, s), bound_in_body(then), ())
                yield from self.leaving(self.of_body(orelse, s), bound_in_body(orelse), ())
            case Loop() as e:
                yield from self.mentions((p.init for p in e.params), s)
                yield from self.leaving(self.of_body(e.body, s), own_names(e), loop_ranges(e))
            case DerivedArray() as e:
                yield self.whole(Use.MENTION, e.x, s)
            case Scalar() | Scratch() | Assert() | Alloc():
                return
            case RaggedKernel():
                raise unscheduled()

    def of_body(self, b: Body[Ann], s: Stm[Ann]) -> tuple[Access, ...]:
        """Return the accesses of a body; its results are passed on."""
        return (*self.of_all(b.stms), *self.mentions(b.result, s))

    def of_kernel(self, s: Stm[Ann], e: Kernel[Ann]) -> Iterator[Access]:
        """Yield the accesses of all threads, of the copies of results, and of the collective."""
        ranges = tuple((d.index, d.size) for d in e.dims)
        yield from self.leaving(self.of_thread(s, e), bound_in_body(e.body), ranges)
        yield from self.of_collective(s, e)

    def of_thread(self, s: Stm[Ann], e: Kernel[Ann]) -> tuple[Access, ...]:
        """Return the accesses of one thread: its body, then the copies of its mapped results."""
        own = (a for k in range(len(s.pat)) for a in self.of_result(s, e, k))
        return (*self.of_all(e.body.stms), *own)

    def of_result(self, s: Stm[Ann], e: Kernel[Ann], k: int) -> Iterator[Access]:
        """Yield the copy of a thread's part of the result at a position; nothing for a collective's
        result.
        """
        first = len(s.pat) - mapped(e, s)
        if k < first:
            return
        y, index = s.pat[k], tuple(DimFix(var(d.index)) for d in e.dims)
        for c in thread_results(s, e, self.view):
            if c.dest == y.name:
                yield self.whole(Use.MENTION, c.source, s)
                if not self.moves(c):
                    yield self.whole(Use.KEEP, c.source, s)
                    return
                yield self.whole(Use.READ, c.source, s)
        yield Access(Use.WRITE, y.name, y.name, self.rest(y.name, index), (), s)

    def of_collective(self, s: Stm[Ann], e: Kernel[Ann]) -> Iterator[Access]:
        """Yield the accesses of accumulators, operator, and the collective's results, over all
        rows.
        """
        match e.collective:
            case Map():
                return
            case Reduce(op, ne) | Scan(op, ne) | Hist(_, op, ne):
                pass
        yield from self.reads(ne, s)
        yield from self.mentions(map(Var, in_place_of(e)), s)
        n = len(ne)
        outer = tuple((d.index, d.size) for d in e.dims[:-1])
        values = e.body.result[: len(e.body.result) - mapped(e, s)]
        inside = (a for a in values if isinstance(a, Var) and self.view.is_array(a.name))
        everywhere = tuple((d.index, d.size) for d in e.dims)
        reads = tuple(a for v in inside for a in self.reads([v], s))
        yield from self.leaving(reads, bound_in_body(e.body), everywhere)
        params = [p.name for p in op.params if self.view.is_array(p.name)]
        calls = [self.whole(use, p, s) for p in params for use in (Use.READ, Use.WRITE)]
        bound = bound_in_body(op.body).union(params)
        results = tuple(self.reads(op.body.result, s))
        body = (*calls, *self.of_body(op.body, s), *results)
        yield from self.leaving(body, bound, outer)
        for p in s.pat[:n]:
            if self.view.is_array(p.name):
                yield self.whole(Use.WRITE, p.name, s)
                if isinstance(e.collective, Hist):
                    yield self.whole(Use.READ, p.name, s)

    # ------------------------------------------------------------------ parts

    def whole(self, use: Use, x: Name, s: Stm[Ann]) -> Access:
        """Return an access to all of an array."""
        return Access(use, x, x, self.rest(x, ()), (), s)

    def rest(self, x: Name, dims: tuple[SliceDim, ...]) -> tuple[SliceDim, ...]:
        """Return a slice with the first dimensions given, and all of the others."""
        ranges = (DimRange(ZERO, n, ONE) for n in self.view.shape(x)[len(dims) :])
        return (*dims, *ranges)

    def reads(self, atoms: Iterable[Atom], s: Stm[Ann]) -> Iterator[Access]:
        """Yield reads of the arrays among operands, each as a whole."""
        for a in atoms:
            if isinstance(a, Var) and self.view.is_array(a.name):
                yield self.whole(Use.READ, a.name, s)

    def mentions(self, atoms: Iterable[Atom], s: Stm[Ann]) -> Iterator[Access]:
        """Yield mentions of the arrays among operands, which are passed on."""
        for a in atoms:
            if isinstance(a, Var) and self.view.is_array(a.name):
                yield self.whole(Use.MENTION, a.name, s)

    def moves(self, c: Copied) -> bool:
        """True if a copy moves data: its source does not lie at the destination."""
        return self.view.homes[c.source] != c.target

    def copying(self, c: Copied, s: Stm[Ann]) -> Iterator[Access]:
        """Yield the accesses of a copy to a part of a new array."""
        yield self.whole(Use.MENTION, c.source, s)
        if self.moves(c):
            yield self.whole(Use.READ, c.source, s)
            yield self.whole(Use.WRITE, c.dest, s)
        else:
            yield self.whole(Use.KEEP, c.source, s)

    # ------------------------------------------------------------------ out of bodies

    def leaving(
        self, accesses: Iterable[Access], bound: frozenset[Name], ranges: tuple[Range, ...]
    ) -> Iterator[Access]:
        """Yield accesses where ``bound`` is out of scope, for all values of the indices in
        ``ranges``.
        """
        gone = bound - {i for i, _ in ranges}
        for a in accesses:
            if not (a.array in self.hidden and a.array in bound):
                a = self.widened(a, gone)
                free = self.free(a)
                yield evolve(a, ranges=(*(r for r in ranges if r[0] in free), *a.ranges))

    def widened(self, a: Access, gone: frozenset[Name]) -> Access:
        """Return an access to a superset of the elements that does not mention ``gone``."""
        gone -= {i for i, _ in a.ranges}
        for i, n in reversed(a.ranges):
            if not n.free().isdisjoint(gone):
                a = evolve(a, ranges=tuple(r for r in a.ranges if r[0] != i))
                gone |= {i}
        if a.base is None or self.free(a).isdisjoint(gone):
            return a
        shape = self.view.shape(a.base)
        if isinstance(a.where, Lmad):
            where = self.rest(a.base, ())
        else:
            where = tuple(
                d if slice_names(d).isdisjoint(gone) else DimRange(ZERO, n, ONE)
                for d, n in zip(a.where, shape, strict=True)
            )
        if where != a.where:
            return self.widened(evolve(a, where=where), gone)
        up = self.wider(a.base)
        where = () if up is None else self.rest(up, ())
        return self.widened(evolve(a, base=up, where=where), gone)

    def wider(self, x: Name) -> Name | None:
        """Return an array bound earlier whose elements include those of ``x``, which a statement
        binds.
        """
        s = self.view.made_by[x]
        if (y := source_of(s.exp)) is not None:
            return y
        pairs = zip(s.pat, in_place_of(s.exp), strict=False)
        return next((y for p, y in pairs if p.name == x), None)

    def free(self, a: Access) -> frozenset[Name]:
        """Return the names on which the elements depend, those of the ranges' bounds included."""
        if a.base is None:
            return frozenset()
        bounds = frozenset[Name]().union(*(n.free() for _, n in a.ranges))
        return bounds | self.view.homes[a.base].ix.part(a.where).free()

    def place(self, x: Name) -> Place:
        """Return the place of an array."""
        return Place(self.view.homes[x].ix, self.view.element_bytes(x))

    def footprints(self, accesses: Iterable[Access], facts: Facts) -> tuple[Footprint, ...]:
        """Return the elements of accesses as addresses in the block."""
        return tuple(self.footprint(a, facts) for a in accesses)

    def footprint(self, a: Access, facts: Facts) -> Footprint:
        if a.base is None:
            return Footprint(a.use, a.array, None, (), facts, a.at)
        ix = self.view.homes[a.base].ix.part(a.where)
        place = Place(ix, self.view.element_bytes(a.base))
        return Footprint(a.use, a.array, place, a.ranges, facts, a.at)


def slice_names(d: SliceDim) -> frozenset[Name]:
    """Return the names in a dimension of a slice."""
    match d:
        case DimFix(at):
            return at.free()
        case DimRange(start, length, stride):
            return start.free() | length.free() | stride.free()


def own_names(e: Loop[Ann]) -> frozenset[Name]:
    """Return all names that a loop binds."""
    params = (b.name for b in inner_binders(e))
    return bound_in_body(e.body).union(params, inner_indices(e))


def loop_ranges(e: Loop[Ann]) -> tuple[Range, ...]:
    """Return the range of a for-loop's index."""
    return ((e.form.index, e.form.bound),) if isinstance(e.form, For) else ()


def mapped(e: Kernel[Ann], s: Stm[Ann]) -> int:
    """Return the number of a kernel's results that are mapped."""
    match e.collective:
        case Map():
            return len(s.pat)
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            return len(s.pat) - len(ne)
