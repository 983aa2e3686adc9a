"""The facts about an entry point that the analysis uses: binding statements, homes, liveness."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Binder,
    Body,
    Entry,
    Home,
    Kernel,
    Opaque,
    Stm,
    Type,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of, is_fresh
from funmem.ir.logic.body_facts import BodyFacts, with_sizes
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, product
from funmem.ir.traverse import (
    NESTS,
    bound_in_body,
    bound_in_stms,
    entry_binders,
    free_in_stm,
    inner_binders,
    sub_bodies,
    walk,
)
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.unshared import unshared
from funmem.ir.verify.written import Written
from funmem.passes.mem.liveness import Liveness


class Wholeness:
    """The arrays of an entry point that have no unwritten element, by the verifier's analysis
    (:mod:`funmem.ir.verify.written`), which is run on demand.
    """

    def __init__(self, entry: Entry[Ann]) -> None:
        self._entry = entry

    @cached_property
    def _written(self) -> Written:
        return Written.of(Scene.of_entry(unshared(self._entry)))

    def whole(self, x: Name) -> bool:
        """True if all elements of an array are known to have been written."""
        return self._written.whole(x)


@frozen
class View:
    """An entry point and its analyses."""

    entry: Entry[Ann]
    live: Liveness
    """The liveness of arrays; it does not change when they move."""
    homes: Mapping[Name, Home]
    blocks: Blocks
    types: Mapping[Name, Type]
    made_by: Mapping[Name, Stm[Ann]]
    """The statement that binds a name, or whose loop or operator has it as a parameter."""
    written: "Wholeness"
    """The arrays of which all elements are written; it does not change when they move."""
    knowledge: BodyFacts
    """The facts before each statement of the body."""
    _owners: Mapping[Name, Name]
    """Name bound at any depth -> the last name of the body's statement that contains the
    binding.
    """
    _mentioning: Mapping[Name, frozenset[Name]]
    """Name mentioned at any depth -> the last names of the body's statements that mention it."""
    foreign: tuple[Stm[Ann], ...]
    """The statements of foreign code, which takes arrays as whole blocks."""
    changed: tuple[Name, ...]
    """The keys of the body's statements that were changed last."""
    moved: frozenset[Name]
    """The arrays that were moved last."""
    _scopes: dict[Name, frozenset[Name] | None] = field(factory=dict, eq=False, repr=False)
    """Allocation -> the names in scope there; filled by :meth:`is_older`."""
    _depths: dict[Name, int] = field(factory=dict, eq=False, repr=False)
    """Name -> the number of enclosing kernels; filled by :meth:`kernels_around`."""

    @staticmethod
    def of(e: Entry[Ann]) -> "View":
        """Return the view of an entry point."""
        found = _Bound(e.body.stms)
        binders = (*entry_binders(e), *found.binders)
        homes = {b.name: b.home for b in binders if b.home is not None}
        return View(
            e,
            Liveness.of_entry(e),
            homes,
            blocks_of(e.body),
            {b.name: b.type for b in binders},
            found.made_by,
            Wholeness(e),
            BodyFacts(e.body.stms, lambda: _start(e), with_sizes),
            found.owners,
            _mentioning(e.body),
            tuple(s for s in walk(e.body) if isinstance(s.exp, Opaque)),
            tuple(found.keys),
            frozenset(homes),
        )

    def following(self, e: Entry[Ann]) -> "View":
        """Return the view of the entry point in which arrays have moved; only changed statements
        are analysed.
        """
        old = {id(s) for s in self.entry.body.stms}
        changed = tuple(s for s in e.body.stms if id(s) not in old)
        found = _Bound(changed)
        homes = {b.name: b.home for b in found.binders if b.home is not None}
        blocks = blocks_of(Body(changed, ()))
        return View(
            e,
            self.live,
            {**self.homes, **homes},
            Blocks({**self.blocks.sources, **blocks.sources}) if blocks.sources else self.blocks,
            {**self.types, **{b.name: b.type for b in found.binders}},
            {**self.made_by, **found.made_by},
            self.written,
            self.knowledge.of_changed(e.body.stms),
            {**self._owners, **found.owners},
            self._mentioning,
            self.foreign,
            tuple(found.keys),
            frozenset(x for x, home in homes.items() if self.homes.get(x) != home),
        )

    @cached_property
    def whole(self) -> frozenset[Name]:
        """The arrays that foreign code reads or fills."""
        return frozenset[Name]().union(*map(call_arrays, self.foreign)) & self.homes.keys()

    # ------------------------------------------------------------------ positions in the body

    @cached_property
    def positions(self) -> dict[Name, int]:
        """Key of a statement of the body -> its position, in order."""
        keys = ((_key(s), k) for k, s in enumerate(self.entry.body.stms))
        return {x: k for x, k in keys if x is not None}

    def position(self, x: Name) -> int:
        """Return the position of the body's statement in which a name is bound at any depth; -1 if
        it is not bound in the body.
        """
        owner = self._owners.get(x)
        return -1 if owner is None else self.positions[owner]

    def mentioning(self, names: Iterable[Name]) -> frozenset[Name]:
        """Return the keys of the body's statements that mention one of some arrays at any depth."""
        return frozenset[Name]().union(*(self._mentioning.get(x, ()) for x in names))

    def way_to(self, s: Stm[Ann]) -> tuple[tuple[Body[Ann], int], ...]:
        """Return the bodies around a statement, identified by its last name, outermost first, each
        with the position of the statement that leads on.
        """
        k = self.position(s.pat[-1].name)
        outer = self.entry.body.stms[k]
        if outer.pat and outer.pat[-1].name == s.pat[-1].name:
            return ((self.entry.body, k),)
        inside = (way for b in sub_bodies(outer.exp) if (way := _way_to(b, s)))
        return ((self.entry.body, k), *next(inside))

    # ------------------------------------------------------------------ arrays and blocks

    def shape(self, x: Name) -> tuple[Size, ...]:
        """Return the shape of an array."""
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.shape

    def is_array(self, x: Name) -> bool:
        """True if a name is an array's."""
        return isinstance(self.types.get(x), ArrayType)

    def element_bytes(self, x: Name) -> int:
        """Return the size in bytes of an array's elements."""
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.elem.bytes

    def is_put(self, x: Name) -> bool:
        """True if an array's home is chosen by name: it is fresh or an operator's parameter."""
        s = self.made_by.get(x)
        if s is None:
            return False
        position = next((k for k, p in enumerate(s.pat) if p.name == x), None)
        if position is None:
            return isinstance(s.exp, Kernel)
        return is_fresh(s.exp) and position >= len(in_place_of(s.exp))

    def roots(self, m: Name) -> frozenset[Name]:
        """Return the blocks that a block variable may stand for."""
        return self.blocks.roots(m)

    def arrays_in(self, m: Name) -> frozenset[Name]:
        """Return the arrays that may lie in a block."""
        chosen = self.blocks.sources
        return frozenset(
            x
            for x, home in self.homes.items()
            if home.block == m or (home.block in chosen and m in self.roots(home.block))
        )

    def is_older(self, x: Name, m: Name) -> bool:
        """True if an array, or the array it is a view of, is bound when a block is allocated: then
        it does not lie in the block.  It may lie in the block that the same ``alloc`` made in an
        earlier iteration.
        """
        if m not in self._scopes:
            s = self.made_by.get(m)
            allocated = s is not None and isinstance(s.exp, Alloc)
            self._scopes[m] = _bound_before(self, s) if s and allocated else None
        scope = self._scopes[m]
        if scope is None:
            return False
        source: Name | None = x
        while source is not None and source not in scope:
            s = self.made_by.get(source)
            source = None if s is None else source_of(s.exp)
        return source is not None

    def kernels_around(self, x: Name) -> int:
        """Return the number of kernels around the binding of a name; 0 for a parameter."""
        if not self._depths:
            self._depths.update(_kernels_around(self.entry.body))
        return self._depths.get(x, 0)

    def block_bytes(self, m: Name) -> Size | None:
        """Return the size of a block in bytes, if its allocation or the parameter in it determines
        it.
        """
        s = self.made_by.get(m)
        if s is not None:
            return s.exp.size if isinstance(s.exp, Alloc) else None
        for p in self.entry.params:
            b = p.binder
            if b.home is not None and b.home.block == m and isinstance(b.type, ArrayType):
                return product(b.type.shape) * b.type.elem.bytes
        return None


