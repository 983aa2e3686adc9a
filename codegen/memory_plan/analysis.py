"""The memory plan of an entry point: an abstract run of its host plan.

One pass over the steps keeps which buffers are held and how large they are, as polynomials
(:mod:`symbols`).  Whenever a block is allocated the bytes then held are a candidate for the peak.

    alloc    a new buffer; candidate
    if       both branches, then joined; what is inside a branch may not happen
    for      the body until nothing changes; buffers that are handed around keep their size, sizes
             that differ from one iteration to the next are taken as the largest
    free     where the plan says (liveness.py)

The runtime counts the same (buffers.py): bytes of the blocks that variables hold.  Nothing is
rounded up, a block of a negative size has no bytes, and a buffer that is kept for reuse is not
held.  The status buffer, through which kernels report, is no block; its size is constant.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from operator import is_

from funmem.codegen.memory_plan.formula import Formula, Point
from funmem.codegen.memory_plan.state import (
    LARGEST,
    Buffer,
    Joined,
    State,
    join_blocks,
    same_blocks,
    union,
)
from funmem.codegen.memory_plan.symbols import Atoms, Kind, Op, wrapped
from funmem.codegen.plan import (
    Alias,
    Alloc,
    Binary,
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
from funmem.ir.imp import ArrayPort, InRange, NonNegative, RangeInside, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType, UnOp
from funmem.ir.sizes import ONE, ZERO, Size, const, total


@frozen
class BlockPlan:
    """A block: its bytes, the step that allocates it (below 0: an argument), the steps during which
    it is held, and when its size is exact.  In the steps of ``maybe`` it is held, or another block
    instead: which one depends on the run.
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
        """The step that allocates it; None for an argument."""
        return self.site if self.site >= 0 else None


@frozen
class MemoryPlan:
    """The blocks of an entry point and its peak; ``nodes``: the steps that numbers stand for,
    ``live``: the bytes held after each of them.
    """

    entry: EntryPlan
    nodes: Nodes
    blocks: tuple[BlockPlan, ...]
    live: Mapping[int, Size]
    peak: Formula


