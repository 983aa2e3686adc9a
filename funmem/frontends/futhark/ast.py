r"""The surface syntax of `.fut` programs, in the order of the grammar.

    q    names           x | m.x | m.n.x                          qualified by modules
    te   type exps       q te…  |  [se]te  |  (te, …)  |  {l: te, …}  |  #c te… | …  |  te -> te
                         |  *te  |  ?[n]….te
    p    patterns        x  |  _  |  (p, …)  |  {l = p, …}  |  #c p…  |  literal  |  p : te
    e    expressions     literals, names, application, operators, let, if, match, loop, lambda, …
    [e | qual, …]        array comprehensions (paper 004, fig. 1)
    d    declarations    def, entry, type, open, import, local, module, module type
    m    module exps     x  |  { d… }  |  m m  |  \(x: s) : s -> m  |  m : s
    s    module types    x  |  { spec… }  |  s with x = te  |  (x: s) -> s

The tree follows the source text: sections, pipes, ranges, ``let x[i] = e`` and comprehensions have
nodes of their own, because messages must speak of what the programmer wrote.  Every node has a
place ``at`` and compares by identity (``eq=False``), so the checkers keep their findings in tables
keyed by the node itself.

The expressions are grouped by base classes (:class:`Literal`, :class:`Operation`, …).  A function
that treats a few forms of its own names the rest by these.
"""

from enum import Enum
from typing import TypeAlias

from attrs import field, fields, has

from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- names


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


# ---------------------------------------------------------------------- type expressions


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
    """What a type parameter ranges over; the value is its prefix in the source."""

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


# ---------------------------------------------------------------------- patterns


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

# ---------------------------------------------------------------------- groups of expressions


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


# ---------------------------------------------------------------------- comprehensions


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

# ---------------------------------------------------------------------- declarations


@frozen(eq=False)
class ValDec(Node):
    """``def f [n] 'a (p) … : te = e``; without parameters, a constant or a point-free function."""

    name: str
    tparams: tuple[TypeParam, ...]
    params: tuple[Pattern, ...]
    ret: TypeExp | None
    exp: Exp
    entry: bool
    at: Span


@frozen(eq=False)
class TypeDec(Node):
    """``type t 'a [n] = te``; ``kind`` is TYPE, SIZE_LIFTED (``type~``) or LIFTED (``type^``)."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    kind: ParamKind
    at: Span


@frozen(eq=False)
class Open(Node):
    """``open m``."""

    module: QualName
    at: Span


@frozen(eq=False)
class Import(Node):
    """``open import "path"``, or ``module m = import "path"``; ``import "path"`` is local."""

    path: str
    name: str | None
    at: Span


@frozen(eq=False)
class Local(Node):
    """``local d``: not exported to files that import this one."""

    dec: "Dec"
    at: Span


# ---------------------------------------------------------------------- modules


@frozen(eq=False)
class ModName(Node):
    """``m``, ``m.n``."""

    name: QualName
    at: Span


@frozen(eq=False)
class ModImport(Node):
    """``import "path"`` as a module expression."""

    path: str
    at: Span


@frozen(eq=False)
class ModStruct(Node):
    """``{ d… }``."""

    decs: "tuple[Dec, ...]"
    at: Span


@frozen(eq=False)
class ModApply(Node):
    """``f m``, a parametric module applied to one argument."""

    fn: "ModExp"
    arg: "ModExp"
    at: Span


@frozen(eq=False)
class ModParam(Node):
    """``(m: s)``."""

    name: str
    sig: "SigExp"
    at: Span


@frozen(eq=False)
class ModLambda(Node):
    r"""``\(m: s) … : s -> e``."""

    params: tuple[ModParam, ...]
    sig: "SigExp | None"
    body: "ModExp"
    at: Span


@frozen(eq=False)
class ModAscript(Node):
    """``e : s``."""

    exp: "ModExp"
    sig: "SigExp"
    at: Span


ModExp: TypeAlias = ModName | ModImport | ModStruct | ModApply | ModLambda | ModAscript


@frozen(eq=False)
class SigName(Node):
    """The name of a module type."""

    name: QualName
    at: Span


@frozen(eq=False)
class SigSpecs(Node):
    """``{ val … type … }``."""

    specs: "tuple[Spec, ...]"
    at: Span


@frozen(eq=False)
class SigWith(Node):
    """``s with t 'a = te``."""

    sig: "SigExp"
    type: QualName
    tparams: tuple[TypeParam, ...]
    image: TypeExp
    at: Span


@frozen(eq=False)
class SigArrow(Node):
    """``(m: s) -> s`` or ``s -> s``, the type of a parametric module."""

    name: str | None
    param: "SigExp"
    result: "SigExp"
    at: Span


SigExp: TypeAlias = SigName | SigSpecs | SigWith | SigArrow


@frozen(eq=False)
class ValSpec(Node):
    """``val f [n] 'a : te``."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    at: Span


@frozen(eq=False)
class TypeSpec(Node):
    """``type t 'a``, an abstract type."""

    name: str
    tparams: tuple[TypeParam, ...]
    kind: ParamKind
    at: Span


@frozen(eq=False)
class ModSpec(Node):
    """``module m : s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class Include(Node):
    """``include s``."""

    sig: SigExp
    at: Span


Spec: TypeAlias = ValSpec | TypeSpec | TypeDec | ModSpec | Include


@frozen(eq=False)
class ModuleDec(Node):
    """``module m (p: s) … : s = e``."""

    name: str
    params: tuple[ModParam, ...]
    sig: SigExp | None
    exp: ModExp
    at: Span


@frozen(eq=False)
class ModuleTypeDec(Node):
    """``module type t = s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class OpenModule(Node):
    """``open e`` for a module expression other than a name."""

    exp: ModExp
    at: Span


PlainDec: TypeAlias = ValDec | TypeDec | Open | Import | ModuleDec | ModuleTypeDec | OpenModule
"""A declaration without ``local``."""

Dec: TypeAlias = PlainDec | Local


@frozen(eq=False)
class SourceFile(Node):
    """A program file: its declarations, in order."""

    decs: tuple[Dec, ...]
    at: Span = field()
