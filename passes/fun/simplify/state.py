"""The substitution of the forward traversal."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import field

from funmem.ir.arith import MAX_TERMS, WIDEST, expanded
from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Binder,
    Body,
    Entry,
    Exp,
    Home,
    ScalarExp,
    Stm,
    Var,
)
from funmem.ir.lmad import Lmad
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import Mapper, atom_size, entry_binders, inner_binders, map_binder, walk
from funmem.passes.fun.simplify.uses import Uses

Key = Size | ScalarExp | Exp[Ann]


class Again(Exception):
    """Raised if substituting these names makes the program ill typed: start again without them."""

    def __init__(self, names: Iterable[Name]) -> None:
        super().__init__()
        self.names = frozenset(names)


@define
class Scope:
    """One body: the facts, the names of available expressions, and the statements so far."""

    known: PointFacts
    table: dict[Key, Name] = field(factory=dict)
    out: list[Stm[Ann]] = field(factory=list)
    branches: tuple[tuple[Atom, bool], ...] = ()
    """The conditions of the branches around it, which decide comparisons.  They are no part of
    ``known``, because sizes may move out of a branch.
    """

    def inner(self, known: PointFacts, *branch: tuple[Atom, bool]) -> "Scope":
        """Return the scope of a body inside this one."""
        return Scope(known, dict(self.table), branches=(*self.branches, *branch))

    def given(self) -> PointFacts:
        """Return the facts that hold where the conditions of the branches do."""
        known = self.known
        for cond, truth in self.branches:
            known = known.given(cond, truth)
        return known


@define
class State:
    """The substitution so far; names are unique, so it is the same for all scopes."""

    uses: Uses
    pinned: frozenset[Name]
    bound: Mapping[Name, Stm[Ann]]
    """The statement that binds each name in the old program."""
    was_at: Mapping[Name, Home]
    """The home of each array in the old program."""
    in_memory: bool
    image: dict[Name, Atom] = field(factory=dict)
    sizes: dict[Name, Size] = field(factory=dict)
    """The replacements of names in sizes: images, and polynomials that ``let`` binds."""
    homes: dict[Name, Home] = field(factory=dict)

    @staticmethod
    def of(e: Entry[Ann], uses: Uses, pinned: frozenset[Name]) -> "State":
        """Return the empty substitution."""
        stms = tuple(walk(e.body))
        inner = (b for s in stms for b in (*s.pat, *inner_binders(s.exp)))
        homes = {b.name: b.home for b in (*entry_binders(e), *inner) if b.home is not None}
        bound = {b.name: s for s in stms for b in s.pat}
        return State(uses, pinned, bound, homes, bool(homes), homes=dict(homes))

    # ------------------------------------------------------------------ mapping

    @property
    def mapper(self) -> Mapper:
        """A mapper for everything but sub-bodies."""
        return Mapper(name=self.name, size=self.size, atom=self.atom, binder=self.binder)

    def name(self, x: Name) -> Name:
        match self.image.get(x):
            case None:
                return x
            case Var(y):
                return y
            case _:
                raise Stuck(f"array or block {x} cannot become a constant")

    def size(self, s: Size) -> Size:
        """Return a size in terms of the new program; raise :class:`Again` if it is too large to be
        parsed again.
        """
        found = s.subst_within(self.sizes, WIDEST)
        if found is s or (found is not None and found.readable):
            return found
        if sums := [x for x in s.free() if x in self.sizes and self.sizes[x].as_name is None]:
            raise Again(sums)
        return s.subst(self.sizes)

    def atom(self, a: Atom) -> Atom:
        return self.image.get(a.name, a) if isinstance(a, Var) else a

    def binder(self, b: Binder[Ann]) -> Binder[Ann]:
        new = map_binder(b, Mapper(name=self.name, size=self.size))
        if isinstance(b.type, ArrayType) and isinstance(new.type, ArrayType):
            require_lengths(b.type.shape, new.type.shape)
        return new

    # ------------------------------------------------------------------ replacing

    def replace(self, b: Binder[Ann], a: Atom, scope: Scope) -> None:
        """Replace ``b`` by ``a``, or emit ``let b = a`` if the name must stay."""
        x = b.name
        if self.must_stay(x, a):
            self.emit(Stm((b,), a, b.at), scope)
            return
        self.image[x] = a
        if b.type is I64:
            self.sizes[x] = self.size(atom_size(a))

    def must_stay(self, x: Name, a: Atom) -> bool:
        """True if a scalar cannot be replaced by ``a`` in sizes."""
        if x in self.pinned:
            return True
        if not isinstance(a, Var):
            return False
        folded = self.sizes.get(a.name, var(a.name)) != var(a.name)
        return folded and x in self.uses.returned

    def defined(self, x: Name) -> Exp[Ann] | None:
        """Return the expression that a name is bound to in the old program, if it is bound."""
        s = self.bound.get(x)
        return None if s is None else s.exp

    def emit(self, s: Stm[Ann], scope: Scope) -> None:
        """Add a statement of the new program to a scope.

        It is the old statement itself if both are equal: what is known of it is found by identity.
        """
        self.note(s.pat)
        old = self.bound.get(s.pat[0].name) if s.pat else None
        if old is not None and old == s:
            s = old
        scope.known = scope.known.after(s)
        scope.out.append(s)

    def note(self, binders: Iterable[Binder[Ann]]) -> None:
        """Record the new homes of arrays."""
        for b in binders:
            if b.home is not None:
                self.homes[b.name] = b.home

    def same_home(self, a: Home | None, b: Home | None, known: PointFacts) -> bool:
        """True if two homes are equal after expanding names that ``let`` binds."""
        if a is None or b is None:
            return a is b
        return a.block == b.block and seen_through(a.ix, known) == seen_through(b.ix, known)

    def chain(self, x: Name) -> Iterator[Name]:
        """Yield ``x``, the array from which it is derived, and so on, in the old program."""
        at: Name | None = x
        while at is not None:
            yield at
            e = self.defined(at)
            consumed = in_place_of(e) if e is not None else ()
            at = source_of(e) if e is not None else None
            at = consumed[0] if consumed else at

    def unfold(self, a: Atom, known: PointFacts) -> Size:
        """Return the polynomial of an i64 atom of the new program, modulo 2^64."""
        return expanded(self.size(atom_size(a)), known.values)


RunBody = Callable[[Body[Ann], Scope], Body[Ann]]


def seen_through(ix: Lmad, known: PointFacts) -> Lmad:
    """Return an index function where names are replaced by the polynomials that ``let`` binds."""
    return ix.map_sizes(lambda s: expanded(s, known.values))


def require_lengths(old: Iterable[Size], new: Iterable[Size]) -> None:
    """Raise :class:`Again` if a length becomes a negative constant: such a program traps, but it is
    well typed only if the length is a name (T-LEN).
    """
    for before, after in zip(old, new, strict=True):
        if (after.as_const or 0) < 0 and before.free():
            raise Again(before.free())


def with_home(s: Stm[Ann], home: Home | None) -> Stm[Ann]:
    """Return a statement whose single array has the home ``home``."""
    return evolve(s, pat=(evolve(s.pat[0], home=home),))


def small(p: Size) -> bool:
    """True if T-RESULT expands a polynomial of this size."""
    terms = p.terms
    return len(terms) <= MAX_TERMS and all(len(m) <= 8 and abs(k) <= I64.max for m, k in terms)
