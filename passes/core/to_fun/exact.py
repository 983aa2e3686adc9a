"""Decide if the polynomial of an i64 expression equals the number that i64 arithmetic computes.

i64 arithmetic wraps around, and a size is exact (``papers/decisions/exact-sizes.md``): the
polynomial of ``i * j`` may replace the expression only if it lies within i64 for all values of
``i`` and ``j``.  Bounds of these values come from the arrays in scope (they lie in memory, so none
has more than MOST elements), from the bounds of indices, and from narrower types.

    xs : [n][m]t    ->    0 <= n * m <= MOST        i < n, j < m    ->    0 <= i * m + j < n * m
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TypeAlias

from funmem.ir.arith import exp_size
from funmem.ir.fun import (
    Alloc,
    ArrayType,
    Assert,
    Bin,
    Const,
    Convert,
    DerivedArray,
    Exp,
    FreshArray,
    If,
    Index,
    Kernel,
    Loop,
    Opaque,
    Permute,
    RaggedKernel,
    Reshape,
    Reverse,
    Scalar,
    ScalarExp,
    Scatter,
    Slice,
    Type,
    Un,
    Update,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Monomial, Size, product, var

MOST = 1 << 50
"""An upper bound of the number of elements of an array in memory."""

Interval: TypeAlias = tuple[int, int]
"""The least and the greatest value, both inclusive."""

NUMBERS: Interval = (I64.min, I64.max)
"""The values of i64."""

INDICES: Interval = (I64.min - 1, 2 * I64.max + 1)
"""Indices that may be computed in i64.

An index in this interval but outside of i64 wraps around to one that is out of bounds in any array:
a number above i64 becomes negative, and the number just below i64 becomes the greatest i64.
"""

ELEMENTS: Interval = (I64.min - (1 << 62), 2 * I64.max + 1)
"""The same for an index that selects an element of an array in memory."""

LENGTHS: Interval = (I64.min - (1 << 62), I64.max)
"""Lengths that may be computed in i64: one below i64 wraps around to a length beyond any array."""

BOUNDS: Interval = (I64.min - 1, I64.max)
"""Loop bounds that may be computed in i64.

