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

The tree is as written: sections, pipes, ranges, ``let x[i] = e`` and comprehensions are nodes of
their own, because messages must speak of what the programmer wrote.  Every node has a place
``at`` and compares by identity (``eq=False``), so the checkers can keep what they find about a
node in tables keyed by the node itself.
"""

from enum import Enum
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- names


@frozen(eq=False)
class QualName:
    """``m.n.x``: ``quals`` are the modules, outermost first; operators are names, too (``i32.+``).

    A backquoted name is its name: `` x `f` y `` has operator ``f``.
    """

    quals: tuple[str, ...]
    name: str
    at: Span

    def __str__(self) -> str:
        return ".".join((*self.quals, self.name))


# ---------------------------------------------------------------------- type expressions


@frozen(eq=False)
class TEName:
    """``i32``, ``point``, ``m.t``, ``'a`` is written ``a`` when used."""

    name: QualName
    at: Span


@frozen(eq=False)
class TEApply:
    """``t [n] i32``: a parametric abbreviation applied to one argument: a size or a type."""

    fn: "TypeExp"
    arg: "TypeExp | TESize"
    at: Span


@frozen(eq=False)
class TESize:
    """``[e]`` or ``[]`` (None) as an argument of a type constructor."""

    size: "Exp | None"
    at: Span


@frozen(eq=False)
class TEArray:
    """``[e]te``; ``size`` None: ``[]te``, any size."""

    size: "Exp | None"
    elem: "TypeExp"
    at: Span


@frozen(eq=False)
class TETuple:
    """``(te, te, …)``; ``()`` has none."""

    elems: "tuple[TypeExp, ...]"
    at: Span


@frozen(eq=False)
class TERecord:
    """``{l: te, …}``, in the order written."""

    fields: "tuple[tuple[str, TypeExp], ...]"
    at: Span


@frozen(eq=False)
class TESum:
    """``#c te … | #d …``."""

    constructors: "tuple[tuple[str, tuple[TypeExp, ...]], ...]"
    at: Span


@frozen(eq=False)
class TEArrow:
    """``te -> te``, or ``(x: te) -> te`` where sizes of the result may mention ``x``."""

    name: str | None
    param: "TypeExp"
    result: "TypeExp"
    at: Span


@frozen(eq=False)
class TEUnique:
    """``*te``."""

    elem: "TypeExp"
    at: Span


@frozen(eq=False)
class TEExists:
    """``?[n][m].te``."""

    dims: tuple[str, ...]
    elem: "TypeExp"
    at: Span


TypeExp: TypeAlias = (
    TEName | TEApply | TEArray | TETuple | TERecord | TESum | TEArrow | TEUnique | TEExists
)


class ParamKind(Enum):
    """What a type parameter ranges over; the value is its sigil."""

    SIZE = "[]"
    TYPE = "'"
    SIZE_LIFTED = "'~"
    LIFTED = "'^"


@frozen(eq=False)
class TypeParam:
    """``[n]``, ``'a``, ``'~a``, ``'^a``."""

    kind: ParamKind
    name: str
    at: Span


# ---------------------------------------------------------------------- patterns


@frozen(eq=False)
class PVar:
    """``x``."""

    name: str
    at: Span


@frozen(eq=False)
class PWild:
    """``_``."""

    at: Span


@frozen(eq=False)
class PTuple:
    """``(p, p, …)``; ``()`` has none."""

    elems: "tuple[Pattern, ...]"
    at: Span


@frozen(eq=False)
class PRecord:
    """``{l = p, …}``; ``{l}`` is ``{l = l}``."""

    fields: "tuple[tuple[str, Pattern], ...]"
    at: Span


@frozen(eq=False)
class PConstr:
    """``#c p …``."""

    name: str
    args: "tuple[Pattern, ...]"
    at: Span


@frozen(eq=False)
class PLit:
    """A literal (a negative one is a ``PLit`` of a ``Neg``); only in ``match``."""

    value: "Exp"
    at: Span


@frozen(eq=False)
class PAscript:
    """``p : te``."""

    pat: "Pattern"
    type: TypeExp
    at: Span


Pattern: TypeAlias = PVar | PWild | PTuple | PRecord | PConstr | PLit | PAscript

# ---------------------------------------------------------------------- atoms


