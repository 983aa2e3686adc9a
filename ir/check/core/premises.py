"""Premises of the rules of Core that concern types alone: each returns a type or raises."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, show, well_formed
from funmem.ir.check.rules import many, require
from funmem.ir.core import Type
from funmem.ir.core_traverse import unsized
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BinOp, ScalarType, UnOp


def same(found: Type, want: Type, rule: str, what: str, at: Span) -> None:
    """Require that two types are equal up to sizes; ``what`` is the subject of the message."""
    if found != want:
        require(False, at, rule, "{} is {}, but should be {}", what, show(found), show(want))


def binder_types(g: Gamma, binders: Sequence[c.Binder], at: Span) -> list[Type]:
    """Γ ⊢ p …: check the binders' types; return them without sizes."""
    for b in binders:
        well_formed(g, b.type, at)
    return [unsized(b.type) for b in binders]


def group(types: Sequence[Type]) -> Type:
    """Return the type of several results: the only one, or a tuple of them."""
    return types[0] if len(types) == 1 else c.tuple_type(*types)


def takes_apart(found: Type, types: Sequence[Type], rule: str, at: Span) -> None:
    """Require that a value fits its binders: one name, or one name for each field of a record."""
    if len(types) == 1:
        same(found, types[0], rule, "the bound value", at)
        return
    parts = [t for _, t in found.fields] if isinstance(found, c.Record) else None
    if parts != list(types):
        want = f"a record of ({', '.join(map(show, types))})"
        require(False, at, rule, "the bound value is {}, but should be {}", show(found), want)


def defined(
    t: ScalarType | None, op: BinOp | UnOp, operand: ScalarType, rule: str, at: Span
) -> ScalarType:
    """Return t, the type of an operator's result; None: the operator has no such operand."""
    if t is None:
        require(False, at, rule, "{} is not defined on {}", op, operand)
        return operand
    return t


def below(t: Type, rank: int, rule: str, at: Span) -> Type:
    """Return the type of the elements below ``rank`` outermost dimensions, which t must have."""
    whole = t
    for _ in range(rank):
        if not isinstance(t, c.Array):
            require(False, at, rule, "{} has fewer than {}", show(whole), many(rank, "dimension"))
            return t
        t = t.elem
    return t


def over(t: Type, rank: int) -> Type:
    """Return the type of an array of ``rank`` dimensions whose elements are t."""
    for _ in range(rank):
        t = c.Array(t)
    return t


def operator(types: Sequence[Type]) -> Type:
    """Return the type of an operator: parameters are accumulators, then elements."""
    return c.arrow([*types, *types], group(types))


def known_element(t: Type, at: Span) -> None:
    """Require that a type of elements of ``scratch`` states all sizes."""
    match t:
        case c.Array(elem, size):
            require(size is not None, at, "C-SCRATCH", "the elements have an unknown size")
            known_element(elem, at)
        case c.Record(fields):
            for _, u in fields:
                known_element(u, at)
        case c.Arrow():
            require(False, at, "C-SCRATCH", "the elements are functions")
        case c.TypeVar():  # perhaps arrays
            require(False, at, "C-SCRATCH", "the elements have an unknown type")
        case c.Token():
            require(False, at, "C-SCRATCH", "the elements are tokens")
        case ScalarType() | c.Sum() | c.Data():
            pass
