"""Bindings of the heap interpreter: coherence of annotations, and lifetimes of blocks.

A cell is a scalar, a block, or the :class:`~funmem.interp.places.Place` of an array: a block and
an index function of integers.  At every binding of an array, its place must equal the value of the
annotation (errata 18).
"""

from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

from funmem.interp import places, traps
from funmem.interp.control import Bind, Control
from funmem.interp.heap_memory import Heap
from funmem.interp.places import Block, Cell, Place
from funmem.interp.traps import Shape
from funmem.ir.diagnostics import FaultKind, MemoryFault, Span, Stuck
from funmem.ir.fun import Alloc, Ann, ArrayType, Binder, Body, Loop, MemType, Stm
from funmem.ir.names import Name
from funmem.ir.traverse import walk

Cells: TypeAlias = tuple[Cell, ...]
GetPlace: TypeAlias = Callable[[], Place]
NewPlace: TypeAlias = Callable[[Shape], Place]


class HeapScope(Control[Cell], ABC):
    """One run of an entry point: bindings and lifetimes."""

    def __init__(self, heap: Heap) -> None:
        super().__init__()
        self.heap = heap
        self.level = 0
        """The static number of kernels around the statement that is being resolved."""
        self._loop_marks: list[int] = []
        self._places = cast(dict[Name, Place], self.values)
        self._blocks = cast(dict[Name, Block], self.values)

    # -- binding

    def place(self, x: Name) -> GetPlace:
        """Return a function that gives the place of an array."""
        self.array_type(x)
        values = self._places
        return lambda: values[x]

    def home(self, b: Binder[Ann]) -> GetPlace:
        """Return a function that evaluates a binder's annotation."""
        t, home = b.type, b.home
        if not isinstance(t, ArrayType) or home is None:
            raise Stuck(f"`{b.name}` has no home")
        if not isinstance(self.type_of(home.block), MemType):
            raise Stuck(f"`{home.block}` is not a block")
        x, elem, blocks = home.block, t.elem, self._blocks
        offset = self.size(home.ix.offset)
        lens = self.sizes([d.len for d in home.ix.dims])
        strides = self.sizes([d.stride for d in home.ix.dims])
        return lambda: Place(blocks[x], elem, offset(), lens(), strides())

    def new(self, b: Binder[Ann], at: Span) -> NewPlace:
        """Return a function that gives the home of a new array, and checks its shape and bounds."""
        home, heap = self.home(b), self.heap

        def get(shape: Shape) -> Place:
            p = home()
            if p.lens != shape:
                what = f"`{b.name}` has shape {traps.show_shape(shape)}, its home is {p}"
                raise MemoryFault(FaultKind.INCOHERENT, what, at)
            heap.fits(p, at)
            return p

        return get

    def binds(self, pat: Sequence[Binder[Ann]], at: Span) -> Bind[Cell]:
        """Return a function that binds cells to names and checks places of arrays (errata 18)."""
        for b in pat:
            self.types[b.name] = b.type
        names = [b.name for b in pat]
        homes = [(b, self.home(b)) for b in pat if isinstance(b.type, ArrayType)]
        values, found = self.values, self._places

        def bind_scalars(cells: Iterable[Cell]) -> None:
            values.update(zip(names, cells, strict=True))

        def bind_all(cells: Iterable[Cell]) -> None:
            values.update(zip(names, cells, strict=True))
            for b, home in homes:
                if not places.same(found[b.name], wanted := home()):
                    raise incoherent(b, found[b.name], wanted, at)

        return bind_all if homes else bind_scalars

    # -- lifetime of blocks

    def body(self, b: Body[Ann]) -> Callable[[], Cells]:
        """E-STMS; blocks that a body allocates and does not return are dead after it."""
        run, heap = super().body(b), self.heap
        if not _allocates(b):
            return run

        def run_body() -> Cells:
            mark = heap.mark()
            results = run()
            heap.settle(mark, results)
            return results

        return run_body

    def loop(self, e: Loop[Ann], s: Stm[Ann]) -> Callable[[], Cells]:
        """E-FOR, E-WHILE; marks the beginning of the loop for ``loop_body``."""
        run, heap, marks = super().loop(e, s), self.heap, self._loop_marks

        def run_loop() -> Cells:
            marks.append(heap.mark())
            results = run()
            marks.pop()
            return results

        return run_loop if _allocates(e.body) else run

    def loop_body(self, b: Body[Ann]) -> Callable[[], Cells]:
        """Resolve a loop's body; blocks of earlier iterations that it does not return are dead."""
        run, heap, marks = self.body(b), self.heap, self._loop_marks

        def run_body() -> Cells:
            results = run()
            heap.settle(marks[-1], results)
            return results

        return run_body if _allocates(b) else run


def _allocates(b: Body[Ann]) -> bool:
    return any(isinstance(s.exp, Alloc) for s in walk(b))


def incoherent(b: Binder[Ann], found: Place | str, wanted: Place, at: Span) -> MemoryFault:
    """Return the fault of an array whose place differs from its annotation."""
    message = f"`{b.name}` lies at {found}; its annotation @ {b.home} says {wanted}"
    return MemoryFault(FaultKind.INCOHERENT, message, at)
