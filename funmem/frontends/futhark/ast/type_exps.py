"""Type expressions and type parameters."""

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from funmem.frontends.futhark.ast.nodes import Node, QualName
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen

if TYPE_CHECKING:
    from funmem.frontends.futhark.ast.expressions import Exp


@frozen(eq=False)
class TEName(Node):
    """``i32``, ``point``, ``m.t``; the type parameter ``'a`` is used as ``a``."""

    name: QualName
    at: Span


@frozen(eq=False)
class TEApply(Node):
    """``t [n] i32``: a parametric abbreviation applied to one argument, a size or a type."""

    fn: "TypeExp"
    arg: "TypeExp | TESize"
    at: Span


@frozen(eq=False)
class TESize(Node):
    """``[e]``, or ``[]`` (``size`` None), as an argument of a type constructor."""

    size: "Exp | None"
    at: Span


@frozen(eq=False)
class TEArray(Node):
    """``[e]te``, or ``[]te`` (``size`` None), an array of any size."""

    size: "Exp | None"
    elem: "TypeExp"
    at: Span


@frozen(eq=False)
class TETuple(Node):
    """``(te, te, …)``; ``()`` has no elements."""

    elems: "tuple[TypeExp, ...]"
    at: Span


@frozen(eq=False)
class TERecord(Node):
    """``{l: te, …}``, in the order written."""

    fields: "tuple[tuple[str, TypeExp], ...]"
    at: Span


@frozen(eq=False)
class TESum(Node):
    """``#c te … | #d …``."""

    constructors: "tuple[tuple[str, tuple[TypeExp, ...]], ...]"
    at: Span


@frozen(eq=False)
class TEArrow(Node):
    """``te -> te``, or ``(x: te) -> te`` where sizes of the result may mention ``x``."""

    name: str | None
    param: "TypeExp"
    result: "TypeExp"
    at: Span


@frozen(eq=False)
class TEUnique(Node):
    """``*te``."""

    elem: "TypeExp"
    at: Span


@frozen(eq=False)
class TEExists(Node):
    """``?[n][m].te``."""

    dims: tuple[str, ...]
    elem: "TypeExp"
    at: Span


TypeExp: TypeAlias = (
    TEName | TEApply | TEArray | TETuple | TERecord | TESum | TEArrow | TEUnique | TEExists
)


class ParamKind(Enum):
    """The kind of a type parameter; the value is its prefix in the source."""

    SIZE = "[]"
    TYPE = "'"
    SIZE_LIFTED = "'~"
    LIFTED = "'^"


@frozen(eq=False)
class TypeParam(Node):
    """``[n]``, ``'a``, ``'~a``, ``'^a``."""

    kind: ParamKind
    name: str
    at: Span
