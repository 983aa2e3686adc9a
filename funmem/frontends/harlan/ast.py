"""The syntax tree of Harlan, with macros expanded and names resolved.

    m  programs      d …
    d  declarations  (define (f x …) e)  |  (define-datatype T (C t …) …)  |  (extern f (t …) -> t)
    t  types         int | u64 | float | bool | char | str | void | T | (vec t) | (ptr t)
                     (closure (t …) -> t)  |  any other symbol
    e  expressions   x | literal | (op e e) | (f e …) | (C e …) | (e e …)
                     if | begin | let | while | for | match | let-region | assert | error!
                     lambda | set! | print
                     vector | iota | length | vector-ref | kernel | reduce | scan | filter …

A statement is an expression that has no value.  A variable is a :class:`Local`, which its binder
makes: two variables of one name are two of them.  ``reduce``, ``scan`` and ``filter`` hold their
function as binders and a body, because it may be a macro.
"""

from enum import Enum
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import Span
from funmem.ir.record import define, frozen
from funmem.ir.scalars import BinOp

# ---------------------------------------------------------------------- types


@frozen
class Named:
    """``int``, a datatype, or any other symbol: an opaque foreign type."""

    name: str
    at: Span = field(eq=False)


@frozen
class Vec:
    """``(vec t)``."""

    elem: "Type"
    at: Span = field(eq=False)


@frozen
class Ptr:
    """``(ptr t)``."""

    elem: "Type"
    at: Span = field(eq=False)


@frozen
class ClosureType:
    """``(closure (t …) -> t)``."""

    params: "tuple[Type, ...]"
    result: "Type"
    at: Span = field(eq=False)


Type: TypeAlias = Named | Vec | Ptr | ClosureType

# ---------------------------------------------------------------------- names


@define(eq=False)
class Local:
    """A variable; ``assigned``: a ``set!`` of it occurs."""

    name: str
    at: Span
    assigned: bool = False


@frozen(eq=False)
class Region:
    """A region that ``let-region`` binds."""

    name: str
    at: Span


# ---------------------------------------------------------------------- expressions


@frozen(eq=False)
class Var:
    """``x``."""

    local: Local
    at: Span


@frozen(eq=False)
class Number:
    """A number; ``fractional``: it has a point or an exponent."""

    text: str
    fractional: bool
    at: Span


@frozen(eq=False)
class Bool:
    """``#t``, ``#f``."""

    value: bool
    at: Span


@frozen(eq=False)
class Char:
    """A character, as its code."""

    code: int
    at: Span


@frozen(eq=False)
class Str:
    """A text, as its bytes."""

    value: bytes
    at: Span


@frozen(eq=False)
class Bin:
    """``(op e e)``; ``text`` is the operator as it is written."""

    op: BinOp
    text: str
    a: "Exp"
    b: "Exp"
    at: Span


@frozen(eq=False)
class Intrinsic:
    """``(name e …)``: an operation that the library names (intrinsics.py)."""

    name: str
    args: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class If:
    """``(if e e e)``; without ``orelse`` it has no value."""

    cond: "Exp"
    then: "Exp"
    orelse: "Exp | None"
    at: Span


@frozen(eq=False)
class Begin:
    """``(begin e … e)``: at least one; the value is that of the last."""

    parts: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Let:
    """``(let ((x e) …) e)``, in parallel."""

    bindings: "tuple[tuple[Local, Exp], ...]"
    body: "Exp"
    at: Span


@frozen(eq=False)
class While:
    """``(while e e)``."""

    cond: "Exp"
    body: "Exp"
    at: Span


@frozen(eq=False)
class For:
    """``(for (i from to step) e)``: the bounds are evaluated once, and i is below ``to``."""

    local: Local
    start: "Exp"
    stop: "Exp"
    step: "Exp | None"
    body: "Exp"
    at: Span


@frozen(eq=False)
class Arm:
    """``((C x …) e)``."""

    constructor: str
    binders: tuple[Local, ...]
    body: "Exp"
    at: Span


@frozen(eq=False)
class Match:
    """``(match e arm …)``."""

    exp: "Exp"
    arms: tuple[Arm, ...]
    at: Span


@frozen(eq=False)
class Lambda:
    """``(lambda (x …) e)``; ``captured``: the variables around it that it mentions."""

    params: tuple[Local, ...]
    body: "Exp"
    captured: tuple[Local, ...]
    at: Span


@frozen(eq=False)
class Apply:
    """``(e e …)``: a closure is called."""

    fn: "Exp"
    args: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Call:
    """``(f e …)``: a definition or a foreign function is called."""

    fn: "Define | Extern"
    args: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class Construct:
    """``(C e …)``."""

    constructor: str
    args: "tuple[Exp, ...]"
    at: Span


