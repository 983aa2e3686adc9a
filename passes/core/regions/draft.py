"""A program whose regions are being inferred: expressions with types in which regions may be equal.

A :class:`Draft` is an expression of Core with its type and the types directly inside it, with
regions, and the drafts of its parts.  The unifier says which regions are one.  When all constraints
are known, placement.py chooses where regions begin, and ``built`` makes the tree of Core/r.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import map_parts, map_type, unsized
from funmem.ir.names import Name, stem
from funmem.ir.record import define
from funmem.ir.regions.forms import AT, ENDREGION, LETREGION, STATIC, bare, wrapped


class Strategy(Enum):
    """How many regions there are."""

    ONE = "one"
    """One for the program, which never ends."""
    TYPE = "type"
    """One for each type in each definition."""
    INFERRED = "inferred"
    """As many as unification leaves."""


class Regions:
    """The supply of regions, and which of them are one."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self._count = 0
        self._parent: dict[Name, Name] = {}
        self._by_type: dict[Type, Name] = {}
        self._called: dict[str, Name] = {}
        self._of_source = set[Name]()

    def begin(self) -> None:
        """Begin a group of definitions: its types get regions of their own."""
        self._by_type, self._called = {}, {}

    def fresh(self, t: Type) -> Name:
        """Return the region for a new value of the type, which may have regions or not."""
        match self._strategy:
            case Strategy.ONE:
                return STATIC
            case Strategy.TYPE:
                key = unsized(bare(t))
                if key not in self._by_type:
                    self._by_type[key] = self._new()
                return self._by_type[key]
            case Strategy.INFERRED:
                return self._new()

    def _new(self) -> Name:
        self._count += 1
        return Name(f"r{self._count}")

    def called(self, name: str) -> Name:
        """Return the region of the group that the source calls so; its name begins in this way."""
        if self._strategy is Strategy.ONE:
            return STATIC
        if name not in self._called:
            self._count += 1
            self._called[name] = Name(f"{stem(name)}_{self._count}")
            self._of_source.add(self._called[name])
        return self._called[name]

    @contextmanager
    def closure(self) -> Iterator[None]:
        """Within, types get regions of their own: those of a closure's body are not shared."""
        outside, self._by_type = self._by_type, {}
        yield
        self._by_type = outside

    def find(self, r: Name) -> Name:
        """Return the representative of a region."""
        while r in self._parent:
            r = self._parent[r]
        return r

    def union(self, r: Name, s: Name) -> None:
        """Make two regions one: the static one stays, or one that the source names."""
        r, s = self.find(r), self.find(s)
        if r == s:
            return
        if r == STATIC or (s != STATIC and r in self._of_source):
            r, s = s, r
        self._parent[r] = s

    def unify(self, a: Type, b: Type) -> None:
        """Make the regions of two types one, which are equal without them."""
        match a, b:
            case c.Data(name, args), c.Data(_, others):
                for x, y in zip(args, others, strict=True):
                    if name == AT:
                        self._unify_located(x, y)
                    elif isinstance(x, c.TypeVar) and isinstance(y, c.TypeVar):
                        self.union(x.name, y.name)
            case c.Array(t), c.Array(u):
                self.unify(t, u)
            case c.Arrow(p, t), c.Arrow(q, u):
                self.unify(p, q)
                self.unify(t, u)
            case c.Record(fs), c.Record(gs):
                for (_, t), (_, u) in zip(fs, gs, strict=True):
                    self.unify(t, u)
            case c.Sum(cs), c.Sum(ds):
                for (_, ts), (_, us) in zip(cs, ds, strict=True):
                    for t, u in zip(ts, us, strict=True):
                        self.unify(t, u)
            case _:
                pass  # scalars and tokens lie in no region

    def _unify_located(self, x: Type, y: Type) -> None:
        if isinstance(x, c.TypeVar) and isinstance(y, c.TypeVar):
            self.union(x.name, y.name)
        else:
            self.unify(x, y)

    def type(self, t: Type) -> Type:
        """Return a type with the representatives of its regions."""
        return c.TypeVar(self.find(t.name)) if isinstance(t, c.TypeVar) else map_type(t, self.type)


@define(eq=False)
class Draft:
    """An expression, its type and the types directly inside it, and its parts, with regions."""

    exp: Exp
    type: Type
    types: tuple[Type, ...] = ()
    parts: "tuple[Draft, ...]" = ()
    made: tuple[Name, ...] = ()
    """The regions in which it makes arrays or a function."""
    args: tuple[Name, ...] = ()
    """Of a definition that was inferred before: its regions."""
    group: Name | None = None
    """A definition of the same group: its regions are known when the group is."""
    code: bool = False
    """True for a function that is executed in place."""
    local: tuple[Name, ...] = field(default=())
    """The regions that begin before the expression and end after it."""
    ended: tuple[Name, ...] = field(default=())
    """The regions that end before the expression."""


def built(d: Draft, regions: Regions, params: Mapping[Name, tuple[Name, ...]]) -> Exp:
    """Return the expression of Core/r; ``params`` has the regions of each definition."""
    inner = iter([built(x, regions, params) for x in d.parts])
    types = iter([regions.type(t) for t in d.types])
    e = map_parts(d.exp, lambda _: next(inner), lambda _: next(types))
    if isinstance(e, c.Global):
        args = params[d.group] if d.group is not None else map(regions.find, d.args)
        e = c.Global(e.name, tuple(map(c.TypeVar, args)), e.at)
    e = wrapped(AT, map(regions.find, d.made), e)
    return wrapped(ENDREGION, d.ended, wrapped(LETREGION, d.local, e))
