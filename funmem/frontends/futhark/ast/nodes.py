"""The base classes of the nodes of the syntax tree, and qualified names."""

from attrs import fields, has

from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen


class Node:
    """The base class of all nodes of the tree."""

    __slots__ = ()


def parts(node: Node) -> list[object]:
    """Return the fields of a node, in order: nodes, tuples of them, strings, places, …."""
    kind = type(node)
    assert has(kind)
    return [getattr(node, f.name) for f in fields(kind)]


@frozen(eq=False)
class QualName(Node):
    """``m.n.x``: ``quals`` are the modules, outermost first.

    An operator is a name too: ``i32.+``.  A backquoted name drops its quotes: `` x `f` y `` has the
    operator ``f``.
    """

    quals: tuple[str, ...]
    name: str
    at: Span

    def __str__(self) -> str:
        return ".".join((*self.quals, self.name))


class Literal(Node):
    """A number, truth value, character or string in the source."""

    __slots__ = ()


class Aggregate(Node):
    """A value made of the values of its parts."""

    __slots__ = ()


class Access(Node):
    """A part of a record or an array."""

    __slots__ = ()


class Operation(Node):
    """A value computed from operands."""

    __slots__ = ()


class Form(Node):
    """An expression that begins with a word and extends as far to the right as possible."""

    __slots__ = ()


class Binding(Form):
    """``let … in body``."""

    __slots__ = ()


class Section(Node):
    """An operator or an access as a function, in parentheses."""

    __slots__ = ()


class Change(Node):
    """``e with … = v``: an array or a record with a part replaced."""

    __slots__ = ()


class Annotated(Node):
    """An expression with a type annotation."""

    __slots__ = ()
