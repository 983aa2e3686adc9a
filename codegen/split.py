"""IMP -> what the host does, and the kernels that it launches.

A statement of an entry point goes to one of three places:

    kernel i < n, …        becomes a kernel: its iterations may run in any order, or at once.
    memory, element-wise   ``m[d] <- se``, element copies, and ``if``/``for``/``while`` that touch
                           memory but contain neither kernel nor alloc: become a *task*, a kernel
                           of one iteration.  Neighbouring statements join one task, and scalars
                           that it sets and that are needed later come back with the status buffer.
    all else               stays on the host: scalars, sizes, allocations, control, checks, and
                           single reads that no task contains.

A task must not set a block variable that is needed later (a device cannot hand a pointer back);
such statements stay on the host, and their parts become tasks.

How a kernel is written down is its language's affair (:data:`Emit`).
"""

from collections.abc import Callable, Collection, Sequence

from attrs import field

from funmem.codegen.comments import describe
from funmem.codegen.device_c import Printer, Unit
from funmem.codegen.exprs import scalar_type, sizes_known, typed
from funmem.codegen.facts import Facts, facts, kernel_bounds, written_blocks
from funmem.codegen.liveness import with_frees
from funmem.codegen.plan import (
    Alias,
    Alloc,
    EntryPlan,
    Fetch,
    For,
    If,
    KernelInfo,
    Launch,
    Out,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Variable,
    Verify,
    While,
)
from funmem.codegen.scatter import chosen_blocks, read_from
from funmem.codegen.stray import after_failures, goes_astray
from funmem.codegen.unroll import from_memory
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import MemType, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpStm,
    KernelStm,
    Port,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import nested, sizes_names, variable_types
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType

Names = frozenset[Name]


# ---------------------------------------------------------------------- one entry point


Emit = Callable[[KernelInfo, ImpStm, Printer, Sequence[str], Sequence[str]], str]
"""A kernel's text, from what it is, its statement, its printed body, and the C names of its indices
and bounds (of all dimensions but the first, which no body needs); a task has none.
"""


@frozen
class Printed:
    """A kernel (or task) whose body is printed."""

    block: Block
    printer: Printer
    indices: Sequence[str]
    bounds: Sequence[str]


