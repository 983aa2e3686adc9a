"""A small prover of inequalities over index ranges and sizes; checks that it proves are left out.

    facts    i < n, … of the enclosing kernels and loops      0 <= i <= n - 1, hence n >= 1
             lengths of the arrays in scope                    d >= 0

To show ``p >= 0``, the indices are eliminated from the innermost outwards: if p is linear in i, it
is least at i = 0 or at i = n - 1.  The rest mentions sizes only.  With every size x written as ``x
= least(x) + x'``, x' >= 0, it suffices that no coefficient is negative.  If that fails and other
inequalities are assumed, multiples of these are subtracted from p first.  The prover is sound (it
reasons in Z, as sizes do) and incomplete: an unproved check stays in the program.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from math import gcd
from typing import TypeAlias, TypeVar, assert_never

from attrs import field

from funmem.ir.fun import Bin, Const, ScalarExp
from funmem.ir.imp import (
    Condition,
    Holds,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    SizesEqual,
)
from funmem.ir.lmad import Dim
from funmem.ir.names import Name
from funmem.ir.record import define, evolve, frozen
from funmem.ir.scalars import can_trap, eval_bin
from funmem.ir.sizes import ONE, ZERO, Monomial, Size, const, without_factors

OfSizes: TypeAlias = Callable[[Size, Mapping[Name, int]], bool]
"""A proof of ``p >= 0`` for a polynomial in sizes, given lower bounds of these."""

_K = TypeVar("_K")
_V = TypeVar("_V")

Answers: TypeAlias = dict[_K, tuple[_V, tuple[tuple[Name, ScalarExp | None], ...]]]
"""A memo table: answers, and the definitions of names on which each depends."""

WORK = 1 << 14
"""Largest number of terms that one proof computes.  Proofs at both ends of every index, for slopes
of unknown sign, and products of sums grow exponentially.
"""

ASSUMPTIONS = 2
"""Largest number of assumed inequalities (:meth:`Facts.assuming`) in one proof,
or for one bound.
"""

RESTS = 256
"""Largest number of differences of the goal and assumptions that one proof tries.  No program of
the corpus needs more than 31.
"""


MOST_ELEMENTS = 1 << 57
"""No machine has so many bytes."""


@frozen
class Facts:
    """Inequalities over i64 variables at one program point.

    Passes walk over the same statements again and again, so facts keep what was derived from them:
    answers, and the facts with one more inequality.
    """

    indices: tuple[tuple[Name, Size], ...] = ()
    """``0 <= i < n``, outermost first; a bound mentions only indices before it."""

    least: tuple[tuple[Name, int], ...] = ()
    """``x >= k``."""

    assumed: tuple[Size, ...] = ()
    """``p >= 0``, for polynomials of neither form."""

    extents: tuple[Size, ...] = ()
    """Numbers of elements of arguments, which exist in memory: below ``MOST_ELEMENTS``.  Proofs
    ignore them; :func:`funmem.ir.logic.bounded.exact` shows by them that a sum has not wrapped
    around.
    """

    floor: Mapping[Name, int] = field(init=False, eq=False, repr=False)
    """``least`` by name."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "floor", dict(self.least))

    @cached_property
    def index_names(self) -> frozenset[Name]:
        """The indices."""
        return frozenset([i for i, _ in self.indices])

    @cached_property
    def names(self) -> frozenset[Name]:
        """The names that the inequalities mention."""
        bounds = (d for _, d in self.indices)
        sizes = (*bounds, *self.assumed, *self.extents)
        own = {*self.index_names, *(x for x, _ in self.least)}
        return frozenset(own).union(*(p.free() for p in sizes))

    @cached_property
    def about_indices(self) -> "Inequalities":
        """The assumed inequalities that mention an index."""
        indices = self.index_names
        return Inequalities(tuple(a for a in self.assumed if not indices.isdisjoint(a.free())))

    @cached_property
    def about_sizes(self) -> "Inequalities":
        """The assumed inequalities that mention no index."""
        indices = self.index_names
        return Inequalities(tuple(a for a in self.assumed if indices.isdisjoint(a.free())))

    @cached_property
    def beside_indices(self) -> frozenset[Name]:
        """The names in the bounds of indices, and in the assumed inequalities that mention one."""
        sizes = [n for _, n in self.indices]
        return frozenset[Name]().union(
            *[p.free() for p in (*sizes, *self.about_indices.polynomials)]
        )

    @cached_property
    def answers(self) -> dict[Size, bool]:
        """The polynomials that were asked about, and if they are not negative: a memo table."""
        return {}

    @cached_property
    def exact(self) -> "Answers[tuple[Name | Bin, int], Size | None]":
        """The memo table of :func:`funmem.ir.logic.bounded.exact`."""
        return {}

    @cached_property
    def shown(self) -> "Answers[tuple[Size, int], bool]":
        """The memo table of :func:`funmem.ir.logic.bounded.shown`."""
        return {}

    @cached_property
    def extended(self) -> dict[tuple[Name | None, Size], "Facts | None"]:
        """The facts that extend these: a memo table of :meth:`with_nonneg`, by None and the size,
        and of :meth:`with_index`, by the index and its bound.  None stands for these facts.
        """
        return {}

    @cached_property
    def assumptions(self) -> dict[Size, "Facts | None"]:
        """The facts with one more inequality: a memo table of :meth:`assuming`."""
        return {}

    @cached_property
    def premises(self) -> "_Premises":
        """The premises of proofs that use assumed inequalities."""
        return _Premises(self.indices, self.floor, self.about_sizes, self.index_names)

    def cancels(self, m: Monomial) -> bool:
        """True if an assumed inequality may cancel a negative term with monomial ``m``."""
        where = (self.about_sizes.cancelling, self.about_indices.cancelling)
        return any(x in names for names in where for x in m)

    def with_index(self, i: Name, n: Size) -> "Facts":
        """Return the facts inside an iteration of ``i < n``."""
        found = self.extended.get((i, n))
        if found is None:
            inside = self.with_nonneg(n - 1)
            found = evolve(inside, indices=(*inside.indices, (i, n)))
            self.extended[i, n] = found
        return found

    def with_nonneg(self, d: Size) -> "Facts":
        """Return the facts with the lower bounds of single variables that follow from ``d >= 0``.

        ``k*x + c >= 0`` with k > 0 bounds x, and so does ``k*x - y + c >= 0`` if y is bounded.
        If d is monotone in an index, its value at the larger end of the range is not negative
        either (``i >= 1`` and ``i < n`` give ``n >= 2``).  Other consequences are dropped.
        """
        if self._is_trivial(d):
            return self
        extended = self.extended
        if (None, d) in extended:
            return extended[None, d] or self
        facts = self._with_bound(d)
        for _ in range(ASSUMPTIONS):
            if facts.saturated:
                break
            for p in facts.assumed:
                facts = facts._with_bound(p)
        extended[None, d] = None if facts is self else facts
        return facts

    @cached_property
    def saturated(self) -> bool:
        """True if no bound follows from one of the assumed inequalities that is not known."""
        return all(self._with_bound(p) is self for p in self.assumed)

    def _is_trivial(self, d: Size) -> bool:
        """True if ``d >= 0`` for a constant, or a name with a lower bound:
        there is nothing to add.
        """
        if d.as_const is not None:
            return True
        x = d.as_name
        return x is not None and self.floor.get(x, -1) >= 0

    def _with_bound(self, d: Size) -> "Facts":
        """Return the facts with the bounds that follow from ``d >= 0``, without ``assumed``."""
        facts = self._with_least(d)
        for i, n in reversed(self.indices):
            if i in d.free():
                least = self.floor
                if (line := _linear(d, i)) is None:
                    return facts
                slope, rest = line
                if _nonneg(slope, self.indices, least):
                    d = rest + slope * (n - 1)
                elif _nonneg(-slope, self.indices, least):
                    d = rest + slope * _lower_end(i, least)
                else:
                    return facts
                facts = facts._with_least(d)
        return facts

    def _with_least(self, d: Size) -> "Facts":
        """Return the facts with the bound of x in ``k*x - others + c >= 0``, where the others are
        not negative, or with the bounds 1 of the factors in ``k*x*y*… >= 1``.
        """
        positive = [(m, k) for m, k in d.terms if m and k > 0]
        if len(positive) != 1:
            return self
        ((factors, factor),) = positive
        least = self.floor
        if len(factors) > 1 and any(least.get(x, -1) < 0 for x in factors):
            return self
        total = 0
        for m, k in d.terms:
            if k > 0 and m:
                continue
            for y in m:
                low = least.get(y, 0 if self._is_index(y) else -1)
                if low < 0:
                    return self
                k *= low
            total += k
        bound = -(total // factor)
        if len(factors) > 1:
            bound = min(bound, 1)
        if all(x in least and least[x] >= bound for x in factors):
            return self
        more = {x: max(bound, least.get(x, bound)) for x in factors}
        return evolve(self, least=tuple({**least, **more}.items()))

    def lower_end(self, i: Name) -> int:
        """Return the lower bound of an index."""
        return max(0, self.floor.get(i, 0))

    def _is_index(self, x: Name) -> bool:
        return x in self.index_names

    def existing(self, count: Size) -> "Facts":
        """Return the facts where so many elements exist in memory."""
        if count.as_const is not None or count in self.extents:
            return self
        return evolve(self, extents=(*self.extents, count))

    def assuming(self, p: Size) -> "Facts":
        """Return the facts with ``p >= 0``, kept as an inequality unless it follows already.

        A proof that fails is tried again with each of these inequalities, so they cost time.
        """
        if nonneg(p, self):
            return self
        assumptions = self.assumptions
        if p in assumptions:
            return assumptions[p] or self
        facts = self.with_nonneg(p)
        if p not in facts.assumed and not _nonneg(p, facts.indices, facts.floor):
            facts = evolve(facts, assumed=(*facts.assumed, p))
        assumptions[p] = None if facts is self else facts
        return facts


@frozen
class Inequalities:
    """Polynomials that are not negative, in the order in which they are tried."""

    polynomials: tuple[Size, ...]

    @cached_property
    def cancelling(self) -> Mapping[Name, tuple[int, ...]]:
        """For each name: the positions of the polynomials with a negative term that mentions it."""
        found: dict[Name, list[int]] = {}
        for k, a in enumerate(self.polynomials):
            for x in _names_in_negative_terms(a):
                found.setdefault(x, []).append(k)
        return {x: tuple(ks) for x, ks in found.items()}

    def meeting(self, p: Size) -> Iterator[Size]:
        """Return the polynomials of which a negative term shares a name with one of ``p``."""
        ks = {k for x in _names_in_negative_terms(p) for k in self.cancelling.get(x, ())}
        return (self.polynomials[k] for k in sorted(ks))


def _names_in_negative_terms(p: Size) -> frozenset[Name]:
    return frozenset([x for m, k in p.terms if k < 0 for x in m])


def nonneg(p: Size, facts: Facts) -> bool:
    """True if ``p >= 0`` follows."""
    if (k := p.as_const) is not None:
        return k >= 0
    answers = facts.answers
    answer = answers.get(p)
    if answer is None:
        answer = answers[p] = not hopeless(p, facts) and _follows(p, facts)
    return answer


def _follows(p: Size, facts: Facts) -> bool:
    if not facts.assumed:
        return _nonneg(p, facts.indices, facts.floor)
    premises = facts.premises
    return premises.nonneg(p) or premises.nonneg_by(p, facts.about_indices, ASSUMPTIONS)


def hopeless(p: Size, facts: Facts) -> bool:
    """True if a name that is not an index occurs in negative terms of ``p`` only, no assumed
    inequality cancels one of these, and no index that is eliminated brings it in.  Then the prover
    fails.
    """
    lost = _names_in_negative_terms(p)
    for m, k in p.terms:
        if lost and (k > 0 or facts.cancels(m) or not facts.index_names.isdisjoint(m)):
            lost = lost.difference(m)
    if not lost:
        return False
    eliminates = facts.about_indices.polynomials or not facts.index_names.isdisjoint(p.free())
    return not eliminates or not lost <= facts.beside_indices


@frozen
class _Premises:
    """Index ranges, lower bounds of variables, and inequalities over sizes."""

    indices: Sequence[tuple[Name, Size]]
    least: Mapping[Name, int]
    sizes: Inequalities
    index_names: Collection[Name]
    _answers: dict[Size, bool] = field(factory=dict, eq=False, repr=False)
    _of_sizes: dict[Size, bool] = field(factory=dict, eq=False, repr=False)
    """Memo tables: differences of the goal and assumptions have subgoals in common."""

    def nonneg(self, p: Size) -> bool:
        """True if ``p >= 0`` follows by eliminating indices, then subtracting inequalities of
        sizes.
        """
        answer = self._answers.get(p)
        if answer is None:
            answer = _nonneg(p, self.indices, self.least, self.nonneg_size)
            self._answers[p] = answer
        return answer

    def nonneg_size(self, p: Size, least: Mapping[Name, int]) -> bool:
        answer = self._of_sizes.get(p)
        if answer is None:
            answer = _no_negative_term(p, least) or any(
                _no_negative_term(rest, least)
                for rest in islice(self.without(p, self.sizes, ASSUMPTIONS), RESTS)
            )
            self._of_sizes[p] = answer
        return answer

    def nonneg_by(self, p: Size, assumed: Inequalities, deep: int) -> bool:
        return any(self.nonneg(rest) for rest in islice(self.without(p, assumed, deep), RESTS))

    def without(self, p: Size, assumed: Inequalities, deep: int) -> Iterator[Size]:
        """Yield ``k*p - factor * a`` for k > 0, an assumed ``a >= 0``, and a factor >= 0.

        If one of these is not negative, p is not negative.  Each cancels a negative term of p with
        one of a, up to ``deep`` times.
        """
        for a in assumed.meeting(p):
            for scale, factor in _factors(p, a):
                if all(self.not_negative(x) for m, _ in factor.terms for x in m):
                    rest = p * scale - factor * a
                    yield rest
                    if deep > 1:
                        yield from self.without(rest, assumed, deep - 1)

    def not_negative(self, x: Name) -> bool:
        return self.least.get(x, -1) >= 0 or x in self.index_names


def _nonneg(
    p: Size,
    indices: Sequence[tuple[Name, Size]],
    least: Mapping[Name, int],
    of_sizes: OfSizes | None = None,
) -> bool:
    of_sizes = of_sizes or _no_negative_term
    if p.free().isdisjoint([i for i, _ in indices]):
        return of_sizes(p, least)
    return _Elimination(indices, least, of_sizes).nonneg(p, len(indices))


@define
class _Elimination:
    """One proof by eliminating indices, with a memo table of subgoals."""

    indices: Sequence[tuple[Name, Size]]
    least: Mapping[Name, int]
    of_sizes: OfSizes
    left: int = WORK
    """The number of terms that may still be computed; at zero, the proof fails."""
    answers: dict[tuple[Size, int], bool] = field(factory=dict)

    def nonneg(self, p: Size, depth: int) -> bool:
        """True if ``p >= 0`` follows for all values of the ``depth`` outermost indices."""
        names = p.free()
        while depth and self.indices[depth - 1][0] not in names:
            depth -= 1
        if not depth:
            return self.of_sizes(p, self.least)
        asked = (p, depth)
        answer = self.answers.get(asked)
        if answer is None:
            answer = self.answers[asked] = self._at_ends(p, depth - 1)
        return answer

    def _at_ends(self, p: Size, outer: int) -> bool:
        i, n = self.indices[outer]
        if (line := _linear(p, i)) is None:
            return False
        slope, rest = line
        ends = [_lower_end(i, self.least), n - 1]
        if self._has_sign(slope, outer):
            ends = ends[:1]
        elif self._has_sign(-slope, outer):
            ends = ends[1:]
        for end in ends:
            self.left -= len(p.terms) + len(slope.terms) * len(end.terms)
            if self.left < 0 or not self.nonneg(rest + slope * end, outer):
                return False
        return True

    def _has_sign(self, slope: Size, outer: int) -> bool:
        """True if a slope is not negative: then p is least at the lower end."""
        k = slope.as_const
        return k >= 0 if k is not None else self.nonneg(slope, outer)


def _lower_end(i: Name, least: Mapping[Name, int]) -> Size:
    return const(max(0, least.get(i, 0)))


def _linear(p: Size, x: Name) -> tuple[Size, Size] | None:
    """Return (s, r) such that ``p = s*x + r`` and neither mentions x; None if p
    is not linear in x.
    """
    slope: list[tuple[Monomial, int]] = []
    rest: list[tuple[Monomial, int]] = []
    for m, k in p.terms:
        if x in m:
            at = m.index(x)
            left = m[:at] + m[at + 1 :]
            if x in left:
                return None
            slope.append((left, k))
        else:
            rest.append((m, k))
    return Size.from_terms(dict(slope)), Size(tuple(rest))


def _no_negative_term(p: Size, least: Mapping[Name, int]) -> bool:
    """True if every coefficient of ``p`` is >= 0 after each x is replaced by ``least(x) + x'``."""
    for x in p.free():
        if x not in least:
            return False
    if all(k > 0 for _, k in p.terms) and all(least[x] >= 0 for m, _ in p.terms for x in m):
        return True
    if p.eval(least.__getitem__) < 0:
        return False
    shifted: dict[Monomial, int] = {}
    for m, k in p.terms:
        for part, c in _shifted(m, k, least).items():
            shifted[part] = shifted.get(part, 0) + c
        if len(shifted) > WORK:
            return False
    return all(k >= 0 for k in shifted.values())


def _shifted(m: Monomial, k: int, least: Mapping[Name, int]) -> dict[Monomial, int]:
    """Return the terms of ``k`` times the product of ``least(x) + x'``;
    incomplete beyond ``WORK``.
    """
    parts: dict[Monomial, int] = {(): k}
    for x in m:
        kept = {(*part, x): c for part, c in parts.items()}
        if least[x]:
            for part, c in parts.items():
                kept[part] = kept.get(part, 0) + c * least[x]
        parts = kept
        if len(parts) > WORK:
            break
    return parts


def _factors(p: Size, a: Size) -> Iterator[tuple[int, Size]]:
    """Yield numbers and monomials with positive coefficients such that ``number * p`` and
    ``monomial * a`` have a negative term in common.
    """
    seen: set[tuple[int, Size]] = set()
    for m, k in p.terms:
        if k < 0:
            for ma, ka in a.terms:
                if ka < 0 and ma and len(ma) <= len(m):
                    left = without_factors(m, ma)
                    if left is not None:
                        both = gcd(k, ka)
                        found = (-ka // both, Size(((left, -k // both),)))
                        if found not in seen:
                            seen.add(found)
                            yield found


def in_range(i: Size, n: Size, facts: Facts) -> bool:
    """True if ``0 <= i < n`` follows; always for an index and its own bound."""
    return (i.as_name, n) in facts.indices or (nonneg(i, facts) and nonneg(n - 1 - i, facts))


def names_once(dims: Sequence[Dim], facts: Facts) -> bool:
    """True if different indices provably have different addresses: every stride exceeds the span of
    all smaller dimensions.
    """
    if any(nonneg(-d.len, facts) for d in dims):
        return True
    for d in dims:
        facts = facts.with_nonneg(d.len - 1)  # else there are no indices at all
    left: list[tuple[Size, Size]] = []
    for d in dims:
        if not nonneg(1 - d.len, facts):
            stride = next((s for s in (d.stride, -d.stride) if nonneg(s - 1, facts)), None)
            if stride is None:
                return False
            left.append((stride, (d.len - 1) * stride))
    while left:
        reach = sum((r for _, r in left), start=ZERO)
        largest = next((d for d in left if nonneg(d[0] - 1 - reach + d[1], facts)), None)
        if largest is None:
            return False
        left.remove(largest)
    return True


def proved(condition: Condition, facts: Facts) -> bool:
    """True if a check's condition follows, so that the check may be left out."""
    match condition:
        case InRange(i, n):
            return in_range(i, n, facts)
        case RangeInside(_, length) if length == ZERO:
            return True
        case RangeInside(start, length, stride, n) if (start, length, stride) == (ZERO, n, ONE):
            return nonneg(n, facts)
        case RangeInside(start, length, stride, n):
            some = facts.with_nonneg(length - 1)  # else it is empty, and may start anywhere
            last = start + (length - 1) * stride
            return nonneg(length, facts) and all(in_range(i, n, some) for i in (start, last))
        case Injective(dims):
            return names_once(dims, facts)
        case NonNegative(d):
            return nonneg(d, facts)
        case SizesEqual(a, b):
            return a == b
        case Holds(Const(value)):
            return bool(value)
        case Holds(Bin(op, Const(a, t), Const(b))) if not can_trap(op, t):
            return bool(eval_bin(op, t, a, b))
        case Holds():
            return False
        case _:
            assert_never(condition)
