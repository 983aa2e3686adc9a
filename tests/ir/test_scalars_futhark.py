"""Members of the float modules that are several operators: rounded once, against fractions."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from funmem.driver.options import Engine
from funmem.driver.source import Source
from funmem.ir.scalars import (
    F32,
    F64,
    FLOATS,
    I32,
    I64,
    INTS,
    SIGNED,
    U64,
    UNSIGNED,
    ScalarType,
    Value,
    normalise,
)
from funmem.suite.program import Compiled, compile_source
from tests.ir.test_scalars import dtype, edges, same
from tests.support.sampling import sampled

Case = tuple[Value, ...]
VIA = ["value", pytest.param("opencl", marks=pytest.mark.opencl)]


def mapped(member: str, types: Sequence[ScalarType], cases: Sequence[Case], via: str) -> list[Any]:
    """What ``member`` answers for each of the cases."""
    params = " ".join(f"(x{k}: [n]{t})" for k, t in enumerate(types))
    names = " ".join(f"x{k}" for k in range(len(types)))
    each = "" if len(types) == 1 else len(types)
    text = f"def main [n] {params} = map{each} ({member}) {names}\n"
    compiled = compile_source(Source("members.fut", text, "fut"))
    assert isinstance(compiled, Compiled), compiled
    columns = zip(types, zip(*cases, strict=True), strict=True)
    args = [np.array(column, dtype(t)) for t, column in columns]
    result: Any = compiled.ready(Engine.named(via)).run("main", args).values[0]
    return list(getattr(result, "data", result).tolist())


def agree(
    member: str,
    types: Sequence[ScalarType],
    cases: Sequence[Case],
    via: str,
    want: Callable[..., Value],
) -> None:
    got = mapped(member, types, cases, via)
    wrong = [(c, g, want(*c)) for c, g in zip(cases, got, strict=True) if not same(g, want(*c))]
    assert wrong[:5] == []


# ------------------------------------------------------------------- fma, ldexp


def rounded(q: Fraction, t: ScalarType) -> float:
    """A number other than zero rounded to nearest even, by definition; zero has its sign."""
    digits, least = {16: (11, -24), 32: (24, -149), 64: (53, -1074)}[t.bits]
    size = abs(q)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    value = round(size / unit) * unit
    magnitude = float(value) if value <= float(np.finfo(dtype(t)).max) else math.inf
    return -magnitude if q < 0 else magnitude


def fused(t: ScalarType, a: float, b: float, c: float) -> float:
    """By definition; what is not finite and zeros are IEEE's."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact != 0:
        return rounded(exact, t)
    zero = math.copysign(0.0, a) * math.copysign(1.0, b)  # of the product, if that is zero
    return zero + c if 0.0 in (a, b) else 0.0


