r"""Core: the typed, polymorphic, higher-order language to which all front ends translate.

    t   types         i32 …  |  [d]t  |  {l: t, …}  |  #c t… | …  |  T t…  |  t -> t  |  'a  | token
    d   sizes         polynomials over i64 variables in scope, or unknown         (sizes.py)
    p   binders       (x : t)
    e   expressions   x | @f[t…] | c | \p… -> e | e e… | let p… = e in e | mu
                      if | match | loop | assert                     control
                      {l = e, …} | e.l | #c e…                       records, sums
                      e ⊕ e | ⊖ e | t(e)                             scalars
                      foreign f (e, …) | effect f (e, …)             foreign functions
                      array operations                               second half of this file
    d   definitions   def f 'a… : t = e        data T 'a… = t        entry f = …
                      foreign f (t, …) : t     effect f (token, t, …) : (token, t, …)

Core serves several source languages, so it assumes only what holds in all of them:

* Types carry no obligation about sizes.  ``[d]t`` states a size that the front end knows, ``[]t``
  is always correct; an array is a row of values, each with its own shape.  A language with
  irregular nested arrays (papers 000, 001) writes ``[][]t`` for elements of different lengths; one
  with regular arrays checks regularity by :class:`Coerce` and by the array operations.
* Tuples are records whose labels are ``0``, ``1``, …; the empty record is unit.
* Sums are structural; a ``data`` definition names a type, so it may be recursive.
* Functions are curried values of type ``t -> t``; a lambda of several parameters
  takes them one after the other, and so does an application of several arguments.
* Definitions may be polymorphic in types (``@f[t…]`` instantiates) and recursive; ``mu`` is local
  recursion (paper 001).
* Evaluation is strict, from left to right; ``if`` and ``match`` evaluate one branch.
* A foreign function is written in another language.  It is pure, or it takes and returns a token,
  which orders its calls (papers/decisions/raw-code.md).

Array operations take and return arrays of any element type.  After :mod:`funmem.passes.core` has
flattened data, elements are scalars, records occur only as several results of an expression, and
each operation works on several arrays at once.  Therefore ``map`` … ``hist`` have tuples of
arrays: ``map f (xs, ys)`` is ``zipWith``.

All nodes are deeply immutable.  Names may be bound more than once (inner binders shadow outer
ones) until a pass whose postcondition is that names are unique.  ``at`` takes no part in equality.
"""

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, cast

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalar_values import exact
from funmem.ir.scalars import BinOp, ScalarType, UnOp, Value
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- types


@frozen
class Array:
    """``[d]t``; a ``size`` of None is unknown."""

    elem: "Type"
    size: Size | None = None


@frozen
class Record:
    """``{l: t, …}``; a tuple's labels are ``0``, ``1``, …; fields are kept in that order."""

    fields: "tuple[tuple[str, Type], ...]"

    def field(self, label: str) -> "Type":
        """Return the type of a field.  Raise KeyError if there is none."""
        for name, t in self.fields:
            if name == label:
                return t
        raise KeyError(label)

    @property
    def is_tuple(self) -> bool:
        return all(label == str(k) for k, (label, _) in enumerate(self.fields))


@frozen
class Sum:
    """``#c t… | …``: constructors in a fixed order; a tag is the position of its constructor."""

    constructors: "tuple[tuple[str, tuple[Type, ...]], ...]"

    def payload(self, name: str) -> "tuple[Type, ...]":
        """Return the argument types of a constructor.  Raise KeyError if there is none."""
        for c, ts in self.constructors:
            if c == name:
                return ts
        raise KeyError(name)


@frozen
class Data:
    """``T t…``: a type defined by a :class:`DataDef`, possibly recursive."""

    name: Name
    args: "tuple[Type, ...]" = ()


@frozen
class Arrow:
    """``t -> t``."""

    param: "Type"
    result: "Type"


@frozen
class TypeVar:
    """``'a``: bound by a definition's type parameters."""

    name: Name


@frozen
class Token:
    """``token``: the right to the next effect.  It has no bits; each one is used once."""


Type: TypeAlias = ScalarType | Array | Record | Sum | Data | Arrow | TypeVar | Token

UNIT = Record(())
TOKEN = Token()


def tuple_type(*elems: Type) -> Record:
    """``(t, …)``."""
    return Record(tuple((str(k), t) for k, t in enumerate(elems)))


