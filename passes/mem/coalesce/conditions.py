"""The conditions for a copy of an array for a kernel: each returns None, or the reason for a
refusal.

They are evaluated in order for an array of which neighbouring threads read elements that are far
apart (:func:`far`); a condition may rely on those before it.
"""

from collections.abc import Callable, Container, Sequence
from typing import TypeAlias

from attrs import field

from funmem.ir.arith import expanded
from funmem.ir.fun import Ann, ArrayType, Kernel, Stm
from funmem.ir.lmad import Dim, Lmad, row_major
from funmem.ir.logic.blocks import Blocks, is_fresh
from funmem.ir.logic.derive import in_place_of
from funmem.ir.logic.facts import PointFacts
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.sizes import ZERO, Size, product, var
from funmem.ir.traverse import free_in_stm, walk
from funmem.passes.mem.coalesce.reads import KernelReads, Read, reads_of

Order: TypeAlias = tuple[int, ...]
"""The dimensions of an array, in decreasing order of the distance between neighbours."""


@frozen
class Least:
    """The options of the pass."""

    sector: int
    """The number of bytes that a device fetches at once."""
    reuse: int
    """The number of sizes with which the reads of an element grow, at least."""


@frozen
class CoalesceCandidate:
    """An array, and a kernel whose neighbouring threads read elements of it that are far apart."""

    array: Name
    type: ArrayType
    stm: Stm[Ann]
    kernel: Kernel[Ann]
    known: PointFacts
    """The facts in front of the kernel."""
    found: KernelReads
    """The reads under the array's present index function."""
    blocks: Blocks
    least: Least
    symbolic: KernelReads = field(init=False)
    """The reads, with :func:`stride_of` each dimension as the array's strides."""

    @symbolic.default
    def _with_symbolic_strides(self) -> KernelReads:
        dims = (Dim(n, var(stride_of(d))) for d, n in enumerate(self.type.shape))
        return self.under(Lmad(ZERO, tuple(dims)))

    def under(self, ix: Lmad) -> KernelReads:
        """Return the reads of the kernel if the array had this index function."""
        return reads_of(self.stm, self.kernel, {self.array: ix}, self.known)

    @property
    def far(self) -> tuple[Read, ...]:
        """The reads that are to be coalesced."""
        return tuple(r for r in self.found.of(self.array) if far(r, self.found, self.least.sector))


def stride_of(dim: int) -> Name:
    """Return the name of a dimension's stride; it has a dot, so no name of a program equals it."""
    return Name(f"stride.{dim}")


def far(r: Read, found: KernelReads, sector: int) -> bool:
    """True if neighbouring threads may read elements that are not in one sector."""
    if not r.ix.free().isdisjoint(found.unknown):
        return True
    return not near(r.distance(found.threads[-1].index), r.type, sector)


def near(distance: Size, t: ArrayType, sector: int) -> bool:
    """True if elements at this distance are the same, neighbours, or in one sector."""
    k = distance.as_const
    return k is not None and (abs(k) <= 1 or abs(k) * t.elem.bytes < sector)


def layout(order: Order, shape: Sequence[Size]) -> Lmad:
    """Return the dense index function in which neighbours along the last dimension of ``order`` are
    neighbours in memory.
    """
    ix = row_major([shape[d] for d in order])
    return ix.permute([order.index(d) for d in range(len(order))])


# ---------------------------------------------------------------------- the order


def preferred_order(c: CoalesceCandidate, r: Read) -> Order | None:
    """Return the order of dimensions that coalesces a read ``r`` of ``c.symbolic``.

    Last comes the dimension along which the innermost thread index moves, before it that of the
    next index, and so on.  First come the others, along which one thread iterates.  None if the
    innermost index moves along no dimension or along several.
    """
    inner: list[int] = []
    for d in reversed(c.symbolic.threads):
        moved = _moved(r.distance(d.index), c)
        if moved is None:
            break
        if moved not in inner:
            inner.insert(0, moved)
    if not inner:
        return None
    return (*(d for d in range(c.type.rank) if d not in inner), *inner)


def _moved(distance: Size, c: CoalesceCandidate) -> int | None:
    """Return the one dimension along which a distance is that of neighbours."""
    for d in range(c.type.rank):
        steps = distance.divided_by(var(stride_of(d)))
        if steps is not None and steps != ZERO and near(steps, c.type, c.least.sector):
            return d
    return None


def order_of(c: CoalesceCandidate) -> Order | None:
    """Return the order that coalesces the first of the reads that are far apart."""
    first = c.far[0].at
    orders = (preferred_order(c, r) for r in c.symbolic.of(c.array) if r.at is first)
    return next((w for w in orders if w is not None), None)


def reused(c: CoalesceCandidate) -> bool:
    """True if the number of times that an element is read grows with at least ``reuse`` sizes."""
    if c.least.reuse == 0:
        return True
    _, reads, elements = counts(c)
    return reads.degree - elements.degree >= c.least.reuse


# ---------------------------------------------------------------------- conditions


