"""FUN and FUNMEM: one syntax tree, generic in the annotation of binders (figs. 1 and 6).

    t   types         bool i8 … f64  |  [d]…[d]t  |  mem
    d   sizes         polynomials over i64 variables            (sizes.py)
    a   atoms         constant | name
    se  scalars       a | se ⊕ se | ⊖ se | t(se)
    p   binders       (x : t)          in FUNMEM, arrays: (x : [d]…[d]t @ m -> L)
    e   expressions   se | x[d, …] | call f (a, …) [foreign|effect]  scalar
                      slice permute reshape reverse flat-slice       derived: no data moves
                      iota replicate literal copy concat scratch     fresh array
                      update scatter                                 x consumed, y in its place
                      kernel if loop assert alloc                    parallelism, control
                      kernel i < d, k in x : d                       rows of varying length
                      opaque f (a, …) [grid [d]…[d]]                 foreign code on whole arrays
    s   statements    let p … p = e
    b   bodies        s … s in (a, …, a)
    def               def f (x : t) … -> (r : t) … = b     scalars, and nothing else
    entry             entry f [n] (x : t) … -> [k] (r : t) … = b

FUN is ``Program[None]``: binders have no home.  FUNMEM is ``Program[Home | None]``: every array
binder has a :class:`Home` (a block and an index function), scalars and blocks have none, and blocks
are allocated by ``alloc``.  The annotation is covariant, so traversals of FUNMEM accept FUN
programs.  Deleting the annotations (:mod:`funmem.ir.erase`, fig. 9) leaves a FUN program of the
same meaning.

All nodes are deeply immutable.  Expressions stand only in statements (A-normal form).  Every name
is bound once in an entry point.  Indices, sizes and offsets are 0-based polynomials of i64
variables (errata 1, 8).  A function computes scalars from scalars, without arrays, memory and
kernels; it calls only functions that stand before it.  ``at`` is the place in the source and takes
no part in equality.
"""

from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.interface import Interface
from funmem.ir.lmad import Dim, Lmad, Part, SliceDim
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalar_values import exact
from funmem.ir.scalars import BinOp, ScalarType, UnOp, Value
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- types


