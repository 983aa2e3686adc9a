"""Which arrays may have elements that were never written: what ``scratch`` made and nobody filled.

A read of such an element traps, so whoever moves a read must know.  The analysis goes once through
a body and all bodies inside; an array made from one that may have holes may have them as well, and
so may every result of a kernel, branch or loop that returns one.  Names are bound once, so one set
of names serves all places.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from funmem.ir.fun import (
    Ann,
    ArrayLit,
    ArrayType,
    Atom,
    Binder,
    Body,
    Collective,
    Concat,
    Copy,
    Exp,
    FlatSlice,
    Hist,
    If,
    Kernel,
    Loop,
    Map,
    Permute,
    Reduce,
    Replicate,
    Reshape,
    Reverse,
    Scan,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.traverse import (
    inner_binders,
    operators,
    sub_bodies,
)


class Holes(Collection[Name]):
    """Arrays with holes, which are looked for when somebody asks."""

    def __init__(self, find: Callable[[], frozenset[Name]]) -> None:
        self._find = find

    @cached_property
    def _names(self) -> frozenset[Name]:
        return self._find()

    def __contains__(self, x: object) -> bool:
        return x in self._names

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def holes_of(stms: Iterable[Stm[Ann]], known: Collection[Name]) -> frozenset[Name]:
    """The arrays with holes among those that ``stms`` bind, at any depth, and ``known``."""
    found = set(known)
    for s in stms:
        _statement(s, found)
    return frozenset(found)


def holes_inside(e: Exp[Ann], known: Collection[Name]) -> Collection[Name]:
    """The same for what an expression binds: the parameters of loops and of operators."""
    if not arrays_of(inner_binders(e)):
        return known
    found = set(known)
    _bodies(e, found)
    return frozenset(found)


def arrays_of(binders: Iterable[Binder[Ann]]) -> frozenset[Name]:
    """The arrays that are bound."""
    return frozenset([b.name for b in binders if isinstance(b.type, ArrayType)])


def _statement(s: Stm[Ann], holes: set[Name]) -> None:
    if _makes_holes(s.exp, holes):
        holes |= arrays_of(s.pat)


def _makes_holes(e: Exp[Ann], holes: set[Name]) -> bool:
    """Whether an array that ``e`` computes may have holes; those bound inside are added."""
    match e:
        case Scratch():
            return True
        case Slice(x) | Permute(_, x) | Reshape(_, x) | Reverse(_, x) | FlatSlice(x) | Copy(x):
            return x in holes
        case Replicate(_, a):
            return _hole(a, holes)
        case ArrayLit(elems):
            return any(_hole(a, holes) for a in elems)
        case Concat(_, xs):
            return not holes.isdisjoint(xs)
        case Update(x, _, a):
            return x in holes or _hole(a, holes)
        case Scatter(x, _, values):
            return x in holes or values in holes
        case Kernel(_, collective):
            inside = _bodies(e, holes)
            return inside or _begins_with_holes(collective, holes)
        case If() | Loop():
            return _bodies(e, holes)
        case _:
            return False


def _begins_with_holes(c: Collective[Ann], holes: Collection[Name]) -> bool:
    """Whether a collective begins with elements that may not be there: buckets that nobody adds to
    stay as they are, and without iterations a neutral element is the result.
    """
    match c:
        case Map():
            return False
        case Reduce(_, ne) | Scan(_, ne):
            return any(_hole(a, holes) for a in ne)
        case Hist(dest, _, ne):
            return any(x in holes for x in dest) or any(_hole(a, holes) for a in ne)


def _bodies(e: Exp[Ann], holes: set[Name]) -> bool:
    """Adds what the bodies bind; whether one of them returns an array with holes, or a loop begins
    with one, which is its result if there are no iterations.

    An operator may be given any elements.  A loop's parameters are assumed to be whole until an
    initial value or a result is not; then none of them is.
    """
    surely = False
    holes |= arrays_of(p for op in operators(e) for p in op.params)
    if isinstance(e, Loop):
        arrays = arrays_of(p.binder for p in e.params)
        surely = any(_hole(p.init, holes) for p in e.params) or not arrays.isdisjoint(holes)
        if not surely and not _returns(e.body, holes):
            return False
        holes |= arrays
    returned = [_returns(b, holes) for b in sub_bodies(e)]
    return surely or any(returned)


def _returns(b: Body[Ann], holes: set[Name]) -> bool:
    for s in b.stms:
        _statement(s, holes)
    return any(_hole(a, holes) for a in b.result)


def _hole(a: Atom, holes: Collection[Name]) -> bool:
    return isinstance(a, Var) and a.name in holes
