"""What the analysis knows about an entry point: who is bound where, where everything lives."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field

from funmem.ir.fun import Alloc, Ann, ArrayType, Body, Entry, Home, Kernel, Stm, Type
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, product
from funmem.ir.traverse import (
    NESTS,
    bound_in_stms,
    entry_binders,
    inner_binders,
    sub_bodies,
    walk,
)
from funmem.passes.facts import Known, of_entry
from funmem.passes.mem.blocks import Blocks, blocks_of, is_fresh
from funmem.passes.mem.derive import in_place_of, source_of
from funmem.passes.mem.liveness import Liveness
from funmem.passes.verify.scene import Scene
from funmem.passes.verify.unshared import unshared
from funmem.passes.verify.written import Written


class Wholeness:
    """Which arrays of an entry point have no element that was never written; the verifier's
    analysis (:mod:`funmem.passes.verify.written`), when somebody asks.
    """

    def __init__(self, entry: Entry[Ann]) -> None:
        self._entry = entry

    @cached_property
    def _written(self) -> Written:
        return Written.of(Scene.of_entry(unshared(self._entry)))

    def whole(self, x: Name) -> bool:
        """Whether it is known that all elements of an array have been written."""
        return self._written.whole(x)


@frozen
class View:
    """An entry point and the analyses of it."""

    entry: Entry[Ann]
    live: Liveness
    """Of the arrays: it does not change when they move."""
    homes: Mapping[Name, Home]
    blocks: Blocks
    types: Mapping[Name, Type]
    made_by: Mapping[Name, Stm[Ann]]
    """The statement that binds a name, or whose loop or operator has it as a parameter."""
    start: Known
    """What is known at the start of the body."""
    written: "Wholeness"
    """Which arrays have all their elements: it does not change when they move."""
    _older: dict[Name, frozenset[Name]] = field(factory=dict, eq=False, repr=False)
    """What :meth:`older` has answered."""

    @staticmethod
    def of(e: Entry[Ann], before: "View | None" = None) -> "View":
        """Everything about an entry point; ``before``: in which the same arrays lay elsewhere."""
        binders = list(entry_binders(e))
        made_by: dict[Name, Stm[Ann]] = {}
        for s in walk(e.body):
            bound = s.pat if s.exp.__class__ not in NESTS else (*s.pat, *inner_binders(s.exp))
            for b in bound:
                binders.append(b)
                made_by[b.name] = s
        return View(
            e,
            Liveness.of_entry(e) if before is None else before.live,
            {b.name: b.home for b in binders if b.home is not None},
            blocks_of(e.body),
            {b.name: b.type for b in binders},
            made_by,
            _start(e) if before is None else before.start,
            Wholeness(e) if before is None else before.written,
        )

    def shape(self, x: Name) -> tuple[Size, ...]:
        """The shape of an array."""
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.shape

    def is_array(self, x: Name) -> bool:
        """Whether a name is an array's."""
        return isinstance(self.types.get(x), ArrayType)

    def element_bytes(self, x: Name) -> int:
        """The size in bytes of an array's elements."""
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.elem.bytes

    def is_put(self, x: Name) -> bool:
        """Whether an array is put somewhere by name: a fresh one, or an operator's parameter."""
        s = self.made_by.get(x)
        if s is None:
            return False
        position = next((k for k, p in enumerate(s.pat) if p.name == x), None)
        if position is None:
            return isinstance(s.exp, Kernel)
        return is_fresh(s.exp) and position >= len(in_place_of(s.exp))

    def roots(self, m: Name) -> frozenset[Name]:
        """The blocks that a block variable may be."""
        return self.blocks.roots(m)

    def arrays_in(self, m: Name) -> frozenset[Name]:
        """The arrays that may lie in a block."""
        return frozenset(x for x, home in self.homes.items() if m in self.roots(home.block))

    def older(self, m: Name) -> frozenset[Name]:
        """The arrays that are bound when a block is allocated, and views of these: none of them
        lies in it.  One of them may lie in the block that the same ``alloc`` made in an earlier
        iteration.
        """
        if m not in self._older:
            self._older[m] = self._bound_before(m)
        return self._older[m]

    def _bound_before(self, m: Name) -> frozenset[Name]:
        s = self.made_by.get(m)
        if s is None or not isinstance(s.exp, Alloc):
            return frozenset()
        params = frozenset(p.binder.name for p in self.entry.params)
        found = set(params | _bound_before(self.entry.body, s))
        for t in walk(self.entry.body):
            if source_of(t.exp) in found:
                found |= {p.name for p in t.pat}
        return frozenset(found)

    def block_bytes(self, m: Name) -> Size | None:
        """How many bytes a block has, if its allocation or the parameter in it tells."""
        s = self.made_by.get(m)
        if s is not None:
            return s.exp.size if isinstance(s.exp, Alloc) else None
        for p in self.entry.params:
            b = p.binder
            if b.home is not None and b.home.block == m and isinstance(b.type, ArrayType):
                return product(b.type.shape) * b.type.elem.bytes
        return None


def _start(e: Entry[Ann]) -> Known:
    """What is known at the start; whoever goes on from there has homes of its own."""
    known = of_entry(e)
    return evolve(known, types=dict(known.types), homes=dict(known.homes))


def names_of(stms: Iterable[Stm[Ann]]) -> frozenset[Name]:
    """What the patterns of statements bind."""
    return frozenset(b.name for s in stms for b in s.pat)


def body_of(e: Entry[Ann], s: Stm[Ann]) -> tuple[Body[Ann], int]:
    """The body in which a statement stands, known by its last name, and its position there."""
    *_, (b, k) = _way_to(e.body, s)
    return b, k


def bound_after(e: Entry[Ann], s: Stm[Ann]) -> frozenset[Name]:
    """What is bound by the statements around ``s`` and after it, not by those before it."""
    names: set[Name] = set()
    for b, k in _way_to(e.body, s):
        names |= names_of((b.stms[k],)) | bound_in_stms(b.stms[k + 1 :])
    return frozenset(names)


def _way_to(b: Body[Ann], s: Stm[Ann]) -> tuple[tuple[Body[Ann], int], ...]:
    """The bodies around a statement, outermost first, each with the position to go on from."""
    wanted = s.pat[-1].name  # moving arrays may add names before it, to `if` and `loop`
    for k, t in enumerate(b.stms):
        if t.pat and t.pat[-1].name == wanted:
            return ((b, k),)
        if t.exp.__class__ not in NESTS:
            continue
        for inner in sub_bodies(t.exp):
            if way := _way_to(inner, s):
                return ((b, k), *way)
    return ()


def _bound_before(b: Body[Ann], s: Stm[Ann]) -> frozenset[Name]:
    """The names in scope at a statement, apart from the entry point's parameters."""
    names: set[Name] = set()
    for inner, k in _way_to(b, s):
        names |= names_of(inner.stms[:k])
        names |= {p.name for p in inner_binders(inner.stms[k].exp)}
    return frozenset(names)
