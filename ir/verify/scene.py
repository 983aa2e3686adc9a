"""The facts about an entry point that the verifier collects before it judges it.

facts     before each statement and at the end of each body (``PointFacts`` of ir/logic/facts.py),
          with what earlier accesses imply: an index that did not trap is in bounds
homes     where each array lies, from its binder
blocks    which block names stand for different blocks, and the size of each block in bytes
exact     the polynomials of names bound by ``let`` whose i64 arithmetic provably did not wrap
          around; only these names are replaced by their values
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from math import prod

from attrs import field

from funmem.ir.arith import exp_size, expanded
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    DerivedArray,
    Entry,
    Exp,
    For,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    Param,
    RaggedKernel,
    Scalar,
    ScalarExp,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, Lmad
from funmem.ir.logic.derive import source_of
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, product, var
from funmem.ir.traverse import (
    bound_in_stms,
    entry_binders,
    inner_binders,
    sub_bodies,
    walk,
)
from funmem.ir.verify.blocks import Blocks
from funmem.ir.verify.maxima import Maxima
from funmem.ir.verify.spot import Spot

MOST_ELEMENTS, OVERFLOW = 1 << 57, 1 << 63
SLACK, REST = 32, 1 << 40
"""No machine has 2^57 bytes, so an existing array has fewer elements, and each dimension fewer
indices.  A number up to 32 times such a size plus 2^40 is far below the limits of i64.
"""


@define
class Room:
    """Bounds on the magnitude of numbers at one place, by which they do not overflow i64."""

    extents: tuple[Size, ...] = ()
    """Numbers of elements, indices and bytes of existing arrays and blocks."""
    limits: dict[Name, int] = field(factory=dict)
    """Bounds on the absolute values of names."""

    def copy(self) -> "Room":
        """Return a copy, for one of several continuations."""
        return Room(self.extents, dict(self.limits))

    def fits(self, p: Size, facts: Facts) -> bool:
        """True if an i64 that equals a polynomial modulo 2^64 is proved to equal it.

        The polynomial is less than 2^63 in absolute value, or lies between such numbers and names,
        which are i64.
        """
        if p.as_name is not None or self.limit(p) < OVERFLOW:
            return True
        names = around(p, facts)
        near = [n for n in self.extents if not names.isdisjoint(n.free())]
        tops = [n * SLACK for n in near]
        tops.append(sum(near, start=ZERO) * (SLACK // max(1, len(near))))  # a view may add extents
        own = [var(x) for x in sorted(p.free())]
        return any(nonneg(most - p, facts) for most in (*(t + REST for t in tops), *own)) and any(
            nonneg(p - least, facts) for least in (*(-t - REST for t in tops), *own)
        )

    def limit(self, p: Size) -> int:
        """Return an upper bound on the absolute value of a polynomial."""
        return sum(abs(k) * prod(self.limits.get(x, OVERFLOW) for x in m) for m, k in p.terms)

    def limit_of(self, e: ScalarExp) -> int:
        """Return such a bound for the i64 result of an operator, even if it wraps around."""
        match e:
            case Bin(BinOp.MAX | BinOp.MIN, a, b):
                return max(self.limit_of(a), self.limit_of(b))
            case Bin(BinOp.DIV, a, Const(int(k))) if k:
                return -(-self.limit_of(a) // abs(k))
            case Bin(BinOp.MOD, _, Const(int(k))):
                return abs(k)
            case _:
                p = exp_size(e)
                return OVERFLOW if p is None else min(self.limit(p), OVERFLOW)


@define
class Scene:
    """An entry point and the facts at its places."""

    entry: Entry[Ann]
    homes: dict[Name, Home] = field(factory=dict)
    types: dict[Name, ArrayType] = field(factory=dict)
    scalars: dict[Name, ScalarType] = field(factory=dict)
    """The types of bound scalars, without indices and sizes, which are i64."""
    made_by: dict[Name, Stm[Ann]] = field(factory=dict)
    exact: dict[Name, Size] = field(factory=dict)
    before: dict[int, PointFacts] = field(factory=dict)
    """By identity of the statement."""
    after: dict[int, PointFacts] = field(factory=dict)
    at_end: dict[int, PointFacts] = field(factory=dict)
    """By identity of the body: after its last statement."""
    at_start: dict[int, PointFacts] = field(factory=dict)
    room: dict[int, Room] = field(factory=dict)
    """By identity of the body: at its end."""
    bytes_of: dict[Name, Size] = field(factory=dict)
    """The sizes of blocks that are allocated or belong to an argument."""
    maxima: Maxima = field(factory=Maxima)
    caps: dict[Name, tuple[Size, ...]] = field(factory=dict)
    """Name -> upper bounds that hold if it is positive."""
    elements: bool = True
    """True if facts about the elements of arrays are used too."""
    _blocks: Blocks | None = None

    @property
    def blocks(self) -> Blocks:
        """The analysis of block names, which is made on first use."""
        if self._blocks is None:
            self._blocks = Blocks.of_entry(self.entry)
        return self._blocks

    @staticmethod
    def of_entry(e: Entry[Ann], *, elements: bool = True) -> "Scene":
        """Return the analysis of one entry point."""
        scene = Scene(e, elements=elements)
        for b in _binders(e):
            match b:
                case Binder(x, ArrayType() as t, Home() as home):
                    scene.homes[x], scene.types[x] = home, t
                case Binder(x, ScalarType() as t):
                    scene.scalars[x] = t
                case _:
                    pass
        for p in e.params:
            scene.bytes_of.update(_argument(p))
        start = of_entry(e)
        forwards = _Forwards(scene)
        forwards.exist((p.binder for p in e.params), start)
        forwards.body(e.body, start)
        return scene

    # ------------------------------------------------------------------ places

    def spot(self, x: Name) -> Spot:
        """Return the place of an array."""
        home = self.homes[x]
        return Spot(home.block, home.ix, self.types[x].elem.bytes)

    def bytes_in(self, name: Name, block: Name) -> Size:
        """Return the size in bytes of ``block``, for which ``name`` may stand.

        If a loop passes the block on, it may be from an earlier iteration, in which names bound in
        the loop had other values.
        """
        size = self.bytes_of[block]
        if name == block:
            return size
        earlier: set[Name] = set()
        for s in walk(self.entry.body):
            if isinstance(s.exp, Loop):
                earlier |= bound_in_stms((s,)).difference(p.name for p in s.pat)
        return size.subst({x: var(Name(f"{x}.earlier")) for x in earlier})

    def is_array(self, a: Atom) -> bool:
        """True if an atom is an array."""
        return isinstance(a, Var) and a.name in self.homes

    def facts_at(self, s: Stm[Ann]) -> Facts:
        """Return the facts before a statement."""
        return self.before[id(s)].facts

    def checked(self, s: Stm[Ann]) -> Facts:
        """Return the facts when a statement accesses memory, that is, after its checks."""
        return self.after[id(s)].facts

    def source(self, x: Name) -> Name | None:
        """Return the array of which ``x`` is a view, or None."""
        s = self.made_by.get(x)
        return None if s is None else source_of(s.exp)


def _binders(e: Entry[Ann]) -> Iterator[Binder[Ann]]:
    yield from entry_binders(e)
    for s in walk(e.body):
        yield from s.pat
        yield from inner_binders(s.exp)


def _argument(p: Param[Ann]) -> Mapping[Name, Size]:
    match p.binder:
        case Binder(_, ArrayType(elem, shape), Home(block)):
            return {block: product(shape) * elem.bytes}
        case _:
            return {}


@define
class _Forwards:
    """The forward traversal.  Bounds on sizes accumulate along a body and end with it."""

    scene: Scene
    room: Room = field(factory=Room)
    waiting: tuple[tuple[Name, ScalarExp], ...] = ()
    """Operators whose operands may have wrapped around, given the facts so far."""
    stuck: tuple[Facts, tuple[Size, ...]] | None = None
    """The facts and extents under which all of ``waiting`` was tried without success."""

    def body(self, b: Body[Ann], known: PointFacts) -> None:
        self.scene.at_start[id(b)] = known
        outside = self.room.copy(), self.waiting
        for s in b.stms:
            self.scene.before[id(s)] = known
            self.scene.made_by.update({p.name: s for p in s.pat})
            if isinstance(s.exp, Alloc):
                self.scene.bytes_of[s.pat[0].name] = s.exp.size
            for inner, start in zip(sub_bodies(s.exp), known.inside(s.exp), strict=True):
                ranges, outer = _ranges(s.exp), self.room.copy()
                start = start.assuming(self.below_caps(ranges, known))
                self.exist(inner_binders(s.exp), start)
                self.room.limits.update({i: self.room.limit(n) for i, n in ranges})
                self.body(inner, nonneg_shapes(start, inner_binders(s.exp)))
                self.room = outer
            known = self.after(known, s)
            self.scene.after[id(s)] = known
            known = self.made(known, s)
        self.scene.at_end[id(b)] = known
        self.scene.room[id(b)] = self.room
        self.room, self.waiting = outside

    def exist(self, binders: Iterable[Binder[Ann]], known: PointFacts) -> None:
        """Note that arrays exist, so their numbers of elements are bounded if addresses are dense.

        If an array has elements, each of its dimensions is bounded too.
        """
        found: list[Size] = []
        for b in binders:
            match b:
                case Binder(_, ArrayType(_, shape), Home(_, ix)) if is_dense(ix):
                    total = product(shape)
                    found.append(total)
                    if nonneg(total - 1, known.facts):
                        found += shape
        self.room.extents = tuple(dict.fromkeys((*self.room.extents, *found)))
        self.iterate(found)

    def iterate(self, counts: Iterable[Size]) -> None:
        """Note bounds on numbers of elements or iterations."""
        few = {x: MOST_ELEMENTS for n in counts if (x := n.as_name) is not None}
        if any(self.room.limits.get(x) != most for x, most in few.items()):
            self.room.limits.update(few)
            self.stuck = None

    def after(self, known: PointFacts, s: Stm[Ann]) -> PointFacts:
        """Return the facts when a statement accesses memory: its checks have succeeded, but its
        result does not exist yet.
        """
        known = nonneg_shapes(known.after(s), s.pat)
        match s.exp:
            case Alloc(size):
                self.room.extents = tuple(dict.fromkeys((*self.room.extents, size)))
            case Const() | Var() | Bin() if s.pat[0].type is I64:
                known = self.scalar(s.pat[0].name, s.exp, known)
            case Index(x, index):
                fixed = zip(index, known.shape(x), strict=True)
                known = known.assuming([p for i, n in fixed for p in _inside(i, n)])
                self.scene.maxima.define(s.pat[0].name, s.exp)
                known = known.assuming(self.scene.maxima.bounds(s.pat[0].name, known.facts))
            case Slice(x, tuple() as dims) | Update(x, tuple() as dims):
                fix = [
                    (d.at, n)
                    for d, n in zip(dims, known.shape(x), strict=True)
                    if isinstance(d, DimFix)
                ]
                known = known.assuming([p for i, n in fix for p in _inside(i, n)])
            case Kernel() as e:
                if self.scene.elements:
                    known = known.assuming(self.scene.maxima.reduced(s, e, self.scene.exact))
            case Scalar() | DerivedArray() | FreshArray() | InPlace() | If() | Loop() | Assert():
                pass
            case Opaque():
                pass
            case RaggedKernel():
                raise unscheduled()
        return self.caught_up(known)

    def made(self, known: PointFacts, s: Stm[Ann]) -> PointFacts:
        """Return the facts after a statement, whose results exist.

        Existence must not be used to prove that a result is inside its block, since only a place
        inside a block has few elements.
        """
        self.exist(s.pat, known)
        if isinstance(s.exp, Kernel):
            total = product(d.size for d in s.exp.dims)
            if len(s.exp.dims) == 1 or nonneg(total - 1, known.facts):
                self.iterate(d.size for d in s.exp.dims)
        return self.caught_up(known)

    # ------------------------------------------------------------------ scalars

    def scalar(self, x: Name, e: ScalarExp, known: PointFacts) -> PointFacts:
        """Return the facts after ``let (x : i64) = e``."""
        p = exp_size(e, self.scene.exact)
        if p is not None and self.room.fits(p, known.facts):
            self.scene.exact[x] = p
        self.scene.maxima.define(x, e)
        self.room.limits[x] = self.room.limit_of(e)
        implied, is_all = self.implied(x, e, known.facts)
        match e:
            case Bin(BinOp.MIN | BinOp.MAX):
                self.scene.caps[x] = tuple(self.caps(e, known.facts))
            case _:
                pass
        if not is_all:
            self.waiting = (*self.waiting, (x, e))
        known = known.assuming(implied)
        return known.assuming(self.scene.maxima.bounds(x, known.facts))

    def caught_up(self, known: PointFacts) -> PointFacts:
        """Return the facts with those of operators that are only now known not to wrap around."""
        facts, extents = known.facts, self.room.extents
        if self.stuck is not None and facts is self.stuck[0] and extents == self.stuck[1]:
            return known
        left: list[tuple[Name, ScalarExp]] = []
        for x, e in self.waiting:
            implied, is_all = self.implied(x, e, known.facts)
            known = known.assuming(implied)
            if not is_all:
                left.append((x, e))
        self.waiting = tuple(left)
        self.stuck = (facts, extents) if known.facts is facts else None
        return known

    def implied(self, x: Name, e: ScalarExp, facts: Facts) -> tuple[list[Size], bool]:
        """Return nonnegative polynomials that follow from ``x = e``; and whether these are all.

        They are not all as long as operands may have wrapped around.
        """
        match e:
            case Bin(BinOp.MAX | BinOp.MIN | BinOp.DIV, a, b):
                p, q = self.exactly(a, facts), self.exactly(b, facts)
                exact = [c for c in (p, q) if c is not None]
                pairs = list(permutations(exact, 2))
            case Bin(BinOp.MOD, _, b):
                q = self.exactly(b, facts)
                if q is None or not nonneg(q, facts):
                    return [], False
                return [var(x), q - 1 - var(x)], True
            case _:
                p = self.exactly(e, facts)
                if p is None or x in self.scene.exact:
                    return [], p is not None
                return [p - var(x), var(x) - p], True
        match e:
            case Bin(BinOp.MAX):
                tops = [c for c in self.caps(e, facts) if nonneg(c, facts)]
                tops += [c for c, other in pairs if nonneg(c - other, facts)]
                return [*(var(x) - c for c in exact), *(c - var(x) for c in tops)], bool(pairs)
            case Bin(BinOp.MIN):
                least = [c for c, other in pairs if nonneg(other - c, facts)]
                return [*(c - var(x) for c in exact), *(var(x) - c for c in least)], bool(pairs)
            case _:
                if p is None or q is None or not nonneg(q, facts):
                    return [], False
                # Rounded down, with a divisor of at least 1: -1 stays -1 for any divisor.
                low = next((k for k in (0, -1) if nonneg(p - k, facts)), None)
                sign = [] if low is None else [var(x) - low]
                return [*sign, p - var(x) * q, var(x) * q + q - 1 - p], True

    def caps(self, e: ScalarExp, facts: Facts) -> Iterator[Size]:
        """Yield upper bounds of ``e``: each holds if it is not negative, or if an index is below
        ``e``.  ``max(…, 0)`` does not matter, nor does a maximum with a smaller number.
        """
        match e:
            case Bin(BinOp.MAX, a, Const(0)) | Bin(BinOp.MAX, Const(0), a):
                yield from self.caps(a, facts)
            case Bin(BinOp.MAX, a, Const(int(k))) | Bin(BinOp.MAX, Const(int(k)), a):
                yield from (c for c in self.caps(a, facts) if nonneg(c - k, facts))
            case Bin(BinOp.MIN, a, b):
                yield from self.caps(a, facts)
                yield from self.caps(b, facts)
            case _:
                p = self.exactly(e, facts)
                if p is not None:
                    yield p

    def below_caps(self, ranges: Iterable[tuple[Name, Size]], known: PointFacts) -> Iterator[Size]:
        """Yield bounds on indices: below a minimum means below both; below max(a, 0) below a."""
        for i, n in ranges:
            e = known.scalars.get(x) if (x := n.as_name) is not None else None
            match e:
                case Bin(BinOp.MIN | BinOp.MAX):
                    yield from (c - 1 - var(i) for c in self.caps(e, known.facts))
                case _:
                    pass

    # ------------------------------------------------------------------ no overflow

    def exactly(self, e: ScalarExp, facts: Facts) -> Size | None:
        """Return the polynomial that equals an operand, if it provably has not wrapped around."""
        p = exp_size(e)
        if p is None or not self.room.fits(expanded(p, self.scene.exact), facts):
            return None
        return p


def is_dense(ix: Lmad) -> bool:
    """True if elements lie row by row without gaps."""
    step = ONE
    for d in reversed(ix.dims):
        if d.stride != step:
            return False
        step = step * d.len
    return True


def around(p: Size, facts: Facts) -> frozenset[Name]:
    """Return the names that may bound a polynomial.

    They are its own names, those in the bounds of its indices, those in assumed inequalities with
    them (``less * threads <= counted - 1``), and those in inequalities with the latter
    (``counted <= n * m``).
    """
    names = p.free().union(*(n.free() for i, n in facts.indices if i in p.free()))
    for _ in range(2):
        compared = [a.free() for a in facts.assumed if not names.isdisjoint(a.free())]
        names = names.union(*compared)
    return names


def _ranges(e: Exp[Ann]) -> tuple[tuple[Name, Size], ...]:
    match e:
        case Kernel(dims):
            return tuple((d.index, d.size) for d in dims)
        case Loop(_, For(i, n)):
            return ((i, n),)
        case Loop() | If():
            return ()
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return ()
        case Opaque():
            return ()
        case RaggedKernel():
            raise unscheduled()


def nonneg_shapes(known: PointFacts, binders: Iterable[Binder[Ann]]) -> PointFacts:
    """Return the facts with lengths of existing arrays not negative."""
    shapes = (b.type.shape for b in binders if isinstance(b.type, ArrayType))
    return known.with_nonneg(d for shape in shapes for d in shape)


def _inside(i: Size, n: Size) -> Iterator[Size]:
    """Yield what an index in bounds implies."""
    yield i
    yield n - 1 - i
