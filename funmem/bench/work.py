"""Count the bytes that a call moves and the operations it computes, without running the program.

The counts are taken from the IMP program.

    bytes   each kernel moves the accessed part of each block once; caching between kernels is
            ignored
    flops   operators on floats and calls of functions on floats; each counts as one

Scalars are evaluated as far as arguments and sizes determine them.  The index of a kernel, or of a
loop in a kernel, has its middle value, so that bounds that grow with it count on average.  A loop
whose trip count depends on data counts once; the result is then a lower bound.
"""

from collections.abc import Sequence
from functools import partial
from math import prod

from attrs import field

from funmem.interp.scope import Scope
from funmem.ir.fun import Bin, Const, Convert, MemType, ScalarExp, Space, Un, Var
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
    ImpEntry,
    ImpFunction,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import apart, nested, own_assigns, variable_types
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, OperatorTrap, ScalarType, Value
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, ArrayValue, bind

MOST_ROUNDS = 1 << 12
"""Host loops with a larger trip count are counted at their middle value, as loops in kernels."""


@frozen
class Work:
    """Bytes and operations; lower bounds if ``least``."""

    bytes: float = 0.0
    flops: float = 0.0
    least: bool = False

    def __add__(self, other: "Work") -> "Work":
        return Work(self.bytes + other.bytes, self.flops + other.flops, self.least or other.least)


def count(program: ImpProgram, entry: str, args: Sequence[ArgValue]) -> Work:
    """Return the work of one call.  Raises InputError."""
    chosen = next(e for e in program.entries if e.name == entry)
    counter = _Counter(chosen, program.functions)
    counter.take(chosen, args)
    return counter.block(chosen.body)


@frozen
class _Inside:
    """The work inside a kernel: bytes read and written, by block, and operations."""

    read: dict[Name, float] = field(factory=dict)
    written: dict[Name, float] = field(factory=dict)
    flops: float = 0.0
    least: bool = False

    def plus(self, other: "_Inside", times: float = 1.0) -> "_Inside":
        return _Inside(
            _sum(self.read, other.read, times),
            _sum(self.written, other.written, times),
            self.flops + times * other.flops,
            self.least or other.least,
        )


def _sum(a: dict[Name, float], b: dict[Name, float], times: float) -> dict[Name, float]:
    return {x: a.get(x, 0.0) + times * b.get(x, 0.0) for x in a.keys() | b.keys()}


def _local(fn: Name, x: Name) -> Name:
    return Name(f"{fn} {x}")


