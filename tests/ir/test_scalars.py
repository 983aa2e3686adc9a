"""The operator table against independent definitions: numpy, big integers, fractions, C99."""

import math
import struct
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.scalars import (
    BOOL,
    F16,
    F32,
    F64,
    FLOATS,
    I8,
    I32,
    I64,
    INTS,
    NUMBERS,
    SCALARS,
    SIGNED,
    U8,
    U16,
    U32,
    U64,
    UNSIGNED,
    BinOp,
    OperatorTrap,
    OperatorTrapKind,
    ScalarType,
    UnOp,
    Value,
    bin_fn,
    bin_result,
    bits_key,
    can_trap,
    convert,
    convert_fn,
    eval_bin,
    eval_un,
    is_exact,
    is_value,
    normalise,
    pack,
    read,
    show,
    un_fn,
    un_result,
    unpack,
)
from tests.support.sampling import sampled

mpmath: Any = pytest.importorskip("mpmath")  # comes with sympy
INF, NAN = math.inf, math.nan
Array = np.ndarray[Any, np.dtype[Any]]


def dtype(t: ScalarType) -> np.dtype[Any]:
    names = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
    return np.dtype("bool" if t is BOOL else names[t.value[0]] + t.value[1:])


def edges(t: ScalarType) -> list[Value]:
    """Values where something happens: limits, halves, ties, subnormals, zeros, NaN."""
    if t is BOOL:
        return [False, True]
    if t.is_int:
        points = (0, t.min, t.max, t.max // 2, 1 << t.bits // 2)
        near = {k + d for k in points for d in range(-3, 4)}
        more = {v for k in (t.bits, 2 * t.bits, 10, 100) for v in (k, -k)}
        return sorted(v for v in near | more if t.min <= v <= t.max)
    info = np.finfo(dtype(t))
    tiny, least, top = float(info.tiny), float(info.smallest_subnormal), float(info.max)
    eps, whole = float(info.eps), 2.0 ** (info.nmant + 1)
    some = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 10.0, 100.0, 1e-3, 0.1, 1 / 3, 0.7]
    some += [least, 3 * least, tiny - least, tiny, eps, 1 + eps, top, top / 2, math.sqrt(top), INF]
    some += [whole / 2 - 0.5, whole / 2 + 0.5, whole - 1, whole, whole + 2, 88.8, 709.9]
    some += [127.0, 127.5, 128.0, 255.5, 32767.5, 65504.0, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
    if t is F64:  # near the ties of f16 and f32
        ties = [1 + 2.0**-11, 2.0**-25, 65520.0, 1 + 2.0**-24, 2.0**-150, 2.0**128 - 2.0**103]
        some += [v * (1 + d * eps) for v in ties for d in (-2, 0, 2)]
    positive = [float(normalise(v, t)) for v in some]
    return [*dict.fromkeys(positive + [-v for v in positive if v]), -0.0, NAN]


def values(t: ScalarType) -> st.SearchStrategy[Value]:
    if t is BOOL:
        return st.booleans()
    if t.is_int:
        return st.integers(t.min, t.max) | st.sampled_from(edges(t))
    return st.floats(width=t.bits) | st.sampled_from(edges(t))  # type: ignore[arg-type]


def typed(*types: ScalarType, n: int = 1) -> st.SearchStrategy[tuple[Any, ...]]:
    """A type and `n` values of it."""
    return st.sampled_from(types).flatmap(lambda t: st.tuples(st.just(t), *[values(t)] * n))


def same(a: Value, b: Value) -> bool:
    return type(a) is type(b) and str(a) == str(b)


def bin_cases() -> list[tuple[BinOp, ScalarType]]:
    return [(op, t) for op in BinOp for t in SCALARS if bin_result(op, t)]


def un_cases() -> list[tuple[UnOp, ScalarType]]:
    return [(op, t) for op in UnOp for t in SCALARS if un_result(op, t)]


# ------------------------------------------------------------------- the table as a whole


def test_types() -> None:
    assert [t.bytes for t in SCALARS] == [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8]
    assert [t.bits for t in SCALARS] == [1, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 64]
    assert [(t.min, t.max) for t in (I8, U8)] == [(-128, 127), (0, 255)]
    assert all((t.min, t.max) == (np.iinfo(dtype(t)).min, np.iinfo(dtype(t)).max) for t in INTS)
    assert all(t.is_int == (t.is_signed or t.is_unsigned) for t in SCALARS)
    assert [t for t in SCALARS if t.is_float] == [F16, F32, F64]
    with pytest.raises(TypeError, match="f32 is not an integer type"):
        _ = F32.max


def test_domains() -> None:
    """Where each operator is defined, and what it gives when that is not the operands' type."""
    on_ints = {"//", "<<", ">>", "mulhi"}
    on_numbers = {"+", "-", "*", "/", "%", "%%", "**", "min", "max"}
    on_all = {"==", "!=", "<", "<=", ">", ">="}
    for op in BinOp:
        defined = {t for t in SCALARS if bin_result(op, t)}
        if op.value in on_ints:
            assert defined == set(INTS)
        elif op.value in on_numbers:
            assert defined == set(NUMBERS)
        elif op.value in on_all:
            assert defined == set(SCALARS)
        elif op.value in ("&", "|", "^"):
            assert defined == {BOOL, *INTS}
        else:
            assert defined == ({BOOL} if op.value in ("&&", "||") else set(FLOATS))
        assert {bin_result(op, t) for t in defined} == ({BOOL} if op.value in on_all else defined)
    for un in UnOp:
        defined = {t for t in SCALARS if un_result(un, t)}
        if un.value in ("-", "abs", "sgn"):
            assert defined == set(NUMBERS)
        elif un.value in ("~", "popcount", "clz", "ctz"):
            assert defined == set(INTS)
        elif un is UnOp.FROM_BITS:
            assert defined == {U16, U32, U64}
        else:
            assert defined == ({BOOL} if un.value == "!" else set(FLOATS))
        results = {un_result(un, t) for t in defined}
        if un.value in ("isnan", "isinf"):
            assert results == {BOOL}
        elif un in (UnOp.TO_BITS, UnOp.FROM_BITS):
            assert all(
                r and r is not t and r.bits == t.bits for t in defined for r in (un_result(un, t),)
            )
        else:
            assert results == ({I32} if un.value in ("popcount", "clz", "ctz") else defined)


def test_undefined_operators_are_refused() -> None:
    with pytest.raises(TypeError, match="operator // is not defined on f32"):
        bin_fn(BinOp.QUOT, F32)
    with pytest.raises(TypeError, match="operator sqrt is not defined on i8"):
        eval_un(UnOp.SQRT, I8, 1)


def test_binary_total() -> None:
    """On all edge values: a value of the result's type, or the trap that is announced."""
    for op, t in bin_cases():
        result, fn, traps = bin_result(op, t), bin_fn(op, t), set()
        assert result is not None
        for a in edges(t):
            for b in edges(t):
                try:
                    assert is_value(fn(a, b), result), (op, t, a, b, fn(a, b))
                except OperatorTrap as trap:
                    traps.add((trap.kind, b == 0))
        if not can_trap(op, t):
            assert traps == set(), (op, t)
        elif op is BinOp.POW:
            assert traps == {(OperatorTrapKind.NEGATIVE_EXPONENT, False)}, (op, t)
        else:
            assert traps == {(OperatorTrapKind.DIVISION_BY_ZERO, True)}, (op, t)


def test_unary_total() -> None:
    for op, t in un_cases():
        result, fn = un_result(op, t), un_fn(op, t)
        assert result is not None
        assert not can_trap(op, t), (op, t)
        assert [a for a in edges(t) if not is_value(fn(a), result)] == [], (op, t)


def test_traps() -> None:
    for op in (BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM):
        with pytest.raises(OperatorTrap, match="division by zero"):
            eval_bin(op, I64, 1, 0)
    with pytest.raises(OperatorTrap, match="negative exponent") as caught:
        eval_bin(BinOp.POW, I8, 1, -1)
    assert caught.value.kind is OperatorTrapKind.NEGATIVE_EXPONENT
    assert not can_trap(BinOp.POW, U8)
    assert not can_trap(BinOp.DIV, F32)


def test_exactness() -> None:
    inexact = "** atan2 hypot exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh erf"
    inexact += " cbrt expm1 log1p asinh acosh atanh erfc gamma lgamma"
    cases: list[tuple[BinOp | UnOp, ScalarType]] = [*bin_cases(), *un_cases()]
    for t in FLOATS:
        assert {op.value for op, on in cases if on is t and not is_exact(op, t)} == {
            *inexact.split()
        }
    assert all(is_exact(op, t) for op, t in cases if not t.is_float)


def test_imports_only_the_standard_library() -> None:
    code = "import sys, funmem.ir.scalars; print({'numpy', 'attr', 'fractions'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


# ------------------------------------------------------------------- integers, exhaustively

# On int64 grids that hold all pairs of 8-bit values; the result is wrapped by numpy's cast.
INT_ORACLE: dict[BinOp, Callable[[Array, Array, int], Array]] = {
    BinOp.ADD: lambda a, b, _: a + b,
    BinOp.SUB: lambda a, b, _: a - b,
    BinOp.MUL: lambda a, b, _: a * b,
    BinOp.DIV: lambda a, b, _: np.floor(a / b),
    BinOp.MOD: lambda a, b, _: a - b * np.floor(a / b),
    BinOp.QUOT: lambda a, b, _: np.trunc(a / b),
    BinOp.REM: lambda a, b, _: a - b * np.trunc(a / b),
    BinOp.POW: lambda a, b, _: a**b,  # modulo 2^64
    BinOp.MIN: lambda a, b, _: np.minimum(a, b),
    BinOp.MAX: lambda a, b, _: np.maximum(a, b),
    BinOp.AND: lambda a, b, _: a & b,
    BinOp.OR: lambda a, b, _: a | b,
    BinOp.XOR: lambda a, b, _: a ^ b,
    BinOp.SHL: lambda a, b, bits: a * 2 ** (b % bits),
    BinOp.SHR: lambda a, b, bits: np.floor(a / 2 ** (b % bits)),
    BinOp.EQ: lambda a, b, _: a == b,
    BinOp.NE: lambda a, b, _: a != b,
    BinOp.LT: lambda a, b, _: a < b,
    BinOp.LE: lambda a, b, _: a <= b,
    BinOp.GT: lambda a, b, _: a > b,
    BinOp.GE: lambda a, b, _: a >= b,
    BinOp.MULHI: lambda a, b, bits: np.floor(a * b / 2**bits),
}


@pytest.mark.parametrize("t", sampled([I8, U8], 2))
@pytest.mark.parametrize("op", INT_ORACLE)
def test_all_pairs_of_8_bits(op: BinOp, t: ScalarType) -> None:
    grid = np.meshgrid(np.arange(t.min, t.max + 1), np.arange(t.min, t.max + 1), indexing="ij")
    a, b = grid[0].ravel(), grid[1].ravel()
    if can_trap(op, t):
        keep = b >= 0 if op is BinOp.POW else b != 0
        a, b = a[keep], b[keep]
    result = bin_result(op, t)
    assert result is not None
    want = INT_ORACLE[op](a, b, t.bits).astype(np.int64).astype(dtype(result))
    assert list(map(bin_fn(op, t), a.tolist(), b.tolist())) == want.tolist()


def test_every_integer_operator_has_an_oracle() -> None:
    assert {op for op in BinOp if bin_result(op, I8)} == set(INT_ORACLE)


@pytest.mark.parametrize("t", [I8, U8])
def test_all_unary_8_bits(t: ScalarType) -> None:
    for a in range(t.min, t.max + 1):
        binary = f"{a % 256:08b}"
        want = {
            UnOp.NEG: normalise(-a, t),
            UnOp.NOT: int("".join("10"[int(bit)] for bit in binary), 2),
            UnOp.ABS: -128 if a == -128 else max(a, -a),
            UnOp.SGN: 0 if a == 0 else a // abs(a),
            UnOp.POPCOUNT: binary.count("1"),
            UnOp.CLZ: 8 - len(binary.lstrip("0")),
            UnOp.CTZ: 8 - len(binary.rstrip("0")),
        }
        assert set(want) == {op for op in UnOp if un_result(op, t)}  # from_bits: 16 bits and more
        want[UnOp.NOT] = np.uint8(want[UnOp.NOT]).astype(dtype(t)).item()
        assert {op: eval_un(op, t, a) for op in want} == want


def test_booleans() -> None:
    for a in (False, True):
        assert eval_un(UnOp.LNOT, BOOL, a) is (not a)
        for b in (False, True):
            assert eval_bin(BinOp.LAND, BOOL, a, b) is eval_bin(BinOp.AND, BOOL, a, b) is (a and b)
            assert eval_bin(BinOp.LOR, BOOL, a, b) is eval_bin(BinOp.OR, BOOL, a, b) is (a or b)
            assert eval_bin(BinOp.XOR, BOOL, a, b) is eval_bin(BinOp.NE, BOOL, a, b) is (a is not b)
            assert eval_bin(BinOp.LT, BOOL, a, b) is (not a and b)


# ------------------------------------------------------------------- integers, by their laws


@given(typed(*INTS, n=3))
def test_ring(case: tuple[ScalarType, int, int, int]) -> None:
    t, a, b, c = case
    add, sub, mul = (bin_fn(o, t) for o in (BinOp.ADD, BinOp.SUB, BinOp.MUL))
    neg = un_fn(UnOp.NEG, t)
    assert add(a, b) == add(b, a) == normalise(a + b, t)
    assert mul(a, b) == mul(b, a) == normalise(a * b, t)
    assert add(add(a, b), c) == add(a, add(b, c))
    assert mul(mul(a, b), c) == mul(a, mul(b, c))
    assert mul(a, add(b, c)) == add(mul(a, b), mul(a, c))
    assert sub(a, b) == add(a, neg(b))
    assert add(a, neg(a)) == 0
    assert eval_un(UnOp.NOT, t, a) == sub(neg(a), 1)


@given(typed(*INTS, n=2))
def test_division(case: tuple[ScalarType, int, int]) -> None:
    t, a, b = case
    if b == 0:
        return
    for div, mod in ((BinOp.DIV, BinOp.MOD), (BinOp.QUOT, BinOp.REM)):
        q, r = eval_bin(div, t, a, b), eval_bin(mod, t, a, b)
        assert normalise(q * b + r, t) == a
        assert abs(r) < abs(b)
        assert r == 0 or (r < 0) == ((b if mod is BinOp.MOD else a) < 0)
    assert eval_bin(BinOp.DIV, t, a, b) == normalise(math.floor(Fraction(a, b)), t)
    assert eval_bin(BinOp.QUOT, t, a, b) == normalise(math.trunc(Fraction(a, b)), t)


@pytest.mark.parametrize("t", SIGNED)
def test_least_integer_divided_by_minus_one_wraps(t: ScalarType) -> None:
    assert [eval_bin(o, t, t.min, -1) for o in (BinOp.DIV, BinOp.QUOT)] == [t.min, t.min]
    assert [eval_bin(o, t, t.min, -1) for o in (BinOp.MOD, BinOp.REM)] == [0, 0]
    assert eval_un(UnOp.NEG, t, t.min) == eval_un(UnOp.ABS, t, t.min) == t.min


@given(typed(*INTS, n=2))
def test_shifts(case: tuple[ScalarType, int, int]) -> None:
    t, a, n = case
    amount = n % t.bits
    assert eval_bin(BinOp.SHL, t, a, n) == normalise(a * 2**amount, t)
    assert eval_bin(BinOp.SHR, t, a, n) == math.floor(Fraction(a, 2**amount))


@given(typed(*INTS, n=2))
def test_mulhi_is_the_high_half(case: tuple[ScalarType, int, int]) -> None:
    t, a, b = case
    low = eval_bin(BinOp.MUL, t, a, b) % 2**t.bits
    assert eval_bin(BinOp.MULHI, t, a, b) * 2**t.bits + low == a * b


@given(typed(*INTS), st.integers(0, 200), st.integers(0, 200))
def test_power(case: tuple[ScalarType, int], m: int, n: int) -> None:
    t, a = case
    m, n = m % 64, n % 64  # their sum is an i8
    powers = [eval_bin(BinOp.POW, t, a, k) for k in (m, n, m + n)]
    assert eval_bin(BinOp.MUL, t, powers[0], powers[1]) == powers[2] == normalise(a ** (m + n), t)
    assert eval_bin(BinOp.POW, t, a, 0) == 1


@given(typed(*INTS))
def test_counting_bits(case: tuple[ScalarType, int]) -> None:
    t, a = case
    bits = format(a % 2**t.bits, f"0{t.bits}b")
    assert eval_un(UnOp.POPCOUNT, t, a) == bits.count("1")
    assert eval_un(UnOp.CLZ, t, a) == len(bits) - len(bits.lstrip("0"))
    assert eval_un(UnOp.CTZ, t, a) == len(bits) - len(bits.rstrip("0"))


# ------------------------------------------------------------------- floats

FLOAT_ORACLE: dict[BinOp, Any] = {
    BinOp.ADD: np.add,
    BinOp.SUB: np.subtract,
    BinOp.MUL: np.multiply,
    BinOp.DIV: np.divide,
    BinOp.MOD: np.mod,
    BinOp.REM: np.fmod,
    BinOp.COPYSIGN: lambda a, b: np.where(np.isnan(b), np.abs(a), np.copysign(a, b)),
    BinOp.NEXTAFTER: lambda a, b: np.where(a == b, b, np.nextafter(a, b)),
    BinOp.POW: np.power,
    BinOp.EQ: np.equal,
    BinOp.NE: np.not_equal,
    BinOp.LT: np.less,
    BinOp.LE: np.less_equal,
    BinOp.GT: np.greater,
    BinOp.GE: np.greater_equal,
    BinOp.ATAN2: np.arctan2,
    BinOp.HYPOT: np.hypot,
}
FLOAT_UN_ORACLE: dict[UnOp, Any] = {
    UnOp.NEG: np.negative,
    UnOp.ABS: np.abs,
    UnOp.SQRT: np.sqrt,
    UnOp.EXP: np.exp,
    UnOp.LOG: np.log,
    UnOp.LOG2: np.log2,
    UnOp.LOG10: np.log10,
    UnOp.SIN: np.sin,
    UnOp.COS: np.cos,
    UnOp.TAN: np.tan,
    UnOp.ASIN: np.arcsin,
    UnOp.ACOS: np.arccos,
    UnOp.ATAN: np.arctan,
    UnOp.SINH: np.sinh,
    UnOp.COSH: np.cosh,
    UnOp.TANH: np.tanh,
    UnOp.FLOOR: np.floor,
    UnOp.CEIL: np.ceil,
    UnOp.TRUNC: np.trunc,
    UnOp.ROUND: np.rint,
    UnOp.ISNAN: np.isnan,
    UnOp.ISINF: np.isinf,
    UnOp.CBRT: np.cbrt,
    UnOp.EXPM1: np.expm1,
    UnOp.LOG1P: np.log1p,
    UnOp.ASINH: np.arcsinh,
    UnOp.ACOSH: np.arccosh,
    UnOp.ATANH: np.arctanh,
    UnOp.TO_BITS: lambda a: np.where(np.isnan(a), a.dtype.type(NAN), a).view(
        f"uint{8 * a.itemsize}"
    ),
}
NOT_IN_NUMPY: dict[UnOp, Any] = {
    UnOp.ERF: mpmath.erf,
    UnOp.ERFC: mpmath.erfc,
    UnOp.GAMMA: mpmath.gamma,
    UnOp.LGAMMA: lambda x: mpmath.re(mpmath.loggamma(x)),
}


def ulps(op: BinOp | UnOp, t: ScalarType) -> int:
    """By how many units in the last place engines may differ."""
    return 0 if is_exact(op, t) else 8 if op in (UnOp.GAMMA, UnOp.LGAMMA) else 4


def ordinals(x: Array) -> Array:
    """Consecutive floats are consecutive integers (both zeros are 0)."""
    bits = x.view(f"int{8 * x.itemsize}").astype(np.int64)
    return np.where(bits < 0, -(bits & ((1 << 8 * x.itemsize - 1) - 1)), bits)


def check(
    got: list[Value],
    want: Array,
    ulps: int,
    names: Callable[[int], str],
    absolute: float = 0.0,
) -> None:
    """`got` is `want` to within `ulps`: NaN where it is NaN; with 0 ulps zeros have their sign.

    Or to within `absolute`, which is in ulps of 1.
    """
    have = np.array(got, want.dtype)
    if want.dtype.kind != "f":
        ok = have == want
    elif ulps == 0:
        unsigned = f"uint{8 * want.itemsize}"
        ok = (have.view(unsigned) == want.view(unsigned)) | np.isnan(have) & np.isnan(want)
    else:
        distance = ordinals(have) - ordinals(want)
        near = (np.abs(distance) <= ulps) & (np.signbit(have) == np.signbit(want))
        near |= (np.abs(ordinals(have)) <= ulps) & (np.abs(ordinals(want)) <= ulps)
        with np.errstate(all="ignore"):
            near |= np.abs(have - want) <= absolute * np.finfo(want.dtype).eps
        ok = np.where(np.isnan(want) | np.isnan(have), np.isnan(have) & np.isnan(want), near)
    if not ok.all():
        i = int(np.argmin(ok))
        pytest.fail(f"{names(i)} = {have[i]!r}, but numpy: {want[i]!r} ({(~ok).sum()} differ)")


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("op", FLOAT_ORACLE)
def test_float_pairs(op: BinOp, t: ScalarType) -> None:
    rng = np.random.default_rng(1)
    random = np.frombuffer(rng.bytes(4000 * t.bytes), dtype(t))
    near = (rng.standard_normal(4000) * 100).astype(dtype(t))
    grid = np.meshgrid(np.array(edges(t), dtype(t)), np.array(edges(t), dtype(t)))
    a = np.concatenate([grid[0].ravel(), random[:2000], near[:2000]])
    b = np.concatenate([grid[1].ravel(), random[2000:], near[2000:]])
    with np.errstate(all="ignore"):
        want = FLOAT_ORACLE[op](a, b)
    got = list(map(bin_fn(op, t), a.tolist(), b.tolist()))
    check(got, want, ulps(op, t), lambda i: f"{a[i]!r} {op} {b[i]!r}")


@pytest.mark.parametrize("t", sampled(FLOATS, 3, 1))
@pytest.mark.parametrize("op", FLOAT_UN_ORACLE)
def test_float_unary(op: UnOp, t: ScalarType) -> None:
    """f16: every value there is."""
    rng = np.random.default_rng(2)
    if t is F16:
        a = np.arange(65536, dtype=np.uint16).view(np.float16)
    else:
        near = (rng.standard_normal(4000) * 20).astype(dtype(t))
        random = np.frombuffer(rng.bytes(4000 * t.bytes), dtype(t))
        a = np.concatenate([np.array(edges(t), dtype(t)), random, near])
    with np.errstate(all="ignore"):
        want = FLOAT_UN_ORACLE[op](a)
    got = list(map(un_fn(op, t), a.tolist()))
    check(got, want, ulps(op, t), lambda i: f"{op} {a[i]!r}")


@pytest.mark.parametrize("t", sampled(FLOATS, 3, 2))
@pytest.mark.parametrize("op", NOT_IN_NUMPY)
def test_error_functions_and_gamma(op: UnOp, t: ScalarType) -> None:
    """Their values at poles and infinities are below, in C99."""
    rng = np.random.default_rng(6)
    some = np.concatenate([rng.standard_normal(300) * s for s in (20, 1, 1e-3)])
    a = [normalise(v, t) for v in [*some.tolist(), 1.0, 2.0, 10.0, 30.5, -0.5, -1.5]]
    a = [v for v in a if isinstance(v, float) and (v > 0 or v != math.floor(v))]
    with mpmath.workprec(200):
        want = np.array([normalise(float(NOT_IN_NUMPY[op](v)), t) for v in a], dtype(t))
    near = 8 if op is UnOp.LGAMMA else 0
    check(list(map(un_fn(op, t), a)), want, ulps(op, t), lambda i: f"{op} {a[i]!r}", near)


@pytest.mark.parametrize("t", FLOATS)
def test_bits_of_floats(t: ScalarType) -> None:
    to_bits, from_bits = un_fn(UnOp.TO_BITS, t), un_fn(UnOp.FROM_BITS, ScalarType(f"u{t.bits}"))
    for v in edges(t):
        assert same(from_bits(to_bits(v)), v)
        assert to_bits(v) == int.from_bytes(np.array(v, dtype(t)).tobytes(), "little")
    rng = np.random.default_rng(7)
    some = np.arange(65536) if t is F16 else np.frombuffer(rng.bytes(1000 * t.bytes), f"u{t.bytes}")
    values = some.astype(f"u{t.bytes}").view(dtype(t))
    for bits, v in zip(some.tolist(), values.tolist(), strict=True):
        assert same(from_bits(bits), float(v))
        if v == v:
            assert to_bits(from_bits(bits)) == bits


@pytest.mark.parametrize("t", FLOATS)
def test_next_after_counts_bits(t: ScalarType) -> None:
    """From zero up, and there is nothing between neighbours."""
    after, to_bits = bin_fn(BinOp.NEXTAFTER, t), un_fn(UnOp.TO_BITS, t)
    for v in edges(t):
        if isinstance(v, float) and 0 < v < INF:
            assert to_bits(after(v, INF)) == int(to_bits(v)) + 1
            assert to_bits(after(v, -INF)) == int(to_bits(v)) - 1
            assert same(after(-v, -INF), -float(after(v, INF)))


def test_every_float_operator_is_checked() -> None:
    binary = {op for op in BinOp if bin_result(op, F32)}
    assert binary == set(FLOAT_ORACLE) | {BinOp.MIN, BinOp.MAX}
    unary = {op for op in UnOp if un_result(op, F32)}
    assert unary == set(FLOAT_UN_ORACLE) | set(NOT_IN_NUMPY) | {UnOp.SGN}


@given(st.floats(width=32), st.floats(width=32))
def test_f32_is_rounded_once(a: float, b: float) -> None:
    with np.errstate(all="ignore"):
        for op in (BinOp.ADD, BinOp.SUB, BinOp.MUL, BinOp.DIV, BinOp.MOD, BinOp.REM):
            want = float(FLOAT_ORACLE[op](np.float32(a), np.float32(b)))
            assert same(eval_bin(op, F32, a, b), want)


@pytest.mark.parametrize("t", FLOATS)
def test_min_max(t: ScalarType) -> None:
    """IEEE 754-2019 minimumNumber and maximumNumber, hence commutative and associative."""

    def least(a: float, b: float, sign: int) -> float:
        known = [x for x in (a, b) if x == x]
        return min(known, key=lambda x: (sign * x, sign * math.copysign(1, x)), default=NAN)

    some = [0.0, -0.0, NAN, INF, -INF, 1.0, -1.0]
    for op, sign in ((BinOp.MIN, 1), (BinOp.MAX, -1)):
        fn = bin_fn(op, t)
        for a in edges(t):
            for b in edges(t):
                assert same(fn(a, b), least(float(a), float(b), sign)), (op, a, b)
        for a in some:
            for b in some:
                assert all(same(fn(fn(a, b), c), fn(a, fn(b, c))) for c in some)


C99: list[tuple[BinOp | UnOp, tuple[float, ...], float]] = [
    (BinOp.POW, (0.0, -1.0), INF),
    (BinOp.POW, (-0.0, -1.0), -INF),
    (BinOp.POW, (-0.0, -2.0), INF),
    (BinOp.POW, (-0.0, 3.0), -0.0),
    (BinOp.POW, (-0.0, -INF), INF),
    (BinOp.POW, (-1.0, INF), 1.0),
    (BinOp.POW, (1.0, NAN), 1.0),
    (BinOp.POW, (NAN, 0.0), 1.0),
    (BinOp.POW, (-8.0, 1 / 3), NAN),
    (BinOp.POW, (-INF, 3.0), -INF),
    (BinOp.POW, (-INF, -3.0), -0.0),
    (BinOp.POW, (-10.0, 999.0), -INF),
    (BinOp.POW, (-10.0, 998.0), INF),
    (BinOp.POW, (0.5, -INF), INF),
    (BinOp.ATAN2, (0.0, -0.0), math.pi),
    (BinOp.ATAN2, (-0.0, -0.0), -math.pi),
    (BinOp.ATAN2, (-0.0, 0.0), -0.0),
    (BinOp.ATAN2, (INF, -INF), 3 * math.pi / 4),
    (BinOp.HYPOT, (NAN, -INF), INF),
    (BinOp.DIV, (1.0, -0.0), -INF),
    (BinOp.DIV, (-0.0, 0.0), NAN),
    (BinOp.DIV, (NAN, 0.0), NAN),
    (BinOp.MOD, (-5.0, 3.0), 1.0),
    (BinOp.MOD, (5.0, -3.0), -1.0),
    (BinOp.MOD, (6.0, -3.0), -0.0),
    (BinOp.MOD, (-6.0, 3.0), 0.0),
    (BinOp.MOD, (5.0, INF), 5.0),
    (BinOp.MOD, (-5.0, INF), INF),
    (BinOp.MOD, (INF, 5.0), NAN),
    (BinOp.MOD, (5.0, 0.0), NAN),
    (BinOp.REM, (-5.0, 3.0), -2.0),
    (BinOp.REM, (5.0, -3.0), 2.0),
    (BinOp.REM, (-6.0, 3.0), -0.0),
    (BinOp.REM, (6.0, -3.0), 0.0),
    (BinOp.REM, (-5.0, INF), -5.0),
    (BinOp.REM, (INF, 5.0), NAN),
    (BinOp.REM, (5.0, 0.0), NAN),
    (BinOp.REM, (5.0, NAN), NAN),
    (BinOp.COPYSIGN, (5.0, -0.0), -5.0),
    (BinOp.COPYSIGN, (-INF, 1.0), INF),
    (BinOp.COPYSIGN, (-5.0, NAN), 5.0),
    (BinOp.COPYSIGN, (-5.0, -NAN), 5.0),
    (BinOp.NEXTAFTER, (0.0, -0.0), -0.0),
    (BinOp.NEXTAFTER, (-0.0, 0.0), 0.0),
    (BinOp.NEXTAFTER, (INF, INF), INF),
    (BinOp.NEXTAFTER, (NAN, 1.0), NAN),
    (BinOp.NEXTAFTER, (1.0, NAN), NAN),
    (UnOp.CBRT, (-INF,), -INF),
    (UnOp.CBRT, (-0.0,), -0.0),
    (UnOp.EXPM1, (-INF,), -1.0),
    (UnOp.EXPM1, (1e4,), INF),
    (UnOp.EXPM1, (-0.0,), -0.0),
    (UnOp.LOG1P, (-1.0,), -INF),
    (UnOp.LOG1P, (-2.0,), NAN),
    (UnOp.LOG1P, (-0.0,), -0.0),
    (UnOp.ASINH, (-INF,), -INF),
    (UnOp.ACOSH, (0.5,), NAN),
    (UnOp.ACOSH, (1.0,), 0.0),
    (UnOp.ATANH, (1.0,), INF),
    (UnOp.ATANH, (-1.0,), -INF),
    (UnOp.ATANH, (1.5,), NAN),
    (UnOp.ATANH, (-INF,), NAN),
    (UnOp.ERFC, (-INF,), 2.0),
    (UnOp.ERFC, (INF,), 0.0),
    (UnOp.GAMMA, (0.0,), INF),
    (UnOp.GAMMA, (-0.0,), -INF),
    (UnOp.GAMMA, (-3.0,), NAN),
    (UnOp.GAMMA, (-INF,), NAN),
    (UnOp.GAMMA, (INF,), INF),
    (UnOp.GAMMA, (5.0,), 24.0),
    (UnOp.GAMMA, (1e4,), INF),
    (UnOp.LGAMMA, (-0.0,), INF),
    (UnOp.LGAMMA, (-3.0,), INF),
    (UnOp.LGAMMA, (-INF,), INF),
    (UnOp.LGAMMA, (INF,), INF),
    (UnOp.LGAMMA, (NAN,), NAN),
    (UnOp.SQRT, (-1.0,), NAN),
    (UnOp.SQRT, (-0.0,), -0.0),
    (UnOp.LOG, (0.0,), -INF),
    (UnOp.LOG2, (-0.0,), -INF),
    (UnOp.LOG10, (-1.0,), NAN),
    (UnOp.EXP, (1e4,), INF),
    (UnOp.EXP, (-1e4,), 0.0),
    (UnOp.SINH, (-1e4,), -INF),
    (UnOp.COSH, (-1e4,), INF),
    (UnOp.SIN, (INF,), NAN),
    (UnOp.ASIN, (2.0,), NAN),
    (UnOp.ERF, (INF,), 1.0),
    (UnOp.ERF, (-0.0,), -0.0),
    (UnOp.ERF, (0.5,), 0.5204998778130465),
    (UnOp.SGN, (-0.0,), -0.0),
    (UnOp.SGN, (-INF,), -1.0),
    (UnOp.SGN, (NAN,), NAN),
    (UnOp.ROUND, (2.5,), 2.0),
    (UnOp.ROUND, (-0.5,), -0.0),
    (UnOp.CEIL, (-0.5,), -0.0),
    (UnOp.ABS, (-0.0,), 0.0),
]


@pytest.mark.parametrize("t", FLOATS)
def test_special_cases(t: ScalarType) -> None:
    for op, operands, want in C99:
        args = [normalise(v, t) for v in operands]
        if args != [*operands] and NAN not in operands and want != want:
            continue
        got = eval_bin(op, t, *args) if isinstance(op, BinOp) else eval_un(op, t, *args)
        assert same(got, normalise(want, t)), (op, operands)


# ------------------------------------------------------------------- conversions


def reference(v: Value, src: ScalarType, dst: ScalarType) -> Value:
    """Conversion by definition, in fractions."""
    if dst is BOOL:
        return bool(v != 0)
    if dst.is_int:
        if src.is_float:
            if v != v:
                return 0
            if math.isinf(v):
                return dst.max if v > 0 else dst.min
            return min(max(math.trunc(v), dst.min), dst.max)
        return (int(v) - dst.min) % (1 << dst.bits) + dst.min
    if src.is_float and (v == 0 or not math.isfinite(v)):
        return float(v)
    return nearest(Fraction(v), dst)


def nearest(q: Fraction, t: ScalarType) -> float:
    """`q` rounded to nearest even, by definition."""
    if q == 0:
        return 0.0
    digits, least = {16: (11, -24), 32: (24, -149), 64: (53, -1074)}[t.bits]
    power = 0
    while abs(q) / Fraction(2) ** power >= 2**digits:
        power += 1
    while abs(q) / Fraction(2) ** power < 2 ** (digits - 1) and power > least:
        power -= 1
    rounded = round(q / Fraction(2) ** power) * Fraction(2) ** power  # half to even
    top = float(np.finfo(dtype(t)).max)
    return math.copysign(float(rounded) if abs(rounded) <= top else INF, q)


@pytest.mark.parametrize("src", sampled(SCALARS, 3))
def test_conversions(src: ScalarType) -> None:
    for dst in SCALARS:
        some = edges(src)
        if src.is_int:  # ties and their neighbours at every precision
            ties = {s * ((1 << k) + (1 << k - p) + d) for k in range(25, 64) for p in (11, 24, 53)
                    if k >= p for d in (-1, 0, 1) for s in (1, -1)}  # fmt: skip
            some = some + sorted(v for v in ties if src.min <= v <= src.max)
        fn = convert_fn(src, dst)
        for v in some:
            assert same(fn(v), reference(v, src, dst)), (dst, v)
            assert is_value(fn(v), dst), (dst, v)


@given(typed(*FLOATS), st.sampled_from(FLOATS))
def test_float_to_float(case: tuple[ScalarType, float], dst: ScalarType) -> None:
    src, v = case
    assert same(convert(v, src, dst), reference(v, src, dst))
    if dst.bits >= src.bits:
        assert same(convert(convert(v, src, dst), dst, src), v)


@given(st.integers(-(2**70), 2**70), st.sampled_from(FLOATS))
def test_integers_are_rounded_once(v: int, t: ScalarType) -> None:
    assert same(normalise(v, t), nearest(Fraction(v), t))


def test_normalise() -> None:
    assert normalise(2**64 + 5, I64) == 5
    assert normalise(-1, U64) == 2**64 - 1
    assert normalise(2**31, I32) == -(2**31)
    assert same(normalise(10**400, F64), INF)
    assert same(normalise(-(10**400), F16), -INF)
    assert same(normalise(65520.0, F16), INF)
    assert same(normalise(1, F32), 1.0)
    assert normalise(True, I8) == 1
    assert type(normalise(True, I8)) is int
    assert normalise(0.5, BOOL) is True
    with pytest.raises(TypeError, match=r"0\.5 is not an integer, and i32 is an integer type"):
        normalise(0.5, I32)


def test_is_value() -> None:
    assert is_value(True, BOOL)
    assert not is_value(1, BOOL)
    assert not is_value(True, I32)
    assert not is_value(128, I8)
    assert not is_value(1, F32)
    assert not is_value(0.1, F32)
    assert is_value(0.1, F64)


# ------------------------------------------------------------------- memory and text


@given(typed(*SCALARS))
def test_pack_and_show_round_trip(case: tuple[ScalarType, Value]) -> None:
    t, v = case
    assert pack(v, t) == np.array(v if v == v else NAN, dtype(t)).tobytes()
    assert len(pack(v, t)) == t.bytes
    assert same(unpack(pack(v, t), t), v)
    value, kind = read(show(v, t))
    assert kind is t
    assert same(value, v)


def test_show() -> None:
    shown = [
        (5, I64, "5"),
        (-3, I64, "-3"),
        (5, I32, "5i32"),
        (-128, I8, "-128i8"),
        (255, U8, "255u8"),
        (True, BOOL, "true"),
        (1.5, F64, "1.5"),
        (1e300, F64, "1e300"),
        (2.0, F64, "2.0"),
        (-0.0, F64, "-0.0"),
        (normalise(0.1, F32), F32, "0.1f32"),
        (normalise(0.1, F16), F16, "0.1f16"),
        (normalise(1e30, F32), F32, "1e30f32"),
        (65504.0, F16, "65500.0f16"),
        (16777216.0, F32, "16777216.0f32"),
        (NAN, F32, "f32.nan"),
        (INF, F32, "f32.inf"),
        (-INF, F16, "-f16.inf"),
        (NAN, F64, "f64.nan"),
    ]
    assert [show(v, t) for v, t, _ in shown] == [text for _, _, text in shown]
    for v, t, text in shown:
        assert same(read(text)[0], v)
        assert read(text)[1] is t


def test_f16_reads_back() -> None:
    """A seventh of all; the step is odd, so that each bit is set and not set."""
    for bits in range(0, 65536, 7):
        v = unpack(struct.pack("<H", bits), F16)
        assert same(read(show(v, F16))[0], v)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_f32_digits_are_few(v: float) -> None:
    """No more than numpy's shortest."""

    def significant(text: str) -> int:
        return len(text.split("e")[0].replace(".", "").strip("-0"))

    ours = significant(show(v, F32).removesuffix("f32"))
    assert ours <= significant(np.format_float_scientific(np.float32(v))) or math.frexp(v)[0] == 0.5


def test_a_text_beside_the_middle_of_two_values() -> None:
    """7.038531e-26 lies below the middle of two values of f32 and its double is that middle, which
    goes to the upper one, whose last bit is 0: C, OpenCL and ``read`` make the lower one of it.
    """
    for bits in (0x15AE43FD, 0x15AE43FE, 0x95AE43FE):
        v = unpack(struct.pack("<I", bits), F32)
        digits = show(v, F32).removesuffix("f32")
        assert nearest(Fraction(digits), F32) == v
        assert same(read(digits + "f32")[0], v)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-1e6, max_value=1e6))
