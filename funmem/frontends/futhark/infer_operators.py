"""The overloaded operators, and the types on which each is defined."""

from enum import Enum

from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.inference.types import Arrow, Type
from funmem.frontends.inference.unify import Because
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, FLOATS, INTS, NUMBERS, SCALARS, SIGNED, U8, U16, U32

NUMBER_SET = frozenset(NUMBERS)
INT_SET = frozenset(INTS)
SIGNED_SET = frozenset(SIGNED)
RANGE_SET = frozenset((*SIGNED, U8, U16, U32))
"""The element types of ranges; a u64 range could be too long."""
FLOAT_SET = frozenset(FLOATS)
SCALAR_SET = frozenset(SCALARS)
NEGATABLE = frozenset((BOOL, *INTS))
"""The operand types of ``!``."""


class Family(Enum):
    """Operators that share a type rule; the value is the rule."""

    NUMBER = "t -> t -> t for every number type t"
    INT = "t -> t -> t for every integer type t"
    ORDER = "t -> t -> bool for every scalar type t"
    EQUAL = "t -> t -> bool for every type t without functions"
    LOGIC = "bool -> bool -> bool"


OVERLOADED: dict[str, Family] = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "**"), Family.NUMBER),
    **dict.fromkeys(("//", "%%", "&", "|", "^", "<<", ">>", ">>>"), Family.INT),
    **dict.fromkeys(("<", "<=", ">", ">="), Family.ORDER),
    **dict.fromkeys(("==", "!="), Family.EQUAL),
    **dict.fromkeys(("&&", "||"), Family.LOGIC),
}


SHORT_CIRCUIT = frozenset(op for op, family in OVERLOADED.items() if family is Family.LOGIC)
"""Operators that may leave their right operand unevaluated."""


def overloaded(cx: TypeContext, op: str, at: Span) -> Type:
    """Return the type of an overloaded operator at one use."""
    what = f"an operand of `{op}`"
    operand: Type
    match OVERLOADED[op]:
        case Family.NUMBER:
            operand = cx.solver.one_of(NUMBER_SET, what, at)
            return Arrow(operand, Arrow(operand, operand))
        case Family.INT:
            operand = cx.solver.one_of(INT_SET, what, at)
            return Arrow(operand, Arrow(operand, operand))
        case Family.ORDER:
            operand = cx.solver.one_of(SCALAR_SET, what, at)
        case Family.EQUAL:
            operand = cx.solver.fresh(at)
            cx.solver.demand_equal(operand, Because(f"`{op}` at {at.line}:{at.col}", at))
        case Family.LOGIC:
            operand = BOOL
    return Arrow(operand, Arrow(operand, BOOL))