@define
class Splitter:
    """The compilation of one entry point, the program's ``number``-th."""

    entry: ImpEntry
    number: int
    emit: Emit
    gnu: bool
    """Whether the text is C with what gcc has besides, not OpenCL C."""
    unit: Unit = field(init=False)
    kernels: list[KernelInfo] = field(factory=list)
    kernels_c: list[str] = field(factory=list)
    _printed: list[Printed] = field(factory=list)

    def compile(self) -> EntryPlan:
        e = self.entry
        self.unit = Unit(variable_types(e), frozenset(e.sizes), self.gnu, sizes_known(e.sizes))
        results = _ports_use(e.results)
        steps = self.steps(e.body, results)
        self.write(steps)
        types = self.unit.types
        return EntryPlan(
            name=e.name,
            sizes=e.sizes,
            params=e.params,
            results=e.results,
            variables=tuple(Variable(x, t) for x, t in types.items() if isinstance(t, ScalarType)),
            kernels=tuple(self.kernels),
            checks=tuple(self.unit.checks),
            steps=with_frees(steps, _param_blocks(e.params), results, self.kernels),
            at=e.at,
            written=tuple(sorted(written_blocks(e) & _param_blocks(e.params))),
        )

    # -- statements of the host

    def steps(self, block: Block, needed: Names) -> Steps:
        """The steps of a statement list; ``needed``: the variables that are used after it."""
        each = [facts(s) for s in block]
        later = _needed_from(each, needed)
        steps: list[Step] = []
        start = 0
        while start < len(block):
            end = self.task_end(block, each, start, later)
            if end > start:
                steps += self.task(block[start:end], later[end])
                start = end
            else:
                steps += self.step(block[start], later[start + 1])
                start += 1
        return tuple(steps)

    def task_end(
        self, block: Block, each: Sequence[Facts], start: int, later: Sequence[Names]
    ) -> int:
        """Where the task that begins at ``start`` ends; ``start`` itself if there is none.

        It reaches from a statement that touches memory to the last such statement before one
        that must stay on the host.  Reads alone make no task: the host reads single elements.
        """
        end, worth = start, False
        pointers: set[Name] = set()
        for k in range(start, len(block)):
            f = each[k]
            if f.has_kernel or f.has_alloc or not (k > start or f.touches_memory):
                break
            pointers.update(x for x in f.assigns if self.is_block(x))
            if f.touches_memory:
                worth = worth or not isinstance(block[k], Read)
                if worth and pointers.isdisjoint(later[k + 1]):
                    end = k + 1
        return end

    def is_block(self, x: Name) -> bool:
        return isinstance(self.unit.types.get(x), MemType)

    def step(self, s: ImpStm, needed: Names) -> Steps:
        """The steps of one statement that is no task as a whole."""
        types = self.unit.types
        match s:
            case Declare():
                return ()
            case Assign(x, value):
                if self.is_block(x):
                    return (Alias(x, self.block_name(value, s)),)
                return (SetScalar(x, typed(value, types, s.at)[0], s.at),)
            case Allocate(x, size):
                return (Alloc(x, size, s.at),)
            case Read(x, block, index, elem):
                return (ReadScalar(x, block, index, elem, s.at),)
            case Write() | CopyElement():
                return self.task((s,), needed)
            case IfStm(cond, then, orelse):
                test = typed(cond, types, s.at)[0]
                return (If(test, self.steps(then, needed), self.steps(orelse, needed)),)
            case ForStm(index, bound, body):
                with self.unit.inside((ImpDim(index, bound),), body):
                    return (For(index, bound, self.steps(body, needed | facts(s).uses)),)
            case WhileStm(cond, body):
                return (While(cond, self.steps(body, needed | facts(s).uses)),)
            case KernelStm(dims, body):
                return (self.kernel(s, dims, body),)
            case Check():
                return (Verify(self.unit.check(s)),)

    def block_name(self, value: object, s: ImpStm) -> Name:
        if isinstance(value, Var) and self.is_block(value.name):
            return value.name
        raise SourceError(Diagnostic(s.at, "T-SCALAR", f"`{describe(s)}`: not a block"))

    # -- statements of the device

    def printer(self, body: Block, *, task: bool) -> Printer:
        chosen = read_from(body, chosen_blocks(self.entry.body)) if self.gnu else frozenset()
        stops = not task and any(isinstance(s, Check) for s in nested(body))
        return Printer(self.unit, task, data=from_memory(body), chosen=chosen, stops=stops)

    def kernel(self, s: KernelStm, dims: tuple[ImpDim, ...], body: Block) -> Launch:
        p = self.printer(body, task=False)
        p.note_aliases(body)
        bounds = [p.operand(d.bound) for d in dims[1:]]
        indices = [p.bind(d.index) for d in dims]
        with self.unit.inside(dims, body):
            p.block(body)
        return Launch(self.add((s,), p, indices, bounds), kernel_bounds(dims), s.at)

    def task(self, block: Block, needed: Names) -> Steps:
        p = self.printer(block, task=True)
        p.block(block)
        f = facts(*block)
        outs = tuple(
            Out(x, scalar_type(self.unit.types, x, block[0].at)) for x in sorted(f.assigns & needed)
        )
        p.answers(outs)
        launch = Launch(self.add(block, p), (), block[0].at)
        return (launch, Fetch(outs)) if outs else (launch,)

    def add(
        self, block: Block, p: Printer, indices: Sequence[str] = (), bounds: Sequence[str] = ()
    ) -> int:
        """Adds a printed kernel to the program and answers its number."""
        self._printed.append(Printed(block, p, indices, bounds))
        return len(self._printed) - 1

    def write(self, steps: Steps) -> None:
        """The kernels' texts, when it is known which of them can fail.

        On a device kernels that follow a failed one are launched all the same, on what it has not
        written; those that could go astray there have to look, and all that follow a task.  In C
        nothing runs after a failure.
        """
        after: Collection[int] = ()
        after_task: Collection[int] = ()
        if not self.gnu:
            printers = [k.printer for k in self._printed]
            after = after_failures(steps, lambda n: printers[n].can_fail)
            after_task = after_failures(steps, lambda n: printers[n].can_fail and printers[n].task)
        for number, k in enumerate(self._printed):
            looks = number in after_task or (number in after and goes_astray(k.block))
            status = k.printer.reports or looks
            name = f"k{self.number}_{number}"
            info = KernelInfo(name, k.printer.args, status, k.printer.task, k.block[0].at)
            self.kernels.append(info)
            self.kernels_c.append(self.emit(info, k.block[0], k.printer, k.indices, k.bounds))


# ---------------------------------------------------------------------- uses


def _needed_from(each: Sequence[Facts], needed: Names) -> list[Names]:
    """For every position of a list, the variables that are used from there on or ``needed``."""
    later = [needed]
    for f in reversed(each):
        later.append(later[-1] | f.uses)
    return later[::-1]


def _ports_use(ports: Sequence[Port]) -> Names:
    """The variables that results are made of."""
    names = frozenset(p.block if isinstance(p, ArrayPort) else p.x for p in ports)
    return names | sizes_names(d for p in ports if isinstance(p, ArrayPort) for d in p.shape)


def _param_blocks(ports: Sequence[Port]) -> Names:
    return frozenset(p.block for p in ports if isinstance(p, ArrayPort))
