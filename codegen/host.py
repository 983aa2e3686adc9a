"""Turns the steps of a plan into closures: resolved once, run at every call.

Every scalar variable has a slot in ``Run.scalars``, every block variable one in ``Run.blocks``.
A closure does exactly what :mod:`plan <funmem.codegen.plan>` defines for its step.  It reaches the
device through :class:`Commands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from attrs import field

from funmem.codegen import plan
from funmem.codegen.plan import CheckInfo, Condition, EntryPlan, Expr, Step, Steps, Test
from funmem.codegen.scalars_cl import from_word
from funmem.ir.diagnostics import Span, Stuck, Trap, TrapKind
from funmem.ir.fun import Const, Var
from funmem.ir.imp import (
    ImpEntry,
    Injective,
    InRange,
    NonNegative,
    Port,
    RangeInside,
    Shown,
    SizesEqual,
)
from funmem.ir.imp_traverse import argument_names
from funmem.ir.injective import injective
from funmem.ir.messages import fill, show_value
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import I64, OperatorTrap, ScalarType, Value, bin_fn, convert_fn, un_fn
from funmem.ir.signature import Signature, signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArrayValue
from funmem.ir.values import Value as AnyValue

if TYPE_CHECKING:  # the C back end must not import pyopencl
    from funmem.codegen.buffers import Buffer

Scalars = list[Value]
Get = Callable[[Scalars], Value]
GetInt = Callable[[Scalars], int]


@define(eq=False)
class Run:
    """The values of the host variables during one call."""

    scalars: Scalars
    blocks: list[Buffer | None]


Do = Callable[[Run], None]


class Commands(Protocol):
    """The commands that a plan gives to a device (commands.py)."""

    def take(self, size: int, at: Span) -> Buffer: ...
    def drop(self, buffer: Buffer) -> None: ...
    def launcher(self, kernel: int) -> Callable[[Run, int], None]: ...
    def sync(self) -> None: ...
    def round(self) -> None: ...
    def answers(self, types: Sequence[ScalarType]) -> list[Value]: ...
    def read(self, buffer: Buffer, index: int, t: ScalarType, at: Span) -> Value: ...


# ---------------------------------------------------------------------- expressions


@define
class Slots:
    """Assigns slots to variables, and resolves expressions and sizes to closures over them."""

    scalars: dict[Name, int] = field(factory=dict)
    blocks: dict[Name, int] = field(factory=dict)

    def scalar(self, x: Name) -> int:
        return self.scalars.setdefault(x, len(self.scalars))

    def block(self, x: Name) -> int:
        return self.blocks.setdefault(x, len(self.blocks))

    def expr(self, e: Expr) -> Get:
        """Return a function that evaluates an expression."""
        match e:
            case Const(v):
                return lambda _: v
            case Var(x):
                return itemgetter(self.scalar(x))
            case plan.Binary(op, t, a, b):
                binary, left, right = bin_fn(op, t), self.expr(a), self.expr(b)
                return lambda s: binary(left(s), right(s))
            case plan.Unary(op, t, a):
                unary, operand = un_fn(op, t), self.expr(a)
                return lambda s: unary(operand(s))
            case plan.Cast(to, source, a):
                cast, operand = convert_fn(source, to), self.expr(a)
                return lambda s: cast(operand(s))

    def size(self, d: Size) -> GetInt:
        """Return a function that computes a size exactly."""
        k, x = d.as_const, d.as_name
        if k is not None:
            return lambda _: k
        if x is not None:
            return itemgetter(self.scalar(x))
        terms = tuple((k, tuple(map(self.scalar, monomial))) for monomial, k in d.terms)

        def total(s: Scalars) -> int:
            value = 0
            for k, slots in terms:
                for slot in slots:
                    k *= s[slot]  # type: ignore[assignment]  # the slot of an i64 holds an int
                value += k
            return value

        return total

    def condition(self, c: Condition) -> Callable[[Scalars], bool]:
        """Return a function that tests a condition."""
        if isinstance(c, Test):
            test = self.expr(c.cond)
            return lambda s: bool(test(s))
        names = {x: self.scalar(x) for x in sorted(condition_names(c))}
        return lambda s: holds(c, lambda x: int(s[names[x]]))


def signature_of(e: EntryPlan) -> Signature:
    """Return the signature of an entry point."""
    return signature(ImpEntry(e.name, e.sizes, e.params, (), e.results))


def array_argument(p: Port, v: AnyValue) -> ArrayValue:
    """Return the argument of an array parameter.  Raises Stuck if it is not an array."""
    if not isinstance(v, ArrayValue):
        raise Stuck(f"`{v}` was bound to {p}")
    return v


def scalar_argument(p: Port, v: AnyValue) -> Value:
    """Return the argument of a scalar parameter.  Raises Stuck if it is not a scalar."""
    if isinstance(v, ArrayValue):
        raise Stuck(f"`{v}` was bound to {p}")
    return v


# ---------------------------------------------------------------------- conditions


def condition_names(c: Condition) -> frozenset[Name]:
    """Return the variables of a condition over sizes; the empty set for a ``Test``."""
    match c:
        case InRange(a, b) | SizesEqual(a, b):
            return a.free() | b.free()
        case Injective(dims):
            return frozenset().union(*(d.len.free() | d.stride.free() for d in dims))
        case RangeInside(start, length, stride, n):
            return start.free() | length.free() | stride.free() | n.free()
        case NonNegative(d):
            return d.free()
        case Test():
            return frozenset()


def holds(c: Condition, value: Callable[[Name], int]) -> bool:
    """True if a condition over sizes holds in exact integers; False for a ``Test``."""
    match c:
        case InRange(i, n):
            return 0 <= i.eval(value) < n.eval(value)
        case RangeInside(start, length, stride, n):
            first, count, end = start.eval(value), length.eval(value), n.eval(value)
            last = first + (count - 1) * stride.eval(value)
            return count == 0 or (count > 0 and 0 <= first < end and 0 <= last < end)
        case Injective(dims):
            lens, strides = ([d.len for d in dims], [d.stride for d in dims])
            return injective([n.eval(value) for n in lens], [s.eval(value) for s in strides])
        case NonNegative(d):
            return d.eval(value) >= 0
        case SizesEqual(a, b):
            return a.eval(value) == b.eval(value)
        case Test():
            return False


def reported(check: CheckInfo, words: Sequence[int]) -> dict[Name, Value]:
    """Return the values of a check's variables from the words that a device stored."""
    types = {a.x: a.type for a in check.args if isinstance(a, Shown)}
    stored = zip(check.stored, words, strict=False)
    return {x: from_word(types.get(x, I64), word) for x, word in stored}


