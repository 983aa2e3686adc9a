"""Computes the memory plan of an entry point by an abstract interpretation of its host plan.

One pass over the steps tracks the held buffers and their sizes as polynomials (:mod:`symbols`).  At
each allocation the bytes held are a candidate for the peak.

    alloc    adds a buffer and a candidate
    if       analyses both branches and joins the states; candidates in a branch are conditional
    for      repeats the body until the state is stable; buffers that are passed from iteration to
             iteration keep their size, and a size that changes is replaced by the largest one
    free     as the plan says (liveness.py)

The runtime counts in the same way (buffers.py): the bytes of the blocks that variables hold.  Sizes
are not rounded up, a block of a negative size has no bytes, and buffers kept for reuse do not
count.  The status buffer does not count either; its size is constant.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from operator import is_

from funmem.codegen.memory_plan.formula import Formula, Point
from funmem.codegen.memory_plan.state import (
    LARGEST,
    AbstractBuffer,
    Joined,
    State,
    join_blocks,
    same_blocks,
    union,
)
from funmem.codegen.memory_plan.symbols import Atoms, Op, QuantityKind, wrapped
from funmem.codegen.plan import (
    Alias,
    Alloc,
    Binary,
    CallForeign,
    Cast,
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
    Unary,
    Verify,
    While,
)
from funmem.codegen.plan_tree import (
    Node,
    Nodes,
    array_bytes,
    assigned,
    every,
    numbered,
    place_of,
    relevant,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import Const, Var
from funmem.ir.imp import (
    ArrayPort,
    Injective,
    InRange,
    NonNegative,
    RangeInside,
    ScalarPort,
    SizesEqual,
)
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, UnOp
from funmem.ir.sizes import ONE, ZERO, Size, const, total


@frozen
class BlockPlan:
    """A block of an entry point.

    ``site``: the step that allocates it, negative for an argument.  ``held``: the steps during
    which it is held.  ``maybe``: those of them in which, depending on the run, another block may be
    held instead.  ``conditions``: when ``bytes`` is exact.
    """

    name: Name
    bytes: Size
    site: int
    held: tuple[int, ...]
    maybe: frozenset[int]
    result: bool
    at: Span
    conditions: tuple[str, ...] = ()

    @property
    def step(self) -> int | None:
        """Return the step that allocates it; None for an argument."""
        return self.site if self.site >= 0 else None


@frozen
class MemoryPlan:
    """The blocks of an entry point and its peak.

    ``nodes``: the numbered steps of the plan; ``live``: the bytes held after each step.
    """

    entry: EntryPlan
    nodes: Nodes
    blocks: tuple[BlockPlan, ...]
    live: Mapping[int, Size]
    peak: Formula


def memory_plan(entry: EntryPlan) -> MemoryPlan:
    """Return the memory plan of an entry point.

    A first run collects the facts about sizes that checks imply, wherever they stand.  A second run
    uses them.  Both share the same atoms, since the facts mention them.
    """
    nodes = numbered(entry.steps)
    names = frozenset({v.x for v in entry.variables} | {*entry.sizes})
    first = _Analysis(entry, nodes, Atoms(names))
    first.run()
    final = _Analysis(entry, nodes, first.atoms.with_facts(first.found))
    final.run()
    peak = Formula.of(final.points, final.atoms, final.assumed)
    return MemoryPlan(entry, nodes, final.blocks(), final.live, peak)


@frozen
class _Snapshot:
    """The buffers held at one point, and their bytes in total."""

    buffers: tuple[AbstractBuffer, ...]
    bytes: Size

    @staticmethod
    def of(buffers: tuple[AbstractBuffer, ...], last: "_Snapshot") -> "_Snapshot":
        """Return the snapshot of these buffers: ``last`` if they are the same, as mostly."""
        if len(buffers) == len(last.buffers) and all(map(is_, buffers, last.buffers)):
            return last
        return _Snapshot(buffers, total(b.size for b in buffers))


class _Analysis:
    def __init__(self, entry: EntryPlan, nodes: Nodes, atoms: Atoms) -> None:
        self._entry, self._nodes = entry, nodes
        self._relevant = relevant(nodes)
        self.atoms = atoms
        self.points: list[Point] = []
        self.found: list[Size] = []
        self.assumed: dict[Size, None] = {}
        """Values of host scalars that must fit 64 bits for the analysis to be correct."""
        self._loops = 0
        self._conditions: tuple[str, ...] = ()
        self._sites: dict[int, tuple[Name, Span]] = {}
        self._sizes: dict[int, AbstractBuffer] = {}
        self._held: dict[int, dict[int, bool]] = {}
        self.live: dict[int, Size] = {}
        self._last = _Snapshot((), ZERO)
        self._results: frozenset[int] = frozenset()

    # -- the whole

    def run(self) -> None:
        """Analyse all steps; add the fact that sizes of arguments and results are not negative."""
        state = State()
        for x in self._entry.sizes:
            state.scalars[x] = self.atoms.quantity(QuantityKind.SIZE, x)
        for p in self._entry.params:
            if isinstance(p, ScalarPort) and _is_int(p.type):
                state.scalars[p.x] = self.atoms.quantity(QuantityKind.ARGUMENT, p.x)
        for k, p in zip(count(-1, -1), self._entry.params):
            if isinstance(p, ArrayPort):
                self.found += [d.subst(state.scalars) for d in p.shape]
                self._new(state, p.block, array_bytes(p), k, self._entry.at)
        self._candidate(state)
        self._mark(state, -1)
        self._steps(self._nodes, state)
        self._mark(state, self._nodes[-1].last + 1 if self._nodes else 0)
        for p in self._entry.results:
            if isinstance(p, ArrayPort):
                self.found += [self._value(d, state) for d in p.shape]
                self._results |= state.blocks[p.block].sites

    def blocks(self) -> tuple[BlockPlan, ...]:
        """Return the blocks: arguments, then allocations in program order."""
        order = sorted(self._sites, key=lambda s: (s >= 0, abs(s)))
        return tuple(self._block(s) for s in order)

    def _block(self, site: int) -> BlockPlan:
        (name, at), buffer = self._sites[site], self._sizes[site]
        held = self._held.get(site, {})
        return BlockPlan(
            name,
            buffer.size,
            site,
            tuple(sorted(held)),
            frozenset(step for step, certain in held.items() if not certain),
            site in self._results,
            at,
            buffer.conditions,
        )

    # -- states

    def _new(self, state: State, x: Name, size: Size, site: int, at: Span) -> None:
        """Let variable x hold a new buffer."""
        raw = self._assumed(size, state)
        exact: tuple[str, ...] = ()
        if self.atoms.has_index(raw) or any(map(self.atoms.varies, raw.free())):
            raw = self.atoms.over_indices(raw) or self.atoms.quantity(QuantityKind.BYTES, x, at)
            if not self.atoms.grows(raw):
                raw = self.atoms.quantity(QuantityKind.BYTES, x, at)
            exact = (f"`{x}`{LARGEST}",)
        buffer = AbstractBuffer(frozenset((site,)), self.atoms.at_least_zero(raw), exact)
        state.blocks[x] = buffer
        self._sites[site] = (x, at)
        self._sizes[site] = buffer

    def _candidate(self, state: State) -> None:
        held = state.held()
        conditions = union(self._conditions, state.conditions, *(b.conditions for b in held))
        self.points.append(Point(total(b.size for b in held), conditions))

    def _mark(self, state: State, step: int) -> None:
        """Record the buffers held at a step; in a loop the last round of the analysis counts."""
        held = state.held()
        self._last = _Snapshot.of(held, self._last)
        self.live[step] = self._last.bytes
        for b in held:
            for site in b.sites:
                self._held.setdefault(site, {})[step] = len(b.sites) == 1

    def _value(self, d: Size, state: State) -> Size:
        """Return a size with its variables replaced by their current values."""
        for x in d.free() - state.scalars.keys():
            state.scalars[x] = self._unknown(x, QuantityKind.DATA, NOWHERE)
        return d.subst(state.scalars)

    def _assumed(self, d: Size, state: State) -> Size:
        """Return the value of a size, and record the assumption that its variables fit 64 bits."""
        value = self._value(d, state)
        self._assume(*(state.scalars[x] for x in d.free()))
        return value

    def _assume(self, *numbers: Size) -> None:
        """Record the assumption that these computed numbers have not wrapped around.

        For a number that changes in a loop it is recorded for its bounds, as far as they are known.
        A quantity needs no assumption.
        """
        for d in numbers:
            if d.as_const is None and d.as_name is None:
                most, least = self.atoms.over_indices(d), self.atoms.over_indices(-d)
                ends = (most, None if least is None else -least)
                self.assumed |= dict.fromkeys(e for e in ends if e is not None)

    def _unknown(self, x: Name, kind: QuantityKind, at: Span, step: int = -1) -> Size:
        """Return the quantity of a variable after a step; in a loop, that of its largest value."""
        return self.atoms.quantity(QuantityKind.LARGEST if self._loops else kind, x, at, step)

    # -- steps

    def _steps(self, nodes: Nodes, state: State) -> None:
        for node in nodes:
            if not isinstance(node.step, Free | If | For | While):
                self._mark(state, node.index)
            self._step(node, state)
            if not isinstance(node.step, Free | If | For | While):
                self._mark(state, node.index)

    def _step(self, node: Node, state: State) -> None:
        match node.step:
            case SetScalar(x, value, at):
                if x in self._relevant:
                    known = self._expr(value, state)
                    if known is None:
                        known = self._unknown(x, QuantityKind.DATA, at, node.index)
                    state.scalars[x] = known
            case Alias(x, y):
                if y in state.blocks:
                    state.blocks[x] = state.blocks[y]
            case Alloc(x, size, at):
                state.blocks.pop(x, None)
                self._new(state, x, size, node.index, at)
                self._candidate(state)
            case Free(xs):
                for x in xs:
                    state.blocks.pop(x, None)
            case ReadScalar(x, _, _, _, at):
                state.scalars[x] = self._unknown(x, QuantityKind.DATA, at, node.index)
            case Fetch(outs) | CallForeign(outs):
                for o in outs:
                    unknown = self._unknown(o.x, QuantityKind.DATA, NOWHERE, node.index)
                    state.scalars[o.x] = unknown
            case Verify(check):
                self._learn(check, state)
            case If():
                self._if(node, state)
            case For() | While():
                self._loop(node, state)
            case Launch():
                pass

    def _learn(self, check: int, state: State) -> None:
        """Collect the facts that hold after a check, if every run makes it."""
        if self._conditions or self._loops:  # in a loop the values differ between iterations
            return
        match self._entry.checks[check].cond:
            case NonNegative(d):
                facts: Sequence[Size] = (d,)
            case InRange(i, n):
                facts = (i, n - i - ONE)
            case RangeInside(_, length, _, n):  # an empty range is valid for every n, also n < 0
                nonempty = self.atoms.nonneg(self._value(length, state) - ONE)
                facts = (length, n) if nonempty else (length,)
            case SizesEqual() | Injective() | Test():
                facts = ()
        self.found += [v for d in facts if not (v := self._assumed(d, state)).as_const]

    def _if(self, node: Node, state: State) -> None:
        line, at = _line(node), place_of(node.step)
        then, orelse = state.copy(), state.copy()
        outer = self._conditions
        for branch, body, name in (
            (then, node.bodies[0], "then"),
            (orelse, node.bodies[1], "else"),
        ):
            self._conditions = (*outer, f"the {name} branch{line} is taken")
            self._steps(body, branch)
        self._conditions = outer
        joined: list[Joined] = []
        for x in sorted(self._set_inside(node)):
            a, b = then.scalars.get(x), orelse.scalars.get(x)
            if a is not None and a == b:
                state.scalars[x] = a
                continue
            state.scalars[x] = q = self._unknown(x, QuantityKind.BRANCH, at, node.index)
            if a is not None and b is not None and q.as_name is not None:
                joined.append(Joined(q.as_name, a, b))
        why = f"the larger branch{line} is taken"
        blocks, conditions = join_blocks(then, orelse, joined, self.atoms, why)
        state.blocks, state.conditions = dict(blocks), conditions

    def _loop(self, node: Node, state: State) -> None:
        """Analyse the body until the buffers held before and after it agree."""
        step, line = node.step, _line(node)
        bound = self._value(step.bound, state) if isinstance(step, For) else None
        runs = bound is not None and self.atoms.nonneg(bound - ONE)
        outer, start = self._conditions, len(self.points)
        changing = sorted(self._set_inside(node))
        self._loops += 1
        if not runs:
            self._conditions = (*outer, f"the loop{line} runs")
        head = state.copy()
        for _ in range(_MOST_ROUNDS):
            del self.points[start:]
            body = head.copy()
            for x in changing:
                body.scalars[x] = self._unknown(x, QuantityKind.LARGEST, place_of(step))
            if isinstance(step, For) and bound is not None:
                body.scalars[step.index] = self.atoms.index(step.index, bound)
            self._steps(node.bodies[0], body)
            why = f"the sizes in the loop{line} are the largest"
            blocks, conditions = join_blocks(head, body, (), self.atoms, why)
            after = State(dict(blocks), head.scalars, conditions)
            if same_blocks(head, after):
                head = State(head.blocks, head.scalars, conditions)
                break
            head = after
        else:
            head = self._widened(head, line)
        self._loops -= 1
        self._conditions = outer
        for x in changing:
            state.scalars[x] = self._unknown(x, QuantityKind.FINAL, place_of(step), node.index)
        state.blocks, state.conditions = head.blocks, head.conditions

    def _widened(self, state: State, line: str) -> State:
        """Replace sizes that do not converge by the largest one that each variable ever holds."""
        why = f"the sizes in the loop{line} are the largest"
        blocks = {
            x: AbstractBuffer(b.sites, self.atoms.quantity(QuantityKind.BYTES, x), (why,))
            for x, b in state.blocks.items()
        }
        return State(blocks, state.scalars, union(state.conditions, (why,)))

    def _set_inside(self, node: Node) -> frozenset[Name]:
        inside = (n for body in node.bodies for n in every(body))
        return frozenset(x for n in inside for x in assigned(n.step)) & self._relevant

    # -- expressions

    def _expr(self, e: Expr, state: State) -> Size | None:
        """Return an integer expression as a polynomial over atoms; None if it has no such form.

        Arithmetic of i64 is taken as exact, and the assumption is recorded (``assumed``): a size
        that fits a device hardly ever comes from a number that has wrapped around.  Constants and
        the operands of other operators do wrap.  Numbers that are likely to wrap give None.
        """
        match e:
            case Const(int() as k, t) if _is_int(t):
                return const(k)
            case Var(x):
                return state.scalars.get(x)
            case Cast(to, source, a) if to is I64 and _fits(source):
                return self._expr(a, state)
            case Unary(UnOp.NEG, t, a) if t is I64:
                value = self._expr(a, state)
                return None if value is None else _as_i64(-value)
            case Binary(op, t, a, b) if t is I64:
                left, right = self._expr(a, state), self._expr(b, state)
                if left is None or right is None:
                    return None
                return self._binary(op, left, right)
            case Const() | Cast() | Unary() | Binary():
                return None

    def _binary(self, op: BinOp, a: Size, b: Size) -> Size | None:
        match op:
            case BinOp.ADD:
                return _as_i64(a + b)
            case BinOp.SUB:
                return _as_i64(a - b)
            case BinOp.MUL:
                return _as_i64(a * b)
            case BinOp.DIV | BinOp.QUOT if (b.as_const or 0) > 0:
                rounds_down = op is BinOp.DIV or self.atoms.nonneg(a)
                return self._derived(Op.DIV, a, b) if rounds_down else None
            case BinOp.MOD | BinOp.REM if (b.as_const or 0) > 0 and not self._varies(a):
                floors = op is BinOp.MOD or self.atoms.nonneg(a)
                return self._derived(Op.MOD, a, b) if floors else None
            case BinOp.DIV if not self._varies(a) and not self._varies(b):
                return self._derived(Op.DIV, a, b)
            case BinOp.MIN:
                return self._derived(Op.MIN, a, b)
            case BinOp.MAX:
                return self._derived(Op.MAX, a, b)
            case _:
                return None

    def _derived(self, op: Op, a: Size, b: Size) -> Size | None:
        """Return an operator's result, or None if it is not monotonic in the varying atoms."""
        if self.atoms.has_index(a) or self.atoms.has_index(b):
            return None
        if not (self.atoms.grows(a) and self.atoms.grows(b)):
            return None
        value = self.atoms.derived(op, a, b)
        if not self.atoms.stands_for(value, op, a, b):  # simplified under the assumption
            self._assume(a, b)
        return value

    def _varies(self, d: Size) -> bool:
        return self.atoms.has_index(d) or any(map(self.atoms.varies, d.free()))


_MOST_ROUNDS = 6
"""Cap on the rounds in which a loop's body is analysed until its state is widened."""


def _as_i64(d: Size) -> Size | None:
    """Wrap a constant to 64 bits; return another polynomial as it is, or None if it is huge."""
    k = d.as_const
    if k is not None:
        return const(wrapped(k))
    return d if all(abs(k) < _HUGE for _, k in d.terms) else None


_HUGE = 1 << 53
"""Coefficients from which a polynomial is likely to wrap; no block has that many bytes."""


def _is_int(t: ScalarType) -> bool:
    return not t.is_float and t is not BOOL


def _fits(t: ScalarType) -> bool:
    """True if an i64 can represent every value of a type."""
    return _is_int(t) and t is not ScalarType.U64


def _line(node: Node) -> str:
    at = place_of(node.step)
    return f" at line {at.line}" if at != NOWHERE else ""
