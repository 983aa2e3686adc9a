"""Patterns."""

from typing import TYPE_CHECKING, TypeAlias

from funmem.frontends.futhark.ast.nodes import Node
from funmem.frontends.futhark.ast.type_exps import TypeExp
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen

if TYPE_CHECKING:
    from funmem.frontends.futhark.ast.expressions import Exp


@frozen(eq=False)
class PVar(Node):
    """``x``."""

    name: str
    at: Span


@frozen(eq=False)
class PWild(Node):
    """``_``."""

    at: Span


@frozen(eq=False)
class PTuple(Node):
    """``(p, p, …)``; ``()`` has no elements."""

    elems: "tuple[Pattern, ...]"
    at: Span


@frozen(eq=False)
class PRecord(Node):
    """``{l = p, …}``; ``{l}`` is ``{l = l}``."""

    fields: "tuple[tuple[str, Pattern], ...]"
    at: Span


@frozen(eq=False)
class PConstr(Node):
    """``#c p …``."""

    name: str
    args: "tuple[Pattern, ...]"
    at: Span


@frozen(eq=False)
class PLit(Node):
    """A literal, allowed only in ``match``; a negative number is a ``PLit`` of a ``Neg``."""

    value: "Exp"
    at: Span


@frozen(eq=False)
class PAscript(Node):
    """``p : te``."""

    pat: "Pattern"
    type: TypeExp
    at: Span


Pattern: TypeAlias = PVar | PWild | PTuple | PRecord | PConstr | PLit | PAscript
