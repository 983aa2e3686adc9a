"""Sizes against sympy: the normal form is the polynomial, and equality is equality of polynomials.

Protects ``ir/sizes.py``.  sympy is the oracle; the rest of the compiler never asks it.
"""

import os
import pickle
import subprocess
import sys
from typing import TypeAlias

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.arith import exp_size, size_exp
from funmem.ir.names import Name
from funmem.ir.sizes import ONE, ZERO, Monomial, Size, const, product, var
from funmem.ir.text.cursor import Cursor
from funmem.ir.text.parse_parts import size as parse_size

NAMES = tuple(Name(x) for x in ("n", "m", "k", "n_1"))
SYMBOLS = {x: sympy.Symbol(x, integer=True) for x in NAMES}
Sym: TypeAlias = sympy.Expr
Pair: TypeAlias = tuple[Size, Sym]
"""A size, and the sympy expression built by the same steps."""

integers = st.integers(-6, 6) | st.integers(-(1 << 70), 1 << 70)


def leaves() -> st.SearchStrategy[Pair]:
    constants = integers.map(lambda k: (const(k), sympy.Integer(k)))
    return constants | st.sampled_from(NAMES).map(lambda x: (var(x), SYMBOLS[x]))


def _larger(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def both(kind: str, a: Pair, b: Pair, k: int) -> Pair:
        match kind:
            case "+":
                return a[0] + b[0], a[1] + b[1]
            case "-":
                return a[0] - b[0], a[1] - b[1]
            case "*":
                return a[0] * b[0], a[1] * b[1]
            case "neg":
                return -a[0], -a[1]
            case "int +":
                return k + a[0], k + a[1]
            case "int -":
                return k - a[0], k - a[1]
            case _:
                return k * a[0], k * a[1]

    kinds = st.sampled_from(("+", "-", "*", "neg", "int +", "int -", "int *"))
    return st.builds(both, kinds, inner, inner, st.integers(-3, 3))


pairs = st.recursive(leaves(), _larger, max_leaves=6)
"""Trees of operations, done by us and by sympy."""

monomials = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda m: tuple(sorted(m)))
sizes = st.dictionaries(monomials, st.integers(-5, 5), max_size=4).map(Size.from_terms)
"""Polynomials as such."""


def normal_form(s: Size) -> bool:
    """No zero coefficient, every monomial sorted and once, terms in printing order."""
    ms = [m for m, _ in s.terms]
    return (
        all(k for _, k in s.terms)
        and all(list(m) == sorted(m) for m in ms)
        and len(set(ms)) == len(ms)
        and [(-len(m), m) for m in ms] == sorted((-len(m), m) for m in ms)
    )


def symbolic(s: Size) -> Sym:
    """The size as sympy sees it, term by term."""
    return sympy.Add(*(k * sympy.Mul(*(SYMBOLS[x] for x in m)) for m, k in s.terms))


def expanded(e: Sym) -> dict[Monomial, int]:
    """The terms of a sympy expression after its own expansion."""
    p = sympy.Poly(sympy.expand(e), *SYMBOLS.values())
    return {
        tuple(sorted(x for x, power in zip(NAMES, powers, strict=True) for _ in range(power))): int(
            k
        )
        for powers, k in p.terms()
        if k
    }


# ---------------------------------------------------------------------- arithmetic


@given(pairs)
def test_arithmetic_gives_the_normal_form_of_the_expanded_polynomial(pair: Pair) -> None:
    s, e = pair
    assert normal_form(s)
    assert dict(s.terms) == expanded(e)


@given(pairs, pairs)
def test_equal_exactly_if_equal_as_polynomials(a: Pair, b: Pair) -> None:
    assert (a[0] == b[0]) == (sympy.expand(a[1] - b[1]) == 0)


@given(sizes, sizes, sizes)
def test_ring_laws(a: Size, b: Size, c: Size) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a - a == ZERO
    assert a * 0 == ZERO
    assert a + ZERO == a == a * ONE
    assert hash(a * b + c) == hash(c + b * a)


@given(st.lists(sizes, max_size=4))
def test_product(factors: list[Size]) -> None:
    want = sympy.Mul(*map(symbolic, factors))
    assert dict(product(factors).terms) == expanded(want)


@given(pairs, st.tuples(*(st.integers(-9, 9) for _ in NAMES)))
def test_evaluation_is_exact(pair: Pair, values: tuple[int, ...]) -> None:
    s, e = pair
    at = dict(zip(NAMES, values, strict=True))
    assert s.eval(at.__getitem__) == e.subs({SYMBOLS[x]: v for x, v in at.items()})


@given(sizes, st.dictionaries(st.sampled_from(NAMES), sizes, max_size=4))
def test_substitution_is_simultaneous(s: Size, image: dict[Name, Size]) -> None:
    found = s.subst(image)
    want = symbolic(s).subs({SYMBOLS[x]: symbolic(t) for x, t in image.items()}, simultaneous=True)
    assert normal_form(found)
    assert dict(found.terms) == expanded(want)


