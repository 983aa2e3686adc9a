"""Bounds of an index from its definition by minima, maxima, remainders, and conversions.

    let n = max(0, i - 1)  in x[n, j]      in bounds if 0 and i - 1 are less than the length, and
                                           one of them is not negative
    let s = min(n - 1, i + 1)              in bounds if neither is negative, and one is less than
                                           the length
    let w = (i + 1) % n                    in bounds if n is at least 1: the result of % has the
                                           sign of n, also after the sum has wrapped around

    let b = i64.u8 x                       0 <= b <= 255
    let k = i64(i32(n))                    k <= n, if n is not negative

The operands are names, constants, and sums of a name and a constant.  An i64 sum may have wrapped
around; that is excluded first, by showing that the sum lies between other variables.
"""

from collections.abc import Mapping

from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, SIGNED, UNSIGNED, BinOp, ScalarType
from funmem.ir.sizes import ZERO, Size, const, var

Values = Mapping[Name, ScalarExp]

_DEEP = 6
"""Largest number of nested definitions that one proof follows."""

_LIMIT = 1 << 32


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


def _positive(e: ScalarExp, facts: Facts, values: Values) -> Size | None:
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


def divides(e: ScalarExp, facts: Facts, values: Values) -> bool:
    """True if an i64 divisor is provably positive, so that a division by it cannot trap."""
    return _positive(e, facts, values) is not None


def exact(e: ScalarExp, facts: Facts, values: Values, deep: int = _DEEP) -> Size | None:
    """Return an i64 expression as a polynomial; None unless it provably has not wrapped around."""
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
        case Const() | Bin() | Un() | Convert():
            return None


def _fits(p: Size, facts: Facts) -> bool:
    """True if ``p`` is at most some variable, and so fits in i64."""
    names = {x for _, bound in facts.indices for x in bound.free()}
    return any(nonneg(var(x) - p, facts) for x in sorted(names))
