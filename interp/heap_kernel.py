"""Kernels on the heap: E-MEM-KERNEL of fig. 10, and the collectives.

An iteration runs the body and copies its results into its part of the results' homes.  Two watches
detect races (eq. 4, races.py).  Every kernel has a watch over *all* index tuples, which observes
the bodies and the copies of mapped results.  A collective over several dimensions has another one
over the *outer* indices only, which observes its operator as well: the innermost dimension is
folded sequentially.

Operators are called by copy: an array parameter has a home, and its argument is copied there.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from funmem.interp import places, traps
from funmem.interp.heap_scope import Cells, GetPlace, HeapScope, incoherent
from funmem.interp.places import Cell, Place
from funmem.interp.races import Watch
from funmem.interp.traps import Shape
from funmem.ir.fun import Ann, ArrayType, Binder, Hist, Kernel, Lambda, Map, Reduce, Scan, Stm

Target: TypeAlias = Callable[[Shape], Place | None]


class HeapNest:
    """Resolves one kernel to a function that runs its iterations."""

    def __init__(self, scope: HeapScope, e: Kernel[Ann], s: Stm[Ann]) -> None:
        self.scope, self.heap, self.e, self.s = scope, scope.heap, e, s
        self.site = self.heap.site(s)
        self.names = [d.index for d in e.dims]
        self.rank = len(e.dims)
        self.sizes = scope.new_sizes([d.size for d in e.dims], s.at)
        self.indices = scope.indices(self.names)
        self.outer, self.inner = scope.indices(self.names[:-1]), scope.indices(self.names[-1:])
        self.level = scope.level
        scope.level += 2  # the watch over the outer indices, and the one over all indices
        self.body = scope.body(e.body)

    def run(self) -> Callable[[], Cells]:
        """Resolve the rule of the kernel's collective."""
        match self.e.collective:
            case Map():
                rule = self.map()
            case Reduce(op, ne, _):
                rule = self.fold(op, self.scope.atoms(ne), len(ne), each=False)
            case Scan(op, ne):
                rule = self.fold(op, self.scope.atoms(ne), len(ne), each=True)
            case Hist(dest, op, _):
                rule = self.hist(op, [self.scope.place(x) for x in dest])
        self.scope.level = self.level
        return rule

    # -- parts of all rules

    def targets(self, binders: Sequence[Binder[Ann]], rank: int) -> list[Target]:
        """Return the homes of results whose outer ``rank`` dimensions are the kernel's."""
        return [self.target(b, rank) for b in binders]

    def target(self, b: Binder[Ann], rank: int) -> Target:
        """Return the home of a result; None for a scalar outside of an array."""
        if not isinstance(b.type, ArrayType):
            return lambda _: None
        home, heap, at = self.scope.home(b), self.heap, self.s.at

        def get(outer: Shape) -> Place:
            p = home()
            if p.lens[:rank] != outer:
                raise incoherent(b, f"an array over {traps.show_shape(outer)}", p, at)
            heap.fits(p, at)
            return p

        return get

    def watch_all(self, whole: Shape) -> Watch:
        """Return a watch over all index tuples."""
        return self.heap.watch(self.level + 1, self.names, whole, self.site)

    def iterate(self, watch: Watch, index: Shape, mapped: Sequence[Place | None], k: int) -> Cells:
        """Run one iteration, copy its results from the ``k``-th on to homes, return the others."""
        heap = self.heap
        heap.enter(watch)
        watch.next()
        results = self.body()
        self.keep(mapped, index, results[k:])
        heap.leave()
        return results[:k]

    def keep(self, homes: Sequence[Place | None], index: Shape, cells: Sequence[Cell]) -> None:
        """Copy cells to an index of their homes.

        A row that is already in its place is recorded as read: no other iteration may write it.
        """
        for home, c in zip(homes, cells, strict=True):
            if isinstance(home, Place) and isinstance(c, Place):
                row = places.fix(home, index)
                if places.same(row, c):
                    self.heap.look(row, self.site)
                else:
                    self.heap.copy(row, c, self.site)
            elif home is not None:
                self.heap.put(home, index, c, self.site)

    def nonnegative(self, homes: Sequence[Place | None]) -> None:
        """Raise Trap for a negative inner size, which a kernel without iterations does not test."""
        for home in homes:
            if home is not None:
                traps.nonnegative(home.lens, self.s.at)

    # -- rules

    def map(self) -> Callable[[], Cells]:
        """E-MEM-KERNEL."""
        targets = self.targets(self.s.pat, self.rank)

        def run_map() -> Cells:
            whole = self.sizes()
            homes = [t(whole) for t in targets]
            watch = self.watch_all(whole)
            for index in self.indices(whole):
                self.iterate(watch, index, homes, 0)
            self.nonnegative(homes)
            return tuple(cast(list[Cell], homes))

        return run_map

    def rows(self, whole: Shape, row: Callable[[Shape], None]) -> None:
        """Run ``row`` for all outer indices under a watch."""
        heap, outer = self.heap, whole[:-1]
        if not outer:
            row(())
            return
        watch = heap.watch(self.level, self.names[:-1], outer, self.site)
        heap.enter(watch)
        for index in self.outer(outer):
            watch.next()
            row(index)
        heap.leave()

    def fold(
        self, op: Lambda[Ann], start: Callable[[], Cells], k: int, *, each: bool
    ) -> Callable[[], Cells]:
        """E-MEM-REDUCE: store the accumulators after each row; E-MEM-SCAN (``each``): after each
        iteration.
        """
        call = Operator(self.scope, op, k, self.s, self.site)
        folded = self.targets(self.s.pat[:k], self.rank if each else self.rank - 1)
        others = self.targets(self.s.pat[k:], self.rank)

        def run_fold() -> Cells:
            whole = self.sizes()
            kept = [t(whole if each else whole[:-1]) for t in folded]
            mapped = [t(whole) for t in others]
            watch = self.watch_all(whole)

            def row(index: Shape) -> None:
                call.begin(start())
                for i in self.inner(whole[-1:]):
                    call.accumulate(call.apply(self.iterate(watch, index + i, mapped, k)))
                    if each:
                        self.keep(kept, index + i, call.accumulators())
                if not each:
                    self.keep(kept, index, call.accumulators())

            self.rows(whole, row)
            self.nonnegative(kept + mapped)
            finals = zip(kept, call.accumulators() if None in kept else kept, strict=True)
            results = [final if home is None else home for home, final in finals]
            return (*cast(list[Cell], results), *cast(list[Cell], mapped))

        return run_fold

    def hist(self, op: Lambda[Ann], dest: Sequence[GetPlace]) -> Callable[[], Cells]:
        """E-MEM-HIST: the accumulators of a bucket are elements of ``dest``."""
        k = len(dest)
        call = Operator(self.scope, op, k, self.s, self.site)
        others = self.targets(self.s.pat[k:], self.rank)

        def run_hist() -> Cells:
            whole = self.sizes()
            dests = [get() for get in dest]
            mapped = [t(whole) for t in others]
            buckets = range(dests[0].lens[self.rank - 1])
            watch = self.watch_all(whole)

            def row(index: Shape) -> None:
                for i in self.inner(whole[-1:]):
                    bucket, *values = self.iterate(watch, index + i, mapped, k + 1)
                    if bucket in buckets:
                        at = (*index, cast(int, bucket))
                        call.begin([self.heap.get(d, at, self.site) for d in dests])
                        self.keep(dests, at, call.apply(values))

            self.rows(whole, row)
            self.nonnegative(mapped)
            return (*dests, *cast(list[Cell], mapped))

        return run_hist


