"""Arrays that may have uninitialised elements: those of ``scratch`` that were not written since.

A read of an uninitialised element traps, so a pass that moves a read needs this.  The analysis is
one traversal of a body and of all bodies inside.  An array made from one that may have
uninitialised elements may have some as well, and so may every result of a kernel, branch or loop
that returns such an array.  Names are unique, so one set of names is valid at all program points.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Binder,
    Body,
    Collective,
    Concat,
    Copy,
    DerivedArray,
    Exp,
    Hist,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Reduce,
    Replicate,
    Scalar,
    Scan,
    Scatter,
    Scratch,
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


class LazyNames(Collection[Name]):
    """A set of names that is computed on first use."""

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


def uninitialised_in(stms: Iterable[Stm[Ann]], known: Collection[Name]) -> frozenset[Name]:
    """Return ``known`` and the arrays that ``stms`` bind, at any depth, that may have uninitialised
    elements.
    """
    found = set(known)
    for s in stms:
        _statement(s, found)
    return frozenset(found)


def uninitialised_inside(e: Exp[Ann], known: Collection[Name]) -> Collection[Name]:
    """Return ``known`` and the arrays bound inside an expression, parameters of loops and of
    operators included, that may have uninitialised elements.
    """
    if not arrays_of(inner_binders(e)):
        return known
    found = set(known)
    _bodies(e, found)
    return frozenset(found)


def arrays_of(binders: Iterable[Binder[Ann]]) -> frozenset[Name]:
    """Return the names of the arrays among binders."""
    return frozenset([b.name for b in binders if isinstance(b.type, ArrayType)])


def _statement(s: Stm[Ann], found: set[Name]) -> None:
    if _result_uninitialised(s.exp, found):
        found |= arrays_of(s.pat)


def _result_uninitialised(e: Exp[Ann], found: set[Name]) -> bool:
    """True if an array that ``e`` computes may have uninitialised elements.  Arrays that are bound
    inside and may have some are added to ``found``.
    """
    match e:
        case Scratch():
            return True
        case DerivedArray() | Copy():
            return e.x in found
        case Replicate(_, a):
            return _is_found(a, found)
        case ArrayLit(elems):
            return any(_is_found(a, found) for a in elems)
        case Concat(_, xs):
            return not found.isdisjoint(xs)
        case Update(x, _, a):
            return x in found or _is_found(a, found)
        case Scatter(x, _, values):
            return x in found or values in found
        case Kernel(_, collective):
            inside = _bodies(e, found)
            return inside or _starts_uninitialised(collective, found)
        case RaggedKernel(collective=ragged):
            inside = _bodies(e, found)
            return inside or _starts_uninitialised(ragged, found)
        case If() | Loop():
            return _bodies(e, found)
        case Scalar() | Index() | Iota() | Assert() | Alloc() | Opaque():
            return False


def _starts_uninitialised(c: Collective[Ann], found: Collection[Name]) -> bool:
    """True if a collective's initial values may have uninitialised elements: a bucket without
    contributions is not written, and the result of no iterations is the neutral element.
    """
    match c:
        case Map():
            return False
        case Reduce(_, ne) | Scan(_, ne):
            return any(_is_found(a, found) for a in ne)
        case Hist(dest, _, ne):
            return any(x in found for x in dest) or any(_is_found(a, found) for a in ne)


def _bodies(e: Exp[Ann], found: set[Name]) -> bool:
    """Add the arrays that the bodies bind; True if a body returns an uninitialised array, or a loop
    starts with one, which is its result if there are no iterations.

    All parameters of operators count as uninitialised.  A loop's parameters count as initialised
    unless one of their initial values or results is not; then none of them does.
    """
    surely = False
    found |= arrays_of(p for op in operators(e) for p in op.params)
    if isinstance(e, Loop):
        arrays = arrays_of(p.binder for p in e.params)
        surely = any(_is_found(p.init, found) for p in e.params) or not arrays.isdisjoint(found)
        if not surely and not _returns(e.body, found):
            return False
        found |= arrays
    returned = [_returns(b, found) for b in sub_bodies(e)]
    return surely or any(returned)


def _returns(b: Body[Ann], found: set[Name]) -> bool:
    for s in b.stms:
        _statement(s, found)
    return any(_is_found(a, found) for a in b.result)


def _is_found(a: Atom, found: Collection[Name]) -> bool:
    return isinstance(a, Var) and a.name in found
