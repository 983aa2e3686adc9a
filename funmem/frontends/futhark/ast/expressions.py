"""Expressions."""

from enum import Enum
from typing import TypeAlias

from funmem.frontends.futhark.ast.nodes import (
    Access,
    Aggregate,
    Annotated,
    Binding,
    Change,
    Form,
    Literal,
    Node,
    Operation,
    QualName,
    Section,
)
from funmem.frontends.futhark.ast.patterns import Pattern
from funmem.frontends.futhark.ast.qualifiers import Qualifier
from funmem.frontends.futhark.ast.type_exps import TypeExp, TypeParam
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- atoms


@frozen(eq=False)
class IntLit(Literal):
    """``12``, ``0xffi64``, ``1_000u8``, ``1f32``; ``suffix`` None: overloaded.

    A literal without suffix may become a float; a suffix may be a float type.
    """

    value: int
    suffix: ScalarType | None
    at: Span


@frozen(eq=False)
class FloatLit(Literal):
    """``1.5``, ``1e3f32``, ``0x1.8p3``; ``suffix`` None: f64, or the type the context demands."""

    value: float
    suffix: ScalarType | None
    at: Span


@frozen(eq=False)
class BoolLit(Literal):
    """``true``, ``false``."""

    value: bool
    at: Span


@frozen(eq=False)
class CharLit(Literal):
    """``'c'``: an overloaded integer, the code point of the character."""

    value: int
    at: Span


@frozen(eq=False)
class StringLit(Literal):
    """``"text"``: an array of u8, the UTF-8 bytes of the text."""

    value: bytes
    at: Span


@frozen(eq=False)
class Var(Node):
    """A name, optionally qualified; the operator in ``(+)`` is a Var named ``+``."""

    name: QualName
    at: Span


@frozen(eq=False)
class Hole(Node):
    """``???``: always rejected, with a message that states the expected type."""

    at: Span


@frozen(eq=False)
class Tuple(Aggregate):
    """``(e, e, …)``; ``()`` has no elements, and ``(e)`` is ``e``."""

    elems: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class RecordLit(Aggregate):
    """``{l = e, …}``; ``{x}`` is ``{x = x}``."""

    fields: "tuple[tuple[str, Exp], ...]"
    at: Span


@frozen(eq=False)
class ArrayLit(Aggregate):
    """``[e, e, …]``, possibly empty."""

    elems: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Constr(Aggregate):
    """``#c e …``, with all its arguments."""

    name: str
    args: "tuple[Exp, ...]"
    at: Span


# ---------------------------------------------------------------------- expressions


@frozen(eq=False)
class Project(Access):
    """``e.l``, ``e.0``."""

    exp: "Exp"
    label: str
    at: Span


@frozen(eq=False)
class FixDim(Node):
    """An index ``i``, which removes the dimension."""

    index: "Exp"
    at: Span


@frozen(eq=False)
class SliceDim(Node):
    """``lo:hi:step``, each part optional."""

    lo: "Exp | None"
    hi: "Exp | None"
    step: "Exp | None"
    at: Span


Dim: TypeAlias = FixDim | SliceDim


@frozen(eq=False)
class Index(Access):
    """``e[d, d, …]`` (the bracket is adjacent to ``e``)."""

    exp: "Exp"
    dims: tuple[Dim, ...]
    at: Span


@frozen(eq=False)
class App(Operation):
    """``f e``, one argument; ``f a b`` is ``(f a) b``."""

    fn: "Exp"
    arg: "Exp"
    at: Span


@frozen(eq=False)
class BinOp(Operation):
    """``e op e``: the operator is builtin, user-defined or backquoted; ``&&`` ``||`` short-circuit.

    The pipes ``|>`` and ``<|`` are operators too.
    """

    op: QualName
    left: "Exp"
    right: "Exp"
    at: Span


@frozen(eq=False)
class Neg(Operation):
    """``-e``."""

    exp: "Exp"
    at: Span


@frozen(eq=False)
class Not(Operation):
    """``!e``, logical or bitwise negation."""

    exp: "Exp"
    at: Span


class RangeEnd(Enum):
    """The kind of a range's end; the value is its spelling."""

    INCLUSIVE = "..."
    BELOW = "..<"
    ABOVE = "..>"


@frozen(eq=False)
class Range(Operation):
    """``start..second...end``, ``start..<end``, …; ``second`` is optional."""

    start: "Exp"
    second: "Exp | None"
    end: "Exp"
    kind: RangeEnd
    at: Span


@frozen(eq=False)
class If(Form):
    """``if c then e else e``."""

    cond: "Exp"
    then: "Exp"
    orelse: "Exp"
    at: Span