def test_substitution_of_swapped_names() -> None:
    n, m = var(NAMES[0]), var(NAMES[1])
    assert (n * n + m * 2).subst({NAMES[0]: m, NAMES[1]: n}) == m * m + n * 2


# ---------------------------------------------------------------------- division


@given(sizes, sizes)
def test_an_exact_quotient_by_a_monomial_is_found_and_right(q: Size, d: Size) -> None:
    """For every divisor: an answer is right.  For a monomial: it is found if there is one."""
    if (answer := (q * d).divided_by(d)) is not None:
        assert answer * d == q * d
    if len(d.terms) == 1:
        assert answer == q


@given(sizes, monomials, st.integers(-4, 4).filter(bool))
def test_none_means_that_a_monomial_does_not_divide(s: Size, m: Monomial, k: int) -> None:
    d = Size.from_terms({m: k})
    quotient = expanded_quotient(s, d)
    assert s.divided_by(d) == quotient


def expanded_quotient(s: Size, d: Size) -> Size | None:
    """sympy's quotient, None if there is a remainder or a fraction."""
    a, b = (
        sympy.Poly.from_dict(
            {tuple(map(m.count, NAMES)): k for m, k in x.terms} or {(0,) * len(NAMES): 0},
            *SYMBOLS.values(),
            domain=sympy.QQ,
        )
        for x in (s, d)
    )
    quotient, remainder = sympy.div(a, b)
    if remainder != 0 or any(k.q != 1 for k in quotient.coeffs()):
        return None
    return Size.from_terms(expanded(quotient.as_expr()))


def test_division_by_other_sizes() -> None:
    n, m = var(NAMES[0]), var(NAMES[1])
    assert (n + m).divided_by(n + m) == ONE
    assert ZERO.divided_by(n + m) == ZERO
    assert n.divided_by(n + m) is None
    assert n.divided_by(ZERO) is None
    assert (n * 6).divided_by(4) is None
    assert (n * 6).divided_by(-3) == n * -2
    assert (n * m + n).divided_by(m) is None


# ---------------------------------------------------------------------- observation


@given(sizes)
def test_constants_and_names_are_recognised(s: Size) -> None:
    e = symbolic(s)
    assert s.as_const == (int(e) if e.is_Integer else None)
    assert s.as_name == (Name(str(e)) if e.is_Symbol else None)
    assert {SYMBOLS[x] for x in s.free()} == e.free_symbols


def test_a_size_is_no_integer() -> None:
    """Comparing with an int answers False, so that a forgotten ``const`` shows in the tests."""
    assert const(3) != 3
    assert const(0) is ZERO
    assert Size.of(3) == const(3)
    assert Size.of(ONE) is ONE


# ---------------------------------------------------------------------- text


@given(pairs)
def test_the_text_reads_back(pair: Pair) -> None:
    s, e = pair
    assert parse_size(Cursor(str(s), "size")) == s
    by_name = {str(x): symbol for x, symbol in SYMBOLS.items()}
    assert sympy.expand(sympy.sympify(str(s), locals=by_name) - e) == 0


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0", "0"),
        ("-1", "-1"),
        ("n", "n"),
        ("-n", "-n"),
        ("1 + n", "n + 1"),
        ("(n + 1)*(n - 1)", "n*n - 1"),
        ("m*n - 2*k + n*m*k", "k*m*n + m*n - 2*k"),
        ("n*2*m - 7", "2*m*n - 7"),
    ],
)
def test_printing(text: str, printed: str) -> None:
    assert str(parse_size(Cursor(text, "size"))) == printed


# ---------------------------------------------------------------------- as scalars


@given(sizes)
def test_a_size_as_a_scalar_expression_shows_the_same_polynomial(s: Size) -> None:
    assert exp_size(size_exp(s)) == s


# ---------------------------------------------------------------------- hashing


@given(sizes, sizes)
def test_equal_sizes_are_one_key(a: Size, b: Size) -> None:
    assert {a: 1}.get(a + b - b) == 1
    assert (a in {b}) == (a == b)


def test_a_pickled_size_is_the_same_key_in_another_process() -> None:
    """Hashes of texts differ between processes, so the stored hash must not travel."""
    s = var(NAMES[0]) * var(NAMES[1]) + 3
    code = (
        "import pickle, sys\n"
        "from funmem.ir.names import Name\n"
        "from funmem.ir.sizes import var\n"
        "s = pickle.loads(sys.stdin.buffer.read())\n"
        "assert {var(Name('n')) * var(Name('m')) + 3: 1}.get(s) == 1\n"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code], input=pickle.dumps(s), env=env, check=True)
