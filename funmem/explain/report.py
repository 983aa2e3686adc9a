"""The report of ``funmem explain`` as data: blocks, copies, peak.

The program is compiled to IMP by the default pipeline or the given one.  Copies are tracked from
pass to pass.  The memory plan comes from the host's plan at the end of the pipeline
(:mod:`funmem.codegen.memory_plan`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import field

from funmem.codegen.comments import describe
from funmem.codegen.memory_plan import (
    BlockPlan,
    Formula,
    Measured,
    MemoryPlan,
    Traced,
    Unknown,
    memory_plan,
    replay,
    traced,
)
from funmem.codegen.plan import (
    STATUS_OUT,
    Alias,
    Alloc,
    CallForeign,
    EntryPlan,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Verify,
    While,
    most_answers,
)
from funmem.codegen.plan_tree import Node, every, place_of
from funmem.driver.stages import language, pipeline_for
from funmem.explain.reasons import Reason, why_gone, why_kept
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.foreign import crossing, started
from funmem.ir.fun import Ann, ArrayType, Entry, Home, MemProgram, Program, Space
from funmem.ir.imp import Allocate, Assign, CallStm, ImpEntry, ImpFunction, ImpProgram, Read
from funmem.ir.imp_traverse import nested
from funmem.ir.logic.blocks import blocks_of
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType, Value
from funmem.ir.sizes import Size
from funmem.ir.traverse import entry_binders, inner_binders, walk
from funmem.ir.unchecked import drop_checks
from funmem.ir.values import ArgValue
from funmem.passes.framework import AnyProgram, Level, Remark, Report, as_imp
from funmem.passes.mem.copying import ArrayCopy, by_key, copies
from funmem.passes.runner import Pipeline, Step
from funmem.values.signatures import heads


@frozen
class OwnedArray:
    """An array whose elements lie in a block, and the line of the statement that binds it."""

    name: Name
    type: ArrayType
    home: Home
    at: Span

    @property
    def elem(self) -> ScalarType:
        """The type of its elements."""
        return self.type.elem


@frozen
class Moment:
    """A step of the host's plan, and its text."""

    step: int
    depth: int
    what: str
    at: Span
    work: bool
    """True if the device works or the host waits for it."""
    memory_or_control: bool
    """True if the step allocates or frees memory, or is a loop or branch."""


@frozen
class KeptCopy:
    """A copy that stays, and why."""

    copy: ArrayCopy
    reason: Reason


@frozen
class GoneCopy:
    """A copy that was removed, by which pass, and how."""

    copy: ArrayCopy
    pass_name: str
    how: str


@frozen
class ThreadBlock:
    """A private block of a kernel's iteration, which is not in device memory."""

    name: Name
    bytes: Size
    space: Space
    at: Span


@frozen
class Crossing:
    """An array that a foreign function takes, or gives: the k-th one, components counted apart."""

    function: Name
    taken: bool
    k: int
    at: Span


@frozen
class EntryReport:
    """The report on one entry point."""

    name: Name
    head: str
    plan: MemoryPlan
    traced: Traced
    imp: ImpEntry
    tree: Entry[Ann] | None
    moments: tuple[Moment, ...]
    arrays: Mapping[Name, tuple[OwnedArray, ...]]
    kept: tuple[KeptCopy, ...]
    gone: tuple[GoneCopy, ...]
    scalars: Mapping[Name, Value] = field(factory=dict)
    measured: Measured | None = None

    @property
    def peak(self) -> Formula:
        return self.plan.peak

    @property
    def thread_blocks(self) -> tuple[ThreadBlock, ...]:
        """The blocks of kernels' iterations."""
        return tuple(
            ThreadBlock(s.x, s.size, s.space, s.at)
            for s in nested(self.imp.body)
            if isinstance(s, Allocate) and s.space is not Space.DEVICE
        )

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """The arrays whose elements are copied to or from foreign functions."""
        calls = [s for s in nested(self.imp.body) if isinstance(s, CallStm)]
        on_arrays = {f for s in calls if (f := started(s.fn)) is not None}
        found = ((crossing(s.fn), s.at) for s in calls)
        return tuple(
            dict.fromkeys(
                Crossing(*c, at) for c, at in found if c is not None and c[0] in on_arrays
            )
        )

    def place(self, x: Name) -> Span:
        """Return the place where a host variable is assigned."""
        places = (s.at for s in nested(self.imp.body) if isinstance(s, Assign | Read) and s.x == x)
        return next(places, NOWHERE)


