"""Rematerialisation of cheap elements (F1), and reads through views (F2).

    let (xs : [n]i64) = iota [n] 5 2                let (v : i64) = 5 + (k + 1) * 2
    … let (v : i64) = xs[k + 1]               ->    (and xs is removed if it has no other uses)

    let (zs : [n]f32) = reverse 0 ys                let (v : f32) = ys[n - 1 - i]
    … let (v : f32) = zs[i]                   ->

    let (ts : [m][n]f32) = kernel j < m, i < n do         let (v : f32) = xs[l, k]
      let (x : f32) = xs[i, j] in (x)             ->
    … let (v : f32) = ts[k, l]

A view is a reversal, a permutation, a slice, or a reshape that only adds or removes dimensions of
size 1, as broadcasting does.  A map that only moves the elements of one array, such as one that
makes the columns of a matrix, is a view of it, too: each of its results is an element of the array,
read directly or through views (:func:`rearranged`).

*Cheap* are ``iota``, ``replicate`` of a scalar, and a map whose body is at most :data:`CHEAP`
scalar statements that read no array.  These are recomputed wherever they are read.

Conditions: (1) the index is provably in bounds, so that no trap is lost; (2) computing the element
cannot trap; (3) an array whose elements a map moves is not updated in place, because the map has
its elements as they were; (4) what it stores side by side does not lie side by side in the rows of
the array, because such a copy is left to (F3).

An array without uses is removed; if its size may be negative, a guard remains.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TypeGuard

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Body,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    KernelDim,
    Loop,
    Map,
    Opaque,
    Permute,
    RaggedKernel,
    Replicate,
    Reshape,
    Reverse,
    Scalar,
    ScalarExp,
    Scratch,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.lmad import DimFix
from funmem.ir.logic.body_facts import At, BodyFacts
from funmem.ir.logic.facts import PointFacts
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size
from funmem.ir.substitute import freshen_body
from funmem.ir.traverse import Mapper, map_exp, map_type, sub_bodies, walk, with_bodies
from funmem.passes.fun.fuse.aliases import Aliases

CHEAP = 8
"""Largest number of scalar statements that are computed again rather than read."""


@frozen
class Moved:
    """The array of a map that only moves elements: that at ``indices`` is ``x[at, …]``."""

    indices: tuple[Name, ...]
    x: Name
    at: tuple[Size, ...]


View = Slice | Permute | Reverse | Reshape | Moved
Producer = Iota | Replicate | Kernel[Ann]


def cheap(s: Stm[Ann], known: PointFacts) -> bool:
    """True if the elements of a statement's arrays are cheap and cannot trap (2)."""
    match s.exp:
        case Iota():
            return True
        case Replicate(_, value):
            return isinstance(value, Const) or isinstance(known.types[value.name], ScalarType)
        case Kernel(dims, Map(), body) if len(body.stms) <= CHEAP:
            inside = known.iterating((d.index, d.size) for d in dims)
            for t in body.stms:
                if not isinstance(t.exp, Const | Var | Bin | Un | Convert):
                    return False
                if why_traps(t.exp, inside) is not None:
                    return False
                inside = inside.after(t)
            return all(not isinstance(b.type, ArrayType) or b.type.rank == len(dims) for b in s.pat)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
            return False
        case Assert() | Alloc():
            return False


def inside(index: Iterable[Size], shape: Iterable[Size], known: PointFacts) -> str | None:
    """(1) Every index is in bounds."""
    for i, n in zip(index, shape, strict=True):
        if not known.indexes(i, n):
            return f"index {i} may be out of bounds of {n} elements"
    return None


def through(e: View, index: tuple[Size, ...], known: PointFacts) -> tuple[Name, tuple[Size, ...]]:
    """Return the viewed array, and the index in it of an element of a view."""
    match e:
        case Slice(x, dims):
            rest = iter(index)
            return x, tuple(
                d.at if isinstance(d, DimFix) else d.start + next(rest) * d.stride for d in dims
            )
        case Permute(perm, x):
            places = dict(zip(perm, index, strict=True))
            return x, tuple(places[k] for k in range(len(index)))
        case Reverse(dim, x):
            n = known.shape(x)[dim]
            return x, (*index[:dim], n - 1 - index[dim], *index[dim + 1 :])
        case Reshape(shape, x):
            kept = iter([i for i, n in zip(index, shape, strict=True) if n != ONE])
            return x, tuple(ZERO if n == ONE else next(kept) for n in known.shape(x))
        case Moved(indices, x, at):
            image = dict(zip(indices, index, strict=True))
            return x, tuple(d.subst(image) for d in at)


def is_view(e: Exp[Ann], known: PointFacts) -> TypeGuard[Slice | Permute | Reverse | Reshape]:
    """True if the elements of a derived array are read from its source: a reshape may only add or
    remove dimensions of size 1.
    """
    if isinstance(e, Reshape):
        return [n for n in e.shape if n != ONE] == [n for n in known.shape(e.x) if n != ONE]
    return isinstance(e, Slice | Permute | Reverse)