def memory_plan(entry: EntryPlan) -> MemoryPlan:
    """The memory plan of an entry point.

    A first run finds what checks say about sizes, wherever they stand; a second one uses it.  Both
    have the same atoms, for what was found mentions them.
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
class _Held:
    """Buffers that are held together, and their bytes."""

    buffers: tuple[Buffer, ...]
    bytes: Size

    @staticmethod
    def of(buffers: tuple[Buffer, ...], last: "_Held") -> "_Held":
        """Most steps change nothing: then it is the last one."""
        if len(buffers) == len(last.buffers) and all(map(is_, buffers, last.buffers)):
            return last
        return _Held(buffers, total(b.size for b in buffers))


class _Analysis:
    def __init__(self, entry: EntryPlan, nodes: Nodes, atoms: Atoms) -> None:
        self._entry, self._nodes = entry, nodes
        self._relevant = relevant(nodes)
        self.atoms = atoms
        self.points: list[Point] = []
        self.found: list[Size] = []
        self.assumed: dict[Size, None] = {}
        """Numbers of the host on which sizes rest: the analysis is right if they fit 64 bits."""
        self._loops = 0
        self._conditions: tuple[str, ...] = ()
        self._sites: dict[int, tuple[Name, Span]] = {}
        self._sizes: dict[int, Buffer] = {}
        self._held: dict[int, dict[int, bool]] = {}
        self.live: dict[int, Size] = {}
        self._last = _Held((), ZERO)
        self._results: frozenset[int] = frozenset()

    # -- the whole

    def run(self) -> None:
        """All steps, and what holds if the program ends well: no size is negative."""
        state = State()
        for x in self._entry.sizes:
            state.scalars[x] = self.atoms.quantity(Kind.SIZE, x)
        for p in self._entry.params:
            if isinstance(p, ScalarPort) and _is_int(p.type):
                state.scalars[p.x] = self.atoms.quantity(Kind.ARGUMENT, p.x)
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
        """Arguments, then allocations in the order of the text."""
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
        """Variable x holds a new buffer."""
        raw = self._assumed(size, state)
        exact: tuple[str, ...] = ()
        if self.atoms.has_index(raw) or any(map(self.atoms.varies, raw.free())):
            raw = self.atoms.over_indices(raw) or self.atoms.quantity(Kind.BYTES, x, at)
            if not self.atoms.grows(raw):
                raw = self.atoms.quantity(Kind.BYTES, x, at)
            exact = (f"`{x}`{LARGEST}",)
        buffer = Buffer(frozenset((site,)), self.atoms.at_least_zero(raw), exact)
        state.blocks[x] = buffer
        self._sites[site] = (x, at)
        self._sizes[site] = buffer

    def _candidate(self, state: State) -> None:
        held = state.held()
        conditions = union(self._conditions, state.conditions, *(b.conditions for b in held))
        self.points.append(Point(total(b.size for b in held), conditions))

    def _mark(self, state: State, step: int) -> None:
        """Notes what is held at a step; of a loop's rounds the last one is right."""
        held = state.held()
        self._last = _Held.of(held, self._last)
        self.live[step] = self._last.bytes
        for b in held:
            for site in b.sites:
                self._held.setdefault(site, {})[step] = len(b.sites) == 1

    def _value(self, d: Size, state: State) -> Size:
        """A size where its variables have their present values."""
        for x in d.free() - state.scalars.keys():
            state.scalars[x] = self._unknown(x, Kind.DATA, NOWHERE)
        return d.subst(state.scalars)

    def _assumed(self, d: Size, state: State) -> Size:
        """The same, where what follows from it is wrong if a variable has wrapped around."""
        value = self._value(d, state)
        self._assume(*(state.scalars[x] for x in d.free()))
        return value

    def _assume(self, *numbers: Size) -> None:
        """Arithmetic has left these numbers what they are; a quantity is what it is.

        Of one that changes in a loop the least and the greatest are, as far as that is known.
        """
        for d in numbers:
            if d.as_const is None and d.as_name is None:
                most, least = self.atoms.over_indices(d), self.atoms.over_indices(-d)
                ends = (most, None if least is None else -least)
                self.assumed |= dict.fromkeys(e for e in ends if e is not None)

    def _unknown(self, x: Name, kind: Kind, at: Span, step: int = -1) -> Size:
        """The quantity that stands for a variable's value after a step, or in loops for all its
        values.
        """
        return self.atoms.quantity(Kind.LARGEST if self._loops else kind, x, at, step)

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
                    state.scalars[x] = (
                        self._unknown(x, Kind.DATA, at, node.index) if known is None else known
                    )
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
                state.scalars[x] = self._unknown(x, Kind.DATA, at, node.index)
            case Fetch(outs):
                for o in outs:
                    state.scalars[o.x] = self._unknown(o.x, Kind.DATA, NOWHERE, node.index)
            case Verify(check):
                self._learn(check, state)
            case If():
                self._if(node, state)
            case For() | While():
                self._loop(node, state)
            case Launch():
                pass

    def _learn(self, check: int, state: State) -> None:
        """What is known once a check has passed that every run makes."""
        if self._conditions or self._loops:  # of a loop's iterations, each has values of its own
            return
        match self._entry.checks[check].cond:
            case NonNegative(d):
                facts: Sequence[Size] = (d,)
            case InRange(i, n):
                facts = (i, n - i - ONE)
            case RangeInside(_, length, _, n):  # nothing is inside of anything, also of n < 0
                some = self.atoms.nonneg(self._value(length, state) - ONE)
                facts = (length, n) if some else (length,)
            case _:
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
            state.scalars[x] = q = self._unknown(x, Kind.BRANCH, at, node.index)
            if a is not None and b is not None and q.as_name is not None:
                joined.append(Joined(q.as_name, a, b))
        why = f"the larger branch{line} is taken"
        blocks, conditions = join_blocks(then, orelse, joined, self.atoms, why)
        state.blocks, state.conditions = dict(blocks), conditions

    def _loop(self, node: Node, state: State) -> None:
        """The body, until what is held before and after it agrees."""
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
                body.scalars[x] = self._unknown(x, Kind.LARGEST, place_of(step))
            if isinstance(step, For) and bound is not None:
                body.scalars[step.index] = self.atoms.index(step.index, bound)
            self._steps(node.bodies[0], body)
            why = f"the sizes in the loop{line} are the largest"
            blocks, conditions = join_blocks(head, body, (), self.atoms, why)
            after = State(dict(blocks), head.scalars, conditions)
            if same_blocks(head, after):
                break
            head = after
        else:
            head = self._widened(head, line)
        self._loops -= 1
        self._conditions = outer
        for x in changing:
            state.scalars[x] = self._unknown(x, Kind.FINAL, place_of(step), node.index)
        state.blocks, state.conditions = head.blocks, head.conditions

    def _widened(self, state: State, line: str) -> State:
        """Sizes that never settle: each is the largest that its variable ever holds."""
        why = f"the sizes in the loop{line} are the largest"
        blocks = {
            x: Buffer(b.sites, self.atoms.quantity(Kind.BYTES, x), (why,))
            for x, b in state.blocks.items()
        }
        return State(blocks, state.scalars, union(state.conditions, (why,)))

    def _set_inside(self, node: Node) -> frozenset[Name]:
        inside = (n for body in node.bodies for n in every(body))
        return frozenset(x for n in inside for x in assigned(n.step)) & self._relevant

    # -- expressions

    def _expr(self, e: Expr, state: State) -> Size | None:
        """An integer expression as a polynomial over atoms; None if it is not one.

        Arithmetic of i64 is taken as exact, and what rests on that is noted (``assumed``): hardly
        any size that fits a device comes from a number that has wrapped around.  Constants do wrap,
        and so do the operands of what is no polynomial; and what is so large that it may well wrap
        around is none.
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
            case _:
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
        """An operator's result, if it grows with what varies in loops."""
        if self.atoms.has_index(a) or self.atoms.has_index(b):
            return None
        if not (self.atoms.grows(a) and self.atoms.grows(b)):
            return None
        value = self.atoms.derived(op, a, b)
        if not self.atoms.stands_for(value, op, a, b):  # simplified, as if they were exact
            self._assume(a, b)
        return value

    def _varies(self, d: Size) -> bool:
        return self.atoms.has_index(d) or any(map(self.atoms.varies, d.free()))


_MOST_ROUNDS = 6


def _as_i64(d: Size) -> Size | None:
    """A number as arithmetic leaves it; other polynomials as they are, unless they are huge."""
    k = d.as_const
    if k is not None:
        return const(wrapped(k))
    return d if all(abs(k) < _HUGE for _, k in d.terms) else None


_HUGE = 1 << 53
"""No block has so many bytes, nor ever will."""


def _is_int(t: ScalarType) -> bool:
    return not t.is_float and t is not BOOL


def _fits(t: ScalarType) -> bool:
    """Whether every value of a type is an i64."""
    return _is_int(t) and t is not ScalarType.U64


def _line(node: Node) -> str:
    at = place_of(node.step)
    return f" at line {at.line}" if at != NOWHERE else ""
