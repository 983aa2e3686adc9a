"""Which block names never stand for the same block at run time.

Names are bound once.  Two names that are in scope together are *apart* if they never stand for the
same block:

    alloc          the new block differs from the block of each name in scope
    parameters     each array that crosses the border has a block of its own (T-MEM-PROG)
    if             apart in both branches
    loop           an invariant: apart before the loop, and again after every iteration

The loop invariant is the greatest fixed point: all pairs are assumed at first, and pairs that an
iteration does not preserve are removed until nothing changes.
"""

from collections.abc import Iterable, Mapping

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Binder,
    Body,
    DerivedArray,
    Entry,
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
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define, frozen
from funmem.ir.traverse import sub_bodies

Pair = frozenset[Name]
Pairs = frozenset[Pair]


@frozen
class Blocks:
    """The block names of an entry point, and which of them are apart."""

    pairs: Pairs
    sources: Mapping[Name, frozenset[Name]]
    """A block name -> the names that ``if`` or ``loop`` may bind it to."""
    older: Mapping[Name, frozenset[Name]]
    """An allocated name -> the names in scope before its ``alloc``, whose blocks all differ."""

    @staticmethod
    def of_entry(e: Entry[Ann]) -> "Blocks":
        """Return the analysis of one entry point."""
        scope = tuple(b.name for b in e.implicit if isinstance(b.type, MemType))
        found: dict[Name, frozenset[Name]] = {}
        older: dict[Name, frozenset[Name]] = {}
        pairs = _Walk(found, older).body(e.body, scope, _all_pairs(scope))
        return Blocks(pairs, found, older)

    def apart(self, a: Name, b: Name) -> bool:
        """True if two names in scope together never stand for the same block."""
        return _apart(a, b, self.pairs, self.older)

    def leaves(self, m: Name, inside: frozenset[Name] = frozenset()) -> frozenset[Name]:
        """Return the names of the blocks that ``m`` may stand for.

        They are bound neither by ``if`` nor by ``loop``; or, if ``inside`` is not empty, they are
        bound outside of ``inside``.
        """
        seen: set[Name] = set()
        ends: set[Name] = set()
        todo = [m]
        while todo:
            x = todo.pop()
            if x in seen:
                continue
            seen.add(x)
            if x not in self.sources or (inside and x not in inside):
                ends.add(x)
            else:
                todo += self.sources[x]
        return frozenset(ends)


def _all_pairs(names: Iterable[Name]) -> Pairs:
    names = tuple(names)
    return frozenset(frozenset((a, b)) for a in names for b in names if a != b)


@define
class _Walk:
    sources: dict[Name, frozenset[Name]]
    older: dict[Name, frozenset[Name]]

    def body(self, b: Body[Ann], scope: tuple[Name, ...], pairs: Pairs) -> Pairs:
        for s in b.stms:
            scope, pairs = self.statement(s, scope, pairs)
        return pairs

    def statement(
        self, s: Stm[Ann], scope: tuple[Name, ...], pairs: Pairs
    ) -> tuple[tuple[Name, ...], Pairs]:
        match s.exp:
            case Alloc():
                m = s.pat[0].name
                self.older[m] = frozenset(scope)
                return (*scope, m), pairs
            case If(_, then, orelse):
                first, second = self.body(then, scope, pairs), self.body(orelse, scope, pairs)
                bound = _blocks(s.pat, then.result, orelse.result)
                new = self.kept(bound, 0, scope, first) & self.kept(bound, 1, scope, second)
                return self.bind(bound, scope, first | second | new)
            case Loop(params, _, body):
                bound = _blocks([p.binder for p in params], [p.init for p in params], body.result)
                holds = self.kept(bound, 0, scope, pairs)
                names = tuple(bound)
                while True:
                    inside = self.body(body, (*scope, *names), pairs | holds)
                    still = holds & self.kept(bound, 1, scope, inside)
                    if still == holds:
                        break
                    holds = still
                results = _blocks(s.pat, [p.init for p in params], body.result)
                image = dict(zip(names, results, strict=True))
                after = {frozenset(image.get(x, x) for x in pair) for pair in holds}
                self.sources.update({x: frozenset(values) for x, values in bound.items()})
                return self.bind(results, scope, inside | after)
            case Kernel():
                for inner in sub_bodies(s.exp):
                    pairs = pairs | self.body(inner, scope, pairs)
                return scope, pairs
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert():
                return scope, pairs
            case Opaque():
                return scope, pairs
            case RaggedKernel():
                raise unscheduled()

    def bind(
        self, bound: Mapping[Name, tuple[Name, Name]], scope: tuple[Name, ...], pairs: Pairs
    ) -> tuple[tuple[Name, ...], Pairs]:
        self.sources.update({x: frozenset(values) for x, values in bound.items()})
        return (*scope, *bound), pairs

    def kept(
        self,
        bound: Mapping[Name, tuple[Name, Name]],
        way: int,
        scope: tuple[Name, ...],
        pairs: Pairs,
    ) -> Pairs:
        """Return the pairs with a bound name that are apart on one way."""
        found: set[Pair] = set()
        names = list(bound)
        for k, x in enumerate(names):
            value = bound[x][way]
            for y in scope:
                if _apart(value, y, pairs, self.older):
                    found.add(frozenset((x, y)))
            for y in names[:k]:
                if _apart(value, bound[y][way], pairs, self.older):
                    found.add(frozenset((x, y)))
        return frozenset(found)


def _apart(a: Name, b: Name, pairs: Pairs, older: Mapping[Name, frozenset[Name]]) -> bool:
    return frozenset((a, b)) in pairs or a in older.get(b, ()) or b in older.get(a, ())


def _blocks(
    pat: Iterable[Binder[Ann]], one: Iterable[Atom], other: Iterable[Atom]
) -> dict[Name, tuple[Name, Name]]:
    """Return the block names of a pattern, each with its values on two ways."""
    triples = zip(pat, one, other, strict=True)
    return {
        b.name: (a.name, c.name)
        for b, a, c in triples
        if isinstance(b.type, MemType) and isinstance(a, Var) and isinstance(c, Var)
    }
