"""IMP: variables, flat memory, loops and parallel kernels (fig. 11).

    s   statements    var x : t                         declaration
                      x <- se                           assignment (scalars and blocks)
                      x <- alloc d                      a fresh block of d bytes
                      x <- m[d] : t                     read element d of block m seen as t
                      m[d] : t <- se                    write
                      if a then s else s fi             conditional
                      for i < d do s done               sequential loop
                      while x do s done                 sequential loop
                      kernel i < d, … do s done         parallel loop nest
                      call (x, …) <- f (se, …)          call of a function
                      opaque ((m : t)) <- f (a, …)      foreign code on whole arrays
                      check c kind "message" (d, …)     trap unless c holds

Scalar expressions and sizes are FUN's.  Offsets, bounds and block sizes stay polynomials
(:class:`~funmem.ir.sizes.Size`) that denote exact integers, so no product overflows before a device
computes it.  Blocks hold bytes; an access states the element type, and its offset counts elements.
The implicit checks of FUN (bounds, shapes, divisors) are explicit ``check`` statements, so that a
back end can print them or, for a fast build, omit some kinds.  A function is FUN's: scalar
variables, control and checks, without blocks and kernels; it calls only earlier ones.
"""

from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Span, TrapKind
from funmem.ir.fun import Atom, Linkage, MemType, ScalarExp, Space
from funmem.ir.lmad import Dim
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size

# ---------------------------------------------------------------------- conditions of a check


@frozen
class InRange:
    """``0 <= i < n``."""

    i: Size
    n: Size


@frozen
class RangeInside:
    """A slice stays inside a dimension: ``len = 0``, or first and last element are in [0, n).

    ``start : len : stride inside n``; a negative length does not hold.
    """

    start: Size
    len: Size
    stride: Size
    n: Size


@frozen
class Injective:
    """``{(n : s) …}``: distinct indices ``i_k < n_k`` have distinct ``sum_k i_k * s_k``.

    So a slice that is written has no element twice.
    """

    dims: tuple[Dim, ...]


@frozen
class NonNegative:
    """``0 <= d``."""

    d: Size


@frozen
class SizesEqual:
    """``a == b`` as integers."""

    a: Size
    b: Size


@frozen
class Holds:
    """A boolean scalar expression is true."""

    cond: ScalarExp


Condition: TypeAlias = InRange | RangeInside | Injective | NonNegative | SizesEqual | Holds

# ---------------------------------------------------------------------- statements


@frozen
class Declare:
    """``var x : t``: a scalar or a block variable, without a value until it is assigned."""

    x: Name
    type: ScalarType | MemType
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Assign:
    """``x <- se``; for a block variable, se is the name of another block variable."""

    x: Name
    value: ScalarExp
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Allocate:
    """``x <- alloc d``: d uninitialised bytes; ``alloc.local``, ``alloc.private``."""

    x: Name
    size: Size
    space: Space = Space.DEVICE
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Read:
    """``x <- m[d] : t``."""

    x: Name
    block: Name
    index: Size
    elem: ScalarType
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class Write:
    """``m[d] : t <- se``."""

    block: Name
    index: Size
    value: ScalarExp
    elem: ScalarType
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class CopyElement:
    """``m[d] <- m'[d'] : t``: one element moved as it is.

    The paper writes a read and a write.  It is one statement here so that an uninitialised element
    may be moved (poison moves with it); only a *use* of it is an error.
    """

    dst: Name
    dst_index: Size
    src: Name
    src_index: Size
    elem: ScalarType
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class IfStm:
    """``if a then s else s fi``."""

    cond: Atom
    then: "Block"
    orelse: "Block"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class ForStm:
    """``for i < d do s done``: in order; no iterations if d <= 0."""

    index: Name
    bound: Size
    body: "Block"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class WhileStm:
    """``while x do s done``: x is a boolean variable."""

    cond: Name
    body: "Block"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class ImpDim:
    """``i < d`` of a kernel."""

    index: Name
    bound: Size