def _start(e: Entry[Ann]) -> PointFacts:
    """Return the facts at the start, with tables of their own for types and homes."""
    known = of_entry(e)
    return evolve(known, types=dict(known.types), homes=dict(known.homes))


def names_of(stms: Iterable[Stm[Ann]]) -> frozenset[Name]:
    """Return the names that the patterns of statements bind."""
    return frozenset(b.name for s in stms for b in s.pat)


def body_of(view: View, s: Stm[Ann]) -> tuple[Body[Ann], int]:
    """Return the body that contains a statement, identified by its last name, and its position
    there.
    """
    return view.way_to(s)[-1]


def bound_after(view: View, s: Stm[Ann], names: Iterable[Name]) -> frozenset[Name]:
    """Return the names that are bound by statements around ``s`` or after it, not by those before
    it.
    """
    (_, first), *inside = view.way_to(s)
    around = set(names_of((view.entry.body.stms[first],)))
    for b, k in inside:
        around |= names_of((b.stms[k],)) | bound_in_stms(b.stms[k + 1 :])
    return frozenset(x for x in names if view.position(x) > first or x in around)


def _way_to(b: Body[Ann], s: Stm[Ann]) -> tuple[tuple[Body[Ann], int], ...]:
    """Return the bodies around a statement, outermost first, each with the position that
    leads on.
    """
    wanted = s.pat[-1].name  # moving arrays may add names before it, to `if` and `loop`
    for k, t in enumerate(b.stms):
        if t.pat and t.pat[-1].name == wanted:
            return ((b, k),)
    for k, t in enumerate(b.stms):
        if t.exp.__class__ in NESTS:
            for inner in sub_bodies(t.exp):
                if wanted in bound_in_body(inner) and (way := _way_to(inner, s)):
                    return ((b, k), *way)
    return ()


