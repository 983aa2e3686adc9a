"""The reads of a kernel's threads: elements of arrays, as LMADs in terms of the indices.

    kernel i < n do                                     a : [n][m]f32 @ b -> 0 + {(n : m) (m : 1)}
      let (row : … @ b -> i*m + {(m : 1)}) = a[i, 0 : m]
      loop (s : f32) = 0.0f32 for j < m do
        let (v : f32) = row[j] …                        a at i*m + j, m times

A :class:`Read` is done by one thread in one iteration of its loops.  Neighbouring threads do it at
the same time, so coalescing concerns :meth:`Read.distance`, the change of the address from one
thread to the next.  The index functions of arrays from outside are parameters of the analysis, so
it also answers what the addresses would be if an array lay elsewhere; those of views inside the
kernel are derived.

A thread has the indices of the dimensions that run in parallel.  The innermost dimension of a
collective is a loop in the thread (:mod:`funmem.passes.lower.collectives`), and so are all
dimensions of a kernel inside it.
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import field

from funmem.ir.arith import expanded
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
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
    KernelDim,
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
from funmem.ir.lmad import Lmad
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.logic.derive import derived_lmad, in_place_of, source_of
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define, frozen
from funmem.ir.sizes import ONE, Size, var
from funmem.ir.traverse import bound_in_stms, inner_binders, inner_indices, operators


@frozen
class Read:
    """Elements of ``array`` that a thread reads, one after the other."""

    array: Name
    """An array from outside the kernel, or one that the thread makes."""
    type: ArrayType
    """The type of ``array``."""
    ix: Lmad
    """The addresses, in terms of indices and of names that are bound to no polynomial."""
    trips: tuple[Size, ...] | None
    """The trip counts of the loops around the read, outermost first; None: unknown, perhaps 0."""
    moved: bool
    """True if the elements are only copied."""
    at: Stm[Ann]

    def distance(self, i: Name) -> Size:
        """Return the distance between the elements that threads i and i + 1 read."""
        here = self.ix.offset
        return here.subst({i: var(i) + 1}) - here

    @property
    def in_loop(self) -> bool:
        """True if the thread may read more than one element here."""
        return self.trips is None or bool(self.trips) or bool(self.ix.dims)


@frozen
class KernelReads:
    """The reads of a kernel, and other facts about its arrays."""

    threads: tuple[KernelDim, ...]
    reads: tuple[Read, ...]
    unknown: frozenset[Name]
    """The names in addresses whose values a thread computes or loads."""
    passed_on: frozenset[Name]
    """Arrays that a branch or a loop passes on, so that they are read under another name."""
    homeless: frozenset[Name]
    """Arrays of which a reshape would have no index function."""
    written: frozenset[Name]
    """The blocks that are written."""
    inside: frozenset[Name]
    """The names that the kernel binds."""

    def of(self, x: Name) -> tuple[Read, ...]:
        """Return the reads of an array, under any name."""
        return tuple(r for r in self.reads if r.array == x)


def threads_of(k: Kernel[Ann]) -> tuple[KernelDim, ...]:
    """Return the dimensions that run in parallel, outermost first."""
    return k.dims if isinstance(k.collective, Map) else k.dims[:-1]


def reads_of(
    s: Stm[Ann], k: Kernel[Ann], arrays: Mapping[Name, Lmad], known: PointFacts
) -> KernelReads:
    """Return the accesses of the threads of kernel ``k`` to ``arrays``, and to arrays bound inside.

    ``arrays`` maps arrays in scope to the index functions to assume; other arrays from outside are
    left out.
    """
    inside = bound_in_stms((s,))
    threads = threads_of(k)
    thread = _Thread(inside)
    for x, ix in arrays.items():
        thread.views[x] = (x, ix)
    thread.kernel(s, k, known, k.dims[len(threads) :], ())
    thread.bind(s)
    return KernelReads(
        threads,
        tuple(thread.reads),
        inside - thread.sequential - {d.index for d in threads},
        frozenset(thread.passed_on),
        frozenset(thread.homeless),
        frozenset(thread.written),
        inside,
    )


Trips = tuple[Size, ...] | None


@define
class _Thread:
    """The traversal of a thread's statements: its findings so far."""

    inside: frozenset[Name]
    """The names that the kernel binds."""
    views: dict[Name, tuple[Name, Lmad]] = field(factory=dict)
    """Array in scope -> the array whose elements it shows, and their addresses."""
    sequential: set[Name] = field(factory=set)
    """Indices of the thread's loops: all threads have the same values at the same time."""
    reads: list[Read] = field(factory=list)
    passed_on: set[Name] = field(factory=set)
    homeless: set[Name] = field(factory=set)
    written: set[Name] = field(factory=set)

    def body(self, b: Body[Ann], known: PointFacts, trips: Trips) -> PointFacts:
        for s in b.stms:
            self.statement(s, known, trips)
            known = known.after(s)
        return known

    def statement(self, s: Stm[Ann], known: PointFacts, trips: Trips) -> None:
        match s.exp:
            case Index(x, index):
                if x in self.views:
                    array, ix = self.views[x]
                    self.read(array, Lmad(ix.apply(index), ()), known, trips, s, moved=False)
            case Copy(x):
                self.whole((Var(x),), known, trips, s)
            case Concat(_, xs):
                self.whole(map(Var, xs), known, trips, s)
            case ArrayLit(elems):
                self.whole(elems, known, trips, s)
            case Replicate(shape, value):
                self.whole((value,), known, self.trips_inside(trips, shape, known), s)
            case Opaque(_, args):
                self.whole(args, known, trips, s)
            case Update(_, _, value):
                self.whole((value,), known, trips, s)
            case Scatter(_, indices, values):
                self.whole((Var(indices), Var(values)), known, trips, s)
            case If(_, then, orelse):
                for b, inner in zip((then, orelse), known.inside(s.exp), strict=True):
                    self.body(b, inner, None)
                    self.pass_on(b.result)
            case Loop() as e:
                self.loop(e, known, trips)
            case Kernel() as e:
                self.kernel(s, e, known, e.dims, trips)
            case Scalar() | DerivedArray() | Iota() | Scratch() | Assert() | Alloc():
                pass
            case RaggedKernel():
                raise unscheduled()
        self.bind(s)

    def bind(self, s: Stm[Ann]) -> None:
        """Record the arrays that a statement binds: views of others, or the thread's own."""
        if (source := source_of(s.exp)) is not None:
            if source in self.views:
                array, ix = self.views[source]
                derived = derived_lmad(s.exp, ix)
                if derived is None:
                    self.homeless.add(array)
                else:
                    self.views[s.pat[0].name] = (array, derived)
            return
        writes = is_fresh(s.exp) or bool(in_place_of(s.exp))
        for b in s.pat:
            if b.home is not None:
                self.views[b.name] = (b.name, b.home.ix)
                if writes:
                    self.written.add(b.home.block)

    def own(self, e: Kernel[Ann] | Loop[Ann]) -> None:
        """Record the array parameters of an operator or loop."""
        for b in inner_binders(e):
            if b.home is not None:
                self.views[b.name] = (b.name, b.home.ix)

    def loop(self, e: Loop[Ann], known: PointFacts, trips: Trips) -> None:
        self.pass_on(p.init for p in e.params)
        self.own(e)
        (inner,) = known.inside(e)
        self.sequential.update(inner_indices(e))
        more = self.trips_inside(trips, (e.form.bound,), known) if isinstance(e.form, For) else None
        self.body(e.body, inner, more)
        self.pass_on(e.body.result)

    def kernel(
        self,
        s: Stm[Ann],
        k: Kernel[Ann],
        known: PointFacts,
        looped: tuple[KernelDim, ...],
        trips: Trips,
    ) -> None:
        """Visit a kernel: the analysed one, or one inside it; its dimensions ``looped`` are
        loops.
        """
        match k.collective:
            case Map():
                pass
            case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
                self.whole(ne, known, trips, s)
        self.sequential.update(d.index for d in looped)
        self.own(k)
        inner = self.trips_inside(trips, (d.size for d in looped), known)
        *starts, start = known.inside(k)
        for op, inside in zip(operators(k), starts, strict=True):
            end = self.body(op.body, inside, inner)
            self.whole(op.body.result, end, inner, s)
        end = self.body(k.body, start, inner)
        self.whole(k.body.result, end, inner, s)

    def whole(self, atoms: Iterable[Atom], known: PointFacts, trips: Trips, s: Stm[Ann]) -> None:
        """Record that every element of the arrays among operands is copied."""
        for a in atoms:
            if isinstance(a, Var) and a.name in self.views:
                array, ix = self.views[a.name]
                self.read(array, ix, known, trips, s, moved=True)

    def read(
        self, array: Name, ix: Lmad, known: PointFacts, trips: Trips, s: Stm[Ann], *, moved: bool
    ) -> None:
        t = known.types[array]
        assert isinstance(t, ArrayType)
        ix = ix.map_sizes(lambda d: expanded(d, known.values))
        self.reads.append(Read(array, t, ix, trips, moved, s))

    def pass_on(self, atoms: Iterable[Atom]) -> None:
        """Record that the arrays among operands get other names."""
        self.passed_on.update(self.roots(atoms))

    def roots(self, atoms: Iterable[Atom]) -> Iterator[Name]:
        for a in atoms:
            if isinstance(a, Var) and a.name in self.views:
                yield self.views[a.name][0]

    def trips_inside(self, trips: Trips, sizes: Iterable[Size], known: PointFacts) -> Trips:
        """Return the trip counts inside loops of these sizes; None if they vary from thread to
        thread.
        """
        found = tuple(expanded(d, known.values) for d in sizes)
        if trips is None or any(not d.free().isdisjoint(self.inside) for d in found):
            return None
        return (*trips, *(d for d in found if d != ONE))
