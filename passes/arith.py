"""Sizes as scalar expressions and back.

A size is exact, an i64 expression wraps around.  The two agree modulo 2^64, since wrapping
commutes with ``+ - *``; whoever needs them to be equal has to show that the value fits.
"""

from functools import reduce

from funmem.ir.fun import Atom, Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.scalars import I64, BinOp, UnOp, normalise
from funmem.ir.sizes import Monomial, Size, const, var


def size_exp(s: Size) -> ScalarExp:
    """The i64 expression that computes a polynomial: ``n*m - 2*i`` becomes ``n * m - 2 * i``."""
    if not s.terms:
        return Const(0, I64)
    (monomial, k), *rest = s.terms
    total = _term(monomial, k)
    for monomial, k in rest:
        op = BinOp.ADD if k > 0 else BinOp.SUB
        total = Bin(op, total, _term(monomial, abs(k)))
    return total


def _term(monomial: Monomial, k: int) -> ScalarExp:
    factors: list[Atom] = [Var(x) for x in monomial]
    if not factors or k not in (1, -1):
        factors.insert(0, Const(normalise(k, I64), I64))
        k = 1
    product = reduce(lambda a, b: Bin(BinOp.MUL, a, b), factors[1:], _as_exp(factors[0]))
    return Un(UnOp.NEG, product) if k < 0 else product


def _as_exp(a: Atom) -> ScalarExp:
    return a


def exp_size(e: ScalarExp) -> Size | None:
    """The polynomial that an i64 expression computes modulo 2^64; None if it is not of that form.

    The caller has made sure that the expression's type is i64.
    """
    match e:
        case Const(int(k), t) if t is I64:
            return const(k)
        case Var(x):
            return var(x)
        case Un(UnOp.NEG, a):
            return None if (p := exp_size(a)) is None else -p
        case Bin(BinOp.ADD | BinOp.SUB | BinOp.MUL as op, a, b):
            p, q = exp_size(a), exp_size(b)
            if p is None or q is None:
                return None
            return p + q if op is BinOp.ADD else p - q if op is BinOp.SUB else p * q
        case Const() | Un() | Bin() | Convert():
            return None