def triples(t: ScalarType) -> list[Case]:
    """Edges, random bits, and sums that nearly cancel or nearly end in a tie."""
    rng = np.random.default_rng(8)
    some = edges(t)
    cases = [tuple(some[k] for k in rng.integers(0, len(some), 3)) for _ in range(3000)]
    bits = np.frombuffer(rng.bytes(9000 * t.bytes), dtype(t)).reshape(3000, 3)
    cases += [tuple(row) for row in bits.tolist()]
    near = rng.standard_normal((3000, 3)) * 2.0 ** rng.integers(-6, 6, (3000, 3))
    rows = [tuple(row) for row in near.astype(dtype(t)).tolist()]
    cases += rows
    cases += [
        (a, b, float(normalise(-a * b, t))) for a, b, _ in rows
    ]  # all but the product's error
    info = np.finfo(dtype(t))
    ulp = float(info.eps)
    for k in range(
        -5, 6
    ):  # a product just beside half a unit of the sum, at both ends of the range
        for c in (1.0, 2.0 - ulp, 1.0 + ulp, -1.0):
            for d in (ulp / 2, -ulp / 2, ulp / 4, -ulp / 4):
                cases += [(1 + k * ulp, d, c), (1 + k * ulp, d * (1 + ulp), c)]
    low = float(info.tiny)
    cases += [(x * low, y, z * low) for x in (1.0, 1 + ulp, 1.5) for y in (0.5, 0.75, 1 - ulp / 2)
              for z in (0.0, 0.5, 1.0, -1.0, -0.5, ulp, -ulp)]  # fmt: skip
    root = 2.0 ** (math.frexp(low)[1] // 2)
    for x in (1.0, 1 + ulp, 1.5, 2 - ulp):
        for y in (1.0, 1 + ulp, 1 - ulp / 2, ulp):
            cases += [(x * root, y * root, z * low) for z in (0.0, 0.5, -0.5, ulp, -ulp)]
    return [tuple(float(normalise(v, t)) for v in case) for case in cases]


@pytest.mark.parametrize("via", sampled(VIA, 0, slow=3))
@pytest.mark.parametrize("t", FLOATS, ids=str)
@pytest.mark.slow
def test_fma(t: ScalarType, via: str) -> None:
    agree(f"{t}.fma", (t, t, t), triples(t), via, lambda a, b, c: fused(t, a, b, c))


@pytest.mark.parametrize("via", sampled(VIA, 0, slow=3))
@pytest.mark.parametrize("t", FLOATS, ids=str)
@pytest.mark.slow
def test_ldexp(t: ScalarType, via: str) -> None:
    """Also where two roundings would not do: into subnormals."""
    rng = np.random.default_rng(9)
    some = [*np.frombuffer(rng.bytes(100 * t.bytes), dtype(t)).tolist(), 1.1, 1.0, 1.75]
    exponents = [
        *range(-1100, -960, 5),
        *range(-160, -120, 3),
        *range(-30, 31, 6),
        127,
        128,
        1023,
        1024,
    ]
    exponents += [2046, 2098, 2**31 - 1, -(2**31), -2044, -2100]
    cases: list[Case] = [(x, k) for x in edges(t) for k in exponents]
    cases += [(normalise(x, t), int(k)) for x in some for k in rng.choice(exponents, 20)]

    def want(x: float, k: int) -> float:
        if x == 0 or not math.isfinite(x):
            return x
        power = Fraction(2) ** max(-3000, min(k, 3000))
        return rounded(Fraction(x) * power, t)

    agree(f"{t}.ldexp", (t, I32), cases, via, want)


# ------------------------------------------------------------------- bits


@pytest.mark.parametrize("t", sampled([*INTS, *FLOATS], 4, 2), ids=str)
def test_single_bits(t: ScalarType) -> None:
    """Of numbers and of the bits of floats, from the lowest to the highest."""
    memory = np.dtype(f"u{t.bytes}")
    cases = [(k, x) for x in edges(t) for k in range(t.bits) if x == x]

    def image(x: Value) -> int:
        return int(np.array([x], dtype(t)).view(memory)[0])

    agree(f"{t}.get_bit", (I32, t), cases, "value", lambda k, x: image(x) >> k & 1)
    for bit in (0, 1):
        member = f"\\k x -> {t}.set_bit k x {bit}"
        got = mapped(member, (I32, t), cases, "value")
        for (k, x), v in zip(cases, got, strict=True):
            want = image(x) & ~(1 << int(k)) | bit << int(k)
            if v == v:
                assert image(v) == want, (k, x, bit)


# ------------------------------------------------------------------- conversions


def test_a_signed_number_gets_zeros_in_front() -> None:
    for source in SIGNED:
        for target in UNSIGNED:
            cases: list[Case] = [(x,) for x in edges(source)]
            agree(f"{target}.{source}", (source,), cases, "value",
                  lambda x, s=source, t=target: x % 2**s.bits % 2**t.bits)  # fmt: skip


@pytest.mark.parametrize("t", FLOATS, ids=str)
def test_floats_to_integers(t: ScalarType) -> None:
    """Towards zero; 0 for what is not finite; wrapped from what the helping type holds."""

    def want(x: float, to: ScalarType) -> int:
        if not math.isfinite(x):
            return 0
        via = I32 if to.bits < 32 or to is I32 else I64
        high = to.max if to is U64 else via.max
        return int(normalise(min(max(math.trunc(x), via.min), high), to))

    for to in INTS:
        cases: list[Case] = [(x,) for x in edges(t)]
        agree(f"{to}.{t}", (t,), cases, "value",
              lambda x, to=to: want(x, to))  # fmt: skip


# ------------------------------------------------------------------- others


def test_the_remainder_of_floats_has_the_sign_of_the_dividend() -> None:
    cases: list[Case] = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-6.0, 2.0), (1.0, math.inf)]
    for member in ("(%)", "(f64.%)"):
        assert list(map(str, mapped(member, (F64, F64), cases, "value"))) == [
            "1.5", "-1.5", "1.5", "-0.0", "1.0"
        ]  # fmt: skip


def test_members_do_not_capture_names() -> None:
    """What a member binds inside has other names than what the program calls so."""
    text = """
entry main (s0: f64) (s1: f64) (x: f64) (y: f64) =
  (f64.fma s1 s0 (s0 - s1), f64.lerp s1 s0 (s1 + x), f64.lerp y x (x + y), u8.f64 (s1 - s0))
"""
    compiled = compile_source(Source("names.fut", text, "fut"))
    assert isinstance(compiled, Compiled)
    args = [np.float64(v) for v in (3.0, 5.0, 0.5, 2.0)]
    values = compiled.ready(Engine.named("value")).run("main", args).values
    assert [float(np.asarray(getattr(v, "value", v))) for v in values] == [13.0, -6.0, -1.75, 2.0]


def test_fractions() -> None:
    cases: list[Case] = [(1, 4), (-7, 2), (1, 0), (16777217, 3)]
    for t in (F32, F64):
        want = [0.25, -3.5, math.inf, None]
        got = mapped(f"{t}.from_fraction", (I64, I64), cases, "value")
        assert got[:3] == want[:3]
    assert got[3] == 16777217 / 3