@frozen(eq=False)
class IntLit:
    """``12``, ``0xffi64``, ``1_000u8``; ``suffix`` None: overloaded (may become a float).

    ``suffix`` may be a float type (``1f32``).
    """

    value: int
    suffix: ScalarType | None
    at: Span


@frozen(eq=False)
class FloatLit:
    """``1.5``, ``1e3f32``, ``0x1.8p3``; ``suffix`` None: f64 unless the context says otherwise."""

    value: float
    suffix: ScalarType | None
    at: Span


@frozen(eq=False)
class BoolLit:
    """``true``, ``false``."""

    value: bool
    at: Span


@frozen(eq=False)
class CharLit:
    """``'c'``: an overloaded integer, the code point."""

    value: int
    at: Span


@frozen(eq=False)
class StringLit:
    """``"text"``: an array of u8, its UTF-8 bytes."""

    value: bytes
    at: Span


@frozen(eq=False)
class Var:
    """A name, perhaps qualified; an operator as a function ``(+)`` is a Var named ``+``."""

    name: QualName
    at: Span


@frozen(eq=False)
class Hole:
    """``???``: an error that states its type."""

    at: Span


@frozen(eq=False)
class Tuple:
    """``(e, e, …)``; ``()`` has none.  ``(e)`` is ``e``."""

    elems: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Record:
    """``{l = e, …}``; ``{x}`` is ``{x = x}``."""

    fields: "tuple[tuple[str, Exp], ...]"
    at: Span


@frozen(eq=False)
class ArrayLit:
    """``[e, e, …]``; may be empty."""

    elems: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Constr:
    """``#c e …``: all arguments that follow."""

    name: str
    args: "tuple[Exp, ...]"
    at: Span


# ---------------------------------------------------------------------- expressions


@frozen(eq=False)
class Project:
    """``e.l``, ``e.0``."""

    exp: "Exp"
    label: str
    at: Span


@frozen(eq=False)
class FixDim:
    """``i`` in a slice."""

    index: "Exp"
    at: Span


@frozen(eq=False)
class SliceDim:
    """``lo:hi:step``, each optional."""

    lo: "Exp | None"
    hi: "Exp | None"
    step: "Exp | None"
    at: Span


Dim: TypeAlias = FixDim | SliceDim


@frozen(eq=False)
class Index:
    """``e[d, d, …]`` (the bracket is adjacent to ``e``)."""

    exp: "Exp"
    dims: tuple[Dim, ...]
    at: Span


@frozen(eq=False)
class App:
    """``f e``: one argument; application nests to the left."""

    fn: "Exp"
    arg: "Exp"
    at: Span


@frozen(eq=False)
class BinOp:
    """``e op e``: builtin, user-defined or backquoted; ``&&`` ``||`` short-circuit.

    ``|>`` and ``<|`` are operators named so.
    """

    op: QualName
    left: "Exp"
    right: "Exp"
    at: Span


@frozen(eq=False)
class Neg:
    """``-e``."""

    exp: "Exp"
    at: Span


@frozen(eq=False)
class Not:
    """``!e``: logical or bitwise."""

    exp: "Exp"
    at: Span


class RangeEnd(Enum):
    """How a range ends; the value is its sign."""

    INCLUSIVE = "..."
    BELOW = "..<"
    ABOVE = "..>"


@frozen(eq=False)
class Range:
    """``start..second...end``, ``start..<end`` …; ``second`` is optional."""

    start: "Exp"
    second: "Exp | None"
    end: "Exp"
    kind: RangeEnd
    at: Span


@frozen(eq=False)
class If:
    """``if c then e else e``."""

    cond: "Exp"
    then: "Exp"
    orelse: "Exp"
    at: Span


@frozen(eq=False)
class Let:
    """``let [n]… p = e in body``."""

    sizes: tuple[str, ...]
    pat: Pattern
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class LetFun:
    """``let f tparams p … : te = e in body``: a local function."""

    name: str
    tparams: tuple[TypeParam, ...]
    params: tuple[Pattern, ...]
    ret: TypeExp | None
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class LetWith:
    """``let x[d, …] = e in body``: ``let x = x with [d, …] = e in body``."""

    name: str
    dims: tuple[Dim, ...]
    exp: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class ForLess:
    """``for i < e``."""

    index: str
    bound: "Exp"
    at: Span


@frozen(eq=False)
class ForIn:
    """``for p in e``."""

    pat: Pattern
    array: "Exp"
    at: Span