def bound_outside(c: CoalesceCandidate) -> str | None:
    """(1) The array exists before the kernel; arrays that a thread makes are laid out by
    ``expand``.
    """
    return "each thread has its own" if c.array in c.found.inside else None


def addresses_are_known(c: CoalesceCandidate) -> str | None:
    """(2) The address of every read, under any name of the array, is known in terms of indices."""
    if c.array in c.found.passed_on:
        return "a branch or loop inside the kernel passes it on"
    if c.array in c.symbolic.homeless:
        return "a reshape inside the kernel needs the present order"
    for r in c.found.of(c.array):
        data = sorted(r.ix.free() & c.found.unknown)
        if data:
            return f"the address depends on {', '.join(data)}, which the thread computes"
    return None


def an_order_exists(c: CoalesceCandidate) -> str | None:
    """(3) There is a dimension along which neighbouring threads read neighbours, and the array has
    a second dimension, so that it can be reordered.
    """
    if c.type.rank < 2:
        return "it has only one dimension"
    if order_of(c) is None:
        i = c.found.threads[-1].index
        return f"threads {i} and {i} + 1 read neighbours along no dimension"
    return None


def reads_agree(c: CoalesceCandidate) -> str | None:
    """(4) Under that order no read of the kernel is far apart."""
    order = order_of(c)
    assert order is not None
    after = c.under(layout(order, c.type.shape))
    for now, then in zip(c.found.of(c.array), after.of(c.array), strict=True):
        if far(then, after, c.least.sector):
            reader = " ".join(b.name for b in then.at.pat)
            still = "still" if far(now, c.found, c.least.sector) else "then"
            return f"the reads of {reader} would {still} be far apart"
    return None


def read_often(c: CoalesceCandidate) -> str | None:
    """(5) The copy costs no more than it saves: if no loop is empty, the kernel computes with at
    least as many elements as the array has, and each thread reads several.

    Otherwise the copy itself would be like the kernel: a few reads, far apart.  Elements that the
    kernel only copies do not count, since the pass would merely add another copy.
    """
    if len(c.far) == 1 and not c.far[0].in_loop:
        return "each thread reads one element: the copy would read as many that are far apart"
    sizes, reads, elements = counts(c)
    if c.known.with_nonneg(n - 1 for n in sizes).nonneg(reads - elements):
        return None
    return f"the kernel computes with at least {reads} elements, and the array has {elements}"


def counts(c: CoalesceCandidate) -> tuple[tuple[Size, ...], Size, Size]:
    """Return the sizes of threads, loops and array, the least number of elements that the kernel
    computes with, and the number of the array's elements.
    """
    threads = tuple(expanded(d.size, c.known.values) for d in c.found.threads)
    shape = tuple(expanded(d, c.known.values) for d in c.type.shape)
    sizes, reads = [*threads, *shape], ZERO
    for r in c.found.of(c.array):
        if r.trips is not None and not r.moved:
            reads = reads + product((*threads, *r.trips))
            sizes += r.trips
    return tuple(sizes), reads, product(shape)


def not_written(c: CoalesceCandidate) -> str | None:
    """(6) The kernel does not write the array's block: an update in place moves no data, but it
    would have to be moved out of the copy.
    """
    mine = c.blocks.roots(c.known.homes[c.array].block)
    for m in sorted(c.found.written):
        if not mine.isdisjoint(c.blocks.roots(m)):
            return f"the kernel writes its block, {m}"
    return None


LANES = "(7) neighbouring threads run as one vector"


def scalar_anyway(
    s: Stm[Ann], k: Kernel[Ann], known: PointFacts, sector: int, copied: Container[Name]
) -> str | None:
    """(7) All reads of the kernel that are far apart are of copied arrays, and its threads make no
    arrays; otherwise the copies are of no use to vectors.
    """
    for t in walk(k.body):
        arrays = [b.name for b in t.pat if isinstance(b.type, ArrayType)]
        if arrays and (is_fresh(t.exp) or in_place_of(t.exp)):
            return f"threads make {' '.join(arrays)}"
    _, distant = distant_arrays(s, k, known, sector)
    left = next((x for x in distant if x not in copied), None)
    return None if left is None else f"{left} is still read far apart"


def distant_arrays(
    s: Stm[Ann], k: Kernel[Ann], known: PointFacts, sector: int
) -> tuple[KernelReads, dict[Name, ArrayType]]:
    """Return the reads of a kernel, and the arrays of which neighbouring threads may read elements
    that are far apart.
    """
    free = {x: known.homes[x].ix for x in sorted(free_in_stm(s)) if x in known.homes}
    found = reads_of(s, k, free, known)
    return found, {r.array: r.type for r in found.reads if far(r, found, sector)}


Condition = Callable[[CoalesceCandidate], str | None]

CONDITIONS: tuple[tuple[str, Condition], ...] = (
    ("(1) the array exists outside of the kernel", bound_outside),
    ("(2) the addresses of all reads are known", addresses_are_known),
    ("(3) another order brings neighbours together", an_order_exists),
    ("(4) all reads agree on the order", reads_agree),
    ("(5) it is read as often as it is copied", read_often),
    ("(6) the kernel does not write the array's block", not_written),
)