class _Counter:
    """Counts the work of an entry point.  ``scope``: values of known scalars; ``sizes``: bytes of
    blocks.
    """

    def __init__(self, e: ImpEntry, functions: Sequence[ImpFunction]) -> None:
        self.functions = {f.name: apart(f, partial(_local, f.name)) for f in functions}
        self.calls: dict[Name, _Inside] = {}
        self.scope: Scope[Value] = Scope()
        for f in self.functions.values():
            self.scope.types.update(variable_types(f))
        self.sizes: dict[Name, float] = {}
        self.scope.types.update(dict.fromkeys(e.sizes, I64))
        for s in nested(e.body):
            match s:
                case Declare(x, t):
                    self.scope.types[x] = t
                case ForStm(x):
                    self.scope.types[x] = I64
                case KernelStm(dims):
                    self.scope.types.update((d.index, I64) for d in dims)
                case Assign() | Allocate() | Read() | Write() | CopyElement():
                    pass
                case CallStm() | Check() | OpaqueStm():
                    pass
                case IfStm() | WhileStm():
                    pass

    def take(self, e: ImpEntry, args: Sequence[ArgValue]) -> None:
        """Record the arguments' sizes and scalars."""
        sizes, values = bind(signature(e), args)
        self.scope.values.update(sizes)
        for p, v in zip(e.params, values, strict=True):
            match p, v:
                case ArrayPort(), ArrayValue(data):
                    self.sizes[p.block] = data.nbytes
                case ScalarPort(), _ if not isinstance(v, ArrayValue):
                    self.scope.types[p.x] = p.type
                    self.scope.values[p.x] = v
                case _:
                    pass

    # -- the host

    def block(self, stms: Block) -> Work:
        total = Work()
        for s in stms:
            total += self.statement(s)
        return total

    def statement(self, s: ImpStm) -> Work:
        match s:
            case Allocate(x, size):
                self.sizes[x] = self.size(size, 0.0)
            case Assign(x, Var(y)) if isinstance(self.scope.types.get(x), MemType):
                self.sizes[x] = self.sizes.get(y, 0.0)
            case IfStm(cond, then, orelse):
                known = self.value(cond)
                if known is None:
                    either = max((self.block(then), self.block(orelse)), key=lambda w: w.bytes)
                    return evolve(either, least=True)
                return self.block(then if known else orelse)
            case ForStm(index, bound, body):
                return self.rounds(index, bound, body)
            case WhileStm(_, body):
                self.forget(body)
                return evolve(self.block(body), least=True)
            case Declare() | Assign() | Read() | Write() | CopyElement():
                return self.moved(self.inside((s,)))
            case KernelStm() | CallStm() | Check() | OpaqueStm():
                return self.moved(self.inside((s,)))
        return Work()

    def rounds(self, index: Name, bound: Size, body: Block) -> Work:
        """Return the work of a host loop: of each iteration if there are at most MOST_ROUNDS."""
        n = self.size(bound, 1.0)
        if not any(isinstance(s, KernelStm) for s in nested(body)) or n > MOST_ROUNDS:
            return self.moved(self.inside((ForStm(index, bound, body),)))
        total = Work()
        for k in range(int(n)):
            self.scope.values[index] = k
            total += self.block(body)
        return total

    def moved(self, i: _Inside) -> Work:
        """Return the work of a launch: of each block, the bytes accessed, at most its size."""
        moved = 0.0
        for accesses in (i.read, i.written):
            moved += sum(min(b, self.sizes.get(x, b)) for x, b in accesses.items())
        return Work(moved, i.flops, i.least)

    # -- inside a kernel

    def inside(self, stms: Block) -> _Inside:
        total = _Inside()
        for s in stms:
            total = total.plus(self.iteration(s))
        return total

    def iteration(self, s: ImpStm) -> _Inside:
        match s:
            case Assign(x, e):
                self.assign(x, e)
                return _Inside(flops=self.flops(e))
            case Read(x, block, _, elem):
                self.scope.values.pop(x, None)
                return _Inside(read=self.access(block, elem))
            case Write(block, _, value, elem):
                return _Inside(written=self.access(block, elem), flops=self.flops(value))
            case CopyElement(dst, _, src, _, elem):
                return _Inside(self.access(src, elem), self.access(dst, elem))
            case IfStm(cond, then, orelse):
                known = self.value(cond)
                a, b = self.inside(then), self.inside(orelse)
                if known is None:
                    return max(a, b, key=lambda i: i.flops + sum(i.read.values()))
                return a if known else b
            case ForStm(index, bound, body):
                return self.loop(((index, bound),), body)
            case KernelStm(dims, body):
                return self.loop(tuple((d.index, d.bound) for d in dims), body)
            case WhileStm(_, body):
                self.forget(body)
                return evolve(self.inside(body), least=True)
            case CallStm(results, fn):
                for x in results:
                    self.scope.values.pop(x, None)
                return self.called(fn)
            case Declare() | Allocate() | Check() | OpaqueStm():
                return _Inside()

    def called(self, fn: Name) -> _Inside:
        """Return the work of a call, for arguments that are not known."""
        if fn not in self.calls:
            self.calls[fn] = self.inside(self.functions[fn].body)
        return self.calls[fn]

    def loop(self, dims: Sequence[tuple[Name, Size]], body: Block) -> _Inside:
        """Return the work of the body at the middle indices, times the number of iterations."""
        counts, least = [], False
        for index, bound in dims:
            least = least or not self.known(bound)
            n = max(0.0, self.size(bound, 1.0))
            counts.append(n)
            self.scope.values[index] = int(max(0.0, n - 1) / 2)
        self.forget(body)
        one = self.inside(body)
        return evolve(_Inside().plus(one, prod(counts)), least=least or one.least)

    def access(self, block: Name, elem: ScalarType) -> dict[Name, float]:
        """Return the bytes of one access, by block; none for private memory."""
        t = self.scope.types.get(block)
        private = isinstance(t, MemType) and t.space is not Space.DEVICE
        return {} if private else {block: float(elem.bytes)}

    # -- scalars

    def assign(self, x: Name, e: ScalarExp) -> None:
        """Record the value of a scalar variable.  Block variables are ignored."""
        if isinstance(self.scope.types.get(x), MemType):
            return
        try:
            self.scope.values[x] = self.scope.scalar(e)[0]()
        except (KeyError, OperatorTrap):
            self.scope.values.pop(x, None)

    def value(self, a: Const | Var) -> Value | None:
        return a.value if isinstance(a, Const) else self.scope.values.get(a.name)

    def known(self, d: Size) -> bool:
        return d.free() <= self.scope.values.keys()

    def size(self, d: Size, otherwise: float) -> float:
        """Return a size's value, or ``otherwise`` if it depends on data."""
        return float(self.scope.size(d)()) if self.known(d) else otherwise

    def forget(self, body: Block) -> None:
        """Forget the scalars that the body of a loop changes."""
        for s in nested(body):
            for x in own_assigns(s):
                self.scope.values.pop(x, None)

    def flops(self, e: ScalarExp) -> float:
        """Return the number of operators whose operands are floats."""
        match e:
            case Bin(_, a, b):
                return self.is_float(a) + self.flops(a) + self.flops(b)
            case Un(_, a):
                return self.is_float(a) + self.flops(a)
            case Convert(_, a):
                return self.flops(a)
            case Const() | Var():
                return 0.0

    def is_float(self, e: ScalarExp) -> bool:
        return self.scope.scalar(e)[1].is_float
