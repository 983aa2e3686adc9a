"""Conversion of sizes to scalar expressions and back, and the types of scalar expressions.

A size is exact; an i64 expression wraps around.  The two agree modulo 2^64, since wrapping commutes
with ``+ - *``.  They are equal if the value fits i64, which the caller must show.
"""

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import Atom, Bin, Const, Convert, ScalarExp, Type, Un, Var
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp, ScalarType, bin_result, normalise, un_result
from funmem.ir.sizes import MAX_DEGREE, Monomial, Size, const, var


def size_exp(s: Size) -> ScalarExp:
    """Return the i64 expression that computes a polynomial: ``n*m - 2*i`` is ``n * m - 2 * i``.

    It consists of ``+ - *`` only, so T-RESULT can read it back (:func:`exp_size`).
    """
    if not s.terms:
        return Const(0, I64)
    (monomial, k), *rest = sorted(s.terms, key=lambda term: term[1] < 0)  # 3 - i, not -1*i + 3
    total = _term(monomial, k)
    for monomial, k in rest:
        op = BinOp.ADD if k > 0 else BinOp.SUB
        total = Bin(op, total, _term(monomial, abs(k)))
    return total


def nth(index: ScalarExp, start: Atom, stride: Atom, t: ScalarType) -> ScalarExp:
    """Return ``start + index * stride`` in type ``t``, an element of an iota.

    A start of 0 and a stride of 1 are omitted.
    """
    term: ScalarExp = index if t is I64 else Convert(t, index)
    if stride != Const(1, t):
        term = Bin(BinOp.MUL, term, stride)
    return term if start == Const(0, t) else Bin(BinOp.ADD, start, term)


def _term(monomial: Monomial, k: int) -> ScalarExp:
    factors: list[ScalarExp] = [Var(x) for x in monomial]
    if k != 1 or not factors:
        factors.insert(0, Const(normalise(k, I64), I64))
    return reduce(lambda a, b: Bin(BinOp.MUL, a, b), factors)


NOTHING: Mapping[Name, Size] = MappingProxyType({})
MAX_TERMS = 64
"""Cap on the terms of a polynomial; with more, or too high a degree, it is not useful."""
WIDEST = 2 * MAX_TERMS
"""Cap on the terms of a size in which names have been replaced by polynomials."""

LARGEST = I64.max


def exp_size(
    e: ScalarExp, known: Mapping[Name, Size] = NOTHING, terms: int = MAX_TERMS
) -> Size | None:
    """Return the polynomial that an i64 expression computes modulo 2^64, or None.

    ``known`` gives the polynomials of names.  The result is None if the expression has operators
    other than ``+ - *``, or if the polynomial has more than ``terms`` terms.  Callers that collect
    polynomials in ``known`` omit those of too many terms, so their names are not replaced.  The
    type of the expression must be i64.
    """
    match e:
        case Const(int(k), t) if t is I64:
            return const(k)
        case Var(x):
            return known.get(x, var(x))
        case Bin(BinOp.ADD | BinOp.SUB | BinOp.MUL as op, a, b):
            p, q = exp_size(a, known, terms), exp_size(b, known, terms)
            if p is None or q is None:
                return None
            if op is BinOp.MUL and p.degree + q.degree > MAX_DEGREE:
                return None
            total = p + q if op is BinOp.ADD else p - q if op is BinOp.SUB else p * q
            if len(total.terms) > terms:
                return None
            for m, k in total.terms:
                if len(m) > MAX_DEGREE or abs(k) > LARGEST:
                    return None
            return total
        case Const() | Un() | Bin() | Convert():
            return None


def expanded(p: Size, known: Mapping[Name, Size]) -> Size:
    """Return a size with names replaced by their polynomials; unchanged if that is too large.

    ``known`` comes from :func:`exp_size`, so the result equals the size modulo 2^64.
    """
    found = p.subst_within(known, WIDEST)
    return p if found is None else found


def literal(e: ScalarExp) -> Size | None:
    """Return the polynomial that an i64 expression is, without replacing any names, or None."""
    return exp_size(e, terms=WIDEST)


def says_itself(s: Size) -> bool:
    """True if the i64 expression of a size can be read back as that size.

    Its coefficients must fit i64, and it must not have too many terms.
    """
    return literal(size_exp(s)) == s


def is_i64(d: Size) -> bool:
    """True if a size is an i64 for all values of its names: it is a name or a constant."""
    k = d.as_const
    return d.as_name is not None or (k is not None and I64.min <= k <= I64.max)


def scalar_type(e: ScalarExp, types: Mapping[Name, Type]) -> ScalarType:
    """Return the type of a well-typed scalar expression."""
    match e:
        case Const(_, t):
            return t
        case Var(x):
            found = types[x]
            return found if isinstance(found, ScalarType) else _ill_typed(e)
        case Convert(to, _):
            return to
        case Bin(op, a, _):
            return bin_result(op, scalar_type(a, types)) or _ill_typed(e)
        case Un(unop, a):
            return un_result(unop, scalar_type(a, types)) or _ill_typed(e)


def _ill_typed(e: ScalarExp) -> ScalarType:
    raise Stuck(f"{e} is not well typed")
