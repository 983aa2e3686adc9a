"""Parts of calls that all back ends share: expressions, conditions and traps of the host.

``host_code`` and ``c_host`` print the steps of a plan; this module says what their parts mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from funmem.codegen.plan import CheckInfo, Condition, Test
from funmem.codegen.scalars_cl import from_word
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.imp import (
    Injective,
    InRange,
    NonNegative,
    Port,
    RangeInside,
    Shown,
    SizesEqual,
)
from funmem.ir.imp_traverse import argument_names
from funmem.ir.injective import injective
from funmem.ir.messages import fill, show_value
from funmem.ir.names import Name
from funmem.ir.scalars import I64, OperatorTrap, Value
from funmem.ir.sizes import Size
from funmem.ir.values import ArrayValue
from funmem.ir.values import Value as AnyValue

if TYPE_CHECKING:  # the C back end must not import pyopencl
    from funmem.codegen.buffers import Buffer


def array_argument(p: Port, v: AnyValue) -> ArrayValue:
    """Return the argument of an array parameter.  Raises Stuck if it is not an array."""
    if not isinstance(v, ArrayValue):
        raise Stuck(f"`{v}` was bound to {p}")
    return v


def scalar_argument(p: Port, v: AnyValue) -> Value:
    """Return the argument of a scalar parameter.  Raises Stuck if it is not a scalar."""
    if isinstance(v, ArrayValue):
        raise Stuck(f"`{v}` was bound to {p}")
    return v


# ---------------------------------------------------------------------- conditions


def condition_names(c: Condition) -> frozenset[Name]:
    """Return the variables of a condition over sizes; the empty set for a ``Test``."""
    match c:
        case InRange(a, b) | SizesEqual(a, b):
            return a.free() | b.free()
        case Injective(dims):
            return frozenset().union(*(d.len.free() | d.stride.free() for d in dims))
        case RangeInside(start, length, stride, n):
            return start.free() | length.free() | stride.free() | n.free()
        case NonNegative(d):
            return d.free()
        case Test():
            return frozenset()


def holds(c: Condition, value: Callable[[Name], int]) -> bool:
    """True if a condition over sizes holds in exact integers; False for a ``Test``."""
    match c:
        case InRange(i, n):
            return 0 <= i.eval(value) < n.eval(value)
        case RangeInside(start, length, stride, n):
            return inside(*(d.eval(value) for d in (start, length, stride, n)))
        case Injective(dims):
            lens, strides = ([d.len for d in dims], [d.stride for d in dims])
            return injective([n.eval(value) for n in lens], [s.eval(value) for s in strides])
        case NonNegative(d):
            return d.eval(value) >= 0
        case SizesEqual(a, b):
            return a.eval(value) == b.eval(value)
        case Test():
            return False


def inside(start: int, length: int, stride: int, n: int) -> bool:
    """True if a slice stays inside a dimension of ``n`` indices (``RangeInside``)."""
    last = start + (length - 1) * stride
    return length == 0 or (length > 0 and 0 <= start < n and 0 <= last < n)


def reported(check: CheckInfo, words: Sequence[int]) -> dict[Name, Value]:
    """Return the values of a check's variables from the words that a device stored."""
    types = {a.x: a.type for a in check.args if isinstance(a, Shown)}
    stored = zip(check.stored, words, strict=False)
    return {x: from_word(types.get(x, I64), word) for x, word in stored}


def trap(check: CheckInfo, values: Mapping[Name, Value]) -> Trap:
    """Return the trap of a failed check, given the values of its variables.

    If a condition over sizes holds in exact integers, it failed on the device because a product did
    not fit 64 bits.  The trap then reports overflow: sizes of existing arrays are never that large.
    """
    known = condition_names(check.cond) <= values.keys()
    if not isinstance(check.cond, Test) and known and holds(check.cond, lambda x: int(values[x])):
        message = "Sizes in this check do not fit 64 bits on the device."
        return Trap(TrapKind.OVERFLOW, message, check.at)
    shown = [_shown(a, values) for a in check.args]
    return Trap(check.kind, fill(check.message, shown), check.at)


def _shown(a: Size | Shown, values: Mapping[Name, Value]) -> str:
    """Return the text for a hole of a message; ``?`` if a value did not fit the status buffer."""
    if not argument_names((a,)) <= values.keys():
        return "?"
    if isinstance(a, Shown):
        return show_value(values[a.x], a.type)
    return str(a.eval(lambda x: int(values[x])))


def operator_trap(stop: OperatorTrap, at: Span, sync: Callable[[], None]) -> Trap:
    """Return the trap of an undefined operation; ``sync`` raises an earlier one of the device."""
    sync()
    return Trap(TrapKind(stop.kind.value), stop.kind.value, at)


def all_names(check: CheckInfo) -> frozenset[Name]:
    """Return the variables of a check's condition and message."""
    return condition_names(check.cond) | argument_names(check.args)


def held(buffer: Buffer | None, x: Name) -> Buffer:
    """Return the buffer of block variable ``x``.  Raises Stuck if it has none."""
    if buffer is None:
        raise Stuck(f"block `{x}` is used before it is allocated")
    return buffer
