"""A plan together with the IMP statements of its kernels."""

from collections.abc import Sequence

from attrs import field

from funmem.codegen.device_c import Printer
from funmem.codegen.device_program import device_program
from funmem.codegen.plan import EntryPlan, KernelInfo, Launch, Steps
from funmem.codegen.split import Splitter
from funmem.ir.imp import (
    Block,
    ImpDim,
    ImpEntry,
    ImpFunction,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
)
from funmem.ir.names import Name
from funmem.ir.record import define, frozen


@frozen
class Traced:
    """The plan of an entry point; ``bodies[k]``: the statements of kernel number k.

    ``entry``: the entry point as it is split (device_program.py).
    """

    entry: ImpEntry
    plan: EntryPlan
    bodies: tuple[Block, ...]
    functions: tuple[ImpFunction, ...] = ()


def traced(entry: ImpEntry, functions: Sequence[ImpFunction] = ()) -> Traced:
    """Return the plan that ``compile_imp`` makes with all checks.  Raises SourceError.

    ``functions``: those of the program, which the entry point may call.
    """
    program = device_program(ImpProgram((entry,), tuple(functions)))
    splitter = _Tracing(program.entries[0], 0, _no_text, gnu=False, functions=functions)
    plan = splitter.compile()
    return Traced(splitter.entry, plan, tuple(splitter.bodies), tuple(functions))


@define
class _Tracing(Splitter):
    bodies: list[Block] = field(factory=list)

    def kernel(self, s: KernelStm, dims: tuple[ImpDim, ...], body: Block) -> Launch:
        self.bodies.append((s,))
        return Splitter.kernel(self, s, dims, body)

    def opaque(self, s: OpaqueStm) -> Launch:
        self.bodies.append((s,))
        return Splitter.opaque(self, s)

    def task(self, block: Block, needed: frozenset[Name]) -> Steps:
        self.bodies.append(tuple(block))
        return Splitter.task(self, block, needed)


def _no_text(
    info: KernelInfo,  # noqa: ARG001
    s: ImpStm,  # noqa: ARG001
    p: Printer,  # noqa: ARG001
    indices: Sequence[str],  # noqa: ARG001
    bounds: Sequence[str],  # noqa: ARG001
) -> str:
    return ""