def arrow(params: "tuple[Type, ...] | list[Type]", result: Type) -> Type:
    """``t -> … -> result``."""
    for t in reversed(params):
        result = Arrow(t, result)
    return result


# ---------------------------------------------------------------------- binders


@frozen
class Binder:
    """``(x : t)``."""

    name: Name
    type: Type


# ---------------------------------------------------------------------- kinds of expressions


class Leaf:
    """An expression without parts: a variable, a definition, a constant."""

    __slots__ = ()


class FunctionOperation:
    """An expression that makes or applies a function: lambda, ``mu``, application, foreign call."""

    __slots__ = ()


class Control:
    """An expression that chooses what to evaluate, or repeats it: ``if``, ``match``, ``loop``."""

    __slots__ = ()


class RecordOperation:
    """An expression that makes or takes apart a record, or makes a value of a sum type."""

    __slots__ = ()


class ScalarOperation:
    """An operator on scalars, a conversion, or ``==``, which compares values of any type."""

    __slots__ = ()


class ArrayOperation:
    """An operation that takes or makes an array: the classes of :data:`ArrayExp`, no others."""

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def at(self) -> Span: ...


class ArrayAccess(ArrayOperation):
    """A length, an element, a part of an array, or the array at another type."""

    __slots__ = ()


class FreshArray(ArrayOperation):
    """A new array whose elements are given or copied."""

    __slots__ = ()


class DerivedArray(ArrayOperation):
    """The elements of arrays in another order, shape or grouping."""

    __slots__ = ()


class InPlace(ArrayOperation):
    """A consuming update: the array with some elements replaced."""

    __slots__ = ()


class ParallelOperation(ArrayOperation):
    """An operation that applies a function to the elements of arrays."""

    __slots__ = ()


# ---------------------------------------------------------------------- names, functions, binding


@frozen
class Var(Leaf):
    """A local variable."""

    name: Name
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Global(Leaf):
    """``@f[t…]``: a definition at the given types."""

    name: Name
    types: tuple[Type, ...] = ()
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Const(Leaf):
    """A constant of a scalar type."""

    value: Value = field(eq=exact)
    type: ScalarType
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Lambda(FunctionOperation):
    r"""``\p … -> e``: at least one parameter."""

    params: tuple[Binder, ...]
    body: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Mu(FunctionOperation):
    r"""``mu (f : t) e``: a lambda e in which f names the lambda itself (paper 001, 3.1.3)."""

    binder: Binder
    fn: Lambda
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class App(FunctionOperation):
    """``f e …``: at least one argument; with fewer than f takes, the value is a function."""

    fn: "Exp"
    args: "tuple[Exp, ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Foreign(FunctionOperation):
    """``foreign f (e, …) : t`` or ``effect f (e, …) : t``: a call of a foreign function.

    ``effect`` repeats the definition's mark, and ``type`` is its result.  With a ``grid``, also an
    empty one, it is ``opaque f (e, …) grid (e, …) : t``: FUN's ``opaque``, and ``type`` states
    the sizes of the results.
    """

    fn: Name
    args: "tuple[Exp, ...]"
    type: Type
    effect: bool = False
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    grid: "tuple[Exp, ...] | None" = None


@frozen
class Let:
    """``let p = e in body``; several binders name a record's fields, in order."""

    binders: tuple[Binder, ...]
    exp: "Exp"
    body: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- control


@frozen
class If(Control):
    """``if c then e else e``."""

    cond: "Exp"
    then: "Exp"
    orelse: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Arm:
    """``#c x … -> e``."""

    constructor: str
    binders: tuple[Binder, ...]
    body: "Exp"


@frozen
class Match(Control):
    """``match e { arm; … _ -> default }``: the type of e is a sum or a data type.

    Patterns are one level deep; without a default every constructor has an arm.
    """

    exp: "Exp"
    arms: tuple[Arm, ...]
    default: "Exp | None" = None
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class For:
    """``for i < e``: i : i64 is 0 … e-1."""

    index: Name
    bound: "Exp"


@frozen
class While:
    """``while e``: e sees the loop's parameters."""

    cond: "Exp"


