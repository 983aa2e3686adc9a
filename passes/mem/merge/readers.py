"""Count the elements that two threads of a kernel read: no thread may overwrite these.

A kernel's result may take the place of an array whose last use it is, but only if every element is
read by no thread except the one that writes there: a write to an element that another thread reads
is a race (eq. 4).  So elements that two threads read are needed until the kernel ends, in addition
to its whole result.  :func:`shared_bytes` counts such elements for given sizes; scalars that depend
on the thread are vectors with one number for each thread.

The count is a lower bound.  An index that comes out of an array may have any value, since a plan
must be correct for all data.  Reads at an index that is unknown for another reason, and reads of a
whole array, are not counted.  Of very many threads and iterations only some are evaluated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as cartesian
from math import prod
from types import MappingProxyType

import numpy as np
from attrs import field
from numpy.typing import NDArray

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Body,
    Call,
    Const,
    Convert,
    DerivedArray,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    ScalarExp,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.logic.derive import in_place_of, source_of
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, BinOp, normalise
from funmem.ir.sizes import Size
from funmem.ir.traverse import walk
from funmem.passes.mem.liveness import Liveness, binders_of

Numbers = NDArray[np.int64]
"""An i64 for all threads, or one for each: shape [] or [threads]."""


class Data:
    """An i64 that depends on the elements of arrays."""


DATA = Data()
ThreadValue = Numbers | Data | None
"""The value of an i64; None: unknown."""

MOST_THREADS, MOST_READS = 1 << 18, 1 << 21
FEW = 4
"""The number of iterations of an inner loop that are evaluated if the budget does not allow all."""


@frozen
class Readers:
    """The kernels of an entry point, with queries for the reads of their threads."""

    live: Liveness
    types: Mapping[Name, Type]
    shown: Mapping[Name, Name]
    """Array -> the array whose elements it shows or replaces: a view's source, an updated array."""

    @staticmethod
    def of(live: Liveness) -> "Readers":
        shown: dict[Name, Name] = {}
        for s in walk(live.entry.body):
            if (x := source_of(s.exp)) is not None:
                shown[s.pat[0].name] = x
            else:
                shown.update(zip((p.name for p in s.pat), in_place_of(s.exp), strict=False))
        return Readers(live, {b.name: b.type for b in binders_of(live.entry)}, shown)

    def base(self, x: Name) -> Name:
        """Return the array that ``x`` is a view of, through all views in between."""
        while x in self.shown:
            x = self.shown[x]
        return x

    def shared_bytes(
        self, s: Stm[Ann], used: frozenset[Name], after: frozenset[Name], values: Mapping[Name, int]
    ) -> dict[Name, int]:
        """Return the bytes of elements that two threads of a kernel read, for each array whose last
        use is the kernel; ``values`` has the sizes and i64 variables around it.
        """
        alive = frozenset(self.base(x) for x in after if x in self.live.homes)
        dying = frozenset(map(self.base, used)) - alive
        if not dying or not isinstance(s.exp, Kernel):
            return {}
        start: dict[Name, ThreadValue] = {x: np.asarray(v, np.int64) for x, v in values.items()}
        bounds = [_polynomial(d.size, start) for d in s.exp.dims]
        if any(b is None for b in bounds):
            return {}
        lengths = [max(0, int(b)) for b in bounds if b is not None]
        threads = min(prod(lengths), MOST_THREADS)
        if threads < 2:
            return {}
        number = np.arange(threads, dtype=np.int64)
        start |= {d.index: i for d, i in zip(s.exp.dims, _indices(number, lengths), strict=True)}
        reads = _Reads(self, dying, number, start)
        with np.errstate(over="ignore"):  # i64 arithmetic wraps around
            reads.body(s.exp.body)
        return {x: reads.elements(x) * self.element_bytes(x) for x in sorted(dying)}

    def element_bytes(self, x: Name) -> int:
        t = self.types[x]
        assert isinstance(t, ArrayType)
        return t.elem.bytes


