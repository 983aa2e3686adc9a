"""What a scalar is in one iteration of a kernel, case by case.

    let (f : [n]i64) = kernel i < n do  let (c : bool) = xs[i] < 0   let (k : i64) = i64(c)   in (k)
    … kernel j < n do  let (k : i64) = f[j] …             k is 1 if xs[j] < 0, and 0 if it is not

Names that ``let`` binds are seen through, and so are elements, at the iteration's own index, of
arrays that kernels make; an ``if`` makes two cases.  Arrays are values, so what a name or an
element is computed from says what it is, wherever that was.  An i64 is a polynomial modulo 2^64; it
is *exact* if nothing in it wraps around (scene.py).  Whatever else there is, is opaque.

An element of what may be a scan is ``x.rank`` at the iteration's index and ``x.total`` at the last
one; :mod:`~funmem.ir.verify.prefix` knows what they are sums of.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product as cartesian
from typing import TypeAlias

from attrs import field

from funmem.ir.arith import MAX_TERMS, expanded, scalar_type
from funmem.ir.fun import (
    Ann,
    Atom,
    Bin,
    Body,
    Concat,
    Const,
    Convert,
    Copy,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    Reduce,
    Replicate,
    ScalarExp,
    Scan,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, SliceDim
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BOOL, I64, INTS, U64, BinOp, ScalarType, UnOp, un_result
from funmem.ir.sizes import MAX_DEGREE, ZERO, Size, const, var
from funmem.ir.traverse import bound_names, free_in_exp
from funmem.ir.verify.scene import Scene

MOST = 32
"""Cases of one name; what has more is opaque."""
NARROW = frozenset(INTS) - {I64, U64}
"""Types all of whose values are i64."""
WRAP = 1 << 64
"""Numbers that differ by a multiple of it are the same i64."""


@frozen
class Number:
    """An i64: a polynomial modulo 2^64, whose names may stand for opaque terms."""

    p: Size
    exact: bool = field(default=True, eq=False)


@frozen
class Op:
    """Any other scalar that is no constant: a name, an element, what an operator computes.

    ``name`` is the name, or the array.
    """

    what: str
    args: "tuple[Term, ...]" = ()
    name: Name | None = None
    truth: bool = field(default=False, eq=False)
    """Whether it is a bool."""


Term: TypeAlias = Number | Op | Const
Said: TypeAlias = tuple[tuple[Term, bool], ...]
"""Conditions, and whether they hold."""


@frozen
class Case:
    """Where all of ``said`` is so, the scalar is ``value``."""

    said: Said
    value: Term


Cases: TypeAlias = tuple[Case, ...]
"""In each iteration one of them is so."""


def certain(value: Term) -> Cases:
    """It is this in all iterations."""
    return (Case((), value),)


class _TooMany(Exception):
    """An expression has more than MOST cases: the name that it is bound to is opaque."""


@define
class Iteration:
    """The scalars of one iteration of a kernel over one dimension."""

    scene: Scene
    index: Name
    nonneg: Callable[[Size], bool]
    """What is known of polynomials where there is an iteration."""
    fits: Callable[[Size], bool]
    """Whether they are i64, there."""
    known: dict[Name, Cases] = field(factory=dict)
    elements: dict[Name, Cases] = field(factory=dict)
    opaque: dict[Op, Name] = field(factory=dict)
    varying: set[Name] = field(factory=set)
    """Names, of opaque terms too, that may differ from iteration to iteration."""
    opened: list[Kernel[Ann]] = field(factory=list)
    """The kernels that were looked into."""
    narrow: dict[Name, ScalarType] = field(factory=dict)
    """Opaque terms ``i64(x)`` -> the type of x, all of whose values are i64."""
    spelt: dict[Name, Op] = field(factory=dict)
    """The names of opaque terms -> the terms."""
    signs: set[tuple[Case, Size]] = field(factory=set)
    """Cases of an i64 that is not negative in so many first iterations, where they are so."""
    within: Size | None = None
    """How many iterations the kernel has whose body is looked at."""
    ranks: dict[Name, Name] = field(factory=dict)
    """``x.rank`` -> x, which may be a scan."""
    totals: dict[Name, Name] = field(factory=dict)

    def open(self, e: Kernel[Ann]) -> None:
        """Looks into a kernel over one dimension: its index is the iteration's."""
        (d,) = e.dims
        if all(e is not other for other in self.opened):
            self.opened.append(e)
        self.varying |= {*bound_names(e.body), d.index, self.index}
        self.known[d.index] = certain(Number(var(self.index)))

    def varies(self, t: Term) -> bool:
        """Whether a term may differ from iteration to iteration."""
        match t:
            case Number(p):
                return not p.free().isdisjoint(self.varying)
            case Op(_, args, name):
                return name in self.varying or any(map(self.varies, args))
            case Const():
                return False

    # ------------------------------------------------------------------ expressions

    def scalar(self, e: ScalarExp) -> Cases:
        """The cases of an expression."""
        match e:
            case Var(x):
                return self.name(x)
            case Const(int(k), t) if t is I64:
                return certain(Number(const(k)))
            case Const():
                return certain(e)
            case Convert(to, a):
                of = self.scalar(a)
                if to is not I64:
                    return self.each(lambda t: Op(str(to), t), of)
                return tuple(c for case in of for c in self.as_i64(case, self.type_of(a)))
            case Un(UnOp.LNOT, a):
                return self.each(lambda t: Op("!", t, truth=True), self.scalar(a))
            case Un(un, a):
                return self.each(lambda t: self.unary(un, t), self.scalar(a))
            case Bin(op, a, b):
                return self.each(lambda t: self.binary(op, *t), self.scalar(a), self.scalar(b))

    def each(self, f: Callable[[tuple[Term, ...]], Term], *parts: Cases) -> Cases:
        """What an operator makes of all combinations that may be.  Raises _TooMany."""
        found: list[Case] = []
        for way in cartesian(*parts):
            said = self.joined(*(c.said for c in way))
            if said is not None:
                found.append(Case(said, f(tuple(c.value for c in way))))
        if len(found) > MOST:
            raise _TooMany
        return tuple(found)

    def type_of(self, e: ScalarExp) -> ScalarType:
        """The type of an expression."""
        return scalar_type(e, {x: self.scene.scalars.get(x, I64) for x in free_in_exp(e)})

    def as_i64(self, c: Case, t: ScalarType) -> Iterator[Case]:
        """A bool is 1 or 0."""
        if isinstance(c.value, Number):
            yield c
            return
        truth = c.value.truth if isinstance(c.value, Op) else c.value in _TRUTHS
        if not truth:
            number = self.typed(Op("i64", (c.value,)), i64=True)
            x = number.p.as_name if isinstance(number, Number) else None
            if x is not None and t in NARROW:
                self.narrow[x] = t
            yield Case(c.said, number)
            return
        for value in (True, False):
            said = self.assuming(c.said, c.value, value)
            if said is not None:
                yield Case(said, Number(const(int(value))))

    def typed(self, t: Op, *, i64: bool) -> Term:
        """An opaque term, as a name if it is an i64."""
        if not i64:
            return t
        x = self.opaque.setdefault(t, Name(f"{len(self.opaque)}.term"))
        self.spelt[x] = t
        if self.varies(t):
            self.varying.add(x)
        return Number(var(x))

    def operator(self, p: Size) -> Op | None:
        """What an i64 is computed by, if it is an opaque term."""
        x = p.as_name
        return None if x is None else self.spelt.get(x)

    def mentions(self, t: Term, x: Name) -> bool:
        """Whether a name occurs in a term, opaque ones included."""
        match t:
            case Number(p):
                return x in p.free() or any(
                    self.mentions(self.spelt[y], x) for y in p.free() if y in self.spelt
                )
            case Op(_, args, name):
                return name == x or any(self.mentions(a, x) for a in args)
            case Const():
                return False

    def unary(self, op: UnOp, t: tuple[Term, ...]) -> Term:
        """One operator, which may count bits in an i32."""
        i64 = isinstance(t[0], Number) and un_result(op, I64) is I64
        return self.typed(Op(f"{op.value}.", t), i64=i64)

    def binary(self, op: BinOp, a: Term, b: Term) -> Term:
        """One operator; comparisons are ``==``, ``<`` and, not of numbers, ``<=``."""
        match op, a, b:
            case BinOp.ADD, Number(), Number():
                return self.number(a.p + b.p, a, b)
            case BinOp.SUB, Number(), Number():
                return self.number(a.p - b.p, a, b)
            case BinOp.MUL, Number(), Number() if _small(a.p, b.p):
                return self.number(a.p * b.p, a, b)
            case BinOp.GT | BinOp.GE, _, _:
                return self.binary(BinOp.LT if op is BinOp.GT else BinOp.LE, b, a)
            case BinOp.LE, Number(), Number():  # no NaN
                return Op("!", (self.binary(BinOp.LT, b, a),), truth=True)
            case BinOp.NE, _, _:
                return Op("!", (self.binary(BinOp.EQ, a, b),), truth=True)
            case ((BinOp.EQ | BinOp.LT | BinOp.LE | BinOp.LAND | BinOp.LOR), _, _):
                return Op(op.value, (a, b), truth=True)
            case _:
                return self.typed(Op(op.value, (a, b)), i64=isinstance(a, Number))

    def number(self, p: Size, a: Number, b: Number) -> Number:
        """What an operator computes of two numbers."""
        return Number(p, p.as_name is not None or (a.exact and b.exact and self.fits(p)))

    # ------------------------------------------------------------------ names

    def name(self, x: Name) -> Cases:
        """The cases of a scalar that is in scope."""
        if x not in self.known:
            try:
                found = self.bound(x)
            except _TooMany:
                found = ()
            self.known[x] = found if 0 < len(found) <= MOST else certain(self.variable(x))
        return self.known[x]

    def variable(self, x: Name) -> Term:
        """A name that nothing is known of."""
        t = self.scene.scalars.get(x, I64)
        return Number(var(x)) if t is I64 else Op(f"{x}", (), x, t is BOOL)

    def bound(self, x: Name) -> Cases:
        """By the statement that binds it."""
        s = self.scene.made_by.get(x)
        if s is None:
            return certain(self.variable(x))
        if (p := self.scene.exact.get(x)) is not None and (q := self.polynomial(p)) is not None:
            return certain(q)
        match s.exp:
            case Const() | Var() | Bin() | Un() | Convert() as e:
                return self.scalar(e)
            case Index(a, index):
                return self.element(a, index)
            case If(cond, then, orelse):
                at = [b.name for b in s.pat].index(x)
                ways = ((True, then), (False, orelse))
                return tuple(c for value, b in ways for c in self.branch(cond, b, at, value=value))
            case _:
                return certain(self.variable(x))

    def polynomial(self, p: Size) -> Number | None:
        """A polynomial, if each of its names is a polynomial."""
        image: dict[Name, Size] = {}
        exact = True
        for x in p.free():
            match self.name(x):
                case (Case((), Number(q, plain)),):
                    image[x], exact = q, exact and plain
                case _:
                    return None
        found = p.subst_within(image, MAX_TERMS)
        return None if found is None else Number(found, exact)

    def resolved(self, p: Size) -> Number:
        """A polynomial, with those of its names replaced that are polynomials."""
        image: dict[Name, Size] = {}
        exact = True
        for x in p.free():
            match self.name(x), self.scene.exact.get(x):
                case (Case((), Number(q, plain)),), _:
                    image[x], exact = q, exact and plain
                case _, Size() as q if q.as_name != x:
                    found = self.resolved(q)
                    image[x], exact = found.p, exact and found.exact
                case _:
                    pass
        found_p = p.subst_within(image, MAX_TERMS)
        return Number(p) if found_p is None else Number(found_p, exact)

    def branch(self, cond: Atom, b: Body[Ann], at: int, *, value: bool) -> Iterator[Case]:
        """What an ``if`` answers where its condition has a value."""
        a = b.result[at]
        found, lengths = self.scalar(a), self.never_negative(b, a)
        for c in self.scalar(cond):
            said = self.assuming(c.said, c.value, value)
            if said is None:
                continue
            for d in found:
                both = self.joined(said, d.said)
                if both is not None:
                    answer = Case(both, d.value)
                    known = lengths | {n for e, n in self.signs if e == d}
                    self.signs |= {(answer, n) for n in known}
                    yield answer

    def never_negative(self, b: Body[Ann], a: Atom) -> set[Size]:
        """The numbers of iterations, one or none, in which a name is not negative at the end of a
        body.
        """
        if self.within is None or not isinstance(a, Var):
            return set()
        p = expanded(var(a.name), self.scene.exact)
        facts = self.scene.at_end[id(b)].facts
        return {self.within} if nonneg(p, facts) else set()

    def result(self, b: Body[Ann], a: Atom, length: Size) -> Cases:
        """A scalar at the end of the body of a kernel or a loop of so many iterations."""
        outer, self.within = self.within, length
        cases = self.scalar(a)
        self.signs |= {(c, n) for c in cases for n in self.never_negative(b, a)}
        self.within = outer
        return cases

    # ------------------------------------------------------------------ elements

    def element(self, a: Name, index: Sequence[Size]) -> Cases:
        """An element of an array."""
        terms = tuple(self.resolved(p) for p in index)
        match self.scene.made_by.get(a):
            case Stm(_, Slice(b, tuple() as dims)):
                return self.element(b, tuple(_viewed(dims, [t.p for t in terms])))
            case _:
                pass
        if terms == (Number(var(self.index)),):
            if a not in self.elements:
                self.elements[a] = self.own(a)
            return self.elements[a]
        return self.last(a, terms) or self.some(a, terms)

    def some(self, a: Name, index: tuple[Term, ...]) -> Cases:
        """One that nothing is known of."""
        t = self.scene.types[a].elem
        return certain(self.typed(Op(f"{a}[]", index, a, t is BOOL), i64=t is I64))

    def own(self, a: Name) -> Cases:
        """The one at the iteration's index."""
        if may_be_scanned(a, self.scene):
            rank = Name(f"{a}.rank")
            self.ranks[rank] = a
            self.varying.add(rank)
            return certain(Number(var(rank)))
        s = self.scene.made_by.get(a)
        match s:
            case Stm(_, Kernel((_,), Map() | Reduce() | Scan() as collective, body) as e):
                at = [b.name for b in s.pat].index(a)
                if isinstance(collective, Map) or at >= len(collective.ne):
                    self.open(e)
                    return self.result(body, body.result[at], e.dims[0].size)
            case Stm(_, Copy(b)):
                return self.element(b, (var(self.index),))
            case Stm(_, Replicate((_,), value)) if not self.scene.is_array(value):
                return self.scalar(value)
            case Stm(_, Iota(_, Const(int(start), t), Const(int(step), _))) if t is I64:
                p = const(start) + var(self.index) * step
                return certain(Number(p, self.fits(p)))
            case _:
                pass
        return self.some(a, (Number(var(self.index)),))

    def last(self, a: Name, index: tuple[Term, ...]) -> Cases | None:
        """The last one of what may be a scan."""
        match index:
            case (Number(p),) if may_be_scanned(a, self.scene):
                (n,) = self.scene.types[a].shape
                if self.resolved(n) == Number(p + 1):
                    total = Name(f"{a}.total")
                    self.totals[total] = a
                    if a in self.varying:
                        self.varying.add(total)
                    return certain(Number(var(total)))
            case _:
                pass
        return None

    # ------------------------------------------------------------------ conditions

    def joined(self, *parts: Said) -> Said | None:
        """All that is said; None if it cannot be."""
        said: Said = ()
        for t, value in (one for part in parts for one in part):
            more = self.assuming(said, t, value)
            if more is None:
                return None
            said = more
        return said

    def assuming(self, said: Said, t: Term, value: bool) -> Said | None:
        """What is said, and that a condition has a value; None if it cannot have it."""
        match t:
            case Op("!", (a,)):
                return self.assuming(said, a, not value)
            case Op("&&" | "||" as op, (a, b)) if value is (op == "&&"):
                first = self.assuming(said, a, value)
                return None if first is None else self.assuming(first, b, value)
            case _:
                decided = self.decided(t, said)
                if decided is not None:
                    return said if decided is value else None
                more = (*said, (t, value))
                wrong = any(self.inferred(u, more) is (not v) for u, v in said)
                return None if wrong else more

    def decided(self, t: Term, said: Said) -> bool | None:
        """Whether a condition holds where all that is said holds; None if nobody knows."""
        for other, value in said:
            if other == t:
                return value
        return self.inferred(t, said)

    def inferred(self, t: Term, said: Said) -> bool | None:
        """The same, by its parts."""
        match t:
            case Const(bool(value)):
                return value
            case Op("!", (a,)):
                of = self.decided(a, said)
                return None if of is None else not of
            case Op("&&" | "||" as op, (a, b)):
                both = {self.decided(a, said), self.decided(b, said)}
                strong = op == "||"
                return strong if strong in both else None if None in both else not strong
            case Op("==", (a, b)):
                equals = (other for other, value in said if value and other != t)
                if any(_differ(b, c) for c in _equal_to(a, equals)):
                    return False
                return self.compared(a, b, less=False)
            case Op("<", (a, b)):
                return self.compared(a, b, less=True)
            case _:
                return None

    def compared(self, a: Term, b: Term, *, less: bool) -> bool | None:
        """Whether an exact number is less than another one, or equal to it."""
        if not (isinstance(a, Number) and isinstance(b, Number) and a.exact and b.exact):
            return None
        gap = b.p - a.p
        if gap == ZERO:
            return not less
        if self.nonneg(gap - 1):
            return less
        return False if self.nonneg(-gap if less else -gap - 1) else None


