"""(6) May the threads of a kernel use two arrays in one block?

Two blocks may become one although a kernel uses both, if each thread accesses only its own part:
bytes that no other thread accesses.  A block is divided among the threads of a kernel in one of two
ways, t being a thread's number in row-major order of the kernel's indices:

    in stretches      thread t has the bytes  base + t*size  up to  base + (t+1)*size
    interleaved       thread t has the elements whose number is t modulo the number of threads

Every access must stay inside one of these, the same for both blocks.  So element size, index
function and interleaving matter: an i32 array from which thread t reads element t, and an i64 array
to which it writes element t, are divided differently; so are an array and its reverse; so are
interleaved arrays of two element sizes.  Condition (5) ensures that one thread needs only one of
both at a time.

    let (y : [n]f32 @ b -> 0 + {(n : 1)}) = kernel i < n do
      let (v : f32) = x[i]                                      touches 4*i … 4*i + 3 of x's block
      in (v * v)                                                touches 4*i … 4*i + 3 of b
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Body,
    Concat,
    Copy,
    DerivedArray,
    Home,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Replicate,
    Scalar,
    Scatter,
    Scratch,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import Lmad
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.traverse import (
    bound_in_body,
    inner_indices,
    operators,
    sub_bodies,
)
from funmem.passes.mem.expand.layout import thread_number
from funmem.passes.mem.liveness import Liveness, binders_of
from funmem.passes.mem.merge.lifetimes import KernelUse, statement_name


@frozen
class ThreadAccess:
    """A read or write by a thread of the elements at ``ix``, each of ``bytes`` bytes."""

    at: Stm[Ann]
    x: Name
    ix: Lmad
    bytes: int
    known: PointFacts


# ---------------------------------------------------------------------- accesses of a thread


def accesses(
    k: KernelUse, live: Liveness, element_bytes: Mapping[Name, int]
) -> Iterator[ThreadAccess]:
    """Yield the accesses of one thread of a kernel to blocks from outside."""
    *_, inside = k.known.inside(k.kernel)
    walk = _Accesses(k.blocks, live, element_bytes)
    yield from walk.body(k.kernel.body, inside)
    inside = inside.after_all(k.kernel.body.stms)
    yield from walk.arrays(
        k.at, (a.name for a in k.kernel.body.result if isinstance(a, Var)), inside
    )
    index = [var(d.index) for d in k.kernel.dims]
    for p in k.at.pat:
        if p.home is not None:
            yield from walk.place(k.at, p.name, p.home.ix.prefix(index), inside)


@frozen
class _Accesses:
    blocks: frozenset[Name]
    live: Liveness
    element_bytes: Mapping[Name, int]

    def body(self, b: Body[Ann], known: PointFacts) -> Iterator[ThreadAccess]:
        for s in b.stms:
            yield from self.statement(s, known)
            for inner, inside in zip(sub_bodies(s.exp), known.inside(s.exp), strict=True):
                yield from self.body(inner, inside)
            known = known.after(s)

    def statement(self, s: Stm[Ann], known: PointFacts) -> Iterator[ThreadAccess]:
        """Yield the accesses of a statement without its bodies; derived arrays access nothing."""
        after = known.after(s)
        match s.exp:
            case Index(x, index):
                ix = self.live.homes[x].ix
                ends = (n - 1 - i for n, i in zip(ix.shape, index, strict=True))
                inside = known.assuming(ends)  # otherwise it traps
                yield from self.place(s, x, Lmad(ix.apply(index), ()), inside)
            case Update(x, where, value):
                yield from self.place(s, x, self.live.homes[x].ix.part(where), known)
                yield from self.arrays(s, _names((value,)), known)
            case Scatter(x, indices, values):
                yield from self.arrays(s, (x, indices, values), known)
            case Copy(x):
                yield from self.arrays(s, (x,), known)
            case Concat(_, xs):
                yield from self.arrays(s, xs, known)
            case Replicate(_, value):
                yield from self.arrays(s, _names((value,)), known)
            case ArrayLit(elems) | Opaque(_, elems):
                yield from self.arrays(s, _names(elems), known)
            case Kernel() as e:
                yield from self.kernel(s, e, known)
            case If() | Loop():
                pass
            case Scalar() | DerivedArray() | Iota() | Scratch() | Assert() | Alloc():
                pass
            case RaggedKernel():
                raise unscheduled()
        if is_fresh(s.exp) or isinstance(s.exp, Kernel):
            yield from self.arrays(s, (p.name for p in s.pat), after)

    def kernel(self, s: Stm[Ann], e: Kernel[Ann], known: PointFacts) -> Iterator[ThreadAccess]:
        """Yield the accesses of an inner kernel's results and collective."""
        *_, inside = known.inside(e)
        yield from self.arrays(s, _names(e.body.result), inside.after_all(e.body.stms))
        if isinstance(e.collective, Map):
            return
        yield from self.arrays(s, _names(e.collective.ne), known)
        for op, around in zip(operators(e), known.inside(e), strict=False):
            yield from self.arrays(s, (p.name for p in op.params), around)
            yield from self.arrays(s, _names(op.body.result), around.after_all(op.body.stms))

    def arrays(self, s: Stm[Ann], xs: Iterable[Name], known: PointFacts) -> Iterator[ThreadAccess]:
        """Yield accesses to all elements of arrays; scalars are ignored."""
        for x in xs:
            home: Home | None = self.live.homes.get(x)
            if home is not None:
                yield from self.place(s, x, home.ix, known)

    def place(self, s: Stm[Ann], x: Name, ix: Lmad, known: PointFacts) -> Iterator[ThreadAccess]:
        """Yield an access to some elements of an array, if it may lie in one of the blocks."""
        if not self.blocks.isdisjoint(self.live.roots(x)):
            yield ThreadAccess(s, x, ix, self.element_bytes[x], known)


