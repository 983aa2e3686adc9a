"""Values of scalar types: rounding, wrapping, conversions, memory images and literals.

Their meaning is documented in :mod:`funmem.ir.scalars`.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from functools import cache
from typing import cast

from funmem.ir.scalar_types import (
    BOOL,
    F32,
    F64,
    FLOATS,
    I64,
    INTS,
    SCALARS,
    ScalarType,
    Value,
)

# ─── rounding and wrapping ───────────────────────────────────────────────────────────────────────

_HALF, _SINGLE = struct.Struct("<e"), struct.Struct("<f")


def wrapper(t: ScalarType) -> Callable[[int], int]:
    """Return the function from integers to the value of `t` equal to them modulo 2^bits."""
    low, high, mask = t.min, t.max, (1 << t.bits) - 1

    def wrap(v: int) -> int:
        return v if low <= v <= high else ((v - low) & mask) + low

    return wrap


def rounder(t: ScalarType) -> Callable[[float], float]:
    """Return the function from doubles to the nearest value of `t`, ties to even."""
    if t is F64:
        return lambda v: v
    memory = _SINGLE if t is F32 else _HALF
    pack, unpack = memory.pack, memory.unpack

    def round_(v: float) -> float:
        try:
            return unpack(pack(v))[0]  # type: ignore[no-any-return]
        except OverflowError:
            return math.copysign(math.inf, v)

    return round_


def _int_to_float(t: ScalarType) -> Callable[[int], float]:
    """Return the function from integers to the nearest value of `t`, ties to even."""
    round_ = rounder(t)

    def from_int(v: int) -> float:
        if -(1 << 53) <= v <= 1 << 53:
            return round_(float(v))
        if t is not F64:  # drop low bits but keep a sticky bit, so that a tie stays a tie
            shift = v.bit_length() - 53
            v = (v >> shift | (v & ((1 << shift) - 1) != 0)) << shift
        try:
            return round_(float(v))
        except OverflowError:
            return math.inf if v > 0 else -math.inf

    return from_int


# ─── conversions ─────────────────────────────────────────────────────────────────────────────────


def _identity(v: Value) -> Value:
    return v


def _float_to_int(dst: ScalarType) -> Callable[[float], int]:
    low, high = dst.min, dst.max

    def saturate(v: float) -> int:
        if v != v:
            return 0
        if v <= low:
            return low
        return high if v >= high else int(v)

    return saturate


@cache
def convert_fn(src: ScalarType, dst: ScalarType) -> Callable[[Value], Value]:
    """Return the conversion from `src` to `dst`, to be called repeatedly."""
    return cast(Callable[[Value], Value], _make_convert(src, dst))


def _make_convert(src: ScalarType, dst: ScalarType) -> Callable[..., Value]:
    match src, dst:
        case _ if src is dst:
            return _identity
        case _, ScalarType.BOOL:
            return bool
        case ScalarType.BOOL, _:
            return float if dst.is_float else int
        case _ if src.is_int and dst.is_int:
            return wrapper(dst)
        case _ if src.is_int:
            return _int_to_float(dst)
        case _ if dst.is_int:
            return _float_to_int(dst)
        case _:
            return _identity if dst.bits > src.bits else rounder(dst)


def convert(v: Value, src: ScalarType, dst: ScalarType) -> Value:
    """Return the value `v` of type `src` as a value of type `dst`."""
    return convert_fn(src, dst)(v)


_NORMALISE_INT = {t: wrapper(t) for t in INTS} | {t: _int_to_float(t) for t in FLOATS}
_NORMALISE_FLOAT = {t: rounder(t) for t in FLOATS}


def normalise(v: Value, t: ScalarType) -> Value:
    """Return a Python number as a value of `t`: ints wrap, floats round, bool is ``v != 0``.

    Raise TypeError for a float if `t` is an integer type: `convert` defines how to round it.
    """
    if t is BOOL:
        return bool(v)
    if not isinstance(v, float):
        return _NORMALISE_INT[t](int(v))
    if t.is_int:
        raise TypeError(f"{v!r} is not an integer, and {t} is an integer type")
    return _NORMALISE_FLOAT[t](v)


def is_value(v: object, t: ScalarType) -> bool:
    """True if `v` is a value of type `t`: of the right Python class, in range, rounded."""
    if t is BOOL:
        return type(v) is bool
    if t.is_int:
        return type(v) is int and t.min <= v <= t.max
    return type(v) is float and (v != v or _NORMALISE_FLOAT[t](v) == v)


# ─── memory and text ─────────────────────────────────────────────────────────────────────────────

_MEMORY = {t: struct.Struct("<" + code) for t, code in zip(SCALARS, "?bhiqBHIQefd", strict=True)}


def pack(v: Value, t: ScalarType) -> bytes:
    """Return the little-endian memory image of `t.bytes` bytes.  All NaNs have the same image."""
    return _MEMORY[t].pack(v if v == v else math.nan)


def unpack(b: bytes, t: ScalarType) -> Value:
    """Return the value whose memory image is `b`; any non-zero byte is true."""
    return cast(Value, _MEMORY[t].unpack(b)[0])


def bits_key(v: Value, t: ScalarType) -> bytes:
    """Return a key, equal exactly for equal bits: NaNs are all equal, -0.0 and 0.0 differ."""
    return pack(v, t)


def exact(v: Value) -> Value | bytes:
    """Return a key, so that constants are equal if their bits are: -0.0 differs from 0.0."""
    if isinstance(v, float):
        return b"nan" if v != v else struct.pack("<d", v)
    return v


def show(v: Value, t: ScalarType) -> str:
    """Return the literal of `v`, with the fewest digits that `read` turns into `v`."""
    if t is BOOL:
        return "true" if v else "false"
    suffix = "" if t in (I64, F64) else t.value
    if t.is_int:
        return f"{v}{suffix}"
    if v != v:
        return f"{t}.nan"
    if math.isinf(v):
        return f"-{t}.inf" if v < 0 else f"{t}.inf"
    return _shortest(float(v), t).replace("e+", "e") + suffix


def _shortest(v: float, t: ScalarType) -> str:
    """Return the fewest digits that a reader rounds to `v`.

    A reader rounds the digits once.  If the nearest double is the middle between two values of `t`,
    the double and the digits may round to different ones.
    """
    round_ = _NORMALISE_FLOAT[t]
    for digits in range(1, 17):
        near = float(f"{v:.{digits}g}")
        if round_(near) == v and _read_float(repr(near), t) == v:
            return repr(near)
    return repr(v)


_LITERAL = re.compile(
    r"(?P<sign>-?)(?:(?P<int>\d+)(?P<it>[iu](?:8|16|32|64))?"
    r"|(?P<float>\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?P<ft>f(?:16|32|64))?"
    r"|(?P<st>f(?:16|32|64))\.(?P<special>nan|inf)"
    r"|(?P<bool>true|false))"
)


def read(text: str) -> tuple[Value, ScalarType]:
    """Return the value and type of a literal, the inverse of `show`.

    It also accepts `5f32`.  A float literal is rounded once from its decimal digits.  Raise
    ValueError for text that is not a literal and for an integer out of its type's range.
    """
    m = _LITERAL.fullmatch(text)
    if m is None or (m["bool"] and m["sign"]):
        raise ValueError(f"{text!r} is not a scalar literal")
    if m["bool"]:
        return m["bool"] == "true", BOOL
    if m["int"]:
        t = ScalarType(m["it"] or "i64")
        value = int(m["sign"] + m["int"])
        if not t.min <= value <= t.max:
            raise ValueError(f"{text} is out of range: {t} is {t.min} to {t.max}")
        return value, t
    if m["special"]:
        return float(m["sign"] + m["special"]), ScalarType(m["st"])
    t = ScalarType(m["ft"] or "f64")
    return _read_float(m["sign"] + m["float"], t), t


def _read_float(digits: str, t: ScalarType) -> float:
    round_, nearest = _NORMALISE_FLOAT[t], float(digits)
    below, above = math.nextafter(nearest, -math.inf), math.nextafter(nearest, math.inf)
    if t is F64 or round_(below) == round_(above):
        return round_(nearest)
    from fractions import Fraction  # rare, and slow to import

    if math.isinf(nearest):
        return nearest
    error = Fraction(digits) - Fraction(nearest)
    return round_(nearest if error == 0 else above if error > 0 else below)
