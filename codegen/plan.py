"""The host plan: what the host does for one entry point, as data.

A plan is a closed set of frozen records, written as JSON (``plan_json``) next to the OpenCL
source that it launches.  It holds no code, so it can be inspected, compared and stored.

    e    expressions  Const  Var  Binary  Unary  Cast             typed; evaluated by the host
    c    conditions   IMP's, with Test(e) for a boolean expression
    t    steps        SetScalar  Alias  Alloc  Free             variables of the host
                      Launch  ReadScalar  Fetch                 work for the device, and its answers
                      If  For  While  Verify                    control

Variables keep their IMP names.  Scalars hold Python values, block variables hold device buffers;
two block variables may hold the same buffer.  Sizes are polynomials, evaluated exactly.

A kernel's parameters are, in this order: ``n`` (number of iterations; not for tasks, which are
one work-item that runs host-level code), ``launch`` and the status buffer (if it can fail, must not
run after one that failed, or, a task, answers scalars), and its ``args``, scalars first.  The
status buffer holds 64-bit words:

    0  number of the failed check + 1, or 0         1  launch that failed
    2  work-item that failed                        3  lock
    4 … 4 + STATUS_VALUES - 1                       the values of the check's ``stored`` variables
    STATUS_OUT …                                    scalars that a task answers
"""

from collections.abc import Iterator
from typing import TypeAlias

from funmem.ir.diagnostics import Span, TrapKind
from funmem.ir.fun import Const, Var
from funmem.ir.imp import (
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
from funmem.ir.sizes import Size

PLAN_VERSION = 6
"""Counts up with every change of these records or of the kernels' calling convention."""

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
    """A boolean expression holds."""

    cond: Expr


Condition: TypeAlias = InRange | RangeInside | Injective | NonNegative | SizesEqual | Test

# ---------------------------------------------------------------------- kernels and checks


@frozen
class BlockArg:
    """A block: ``__global uchar *``."""

    x: Name


@frozen
class ScalarArg:
    """A scalar variable, passed by value."""

    x: Name
    type: ScalarType


Arg: TypeAlias = BlockArg | ScalarArg


@frozen
class KernelInfo:
    """A kernel of the OpenCL source; ``status``: it takes the status buffer."""

    name: str
    args: tuple[Arg, ...]
    status: bool
    task: bool
    at: Span


@frozen
class CheckInfo:
    """A check, by its number.

    A device reports a failure by storing the values of ``stored``, the variables that occur in
    ``args`` and in a condition over sizes; the host computes the message from them, exactly.
    What ``args`` shows has its type there, and its bits in the stored word; the others are i64.
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
    """Block variable x holds what y holds."""

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
    """Block variables that are used no more; a buffer that no variable holds is free again."""

    xs: tuple[Name, ...]


@frozen
class Launch:
    """One run of a kernel over the product of ``dims``; nothing if one is not positive."""

    kernel: int
    dims: tuple[Size, ...]
    at: Span


@frozen
class Out:
    """Scalar x is in the status buffer's next answer word."""

    x: Name
    type: ScalarType


@frozen
class Fetch:
    """Wait for a task and take over the scalars it answers."""

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
    """A loop of the host, as long as the boolean variable ``cond`` is true."""

    cond: Name
    body: "tuple[Step, ...]"


@frozen
class Verify:
    """Check number ``check``, by the host."""

    check: int


Step: TypeAlias = (
    SetScalar | Alias | Alloc | Free | Launch | Fetch | ReadScalar | If | For | While | Verify
)
Steps: TypeAlias = tuple[Step, ...]


def every_step(steps: Steps) -> Iterator[Step]:
    """Steps, and those inside of them, in the order in which they are written."""
    for step in steps:
        yield step
        match step:
            case If(_, then, orelse):
                yield from every_step(then)
                yield from every_step(orelse)
            case For(_, _, body) | While(_, body):
                yield from every_step(body)
            case _:
                pass


def most_answers(steps: Steps) -> int:
    """The most scalars that any task of a plan answers."""
    return max((len(s.outs) for s in every_step(steps) if isinstance(s, Fetch)), default=0)


# ---------------------------------------------------------------------- plans


@frozen
class Variable:
    """A scalar variable of the host and its type."""

    x: Name
    type: ScalarType


@frozen
class EntryPlan:
    """One entry point.

    ``sizes`` are set from the shapes of the array arguments; array parameters start as fresh
    buffers that hold the arguments, row-major.  ``group``: work-items of a group for long ranges;
    0: as the runtime thinks best.  ``written``: the blocks of array parameters that may be written.
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
    """All entry points of a program, for one build of its kernels; ``f64``: it uses doubles."""

    version: int
    safe: bool
    f64: bool
    entries: tuple[EntryPlan, ...]


@frozen
class Compiled:
    """A plan and the OpenCL C source of the kernels that it launches."""

    plan: Plan
    source: str
