"""Bindings and checks around an expression, and constants."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I32, I64, U8

Wrap: TypeAlias = Callable[[Exp], Exp]
"""A binding or check that puts itself around the rest."""


def wrapped(wraps: Iterable[Wrap], e: Exp) -> Exp:
    """Return an expression inside the wraps, the first one outermost."""
    for wrap in reversed(list(wraps)):
        e = wrap(e)
    return e


def let(binders: tuple[c.Binder, ...], exp: Exp, at: Span) -> Wrap:
    """Return the binding of an expression, or of the fields of a record."""
    return lambda rest: c.Let(binders, exp, rest, at)


def require(cond: Exp, message: str, at: Span) -> Wrap:
    """Return the check of a condition; the message has no values."""
    text = message.replace("{", "{{").replace("}", "}}")
    return lambda rest: c.Assert(cond, text, (), rest, at)


def is_atom(e: Exp) -> bool:
    """True for a name or a constant."""
    return isinstance(e, c.Var | c.Const)


def i64(n: int, at: Span) -> c.Const:
    """Return a constant."""
    return c.Const(n, I64, at)


def i32(n: int, at: Span) -> c.Const:
    """Return a constant."""
    return c.Const(n, I32, at)


def unit(at: Span) -> Exp:
    """Return the value without parts."""
    return c.Fields((), at)


def text(value: bytes, at: Span) -> Exp:
    """Return a text, the array of its bytes."""
    return c.ArrayLit(tuple(c.Const(b, U8, at) for b in value), U8, at)


def grouped(parts: list[Exp], at: Span) -> Exp:
    """Return one value as it is, and several as a tuple."""
    return parts[0] if len(parts) == 1 else c.tuple_exp(*parts, at=at)


def group_type(parts: list[c.Type]) -> c.Type:
    """Return the type of several values."""
    return parts[0] if len(parts) == 1 else c.tuple_type(*parts)
