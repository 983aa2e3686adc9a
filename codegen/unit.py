"""The state that the kernels of one entry point share while they are printed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from attrs import field

from funmem.codegen.comments import describe
from funmem.codegen.exprs import NO_RANGES, Ranges, typed_condition
from funmem.codegen.facts import given, inside
from funmem.codegen.plan import STATUS_VALUES, CheckInfo
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import ScalarExp
from funmem.ir.imp import Block, CallStm, Check, ImpDim, ImpFunction, ImpStm
from funmem.ir.imp_traverse import VarType, argument_names, condition_sizes, is_partial, sizes_names
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.sizes import Size


class NotReady(SourceError):
    """The program must go through another pass before it can become kernels."""

    def __init__(self, s: ImpStm, why: str, remedy: str) -> None:
        super().__init__(Diagnostic(s.at, "device", f"`{describe(s)}` {why}", remedy))


@frozen
class Callee:
    """A printed function: its C name, and whether it is partial."""

    name: str
    partial: bool


@define
class Callees:
    """The functions of a program as C functions, for one entry point.

    ``long``: those that may run long; ``emit``: prints one.
    """

    functions: Mapping[Name, ImpFunction]
    names: Mapping[Name, str]
    long: frozenset[Name]
    emit: "Callable[[Unit, ImpFunction, str], str]"
    texts: list[str] = field(factory=list)
    """The functions printed so far, callees before callers."""
    _done: set[Name] = field(factory=set)

    def of(self, unit: "Unit", name: Name) -> Callee:
        """Return a function for a call from a kernel of ``unit``, printed if it was not yet."""
        f = self.functions[name]
        if name not in self._done:
            self._done.add(name)
            text = self.emit(unit, f, self.names[name])
            self.texts.append(text)
        return Callee(self.names[name], is_partial(f))


def plain_lanes(_: Size, __: Block) -> str:
    """Return the macro in front of every loop whose iterations are independent."""
    return "FM_LANES"


@define
class Unit:
    """The state that the kernels of one entry point share while they are printed."""

    types: dict[Name, VarType]
    sizes: frozenset[Name] = frozenset()
    """The sizes of arguments; they are not negative."""
    gnu: bool = False
    """True: the text is C with GNU extensions; False: it is OpenCL C."""
    ranges: Ranges = NO_RANGES
    """Known ranges of variables at the statement that is being printed."""
    checks: list[CheckInfo] = field(factory=list)
    callees: "Callees | None" = None
    """The functions that may be called."""
    lanes: Callable[[Size, Block], str] = plain_lanes
    """Returns the macro in front of a loop whose iterations are independent, given its bound."""
    numbers: frozenset[Name] = frozenset()
    """The float variables that are never NaN."""
    masks: bool = False
    """True: the text is for processors, where masks replace some branches; see ``scatter``."""

    @contextmanager
    def inside(self, dims: Sequence[ImpDim], body: Block) -> Iterator[None]:
        """Use the ranges that hold in the body of a loop or kernel, until the block ends."""
        outer = self.ranges
        self.ranges = inside(outer, dims, body)
        yield
        self.ranges = outer

    @contextmanager
    def given(self, cond: ScalarExp, body: Block) -> Iterator[None]:
        """Use the ranges that hold in a branch whose condition holds, until the block ends."""
        outer = self.ranges
        self.ranges = given(outer, cond, body)
        yield
        self.ranges = outer

    def callee(self, s: CallStm) -> "Callee":
        """Return the C function that a call is for; it is printed on its first call."""
        if self.callees is None or s.fn not in self.callees.functions:
            raise SourceError(Diagnostic(s.at, "T-IMP-CALL", f"there is no function {s.fn}"))
        return self.callees.of(self, s.fn)

    def check(self, c: Check) -> int:
        """Register a check and return its number."""
        cond = typed_condition(c.cond, self.types, c.at)
        stored = sorted(sizes_names(condition_sizes(c.cond)) | argument_names(c.args))[
            :STATUS_VALUES
        ]
        self.checks.append(CheckInfo(cond, c.kind, c.message, c.args, tuple(stored), c.at))
        return len(self.checks) - 1
