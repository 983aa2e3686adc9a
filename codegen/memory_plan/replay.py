"""Computes the peak in numbers: it executes the host's steps of a plan without a device.

Sizes and scalars are computed as the host computes them.  Buffers have sizes and holders, but no
content.  A value that comes from the device is unknown, unless an :class:`Answers` object computes
it.  If a block's size depends on an unknown value, or whether and how often blocks are allocated,
:class:`Unknown` is raised and names the value.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Protocol, TypeAlias

from attrs import field

from funmem.codegen.accounting import Held
from funmem.codegen.memory_plan.analysis import MemoryPlan
from funmem.codegen.memory_plan.symbols import Quantity, QuantityKind
from funmem.codegen.plan import (
    Alias,
    Alloc,
    CallForeign,
    Expr,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Verify,
    While,
)
from funmem.codegen.plan_tree import (
    Node,
    Nodes,
    array_bytes,
    evaluate,
    every,
    expr_names,
    relevant,
    sets_any,
    touches_memory,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, Span, Trap, TrapKind, UsageError
from funmem.ir.fun import Var
from funmem.ir.imp import ArrayPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import OperatorTrap, Value
from funmem.ir.sizes import Size

Scalars: TypeAlias = dict[Name, Value]


class Answers(Protocol):
    """Computes the results of the device, given the variables of the host."""

    def start(self, scalars: Scalars) -> Scalars: ...
    def allocate(self, x: Name, size: int) -> None: ...
    def alias(self, x: Name, y: Name) -> None: ...
    def launch(self, kernel: int) -> None: ...
    def read(self, step: ReadScalar) -> Value: ...
    def verify(self, check: int) -> None: ...


class Unknown(UsageError):
    """The peak depends on an unknown value; ``given``: it is a size or an argument."""

    def __init__(self, x: Name, at: Span, *, given: bool) -> None:
        what = "is not given" if given else "is computed from the data"
        message = f"the peak depends on `{x}`, which {what}"
        command = f"--sizes {x}=…" if given else "-i VALUES gives the data; the formula needs none"
        hint = f"give a value of `{x}`" if given else "give the data; the formula needs none"
        super().__init__(Diagnostic(at, "sizes", message, hint, command=command))
        self.x, self.given = x, given


@frozen
class Measured:
    """The memory of a run: its peak, the bytes after each step and in each block.

    ``held``: the sites of the blocks held after each step, in its first rounds; ``quantities``: the
    values of the quantities in the plan's formula.
    """

    peak: int
    live: Mapping[int, int]
    held: Mapping[int, frozenset[int]]
    blocks: Mapping[int, int]
    quantities: Mapping[Name, int]


def replay(
    plan: MemoryPlan, scalars: Mapping[Name, Value], answers: Answers | None = None
) -> Measured:
    """Return the memory of a run with these sizes and scalar arguments.

    Raises Unknown, and Trap if a size cannot be computed.
    """
    return _Replay(plan, dict(scalars), answers).run()


_ROUNDS = 4
"""Iterations of a loop that decide which blocks it holds; double buffers swap in each of them."""


@define(eq=False)
class _Replay:
    plan: MemoryPlan
    scalars: Scalars
    answers: Answers | None
    held: Held = field(factory=Held)
    peak: int = 0
    after: dict[int, int] = field(factory=dict)
    sites: dict[int, set[int]] = field(factory=dict)
    rounds: Counter[int] = field(factory=Counter)
    sizes: dict[int, int] = field(factory=dict)
    largest: dict[Name, int] = field(factory=dict)
    widest: dict[Name, int] = field(factory=dict)
    final: dict[Name, int] = field(factory=dict)
    _places: dict[Name, Span] = field(factory=dict)
    _wanted: frozenset[Name] = frozenset()
    _watched: dict[int, list[tuple[Name, Name]]] = field(factory=dict)

    def run(self) -> Measured:
        plan = self.plan
        self._wanted = relevant(plan.nodes)
        for q in plan.peak.atoms.table.values():
            if isinstance(q, Quantity) and q.step >= 0:
                self._watched.setdefault(q.step, []).append((q.name, q.of))
        self._places = {
            n.step.x: n.step.at
            for n in every(plan.nodes)
            if isinstance(n.step, SetScalar | ReadScalar)
        }
        for k, p in enumerate(plan.entry.params):
            if isinstance(p, ArrayPort):
                self._take(p.block, self._size(array_bytes(p)), -k - 1)
        if self.answers is not None:
            self.scalars = self.answers.start(self.scalars)
        self._note(-1)
        self._steps(plan.nodes)
        self._note(plan.nodes[-1].last + 1 if plan.nodes else 0)
        held = {step: frozenset(sites) for step, sites in self.sites.items()}
        return Measured(self.peak, self.after, held, self.sizes, self._quantities())

    def _quantities(self) -> Mapping[Name, int]:
        """Return the values of the quantities of the formula; 0 for parts that did not run."""
        values: dict[Name, int] = {}
        for q in self.plan.peak.quantities:
            match q.kind:
                case QuantityKind.SIZE | QuantityKind.ARGUMENT:
                    values[q.name] = int(self.scalars[q.of])
                case QuantityKind.LARGEST:
                    values[q.name] = self.largest.get(q.of, 0)
                case QuantityKind.BYTES:
                    values[q.name] = self.widest.get(q.of, 0)
                case (
                    QuantityKind.DATA
                    | QuantityKind.BRANCH
                    | QuantityKind.FINAL
                    | QuantityKind.INDEX
                ):
                    values[q.name] = self.final.get(q.name, 0)
        return values

    # -- buffers

    def _take(self, x: Name, size: int, site: int) -> None:
        size = max(size, 0)
        self.held.take(x, size, site)
        self.peak = max(self.peak, self.held.live)
        self.sizes[site] = max(self.sizes.get(site, 0), size)
        self.widest[x] = max(self.widest.get(x, 0), size)

    def _alias(self, x: Name, y: Name) -> None:
        self.held.alias(x, y)
        if x in self.held.buffers:
            self.widest[x] = max(self.widest.get(x, 0), self.held.buffers[x].size)

    # -- steps

    def _steps(self, nodes: Nodes) -> None:
        for node in nodes:
            if self.answers is None and not self._matters(node):
                self._forget(node)
            else:
                self._step(node)
            self._note(node.index)
            for name, x in self._watched.get(node.index, ()):
                if isinstance(value := self.scalars.get(x), int):
                    self.final[name] = value

    def _matters(self, node: Node) -> bool:
        return touches_memory(node) or sets_any(node, self._wanted)

    def _forget(self, node: Node) -> None:
        """Skip a step on whose scalars no size depends; record what is held."""
        for n in every((node,)):
            self._note(n.index)

    def _note(self, step: int) -> None:
        """Record what is held after a step."""
        self.after[step] = max(self.after.get(step, 0), self.held.live)
        self.rounds[step] += 1
        if self.rounds[step] <= _ROUNDS:
            self.sites.setdefault(step, set()).update(b.site for b in self.held.buffers.values())

    def _step(self, node: Node) -> None:
        match node.step:
            case SetScalar(x, value, at):
                self._set(x, self._expr(value, at))
            case Alias(x, y):
                self._alias(x, y)
                if self.answers is not None:
                    self.answers.alias(x, y)
            case Alloc(x, size):
                bytes_ = self._size(size)
                self._take(x, bytes_, node.index)
                if self.answers is not None:
                    self.answers.allocate(x, bytes_)
            case Free(xs):
                for x in xs:
                    self.held.drop(x)
            case Launch(kernel):
                if self.answers is not None:
                    self.answers.launch(kernel)
            case ReadScalar(x):
                self._set(x, None if self.answers is None else self.answers.read(node.step))
            case Fetch(outs):
                for o in outs:
                    self._set(o.x, None if self.answers is None else self.scalars.get(o.x))
            case CallForeign(outs):
                for o in outs:
                    self._set(o.x, None)
            case Verify(check):
                if self.answers is not None:
                    self.answers.verify(check)
            case If(cond):
                taken = self._decided(cond)
                self._steps(node.bodies[0 if taken else 1])
            case For(index, bound):
                for i in range(self._size(bound)):
                    self._set(index, i)
                    self._steps(node.bodies[0])
            case While(cond):
                while self._decided(Var(cond)):
                    self._steps(node.bodies[0])

    # -- scalars

    def _set(self, x: Name, value: Value | None) -> None:
        if value is None:
            self.scalars.pop(x, None)
            return
        self.scalars[x] = value
        if isinstance(value, int):
            self.largest[x] = max(self.largest.get(x, 0), value)

    def _size(self, d: Size) -> int:
        for x in sorted(d.free()):
            if x not in self.scalars:
                raise self._unknown(x)
        return d.eval(lambda x: int(self.scalars[x]))

    def _decided(self, e: Expr) -> bool:
        """Return the value of a condition on which memory depends.  Raises Unknown."""
        missing = sorted(expr_names(e) - self.scalars.keys())
        if missing:
            raise self._unknown(missing[0])
        return bool(evaluate(e)(self.scalars))

    def _expr(self, e: Expr, at: Span) -> Value | None:
        """Return the value of an expression; None if it is unknown.  Raises Trap."""
        if not expr_names(e) <= self.scalars.keys():
            return None
        try:
            return evaluate(e)(self.scalars)
        except OperatorTrap as stop:
            raise Trap(TrapKind(stop.kind.value), stop.kind.value, at) from None

    def _unknown(self, x: Name) -> Unknown:
        entry = self.plan.entry
        given = {*entry.sizes, *(p.x for p in entry.params if not isinstance(p, ArrayPort))}
        return Unknown(x, self._places.get(x, NOWHERE), given=x in given)
