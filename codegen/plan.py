"""The host plan: the host's actions for one entry point, as data.

A plan is a tree of frozen records of closed unions, written as JSON (``plan_json``) next to the
OpenCL source that it launches.  It contains no code, so it can be inspected, compared and stored.

    e    expressions  Const  Var  Binary  Unary  Cast             typed; evaluated by the host
    c    conditions   IMP's, with Test(e) for a boolean expression
    t    steps        SetScalar  Alias  Alloc  Free             variables of the host
                      Launch  ReadScalar  Fetch                 work for the device, and its results
                      CallForeign                               functions in other languages
                      If  For  While  Verify                    control

Variables keep their IMP names.  Scalars hold Python values, block variables hold device buffers;
two block variables may hold the same buffer.  Sizes are polynomials, evaluated exactly.

A *task* is a kernel of one work-item that runs host-level code.  The parameters of a kernel are, in
this order:

    n                  number of iterations; tasks do not have it
    launch, status     launch number and status buffer; only for a kernel that can fail, that must
                       not run after a failed kernel, or that is a task and returns scalars
    args               scalars, then blocks

The status buffer holds 64-bit words:

    0  number of the failed check + 1, or 0         1  launch that failed
    2  work-item that failed                        3  lock
    4 … 4 + STATUS_VALUES - 1                       the values of the check's ``stored`` variables
    STATUS_OUT …                                    scalars that a task returns
"""

from collections.abc import Iterator
from typing import TypeAlias

from funmem.ir.diagnostics import Span, TrapKind
from funmem.ir.fun import Const, Var
from funmem.ir.imp import (
    ImpEntry,
    Injective,
    InRange,
    NonNegative,
    Port,
    RangeInside,
    Shown,
    SizesEqual,
)
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BinOp, ScalarType, UnOp
from funmem.ir.signature import Signature, signature
from funmem.ir.sizes import Size

PLAN_VERSION = 9
"""Incremented with every change of these records or of the kernels' calling convention."""

STATUS_HEAD = 4
STATUS_VALUES = 28
STATUS_OUT = STATUS_HEAD + STATUS_VALUES

# ---------------------------------------------------------------------- expressions


@frozen
class Binary:
    """``a ⊕ b`` on operands of ``type``."""

    op: BinOp
    type: ScalarType
    a: "Expr"
    b: "Expr"


@frozen
class Unary:
    """``⊖ a`` on an operand of ``type``."""

    op: UnOp
    type: ScalarType
    a: "Expr"


@frozen
class Cast:
    """``a``, of type ``source``, as a value of type ``to``."""

    to: ScalarType
    source: ScalarType
    a: "Expr"


Expr: TypeAlias = Const | Var | Binary | Unary | Cast


@frozen
class Test:
    """The boolean expression ``cond`` is true."""

    cond: Expr


Condition: TypeAlias = InRange | RangeInside | Injective | NonNegative | SizesEqual | Test

# ---------------------------------------------------------------------- kernels and checks


@frozen
class BlockArg:
    """A block, passed as ``__global uchar *``."""

    x: Name


@frozen
class ScalarArg:
    """A scalar variable, passed by value."""

    x: Name
    type: ScalarType


Arg: TypeAlias = BlockArg | ScalarArg


@frozen
class KernelInfo:
    """A kernel of the OpenCL source.

    ``status``: it takes the status buffer.  ``task``: it is one work-item.  ``soon``: a work-item
    takes no noticeable time, whatever the arguments are.  ``grain``: 0 if a work-item is one
    iteration; otherwise the work-items share the iterations evenly, however many there are, and
    each should have at least so many.
    """

    name: str
    args: tuple[Arg, ...]
    status: bool
    task: bool
    soon: bool
    grain: int
    at: Span


@frozen
class CheckInfo:
    """A run-time check; the plan refers to it by its index in ``EntryPlan.checks``.

    On failure a device stores the values of the variables ``stored``, which occur in ``args`` or in
    a condition over sizes.  The host computes the exact message from them.  A ``Shown`` variable of
    ``args`` is stored as the bits of its type, every other variable as an i64.
    """

    cond: Condition
    kind: TrapKind
    message: str
    args: tuple[Size | Shown, ...]
    stored: tuple[Name, ...]
    at: Span


# ---------------------------------------------------------------------- steps


