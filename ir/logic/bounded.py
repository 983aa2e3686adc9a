"""Bounds of an index from its definition by minima, maxima, remainders, and conversions.

    let n = max(0, i - 1)  in x[n, j]      in bounds if 0 and i - 1 are less than the length, and
                                           one of them is not negative
    let s = min(n - 1, i + 1)              in bounds if neither is negative, and one is less than
                                           the length
    let w = (i + 1) % n                    in bounds if n is at least 1: the result of % has the
                                           sign of n, also after the sum has wrapped around

    let b = i64.u8 x                       0 <= b <= 255
    let k = i64(i32(n))                    k <= n, if n is not negative

    let q = (a + b) / 2                    a <= q < b, if a < b and neither is negative

The operands are names, constants, sums and products.  An i64 sum may have wrapped around; that is
excluded first, by showing that it lies between other variables, or not far from the number of
elements of an array in memory.
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from funmem.ir.arith import exp_size
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.logic.prove import Answers, Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, SIGNED, UNSIGNED, BinOp, ScalarType
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.ir.traverse import atom_size

Values = Mapping[Name, ScalarExp]

_K = TypeVar("_K")
_V = TypeVar("_V")


class Definitions(Protocol):
    """The expressions that ``let`` binds names to."""

    def get(self, x: Name, /) -> ScalarExp | None:
        """Return the expression of a name, or None."""


class _Consulted:
    """Definitions, which note the names that were looked up."""

    __slots__ = ("of", "seen")

    def __init__(self, values: Definitions) -> None:
        self.of: Definitions = values.of if isinstance(values, _Consulted) else values
        self.seen: dict[Name, ScalarExp | None] = {}

    def get(self, x: Name, /) -> ScalarExp | None:
        found = self.seen[x] = self.of.get(x)
        return found


def _remembered(
    table: Answers[_K, _V], key: _K, values: Definitions, answer: Callable[[Definitions], _V]
) -> _V:
    """Return the answer to a question, from a memo table if the definitions on which it depends are
    still the same.
    """
    known = table.get(key)
    if known is not None:
        for x, e in known[1]:
            now = values.get(x)
            if now is not e and now != e:
                break
        else:
            return known[0]
    consulted = _Consulted(values)
    found = answer(consulted)
    table[key] = found, tuple(consulted.seen.items())
    if isinstance(values, _Consulted):
        values.seen.update(consulted.seen)
    return found


_DEEP = 6
"""Largest number of nested definitions that one proof follows."""

_LIMIT = 1 << 32

_SLACK, _REST = 16, 1 << 40
"""A number up to 16 times that of the elements of an array in memory, plus 2^40, fits in i64."""

_NAMES = 4
"""Largest number of names in a dividend with which the quotient is compared."""


def bounded(i: Size, n: Size, facts: Facts, values: Values) -> bool:
    """True if ``0 <= i < n`` follows from the definition of ``i``."""
    x = i.as_name
    if x is None or x not in values:
        return False
    return between(values[x], ZERO, n - 1, facts, values)


def between(e: ScalarExp, least: Size, most: Size, facts: Facts, values: Values) -> bool:
    """True if ``least <= e <= most`` follows for an i64 expression."""
    return _bounded(e, least, 1, facts, values) and _bounded(e, most, -1, facts, values)


def _bounded(
    e: ScalarExp, end: Size, sign: int, facts: Facts, values: Values, deep: int = _DEEP
) -> bool:
    """True if ``end <= e`` follows for sign 1, and ``e <= end`` for sign -1."""
    if (p := exact(e, facts, values, deep)) is not None and nonneg((p - end) * sign, facts):
        return True
    match e:
        case Bin(BinOp.MAX | BinOp.MIN as op, a, b):
            enough = any if (op is BinOp.MAX) == (sign > 0) else all
            return enough(_bounded(x, end, sign, facts, values, deep) for x in (a, b))
        case Bin(BinOp.MOD, _, b) if (n := _positive(b, facts, values)) is not None:
            return nonneg(-end if sign > 0 else end - n + 1, facts)
        case Var(x) if deep and x in values:
            return _bounded(values[x], end, sign, facts, values, deep - 1)
        case Const() | Var() | Bin() | Un() | Convert():
            return False


def _positive(e: ScalarExp, facts: Facts, values: Definitions) -> Size | None:
    """Return an i64 expression as a polynomial if it is provably at least 1; else None."""
    p = exact(e, facts, values)
    return p if p is not None and nonneg(p - 1, facts) else None


def converted(x: Name, e: ScalarExp, source: ScalarType, facts: Facts) -> Facts:
    """Return the facts after ``let x = e`` if ``e`` converts an unsigned integer or a boolean, of
    type ``source``, to i64.  An upper bound is kept only if it may be below the length of an array:
    each one makes proofs longer.

    A number that is converted to a narrower integer and back becomes no larger, if it is not
    negative: it stays, or it has as many bits as the narrower type has not, and loses these.
    """
    match e:
        case Convert(to, Convert(narrow, Var(a))) if (
            to is I64 and narrow in _INTEGERS and nonneg(var(a), facts)
        ):
            facts = facts.assuming(var(a) - var(x))
            return facts.with_nonneg(var(x)) if narrow in _NEVER_NEGATIVE else facts
        case Convert(to, _) if to is I64 and source.bytes < I64.bytes and source in _NEVER_NEGATIVE:
            most = 1 if source is BOOL else source.max
            facts = facts.with_nonneg(var(x))
            return facts.assuming(const(most) - var(x)) if most < _SHORT else facts
        case Const() | Var() | Bin() | Un() | Convert():
            return facts


_NEVER_NEGATIVE = (BOOL, *UNSIGNED)
_INTEGERS = (*SIGNED, *UNSIGNED)

_SHORT = 1 << 16
"""Lengths of tables that conversions may index without a check are below this or equal."""


def divides(e: ScalarExp, facts: Facts, values: Definitions) -> bool:
    """True if an i64 divisor is provably positive, so that a division by it cannot trap."""
    return _positive(e, facts, values) is not None


def exact(e: ScalarExp, facts: Facts, values: Definitions, deep: int = _DEEP) -> Size | None:
    """Return an i64 expression as a polynomial; None unless it provably has not wrapped around."""
    if isinstance(e, Var) and not (deep and isinstance(values.get(e.name), Bin)):
        return var(e.name)
    if not isinstance(e, Var | Bin):
        return _stepwise(e, facts, values, deep)
    key = (e.name if isinstance(e, Var) else e), deep
    return _remembered(facts.exact, key, values, lambda vs: _exact(e, facts, vs, deep))


def _exact(e: ScalarExp, facts: Facts, values: Definitions, deep: int) -> Size | None:
    p = _stepwise(e, facts, values, deep)
    match e:
        case Bin(BinOp.ADD | BinOp.SUB | BinOp.MUL) if p is None:
            return _as_whole(e, facts, values, deep)
        case Const() | Var() | Bin() | Un() | Convert():
            return p


def _stepwise(e: ScalarExp, facts: Facts, values: Definitions, deep: int) -> Size | None:
    """Return names, constants, and their sums, of which no part has wrapped around."""
    match e:
        case Const(bool(), _):
            return None
        case Const(int(k), _):
            return const(k)
        case Var(x):
            inner = values.get(x)
            deeper = isinstance(inner, Bin) and deep > 0
            found = exact(inner, facts, values, deep - 1) if inner is not None and deeper else None
            return var(x) if found is None else found
        case Bin(BinOp.SUB, a, Const(int(k), _)) if 0 <= k < _LIMIT:
            p = exact(a, facts, values, deep)
            return p - k if p is not None and nonneg(p + _LIMIT, facts) else None
        case Bin(BinOp.ADD, a, Const(int(k), _)) | Bin(BinOp.ADD, Const(int(k), _), a) if k >= 0:
            p = exact(a, facts, values, deep)
            return p + k if p is not None and _fits(p + k, facts) else None
        case Bin(BinOp.SUB, a, b) if deep:
            p, q = (exact(c, facts, values, deep - 1) for c in (a, b))
            if p is None or q is None or not all(shown(c, facts, values, 1) for c in (p, q)):
                return None
            return p - q  # neither is negative
        case Const() | Bin() | Un() | Convert():
            return None


def _as_whole(e: ScalarExp, facts: Facts, values: Definitions, deep: int) -> Size | None:
    """Return sums and products as a polynomial if its value fits in i64: then it is that of ``e``,
    even if a part of ``e`` has wrapped around.
    """
    p = modulo(e, values, deep)
    if p is None or p.degree > _DEGREE:
        return None
    return p if p.as_name is not None or _has_room(p, facts, values, min(deep, 1)) else None


def modulo(e: ScalarExp, values: Definitions, deep: int = _DEEP) -> Size | None:
    """Return the polynomial that an i64 expression equals modulo 2^64, over names that are not
    bound to sums and products, or are so after ``deep`` definitions.
    """
    p = exp_size(e)
    for _ in range(deep):
        if p is None:
            return None
        known = {
            x: q
            for x in p.free()
            if isinstance(d := values.get(x), Bin) and (q := exp_size(d)) is not None
        }
        if not known:
            break
        p = p.subst_within(known, _TERMS)
    return p


_DEGREE, _TERMS = 3, 8
"""Largest degree and number of terms of sums and products that are compared with extents."""


_EXPANDED = 64
"""Largest number of terms of an inequality in which names are replaced by their definitions."""


def _has_room(p: Size, facts: Facts, values: Definitions, deep: int) -> bool:
    """True if the magnitude of a polynomial is below 2^63.

    It is not far from the number of elements of an array in memory, or of several arrays together.
    """
    tops = [const(_REST), *(n * _SLACK + _REST for n in facts.extents)]
    names = p.free().union(*(n.free() for i, n in facts.indices if i in p.free()))
    near = [n for n in facts.extents if not names.isdisjoint(n.free())]
    if 1 < len(near) <= _SLACK:
        tops.append(sum(near, start=ZERO) * (_SLACK // len(near)) + _REST)
    return all(any(shown(top - p * sign, facts, values, deep) for top in tops) for sign in (1, -1))


def shown(p: Size, facts: Facts, values: Definitions, deep: int = _DEEP) -> bool:
    """True if ``p >= 0`` follows, also from the definitions of its names by sums, minima, maxima.

    A minimum is one of its operands and is at most the other one, so where p grows with it, p must
    not be negative for either operand, and else it suffices for one.
    """
    if nonneg(p, facts):
        return True
    return _remembered(facts.shown, (p, deep), values, lambda vs: _shown(p, facts, vs, deep))


def _shown(p: Size, facts: Facts, values: Definitions, deep: int) -> bool:
    defined = (x for x in sorted(p.free()) if isinstance(values.get(x), Bin))
    image = {x: q for x in defined if (q := exact(Var(x), facts, values, deep)) is not None}
    whole = p.subst_within(image, _EXPANDED)
    if whole is None:
        return False
    if p != (p := whole) and nonneg(p, facts):
        return True
    for m, k in p.terms if deep else ():
        e = values.get(m[0]) if len(m) == 1 else None
        if not isinstance(e, Bin) or e.op not in (BinOp.MIN, BinOp.MAX):
            continue
        if any(m[0] in other for other, _ in p.terms if other != m):
            continue
        enough = all if (e.op is BinOp.MIN) == (k > 0) else any
        operands = (exact(c, facts, values) for c in (e.a, e.b))
        if enough(
            q is not None and shown(p.subst({m[0]: q}), facts, values, deep - 1) for q in operands
        ):
            return True
    return False


def divided(q: Name, e: Bin, facts: Facts, values: Definitions) -> Facts:
    """Return the facts after ``let q = e``, where ``e`` divides i64.  If neither operand is
    negative, nor is the result, and divisor times quotient is at most the dividend.

    If the dividend is a sum, and the divisor a constant, the product is compared with the sum, too,
    and the quotient with the names in it, since proofs do not round: it lies between two numbers if
    it is their half.
    """
    s, d = exact(e.a, facts, values), exact(e.b, facts, values)
    x, y = _atom(e.a, s), _atom(e.b, d)
    if x is None or y is None or s is None or d is None:
        return facts
    if not all(nonneg(p, facts) or nonneg(q, facts) for p, q in ((x, s), (y, d))):
        return facts
    facts = facts.with_nonneg(var(q))
    if e.op not in _QUOTIENTS:
        return facts
    k = d.as_const
    if k is None:
        return facts.assuming(s - d * var(q)) if nonneg(d - 1, facts) else facts
    if k == 0:
        return facts
    facts = facts.assuming(x - k * var(q))
    if s != x:
        facts = facts.assuming(s - k * var(q))
    if s.as_name is not None or k == 1:
        return facts
    for z in sorted(s.free())[:_NAMES]:
        v = var(z)
        if nonneg(v * k - 1 - s, facts):
            facts = facts.assuming(v - 1 - var(q))
        elif nonneg(v * k + k - 1 - s, facts):
            facts = facts.assuming(v - var(q))
        if nonneg(s - v * k, facts):
            facts = facts.assuming(var(q) - v)
    return facts.assuming(s - 1 - var(q)) if nonneg(s - 1, facts) else facts


def _atom(e: ScalarExp, p: Size | None) -> Size | None:
    """Return a name or constant as a size, and ``p`` for other expressions."""
    return atom_size(e) if isinstance(e, Var) else p


_QUOTIENTS = (BinOp.DIV, BinOp.QUOT)
"""Divisions for which divisor times result is at most the dividend, if no operand is negative."""


def _fits(p: Size, facts: Facts) -> bool:
    """True if ``p`` is at most some variable, and so fits in i64."""
    names = {x for _, bound in facts.indices for x in bound.free()}
    return any(nonneg(var(x) - p, facts) for x in sorted(names))
