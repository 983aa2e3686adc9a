"""Uses of names that restrict their substitution.

Sizes are exact and i64 arithmetic wraps around, so a name is replaced by its polynomial in a size
only if the value provably fits.  This holds for offsets and strides of homes as well: T-RESULT
expands them, and addresses would be equal modulo 2^64, but proofs about places are about integers.
A name that a body returns as a size must stay a name, because a result is an atom.
"""

from collections.abc import Iterable, Iterator, Sequence

from funmem.ir.check.uniqueness import Uses as Aliases
from funmem.ir.check.uniqueness import body as note_aliases
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Binder,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    Scalar,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import Size
from funmem.ir.traverse import Mapper, entry_binders, inner_binders, map_exp, walk


@frozen
class Uses:
    """The uses of the names of one entry point."""

    lengths: frozenset[Name]
    """Names in sizes other than the offsets and strides of homes."""
    returned: frozenset[Name]
    """Names that are results of bodies or initial values of loops for a binder
    in :attr:`lengths`.
    """
    owned: frozenset[Name]
    """Arrays that a statement, or an iteration of a loop, may update in place."""
    roots: dict[Name, frozenset[Name]]
    """For each array: the fresh arrays with which it may share elements."""
    scratch: bool
    """True if the entry point has a ``scratch``."""

    def updated(self, x: Name) -> bool:
        """True if an array that shares elements with ``x`` may be updated in place."""
        return not self.owned.isdisjoint(self.roots.get(x, frozenset()) | {x})


def uses_of(e: Entry[Ann]) -> Uses:
    """Return the uses of all names of an entry point."""
    stms = tuple(walk(e.body))
    lengths = frozenset(_in_lengths(e, stms))
    roots, owned = _ownership(e, stms)
    return Uses(
        lengths,
        _returned(e, stms, lengths),
        owned,
        roots,
        any(isinstance(s.exp, Scratch) for s in stms),
    )


# ---------------------------------------------------------------------- sizes


def _in_lengths(e: Entry[Ann], stms: Sequence[Stm[Ann]]) -> Iterator[Name]:
    for b in entry_binders(e):
        yield from _type_names(b)
    for s in stms:
        for b in (*s.pat, *inner_binders(s.exp)):
            yield from _type_names(b)
        yield from size_names(s.exp)


def _type_names(b: Binder[Ann]) -> Iterator[Name]:
    if isinstance(b.type, ArrayType):
        for d in b.type.shape:
            yield from d.free()


def size_names(e: Exp[Ann]) -> frozenset[Name]:
    """Return the names in the sizes of an expression outside its sub-bodies."""
    found: set[Name] = set()

    def size(s: Size) -> Size:
        found.update(s.free())
        return s

    map_exp(e, Mapper(size=size))
    return frozenset(found)


Returning = tuple[Sequence[Binder[Ann]], Sequence[Atom]]


def _returned(e: Entry[Ann], stms: Sequence[Stm[Ann]], lengths: frozenset[Name]) -> frozenset[Name]:
    found = set(_sized(_results(e, stms), lengths))
    copies = [(s.pat[0].name, s.exp.name) for s in stms if isinstance(s.exp, Var)]
    for y, x in reversed(copies):  # a copy is bound after what it copies
        if y in found:
            found.add(x)
    return frozenset(found)


def _sized(results: Iterable[Returning], lengths: frozenset[Name]) -> Iterator[Name]:
    for pat, atoms in results:
        for b, a in zip(pat, atoms, strict=True):
            if isinstance(a, Var) and b.name in lengths:
                yield a.name


def _results(e: Entry[Ann], stms: Sequence[Stm[Ann]]) -> Iterator[Returning]:
    """Yield every pattern with the atoms that it is bound to."""
    yield (*e.implicit_results, *e.results), e.body.result
    for s in stms:
        match s.exp:
            case If(_, then, orelse):
                yield s.pat, then.result
                yield s.pat, orelse.result
            case Loop(params, _, body):
                binders = [p.binder for p in params]
                yield binders, [p.init for p in params]
                yield binders, body.result
                yield s.pat, [p.init for p in params]
                yield s.pat, body.result
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Kernel():
                pass
            case Assert() | Alloc():
                pass
            case RaggedKernel() | Opaque():
                pass


# ---------------------------------------------------------------------- consumption


def _ownership(
    e: Entry[Ann], stms: Sequence[Stm[Ann]]
) -> tuple[dict[Name, frozenset[Name]], frozenset[Name]]:
    aliases = Aliases()
    aliases.fresh(*(p.binder for p in e.params))
    note_aliases(aliases, e.body)
    handed_on = (x for s in stms for x in _handed_on(s.exp))
    owned = set(aliases.consumed).union(*map(aliases.of, handed_on))
    return dict(aliases.roots), frozenset(owned)


def _handed_on(e: Exp[Ann]) -> Iterator[Atom]:
    """Yield the next values of loop parameters that the loop may update."""
    if isinstance(e, Loop):
        for p, a in zip(e.params, e.body.result, strict=True):
            if p.unique:
                yield a
