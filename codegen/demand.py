"""A lower bound of the memory that a call needs, computed before the call from its plan.

It executes the host's steps like :mod:`replay <funmem.codegen.memory_plan.replay>`, but without
data and with a limit on its own run time.  Values that come from the device are unknown:

    alloc of unknown size             counts 0 bytes
    if, for, while with an unknown    scalars set in its bodies are unknown after it, and the blocks
    condition or bound                that they change count as freed
    a loop of many iterations         treated in the same way after the first of them

If sizes and scalar arguments decide everything, the bound is the exact peak.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from attrs import field

from funmem.codegen.accounting import Held
from funmem.codegen.host import condition_names, holds
from funmem.codegen.memory_limits import ALWAYS_THERE, Limit, Need, budget, require
from funmem.codegen.plan import (
    Alias,
    Alloc,
    CallForeign,
    CheckInfo,
    EntryPlan,
    Expr,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Test,
    Verify,
    While,
    every_step,
)
from funmem.codegen.plan_tree import (
    Node,
    Nodes,
    array_bytes,
    assigned,
    evaluate,
    every,
    expr_names,
    numbered,
    relevant,
    set_blocks,
    sets_any,
    touches_memory,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import Var
from funmem.ir.imp import ArrayPort, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import OperatorTrap, Value
from funmem.ir.sizes import Size

_MOST_STEPS = 10_000
"""Cap on the number of executed steps, which take some hundredths of a second."""

Scalars = Mapping[Name, Value]


class Demand:
    """Computes the memory that calls of one entry point need, before each call."""

    def __init__(self, entry: EntryPlan) -> None:
        self._entry = entry
        self._nodes = numbered(entry.steps)
        wanted = relevant(self._nodes)
        self._matters = frozenset(
            n.index for n in every(self._nodes) if touches_memory(n) or sets_any(n, wanted)
        )
        ports = (p for p in entry.params if isinstance(p, ArrayPort))
        sizes = frozenset[Name]().union(*(array_bytes(p).free() for p in ports))
        self._decide = tuple(sorted(wanted | sizes))
        self._last: tuple[tuple[Value | None, ...], Need] | None = None

    def need(self, scalars: Scalars) -> Need:
        """Return the need of a call with these sizes and scalar arguments.

        Checks are ignored, so a call that traps may need less.
        """
        key = tuple(map(scalars.get, self._decide))
        if self._last is None or self._last[0] != key:
            found = _Least(self._entry, dict(scalars), self._matters, self._nodes).run()
            self._last = (key, found)
        return self._last[1]

    def require(
        self,
        sizes: Mapping[Name, int],
        args: Sequence[object],
        max_bytes: int | None,
        there_is: Callable[[], Limit],
    ) -> None:
        """Raise DeviceError if a call needs more than ``max_bytes``, or than ``there_is`` returns.

        Only sizes and scalar arguments are read.  A call is accepted if a check of the host ends it
        before the memory is needed.
        """
        given = zip(self._entry.params, args, strict=True)
        scalars = {p.x: v for p, v in given if isinstance(p, ScalarPort) and _is_scalar(v)}
        need = self.need({**sizes, **scalars})
        if max_bytes is None and need.bytes <= ALWAYS_THERE:
            return
        limit = there_is() if max_bytes is None else budget(max_bytes)
        if not limit.suffices(need):
            everything = frozenset(n.index for n in every(self._nodes))
            known = {**sizes, **scalars}
            require(_Least(self._entry, known, everything, self._nodes).run(), limit)


@frozen
class AtMost:
    """A call needs at most ``factor`` times the sum of ``sizes``; a negative size counts as 0."""

    factor: int
    sizes: tuple[Size, ...]


def at_most(entry: EntryPlan) -> AtMost | None:
    """Return an upper bound of the memory that calls of an entry point need.

    It is meant to be computed quickly: every allocation counts as if it were never freed; in a loop
    each block variable holds one block.  None if the size of a block is computed during the call.
    """
    steps = tuple(every_step(entry.steps))
    changed = frozenset[Name]().union(*map(assigned, steps))
    scalars = {p.x for p in entry.params if isinstance(p, ScalarPort)}
    known = (scalars | set(entry.sizes)) - changed
    sizes = [array_bytes(p) for p in entry.params if isinstance(p, ArrayPort)]
    sizes += [s.size for s in steps if isinstance(s, Alloc)]
    if not all(d.free() <= known for d in sizes):
        return None
    blocks = {x for s in steps for x in set_blocks(s)}
    loops = any(isinstance(s, For | While) for s in steps)
    return AtMost(len(blocks) + len(entry.params) if loops else 1, tuple(sizes))


def _is_scalar(v: object) -> TypeGuard[Value]:
    return isinstance(v, bool | int | float)


class _Trapped(Exception):
    """The call certainly traps at this step."""


@define(eq=False)
class _Least:
    """An abstract run of the plan that executes only the steps in ``matters``."""

    entry: EntryPlan
    scalars: dict[Name, Value]
    matters: frozenset[int]
    nodes: Nodes
    held: Held = field(factory=Held)
    peak: int = 0
    at: Span = NOWHERE
    block: int = 0
    block_at: Span = NOWHERE
    exact: bool = True
    done: int = 0

    def run(self) -> Need:
        for p in self.entry.params:
            if isinstance(p, ArrayPort):
                self._take(p.block, self._size(array_bytes(p)), self.entry.at)
        try:
            self._steps(self.nodes)
        except _Trapped:
            self.exact = False
        return Need(self.peak, self.at, self.exact, self.block, self.block_at)

    def _steps(self, nodes: Nodes) -> None:
        for node in nodes:
            self.done += 1
            if node.index in self.matters:
                self._step(node)
            else:
                self._forget_scalars((node,))

    def _step(self, node: Node) -> None:
        step = node.step
        match step:
            case SetScalar(x, value):
                self._set(x, self._value(value))
            case Alias(x, y):
                self.held.alias(x, y)
            case Alloc(x, size, at):
                self._take(x, self._size(size), at)
            case Free(xs):
                for x in xs:
                    self.held.drop(x)
            case If(cond):
                taken = self._value(cond)
                if taken is None:
                    self._unknown(node)
                else:
                    self._steps(node.bodies[0 if taken else 1])
            case For() | While():
                self._loop(node, step)
            case Verify(check):
                self._verify(self.entry.checks[check])
            case Launch() | Fetch() | ReadScalar() | CallForeign():
                self._forget_scalars((node,))

    def _loop(self, node: Node, step: For | While) -> None:
        rounds = self._size(step.bound) if isinstance(step, For) else None
        k = 0
        while self.done <= _MOST_STEPS:
            match step:
                case For(index):
                    if rounds is None:
                        break
                    if k >= rounds:
                        return
                    self._set(index, k)
                case While(cond):
                    going = self._value(Var(cond))
                    if going is None:
                        break
                    if not going:
                        return
            self._steps(node.bodies[0])
            self.done += 1
            k += 1
        self._unknown(node)

    def _unknown(self, node: Node) -> None:
        """Account for nested steps that run an unknown number of times."""
        self.exact = self.exact and not any(touches_memory(n) for b in node.bodies for n in b)
        self._forget_scalars((node,))
        for n in every((node,)):
            for x in set_blocks(n.step):
                self.held.drop(x)

    def _verify(self, check: CheckInfo) -> None:
        """Raise _Trapped if a check certainly fails."""
        cond = check.cond
        if isinstance(cond, Test):
            ok: object = self._value(cond.cond)
        elif condition_names(cond) <= self.scalars.keys():
            ok = holds(cond, lambda x: int(self.scalars[x]))
        else:
            ok = None
        if ok is not None and not ok:
            raise _Trapped

    # -- scalars

    def _value(self, e: Expr) -> Value | None:
        if not expr_names(e) <= self.scalars.keys():
            return None
        try:
            return evaluate(e)(self.scalars)
        except OperatorTrap:
            raise _Trapped from None

    def _size(self, d: Size) -> int | None:
        if not d.free() <= self.scalars.keys():
            return None
        return max(0, d.eval(lambda x: int(self.scalars[x])))

    def _set(self, x: Name, value: Value | None) -> None:
        if value is None:
            self.scalars.pop(x, None)
        else:
            self.scalars[x] = value

    def _forget_scalars(self, nodes: Nodes) -> None:
        for n in every(nodes):
            for x in assigned(n.step):
                self.scalars.pop(x, None)

    # -- blocks

    def _take(self, x: Name, size: int | None, at: Span) -> None:
        self.exact = self.exact and size is not None
        self.held.take(x, size or 0)
        if self.held.live > self.peak:
            self.peak, self.at = self.held.live, at
        if (size or 0) > self.block:
            self.block, self.block_at = size or 0, at
