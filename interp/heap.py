"""The heap interpreter of FUNMEM (fig. 10, completed): it executes and checks memory annotations.

    E; H ⊢ e ⇓ (v, …); H'     exp, kernel      an expression's values and its writes
    E; H ⊢ s ⇓ E'; H'                          statements and control: control.py

heap_scope.py has bindings and their coherence, heap_kernel.py kernels, heap_memory.py the heap with
bounds, poison and memcpy, and races.py the detection of races.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import cast

import numpy as np

from funmem.interp import arrays, places, traps
from funmem.interp.arrays import MOST_BYTES
from funmem.interp.counted import Counted
from funmem.interp.heap_kernel import HeapNest
from funmem.interp.heap_memory import Heap, HeapStats
from funmem.interp.heap_scope import Cells, GetPlace, HeapScope, incoherent
from funmem.interp.places import Block, Cell, Place
from funmem.interp.scope import entry_named
from funmem.interp.traps import Shape
from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    Assert,
    Bin,
    Binder,
    Call,
    Compound,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    Entry,
    Exp,
    FlatSlice,
    FreshArray,
    Home,
    Index,
    Iota,
    Kernel,
    Permute,
    Program,
    RaggedKernel,
    Replicate,
    Reshape,
    Reverse,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
)
from funmem.ir.functions import table
from funmem.ir.lmad import Lmad, SliceDim
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, ArrayValue, Value, bind, dtype


@frozen
class HeapResult:
    """The results of an entry point, read through their index functions, and heap statistics."""

    values: tuple[Value, ...]
    stats: HeapStats


def run_heap(
    program: Program[Ann],
    entry_name: str,
    args: Sequence[ArgValue],
    *,
    check_races: bool = True,
    largest: int = MOST_BYTES,
    most: int | None = None,
    foreign: Table = NO_FUNCTIONS,
) -> HeapResult:
    """Run an entry point with the memory of its annotations.

    ``largest``: cap on the bytes of a block; ``most``: cap on statements and on iterations, if
    given; ``foreign`` has the foreign functions.  Raises the exceptions of
    :func:`funmem.interp.value.run`, MemoryFault if an annotation is wrong, and TooMuch.
    """
    entry = entry_named(program, entry_name)
    sizes, values = bind(signature(entry), args)
    heap = Heap(check_races=check_races, largest=largest)
    counted = _CountedHeapEvaluator(heap)
    evaluator = _HeapEvaluator(heap) if most is None else counted
    evaluator.functions, evaluator.foreign = table(program), foreign
    if most is not None:
        counted.may_do(most)
    return evaluator.entry(entry, sizes, values)


class _HeapEvaluator(HeapScope):
    """One run of an entry point."""

    def entry(self, e: Entry[Ann], sizes: dict[Name, int], args: Sequence[Value]) -> HeapResult:
        """E-MEM-PROG: arguments are in fresh blocks, row-major; results are read by their LMADs."""
        cells = [self._argument(p.binder, v) for p, v in zip(e.params, args, strict=True)]
        blocks = {
            p.binder.home.block: c.block
            for p, c in zip(e.params, cells, strict=True)
            if isinstance(p.binder.home, Home) and isinstance(c, Place)
        }
        carried: dict[Name, Cell] = {**sizes, **blocks}
        if not carried.keys() >= {b.name for b in e.implicit}:
            raise Stuck(f"a block parameter of `{e.name}` is not the home of an argument")
        implicit = [carried[b.name] for b in e.implicit]
        binders = [*e.implicit, *(p.binder for p in e.params)]
        self.binds(binders, e.at)([*implicit, *cells])
        body = self.body(e.body)
        bind_results = self.binds([*e.implicit_results, *e.results], e.at)
        results = body()
        bind_results(results)
        visible = results[len(e.implicit_results) :]
        for p, c, v in zip(e.params, cells, args, strict=True):
            if isinstance(c, Place) and isinstance(v, ArrayValue) and not p.unique:
                self.heap.is_kept(p.binder.name, c, v, e.at)
        return HeapResult(tuple([self._result(c, e.at) for c in visible]), self.heap.stats)

    def _argument(self, b: Binder[Ann], v: Value) -> Cell:
        if not isinstance(v, ArrayValue):
            return v
        block = b.home.block if b.home is not None else b.name
        return self.heap.argument(block, v)

    def _result(self, c: Cell, at: Span) -> Value:
        if isinstance(c, Place):
            return self.heap.value(c, at)
        if isinstance(c, Block):
            raise Stuck("a block is returned as a result")
        return c

    # -- expressions with one result

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> Callable[[], Cell]:
        """Resolve an expression with one result."""
        match e:
            case Const() | Bin() | Un() | Convert():  # E-SCALAR
                return self.scalar(e)[0]
            case Var():
                return self.atom(e)
            case Index(x, index):  # E-MEM-INDEX
                return self._index(x, self.sizes(index), s)
            case Alloc(size):  # E-MEM-ALLOC
                x, level, bytes_of, heap = s.pat[0].name, self.level, self.size(size), self.heap
                return lambda: heap.allocate(x, bytes_of(), level)
            case DerivedArray():
                return self._derived(e, s)
            case FreshArray():
                return self._fresh(e, s)
            case Update(x, where, value):  # E-MEM-UPDATE
                if isinstance(where, Lmad):
                    return self._flat_update(x, where, self.atom(value), s)
                return self._update(x, where, self.atom(value), s)
            case Scatter(x, indices, values):  # E-MEM-SCATTER
                return self._scatter(self.place(x), self.place(indices), self.place(values), s)
            case Call() | Compound() | Assert():
                raise Stuck(f"{type(e).__name__} where an expression with one result is expected")

    def _index(self, x: Name, index: Callable[[], Shape], s: Stm[Ann]) -> Callable[[], Cell]:
        array, at, site, load = self.place(x), s.at, self.heap.site(s), self.heap.load

        def get() -> Cell:
            p, where = array(), index()
            address = p.offset
            for i, n, stride in zip(where, p.lens, p.strides, strict=True):
                if not 0 <= i < n:
                    traps.index_in_bounds(where, p.lens, at)
                address += i * stride
            return load(p, address, site)

        return get

    def _derived(
        self, e: Slice | Permute | Reshape | Reverse | FlatSlice, s: Stm[Ann]
    ) -> Callable[[], Place]:
        """Resolve a derived array: it reads and writes no elements."""
        array, at = self.place(e.x), s.at
        match e:
            case Slice(_, dims):  # E-MEM-SLICE
                ranges, text = self.slice(dims), self.slice_text(e.x, dims)

                def slice_() -> Place:
                    p, where = array(), ranges()
                    traps.slice_in_bounds(where, p.lens, text, at)
                    return places.slice_(p, where)

                return slice_
            case Permute(perm):  # E-MEM-TRANSPOSE
                return lambda: places.permute(array(), perm)
            case Reshape(shape):  # E-MEM-RESHAPE
                return self._reshape(array, self.sizes(shape), s)
            case Reverse(dim):  # E-MEM-REVERSE
                return lambda: places.reverse(array(), dim)
            case FlatSlice(_, offset, lmad_dims):  # E-MEM-FLAT
                lmad = self.lmad(Lmad(offset, lmad_dims))

                def flat_slice() -> Place:
                    p, (o, flat) = array(), lmad()
                    traps.flat_in_bounds(o, flat, p.lens[0], at)
                    return places.flat_slice(p, o, flat)

                return flat_slice

    def _reshape(self, array: GetPlace, shape: Callable[[], Shape], s: Stm[Ann]) -> GetPlace:
        """Resolve a reshape: the annotated place must have the same points in the same order."""
        (b,) = s.pat
        home, at = self.home(b), s.at

        def get() -> Place:
            p, wanted = array(), home()
            traps.same_count(p.lens, shape(), at)
            if not places.same_sequence(p, wanted):
                raise incoherent(b, p, wanted, at)
            return wanted

        return get

    def _fresh(
        self, e: Iota | Replicate | ArrayLit | Copy | Concat | Scratch, s: Stm[Ann]
    ) -> Callable[[], Place]:
        """Resolve a fresh array: it writes its home, except for ``scratch``."""
        new, at, site, heap = self.new(s.pat[0], s.at), s.at, self.heap.site(s), self.heap
        match e:
            case Iota(n, start, stride):  # E-MEM-IOTA
                length, ends, elem = (
                    self.size(n),
                    self.int_atoms(start, stride),
                    self.elem_of(start),
                )

                def iota() -> Place:
                    values = arrays.iota(length(), ends(), elem, at).data
                    return heap.fill(new(values.shape), values, site)

                return iota
            case Replicate(dims, value):  # E-MEM-REPLICATE
                get, sizes, elem = self.atom(value), self.new_sizes(dims, at), self.elem_of(value)

                def replicate() -> Place:
                    shape, v = sizes(), get()
                    if isinstance(v, Place):
                        src = places.repeat(v, shape)
                        return heap.copy(new(src.lens), src, site)
                    data = np.broadcast_to(
                        np.array(v, dtype(elem)), arrays.allocatable(shape, elem)
                    )
                    return heap.fill(new(shape), data, site)

                return replicate
            case ArrayLit(elems, elem, row_dims):  # E-MEM-LITERAL
                cells, row_shape = self.atoms(elems), self.new_sizes(row_dims, at)

                def literal() -> Place:
                    dst = new((len(elems), *row_shape()))
                    for k, c in enumerate(cells()):
                        heap.put(dst, (k,), c, site)
                    return dst

                return literal
            case Copy(x):  # E-MEM-COPY
                array = self.place(x)

                def copy() -> Place:
                    src = array()
                    return heap.copy(new(src.lens), src, site)

                return copy
            case Concat(dim, xs):  # E-MEM-CONCAT
                parts = [self.place(x) for x in xs]

                def concat() -> Place:
                    sources = [part() for part in parts]
                    ends = list(accumulate(p.lens[dim] for p in sources))
                    lens = sources[0].lens
                    dst = new((*lens[:dim], ends[-1], *lens[dim + 1 :]))
                    for src, end in zip(sources, ends, strict=True):
                        n = src.lens[dim]
                        heap.copy(places.part(dst, dim, end - n, n), src, site)
                    return dst

                return concat
            case Scratch(dims):  # E-MEM-SCRATCH
                shape = self.new_sizes(dims, at)
                return lambda: new(shape())

    # -- foreign code

    def whole(self, x: Cell, at: Span) -> Value:
        if isinstance(x, Block):
            raise Stuck("a block is passed to foreign code")
        if not isinstance(x, Place):
            return x
        return ArrayValue(arrays.known(self.heap.value(x, at), at))

    def filled(self, s: Stm[Ann]) -> Callable[[int, Value], Cell]:
        homes, heap, site = [self.new(b, s.at) for b in s.pat], self.heap, self.heap.site(s)

        def fill(k: int, v: Value) -> Cell:
            assert isinstance(v, ArrayValue)
            return heap.fill(homes[k](v.data.shape), v.data, site)

        return fill

    # -- in-place expressions

    def _update(
        self, x: Name, dims: Sequence[SliceDim], value: Callable[[], Cell], s: Stm[Ann]
    ) -> GetPlace:
        at, site, heap = s.at, self.heap.site(s), self.heap
        array, slice_, text = self.place(x), self.slice(dims), self.slice_text(x, dims)

        def update() -> Place:
            p, where = array(), slice_()
            traps.update_in_bounds(where, p.lens, text, at)
            heap.put(places.slice_(p, where), (), value(), site)
            return p

        return update

    def _flat_update(self, x: Name, ix: Lmad, value: Callable[[], Cell], s: Stm[Ann]) -> GetPlace:
        at, site, heap = s.at, self.heap.site(s), self.heap
        array, lmad = self.place(x), self.lmad(ix)

        def update() -> Place:
            p, (o, flat) = array(), lmad()
            traps.flat_update_in_bounds(o, flat, p.lens[0], at)
            heap.put(places.flat_slice(p, o, flat), (), value(), site)
            return p

        return update

    def _scatter(self, array: GetPlace, at_: GetPlace, new: GetPlace, s: Stm[Ann]) -> GetPlace:
        """Resolve a scatter: it is a kernel over its indices, in which writes of two different
        values to one index are a race.
        """
        site, heap, level = self.heap.site(s), self.heap, self.level

        def scatter() -> Place:
            p, where, values = array(), at_(), new()
            watch = heap.watch(level, [Name("k")], where.lens, site)
            heap.enter(watch)
            for k in range(where.lens[0]):
                watch.next()
                i = cast(int, heap.load(where, places.address(where, (k,)), site))
                if 0 <= i < p.lens[0]:
                    heap.replace(places.fix(p, (i,)), places.fix(values, (k,)), site)
            heap.leave()
            return p

        return scatter

    def ragged_kernel(self, e: RaggedKernel[Ann], s: Stm[Ann]) -> Callable[[], Cells]:
        """FUNMEM has no kernels over rows."""
        del e, s
        raise unscheduled()

    def kernel(self, e: Kernel[Ann], s: Stm[Ann]) -> Callable[[], Cells]:
        """E-MEM-KERNEL and the collectives."""
        return HeapNest(self, e, s).run()


class _CountedHeapEvaluator(Counted[Cell], _HeapEvaluator):
    """One run of an entry point that raises TooMuch at its limits."""