@frozen
class KernelStm:
    """``kernel i < d, … do s done``: iterations in any order, or concurrently.

    A variable declared in the body belongs to one iteration; a body assigns no outer variable.
    """

    dims: tuple[ImpDim, ...]
    body: "Block"
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class CallStm:
    """``call (x, …) <- f (se, …)``: assigns the results of a function.

    ``partial`` states that the function may trap or not terminate (T-IMP-CALL); a foreign one is
    always taken to.
    """

    results: tuple[Name, ...]
    fn: Name
    args: tuple[ScalarExp, ...]
    partial: bool = False
    linkage: Linkage = Linkage.OWN
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class OpaqueStm:
    """``opaque ((m : [d]t), …) <- f (a | (m : [d]t), …) grid [d]…``: FUN's ``opaque`` on blocks.

    The function reads the arrays of its arguments and writes all elements of its results, which
    lie in other blocks.
    """

    results: "tuple[ArrayPort, ...]"
    fn: Name
    args: "tuple[Atom | ArrayPort, ...]"
    grid: tuple[Size, ...] = ()
    at: Span = field(default=NOWHERE, eq=False, repr=False)

    @property
    def arrays(self) -> "tuple[ArrayPort, ...]":
        """The arrays among the arguments."""
        return tuple(a for a in self.args if isinstance(a, ArrayPort))


@frozen
class Shown:
    """``x : t`` in a message: the value of a scalar variable of any type."""

    x: Name
    type: ScalarType


@frozen
class Check:
    """``check c kind "message" (d, …)``: trap with the message unless c holds.

    The holes of the message (:mod:`funmem.ir.messages`) are filled with sizes and values of
    variables.
    """

    cond: Condition
    kind: TrapKind
    message: str
    args: tuple[Size | Shown, ...] = ()
    at: Span = field(default=NOWHERE, eq=False, repr=False)


ImpStm: TypeAlias = (
    Declare
    | Assign
    | Allocate
    | Read
    | Write
    | CopyElement
    | IfStm
    | ForStm
    | WhileStm
    | KernelStm
    | CallStm
    | OpaqueStm
    | Check
)

Block: TypeAlias = tuple[ImpStm, ...]
"""``s; …; s``; the empty block is the paper's skip."""

# ---------------------------------------------------------------------- programs


@frozen
class ScalarPort:
    """``(x : t)``: a scalar that the caller passes, or variable x as a result.

    ``known_as`` is its name in the program that was lowered, for people; it is not in the text.
    """

    x: Name
    type: ScalarType
    known_as: Name | None = field(default=None, eq=False, repr=False)

    @property
    def name(self) -> Name:
        """The name that callers use."""
        return self.known_as or self.x


@frozen
class ArrayPort:
    """``(m : [d]…[d]t)``: block m holds an array, row-major from offset 0.

    ``known_as`` is the array's name in the program that was lowered, as in :class:`ScalarPort`.
    """

    block: Name
    elem: ScalarType
    shape: tuple[Size, ...]
    known_as: Name | None = field(default=None, eq=False, repr=False)

    @property
    def name(self) -> Name:
        """The name that callers use."""
        return self.known_as or self.block


Port: TypeAlias = ScalarPort | ArrayPort


@frozen
class ImpEntry:
    """``entry f [n] (x : t) … { s } return (r : t) …``.

    ``sizes`` are i64 variables that the shapes of array arguments determine.
    """

    name: Name
    sizes: tuple[Name, ...]
    params: tuple[Port, ...]
    body: Block
    results: tuple[Port, ...]
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class ImpFunction:
    """``def f (x : t) … { s } return (r : t) …``: scalars from scalars (T-IMP-FUNCTION)."""

    name: Name
    params: tuple[ScalarPort, ...]
    body: Block
    results: tuple[ScalarPort, ...]
    at: Span = field(default=NOWHERE, eq=False, repr=False)


@frozen
class ImpProgram:
    """Entry points, at least one; and functions, each of which calls only earlier ones."""

    entries: tuple[ImpEntry, ...]
    functions: tuple[ImpFunction, ...] = ()
