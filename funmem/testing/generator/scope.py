"""Scopes of the generator: types, ranges and aliases of names, and the arrays that
may be consumed.
"""

from collections.abc import Callable

from attrs import field

from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size


@frozen
class Range:
    """The integers lo … hi; empty if lo > hi (the index of an empty kernel)."""

    lo: int
    hi: int

    def join(self, other: "Range") -> "Range":
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))


ANY = Range(-(1 << 63), (1 << 63) - 1)


@frozen
class Variable:
    """A variable in scope.

    ``range`` bounds an i64 for the inputs of the generated program; an index is less than
    ``bound``.  ``roots`` are the arrays with which this one may share elements.  ``defined``: no
    element is uninitialised.  ``elements``: the array holds the offsets of rows, which have
    together that many elements.
    """

    name: Name
    type: ScalarType | ArrayType
    range: Range = ANY
    bound: Size | None = None
    roots: frozenset[Name] = frozenset()
    defined: bool = True
    elements: Size | None = None

    @property
    def shape(self) -> tuple[Size, ...]:
        return self.type.shape if isinstance(self.type, ArrayType) else ()

    @property
    def elem(self) -> ScalarType:
        return self.type.elem if isinstance(self.type, ArrayType) else self.type


@define
class Scope:
    """Variables in scope, inner ones last.  ``own`` roots may be consumed here, ``dead`` ones were.

    ``known`` are the variables that may be used.  ``bound`` also contains names that are no longer
    used, since live arrays may still share elements with them.

    ``depth`` is the number of enclosing kernels, loops, branches and operators, ``kernels`` that of
    kernels alone.
    """

    known: dict[Name, Variable] = field(factory=dict)
    own: set[Name] = field(factory=set)
    dead: set[Name] = field(factory=set)
    depth: int = 0
    kernels: int = 0
    bound: set[Name] = field(factory=set)

    def inner(self) -> "Scope":
        """Return the scope of a nested body, which may consume only the arrays that it creates."""
        scope = self.branch()
        scope.own = set()
        return scope

    def branch(self) -> "Scope":
        """Return the scope of a branch of an ``if``, which may consume the same arrays."""
        return Scope(
            dict(self.known),
            set(self.own),
            set(self.dead),
            self.depth + 1,
            self.kernels,
            set(self.bound),
        )

    def add(self, k: Variable, *, own: bool = False) -> Variable:
        self.known[k.name] = k
        self.bound.add(k.name)
        if own:
            self.own.add(k.name)
        return k

    def live(self, k: Variable) -> bool:
        return not (k.roots & self.dead)

    def consumable(self, k: Variable) -> bool:
        return bool(k.roots) and k.roots <= self.own and self.live(k)

    def consume(self, k: Variable) -> None:
        self.dead |= k.roots

    def arrays(self, want: Callable[[Variable], bool] = lambda _: True) -> list[Variable]:
        """Return the live arrays that satisfy a condition."""
        return [
            k
            for k in self.known.values()
            if isinstance(k.type, ArrayType) and self.live(k) and want(k)
        ]

    def scalars(self, t: ScalarType) -> list[Variable]:
        """Return the scalars of a type."""
        return [k for k in self.known.values() if k.type is t]

    def range_of(self, s: Size) -> Range:
        """Return the bounds of a size for the given inputs, by interval arithmetic."""
        lo = hi = 0
        for monomial, k in s.terms:
            bounds = Range(k, k)
            for x in monomial:
                r = self.known[x].range if x in self.known else ANY
                products = [a * b for a in (bounds.lo, bounds.hi) for b in (r.lo, r.hi)]
                bounds = Range(min(products), max(products))
            lo, hi = lo + bounds.lo, hi + bounds.hi
        return Range(lo, hi)