@define
class _Reads:
    """A walk over a kernel's body, for all threads at a time."""

    readers: Readers
    dying: frozenset[Name]
    number: Numbers
    known: dict[Name, ThreadValue]
    places: dict[tuple[Name, int], list[tuple[Numbers, Numbers]]] = field(factory=dict)
    """For each base and each number of elements from which data selects one: the address of the
    first element, and the threads that read there.
    """
    left: int = MOST_READS

    def body(self, b: Body[Ann]) -> None:
        for s in b.stms:
            self.statement(s)

    def statement(self, s: Stm[Ann]) -> None:
        match s.exp:
            case Call():
                self.known.update((b.name, DATA) for b in s.pat)
            case (Const() | Var() | Bin() | Un() | Convert()) as e:
                if s.pat[0].type is I64:
                    self.known[s.pat[0].name] = self.scalar(e)
            case Index(x, index):
                self.known[s.pat[0].name] = DATA
                self.read(x, index)
            case If(_, then, orelse):
                self.body(then)
                self.body(orelse)
            case Loop(_, For(i, n), body):
                self.iterations(((i, n),), body)
            case Kernel(dims, _, body):
                self.iterations([(d.index, d.size) for d in dims], body)
            case Loop() as e:
                self.body(e.body)
            case DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc() | Opaque():
                pass
            case RaggedKernel():
                raise unscheduled()

    def iterations(self, dims: Sequence[tuple[Name, Size]], b: Body[Ann]) -> None:
        """Visit a body, in as many iterations as the budget allows."""
        counts: list[int] = []
        for _, n in dims:
            many = self.number_of(n)
            if many is None:
                return
            counts.append(int(many.min()))
        for index in _some(counts, self.left // len(self.number)):
            if self.left <= 0:
                return
            for (i, _), k in zip(dims, index, strict=True):
                self.known[i] = np.asarray(k, np.int64)
            self.body(b)

    # ------------------------------------------------------------------ reads

    def read(self, x: Name, index: Sequence[Size]) -> None:
        """Record that every thread reads an element of ``x``."""
        base, ix = self.readers.base(x), self.readers.live.homes[x].ix
        offset = self.number_of(ix.offset)
        if base not in self.dying or offset is None:
            return
        address = np.broadcast_to(offset, self.number.shape)
        anywhere = 1
        for i, d in zip(index, ix.dims, strict=True):
            at, stride, length = self.size(i), self.number_of(d.stride), self.number_of(d.len)
            if at is None or stride is None or length is None:
                return
            if isinstance(at, Data):
                anywhere *= int(length.min())
            else:
                address = address + at * stride
        self.left -= len(self.number)
        self.places.setdefault((base, anywhere), []).append((address, self.number))

    def elements(self, base: Name) -> int:
        """Return the number of elements that two threads read."""
        most = 0
        for (x, anywhere), found in self.places.items():
            if x == base:
                addresses, threads = zip(*found, strict=True)
                shared = _by_two(np.concatenate(addresses), np.concatenate(threads))
                most = max(most, shared * anywhere)
        return most

    # ------------------------------------------------------------------ scalars

    def size(self, d: Size) -> ThreadValue:
        """Return a size for each thread."""
        if any(isinstance(self.known.get(x), Data) for x in d.free()):
            return DATA
        return _polynomial(d, self.known)

    def number_of(self, d: Size) -> Numbers | None:
        """Return a size for each thread, or None if it is unknown or depends on data."""
        found = self.size(d)
        return None if isinstance(found, Data) else found

    def scalar(self, e: ScalarExp) -> ThreadValue:
        match e:
            case Const(int(k), t) if t is I64:
                return np.asarray(k, np.int64)
            case Var(x):
                return self.known.get(x)
            case Bin(op, a, b) if op in OPERATORS:
                left, right = self.scalar(a), self.scalar(b)
                if left is None or right is None:
                    return None
                if isinstance(left, Data) or isinstance(right, Data):
                    return DATA
                return OPERATORS[op](left, right)
            case Const() | Bin() | Un() | Convert():
                return None


def _quotient(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.floor_divide(a, np.where(b == 0, 1, b)), np.int64)


def _modulus(a: Numbers, b: Numbers) -> Numbers:
    return np.asarray(np.mod(a, np.where(b == 0, 1, b)), np.int64)


OPERATORS: Mapping[BinOp, Callable[[Numbers, Numbers], Numbers]] = MappingProxyType(
    {
        BinOp.ADD: lambda a, b: a + b,
        BinOp.SUB: lambda a, b: a - b,
        BinOp.MUL: lambda a, b: a * b,
        BinOp.MIN: lambda a, b: np.minimum(a, b),
        BinOp.MAX: lambda a, b: np.maximum(a, b),
        BinOp.DIV: _quotient,
        BinOp.MOD: _modulus,
    }
)
"""The operators in index expressions.  A division by zero traps, and reads nothing."""


def _indices(number: Numbers, lengths: Sequence[int]) -> tuple[Numbers, ...]:
    """Return the indices of threads in each dimension; the product of the lengths may
    exceed i64.
    """
    found: list[Numbers] = []
    for n in reversed(lengths):
        found.append(number % n)
        number = number // n
    return tuple(reversed(found))


def _polynomial(d: Size, known: Mapping[Name, ThreadValue]) -> Numbers | None:
    """Return the value of a size; None if a variable is unknown or depends on data, or if a
    coefficient is not an i64.
    """
    total: Numbers = np.asarray(0, np.int64)
    for monomial, k in d.terms:
        if normalise(k, I64) != k:
            return None
        term: Numbers = np.asarray(k, np.int64)
        for x in monomial:
            value = known.get(x)
            if value is None or isinstance(value, Data):
                return None
            term = np.asarray(term * value, np.int64)
        total = np.asarray(total + term, np.int64)
    return total


def _by_two(address: Numbers, thread: Numbers) -> int:
    """Return the number of addresses that belong to two or more threads."""
    pairs = np.unique(np.stack([address, thread]), axis=1)
    _, count = np.unique(pairs[0], return_counts=True)
    return int(np.sum(count > 1))


def _some(counts: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Yield the indices of an inner loop: all, or some from both ends."""
    ranges: list[Sequence[int]] = [range(n) for n in counts]
    if prod(map(len, ranges)) > max(most, FEW):
        ranges = [r if len(r) <= FEW else (0, 1, r[-2], r[-1]) for r in ranges]
    yield from cartesian(*ranges)