class Operator:
    """An operator of ``2 k`` parameters, called by copy."""

    def __init__(self, scope: HeapScope, op: Lambda[Ann], k: int, s: Stm[Ann], site: int) -> None:
        self.values, self.heap, self.k = scope.values, scope.heap, k
        self.at, self.site = s.at, site
        self.names = [p.name for p in op.params]
        scope.types.update((p.name, p.type) for p in op.params)
        self.get_homes = [
            scope.home(p) if isinstance(p.type, ArrayType) else None for p in op.params
        ]
        self.homes: list[Place | None] = []
        self.body = scope.body(op.body)

    def begin(self, start: Sequence[Cell]) -> None:
        """Evaluate the homes for the current outer indices; copy ``start`` to the accumulators."""
        self.homes = [get() if get is not None else None for get in self.get_homes]
        for home in self.homes:
            if home is not None:
                self.heap.fits(home, self.at)
        self.accumulate(start)

    def apply(self, new: Sequence[Cell]) -> Cells:
        """Return the operator's results on the accumulators and ``new``."""
        self._pass(self.k, new)
        return self.body()

    def accumulate(self, cells: Sequence[Cell]) -> None:
        """Copy cells to the accumulators, in order."""
        self._pass(0, cells)

    def accumulators(self) -> list[Cell]:
        """Return the current accumulators."""
        return [self.values[x] for x in self.names[: self.k]]

    def _pass(self, first: int, cells: Sequence[Cell]) -> None:
        """Copy cells to the parameters from the ``first`` on."""
        last = first + self.k
        targets = zip(self.names[first:last], self.homes[first:last], cells, strict=True)
        for x, home, c in targets:
            if home is not None:
                self.heap.put(home, (), c, self.site)
            self.values[x] = c if home is None else home
