"""The number of bytes that a program holds at a time, and a lower bound for it.

    peak           the most bytes of blocks that are held at one moment (``lifetimes.py``): from a
                   block's allocation to its last mention, which is when the runtime frees it
    lower_bound    the most bytes of array elements that are needed at one moment, from the view of
                   one thread: no plan for the same statements in the same order needs less.
                   Needed are elements that are live after the moment; arguments that it uses and
                   that the program may not overwrite; and elements that two threads of a kernel
                   read (readers.py)

Both count arguments, which come in blocks of their own and are freed at their last use.  Both
consider sizes only: a branch that is not taken counts like the other one.  Of blocks of which
``if`` chooses one, ``peak`` counts all that may be held, ``lower_bound`` the smallest.  The threads
of a kernel run at the same time: a block that a thread allocates counts once for each thread;
expanded, it is one block of that total size.

A size may depend on a value that is known only at run time, for instance an element of an array.
Then UsageError names the value to be given as well.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product as cartesian
from math import prod

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Const,
    Convert,
    DerivedArray,
    Entry,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Scalar,
    ScalarExp,
    Stm,
    Un,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, OperatorTrap, bin_fn, un_fn
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    bound_in_stms,
    free_in_stm,
)
from funmem.passes.mem.liveness import NONE, Level, Moment, Names, Role, binders_of, moments
from funmem.passes.mem.merge.lifetimes import Lifetimes, array_bytes
from funmem.passes.mem.merge.readers import Readers

SAMPLES = 64
"""The maximal number of iterations of a loop or kernel that are all evaluated; of more, only the
first and last are.
"""

Count = Callable[[int, "Sizes"], int]
"""Function from the number of a moment and the sizes to the bytes at this moment."""


def peak(e: Entry[Ann], sizes: Mapping[Name, int]) -> int:
    """Return the most bytes held at one moment; ``sizes`` has the entry point's sizes and i64
    parameters.

    Raises UsageError for a value that is not given.
    """
    lifetimes = Lifetimes.of_entry(e)
    every = _allocations(lifetimes)

    def held(t: int, known: Sizes) -> int:
        roots = frozenset[Name]().union(*lifetimes.held[t].named)
        return sum(known.bytes(every[m]) for m in sorted(roots & every.keys()))

    return _most(lifetimes, held, sizes)


def lower_bound(e: Entry[Ann], sizes: Mapping[Name, int]) -> int:
    """Return the most bytes of elements that are needed at one moment; arguments as for
    :func:`peak`.

    Arrays that lie in one block at one moment need no more than the block: elements that are about
    to be overwritten by another array are not needed.
    """
    lifetimes = Lifetimes.of_entry(e)
    every, blocks = _arrays(e, lifetimes), _allocations(lifetimes)
    own, live, readers = moments(e, own_thread=True), lifetimes.live, Readers.of(lifetimes.live)
    kept = frozenset(p.binder.name for p in e.params if not p.unique) & every.keys()

    def needed(t: int, known: Sizes) -> int:
        m = own[t]
        used = free_in_stm(m.at) & every.keys() if m.at is not None else NONE
        beside = frozenset(x for x in used if live.origins(x) <= kept)
        counted: set[Name] = set()
        found: dict[Name, int] = {}
        for x in sorted(m.after & every.keys() | beside, key=lambda x: (len(live.origins(x)), x)):
            origins = live.origins(x)
            if counted.isdisjoint(origins):
                counted |= origins
                block = live.homes[x].block
                least = min(known.bytes(every[y]) for y in origins)
                found[block] = found.get(block, 0) + least
        if m.at is not None and _is_map_on_host(m):
            for x, n in readers.shared_bytes(m.at, used - beside, m.after, known.values).items():
                block = live.homes[x].block
                found[block] = found.get(block, 0) + n
        return sum(
            min(n, max(known.bytes(blocks[r]) for r in live.blocks.roots(block)))
            for block, n in found.items()
        )

    return _most(lifetimes, needed, sizes)


def _is_map_on_host(m: Moment) -> bool:
    """True if a moment is a kernel without collective, outside of other kernels."""
    match m.at:
        case Stm(_, Kernel(_, Map(), _)):
            return all(x.role not in (Role.KERNEL, Role.OPERATOR) for x in m.level.outwards())
        case _:
            return False


# ---------------------------------------------------------------------- sizes in numbers


@frozen
class Amount:
    """Bytes for every thread of the enclosing kernels."""

    bytes: Size
    threads: tuple[KernelDim, ...]


def _allocations(lifetimes: Lifetimes) -> dict[Name, Amount]:
    """Return every block, those of arguments included."""
    found = {x: Amount(b.size, _threads(b.level)) for x, b in lifetimes.blocks.items()}
    return found | {x: Amount(d, ()) for x, d in lifetimes.arguments.items()}


def _arrays(e: Entry[Ann], lifetimes: Lifetimes) -> dict[Name, Amount]:
    found = {
        b.name: Amount(array_bytes(b.type), ())
        for b in binders_of(e)
        if isinstance(b.type, ArrayType)
    }
    for h in lifetimes.held:
        for b in () if h.moment.at is None else h.moment.at.pat:
            if b.name in found and found[b.name].bytes.free().isdisjoint(_own_names(h.moment)):
                found[b.name] = Amount(found[b.name].bytes, _threads(h.moment.level))
    return found


def _own_names(m: Moment) -> Names:
    """Return the names that the kernels around a moment bind.  Sizes that depend on them may differ
    from thread to thread, and are counted once.
    """
    around = (x.of for x in m.level.outwards() if x.of is not None)
    kernels = (s for s in around if isinstance(s.exp, Kernel))
    return bound_in_stms(kernels)


def _threads(level: Level) -> tuple[KernelDim, ...]:
    dims: tuple[KernelDim, ...] = ()
    for around in level.outwards():
        if around.of is not None and isinstance(around.of.exp, Kernel):
            own = around.of.exp.dims
            dims += own if around.role is Role.KERNEL else own[:-1]
    return dims


class Sizes:
    """The values of i64 variables at a moment."""

    def __init__(self, given: Mapping[Name, int]) -> None:
        self.values = dict(given)

    def value(self, d: Size) -> int:
        """Return the value of a size; raises UsageError for a variable without a value."""
        missing = sorted(d.free() - self.values.keys())
        if missing:
            message = f"the peak depends on {', '.join(missing)}, which no size gives"
            raise UsageError(Diagnostic(NOWHERE, "sizes", message))
        return d.eval(lambda x: self.values[x])

    def bytes(self, a: Amount) -> int:
        """Return the number of bytes; a negative size counts as 0."""
        total = max(0, self.value(a.bytes))
        for d in a.threads:
            total *= max(0, self.value(d.size))
        return total

    def bind(self, s: Stm[Ann]) -> None:
        """Record the value of an i64 that a statement binds, if it follows from known values."""
        match s:
            case Stm((b,), (Const() | Var() | Bin() | Un() | Convert()) as e) if b.type is I64:
                value = self._scalar(e)
                if value is not None:
                    self.values[b.name] = value
            case _:
                pass

    def _scalar(self, e: ScalarExp) -> int | None:
        """Return the value of an expression; None if it is unknown or the expression traps."""
        match e:
            case Const(int(k), t) if t is I64:
                return k
            case Var(x):
                return self.values.get(x)
            case Bin(op, a, b):
                left, right = self._scalar(a), self._scalar(b)
                if left is None or right is None:
                    return None
                try:
                    return int(bin_fn(op, I64)(left, right))
                except OperatorTrap:
                    return None
            case Un(op, a):
                value = self._scalar(a)
                return None if value is None else int(un_fn(op, I64)(value))
            case Const() | Convert():
                return None


# ---------------------------------------------------------------------- moment by moment


def _most(lifetimes: Lifetimes, count: Count, given: Mapping[Name, int]) -> int:
    return _Evaluation(lifetimes, count, Sizes(given)).body((0,))


class _Evaluation:
    """Evaluates all moments, iteration by iteration."""

    def __init__(self, lifetimes: Lifetimes, count: Count, sizes: Sizes) -> None:
        self.count, self.sizes = count, sizes
        self.moments: dict[tuple[int, ...], list[tuple[int, Moment]]] = {}
        self.inner: dict[tuple[int, ...], list[Level]] = {}
        for t, h in enumerate(lifetimes.held):
            level = h.moment.level
            if level.path not in self.moments:
                self.moments[level.path] = []
                self.inner.setdefault(level.path[:-1], []).append(level)
            self.moments[level.path].append((t, h.moment))

    def body(self, path: tuple[int, ...]) -> int:
        """Return the maximum over the moments of a body and of those inside it."""
        most = 0
        for t, m in self.moments[path]:
            most = max(most, self.count(t, self.sizes))
            if m.at is not None:
                for level in self.inner.get(path, ()):
                    if level.of is m.at:
                        most = max(most, self.iterations(level))
                self.sizes.bind(m.at)
        return most

    def iterations(self, level: Level) -> int:
        """Return the maximum over the iterations."""
        assert level.of is not None
        most = 0
        for index in self._indices(level):
            self.sizes.values |= index
            most = max(most, self.body(level.path))
        return most

    def _indices(self, level: Level) -> Iterator[dict[Name, int]]:
        assert level.of is not None
        match level.of.exp:
            case Loop(_, For(i, n)):
                dims: Sequence[tuple[Name, Size]] = ((i, n),)
            case Kernel(kdims):
                dims = [(d.index, d.size) for d in kdims]
            case Loop() | If():
                dims = ()
            case (
                Scalar()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Assert()
                | Alloc()
                | Opaque()
            ):
                dims = ()
            case RaggedKernel():
                raise unscheduled()
        lengths = [self.sizes.value(n) for _, n in dims]
        few = prod(lengths) <= SAMPLES
        ranges = [range(n) if few else _sampled(n) for n in lengths]
        for index in cartesian(*ranges):
            yield dict(zip((i for i, _ in dims), index, strict=True))


def _sampled(n: int) -> Sequence[int]:
    return range(n) if n <= 4 else (0, 1, n - 2, n - 1)