def _names(atoms: Iterable[object]) -> Iterator[Name]:
    return (a.name for a in atoms if isinstance(a, Var))


# ---------------------------------------------------------------------- divisions of a block


@frozen
class Stretch:
    """Thread t has ``size`` bytes from ``base + t*size`` on."""

    base: Size
    size: Size
    thread: Size

    def leaves(self, a: ThreadAccess) -> str | None:
        """Return the reason why an access may leave the thread's part."""
        least = most = a.ix.offset
        known = a.known.with_nonneg(d.len - 1 for d in a.ix.dims)  # otherwise it has no elements
        for d in a.ix.dims:
            reach = (d.len - 1) * d.stride
            if known.nonneg(reach):
                most = most + reach
            elif known.nonneg(-reach):
                least = least + reach
            else:
                return f"{a.x} may extend to both sides, by {reach}"
        start = self.base + self.thread * self.size
        if known.nonneg(least * a.bytes - start) and known.nonneg(
            start + self.size - (most + 1) * a.bytes
        ):
            return None
        return (
            f"bytes {least * a.bytes} to {most * a.bytes + (a.bytes - 1)} of {a.x} at "
            f"{statement_name(a.at)} need not be among the {self.size} from {start} on"
        )


@frozen
class Interleaved:
    """Thread t of ``threads`` has the elements t, t + threads, …; of ``bytes`` bytes each."""

    bytes: int
    threads: Size
    thread: Size

    def leaves(self, a: ThreadAccess) -> str | None:
        """Return the reason why an access may leave the thread's part."""
        if a.bytes != self.bytes:
            return f"{a.x} has elements of {a.bytes} bytes, others of {self.bytes}"
        steps = (a.ix.offset - self.thread, *a.ix.strides)
        if all(d.divided_by(self.threads) is not None for d in steps):
            return None
        return f"{a.x} lies at {a.ix}: not only elements {self.thread} modulo {self.threads}"


def divisions(k: KernelUse, found: Sequence[ThreadAccess]) -> Iterator[Stretch | Interleaved]:
    """Yield the ways to divide a block that the accesses suggest."""
    t = thread_number(k.kernel.dims)
    inner = bound_in_body(k.kernel.body).union(inner_indices(k.kernel))
    zero = dict.fromkeys(inner, ZERO)
    seen: set[Stretch | Interleaved] = set()
    last = k.kernel.dims[-1].index
    for a in found:
        step = a.ix.offset.subst({last: var(last) + ONE}) - a.ix.offset
        stretch = Stretch(a.ix.offset.subst(zero) * a.bytes, step * a.bytes, t)
        count = Interleaved(a.bytes, Size.of(1), t).threads
        for d in k.kernel.dims:
            count = count * d.size
        for way in (stretch, Interleaved(a.bytes, count, t)):
            usable = step.free().isdisjoint(inner) and step.terms
            if way not in seen and (usable or isinstance(way, Interleaved)):
                seen.add(way)
                yield way


class Threads:
    """Checks (6) for pairs of blocks; each kernel is analysed once."""

    def __init__(self, live: Liveness) -> None:
        self._live = live
        self._element_bytes = {
            b.name: b.type.elem.bytes
            for b in binders_of(live.entry)
            if isinstance(b.type, ArrayType)
        }
        self._found: dict[Name, tuple[ThreadAccess, ...]] = {}

    def apart(self, k: KernelUse, a: Name, b: Name) -> str | None:
        """Return the reason why two threads might access the same bytes if the blocks were one;
        None if they do not.
        """
        where = statement_name(k.at)
        if not isinstance(k.kernel.collective, Map):
            return f"{where} combines results in both"
        found = tuple(x for x in self._accesses(k) if not self._live.roots(x.x).isdisjoint((a, b)))
        failures: list[tuple[int, str]] = []
        for way in divisions(k, found):
            reasons = ((j, why) for j, x in enumerate(found) if (why := way.leaves(x)) is not None)
            if (failure := next(reasons, None)) is None:
                return None
            failures.append(failure)
        best = max(failures, key=lambda f: f[0], default=None)  # the division that gets furthest
        return None if best is None else f"in {where}, {best[1]}"

    def _accesses(self, k: KernelUse) -> tuple[ThreadAccess, ...]:
        name = k.kernel.dims[0].index
        if name not in self._found:
            self._found[name] = tuple(accesses(k, self._live, self._element_bytes))
        return self._found[name]