@frozen(eq=False)
class Let(Binding):
    """``let [n]… p = e in body``."""

    sizes: tuple[str, ...]
    pat: Pattern
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class LetFun(Binding):
    """``let f tparams p … : te = e in body``: a local function."""

    name: str
    tparams: tuple[TypeParam, ...]
    params: tuple[Pattern, ...]
    ret: TypeExp | None
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class LetWith(Binding):
    """``let x[d, …] = e in body``, short for ``let x = x with [d, …] = e in body``."""

    name: str
    dims: tuple[Dim, ...]
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class ForLess(Node):
    """``for i < e``."""

    index: str
    bound: "Exp"
    at: Span


@frozen(eq=False)
class ForIn(Node):
    """``for p in e``."""

    pat: Pattern
    array: "Exp"
    at: Span


@frozen(eq=False)
class While(Node):
    """``while e``."""

    cond: "Exp"
    at: Span


@frozen(eq=False)
class Loop(Form):
    """``loop [n]… p = e form do body``; without ``init``, p is a pattern of variables in scope."""

    sizes: tuple[str, ...]
    pat: Pattern
    init: "Exp | None"
    form: ForLess | ForIn | While
    body: "Exp"
    at: Span


@frozen(eq=False)
class Case(Node):
    """``case p -> e``."""

    pat: Pattern
    exp: "Exp"
    at: Span


@frozen(eq=False)
class Match(Form):
    """``match e case p -> e …``."""

    exp: "Exp"
    cases: tuple[Case, ...]
    at: Span


@frozen(eq=False)
class Lambda(Form):
    r"""``\p … : te -> e``."""

    params: tuple[Pattern, ...]
    ret: TypeExp | None
    body: "Exp"
    at: Span


@frozen(eq=False)
class OpSectionLeft(Section):
    """``(e op)``: a function of the right operand."""

    left: "Exp"
    op: QualName
    at: Span


@frozen(eq=False)
class OpSectionRight(Section):
    """``(op e)``: a function of the left operand."""

    op: QualName
    right: "Exp"
    at: Span


@frozen(eq=False)
class ProjectSection(Section):
    """``(.l.m)``."""

    labels: tuple[str, ...]
    at: Span


@frozen(eq=False)
class IndexSection(Section):
    """``(.[d, …])``."""

    dims: tuple[Dim, ...]
    at: Span


Step: TypeAlias = "str | tuple[Dim, ...]"
"""One step into a value: the label in ``.l``, or the indices in ``[d, …]``."""


@frozen(eq=False)
class PathSection(Section):
    """``(.l[d, …].m)``, a path with labels and indices, or with several indices."""

    path: tuple[Step, ...]
    at: Span


@frozen(eq=False)
class Update(Change):
    """``e with [d, …] = v``, which consumes e."""

    exp: "Exp"
    dims: tuple[Dim, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class RecordUpdate(Change):
    """``e with l.m = v``, a new record."""

    exp: "Exp"
    labels: tuple[str, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class PathUpdate(Change):
    """``e with l[d, …].m = v``, a new record; consumes the array before the first index.

    The path has labels and indices, or several indices.
    """

    exp: "Exp"
    path: tuple[Step, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class Ascript(Annotated):
    """``e : te``."""

    exp: "Exp"
    type: TypeExp
    at: Span


@frozen(eq=False)
class Coerce(Annotated):
    """``e :> te``, whose sizes are checked at run time."""

    exp: "Exp"
    type: TypeExp
    at: Span


@frozen(eq=False)
class Assert(Operation):
    """``assert c e``; ``source`` is the text of ``c``, shown in messages."""

    cond: "Exp"
    exp: "Exp"
    source: str
    at: Span


@frozen(eq=False)
class OpenIn(Node):
    """``m.(e)``, where the names of module m are in scope in e."""

    module: QualName
    exp: "Exp"
    at: Span


@frozen(eq=False)
class Comprehension(Node):
    """``[e | q]``."""

    exp: "Exp"
    qual: Qualifier
    at: Span


Exp: TypeAlias = (
    IntLit
    | FloatLit
    | BoolLit
    | CharLit
    | StringLit
    | Var
    | Hole
    | Tuple
    | RecordLit
    | ArrayLit
    | Constr
    | Project
    | Index
    | App
    | BinOp
    | Neg
    | Not
    | Range
    | If
    | Let
    | LetFun
    | LetWith
    | Loop
    | Match
    | Lambda
    | OpSectionLeft
    | OpSectionRight
    | ProjectSection
    | IndexSection
    | PathSection
    | Update
    | RecordUpdate
    | PathUpdate
    | Ascript
    | Coerce
    | Assert
    | OpenIn
    | Comprehension
)