@frozen
class Explanation:
    """The report on a program.  ``lines``: its text by line number, from 1."""

    source: str
    lines: tuple[str, ...]
    pipeline: Pipeline
    entries: tuple[EntryReport, ...]
    remarks: tuple[Remark, ...]
    operations: tuple[Remark, ...] = ()
    """How array operations that allocate or recurse run."""


def explain(
    program: AnyProgram,
    text: str,
    name: str,
    *,
    pipeline: Pipeline | None = None,
    gpu: bool = False,
    safe: bool = True,
    entry: str | None = None,
) -> Explanation:
    """Return the report on a program's entry points, or on one.  Raises SourceError, UsageError."""
    whole = pipeline_for(program, Level.IMP, pipeline, gpu=gpu, safe=safe)
    report, history = Report(), _History()
    if isinstance(program, Program) and language(program) is Level.FUNMEM:
        history.start(program)
    imp = as_imp(whole.run(program, report=report, after=history.after))
    imp = imp if safe else drop_checks(imp)
    remarks = tuple(report.remarks)
    ran = frozenset(s.what.name for s in whole.steps)
    shown = {h.name: str(h) for h in heads(program)}
    reports = tuple(
        _entry(e, imp.functions, shown[e.name], history, remarks, ran)
        for e in imp.entries
        if entry in (None, e.name)
    )
    return Explanation(name, ("", *text.split("\n")), whole, reports, remarks)


SPEAKERS = ("tables", "recursion")
"""The passes that say how array operations run."""


def with_operations(x: Explanation, remarks: Iterable[Remark]) -> Explanation:
    """Return the report with what passes on Core say of array operations."""
    return evolve(x, operations=tuple(r for r in remarks if r.pass_name in SPEAKERS))


def with_values(r: EntryReport, scalars: Mapping[Name, Value]) -> EntryReport:
    """Return the report with numbers for these sizes and scalar arguments.  Raises Unknown."""
    try:
        return evolve(r, scalars=scalars, measured=replay(r.plan, scalars))
    except Unknown as missing:
        raise Unknown(missing.x, r.place(missing.x), given=missing.given) from None


def with_arguments(r: EntryReport, args: Sequence[ArgValue]) -> EntryReport:
    """Return the report with numbers for a call.  Raises InputError, Trap."""
    from funmem.explain.interpret import Interpreter

    device = Interpreter(r.traced)
    scalars = device.given(args)
    try:
        measured = replay(r.plan, scalars)
    except Unknown:
        measured = replay(r.plan, scalars, device)
    return evolve(r, scalars=scalars, measured=measured)


# ---------------------------------------------------------------------- from pass to pass


class _History:
    """The copies after the last pass, and the copies removed, with the pass that removed each."""

    def __init__(self) -> None:
        self.tree: MemProgram | None = None
        self.now: tuple[ArrayCopy, ...] = ()
        self.gone: dict[object, GoneCopy] = {}

    def start(self, program: MemProgram) -> None:
        self.tree, self.now = program, copies(program)

    def after(self, step: Step, before: AnyProgram, after: AnyProgram) -> None:
        """Compare the copies before and after a pass.  The pipeline calls this after each pass."""
        if isinstance(after, ImpProgram) or language(after) is not Level.FUNMEM:
            return
        if self.tree is None or before == after:
            self.start(after)
            return
        old, new = by_key(self.now), copies(after)
        there = by_key(new)
        for key, c in old.items():
            if key not in there:
                self.gone[key] = GoneCopy(c, step.what.name, "")
        for key in there:
            self.gone.pop(key, None)
        self.tree, self.now = after, new


