"""Divides an IMP program into steps of the host and the kernels that it launches.

A statement of an entry point goes to one of three places:

    kernel i < n, …        becomes a kernel; its iterations may run in any order, or in parallel.
    memory, element-wise   ``m[d] <- se``, element copies, calls, and ``if``/``for``/``while`` that
                           touch memory or call functions, but contain neither kernel nor alloc,
                           become a *task*: a kernel of one iteration.  Adjacent statements form one
                           task.  Scalars that it sets and that are live after it are returned in
                           the status buffer.
    all else               stays on the host: scalars, sizes, allocations, control, checks,
                           foreign calls, and single reads outside tasks.

A task must not set a block variable that is live after it, since a device cannot return a pointer.
Such a statement stays on the host, and its parts become tasks.

The two back ends differ in how they print a kernel around its body (:data:`Emit`).
"""

from collections.abc import Callable, Collection, Sequence

from attrs import field

from funmem.codegen.comments import describe
from funmem.codegen.device_c import Printer
from funmem.codegen.exprs import scalar_type, sizes_known, typed
from funmem.codegen.facts import Facts, facts, kernel_bounds, written_blocks
from funmem.codegen.failure_guards import after_failures, ends_soon, needs_guard
from funmem.codegen.functions_c import callees
from funmem.codegen.liveness import with_frees
from funmem.codegen.numbers import numbers
from funmem.codegen.plan import (
    Alias,
    Alloc,
    CallForeign,
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
from funmem.codegen.scatter import chosen_indices
from funmem.codegen.unit import Callees, Unit, plain_lanes
from funmem.codegen.unroll import from_memory
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.fun import Linkage, MemType, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpFunction,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Port,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import may_end, nested, sizes_names, variable_types
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size

Names = frozenset[Name]


# ---------------------------------------------------------------------- one entry point


Emit = Callable[[KernelInfo, ImpStm, Printer, Sequence[str], Sequence[str]], str]
"""Prints a kernel.  The arguments are its description, its statement, its printed body, the C names
of its indices, and the C names of the bounds of all dimensions but the first (the body does not
need that one).  A task has neither indices nor bounds.
"""


def one_each(_: ImpStm) -> int:
    """Return the grain of kernels whose work-items are iterations."""
    return 0


@frozen
class Printed:
    """A kernel or task whose body has been printed."""

    block: Block
    printer: Printer
    indices: Sequence[str]
    bounds: Sequence[str]


@define
class Splitter:
    """Compiles one entry point, the ``number``-th of the program."""

    entry: ImpEntry
    number: int
    emit: Emit
    gnu: bool
    """True: the text is C with GNU extensions; False: it is OpenCL C."""
    functions: Sequence[ImpFunction] = ()
    grain: Callable[[ImpStm], int] = one_each
    """Returns a kernel's ``KernelInfo.grain``."""
    lanes: Callable[[Size, Block], str] = plain_lanes
    """See ``Unit``."""
    masks: bool = False
    """See ``Unit``."""
    unit: Unit = field(init=False)
    callees: Callees = field(init=False)
    kernels: list[KernelInfo] = field(factory=list)
    kernels_c: list[str] = field(factory=list)
    _printed: list[Printed] = field(factory=list)

    def compile(self) -> EntryPlan:
        e = self.entry
        self.callees = callees(self.number, self.functions)
        self.unit = Unit(
            variable_types(e),
            frozenset(e.sizes),
            self.gnu,
            sizes_known(e.sizes),
            callees=self.callees,
            lanes=self.lanes,
            masks=self.masks,
            numbers=numbers(e, variable_types(e)),
        )
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
        """Return the steps of a statement list; ``needed``: the variables live after it."""
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
        """Return the end of the task that begins at ``start``, or ``start`` if none begins there.

        A task reaches from a statement that touches memory or calls a function to the last such
        statement before one that must stay on the host.  Reads alone do not form a task: the host
        reads single elements.
        """
        end, worth = start, False
        pointers: set[Name] = set()
        for k in range(start, len(block)):
            f = each[k]
            host = f.has_kernel or f.has_alloc or f.has_foreign
            if host or not (k > start or f.is_for_device):
                break
            pointers.update(x for x in f.assigns if self.is_block(x))
            if f.is_for_device:
                worth = worth or not isinstance(block[k], Read)
                if worth and pointers.isdisjoint(later[k + 1]):
                    end = k + 1
        return end

    def is_block(self, x: Name) -> bool:
        return isinstance(self.unit.types.get(x), MemType)

    def step(self, s: ImpStm, needed: Names) -> Steps:
        """Return the steps of one statement that does not belong to a task as a whole."""
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
            case CallStm() if s.linkage is not Linkage.OWN:
                return (self.foreign(s),)
            case OpaqueStm():
                return (self.opaque(s),)
            case Write() | CopyElement() | CallStm():
                return self.task((s,), needed)
            case IfStm(cond, then, orelse):
                test = typed(cond, types, s.at)[0]
                return (If(test, self.steps(then, needed), self.steps(orelse, needed)),)
            case ForStm(index, bound, body):
                with self.unit.inside((ImpDim(index, bound),), body):
                    return (For(index, bound, self.steps(body, needed | _carried(s))),)
            case WhileStm(cond, body):
                return (While(cond, self.steps(body, needed | _carried(s))),)
            case KernelStm(dims, body):
                return (self.kernel(s, dims, body),)
            case Check():
                return (Verify(self.unit.check(s)),)

    def foreign(self, s: CallStm) -> CallForeign:
        """Return the step of a foreign call; the host makes it."""
        types = self.unit.types
        given = [typed(a, types, s.at) for a in s.args]
        outs = tuple(Out(x, scalar_type(types, x, s.at)) for x in s.results)
        args, arg_types = tuple(a for a, _ in given), tuple(t for _, t in given)
        return CallForeign(outs, s.fn, args, arg_types, s.linkage is Linkage.EFFECT, s.at)

    def block_name(self, value: object, s: ImpStm) -> Name:
        if isinstance(value, Var) and self.is_block(value.name):
            return value.name
        raise SourceError(Diagnostic(s.at, "T-SCALAR", f"`{describe(s)}`: not a block"))

    # -- statements of the device

    def printer(self, body: Block, *, task: bool) -> Printer:
        chosen = chosen_indices(body, self.entry.body) if self.masks else frozenset()
        stops = not task and any(map(may_end, nested(body)))
        return Printer(self.unit, task, data=from_memory(body), chosen=chosen, stops=stops)

    def kernel(self, s: KernelStm, dims: tuple[ImpDim, ...], body: Block) -> Launch:
        p = self.printer(body, task=False)
        p.note_aliases(body)
        bounds = [p.operand(d.bound) for d in dims[1:]]
        indices = [p.bind(d.index) for d in dims]
        with self.unit.inside(dims, body):
            p.block(body)
        return Launch(self.add((s,), p, indices, bounds), kernel_bounds(dims), s.at)

    def opaque(self, s: OpaqueStm) -> Launch:
        """Return the launch of foreign code on arrays: a kernel over its grid, or a task."""
        p = self.printer((s,), task=not s.grid)
        bounds = [p.operand(d) for d in s.grid[1:]]
        indices = [p.fresh("i") for _ in s.grid]
        p.opaque(s, indices)
        return Launch(self.add((s,), p, indices, bounds), s.grid, s.at)

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

    @property
    def functions_c(self) -> Sequence[str]:
        """Return the functions that the kernels call, callees before callers."""
        return self.callees.texts

    def add(
        self, block: Block, p: Printer, indices: Sequence[str] = (), bounds: Sequence[str] = ()
    ) -> int:
        """Add a printed kernel to the program and return its number."""
        self._printed.append(Printed(block, p, indices, bounds))
        return len(self._printed) - 1

    def write(self, steps: Steps) -> None:
        """Print all kernels, now that it is known which of them can fail.

        A device runs the kernels that follow a failed one, although elements were not written.
        Those that are unsafe on such data, and all that follow a task that can fail, test the
        status buffer first.  In C no kernel runs after a failure.
        """
        after: Collection[int] = ()
        after_task: Collection[int] = ()
        if not self.gnu:
            printers = [k.printer for k in self._printed]
            after = after_failures(steps, lambda n: printers[n].can_fail)
            after_task = after_failures(steps, lambda n: printers[n].can_fail and printers[n].task)
        for number, k in enumerate(self._printed):
            looks = number in after_task or (
                number in after and needs_guard(k.block, self.callees.long)
            )
            status = k.printer.reports or looks
            name = f"k{self.number}_{number}"
            soon = ends_soon(k.block, self.callees.long)
            grain = 0 if k.printer.task else self.grain(k.block[0])
            info = KernelInfo(
                name, k.printer.args, status, k.printer.task, soon, grain, k.block[0].at
            )
            self.kernels.append(info)
            self.kernels_c.append(self.emit(info, k.block[0], k.printer, k.indices, k.bounds))


# ---------------------------------------------------------------------- uses


def _needed_from(each: Sequence[Facts], needed: Names) -> list[Names]:
    """Return for every position of a list the variables that are live there."""
    later = [needed]
    for f in reversed(each):
        later.append(later[-1] | f.uses)
    return later[::-1]


def _carried(s: ForStm | WhileStm) -> Names:
    """Return the variables of a loop that an iteration may take from the one before."""
    f = facts(s)
    return f.uses - f.declares


def _ports_use(ports: Sequence[Port]) -> Names:
    """Return the variables that hold the results and their sizes."""
    names = frozenset(p.block if isinstance(p, ArrayPort) else p.x for p in ports)
    return names | sizes_names(d for p in ports if isinstance(p, ArrayPort) for d in p.shape)


def _param_blocks(ports: Sequence[Port]) -> Names:
    return frozenset(p.block for p in ports if isinstance(p, ArrayPort))
