"""Γ of one entry point: types and homes of arrays, fresh blocks, which block a block may be."""

from collections.abc import Iterable, Sequence

from funmem.ir.diagnostics import Span, Stuck
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Atom,
    Binder,
    Copy,
    Home,
    MemType,
    Stm,
    Type,
    Var,
)
from funmem.ir.lmad import row_major
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.sizes import Size, product
from funmem.passes.framework import Context
from funmem.passes.mem.allocate.conditions import shows_each_element_once


class Gamma:
    """What is known where a statement is transformed; grows from statement to statement."""

    def __init__(self, fresh: Fresh, ctx: Context) -> None:
        self.fresh = fresh
        self.ctx = ctx
        self.types: dict[Name, Type] = {}
        self.homes: dict[Name, Home] = {}
        self.blocks: dict[Name, frozenset[Name]] = {}
        """Which blocks a block variable may be; a name that is absent is only itself."""
        self.overlapping: set[Name] = set()
        """Arrays that may show an element at several indices."""

    # ------------------------------------------------------------------ Γ

    def bind(self, binders: Sequence[Binder[Ann]]) -> None:
        """Γ, p … p."""
        for b in binders:
            self.types[b.name] = b.type
            if b.home is not None:
                self.homes[b.name] = b.home

    def is_array(self, a: Atom) -> bool:
        return isinstance(a, Var) and isinstance(self.types.get(a.name), ArrayType)

    def may_be(self, block: Name) -> frozenset[Name]:
        """The blocks that a block variable may stand for."""
        return self.blocks.get(block, frozenset({block}))

    # ------------------------------------------------------------------ fresh arrays

    def new_block(self, x: Name, t: ArrayType, at: Span) -> tuple[Name, Stm[Ann]]:
        """A block that holds exactly an array of type ``t``."""
        m = self.fresh(f"{x}_mem")
        return m, self.block_stm(m, product(t.shape) * t.elem.bytes, at)

    def block_stm(self, m: Name, size: Size, at: Span) -> Stm[Ann]:
        return Stm((Binder(m, MemType(), None, at),), Alloc(size), at)

    def fresh_array(self, b: Binder[Ann], at: Span) -> tuple[Stm[Ann], Binder[Ann]]:
        """``alloc`` and the binder with a row-major home in the new block."""
        t = array_type(b)
        m, alloc = self.new_block(b.name, t, at)
        return alloc, evolve(b, home=Home(m, row_major(t.shape)))

    def copied(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """A row-major copy of ``x`` under a fresh name."""
        y: Binder[Ann] = Binder(self.fresh(x), self.types[x], None, at)
        alloc, y = self.fresh_array(y, at)
        self.bind((y,))
        return y.name, (alloc, Stm((y,), Copy(x), at))

    def own(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """An array to be updated in place: ``x``, or a copy if it may overlap itself."""
        why = shows_each_element_once(x, self.overlapping)
        if why is None:
            return x, ()
        self.ctx.remark(x, "(3) an update in place changes one element", why)
        return self.copied(x, at)

    def overlaps(self, a: Atom) -> bool:
        return isinstance(a, Var) and a.name in self.overlapping

    # ------------------------------------------------------------------ branches, loops

    def note_blocks(self, pat: Sequence[Binder[Ann]], *results: Sequence[Atom]) -> None:
        """A block bound by ``pat`` may be any block among the results (a loop may rotate them)."""
        named = (
            self.may_be(a.name)
            for result in results
            for b, a in zip(pat, result, strict=True)
            if isinstance(b.type, MemType) and isinstance(a, Var)
        )
        reachable = frozenset[Name]().union(*named)
        for b in pat:
            if isinstance(b.type, MemType):
                self.blocks[b.name] = reachable | {b.name}

    def note_overlaps(self, pat: Sequence[Binder[Ann]], *results: Sequence[Atom]) -> None:
        """An array bound by ``pat`` may overlap itself if one of its values may."""
        for b, *values in zip(pat, *results, strict=True):
            if any(map(self.overlaps, values)):
                self.overlapping.add(b.name)

    def note_rotated(self, results: Iterable[Name], values: Iterable[Atom]) -> None:
        """A loop hands its parameters on to each other: each of its results may overlap itself if
        one of all initial and next values may.  The parameters themselves are never consumed.
        """
        if any(map(self.overlaps, values)):
            self.overlapping.update(results)


def array_type(b: Binder[Ann]) -> ArrayType:
    """The type of an array binder."""
    if not isinstance(b.type, ArrayType):
        raise Stuck(f"{b.name} is no array")
    return b.type
