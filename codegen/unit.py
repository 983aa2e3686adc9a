"""The state that the kernels of one entry point share while they are printed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from attrs import field

from funmem.codegen.comments import describe
from funmem.codegen.exprs import NO_RANGES, Ranges, typed_condition
from funmem.codegen.facts import inside
from funmem.codegen.plan import STATUS_VALUES, CheckInfo
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.imp import Block, Check, ImpDim, ImpStm
from funmem.ir.imp_traverse import VarType, argument_names, condition_sizes, sizes_names
from funmem.ir.names import Name
from funmem.ir.record import define


class NotReady(SourceError):
    """The program must go through another pass before it can become kernels."""

    def __init__(self, s: ImpStm, why: str, remedy: str) -> None:
        super().__init__(Diagnostic(s.at, "device", f"`{describe(s)}` {why}", remedy))


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

    @contextmanager
    def inside(self, dims: Sequence[ImpDim], body: Block) -> Iterator[None]:
        """Use the ranges that hold in the body of a loop or kernel, until the block ends."""
        outer = self.ranges
        self.ranges = inside(outer, dims, body)
        yield
        self.ranges = outer

    def check(self, c: Check) -> int:
        """Register a check and return its number."""
        cond = typed_condition(c.cond, self.types, c.at)
        stored = sorted(sizes_names(condition_sizes(c.cond)) | argument_names(c.args))[
            :STATUS_VALUES
        ]
        self.checks.append(CheckInfo(cond, c.kind, c.message, c.args, tuple(stored), c.at))
        return len(self.checks) - 1