@frozen
class Loop(Control):
    """``loop p = e … form do body``: body computes the parameters' next values.

    With one parameter, body and the loop are values of its type; with several, they are records of
    the parameters in order.  ``For.bound`` is evaluated once, before the loop.
    """

    params: tuple[Binder, ...]
    init: "tuple[Exp, ...]"
    form: For | While
    body: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Assert:
    """``assert c "…{}…" (e, …) in body``: body if c holds; otherwise a trap with the message.

    ``{}`` in the message stands for the values in order, ``{{`` and ``}}`` for braces.  The values
    are computed after the condition, also if it holds, as the arguments of a call would be.
    """

    cond: "Exp"
    message: str
    values: "tuple[Exp, ...]"
    body: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- records, sums


@frozen
class Fields(RecordOperation):
    """``{l = e, …}``; a tuple if the labels are 0, 1, …"""

    fields: "tuple[tuple[str, Exp], ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Project(RecordOperation):
    """``e.l``."""

    exp: "Exp"
    label: str
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Construct(RecordOperation):
    """``#c e … : t``; t is a sum or a data type."""

    constructor: str
    args: "tuple[Exp, ...]"
    type: Sum | Data
    at: Span = field(default=NOWHERE, eq=False, repr=False)


def tuple_exp(*elems: "Exp", at: Span = NOWHERE) -> Fields:
    """``(e, …)``."""
    return Fields(tuple((str(k), e) for k, e in enumerate(elems)), at)


# ---------------------------------------------------------------------- scalars


@frozen
class Bin(ScalarOperation):
    """``e ⊕ e``, both of one scalar type, both evaluated (see :mod:`funmem.ir.scalars`).

    ``&&`` and ``||`` evaluate their right operand only if the left one does not decide.
    """

    op: BinOp
    a: "Exp"
    b: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Un(ScalarOperation):
    """``⊖ e``."""

    op: UnOp
    a: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Convert(ScalarOperation):
    """``t(e)``."""

    to: ScalarType
    a: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Equal(ScalarOperation):
    """``e == e`` at any type without functions; arrays of different shape are not equal."""

    a: "Exp"
    b: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- arrays: access


@frozen
class Length(ArrayAccess):
    """``size k e`` : i64: the length of dimension k (0 is the outermost).

    For ``k > 0`` e is regular in its first k dimensions (traps otherwise).
    """

    array: "Exp"
    dim: int = 0
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Fix:
    """``i`` in a slice: one index."""

    index: "Exp"


@frozen
class Range:
    """``lo:hi:step``: from lo, in steps, while below (step < 0: above) hi.

    Defaults: step is 1; lo is 0 (step < 0: the last index); hi is the length (step < 0: just below
    index 0).  There are ``(hi - lo + step - sgn step) quot step`` elements.  Zero elements are
    always allowed; otherwise the number must be positive, the first and the last element in
    bounds, and hi at least -1 for a negative step.  Step 0 traps.
    """

    lo: "Exp | None"
    hi: "Exp | None"
    step: "Exp | None"


Dim: TypeAlias = Fix | Range


@frozen
class Index(ArrayAccess):
    """``e[d, …]``: indexes the outermost dims; if all are fixed, an element or a row."""

    array: "Exp"
    dims: tuple[Dim, ...]
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class FlatSlice(ArrayAccess):
    """``flat e[o : (n : s), …]``: element (i, j, …) is e[o + i*s + j*s' + …]; e : [n]t."""

    array: "Exp"
    offset: "Exp"
    dims: "tuple[tuple[Exp, Exp], ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Coerce(ArrayAccess):
    """``e :> t``: e; traps with ``message`` (as in Assert) unless it has the sizes known in t.

    Inner sizes of an empty array become those of t.  The message's holes are filled with the
    actual and the expected shape, as texts like ``[2][3]``, and, if t has type variables, with the
    type of the elements.
    """

    exp: "Exp"
    type: Array
    message: str
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- arrays: making