def rearranged(s: Stm[Ann], known: PointFacts) -> Moved | None:
    """Return how a map moves the elements of an array; None if it does anything else, has several
    results, may trap in an iteration (2), or keeps the order in the rows of the array (4).  Its
    elements may be rows that maps inside make.
    """
    indices: list[Name] = []
    views: dict[Name, View] = {}
    while isinstance(e := s.exp, Kernel):
        if not (
            isinstance(e.collective, Map) and len(s.pat) == 1 and 0 < len(e.body.stms) <= CHEAP
        ):
            return None
        (known,) = known.inside(e)
        indices += (d.index for d in e.dims)
        *before, s = e.body.stms
        if e.body.result != tuple(Var(p.name) for p in s.pat):
            return None
        for t in before:
            if not is_view(t.exp, known) or why_traps(t.exp, known):
                return None
            views[t.pat[0].name] = t.exp
            known = known.after(t)
    if not (indices and isinstance(e, Index)) or why_traps(e, known):
        return None
    x, at = e.x, e.index
    while x in views:
        x, at = through(views[x], at, known)
    if indices[-1] in at[-1].free():
        return None
    return Moved(tuple(indices), x, at)


@frozen
class Element:
    """How to compute an element of a cheap array: its producer, and which of its results it is."""

    producer: Producer
    result: int

    def at(self, b: Binder[Ann], index: tuple[Size, ...], fresh: Fresh) -> list[Stm[Ann]]:
        """Return the statements that bind the element at ``index`` to ``b``."""
        match self.producer:
            case Iota(_, start, stride):
                exp: ScalarExp = size_exp(index[0])
                if b.type is not I64:
                    assert isinstance(b.type, ScalarType)
                    exp = Convert(b.type, exp)
                if not (isinstance(stride, Const) and stride.value == 1):
                    exp = Bin(BinOp.MUL, exp, stride)
                if not (isinstance(start, Const) and start.value == 0):
                    exp = Bin(BinOp.ADD, start, exp)
                return [Stm((b,), exp, b.at)]
            case Replicate(_, value):
                return [Stm((b,), value, b.at)]
            case Kernel(dims, _, body):
                return self._body_at(b, index, fresh, dims, body)

    def _body_at(
        self,
        b: Binder[Ann],
        index: tuple[Size, ...],
        fresh: Fresh,
        dims: tuple[KernelDim, ...],
        body: Body[Ann],
    ) -> list[Stm[Ann]]:
        lets = tuple(
            Stm[Ann]((Binder(d.index, I64, None),), size_exp(i), b.at)
            for d, i in zip(dims, index, strict=True)
        )
        copy = freshen_body(Body((*lets, *body.stms), (body.result[self.result],), b.at), fresh)
        return [*copy.stms, Stm((b,), copy.result[0], b.at)]


def recompute(e: Entry[Ann], start: At, fresh: Fresh, aliases: Aliases) -> Entry[Ann]:
    """Return an entry point that recomputes cheap elements, and reads arrays instead of views."""
    makers = (Iota, Replicate, Kernel)
    if not any(isinstance(s.exp, makers) for s in walk(e.body)):
        return e
    walker = _Recompute(fresh, aliases)
    body = walker.body(e.body, start)
    if not walker.changed:
        return e
    return evolve(e, body=_without_unused(body, start, uses_in(body), fresh))


class _Recompute:
    """Traverses statements from top to bottom; names are unique, so one table serves all scopes."""

    def __init__(self, fresh: Fresh, aliases: Aliases) -> None:
        self.fresh = fresh
        self.aliases = aliases
        self.elements: dict[Name, Element] = {}
        self.views: dict[Name, View] = {}
        self.made: set[Name] = set()
        """The arrays that kernels make: reading them directly may permit fusion."""
        self.changed = False

    def body(self, b: Body[Ann], start: At) -> Body[Ann]:
        places = BodyFacts(b.stms, start)
        out: list[Stm[Ann]] = []
        for q, s in enumerate(b.stms):
            self.statement(s, q, places, out)
        return evolve(b, stms=tuple(out)) if self.changed else b

    def statement(self, s: Stm[Ann], q: int, places: BodyFacts, out: list[Stm[Ann]]) -> None:
        e = s.exp
        match e:
            case Index(x, index) if x in self.elements or x in self.views:
                out += self.read(s, x, index, places.at(q))
                return
            case Slice(x) | Permute(_, x) | Reverse(_, x) | Reshape(_, x) if x in self.made:
                if is_view(e, places.at(q)):
                    self.views[s.pat[0].name] = e
                    self.made.add(s.pat[0].name)
            case Iota() | Replicate():
                self.note(s, e, places.at(q))
            case Kernel():
                if isinstance(e.collective, Map) and len(e.body.stms) <= CHEAP:
                    self.note(s, e, places.at(q))
                    self.note_view(s, places.at(q))
                self.made.update(b.name for b in s.pat)
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
                pass
            case If() | Loop() | Assert() | Alloc() | Opaque():
                pass
            case RaggedKernel():
                self.made.update(b.name for b in s.pat)
        bodies = sub_bodies(e)
        if bodies:
            new = [self.body(b, places.inside(q, e, k)) for k, b in enumerate(bodies)]
            if self.changed:
                s = evolve(s, exp=with_bodies(e, new))
        out.append(s)

    def note(self, s: Stm[Ann], e: Producer, known: PointFacts) -> None:
        """Record a producer if it is cheap."""
        if cheap(s, known):
            self.made.update(b.name for b in s.pat)
            self.elements.update((b.name, Element(e, k)) for k, b in enumerate(s.pat))

    def note_view(self, s: Stm[Ann], known: PointFacts) -> None:
        """Record a map that only moves the elements of an array that is not updated (3)."""
        moved = rearranged(s, known)
        if moved is not None and self.aliases.of(moved.x).isdisjoint(self.aliases.owned):
            self.views[s.pat[0].name] = moved

    def read(
        self, s: Stm[Ann], x: Name, index: tuple[Size, ...], known: PointFacts
    ) -> list[Stm[Ann]]:
        """Return the statements that replace a read of one element."""
        y, at = x, index
        while y in self.views:
            if inside(at, known.shape(y), known) is not None:
                return [s]
            y, at = through(self.views[y], at, known)
        if y in self.elements and inside(at, known.shape(y), known) is None:
            self.changed = True
            return self.elements[y].at(s.pat[0], at, self.fresh)
        if y == x:
            return [s]
        self.changed = True
        return [evolve(s, exp=Index(y, at))]