@frozen
class ArrayType:
    """``[d]…[d]t``: at least one dimension, sizes in scope (fig. 1)."""

    elem: ScalarType
    shape: tuple[Size, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return "".join(f"[{d}]" for d in self.shape) + str(self.elem.value)


class Space(Enum):
    """The memory space of a block; the value is its concrete syntax."""

    DEVICE = "device"
    LOCAL = "local"
    PRIVATE = "private"


@frozen
class MemType:
    """A block of memory: bytes, whose number its ``alloc`` states (fig. 6)."""

    space: Space = Space.DEVICE

    def __str__(self) -> str:
        return "mem" if self.space is Space.DEVICE else f"mem.{self.space.value}"


Type: TypeAlias = ScalarType | ArrayType | MemType

# ---------------------------------------------------------------------- binders


@frozen
class Home:
    """``@ m -> L``: the elements lie in block ``m`` at the addresses given by ``L``."""

    block: Name
    ix: Lmad

    def __str__(self) -> str:
        return f"@ {self.block} -> {self.ix}"


A = TypeVar("A", bound=Home | None, covariant=True)


@frozen
class Binder(Generic[A]):
    """``(x : t)``, or in FUNMEM for an array ``(x : t @ m -> L)``."""

    name: Name
    type: Type
    home: A
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    uses: frozenset[Name] | None = field(default=None, init=False, eq=False, repr=False)
    """The result of :func:`~funmem.ir.traverse.binder_uses`, computed on first use."""


# ---------------------------------------------------------------------- kinds of expressions


class Scalar:
    """A scalar expression that reads no array: ``a``, ``se ⊕ se``, ``⊖ se``, ``t(se)``, a call."""

    __slots__ = ()


class DerivedArray:
    """A derived array: a new index function for the elements of one array; no data moves."""

    __slots__ = ()


class FreshArray:
    """A fresh array: passes choose its home."""

    __slots__ = ()


class InPlace:
    """A consuming update: the result lies where the consumed array lay."""

    __slots__ = ()


class Compound:
    """Parallelism and control: an expression with bodies, or foreign code in the place of one."""

    __slots__ = ()


# ---------------------------------------------------------------------- scalar expressions


@frozen
class Const(Scalar):
    """A constant of a scalar type; ``value`` is in the type's range, or rounded to it."""

    value: Value = field(eq=exact)
    type: ScalarType


@frozen
class Var(Scalar):
    """A name in an operand position."""

    name: Name


Atom: TypeAlias = Const | Var


@frozen
class Bin(Scalar):
    """``a ⊕ b``; both operands have the same type."""

    op: BinOp
    a: "ScalarExp"
    b: "ScalarExp"


@frozen
class Un(Scalar):
    """``⊖ a``."""

    op: UnOp
    a: "ScalarExp"


@frozen
class Convert(Scalar):
    """``t(a)``: ``a`` as a value of type ``t``."""

    to: ScalarType
    a: "ScalarExp"


ScalarExp: TypeAlias = Const | Var | Bin | Un | Convert


class Linkage(Enum):
    """Where a called function is; the value is its concrete syntax behind the arguments."""

    OWN = ""
    """It is a function of the program."""
    FOREIGN = "foreign"
    """It is written in another language, and pure."""
    EFFECT = "effect"
    """It is written in another language and has an effect.  Its first argument and its first result
    are the token, a bool: the call takes place once, in the order of the text, outside kernels."""


@frozen
class Call(Scalar):
    """``call f (a, …)``: the results of a function, as many scalars as it has results.

    ``partial`` states that the function may trap or not terminate (T-CALL), so that a pass need
    not look at the function to know what it may do with the call.  A foreign function is always
    taken to be partial.
    """

    fn: Name
    args: tuple[Atom, ...]
    partial: bool = False
    linkage: Linkage = Linkage.OWN


# ---------------------------------------------------------------------- expressions


@frozen
class Index:
    """``x[d, …, d]``: one element; as many indices as dimensions."""

    x: Name
    index: tuple[Size, ...]


# Derived arrays: a new index function for the same elements.


@frozen
class Slice(DerivedArray):
    """``x[o : n : s, …, i, …]``: each dimension is a range or fixed; at least one is a range."""

    x: Name
    dims: tuple[SliceDim, ...]


@frozen
class Permute(DerivedArray):
    """``permute (1, 0) x``: dimension k of the result is dimension perm[k] of x."""

    perm: tuple[int, ...]
    x: Name


@frozen
class Reshape(DerivedArray):
    """``reshape [d]…[d] x``: same elements in row-major order; traps if the number differs."""

    shape: tuple[Size, ...]
    x: Name


@frozen
class Reverse(DerivedArray):
    """``reverse k x``: dimension k in reverse order."""

    dim: int
    x: Name


@frozen
class FlatSlice(DerivedArray):
    """``flat x[o + {(n : s) …}]``: an LMAD over the index space of a one-dimensional array."""

    x: Name
    offset: Size
    dims: tuple[Dim, ...]


# Fresh arrays.


@frozen
class Iota(FreshArray):
    """``iota d start stride``: element i is start + i * stride, which wraps around."""

    n: Size
    start: Atom
    stride: Atom


@frozen
class Replicate(FreshArray):
    """``replicate [d]…[d] a``: a scalar or an array, repeated; shape [d]…[d] ++ shape of a."""

    shape: tuple[Size, ...]
    value: Atom


@frozen
class ArrayLit(FreshArray):
    """``[a, …, a] : t``: scalars, or arrays of the same shape; ``elem`` is the scalar type."""

    elems: tuple[Atom, ...]
    elem: ScalarType
    row_shape: tuple[Size, ...]


@frozen
class Copy(FreshArray):
    """``copy x``: the elements of x in a new array."""

    x: Name


@frozen
class Concat(FreshArray):
    """``concat k x … x``: joined along dimension k; the other sizes are equal."""

    dim: int
    xs: tuple[Name, ...]


@frozen
class Scratch(FreshArray):
    """``scratch [d]…[d]t``: uninitialised elements, which must be written before they are read."""

    shape: tuple[Size, ...]
    elem: ScalarType


@frozen
class Update(InPlace):
    """``x with [slice] = a``: consumes x; the result lies where x lay.

    The slice is one of every dimension, or ``flat [o + {(n : s) …}]``, an LMAD over the index space
    of a one-dimensional array.  It must not contain an element twice (traps otherwise).  ``a`` is a
    scalar if all dimensions are fixed, else an array of the slice's shape.
    """

    x: Name
    where: Part
    value: Atom


@frozen
class Scatter(InPlace):
    """``scatter x is vs``: x with row is[k] replaced by vs[k]; consumes x.

    Indices outside x are ignored.  An index that occurs more than once is a data race.
    """

    x: Name
    indices: Name
    values: Name


# Control and parallelism.


@frozen
class Lambda(Generic[A]):
    r"""``\(x : t) … -> b``.

    In FUNMEM an array parameter has a home of its own, to which arguments are copied (call by
    copy).  So the operator's memory is explicit like all other memory.
    """

    params: "tuple[Binder[A], ...]"
    body: "Body[A]"


@frozen
class Map:
    """No collective: each result of the body becomes an array over all dimensions."""


@frozen
class Reduce(Generic[A]):
    """``reduce (op) (ne…)`` over the innermost dimension; ``comm`` allows any order.

    The body's first ``len(ne)`` results are reduced, the others are mapped.  ``op`` is
    associative with neutral element ``ne`` (trusted); the definition folds from the left.
    """

    op: Lambda[A]
    ne: tuple[Atom, ...]
    comm: bool = False


@frozen
class Scan(Generic[A]):
    """``scan (op) (ne…)``: inclusive prefix reduction over the innermost dimension."""

    op: Lambda[A]
    ne: tuple[Atom, ...]


@frozen
class Hist(Generic[A]):
    """``hist (dest…) (op) (ne…)``: the body's first result is a bucket, the next are values.

    ``dest[b] := op(dest[b], v)`` for each iteration in turn; a bucket outside dest is ignored;
    consumes dest.  With outer dimensions i < n, … dest has shape [n]…[buckets]…
    ``op`` is associative and commutative with neutral element ``ne`` (trusted).
    """

    dest: tuple[Name, ...]
    op: Lambda[A]
    ne: tuple[Atom, ...]


Collective: TypeAlias = Map | Reduce[A] | Scan[A] | Hist[A]


@frozen
class KernelDim:
    """``i < d``: i takes the values 0 … d-1."""

    index: Name
    size: Size


@frozen
class Kernel(Compound, Generic[A]):
    """``kernel i < d, … collective do b``: b for each index of the nest, in parallel.

    Results: first those of the collective (reduce: shape of the outer dimensions; scan: of all
    dimensions; hist: the new dest), then an array over all dimensions per remaining result of b.
    """

    dims: tuple[KernelDim, ...]
    collective: Collective[A]
    body: "Body[A]"


@frozen
class RaggedKernel(Compound, Generic[A]):
    """``kernel i < n, k in offs : m  map|reduce|scan  do b``: b for each element k of each row i.

    The rows lie end to end in arrays of m elements; ``offs : [n+1]i64`` are their offsets, so row i
    has the elements ``offs[i] <= k < offs[i+1]``.  Traps unless they begin at 0, end at m and do
    not descend.  Results: those of ``reduce`` have shape [n], all others [m].  ``schedule``
    replaces this form by kernels, so no later pass meets it.
    """

    row: KernelDim
    index: Name
    offsets: Name
    total: Size
    collective: Map | Reduce[A] | Scan[A]
    body: "Body[A]"


@frozen
class If(Compound, Generic[A]):
    """``if a then b else b``."""

    cond: Atom
    then: "Body[A]"
    orelse: "Body[A]"


@frozen
class LoopParam(Generic[A]):
    """``(x : t) = a``; with ``*`` the initial array is consumed and the body may update x."""

    binder: Binder[A]
    init: Atom
    unique: bool = False


@frozen
class For:
    """``for i < d``: i = 0 … d-1; no iterations if d <= 0."""

    index: Name
    bound: Size


@frozen
class While:
    """``while c``: iterate while the boolean loop parameter c is true."""

    cond: Name


@frozen
class Loop(Compound, Generic[A]):
    """``loop (x : t) = a … form do b``: b computes the parameters' next values."""

    params: tuple[LoopParam[A], ...]
    form: For | While
    body: "Body[A]"


@frozen
class Opaque(Compound):
    """``opaque f (a, …)``: fresh arrays that a foreign function computes from scalars and arrays.

    The pattern states their types.  The function is pure; it writes every element of its results
    and keeps no address.  With ``grid [d]…[d]`` it is a kernel: it runs once for each index of the
    grid, in any order, and the runs write different elements (trusted).  It is called outside
    kernels and functions.
    """

    fn: Name
    args: tuple[Atom, ...]
    grid: tuple[Size, ...] = ()


@frozen
class Assert:
    """``assert a "message" (a, …)``: binds nothing; traps if a is false.

    The message has a hole ``{}`` for each of the scalars ``values`` (:mod:`funmem.ir.messages`).
    """

    cond: Atom
    message: str
    values: tuple[Atom, ...] = ()


@frozen
class Alloc:
    """``alloc d``: a new block of d uninitialised *bytes* (fig. 6; FUNMEM only)."""

    size: Size
    space: Space = Space.DEVICE


Exp: TypeAlias = (
    # Scalar
    Const
    | Var
    | Bin
    | Un
    | Convert
    | Call
    # reads an element
    | Index
    # DerivedArray
    | Slice
    | Permute
    | Reshape
    | Reverse
    | FlatSlice
    # FreshArray
    | Iota
    | Replicate
    | ArrayLit
    | Copy
    | Concat
    | Scratch
    # InPlace
    | Update
    | Scatter
    # Compound
    | Kernel[A]
    | RaggedKernel[A]
    | If[A]
    | Loop[A]
    | Opaque
    # effects
    | Assert
    | Alloc
)
"""All expressions.  A ``match`` over them names classes or kinds (``case DerivedArray():``).

It has no wildcard, so that the type checker names each ``match`` that lacks a new expression.
"""

# ---------------------------------------------------------------------- statements and programs


@frozen
class Stm(Generic[A]):
    """``let p … p = e``."""

    pat: tuple[Binder[A], ...]
    exp: Exp[A]
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    free_names: frozenset[Name] | None = field(default=None, init=False, eq=False, repr=False)
    """The result of :func:`~funmem.ir.traverse.free_in_stm`, computed on first use."""


@frozen
class Body(Generic[A]):
    """``s … s in (a, …, a)``; ``at`` is the place of the result."""

    stms: tuple[Stm[A], ...]
    result: tuple[Atom, ...]
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    free_names: frozenset[Name] | None = field(default=None, init=False, eq=False, repr=False)
    """The result of :func:`~funmem.ir.traverse.free_in_body`, computed on first use."""
    bound: frozenset[Name] | None = field(default=None, init=False, eq=False, repr=False)
    """The result of :func:`~funmem.ir.traverse.bound_in_body`, computed on first use."""
    searches: tuple[tuple[object, object], ...] = field(
        default=(), init=False, eq=False, repr=False
    )
    """Questions and answers of :mod:`funmem.ir.logic.invariants`, if this is a loop's body."""


@frozen
class Param(Generic[A]):
    """A parameter that the caller passes; with ``*`` the entry point may update it."""

    binder: Binder[A]
    unique: bool = False


@frozen
class Entry(Generic[A]):
    """A named entry point: ``entry f [n] (x : [n]t) -> [k] (r : [k]t) = b``.

    ``implicit`` binds the sizes (i64) and, in FUNMEM, the blocks of array arguments;
    ``implicit_results`` those of array results.  The body returns the implicit results,
    then the results.
    Arrays that cross the border are row-major from offset 0 in FUNMEM (T-MEM-PROG).
    ``interface``: how a source program's types are made of these parameters and results; the text
    form does not have it.
    """

    name: Name
    implicit: tuple[Binder[A], ...]
    params: tuple[Param[A], ...]
    implicit_results: tuple[Binder[A], ...]
    results: tuple[Binder[A], ...]
    body: Body[A]
    at: Span = field(default=NOWHERE, eq=False, repr=False)
    interface: Interface | None = field(default=None, eq=False, repr=False)


@frozen
class Function:
    """``def f (x : t) … -> (r : t) … = b``: scalars from scalars (T-FUNCTION).

    The body has scalar expressions, ``if``, ``loop``, ``assert`` and calls of earlier functions.
    Its names are its own: every name is bound once in a function.
    """

    name: Name
    params: "tuple[Binder[Ann], ...]"
    results: "tuple[Binder[Ann], ...]"
    body: "Body[Ann]"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Program(Generic[A]):
    """Entry points, at least one; and functions, each of which calls only earlier ones."""

    entries: tuple[Entry[A], ...]
    functions: tuple[Function, ...] = ()


Ann: TypeAlias = Home | None
"""FUNMEM's annotation of a binder."""

FunProgram: TypeAlias = Program[None]
MemProgram: TypeAlias = Program[Ann]
