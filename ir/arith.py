"""Sizes as scalar expressions and back, and the types of scalar expressions.

A size is exact, an i64 expression wraps around.  The two agree modulo 2^64, since wrapping
commutes with ``+ - *``; whoever needs them to be equal has to show that the value fits.
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
    """The i64 expression that computes a polynomial: ``n*m - 2*i`` becomes ``n * m - 2 * i``.

    Built from ``+ - *`` only, so that T-RESULT sees through it.
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
    """``start + index * stride`` in type ``t``, an element of an iota; without a neutral start or
    stride.
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
"""With more, or of a degree that cannot be written down, a polynomial is too large to be useful."""
WIDEST = 2 * MAX_TERMS
"""So many terms may a size have, in which names are replaced by polynomials."""

LARGEST = I64.max


def exp_size(
    e: ScalarExp, known: Mapping[Name, Size] = NOTHING, terms: int = MAX_TERMS
) -> Size | None:
    """The polynomial that an i64 expression computes modulo 2^64.

    ``known`` gives the polynomials of names.  None if it is not of the form that T-RESULT sees
    through (constants, names, ``+ - *``), or too large, with more ``terms`` than that; whoever
    collects polynomials in ``known`` leaves out those that are too large, so that their names stay
    names.  The caller has made sure that the expression's type is i64.
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
    """A size with the polynomials of names in their place; as it is, if that would be too large.

    ``known`` is what :func:`exp_size` has found, so either is the size modulo 2^64.
    """
    found = p.subst_within(known, WIDEST)
    return p if found is None else found


def literal(e: ScalarExp) -> Size | None:
    """The polynomial of the names in an i64 expression, whatever these are bound to."""
    return exp_size(e, terms=WIDEST)


def says_itself(s: Size) -> bool:
    """Whether the i64 expression that computes a size can be read back: it has no factors that i64
    lacks, and not too many terms.
    """
    return literal(size_exp(s)) == s


def is_i64(d: Size) -> bool:
    """Whether a size is an i64, whatever the values of its names."""
    k = d.as_const
    return d.as_name is not None or (k is not None and I64.min <= k <= I64.max)


def scalar_type(e: ScalarExp, types: Mapping[Name, Type]) -> ScalarType:
    """The type of a well-typed scalar expression."""
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