A bound below i64 wraps around to a large one, and the body may trap before it is reached.  This is
accepted only for ``n - 1`` where n is the least i64, since memory is planned with the bound.
"""

DIFFERENCES: Interval = (I64.min, 2 * I64.max + 1)
"""Differences that may be computed in i64: if the i64 is not negative, it equals the difference."""


class Ranges:
    """Intervals of polynomials, in one scope; continues in ``outer``."""

    __slots__ = ("_indices", "_outer", "_own", "_quotients")

    def __init__(self, outer: "Ranges | None") -> None:
        self._outer = outer
        self._own: dict[Size, Interval] = {}
        """Intervals of polynomials, whose constant terms are left out."""
        self._indices: list[tuple[Name, Size]] = []
        """Indices and their bounds; inner indices come last."""
        self._quotients: list[tuple[Name, Name, int]] = []
        """Quotients, their positive divisors, and an upper bound of the product of the two."""

    def _scopes(self) -> "Iterator[Ranges]":
        scope: Ranges | None = self
        while scope is not None:
            yield scope
            scope = scope._outer

    # ------------------------------------------------------------------ what is known

    def note(self, p: Size, interval: Interval) -> None:
        """Note that a polynomial lies in an interval.

        If the polynomial is a positive product of factors that are not negative, no factor exceeds
        it.
        """
        if not p.free():
            return
        k = _constant(p)
        own = (interval[0] - k, interval[1] - k)
        self._own[p - k] = own = _both(self._own.get(p - k, own), own)
        if own[0] > 0 and len(p.terms) == 1 and len(p.terms[0][0]) > 1:
            names = frozenset(p.terms[0][0])
            if all(self._product((x,))[0] >= 0 for x in names):
                for x in names:
                    self.note(var(x), (1, own[1]))

    def index(self, i: Name, bound: Size) -> None:
        """Note that ``i`` is the index of a loop or kernel: ``0 <= i < bound``."""
        self.note(var(i), (0, I64.max))
        self.note(bound, (1, I64.max))
        self._indices.append((i, bound))

    def quotient(self, q: Name, dividend: Interval, divisor: Size) -> None:
        """Note that ``q`` is the quotient of a non-negative number and a positive one."""
        self.note(var(q), (0, dividend[1]))
        self.note(divisor * var(q), (0, dividend[1]))
        if divisor.as_name is not None:
            self._quotients.append((q, divisor.as_name, dividend[1]))

    def array(self, shape: tuple[Size, ...], *, held: bool, dims: int) -> None:
        """Note that an array of this shape exists; ``held`` if it lies in memory.

        Only the first ``dims`` sizes are certainly not negative; the others say nothing if there
        are no rows.
        """
        for d in shape[:dims]:
            self.note(d, (0, I64.max))
        if not held:
            return
        total = product(shape)
        self.note(total, (0, MOST))
        if len(total.terms) == 1:  # k times a product of names
            ((whole, k),) = total.terms
            for names in _divisors(whole):
                low, high = (0, MOST) if self._rest_never_negative(whole, names) else (-MOST, MOST)
                self.note(Size(((names, 1),)), (low, high) if k > 0 else (-high, -low))

    # ------------------------------------------------------------------ what follows

    def lies(self, p: Size, within: Interval = NUMBERS) -> bool:
        """True if a polynomial provably lies in an interval, which must contain all of i64."""
        if p.as_name is not None:
            return True
        return self._greatest(p) <= within[1] and -self._greatest(-p) >= within[0]

    def interval(self, p: Size) -> Interval:
        """Return an interval that contains a polynomial."""
        return -self._greatest(-p), self._greatest(p)

    def _greatest(self, p: Size) -> int:
        """Return an upper bound of a polynomial.

        An index with a coefficient that is not negative is replaced by its bound less 1, and one
        with a coefficient that is not positive by 0.  Inner indices are replaced first, since their
        bounds may mention outer ones.
        """
        best = self._sum(p)
        for scope in self._scopes():
            for i, bound in reversed(scope._indices):
                if i not in p.free():
                    continue
                factor, rest = _split(p, i)
                if i in factor.free():
                    continue
                if self._never_negative(factor):
                    p = factor * (bound - 1) + rest
                elif self._never_negative(-factor):
                    p = rest
                best = min(best, self._sum(p))
        return best

    def _sum(self, p: Size) -> int:
        """Return an upper bound of a polynomial: of its terms one by one, or of known sums."""
        k = _constant(p)
        total = sum(max(c * x for x in self._product(m)) for m, c in p.terms if m)
        known = (*self._known(p - k), *((-low, -high) for high, low in self._known(k - p)))
        return k + min([total, *(high for _, high in known)])

    def _product(self, names: Monomial) -> Interval:
        """Return an interval that contains a product of names."""
        low = high = 1
        for x in names:
            a, b = NUMBERS
            for known in self._known(var(x)):
                a, b = _both((a, b), known)
            ends = [low * a, low * b, high * a, high * b]
            low, high = min(ends), max(ends)
        for known in self._known(Size(((names, 1),))):
            low, high = _both((low, high), known)
        if len(names) == 1:
            for scope in self._scopes():
                for q, divisor, most in scope._quotients:
                    if divisor == names[0] and self._product((q,))[0] > 0:
                        high = min(high, most)
        return low, high

    def _known(self, p: Size) -> Iterator[Interval]:
        """Yield the intervals noted for a polynomial without a constant term."""
        return (scope._own[p] for scope in self._scopes() if p in scope._own)

    def _rest_never_negative(self, whole: Monomial, names: Monomial) -> bool:
        """True if the cofactor of a divisor is never negative, for example a square."""
        odd = tuple(x for x in sorted(set(whole)) if (whole.count(x) - names.count(x)) % 2 == 1)
        return self._product(odd)[0] >= 0

    def _never_negative(self, p: Size) -> bool:
        """True if no term of a polynomial is ever negative."""
        return all(c * x >= 0 for m, c in p.terms for x in self._product(m))


class Numbers(ABC):
    """The facts about the numbers in the program under construction.

    ``values`` are polynomials that equal i64 names modulo 2^64.  ``conds`` are the conditions that
    hold if a name is true.  ``types`` are those of scalars.  ``held`` are the arrays that lie in
    memory; the others may be views that repeat elements.
    """

    def __init__(self) -> None:
        self.values: dict[Name, Size] = {}
        self.conds: dict[Name, tuple[ScalarExp, ...]] = {}
        self.types: dict[Name, ScalarType] = {}
        self.held: set[Name] = set()

    @property
    @abstractmethod
    def ranges(self) -> Ranges:
        """The intervals that are known in the present scope."""

    def exact(self, e: ScalarExp, within: Interval = NUMBERS) -> Size | None:
        """Return the polynomial that equals an i64 expression, not only modulo 2^64, or None."""
        return self.expanded(e, within) or self._if_lies(exp_size(e), within)

    def expanded(self, e: ScalarExp, within: Interval = NUMBERS) -> Size | None:
        """Return the same with names replaced by the polynomials that they are bound to."""
        return self._if_lies(exp_size(e, self.values), within)

    def _if_lies(self, p: Size | None, within: Interval) -> Size | None:
        return p if p is not None and self.ranges.lies(p, within) else None

    def counts(self, i: Name, n: Size) -> None:
        """Note that a name is the index of a kernel or loop of n iterations."""
        self.ranges.index(i, n)
        self.types[i] = I64

    def exists(self, x: Name, t: Type, exp: Exp[None] | None = None) -> None:
        """Note that a name is bound to ``exp``, or that it is a parameter."""
        if isinstance(t, ScalarType):
            self.types[x] = t
        if not isinstance(t, ArrayType):
            return
        match exp:
            case Slice(y) | Permute(_, y) | Reshape(_, y) | Reverse(_, y) | Update(y) | Scatter(y):
                held = y in self.held
            case DerivedArray() | If() | Loop():
                held = False  # other views may repeat elements
            case None | Scalar() | Index() | FreshArray() | Kernel() | Assert() | Alloc():
                held = True
            case RaggedKernel() | Opaque():
                held = True
        if held:
            self.held.add(x)
        dims = 1 if isinstance(exp, Kernel) else len(t.shape)
        self.ranges.array(t.shape, held=held, dims=dims)

    def defines(self, name: Name, e: ScalarExp) -> None:
        """Note that an i64 name is bound to an expression."""
        value = exp_size(e, self.values)
        if value is not None:
            self.values[name] = value
        match e:
            case Convert(_, Var(x)) if (t := self.types.get(x)) is BOOL:
                self.ranges.note(var(name), (0, 1))
            case Convert(_, Var(x)) if (t := self.types.get(x)) is not None and t.is_int:
                if t.max <= I64.max:
                    self.ranges.note(var(name), (t.min, t.max))
            case Bin(BinOp.MOD, _, Const(int(k))) if k > 0:
                self.ranges.note(var(name), (0, k - 1))
            case Bin(BinOp.DIV | BinOp.QUOT, a, b):
                p, q = self.exact(a), self.exact(b)
                if p is None or q is None:
                    return
                dividend = self.ranges.interval(p)
                if dividend[0] >= 0 and self.ranges.interval(q)[0] > 0:
                    self.ranges.quotient(name, dividend, q)
            case Const() | Var() | Bin() | Un() | Convert():
                pass

    def learn(self, cond: ScalarExp) -> None:
        """Note that a condition holds from now on in this scope."""
        match cond:
            case Var(x) if x in self.conds:
                for e in self.conds[x]:
                    self.learn(e)
            case Bin(BinOp.LAND, a, b):
                self.learn(a)
                self.learn(b)
            case Bin(BinOp.LE, Const(int(k)), e) | Bin(BinOp.GE, e, Const(int(k))):
                self._at_least(e, k)
            case Bin(BinOp.LT, Const(int(k)), e) | Bin(BinOp.GT, e, Const(int(k))):
                self._at_least(e, k + 1)
            case Bin(BinOp.LE, a, b) | Bin(BinOp.GE, b, a) if self._is_i64(a) and self._is_i64(b):
                p, q = self.exact(a), self.exact(b)
                if p is not None and q is not None:
                    self.ranges.note(q - p, (0, DIFFERENCES[1]))
            case Bin(BinOp.EQ, a, b) if self._is_i64(a) and self._is_i64(b):
                p, q = self.exact(a), self.exact(b)
                if p is not None and q is not None:
                    self.ranges.note(p, self.ranges.interval(q))
                    self.ranges.note(q, self.ranges.interval(p))
            case Const() | Var() | Bin() | Un() | Convert():
                pass

    def _at_least(self, e: ScalarExp, k: int) -> None:
        """Note that an expression, and so its polynomial, is at least k."""
        p = exp_size(e, self.values) if k >= 0 and self._is_i64(e) else None
        if p is not None and self.ranges.lies(p, DIFFERENCES):
            self.ranges.note(p, (k, I64.max))

    def _is_i64(self, e: ScalarExp) -> bool:
        """True if an expression's type is known to be i64."""
        match e:
            case Const(_, t):
                return t is I64
            case Var(x):
                return self.types.get(x) is I64
            case Convert(t, _):
                return t is I64
            case Bin(_, a, b):
                return self._is_i64(a) and self._is_i64(b)
            case Un(_, a):
                return self._is_i64(a)


def _divisors(names: Monomial) -> Iterator[Monomial]:
    """Yield the divisors of a product that contain each of its names at least once.

    These are not farther from 0 than the product.  (With n = 0, n * m is not greater than n * n *
    m, but m may be.)
    """
    counts = [range(1, names.count(x) + 1) for x in sorted(set(names))]
    for powers in itertools.islice(itertools.product(*counts), 64):
        yield tuple(x for x, k in zip(sorted(set(names)), powers, strict=True) for _ in range(k))


def _constant(p: Size) -> int:
    return next((k for m, k in p.terms if not m), 0)


def _both(a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), min(a[1], b[1])


def _split(p: Size, i: Name) -> tuple[Size, Size]:
    """Return ``(factor, rest)`` with ``p = factor * i + rest``.

    The factor mentions i if p is not linear in i.
    """
    factor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for m, k in p.terms:
        if i in m:
            at = m.index(i)
            factor[m[:at] + m[at + 1 :]] = k
        else:
            rest[m] = k
    return Size.from_terms(factor), Size.from_terms(rest)
