"""The qualifiers of array comprehensions (paper 004, fig. 1)."""

from typing import TYPE_CHECKING, TypeAlias

from funmem.frontends.futhark.ast.nodes import Node
from funmem.frontends.futhark.ast.patterns import Pattern
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen

if TYPE_CHECKING:
    from funmem.frontends.futhark.ast.expressions import Exp


@frozen(eq=False)
class QBind(Node):
    """``p <- e``."""

    pat: Pattern
    exp: "Exp"
    at: Span


@frozen(eq=False)
class QFilter(Node):
    """``e``: keeps the elements for which e is true."""

    exp: "Exp"
    at: Span


@frozen(eq=False)
class QSeq(Node):
    """``q, q, …``: each qualifier sees the variables of earlier ones."""

    quals: "tuple[Qualifier, ...]"
    at: Span


@frozen(eq=False)
class QZip(Node):
    """``q | q | …``: draws elements from all branches in step."""

    branches: "tuple[Qualifier, ...]"
    at: Span


@frozen(eq=False)
class QOrder(Node):
    """``order by e``: a stable sort, ascending by the key e."""

    key: "Exp"
    at: Span


@frozen(eq=False)
class QGroup(Node):
    """``group by k = e into … ``: afterwards k is each distinct key, in ascending order.

    Without ``k =`` the key is called ``key``.  Variables bound earlier are no longer usable; the
    ``into`` clauses reduce them to one value per group: see papers/comprehensions.
    """

    key_name: str | None
    key: "Exp"
    folds: "tuple[QFold, ...]"
    at: Span


@frozen(eq=False)
class QFold(Node):
    """``into x = op ne e``: x is e reduced over the group with op and neutral element ne."""

    name: str
    op: "Exp"
    neutral: "Exp"
    exp: "Exp"
    at: Span


Qualifier: TypeAlias = QBind | QFilter | QSeq | QZip | QOrder | QGroup
