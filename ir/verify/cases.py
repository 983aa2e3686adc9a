"""The value of a scalar in one iteration of a kernel, by cases.

    let (f : [n]i64) = kernel i < n do  let (c : bool) = xs[i] < 0   let (k : i64) = i64(c)   in (k)
    … kernel j < n do  let (k : i64) = f[j] …             k is 1 if xs[j] < 0, and else 0

Names bound by ``let`` are replaced by their values, and so are elements, at the iteration's own
index, of arrays that kernels make; an ``if`` yields two cases.  Arrays are values, so the
expression that computes a name or an element defines it at every place.  An i64 is a polynomial
modulo 2^64; it is *exact* if nothing in it wraps around (scene.py).  All other terms are opaque.

An element of an array that may be a scan is ``x.rank`` at the iteration's index and ``x.total`` at
the last one; :mod:`~funmem.ir.verify.prefix` finds the sums that they are.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product as cartesian

from attrs import field

from funmem.ir.arith import MAX_TERMS, expanded, scalar_type
from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Bin,
    Body,
    Call,
    Concat,
    Const,
    Convert,
    Copy,
    DerivedArray,
    FreshArray,
    If,
    Index,
    InPlace,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
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
from funmem.ir.logic.bounded import shown
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, I64, INTS, U64, BinOp, ScalarType, UnOp, un_result
from funmem.ir.sizes import MAX_DEGREE, ZERO, Size, const, var
from funmem.ir.traverse import bound_names, free_in_exp
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.terms import (
    Case,
    Cases,
    Number,
    Op,
    PathCondition,
    Term,
    certain,
    differ,
    equal_to,
)

MOST = 32
"""Cap on the number of cases of a name; with more it is opaque."""
NARROW = frozenset(INTS) - {I64, U64}
"""Integer types whose values all fit i64."""


class _TooMany(Exception):
    """An expression has more than MOST cases: the name that it is bound to is opaque."""


@define
class Iteration:
    """A model of the scalars in one iteration of a kernel over one dimension."""

    scene: Scene
    index: Name
    nonneg: Callable[[Size], bool]
    """True if a polynomial is proved not negative, given that there is an iteration."""
    fits: Callable[[Size], bool]
    """True if a polynomial is proved to fit i64, given that there is an iteration."""
    known: dict[Name, Cases] = field(factory=dict)
    elements: dict[Name, Cases] = field(factory=dict)
    opaque: dict[Op, Name] = field(factory=dict)
    varying: set[Name] = field(factory=set)
    """Names, including those of opaque terms, that may differ between iterations."""
    opened: list[Kernel[Ann]] = field(factory=list)
    """The kernels whose bodies were used."""
    narrow: dict[Name, ScalarType] = field(factory=dict)
    """Opaque terms ``i64(x)`` -> the type of x, all of whose values are i64."""
    spelt: dict[Name, Op] = field(factory=dict)
    """The name of an opaque term -> the term."""
    signs: set[tuple[Case, Size]] = field(factory=set)
    """A case of an i64 that is not negative in a number of first iterations where it applies."""
    within: Size | None = None
    """The number of iterations of the kernel whose body is being evaluated."""
    ranks: dict[Name, Name] = field(factory=dict)
    """``x.rank`` -> x, which may be a scan."""
    totals: dict[Name, Name] = field(factory=dict)

    def open(self, e: Kernel[Ann]) -> None:
        """Use the body of a kernel over one dimension; its index is the iteration's."""
        (d,) = e.dims
        if all(e is not other for other in self.opened):
            self.opened.append(e)
        self.varying |= {*bound_names(e.body), d.index, self.index}
        self.known[d.index] = certain(Number(var(self.index)))

    def varies(self, t: Term) -> bool:
        """True if a term may differ between iterations."""
        match t:
            case Number(p):
                return not p.free().isdisjoint(self.varying)
            case Op(_, args, name):
                return name in self.varying or any(map(self.varies, args))
            case Const():
                return False

    # ------------------------------------------------------------------ expressions

    def scalar(self, e: ScalarExp) -> Cases:
        """Return the cases of an expression."""
        match e:
            case Var(x):
                return self.name(x)
            case Const(int(k), t) if t is I64:
                return certain(Number(const(k)))
            case Const():
                return certain(e)
            case Convert(to, a):
                of = self.scalar(a)
                if to in INTS and to is not I64 and self.type_of(a) is BOOL:
                    return tuple(self.flags(of, to))
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
        """Apply an operator to all consistent combinations of cases.  Raise _TooMany."""
        found: list[Case] = []
        for way in cartesian(*parts):
            path = self.joined(*(c.path for c in way))
            if path is not None:
                found.append(Case(path, f(tuple(c.value for c in way))))
        if len(found) > MOST:
            raise _TooMany
        return tuple(found)

    def type_of(self, e: ScalarExp) -> ScalarType:
        """Return the type of an expression."""
        return scalar_type(e, {x: self.scene.scalars.get(x, I64) for x in free_in_exp(e)})

    def as_i64(self, c: Case, t: ScalarType) -> Iterator[Case]:
        """Yield the cases of a conversion to i64; a bool is 1 or 0."""
        if isinstance(c.value, Number):
            yield c
            return
        truth = c.value.truth if isinstance(c.value, Op) else c.value in _TRUTHS
        if not truth:
            number = self.typed(Op("i64", (c.value,)), i64=True)
            x = number.p.as_name if isinstance(number, Number) else None
            if x is not None and t in NARROW:
                self.narrow[x] = t
            yield Case(c.path, number)
            return
        for value in (True, False):
            path = self.assuming(c.path, c.value, value)
            if path is not None:
                yield Case(path, Number(const(int(value))))

    def flags(self, of: Cases, to: ScalarType) -> Iterator[Case]:
        """Yield the cases of a bool's conversion to another integer: 1 or 0."""
        for c in of:
            truth = c.value.truth if isinstance(c.value, Op) else c.value in _TRUTHS
            if not truth:
                yield Case(c.path, Op(str(to), (c.value,)))
                continue
            for value in (True, False):
                path = self.assuming(c.path, c.value, value)
                if path is not None:
                    yield Case(path, Const(int(value), to))

    def typed(self, t: Op, *, i64: bool) -> Term:
        """Return an opaque term; if it is an i64, as a name."""
        if not i64:
            return t
        x = self.opaque.setdefault(t, Name(f"{len(self.opaque)}.term"))
        self.spelt[x] = t
        if self.varies(t):
            self.varying.add(x)
        return Number(var(x))

    def operator(self, p: Size) -> Op | None:
        """Return the opaque term that an i64 is, or None."""
        x = p.as_name
        return None if x is None else self.spelt.get(x)

    def mentions(self, t: Term, x: Name) -> bool:
        """True if a name occurs in a term, also inside opaque terms."""
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
        """Return a unary operation; it may count bits, with an i32 as its result."""
        i64 = isinstance(t[0], Number) and un_result(op, I64) is I64
        return self.typed(Op(f"{op.value}.", t), i64=i64)

    def binary(self, op: BinOp, a: Term, b: Term) -> Term:
        """Return a binary operation; comparisons become ``==``, ``<`` or, not of i64, ``<=``."""
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
        """Return the result of an operator on two numbers; it is exact if it cannot wrap."""
        return Number(p, p.as_name is not None or (a.exact and b.exact and self.fits(p)))

    # ------------------------------------------------------------------ names

    def name(self, x: Name) -> Cases:
        """Return the cases of a scalar in scope."""
        if x not in self.known:
            try:
                found = self.bound(x)
            except _TooMany:
                found = ()
            self.known[x] = found if 0 < len(found) <= MOST else certain(self.variable(x))
        return self.known[x]

    def variable(self, x: Name) -> Term:
        """Return a name about which nothing is known."""
        t = self.scene.scalars.get(x, I64)
        return Number(var(x)) if t is I64 else Op(f"{x}", (), x, t is BOOL)

    def bound(self, x: Name) -> Cases:
        """Return the cases of a name from the statement that binds it."""
        s = self.scene.made_by.get(x)
        if s is None:
            return certain(self.variable(x))
        if (p := self.scene.exact.get(x)) is not None and (q := self.polynomial(p)) is not None:
            return certain(q)
        match s.exp:
            case (Const() | Var() | Bin() | Un() | Convert()) as e:
                return self.scalar(e)
            case Call():  # opaque: its result is any value
                return certain(self.variable(x))
            case Index(a, index):
                return self.element(a, index)
            case If(cond, then, orelse):
                at = [b.name for b in s.pat].index(x)
                ways = ((True, then), (False, orelse))
                return tuple(c for value, b in ways for c in self.branch(cond, b, at, value=value))
            case DerivedArray() | FreshArray() | InPlace() | Kernel() | Loop() | Assert() | Alloc():
                return certain(self.variable(x))
            case Opaque():
                return certain(self.variable(x))
            case RaggedKernel():
                raise unscheduled()

    def polynomial(self, p: Size) -> Number | None:
        """Return a polynomial with its names replaced, or None if one is not a polynomial."""
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
        """Return a polynomial with those of its names replaced that are polynomials."""
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
        """Yield the cases of an ``if`` whose condition has the given value."""
        a = b.result[at]
        found, lengths = self.scalar(a), self.never_negative(b, a)
        for c in self.scalar(cond):
            path = self.assuming(c.path, c.value, value)
            if path is None:
                continue
            for d in found:
                both = self.joined(path, d.path)
                if both is not None:
                    answer = Case(both, d.value)
                    known = lengths | {n for e, n in self.signs if e == d}
                    self.signs |= {(answer, n) for n in known}
                    yield answer

    def never_negative(self, b: Body[Ann], a: Atom) -> set[Size]:
        """Return ``{within}`` if a name is not negative at the end of a body, else an empty set."""
        if self.within is None or not isinstance(a, Var):
            return set()
        p = expanded(var(a.name), self.scene.exact)
        end = self.scene.at_end[id(b)]
        return {self.within} if shown(p, end.facts, end.scalars) else set()

    def result(self, b: Body[Ann], a: Atom, length: Size) -> Cases:
        """Return the cases of a result of the body of a kernel or loop of ``length`` iterations."""
        outer, self.within = self.within, length
        cases = self.scalar(a)
        self.signs |= {(c, n) for c in cases for n in self.never_negative(b, a)}
        self.within = outer
        return cases

    # ------------------------------------------------------------------ elements

    def element(self, a: Name, index: Sequence[Size]) -> Cases:
        """Return the cases of an element of an array."""
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
        """Return an opaque element."""
        t = self.scene.types[a].elem
        return certain(self.typed(Op(f"{a}[]", index, a, t is BOOL), i64=t is I64))

    def own(self, a: Name) -> Cases:
        """Return the cases of the element at the iteration's index."""
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
        """Return the last element of an array that may be a scan, or None."""
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

    def joined(self, *parts: PathCondition) -> PathCondition | None:
        """Return the conjunction of path conditions; None if they contradict each other."""
        path: PathCondition = ()
        for t, value in (one for part in parts for one in part):
            more = self.assuming(path, t, value)
            if more is None:
                return None
            path = more
        return path

    def assuming(self, path: PathCondition, t: Term, value: bool) -> PathCondition | None:
        """Return a path condition with one more condition added; None if they contradict."""
        match t:
            case Op("!", (a,)):
                return self.assuming(path, a, not value)
            case Op("&&" | "||" as op, (a, b)) if value is (op == "&&"):
                first = self.assuming(path, a, value)
                return None if first is None else self.assuming(first, b, value)
            case _:
                decided = self.decided(t, path)
                if decided is not None:
                    return path if decided is value else None
                more = (*path, (t, value))
                wrong = any(self.inferred(u, more) is (not v) for u, v in path)
                return None if wrong else more

    def decided(self, t: Term, path: PathCondition) -> bool | None:
        """Return the value of a condition under a path condition; None if it is not known."""
        for other, value in path:
            if other == t:
                return value
        return self.inferred(t, path)

    def inferred(self, t: Term, path: PathCondition) -> bool | None:
        """Return it from the parts of the condition."""
        match t:
            case Const(bool(value)):
                return value
            case Op("!", (a,)):
                of = self.decided(a, path)
                return None if of is None else not of
            case Op("&&" | "||" as op, (a, b)):
                both = {self.decided(a, path), self.decided(b, path)}
                strong = op == "||"
                return strong if strong in both else None if None in both else not strong
            case Op("==", (a, b)):
                equals = (other for other, value in path if value and other != t)
                if any(differ(b, c) for c in equal_to(a, equals)):
                    return False
                return self.compared(a, b, less=False)
            case Op("<", (a, b)):
                return self.compared(a, b, less=True)
            case _:
                return None

    def compared(self, a: Term, b: Term, *, less: bool) -> bool | None:
        """Return if an exact number is less than, or equal to, another one; None if not known."""
        if not (isinstance(a, Number) and isinstance(b, Number) and a.exact and b.exact):
            return None
        gap = b.p - a.p
        if gap == ZERO:
            return not less
        if self.nonneg(gap - 1):
            return less
        return False if self.nonneg(-gap if less else -gap - 1) else None


def may_be_scanned(a: Name, scene: Scene) -> bool:
    """True if a vector of i64 is a scan, or made as ``schedule`` divides a scan."""
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
    """Yield the index into the source array for an index into a slice of it."""
    left = iter(index)
    for d in dims:
        match d:
            case DimFix(at):
                yield at
            case DimRange(start, _, stride):
                yield start + stride * next(left)


_TRUTHS = (Const(value=True, type=BOOL), Const(value=False, type=BOOL))


def _small(p: Size, q: Size) -> bool:
    """True if the product of two polynomials is small enough to be computed."""
    return len(p.terms) * len(q.terms) <= MAX_TERMS and p.degree + q.degree <= MAX_DEGREE