# ---------------------------------------------------------------------- unused arrays


def uses_in(b: Body[Ann]) -> Counter[Name]:
    """Return the number of uses of each name in a body, at any depth."""
    found: Counter[Name] = Counter()
    _count_body(b, found)
    return found


def _count_body(b: Body[Ann], found: Counter[Name]) -> None:
    for s in b.stms:
        _count(s, found)
    found.update(a.name for a in b.result if isinstance(a, Var))


def _count(s: Stm[Ann], found: Counter[Name]) -> None:
    """Add the uses in a statement."""

    def name(x: Name) -> Name:
        found[x] += 1
        return x

    def size(d: Size) -> Size:
        found.update(x for m, _ in d.terms for x in m)
        return d

    def atom(a: Const | Var) -> Const | Var:
        if isinstance(a, Var):
            found[a.name] += 1
        return a

    def body(b: Body[Ann]) -> Body[Ann]:
        _count_body(b, found)
        return b

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        map_type(b.type, size)
        return b

    for p in s.pat:
        binder(p)
    map_exp(s.exp, Mapper(name, size, atom, body, binder))


def _without_unused(b: Body[Ann], start: At, used: Counter[Name], fresh: Fresh) -> Body[Ann]:
    """Return a body without unused views and cheap arrays, but with their guards."""
    places = BodyFacts(b.stms, start)
    out: list[Stm[Ann]] = []
    for q in reversed(range(len(b.stms))):
        s = b.stms[q]
        e = s.exp
        makes = isinstance(e, Iota | Replicate | Kernel) or is_view(e, places.at(q))
        if makes and not any(used[p.name] for p in s.pat):
            left = _guards(s, places.at(q), fresh)
            if left != [s]:
                gone: Counter[Name] = Counter()
                _count(s, gone)
                used.subtract(gone)
                out += left
                continue
        bodies = sub_bodies(e)
        if bodies:
            new = [
                _without_unused(inner, places.inside(q, e, k), used, fresh)
                for k, inner in enumerate(bodies)
            ]
            s = evolve(s, exp=with_bodies(e, new))
        out.append(s)
    return evolve(b, stms=tuple(reversed(out)))


def _guards(s: Stm[Ann], known: PointFacts, fresh: Fresh) -> list[Stm[Ann]]:
    """Return what remains of a statement without uses: nothing, or guards of its sizes."""
    sizes: tuple[Size, ...]
    match s.exp:
        case Kernel() if rearranged(s, known) is not None:
            sizes = known.after(s).shape(s.pat[0].name)
        case Kernel() if not cheap(s, known):
            return [s]
        case Iota(n):
            sizes = (n,)
        case Replicate(shape):
            sizes = shape
        case Kernel(dims):
            sizes = tuple(d.size for d in dims)
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace():
            return [s] if why_traps(s.exp, known) is not None else []
        case If() | Loop() | Assert() | Alloc():
            return [s] if why_traps(s.exp, known) is not None else []
        case RaggedKernel() | Opaque():
            return [s]
    return [guard(d, fresh, s) for d in sizes if not known.nonneg(d)]


def guard(d: Size, fresh: Fresh, s: Stm[Ann]) -> Stm[Ann]:
    """Return a statement that traps if a size is negative; it makes an empty array."""
    t = ArrayType(ScalarType.I8, (d, ZERO))
    return Stm((Binder(fresh("guard"), t, None, s.at),), Scratch(t.shape, t.elem), s.at)