def trap(check: CheckInfo, values: Mapping[Name, Value]) -> Trap:
    """Return the trap of a failed check, given the values of its variables.

    If a condition over sizes holds in exact integers, it failed on the device because a product did
    not fit 64 bits.  The trap then reports overflow: sizes of existing arrays are never that large.
    """
    known = condition_names(check.cond) <= values.keys()
    if not isinstance(check.cond, Test) and known and holds(check.cond, lambda x: int(values[x])):
        message = "Sizes in this check do not fit 64 bits on the device."
        return Trap(TrapKind.OVERFLOW, message, check.at)
    shown = [_shown(a, values) for a in check.args]
    return Trap(check.kind, fill(check.message, shown), check.at)


def _shown(a: Size | Shown, values: Mapping[Name, Value]) -> str:
    """Return the text for a hole of a message; ``?`` if a value did not fit the status buffer."""
    if not argument_names((a,)) <= values.keys():
        return "?"
    if isinstance(a, Shown):
        return show_value(values[a.x], a.type)
    return str(a.eval(lambda x: int(values[x])))


# ---------------------------------------------------------------------- steps


@define
class Resolver:
    """Resolves the steps of one entry point to closures for one device."""

    slots: Slots
    checks: tuple[CheckInfo, ...]
    device: Commands

    def steps(self, steps: Steps) -> Do:
        every = tuple(map(self.step, steps))

        def run(r: Run) -> None:
            for do in every:
                do(r)

        return run

    def step(self, step: Step) -> Do:
        match step:
            case plan.SetScalar():
                return self.set_scalar(step)
            case plan.Alias(x, y):
                return self.alias(x, y)
            case plan.Alloc(x, size, at):
                return self.alloc(x, size, at)
            case plan.Free(xs):
                return self.free(xs)
            case plan.Launch():
                return self.launch(step)
            case plan.Fetch(outs):
                return self.fetch(outs)
            case plan.ReadScalar():
                return self.read(step)
            case plan.If(cond, then, orelse):
                return self.branch(cond, then, orelse)
            case plan.For(index, bound, body):
                return self.loop(index, bound, body)
            case plan.While(cond, body):
                return self.repeat(cond, body)
            case plan.Verify(check):
                return self.verify(self.checks[check])

    def set_scalar(self, step: plan.SetScalar) -> Do:
        slot, value, device = self.slots.scalar(step.x), self.slots.expr(step.value), self.device

        def do(r: Run) -> None:
            try:
                r.scalars[slot] = value(r.scalars)
            except OperatorTrap as stop:  # only without checks
                raise operator_trap(stop, step.at, device.sync) from None

        return do

    def alias(self, x: Name, y: Name) -> Do:
        to, source, drop = self.slots.block(x), self.slots.block(y), self.device.drop

        def do(r: Run) -> None:
            old, new = r.blocks[to], r.blocks[source]
            if new is not None:
                new.holders += 1
            r.blocks[to] = new
            if old is not None:
                drop(old)

        return do

    def alloc(self, x: Name, size: Size, at: Span) -> Do:
        slot, count, device = self.slots.block(x), self.slots.size(size), self.device

        def do(r: Run) -> None:
            old = r.blocks[slot]
            if old is not None:
                r.blocks[slot] = None
                device.drop(old)
            r.blocks[slot] = device.take(count(r.scalars), at)

        return do

    def free(self, xs: Sequence[Name]) -> Do:
        slots, drop = tuple(map(self.slots.block, xs)), self.device.drop

        def do(r: Run) -> None:
            for slot in slots:
                buffer = r.blocks[slot]
                if buffer is not None:
                    r.blocks[slot] = None
                    drop(buffer)

        return do

    def launch(self, step: plan.Launch) -> Do:
        dims, launch = tuple(map(self.slots.size, step.dims)), self.device.launcher(step.kernel)

        def do(r: Run) -> None:
            n = 1
            for d in dims:
                k = d(r.scalars)
                if k <= 0:
                    return
                n *= k
            launch(r, n)

        return do

    def fetch(self, outs: Sequence[plan.Out]) -> Do:
        slots, types = [self.slots.scalar(o.x) for o in outs], [o.type for o in outs]
        device = self.device

        def do(r: Run) -> None:
            for slot, value in zip(slots, device.answers(types), strict=True):
                r.scalars[slot] = value

        return do

    def read(self, step: plan.ReadScalar) -> Do:
        slot, block = self.slots.scalar(step.x), self.slots.block(step.block)
        index, device = self.slots.size(step.index), self.device

        def do(r: Run) -> None:
            device.sync()
            source = held(r.blocks[block], step.block)
            r.scalars[slot] = device.read(source, index(r.scalars), step.elem, step.at)

        return do

    def branch(self, cond: Expr, then: Steps, orelse: Steps) -> Do:
        test, yes, no = self.slots.expr(cond), self.steps(then), self.steps(orelse)
        return lambda r: yes(r) if test(r.scalars) else no(r)

    def loop(self, index: Name, bound: Size, body: Steps) -> Do:
        slot, count, run = self.slots.scalar(index), self.slots.size(bound), self.steps(body)
        after_each = self.device.round

        def do(r: Run) -> None:
            for i in range(count(r.scalars)):
                r.scalars[slot] = i
                run(r)
                after_each()

        return do

    def repeat(self, cond: Name, body: Steps) -> Do:
        slot, run, after_each = self.slots.scalar(cond), self.steps(body), self.device.round

        def do(r: Run) -> None:
            while r.scalars[slot]:
                run(r)
                after_each()

        return do

    def verify(self, check: CheckInfo) -> Do:
        ok, device = self.slots.condition(check.cond), self.device
        slots = {x: self.slots.scalar(x) for x in all_names(check)}

        def do(r: Run) -> None:
            try:
                good = ok(r.scalars)
            except OperatorTrap as stop:
                raise operator_trap(stop, check.at, device.sync) from None
            if not good:
                device.sync()  # a failure on the device came earlier and takes precedence
                raise trap(check, {x: r.scalars[slot] for x, slot in slots.items()})

        return do


def operator_trap(stop: OperatorTrap, at: Span, sync: Callable[[], None]) -> Trap:
    """Return the trap of an undefined operation; ``sync`` raises an earlier one of the device."""
    sync()
    return Trap(TrapKind(stop.kind.value), stop.kind.value, at)


def all_names(check: CheckInfo) -> frozenset[Name]:
    """Return the variables of a check's condition and message."""
    return condition_names(check.cond) | argument_names(check.args)


def held(buffer: Buffer | None, x: Name) -> Buffer:
    """Return the buffer of block variable ``x``.  Raises Stuck if it has none."""
    if buffer is None:
        raise Stuck(f"block `{x}` is used before it is allocated")
    return buffer