def _entry(
    e: ImpEntry,
    functions: Sequence[ImpFunction],
    head: str,
    history: _History,
    remarks: Sequence[Remark],
    ran: frozenset[str],
) -> EntryReport:
    ready = traced(e, functions)
    plan = memory_plan(ready.plan)
    tree = None
    if history.tree is not None:
        tree = next(t for t in history.tree.entries if t.name == e.name)
    kept = tuple(
        KeptCopy(c, why_kept(c, tree, remarks, ran))
        for c in history.now
        if tree is not None and c.entry == e.name
    )
    gone = tuple(
        evolve(g, how=why_gone(g.copy, g.pass_name, remarks))
        for g in history.gone.values()
        if g.copy.entry == e.name
    )
    moments = tuple(_moment(n, ready) for n in every(plan.nodes))
    return EntryReport(e.name, head, plan, ready, e, tree, moments, _arrays(tree), kept, gone)


# ---------------------------------------------------------------------- blocks and steps


def _arrays(e: Entry[Ann] | None) -> Mapping[Name, tuple[OwnedArray, ...]]:
    """Return the arrays in each block that is allocated or that an argument lies in."""
    if e is None:
        return {}
    blocks = blocks_of(e.body)
    found: dict[Name, list[OwnedArray]] = {}
    binders = [(b, b.at if b.at != NOWHERE else e.at) for b in entry_binders(e)]
    for s in walk(e.body):
        binders += [(b, s.at) for b in (*s.pat, *inner_binders(s.exp))]
    for b, at in binders:
        if b.home is not None and isinstance(b.type, ArrayType):
            for m in sorted(blocks.roots(b.home.block)):
                found.setdefault(m, []).append(OwnedArray(b.name, b.type, b.home, at))
    return {m: tuple(arrays) for m, arrays in found.items()}


def nodes_of(r: EntryReport) -> Iterator[Node]:
    """Return all steps of the host's plan, nested ones included, in the order of their numbers."""
    return every(r.plan.nodes)


def _moment(node: Node, ready: Traced) -> Moment:
    step = node.step
    return Moment(
        node.index,
        node.depth,
        _words(node, ready),
        place_of(step),
        isinstance(step, Launch | ReadScalar),
        isinstance(step, Alloc | For | While | If | Free),
    )


def _words(node: Node, ready: Traced) -> str:
    match node.step:
        case Launch(kernel):
            info, body = ready.plan.kernels[kernel], ready.bodies[kernel]
            if not info.task:
                return describe(body[0]).removesuffix(" do")
            more = f" (and {len(body) - 1} more)" if len(body) > 1 else ""
            return f"task: {describe(body[0]).removesuffix(' do')}{more}"
        case ReadScalar(x, block, index, elem):
            return f"read {x} <- {block}[{index}] : {elem}"
        case CallForeign(_, fn):
            return f"foreign {fn}"
        case For(index, bound):
            return f"for {index} < {bound}"
        case While(cond):
            return f"while {cond}"
        case If():
            return "if"
        case Alloc(x, size):
            return f"{x} <- alloc {size}"
        case Free(xs):
            return f"free {', '.join(xs)}"
        case SetScalar() | Alias() | Fetch() | Verify():
            return type(node.step).__name__.lower()


def lifetime(b: BlockPlan, r: EntryReport) -> tuple[Moment | None, Moment | None]:
    """Return the step that allocates a block, and the last working step while it is live.

    None stands for the start and for the end of the call.
    """
    held = set(b.held)
    first = None if b.step is None else r.moments[b.step]
    if b.result:
        return first, None
    inside = [m for m in r.moments if m.step in held and m.work]
    return first, inside[-1] if inside else first


def status_words(plan: EntryPlan) -> int:
    """Return the number of 64-bit words of the status buffer; 0 if no kernel reports anything."""
    reports = any(k.status for k in plan.kernels)
    return STATUS_OUT + most_answers(plan.steps) if reports else 0