@frozen
class ArrayLit(FreshArray):
    """``[e, …] : [k]t``; ``elem`` is t."""

    elems: "tuple[Exp, ...]"
    elem: Type
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Iota(FreshArray):
    """``iota n start step`` : [n]t; element i is start + i*step, wrapping around in t.

    Traps if n < 0.
    """

    n: "Exp"
    start: "Exp"
    step: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Replicate(FreshArray):
    """``replicate n e``; traps if n < 0."""

    n: "Exp"
    value: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Scratch(FreshArray):
    """``scratch n t`` : [n]t: uninitialised elements, which must be written before they are read.

    ``t`` may be an array type whose sizes are all known.
    """

    n: "Exp"
    elem: Type
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Copy(FreshArray):
    """``copy e``: e in memory of its own."""

    exp: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Concat(FreshArray):
    """``e ++ e ++ …``: joined along the outermost dimension; at least one."""

    arrays: "tuple[Exp, ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Rearrange(DerivedArray):
    """``rearrange (1, 0) e``: dimension k of the result is dimension perm[k] of e."""

    perm: tuple[int, ...]
    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Reverse(DerivedArray):
    """``reverse e``: the outermost dimension in reverse order."""

    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Flatten(DerivedArray):
    """``flatten k e``: the outermost k dimensions joined to one.

    e is regular in them; if k is 2, its rows may differ in length.
    """

    rank: int
    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Unflatten(DerivedArray):
    """``unflatten (n, m, …) e``: the outermost dimension split into several.

    Traps with ``Cannot unflatten array of shape [k] to array of shape [n][m]`` unless their
    product is its length and none is negative.
    """

    sizes: "tuple[Exp, ...]"
    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Zip(DerivedArray):
    """``zip {l = e, …}``: an array of records; traps if lengths differ."""

    arrays: "tuple[tuple[str, Exp], ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Unzip(DerivedArray):
    """``unzip e``: the record of arrays of an array of records."""

    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- arrays: changing


@frozen
class Update(InPlace):
    """``e with [d, …] = v``: consumes e: neither e nor an alias of it is used afterwards."""

    array: "Exp"
    dims: tuple[Dim, ...]
    value: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class FlatUpdate(InPlace):
    """``flat e[o : (n : s), …] = v``: see FlatSlice; v has shape [n]…; addresses are distinct."""

    array: "Exp"
    offset: "Exp"
    strides: "tuple[Exp, ...]"
    value: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Scatter(InPlace):
    """``scatter dest is vs``: dest with element is[k] replaced by vs[k]; dest is consumed.

    Indices are i64, or records of i64 for the outermost dimensions of dest; those out of bounds
    are ignored.  If an index occurs more than once, one of its values is taken.
    """

    dest: "Exp"
    indices: "Exp"
    values: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


# ---------------------------------------------------------------------- arrays: in parallel


@frozen
class Map(ParallelOperation):
    """``map f (xs, …)``: f applied to the elements at each index; traps if lengths differ."""

    fn: "Exp"
    arrays: "tuple[Exp, ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Reduce(ParallelOperation):
    """``reduce op (ne, …) (xs, …)``: op takes k accumulators, then k elements.

    op is associative with neutral element ne (trusted), commutative if ``comm``; the definition
    folds from the left.  The value is a record if there are several arrays.
    """

    op: "Exp"
    ne: "tuple[Exp, ...]"
    arrays: "tuple[Exp, ...]"
    comm: bool = False
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Scan(ParallelOperation):
    """``scan op (ne, …) (xs, …)``: all prefixes of the reduction, inclusive."""

    op: "Exp"
    ne: "tuple[Exp, ...]"
    arrays: "tuple[Exp, ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Hist(ParallelOperation):
    """``hist op (ne, …) (dest, …) is (vs, …)``: dest[is[k]] := op(dest[is[k]], vs[k]).

    Updates are made in the order of k; indices are as in Scatter; dest is consumed; op is
    associative and commutative with neutral element ne (trusted).  Traps unless all destinations
    have the same shape in the dimensions that an index selects.
    """

    op: "Exp"
    ne: "tuple[Exp, ...]"
    dest: "tuple[Exp, ...]"
    indices: "Exp"
    values: "tuple[Exp, ...]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Filter(ParallelOperation):
    """``filter f xs``: the elements for which f is true, in order."""

    fn: "Exp"
    array: "Exp"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Segmented(ParallelOperation):
    r"""``segmented [reduce|scan] op (ne, …) (\i k -> e) offs m``: e for element k of each row i.

    Rows of different lengths lie end to end in m elements; ``offs`` has their offsets, one more
    than there are rows: row i has the elements ``offs[i] <= k < offs[i+1]``.  Without an operator,
    and for ``scan``, the value is an array of m elements; for ``reduce`` it has one for each row.
    op and ne are as in Reduce.  Traps unless the offsets rise from 0 to m.
    """

    fn: "Exp"
    offsets: "Exp"
    total: "Exp"
    op: "Exp | None" = None
    ne: "tuple[Exp, ...]" = ()
    each: bool = False
    comm: bool = False
    at: Span = field(default=NOWHERE, eq=False, repr=False)


