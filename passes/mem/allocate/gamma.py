"""Γ of one entry point: types and homes of arrays, fresh blocks, and the blocks that each block
variable may stand for.
"""

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
    """The environment in which a statement is transformed; it grows from statement to statement."""

    def __init__(self, fresh: Fresh, ctx: Context) -> None:
        self.fresh = fresh
        self.ctx = ctx
        self.types: dict[Name, Type] = {}
        self.homes: dict[Name, Home] = {}
        self.blocks: dict[Name, frozenset[Name]] = {}
        """Block variable -> the blocks it may stand for; an absent name stands for itself."""
        self.overlapping: set[Name] = set()
        """Arrays that may contain an element at several indices."""

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
        """Return the blocks that a block variable may stand for."""
        return self.blocks.get(block, frozenset({block}))

    # ------------------------------------------------------------------ fresh arrays

    def new_block(self, x: Name, t: ArrayType, at: Span) -> tuple[Name, Stm[Ann]]:
        """Return the name and the allocation of a block that holds exactly one array of
        type ``t``.
        """
        m = self.fresh(f"{x}_mem")
        return m, self.block_stm(m, product(t.shape) * t.elem.bytes, at)

    def block_stm(self, m: Name, size: Size, at: Span) -> Stm[Ann]:
        return Stm((Binder(m, MemType(), None, at),), Alloc(size), at)

    def fresh_array(self, b: Binder[Ann], at: Span) -> tuple[Stm[Ann], Binder[Ann]]:
        """Return ``alloc`` and the binder with a row-major home in the new block."""
        t = array_type(b)
        m, alloc = self.new_block(b.name, t, at)
        return alloc, evolve(b, home=Home(m, row_major(t.shape)))

    def copied(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """Return a fresh name, and the statements that bind it to a row-major copy of ``x``."""
        y: Binder[Ann] = Binder(self.fresh(x), self.types[x], None, at)
        alloc, y = self.fresh_array(y, at)
        self.bind((y,))
        return y.name, (alloc, Stm((y,), Copy(x), at))

    def own(self, x: Name, at: Span) -> tuple[Name, tuple[Stm[Ann], ...]]:
        """Return an array to be updated in place: ``x``, or a copy if an element may occur twice in
        ``x``.
        """
        why = shows_each_element_once(x, self.overlapping)
        if why is None:
            return x, ()
        self.ctx.remark(x, "(3) an update in place changes one element", why)
        return self.copied(x, at)

    def overlaps(self, a: Atom) -> bool:
        return isinstance(a, Var) and a.name in self.overlapping

    # ------------------------------------------------------------------ branches, loops

    def note_blocks(self, pat: Sequence[Binder[Ann]], *results: Sequence[Atom]) -> None:
        """Record that a block bound by ``pat`` may be any block among the results (a loop may
        rotate them).
        """
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
        """Record each array bound by ``pat`` of which a value may overlap itself."""
        for b, *values in zip(pat, *results, strict=True):
            if any(map(self.overlaps, values)):
                self.overlapping.add(b.name)

    def note_rotated(self, results: Iterable[Name], values: Iterable[Atom]) -> None:
        """Record a loop's ``results`` as overlapping if one of all initial and next values may
        overlap itself: a loop may pass its parameters on to each other.  The parameters themselves
        are never consumed.
        """
        if any(map(self.overlaps, values)):
            self.overlapping.update(results)


def array_type(b: Binder[Ann]) -> ArrayType:
    """Return the type of an array binder."""
    if not isinstance(b.type, ArrayType):
        raise Stuck(f"{b.name} is not an array")
    return b.type