@frozen
class SetScalar:
    """``x <- e``."""

    x: Name
    value: Expr
    at: Span


@frozen
class Alias:
    """Block variable x holds the buffer that y holds."""

    x: Name
    y: Name


@frozen
class Alloc:
    """Block variable x holds a new buffer of ``size`` bytes."""

    x: Name
    size: Size
    at: Span


@frozen
class Free:
    """Block variables ``xs`` are dead; a buffer that no variable holds is freed."""

    xs: tuple[Name, ...]


@frozen
class Launch:
    """One run of a kernel over the product of ``dims``; no run if one of them is not positive."""

    kernel: int
    dims: tuple[Size, ...]
    at: Span


@frozen
class Out:
    """A scalar variable that a task returns in one of the words from STATUS_OUT on."""

    x: Name
    type: ScalarType


@frozen
class Fetch:
    """Wait for a task and read the scalars that it returns, in the order of ``outs``."""

    outs: tuple[Out, ...]


@frozen
class ReadScalar:
    """``x <- block[index] : elem``: waits for the device."""

    x: Name
    block: Name
    index: Size
    elem: ScalarType
    at: Span


@frozen
class CallForeign:
    """``outs <- f(args)``: the host calls a foreign function, after all work that was launched."""

    outs: "tuple[Out, ...]"
    fn: Name
    args: tuple[Expr, ...]
    types: tuple[ScalarType, ...]
    effect: bool
    at: Span


@frozen
class If:
    """A conditional of the host."""

    cond: Expr
    then: "tuple[Step, ...]"
    orelse: "tuple[Step, ...]"


@frozen
class For:
    """A loop of the host: index = 0 … bound-1."""

    index: Name
    bound: Size
    body: "tuple[Step, ...]"


@frozen
class While:
    """A loop of the host: it runs while the boolean variable ``cond`` is true."""

    cond: Name
    body: "tuple[Step, ...]"


@frozen
class Verify:
    """The host evaluates check number ``check``."""

    check: int


Step: TypeAlias = (
    SetScalar | Alias | Alloc | Free | Launch | Fetch | ReadScalar | CallForeign
    | If | For | While | Verify
)  # fmt: skip
Steps: TypeAlias = tuple[Step, ...]


def inner_steps(step: Step) -> tuple[Steps, ...]:
    """Return the step lists nested directly in a step."""
    match step:
        case If(_, then, orelse):
            return (then, orelse)
        case For(_, _, body) | While(_, body):
            return (body,)
        case SetScalar() | Alias() | Alloc() | Free() | Launch() | Fetch() | ReadScalar():
            return ()
        case CallForeign() | Verify():
            return ()


def every_step(steps: Steps) -> Iterator[Step]:
    """Yield the steps and all nested steps, in program order."""
    for step in steps:
        yield step
        for body in inner_steps(step):
            yield from every_step(body)


def most_answers(steps: Steps) -> int:
    """Return the largest number of scalars that a task of the plan returns."""
    return max((len(s.outs) for s in every_step(steps) if isinstance(s, Fetch)), default=0)


# ---------------------------------------------------------------------- plans


@frozen
class Variable:
    """A scalar variable of the host and its type."""

    x: Name
    type: ScalarType


@frozen
class EntryPlan:
    """The plan of one entry point.

    ``sizes`` are set from the shapes of the array arguments.  The block of an array parameter
    holds the argument, row-major.  ``written``: the blocks of array parameters that may be written.
    ``group``: work-items per group for long ranges; 0 leaves the choice to the runtime.
    """

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[Port, ...]
    results: tuple[Port, ...]
    variables: tuple[Variable, ...]
    kernels: tuple[KernelInfo, ...]
    checks: tuple[CheckInfo, ...]
    steps: Steps
    at: Span
    written: tuple[Name, ...]
    group: int = 0


@frozen
class Plan:
    """The plans of all entry points of a program, for one build of its kernels.

    ``safe``: the kernels contain all checks; ``f64``: the program uses doubles.
    """

    version: int
    safe: bool
    f64: bool
    entries: tuple[EntryPlan, ...]


@frozen
class Compiled:
    """A plan and the OpenCL C source of the kernels that it launches."""

    plan: Plan
    source: str


def signature_of(e: EntryPlan) -> Signature:
    """Return the signature of an entry point."""
    return signature(ImpEntry(e.name, e.sizes, e.params, (), e.results))
