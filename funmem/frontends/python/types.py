"""Types in Python: ``fm.f32``, annotations ``fm.f32["n", 3]``, and numpy's rules of promotion.

    fm.f32(x)             converts
    fm.f32["n", "2*n"]    the type of an array; sizes are polynomials, integers or type variables

Promotion is numpy's (NEP 50): it is asked for the loop of each ufunc.  A Python number is *weak*:
it takes the type of the other operand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Symbol, active
from funmem.ir.diagnostics import SourceError
from funmem.ir.names import IDENTIFIER, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, F64, I64, SCALARS, ScalarType, Value, convert, is_value
from funmem.ir.sizes import Size, const, var
from funmem.ir.values import dtype, elem_type

Kind: TypeAlias = "tuple[ScalarType, bool]"
"""The type of an operand, and whether it is weak."""


@frozen
class ArrayAnnotation:
    """``fm.f32["n", 3]``: the element type and the sizes; without sizes a scalar."""

    elem: ScalarType
    sizes: tuple[Size, ...] = ()

    def __str__(self) -> str:
        return show(self.elem, self.sizes)


class DType:
    """A scalar type: ``fm.f32(x)`` converts, ``fm.f32["n"]`` is the type of an array."""

    def __init__(self, t: ScalarType) -> None:
        self.type = t
        self.dtype = dtype(t)

    def __call__(self, x: Any = 0) -> Any:
        """Return ``x`` converted to this type: a traced value, or what numpy makes of it.

        Raises OverflowError for a Python integer out of range, in a trace SourceError.
        """
        if isinstance(x, Symbol):
            return x.tape.symbol.astype(x, self)  # type: ignore[attr-defined]
        tape = active()
        if tape is not None and isinstance(x, np.ndarray):
            return tape.symbol.astype(tape.lift(x), self)  # type: ignore[attr-defined]
        if isinstance(x, int) and not isinstance(x, bool) and self.type.is_int:
            if tape is not None:
                constant(x, self.type)
            return self.dtype.type(x)
        converted = np.asarray(x).astype(self.dtype)
        return converted[()] if converted.ndim == 0 else converted

    def __getitem__(self, sizes: Any) -> ArrayAnnotation:
        return annotation(self.type, sizes)

    def __repr__(self) -> str:
        return f"funmem.{self.type}{'_' if self.type is BOOL else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _dtype, (str(self.type),)


def _dtype(name: str) -> DType:
    return DTYPES[name]


DTYPES = {str(t): DType(t) for t in SCALARS}
bool_, f16, f32, f64 = (DTYPES[x] for x in ("bool", "f16", "f32", "f64"))
i8, i16, i32, i64 = (DTYPES[x] for x in ("i8", "i16", "i32", "i64"))
u8, u16, u32, u64 = (DTYPES[x] for x in ("u8", "u16", "u32", "u64"))


def scalar_type(x: Any) -> ScalarType:
    """Return the scalar type that a dtype of funmem's or numpy's names, or a Python type."""
    if isinstance(x, DType):
        return x.type
    if isinstance(x, ScalarType):
        return x
    if x is float or x is int or x is bool:
        return {float: F64, int: I64, bool: BOOL}[x]
    try:
        found = elem_type(np.dtype(x))
    except TypeError:
        found = None
    if found is None:
        raise wrong(Code.TYPE, f"{x!r} is not a scalar type", "write fm.f32, fm.i64, …")
    return found


# ---------------------------------------------------------------------- annotations


def annotation(t: ScalarType, sizes: Any) -> ArrayAnnotation:
    """Return the type of an array of these sizes."""
    given = sizes if isinstance(sizes, tuple) else (sizes,)
    return ArrayAnnotation(t, tuple(size_of(x) for x in given))


def size_of(x: Any) -> Size:
    """Return a size of an annotation: an integer, a polynomial as text, a type variable."""
    if isinstance(x, Size):
        return x
    if isinstance(x, int) and not isinstance(x, bool):
        if x < 0:
            raise wrong(Code.TYPE, f"the size {x} is negative")
        return const(x)
    if isinstance(x, str):
        return parse_size(x)
    name = getattr(x, "__name__", None)
    if type(x).__name__ == "TypeVar" and isinstance(name, str):
        return var(Name(name))
    raise wrong(Code.TYPE, f"{x!r} is not a size", 'write fm.f32["n", "2*n", 3]')


_SIZE_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*()]))")


def parse_size(text: str) -> Size:
    """Return the polynomial that a text spells, such as ``2*n + 1``."""
    tokens: list[str] = []
    pos = 0
    while pos < len(text.rstrip()):
        m = _SIZE_TOKEN.match(text, pos)
        if m is None:
            raise _bad_size(text)
        tokens.append(m[0].strip())
        pos = m.end()
    parser = _Sizes(text, tokens)
    found = parser.sum()
    if parser.left:
        raise _bad_size(text)
    return found


class _Sizes:
    """Recursive descent over sums, products and parentheses."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text, self.left = text, tokens[::-1]

    def peek(self) -> str:
        return self.left[-1] if self.left else ""

    def sum(self) -> Size:
        total = self.product()
        while self.peek() in ("+", "-"):
            sign = self.left.pop()
            other = self.product()
            total = total + other if sign == "+" else total - other
        return total

    def product(self) -> Size:
        total = self.factor()
        while self.peek() == "*":
            self.left.pop()
            total = total * self.factor()
        return total

    def factor(self) -> Size:
        if not self.left:
            raise _bad_size(self.text)
        token = self.left.pop()
        if token.isdigit():
            return const(int(token))
        if IDENTIFIER.fullmatch(token):
            return var(Name(token))
        if token == "-":
            return -self.factor()
        if token != "(":
            raise _bad_size(self.text)
        inner = self.sum()
        if not self.left or self.left.pop() != ")":
            raise _bad_size(self.text)
        return inner


