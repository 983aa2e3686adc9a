"""Points-to analysis of block variables: the blocks that each one may stand for.

A block is named by its ``alloc`` or by an entry point's implicit parameter.  ``if`` and ``loop``
bind further names, which stand for one of several blocks at run time, so two names may stand for
the same block.
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Binder,
    Body,
    DerivedArray,
    Exp,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    MemType,
    Opaque,
    RaggedKernel,
    Scalar,
    Space,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.traverse import sub_bodies, walk


@frozen
class Blocks:
    """For every block name that ``if`` or ``loop`` binds: the names that it may be bound to."""

    sources: Mapping[Name, frozenset[Name]]
    _roots: dict[Name, frozenset[Name]] = field(factory=dict, init=False, eq=False, repr=False)

    def reach(self, m: Name) -> frozenset[Name]:
        """Return ``m`` and all names that it may be bound to, directly or through other names."""
        seen: set[Name] = set()
        todo = [m]
        while todo:
            x = todo.pop()
            if x not in seen:
                seen.add(x)
                todo += self.sources.get(x, ())
        return frozenset(seen)

    def reach_all(self, ms: Iterable[Name]) -> frozenset[Name]:
        """Return the union of :meth:`reach` over ``ms``."""
        return frozenset[Name]().union(*map(self.reach, ms))

    def including(self, b: Body[Ann]) -> "Blocks":
        """Return these sources and those of a body; the body's replace those of the same name."""
        return Blocks({**self.sources, **blocks_of(b).sources})

    def roots(self, m: Name) -> frozenset[Name]:
        """Return the allocations and parameters that ``m`` may stand for."""
        if m not in self._roots:
            self._roots[m] = frozenset(x for x in self.reach(m) if x not in self.sources)
        return self._roots[m]


def blocks_of(b: Body[Ann]) -> Blocks:
    """Return the sources of all block names that ``if`` and ``loop`` bind inside a body."""
    sources: dict[Name, frozenset[Name]] = {}
    for s in walk(b):
        for m, values in _bound(s):
            sources[m] = sources.get(m, frozenset()) | _names(values)
    return Blocks(sources)


def apart(s: Stm[Ann], blocks: Blocks) -> frozenset[frozenset[Name]]:
    """Return the pairs of block variables of a loop, parameters or results, that are never the same
    block.  A loop that rotates blocks keeps them distinct.

    Two parameters may be the same block if their initial values may, or if the values that the body
    returns for them may, given the pairs found so far: a least fixed point.
    """
    if not isinstance(s.exp, Loop):
        return frozenset()
    bound = {
        p.binder.name: (p.init.name, a.name, b.name)
        for p, a, b in zip(s.exp.params, s.exp.body.result, s.pat, strict=True)
        if is_block(p.binder) and isinstance(p.init, Var) and isinstance(a, Var)
    }
    pairs = {frozenset((p, q)) for p in bound for q in bound if p < q}

    def differ(a: Name, b: Name) -> bool:
        if a in bound and b in bound:
            return frozenset((a, b)) in pairs
        return blocks.roots(a).isdisjoint(blocks.roots(b))

    def stay(p: Name, q: Name) -> bool:
        (p0, p1, _), (q0, q1, _) = bound[p], bound[q]
        return blocks.roots(p0).isdisjoint(blocks.roots(q0)) and differ(p1, q1)

    while pairs != (kept := {pair for pair in pairs if stay(*pair)}):
        pairs = kept
    return frozenset(pairs | {frozenset(bound[p][2] for p in pair) for pair in pairs})


def _bound(s: Stm[Ann]) -> Iterator[tuple[Name, tuple[Atom, ...]]]:
    """Yield the block names that a statement binds, and the atoms that they may be bound to."""
    match s.exp:
        case If(_, then, orelse):
            for b, x, y in zip(s.pat, then.result, orelse.result, strict=True):
                if is_block(b):
                    yield b.name, (x, y)
        case Loop(params, _, body):
            for b, p, a in zip(s.pat, params, body.result, strict=True):
                if is_block(b):
                    yield p.binder.name, (p.init, a)
                    yield b.name, (p.init, a)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
            return
        case Kernel() | Assert() | Alloc() | Opaque():
            return
        case RaggedKernel():
            return


def _names(atoms: Iterable[Atom]) -> frozenset[Name]:
    return frozenset(a.name for a in atoms if isinstance(a, Var))


def is_block(b: Binder[Ann]) -> bool:
    """True if a binder binds a block."""
    return isinstance(b.type, MemType)


def is_fresh(e: Exp[Ann]) -> bool:
    """True if an expression writes the whole home of each array that it binds."""
    return isinstance(e, FreshArray | Kernel | Opaque)


def allocation_in_kernel(s: Stm[Ann]) -> Stm[Ann] | None:
    """Return a device allocation inside a kernel statement, at any depth; None if there is none."""
    if isinstance(s.exp, Kernel):
        for b in sub_bodies(s.exp):
            for t in walk(b):
                if isinstance(t.exp, Alloc) and t.exp.space is Space.DEVICE:
                    return t
    return None