AccessExp: TypeAlias = Length | Index | FlatSlice | Coerce
FreshExp: TypeAlias = ArrayLit | Iota | Replicate | Scratch | Copy | Concat
DerivedExp: TypeAlias = Rearrange | Reverse | Flatten | Unflatten | Zip | Unzip
InPlaceExp: TypeAlias = Update | FlatUpdate | Scatter
ParallelExp: TypeAlias = Map | Reduce | Scan | Hist | Filter | Segmented
ArrayExp: TypeAlias = AccessExp | FreshExp | DerivedExp | InPlaceExp | ParallelExp

LinkExp: TypeAlias = Let | Assert
"""The links of a chain ``let … in assert … in e``."""

OtherEnd: TypeAlias = (
    Var
    | Global
    | Const
    | Lambda
    | Mu
    | App
    | Foreign
    | If
    | Match
    | Loop
    | Fields
    | Project
    | Construct
    | Bin
    | Un
    | Convert
    | Equal
)
EndExp: TypeAlias = OtherEnd | ArrayOperation
"""The end of such a chain."""

Exp: TypeAlias = LinkExp | EndExp
"""An expression.  All array operations are one member, their base class: the fields of most classes
have this type, and mypy takes time that is cubic in the number of its members.  The functions below
return an expression as one of a closed union.
"""

ClosedEnd: TypeAlias = OtherEnd | ArrayExp
ClosedExp: TypeAlias = LinkExp | ClosedEnd
"""All classes of expressions."""


def array_exp(e: ArrayOperation) -> ArrayExp:
    """Return an array operation as one of the closed union."""
    return cast("ArrayExp", e)


def closed(e: Exp) -> ClosedExp:
    """Return an expression as one of the closed union, for a ``match`` over all classes."""
    return cast("ClosedExp", e)


def closed_end(e: EndExp) -> ClosedEnd:
    """Return the end of a chain as one of the closed union."""
    return cast("ClosedEnd", e)


# ---------------------------------------------------------------------- definitions, programs


@frozen
class Def:
    """``def f 'a … : t = e``: a function or a constant; it may refer to all definitions.

    e is evaluated once, at the start of each entry point that mentions the definition
    (check/core/reach.py), even if its value is not used.
    """

    name: Name
    tparams: tuple[Name, ...]
    type: Type
    exp: Exp
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class DataDef:
    """``data T 'a … = t``: t is a sum, in which T may occur."""

    name: Name
    tparams: tuple[Name, ...]
    type: Sum
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class ForeignDef:
    """``foreign f (t, …) : t``, ``opaque f (…) : t``, ``effect f (token, t, …) : (token, t, …)``.

    A function written in another language; the program has its signature only.  Without ``effect``
    it is pure: its results depend on its arguments only.  With ``effect`` its first argument and
    its first result, or only one, are tokens (booleans once ``flatten-data`` has replaced them).
    An ``opaque`` one is pure, and its arrays, of any rank, cross as whole blocks.
    """

    name: Name
    params: tuple[Type, ...]
    result: Type
    effect: bool = False
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    whole: bool = False


class Unique(Enum):
    """The uniqueness of a parameter: an entry point may overwrite a CONSUMED one (``*t``)."""

    SHARED = ""
    CONSUMED = "*"


@frozen
class EntryParam:
    """A parameter that the caller passes; a size that is a plain name is bound by it."""

    binder: Binder
    unique: Unique = Unique.SHARED


@frozen
class Entry:
    """``entry f [n] … (x : t) … : t = e``: a function that users can call.

    ``sizes`` are bound by the parameters' types, in which each occurs as a dimension; a call
    checks that all occurrences agree.  ``result`` is the type of ``exp``; a tuple is
    several results.
    """

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[EntryParam, ...]
    result: Type
    exp: Exp
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class CoreProgram:
    """Entry points, and the definitions and data types that they need."""

    entries: tuple[Entry, ...]
    defs: tuple[Def, ...] = ()
    data: tuple[DataDef, ...] = ()
    foreign: tuple[ForeignDef, ...] = ()