@frozen(eq=False)
class While:
    """``while e``."""

    cond: "Exp"
    at: Span


@frozen(eq=False)
class Loop:
    """``loop [n]… p = e form do body``; ``init`` None: ``loop (x, y) for …`` starts with x, y."""

    sizes: tuple[str, ...]
    pat: Pattern
    init: "Exp | None"
    form: ForLess | ForIn | While
    body: "Exp"
    at: Span


@frozen(eq=False)
class Case:
    """``case p -> e``."""

    pat: Pattern
    exp: "Exp"
    at: Span


@frozen(eq=False)
class Match:
    """``match e case p -> e …``."""

    exp: "Exp"
    cases: tuple[Case, ...]
    at: Span


@frozen(eq=False)
class Lambda:
    r"""``\p … : te -> e``."""

    params: tuple[Pattern, ...]
    ret: TypeExp | None
    body: "Exp"
    at: Span


@frozen(eq=False)
class OpSectionLeft:
    """``(e op)``: the function that awaits the right operand."""

    left: "Exp"
    op: QualName
    at: Span


@frozen(eq=False)
class OpSectionRight:
    """``(op e)``: the function that awaits the left operand."""

    op: QualName
    right: "Exp"
    at: Span


@frozen(eq=False)
class ProjectSection:
    """``(.l.m)``."""

    labels: tuple[str, ...]
    at: Span


@frozen(eq=False)
class IndexSection:
    """``(.[d, …])``."""

    dims: tuple[Dim, ...]
    at: Span


Step: TypeAlias = "str | tuple[Dim, ...]"
"""``.l`` or ``[d, …]``: one step into a value."""


@frozen(eq=False)
class PathSection:
    """``(.l[d, …].m)``: steps of both kinds, or several indices."""

    path: tuple[Step, ...]
    at: Span