def _bad_size(text: str) -> SourceError:
    hint = "a size is a polynomial over names, such as `n`, `2*n` or `n*m + 1`"
    return wrong(Code.TYPE, f"`{text}` is not a size", hint)


def show(elem: ScalarType, dims: Iterable[Size | str | None]) -> str:
    """Return a type as Python writes it: ``f32[n, 3]``; an unknown size is ``?``."""
    sizes = ["?" if d is None else str(d) for d in dims]
    return f"{elem}[{', '.join(sizes)}]" if sizes else str(elem)


# ---------------------------------------------------------------------- promotion


_WEAK = {BOOL: np.dtype(bool), I64: int, F64: float}
"""The Python type that stands for a weak operand when numpy promotes types."""


def kind_of(x: Any) -> Kind | None:
    """Return the type of an operand that is no array; None if it is no number."""
    if type(x) is float:
        return F64, True
    match x:
        case Symbol():
            return x.type, x.weak
        case bool():
            return BOOL, True
        case np.generic():
            found = elem_type(x.dtype)
            return None if found is None else (found, False)
        case int():
            return I64, True
        case float():
            return F64, True
        case _:
            return None


@lru_cache(maxsize=1 << 12)
def loop_of(f: np.ufunc, kinds: tuple[Kind, ...]) -> tuple[ScalarType, ...] | None:
    """Return the types of numpy's loop for operands: inputs, then outputs; None if there is none.

    Weak operands give way to the others; where all are weak, they are i64 and f64.
    """
    every = all(weak for _, weak in kinds)
    given: list[Any] = [_WEAK[t] if weak and not every else dtype(t) for t, weak in kinds]
    try:
        found = f.resolve_dtypes((*given, *[None] * f.nout))
    except TypeError:
        return None
    types = [elem_type(d) for d in found]
    return None if any(t is None for t in types) else tuple(t for t in types if t is not None)


@lru_cache(maxsize=1 << 10)
def promoted(kinds: tuple[Kind, ...]) -> Kind:
    """Return the common type of values: weak only if all of them are."""
    if all(weak for _, weak in kinds):
        types = [t for t, _ in kinds]
        return (F64 if F64 in types else I64 if I64 in types else BOOL), True
    samples: list[Any] = [
        {BOOL: False, I64: 1, F64: 1.0}[t] if weak else dtype(t) for t, weak in kinds
    ]
    found = elem_type(np.result_type(*samples))
    if found is None:
        names = ", ".join(str(t) for t, _ in kinds)
        raise wrong(Code.TYPE, f"there is no common type of {names}")
    return found, False


def constant(x: Any, t: ScalarType) -> Value:
    """Return a number as a value of a type.  Raises SourceError if it is out of range."""
    if isinstance(x, np.generic):
        x = x.item()
    if t.is_int and isinstance(x, int) and not isinstance(x, bool):
        if not is_value(x, t):
            raise wrong(Code.TYPE, f"the number {x} is out of range for {t}")
        return x
    source = BOOL if isinstance(x, bool) else I64 if isinstance(x, int) else F64
    if source is I64:
        x, source = float(x), F64
    return convert(x, source, t)