def _bound_before(view: View, s: Stm[Ann]) -> frozenset[Name]:
    """Return the names in scope at a statement, the entry point's parameters included."""
    names = {p.binder.name for p in view.entry.params}
    for inner, k in view.way_to(s):
        names |= names_of(inner.stms[:k])
        names |= {p.name for p in inner_binders(inner.stms[k].exp)}
    return frozenset(names)


class _Bound:
    """The binders of statements, at any depth, and the statement of each."""

    def __init__(self, stms: tuple[Stm[Ann], ...]) -> None:
        self.binders: list[Binder[Ann]] = []
        self.made_by: dict[Name, Stm[Ann]] = {}
        self.owners: dict[Name, Name] = {}
        self.keys: list[Name] = []
        for outer in stms:
            if (key := _key(outer)) is not None:
                self.keys.append(key)
            for s in walk(Body((outer,), ())):
                bound = s.pat if s.exp.__class__ not in NESTS else (*s.pat, *inner_binders(s.exp))
                for b in bound:
                    self.binders.append(b)
                    self.made_by[b.name] = s
                    if key is not None:
                        self.owners[b.name] = key


def _key(s: Stm[Ann]) -> Name | None:
    """Return the key of a statement, which does not change when arrays move: the last name that it
    binds; None if it binds nothing at any depth.
    """
    if s.pat:
        return s.pat[-1].name
    return next((p.name for t in walk(Body((s,), ())) for p in t.pat), None)


def call_arrays(s: Stm[Ann]) -> frozenset[Name]:
    """Return the operands and results of a statement of foreign code; some are scalars."""
    assert isinstance(s.exp, Opaque)
    given = (a.name for a in s.exp.args if isinstance(a, Var))
    return frozenset((*given, *(p.name for p in s.pat)))


def _mentioning(b: Body[Ann]) -> dict[Name, frozenset[Name]]:
    found: dict[Name, set[Name]] = {}
    for s in b.stms:
        if (key := _key(s)) is not None:
            for x in free_in_stm(s):
                found.setdefault(x, set()).add(key)
    return {x: frozenset(at) for x, at in found.items()}


def _kernels_around(b: Body[Ann]) -> dict[Name, int]:
    """Return the number of kernels around the binding of each name of a body."""
    found: dict[Name, int] = {}
    todo = [(b, 0)]
    while todo:
        body, depth = todo.pop()
        for s in body.stms:
            found |= {p.name: depth for p in (*s.pat, *inner_binders(s.exp))}
            inside = depth + isinstance(s.exp, Kernel)
            todo += [(inner, inside) for inner in sub_bodies(s.exp)]
    return found
