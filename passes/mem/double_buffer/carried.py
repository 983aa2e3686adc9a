"""The values that a loop carries from one iteration to the next: array parameters and their
blocks.
"""

from collections.abc import Iterator, Mapping

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Binder,
    Body,
    Entry,
    Home,
    Kernel,
    Loop,
    Space,
    Stm,
    Var,
)
from funmem.ir.lmad import Lmad, row_major
from funmem.ir.logic.blocks import Blocks, is_fresh
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.traverse import (
    bound_in_body,
    entry_binders,
    inner_binders,
    inner_indices,
    walk,
)


@frozen
class Rewritten:
    """The statements that replace a loop; ``made`` lists the copies among them and the reason for
    each.
    """

    stms: tuple[Stm[Ann], ...]
    made: tuple[tuple[Stm[Ann], str], ...]


@frozen
class Carried:
    """An array parameter of a loop."""

    position: int
    name: Name
    type: ArrayType
    home: Home
    init: Name
    """The initial array."""
    result: Name
    """The array that the body returns for it."""


@frozen
class LoopView:
    """A loop, and the facts about the entry point around it."""

    stm: Stm[Ann]
    loop: Loop[Ann]
    in_kernel: bool
    in_loop: bool
    """True if another loop is around it, in the same kernel or on the host."""
    around: Body[Ann]
    """The body that contains the loop as a statement."""
    updatable: frozenset[Name]
    """The parameters that the entry point may update, if ``around`` is its body; otherwise
    empty.
    """
    entry: Body[Ann]
    blocks: Blocks
    homes: Mapping[Name, Home]

    @property
    def before(self) -> tuple[Stm[Ann], ...]:
        """The statements in front of the loop, in the same body."""
        return self.around.stms[: self._place]

    @property
    def after(self) -> tuple[Stm[Ann], ...]:
        """The statements behind the loop, in the same body."""
        return self.around.stms[self._place + 1 :]

    @property
    def _place(self) -> int:
        return next(k for k, s in enumerate(self.around.stms) if s is self.stm)

    @property
    def bound(self) -> frozenset[Name]:
        """All names that the loop binds."""
        params = (p.binder.name for p in self.loop.params)
        return bound_in_body(self.loop.body).union(params, inner_indices(self.loop))

    def arrays(self) -> Iterator[Carried]:
        """Yield the array parameters."""
        for j, (p, a) in enumerate(zip(self.loop.params, self.loop.body.result, strict=True)):
            b = p.binder
            if isinstance(b.type, ArrayType) and isinstance(p.init, Var) and isinstance(a, Var):
                assert b.home is not None
                yield Carried(j, b.name, b.type, b.home, p.init.name, a.name)

    def allocated_inside(self) -> frozenset[Name]:
        """Return the device blocks that the body allocates, at any depth."""
        return frozenset(
            s.pat[0].name
            for s in walk(self.loop.body)
            if isinstance(s.exp, Alloc) and s.exp.space is Space.DEVICE
        )

    def may_lie_in(self, array: Name, block: Name) -> bool:
        """True if an array may lie in a block that ``block`` stands for."""
        return block in self.blocks.reach(self.homes[array].block)

    def is_new(self, c: Carried) -> bool:
        """True if the parameter's next value may lie in a block that the body allocates.

        If the loop does not carry the parameter's block, all its values lie in the same block.
        """
        if all(p.binder.name != c.home.block for p in self.loop.params):
            return False
        roots = self.blocks.roots(self.homes[c.result].block)
        return not roots.isdisjoint(self.allocated_inside())

    def put_there(self, c: Carried) -> Iterator[Binder[Ann]]:
        """Yield the fresh arrays that are put by name into the block of a parameter with new
        values, or into the block that the loop returns for it.
        """
        blocks = {
            name
            for p, b in zip(self.loop.params, self.stm.pat, strict=True)
            if p.binder.name == c.home.block
            for name in (p.binder.name, b.name)
        }
        for b in _placed(self.entry):
            if b.home is not None and not blocks.isdisjoint(self.blocks.reach(b.home.block)):
                yield b


def _placed(b: Body[Ann]) -> Iterator[Binder[Ann]]:
    """Yield the fresh arrays and operators' parameters of a body: their homes are chosen by
    name.
    """
    for s in walk(b):
        if is_fresh(s.exp):
            yield from s.pat
        if isinstance(s.exp, Kernel):
            yield from inner_binders(s.exp)


def is_dense(t: ArrayType, ix: Lmad) -> bool:
    """True if an index function is row-major from any offset, hence injective."""
    return ix.strides == row_major(t.shape).strides


def homes_of(e: Entry[Ann]) -> dict[Name, Home]:
    """Return the home of every array of an entry point."""
    inner = (b for s in walk(e.body) for b in (*s.pat, *inner_binders(s.exp)))
    binders: tuple[Binder[Ann], ...] = (*entry_binders(e), *inner)
    return {b.name: b.home for b in binders if b.home is not None}