@frozen(eq=False)
class SetVar:
    """``(set! x e)``."""

    local: Local
    value: "Exp"
    at: Span


@frozen(eq=False)
class SetElem:
    """``(set! (vector-ref e e) e)``."""

    vector: "Exp"
    index: "Exp"
    value: "Exp"
    at: Span


@frozen(eq=False)
class Print:
    """``(print e)``, ``(print e stream)``."""

    value: "Exp"
    stream: "Exp | None"
    at: Span


@frozen(eq=False)
class Assert:
    """``(assert e)``."""

    cond: "Exp"
    at: Span


@frozen(eq=False)
class Error:
    """``(error! "text")``: has any type."""

    message: str
    at: Span


@frozen(eq=False)
class LetRegion:
    """``(let-region (r …) e)``."""

    regions: tuple[Region, ...]
    body: "Exp"
    at: Span


@frozen(eq=False)
class VectorOf:
    """``(vector e …)``, ``(vector-r r e …)``."""

    elems: "tuple[Exp, ...]"
    region: Region | None
    at: Span


@frozen(eq=False)
class Iota:
    """``(iota e)``, ``(iota-r r e)``."""

    count: "Exp"
    region: Region | None
    at: Span


@frozen(eq=False)
class Length:
    """``(length e)``."""

    vector: "Exp"
    at: Span


@frozen(eq=False)
class VectorRef:
    """``(vector-ref e e)``; both spellings check the index."""

    vector: "Exp"
    index: "Exp"
    at: Span


@frozen(eq=False)
class Reinterpret:
    """``(unsafe-vec-ptr e)``: a vector as a pointer; with ``elem``, a pointer to it as a vector."""

    exp: "Exp"
    elem: Type | None
    at: Span


@frozen(eq=False)
class Kernel:
    """``(kernel ((x e) …) e)``, ``(kernel-r r …)``."""

    bindings: "tuple[tuple[Local, Exp], ...]"
    body: "Exp"
    region: Region | None
    at: Span


class FoldKind(Enum):
    """What a :class:`Fold` computes."""

    REDUCE = "reduce"
    """``(reduce op v)``, in any order; op is associative and commutative."""
    INNER_REDUCE = "inner-reduce"
    """The same from the left."""
    SCAN = "scan"
    """``(scan op init v)``, exclusive."""
    FILTER = "filter"
    """``(filter p v)``."""


@frozen(eq=False)
class Fold:
    """``reduce``, ``scan``, ``filter``: the function is ``body`` over ``params``."""

    kind: FoldKind
    params: tuple[Local, ...]
    body: "Exp"
    init: "Exp | None"
    vector: "Exp"
    at: Span


@frozen(eq=False)
class Cast:
    """``(unsafe-explicit-cast (t -> t) e)``."""

    source: Type
    target: Type
    exp: "Exp"
    at: Span


Literal: TypeAlias = Number | Bool | Char | Str
VectorExp: TypeAlias = VectorOf | Iota | Length | VectorRef | Reinterpret | Kernel | Fold
StatementExp: TypeAlias = SetVar | SetElem | Print | Assert | While | For
Exp: TypeAlias = (
    Var
    | Literal
    | Bin
    | Intrinsic
    | If
    | Begin
    | Let
    | Match
    | Lambda
    | Apply
    | Call
    | Construct
    | Error
    | LetRegion
    | Cast
    | VectorExp
    | StatementExp
)

# ---------------------------------------------------------------------- declarations


@define(eq=False)
class Define:
    """``(define (f x …) e)``; ``body`` is set when all declarations are known."""

    name: str
    library: bool
    at: Span
    params: tuple[Local, ...] = ()
    body: Exp | None = None

    @property
    def exp(self) -> Exp:
        assert self.body is not None
        return self.body


@frozen(eq=False)
class Constructor:
    """``(C t …)``."""

    name: str
    fields: tuple[Type, ...]
    at: Span


@frozen(eq=False)
class Datatype:
    """``(define-datatype T (C t …) …)``."""

    name: str
    constructors: tuple[Constructor, ...]
    at: Span


@frozen(eq=False)
class Extern:
    """``(extern f (t …) -> t)``."""

    name: str
    params: tuple[Type, ...]
    result: Type
    library: bool
    at: Span


@frozen(eq=False)
class Program:
    """The declarations of a program and of the libraries that it imports."""

    datatypes: tuple[Datatype, ...]
    externs: tuple[Extern, ...]
    defines: tuple[Define, ...]
    at: Span

    @property
    def main(self) -> Define | None:
        """Return the definition of ``main``; None if there is none."""
        return next((d for d in self.defines if d.name == "main" and not d.library), None)