def may_be_scanned(a: Name, scene: Scene) -> bool:
    """Whether a vector of i64 is made as a scan is, or as what ``schedule`` makes of one."""
    t = scene.types[a]
    if t.elem is not I64 or t.rank != 1:
        return False
    match scene.made_by.get(a):
        case Stm(pat, Kernel((_,), Scan(_, ne))):
            return a in [b.name for b in pat[: len(ne)]]
        case Stm(_, Concat() | Loop()):
            return True
        case _:
            return False


def _viewed(dims: Sequence[SliceDim], index: Sequence[Size]) -> Iterator[Size]:
    """The index into an array of what a slice of it shows at another one."""
    left = iter(index)
    for d in dims:
        match d:
            case DimFix(at):
                yield at
            case DimRange(start, _, stride):
                yield start + stride * next(left)


_TRUTHS = (Const(value=True, type=BOOL), Const(value=False, type=BOOL))


def _small(p: Size, q: Size) -> bool:
    """Whether the product of two polynomials is worth computing."""
    return len(p.terms) * len(q.terms) <= MAX_TERMS and p.degree + q.degree <= MAX_DEGREE


def _equal_to(a: Term, said: Iterable[Term]) -> Iterator[Term]:
    """What ``a`` is said to be equal to."""
    for t in said:
        if isinstance(t, Op) and t.what == "==" and t.args[0] == a:
            yield t.args[1]


def _differ(a: Term, b: Term) -> bool:
    """Whether two constants differ; floats that do may be equal, as zeros are."""
    match a, b:
        case Number(p), Number(q):
            k = (p - q).as_const
            return k is not None and k % WRAP != 0
        case Const(int(k), _), Const(int(j), _):
            return k != j
        case _:
            return False