def test_decimals_are_rounded_once(d: Any) -> None:
    for t in (F16, F32):
        want = nearest(Fraction(d), t)
        assert float(read(f"{d:f}{t}")[0]) == want


def test_decimals_near_a_tie_are_rounded_once() -> None:
    """As a double these are exactly halfway between two f32 values, as decimals they are not."""
    tie = 1 + 2.0**-24
    digits = f"{Decimal(tie)}"
    above, below = digits + "1", digits[:-1] + "49"
    assert digits.endswith("5")
    assert float(above) == float(below) == tie
    assert read(digits + "f32") == (1.0, F32)
    assert read(above + "f32") == (1 + 2.0**-23, F32)
    assert read(below + "f32") == (1.0, F32)
    assert read("-" + above + "f32") == (-1 - 2.0**-23, F32)


@pytest.mark.parametrize(
    "text", ["", "x", "1f", "--1", "-true", "128i8", "-1u8", "f8.nan", "1e5i8"]
)
def test_not_a_literal(text: str) -> None:
    with pytest.raises(ValueError, match=r"literal|range"):
        read(text)


def test_read() -> None:
    assert [read(s) for s in ("5f32", "1e3", "1.f64", "true", "-128i8")] == [
        (5.0, F32),
        (1000.0, F64),
        (1.0, F64),
        (True, BOOL),
        (-128, I8),
    ]


def test_keys() -> None:
    assert bits_key(NAN, F32) == bits_key(-NAN, F32) == bits_key(INF - INF, F32)
    assert bits_key(0.0, F64) != bits_key(-0.0, F64)
    for t in SCALARS:
        keys = {bits_key(v, t) for v in edges(t)}
        assert len(keys) == len(edges(t))


def test_unsigned_compares_as_unsigned() -> None:
    for t in UNSIGNED:
        assert eval_bin(BinOp.GT, t, t.max, 0)
        assert eval_bin(BinOp.SHR, t, t.max, 1) == t.max // 2
