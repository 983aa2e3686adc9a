"""The syntax tree of NOVA, in the order of the grammar (paper 001, figure 3).

papers/frontends/nova.md says where the paper is silent and what we decided.

    program = "(" {"(" id ":" type ")"} ")" {types | foreign} expr
    types   = "(types" {"(" Id {'a} ":" (sum | type) ")"} ")"
    sum     = "(+" {"(" Ctor ":" type ")"} ")"
    foreign = "(foreign" {"(" id ":" type ")"} ")"
    type    = atom ["->" type]
    atom    = int int32 int16 int8 float double bool unit | 'a | Id | "(" Id atom+ ")"
            | "vector" atom | "vector#"N atom | "(" type {"," type} ")"
    expr    = id | number | true | false | nil
            | "(" expr ")" | "(" expr expr+ ")" | "(" expr {"," expr} ")"
            | "(" expr "." digits ")" | "(" expr "!" expr ")"
            | "(if" e "then" e "else" e ")" | "(case" e {"(" Ctor id e ")"} ")"
            | "(let" {"(" id e ")"}+ "in" e ")"
            | "(lambda" {"(" id ":" type ")"}+ [":" type] e ")" | "(mu (" id ":" type ")" lambda ")"

Nodes are compared by identity: the tables of inference are indexed by them.  Parentheses that only
group leave no node.
"""

from typing import TypeAlias

from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- types


@frozen(eq=False)
class Basic:
    """``int``, ``float``, …"""

    type: ScalarType
    at: Span


@frozen(eq=False)
class Unit:
    """``unit``."""

    at: Span


@frozen(eq=False)
class TypeVar:
    """``'a``."""

    name: str
    at: Span


@frozen(eq=False)
class Named:
    """``Id`` or ``(Id t …)``: a type of the ``types`` section."""

    name: str
    args: "tuple[Type, ...]"
    at: Span


@frozen(eq=False)
class Vector:
    """``vector t``, or ``vector#n t``: regular, of rank n; without ``#n`` the rank is None."""

    elem: "Type"
    rank: int | None
    at: Span


@frozen(eq=False)
class Tuple:
    """``(t, t, …)``."""

    elems: "tuple[Type, ...]"
    at: Span


@frozen(eq=False)
class Function:
    """``t -> t``."""

    param: "Type"
    result: "Type"
    at: Span


Type: TypeAlias = Basic | Unit | TypeVar | Named | Vector | Tuple | Function

# ---------------------------------------------------------------------- binders


@frozen(eq=False)
class Param:
    """``(x : t)``."""

    name: str
    type: Type
    at: Span


# ---------------------------------------------------------------------- expressions


@frozen(eq=False)
class Var:
    """An identifier: a variable, a constructor, a foreign function or a built-in."""

    name: str
    at: Span


@frozen(eq=False)
class Number:
    """A number as it is written; ``fractional``: with a point or an exponent; ``long``: with L."""

    text: str
    fractional: bool
    long: bool
    at: Span


@frozen(eq=False)
class Bool:
    """``true`` or ``false``."""

    value: bool
    at: Span


@frozen(eq=False)
class Nil:
    """``nil``, the value of ``unit``."""

    at: Span


@frozen(eq=False)
class App:
    """``(f e …)``."""

    fn: "Exp"
    args: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class TupleExp:
    """``(e, e, …)``: at least two."""

    elems: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Project:
    """``(e . k)``."""

    exp: "Exp"
    index: int
    at: Span


@frozen(eq=False)
class Element:
    """``(e ! e)``."""

    vector: "Exp"
    index: "Exp"
    at: Span


@frozen(eq=False)
class If:
    """``(if e then e else e)``."""

    cond: "Exp"
    then: "Exp"
    orelse: "Exp"
    at: Span


@frozen(eq=False)
class Arm:
    """``(Ctor x e)``."""

    constructor: str
    name: str
    body: "Exp"
    at: Span


@frozen(eq=False)
class Case:
    """``(case e arm …)``."""

    exp: "Exp"
    arms: tuple[Arm, ...]
    at: Span


@frozen(eq=False)
class Definition:
    """``(x e)`` in a ``let``."""

    name: str
    exp: "Exp"
    at: Span


@frozen(eq=False)
class Let:
    """``(let (x e) … in e)``: later definitions see earlier ones."""

    definitions: tuple[Definition, ...]
    body: "Exp"
    at: Span


@frozen(eq=False)
class Lambda:
    """``(lambda (x : t) … [: t] e)``."""

    params: tuple[Param, ...]
    result: Type | None
    body: "Exp"
    at: Span


@frozen(eq=False)
class Mu:
    """``(mu (f : t) e)``; that e is a lambda is checked by inference (``nova-mu``)."""

    binder: Param
    fn: "Exp"
    at: Span


Exp: TypeAlias = (
    Var | Number | Bool | Nil | App | TupleExp | Project | Element | If | Case | Let | Lambda | Mu
)

# ---------------------------------------------------------------------- programs


@frozen(eq=False)
class Constructor:
    """``(Ctor : t)``."""

    name: str
    payload: Type
    at: Span


@frozen(eq=False)
class TypeDefinition:
    """``(Id 'a … : t)``; the constructors of a sum, or another name of a type."""

    name: str
    params: tuple[str, ...]
    body: Type | tuple[Constructor, ...]
    at: Span


@frozen(eq=False)
class Program:
    """The inputs, the sections and the expression."""

    inputs: tuple[Param, ...]
    types: tuple[TypeDefinition, ...]
    foreign: tuple[Param, ...]
    body: Exp
    at: Span
