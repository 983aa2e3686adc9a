"""When an array is copied for a kernel: each numbered condition gives a reason why not, or None.

They are asked about an array of which neighbouring threads read elements that are far apart
(:func:`far`), in their order: a later one may rely on those before.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import field, frozen

from funmem.ir.fun import Ann, ArrayType, Kernel, Stm
from funmem.ir.lmad import Dim, Lmad, row_major
from funmem.ir.names import Name
from funmem.ir.sizes import ZERO, Size, product, var
from funmem.passes.facts import Known
from funmem.passes.mem.coalesce.reads import KernelReads, Read, reads_of

SECTOR = 32
"""Bytes that a GPU fetches at once: elements within are no further apart than neighbours are."""

Order: TypeAlias = tuple[int, ...]
"""The dimensions of an array, the one whose neighbours lie furthest apart first."""


@frozen
class Candidate:
    """An array, and a kernel whose neighbouring threads read elements of it that are far apart."""

    array: Name
    type: ArrayType
    stm: Stm[Ann]
    kernel: Kernel[Ann]
    known: Known
    """What is known in front of the kernel."""
    found: KernelReads
    """The reads, where the array lies now."""
    symbolic: KernelReads = field(init=False)
    """The reads, if its strides were :func:`stride_of` each dimension."""

    @symbolic.default
    def _with_symbolic_strides(self) -> KernelReads:
        dims = (Dim(n, var(stride_of(d))) for d, n in enumerate(self.type.shape))
        return self.under(Lmad(ZERO, tuple(dims)))

    def under(self, ix: Lmad) -> KernelReads:
        """The reads of the array, if that was its index function."""
        return reads_of(self.stm, self.kernel, {self.array: ix}, self.known)

    @property
    def far(self) -> tuple[Read, ...]:
        """The reads that are to be coalesced."""
        return tuple(r for r in self.found.of(self.array) if far(r, self.found))


def stride_of(dim: int) -> Name:
    """The name of a dimension's stride; no name of a program has a dot."""
    return Name(f"stride.{dim}")


def far(r: Read, found: KernelReads) -> bool:
    """Whether neighbouring threads may read elements that are not in one sector."""
    return not near(r.distance(found.threads[-1].index), r.type)


def near(distance: Size, t: ArrayType) -> bool:
    """Whether elements so far apart are neighbours: the same, the next, or in one sector."""
    k = distance.as_const
    return k is not None and abs(k) * t.elem.bytes < SECTOR


def layout(order: Order, shape: Sequence[Size]) -> Lmad:
    """The dense index function in which neighbours along the last of ``order`` are neighbours."""
    ix = row_major([shape[d] for d in order])
    return ix.permute([order.index(d) for d in range(len(order))])


# ---------------------------------------------------------------------- the order


def wished(c: Candidate, r: Read) -> Order | None:
    """The order of dimensions that a read asks for, ``r`` being one of ``c.symbolic``.

    The dimension along which the innermost thread index moves comes last, before it that of the
    next index, and so on; the others, along which a thread goes on its own, come first.  None: the
    innermost index moves along no dimension, or along several.
    """
    inner: list[int] = []
    for d in reversed(c.symbolic.threads):
        moved = _moved(r.distance(d.index), c.type)
        if moved is None:
            break
        if moved not in inner:
            inner.insert(0, moved)
    if not inner:
        return None
    return (*(d for d in range(c.type.rank) if d not in inner), *inner)


def _moved(distance: Size, t: ArrayType) -> int | None:
    """The one dimension that a distance goes along, from neighbour to neighbour."""
    for d in range(t.rank):
        steps = distance.divided_by(var(stride_of(d)))
        if steps is not None and steps != ZERO and near(steps, t):
            return d
    return None


def order_of(c: Candidate) -> Order | None:
    """The order that the first of the reads that are far apart asks for."""
    first = c.far[0].at
    wishes = (wished(c, r) for r in c.symbolic.of(c.array) if r.at is first)
    return next((w for w in wishes if w is not None), None)


# ---------------------------------------------------------------------- conditions


def bound_outside(c: Candidate) -> str | None:
    """(1) The array exists before the kernel: what a thread makes is laid out by ``expand``."""
    return "a thread has it for itself" if c.array in c.found.inside else None


def addresses_are_known(c: Candidate) -> str | None:
    """(2) Every element that is read is known in terms of indices, under whatever name."""
    if c.array in c.found.passed_on:
        return "a branch or loop inside the kernel hands it on"
    if c.array in c.symbolic.homeless:
        return "a reshape inside the kernel needs the order that it has"
    for r in c.found.of(c.array):
        data = sorted(r.ix.free() & c.found.unknown)
        if data:
            return f"what is read depends on {', '.join(data)}, which the thread computes"
    return None


def an_order_exists(c: Candidate) -> str | None:
    """(3) There is a dimension along which neighbouring threads read neighbours, and the array has
    another one: it can be put in that order.
    """
    if c.type.rank < 2:
        return "it has one dimension, hence one order"
    if order_of(c) is None:
        i = c.found.threads[-1].index
        return f"no dimension's neighbours are read by threads {i} and {i} + 1"
    return None


def reads_agree(c: Candidate) -> str | None:
    """(4) Under that order no read of the kernel is far apart."""
    order = order_of(c)
    assert order is not None
    after = c.under(layout(order, c.type.shape))
    for now, then in zip(c.found.of(c.array), after.of(c.array), strict=True):
        if far(then, after):
            reader = " ".join(b.name for b in then.at.pat)
            still = "still" if far(now, c.found) else "then"
            return f"what {reader} reads would {still} be far apart"
    return None


def read_often(c: Candidate) -> str | None:
    """(5) The copy is no more work than what it saves: a thread goes through elements one after
    the other, and the kernel reads at least as many as there are, where no loop is empty.

    Else the copy itself would be what the kernel is: a few reads, far apart.
    """
    if len(c.far) == 1 and not c.far[0].walks:
        return "each thread reads one element: the copy would read as many that are far apart"
    elements = product(c.type.shape)
    threads = [d.size.subst(c.known.values) for d in c.found.threads]
    facts = c.known.facts
    reads = ZERO
    for r in c.found.of(c.array):
        if r.trips is not None and r.times is not None:
            reads = reads + r.times * product(threads)
            for n in (*r.trips, *r.ix.shape):
                facts = facts.with_nonneg(n - 1)
    for n in (*threads, *c.type.shape):
        facts = facts.with_nonneg(n - 1)
    elements = elements.subst(c.known.values)
    if Known(facts).nonneg(reads - elements):
        return None
    return f"{reads} elements are read for certain, and the array has {elements}"


def keeps_its_value(c: Candidate) -> str | None:
    """(6) The kernel does not write the array, and no element may be unwritten: a copy needs all."""
    if c.array in c.found.consumed:
        return "the kernel updates it"
    if c.array in c.known.holes:
        return "it may have elements that were never written"
    return None


Condition = Callable[[Candidate], str | None]

CONDITIONS: tuple[tuple[str, Condition], ...] = (
    ("(1) the array exists outside of the kernel", bound_outside),
    ("(2) it is known what is read", addresses_are_known),
    ("(3) another order brings neighbours together", an_order_exists),
    ("(4) all reads agree on the order", reads_agree),
    ("(5) it is read as often as it is copied", read_often),
    ("(6) it keeps its value", keeps_its_value),
)