@frozen(eq=False)
class Update:
    """``e with [d, …] = v``: consumes e."""

    exp: "Exp"
    dims: tuple[Dim, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class RecordUpdate:
    """``e with l.m = v``: a new record."""

    exp: "Exp"
    labels: tuple[str, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class PathUpdate:
    """``e with l[d, …].m = v``: consumes what stands before the first index; a new record.

    Its path has steps of both kinds, or several indices.
    """

    exp: "Exp"
    path: tuple[Step, ...]
    value: "Exp"
    at: Span


@frozen(eq=False)
class Ascript:
    """``e : te``."""

    exp: "Exp"
    type: TypeExp
    at: Span


@frozen(eq=False)
class Coerce:
    """``e :> te``: sizes are checked when the program runs."""

    exp: "Exp"
    type: TypeExp
    at: Span


@frozen(eq=False)
class Assert:
    """``assert c e``; ``source`` is the text of ``c`` as messages show it."""

    cond: "Exp"
    exp: "Exp"
    source: str
    at: Span


@frozen(eq=False)
class OpenIn:
    """``m.(e)``: e with the names of module m in scope."""

    module: QualName
    exp: "Exp"
    at: Span


# ---------------------------------------------------------------------- comprehensions


@frozen(eq=False)
class QBind:
    """``p <- e``."""

    pat: Pattern
    exp: "Exp"
    at: Span


@frozen(eq=False)
class QFilter:
    """``e``: only where it holds."""

    exp: "Exp"
    at: Span


@frozen(eq=False)
class QSeq:
    """``q, q, …``: later qualifiers see earlier ones' variables."""

    quals: "tuple[Qualifier, ...]"
    at: Span


@frozen(eq=False)
class QZip:
    """``q | q | …``: side by side, element by element."""

    branches: "tuple[Qualifier, ...]"
    at: Span


@frozen(eq=False)
class QOrder:
    """``order by e``: ascending by a key; stable."""

    key: "Exp"
    at: Span


@frozen(eq=False)
class QGroup:
    """``group by e``: afterwards ``key`` is each distinct key, ascending.

    ``group by k = e`` names it; the variables bound before stand for arrays that are reduced
    by ``name = reduce op ne e`` clauses: see papers/comprehensions.
    """

    key_name: str | None
    key: "Exp"
    folds: "tuple[QFold, ...]"
    at: Span


@frozen(eq=False)
class QFold:
    """``into x = op ne e``: x is e of the group's members, folded with op from ne."""

    name: str
    op: "Exp"
    neutral: "Exp"
    exp: "Exp"
    at: Span


Qualifier: TypeAlias = QBind | QFilter | QSeq | QZip | QOrder | QGroup


@frozen(eq=False)
class Comprehension:
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
    | Record
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
class ValDec:
    """``def f [n] 'a (p) … : te = e``; without parameters a constant or a point-free function."""

    name: str
    tparams: tuple[TypeParam, ...]
    params: tuple[Pattern, ...]
    ret: TypeExp | None
    exp: Exp
    entry: bool
    at: Span


@frozen(eq=False)
class TypeDec:
    """``type t 'a [n] = te``; ``kind`` TYPE, SIZE_LIFTED (``type~``) or LIFTED (``type^``)."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    kind: ParamKind
    at: Span


@frozen(eq=False)
class Open:
    """``open m``; ``import "f"`` opens what a file defines."""

    module: QualName
    at: Span


@frozen(eq=False)
class Import:
    """``open import "path"``, or ``module m = import "path"``; ``import "path"`` is a local one."""

    path: str
    name: str | None
    at: Span


@frozen(eq=False)
class Local:
    """``local d``: not seen by those who import the file."""

    dec: "Dec"
    at: Span


# ---------------------------------------------------------------------- modules


@frozen(eq=False)
class ModName:
    """``m``, ``m.n``."""

    name: QualName
    at: Span


@frozen(eq=False)
class ModImport:
    """``import "path"`` as a module expression."""

    path: str
    at: Span


@frozen(eq=False)
class ModStruct:
    """``{ d… }``."""

    decs: "tuple[Dec, ...]"
    at: Span


@frozen(eq=False)
class ModApply:
    """``f m``: a parametric module applied to one argument."""

    fn: "ModExp"
    arg: "ModExp"
    at: Span


@frozen(eq=False)
class ModParam:
    """``(m: s)``."""

    name: str
    sig: "SigExp"
    at: Span


@frozen(eq=False)
class ModLambda:
    r"""``\(m: s) … : s -> e``."""

    params: tuple[ModParam, ...]
    sig: "SigExp | None"
    body: "ModExp"
    at: Span


@frozen(eq=False)
class ModAscript:
    """``e : s``."""

    exp: "ModExp"
    sig: "SigExp"
    at: Span


ModExp: TypeAlias = ModName | ModImport | ModStruct | ModApply | ModLambda | ModAscript


@frozen(eq=False)
class SigName:
    """A module type's name."""

    name: QualName
    at: Span


@frozen(eq=False)
class SigSpecs:
    """``{ val … type … }``."""

    specs: "tuple[Spec, ...]"
    at: Span


@frozen(eq=False)
class SigWith:
    """``s with t 'a = te``."""

    sig: "SigExp"
    type: QualName
    tparams: tuple[TypeParam, ...]
    image: TypeExp
    at: Span


@frozen(eq=False)
class SigArrow:
    """``(m: s) -> s``, ``s -> s``: of a parametric module."""

    name: str | None
    param: "SigExp"
    result: "SigExp"
    at: Span


SigExp: TypeAlias = SigName | SigSpecs | SigWith | SigArrow


@frozen(eq=False)
class ValSpec:
    """``val f [n] 'a : te``."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    at: Span


@frozen(eq=False)
class TypeSpec:
    """``type t 'a``: an abstract type."""

    name: str
    tparams: tuple[TypeParam, ...]
    kind: ParamKind
    at: Span


@frozen(eq=False)
class ModSpec:
    """``module m : s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class Include:
    """``include s``."""

    sig: SigExp
    at: Span


Spec: TypeAlias = ValSpec | TypeSpec | TypeDec | ModSpec | Include


@frozen(eq=False)
class ModuleDec:
    """``module m (p: s) … : s = e``."""

    name: str
    params: tuple[ModParam, ...]
    sig: SigExp | None
    exp: ModExp
    at: Span


@frozen(eq=False)
class ModuleTypeDec:
    """``module type t = s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class OpenModule:
    """``open e``, where e is no name."""

    exp: ModExp
    at: Span


Dec: TypeAlias = ValDec | TypeDec | Open | Import | Local | ModuleDec | ModuleTypeDec | OpenModule


@frozen(eq=False)
class SourceFile:
    """A program file: its declarations in order."""

    decs: tuple[Dec, ...]
    at: Span = field()
