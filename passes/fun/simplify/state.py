"""The substitution that grows as an entry point is walked from top to bottom."""

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
    FlatSlice,
    Home,
    Iota,
    Kernel,
    Replicate,
    Reshape,
    ScalarExp,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import Lmad, part_lens
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
    """Substituting these names makes the program ill-typed: start again and leave them alone."""

    def __init__(self, names: Iterable[Name]) -> None:
        super().__init__()
        self.names = frozenset(names)


@define
class Scope:
    """One body: what is known, which expressions have a name, and the statements so far."""

    known: PointFacts
    table: dict[Key, Name] = field(factory=dict)
    out: list[Stm[Ann]] = field(factory=list)

    def inner(self, known: PointFacts) -> "Scope":
        """The scope of a body inside this one."""
        return Scope(known, dict(self.table))


@define
class State:
    """The substitution so far, the same for all scopes since names are bound once."""

    uses: Uses
    pinned: frozenset[Name]
    defined: Mapping[Name, Exp[Ann]]
    """What an array of the entry point was bound to before."""
    was_at: Mapping[Name, Home]
    """Where it was."""
    in_memory: bool
    image: dict[Name, Atom] = field(factory=dict)
    sizes: dict[Name, Size] = field(factory=dict)
    """What names stand for in sizes: images, and polynomials that ``let`` binds."""
    homes: dict[Name, Home] = field(factory=dict)

    @staticmethod
    def of(e: Entry[Ann], uses: Uses, pinned: frozenset[Name]) -> "State":
        """The empty substitution."""
        stms = tuple(walk(e.body))
        inner = (b for s in stms for b in (*s.pat, *inner_binders(s.exp)))
        homes = {b.name: b.home for b in (*entry_binders(e), *inner) if b.home is not None}
        defined = {b.name: s.exp for s in stms for b in s.pat}
        return State(uses, pinned, defined, homes, bool(homes), homes=dict(homes))

    # ------------------------------------------------------------------ mapping

    @property
    def mapper(self) -> Mapper:
        """Maps everything but sub-bodies."""
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
        """A size in terms of the new program; raises :class:`Again` if it could not be read."""
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
        """Let ``b`` stand for ``a``; emits ``let b = a`` where the name has to stay."""
        x = b.name
        if self.must_stay(x, a):
            self.emit(Stm((b,), a, b.at), scope)
            return
        self.image[x] = a
        if b.type is I64:
            self.sizes[x] = self.size(atom_size(a))

    def must_stay(self, x: Name, a: Atom) -> bool:
        """Whether a scalar cannot be replaced by ``a`` in sizes."""
        if x in self.pinned:
            return True
        if not isinstance(a, Var):
            return False
        folded = self.sizes.get(a.name, var(a.name)) != var(a.name)
        return folded and x in self.uses.returned

    def emit(self, s: Stm[Ann], scope: Scope) -> None:
        """Add a statement of the new program to a scope."""
        self.note(s.pat)
        scope.known = scope.known.after(s)
        scope.out.append(s)

    def note(self, binders: Iterable[Binder[Ann]]) -> None:
        """Remember where arrays live now."""
        for b in binders:
            if b.home is not None:
                self.homes[b.name] = b.home

    def same_home(self, a: Home | None, b: Home | None, known: PointFacts) -> bool:
        """Whether two homes are one place, seen through ``let``."""
        if a is None or b is None:
            return a is b
        return a.block == b.block and seen_through(a.ix, known) == seen_through(b.ix, known)

    def chain(self, x: Name) -> Iterator[Name]:
        """``x``, the array that it is derived from, and so on, in the old program."""
        at: Name | None = x
        while at is not None:
            yield at
            e = self.defined.get(at)
            consumed = in_place_of(e) if e is not None else ()
            at = source_of(e) if e is not None else None
            at = consumed[0] if consumed else at

    def unfold(self, a: Atom, known: PointFacts) -> Size:
        """The polynomial that an i64 atom of the new program is, modulo 2^64."""
        return expanded(self.size(atom_size(a)), known.values)


RunBody = Callable[[Body[Ann], Scope], Body[Ann]]


def seen_through(ix: Lmad, known: PointFacts) -> Lmad:
    """An index function in which names that ``let`` binds to polynomials are replaced."""
    return ix.map_sizes(lambda s: expanded(s, known.values))


def require_lengths(old: Iterable[Size], new: Iterable[Size]) -> None:
    """No number of elements becomes a negative constant: that program traps, but is well typed
    only as long as the number has a name (T-LEN).
    """
    for before, after in zip(old, new, strict=True):
        if (after.as_const or 0) < 0 and before.free():
            raise Again(before.free())


def lengths_of(e: Exp[Ann]) -> tuple[Size, ...]:
    """The numbers of elements that an expression mentions itself."""
    match e:
        case Iota(n):
            return (n,)
        case Replicate(shape) | Scratch(shape) | Reshape(shape):
            return shape
        case Slice(_, where) | Update(_, where):
            return part_lens(where)
        case FlatSlice(_, _, flat):
            return tuple(d.len for d in flat)
        case Kernel(kdims):
            return tuple(d.size for d in kdims)
        case _:
            return ()


def with_home(s: Stm[Ann], home: Home | None) -> Stm[Ann]:
    """A statement whose single array lives at ``home``."""
    return evolve(s, pat=(evolve(s.pat[0], home=home),))


def small(p: Size) -> bool:
    """Whether T-RESULT sees through a polynomial of this size."""
    terms = p.terms
    return len(terms) <= MAX_TERMS and all(len(m) <= 8 and abs(k) <= I64.max for m, k in terms)
