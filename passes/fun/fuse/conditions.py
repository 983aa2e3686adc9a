"""Conditions for fusing a producer into its consumer: one function each."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from funmem.ir.arith import exp_size, expanded
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Body,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    FreshArray,
    Index,
    InPlace,
    Kernel,
    KernelDim,
    Loop,
    Map,
    RaggedKernel,
    Scan,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.lmad import DimFix
from funmem.ir.logic.derive import in_place_of
from funmem.ir.logic.facts import PointFacts, one_name
from funmem.ir.logic.may_trap import row_sizes
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import Mapper, free_in_exp, map_exp, sub_bodies, walk
from funmem.passes.fun.fuse.aliases import Aliases
from funmem.passes.fun.fuse.traps import (
    Effects,
    any_order,
    bound_only,
    commute,
    effects,
    effects_of_all,
)

SAME_ITERATIONS = "(1) iteration i reads element i and no other"
ONLY_READ = "(2) the consumer only reads elements or rows of the array"
SAME_TRAPS = "(3) the first trap stays the first"
NOT_CONSUMED = "(4) the producer's operands are not consumed before the consumer"
OTHER_USES = "(5) the array has no other uses, or the consumer can make it as well"
ROWS = "(6) rows of a negative size still trap"
PARALLEL = "(7) no parallelism is lost, and no work is duplicated"


@frozen
class Refusal:
    """A condition that does not hold, and the reason."""

    condition: str
    reason: str


AnyKernel: TypeAlias = Kernel[Ann] | RaggedKernel[Ann]


def elements(e: AnyKernel) -> tuple[KernelDim, ...]:
    """Return the dimensions of mapped results: those of a kernel, or the elements of the rows."""
    return e.dims if isinstance(e, Kernel) else (KernelDim(e.index, e.total),)


# ---------------------------------------------------------------------- (1) and (2)


@frozen
class Matching:
    """For each index of the producer: its position among the consumer's, and whether it is
    reversed.
    """

    position: tuple[int, ...]
    backwards: tuple[bool, ...]

    @property
    def identity(self) -> bool:
        """True if both kernels have the same indices in the same order."""
        return self.position == tuple(range(len(self.position))) and not any(self.backwards)


Reads: TypeAlias = list[tuple[Size, ...]]


def only_read(consumer: AnyKernel, names: frozenset[Name], depth: int) -> Reads | Refusal:
    """(2) The arrays occur only in the consumer's body, as ``x[i, …]`` with ``depth`` fixed
    indices.

    Return these indices, where names that ``let`` binds are expanded (:func:`_expanded`).
    """
    outside = evolve(consumer, body=Body((), ()))
    if not free_in_exp(outside).isdisjoint(names):
        if isinstance(consumer, RaggedKernel) and consumer.offsets in names:
            return Refusal(ONLY_READ, "the array is the offsets of its rows")
        return Refusal(ONLY_READ, "its operator, neutral element or destination is the array")
    reads: Reads = []
    wrong = _reads(consumer.body, names, depth, {}, reads)
    return reads if wrong is None else Refusal(ONLY_READ, wrong)


def _reads(
    b: Body[Ann], names: frozenset[Name], depth: int, values: dict[Name, Size], out: Reads
) -> str | None:
    for s in b.stms:
        match s.exp:
            case Index(x, index) if x in names:
                out.append(tuple(_expanded(i, values) for i in index[:depth]))
            case Slice(x, dims) if x in names:
                fixed = tuple(
                    _expanded(d.at, values) for d in dims[:depth] if isinstance(d, DimFix)
                )
                if len(fixed) != depth:
                    return f"{x} is sliced across iterations"
                out.append(fixed)
            case Const() | Var() | Bin() | Un() | Convert() as e:
                if s.pat[0].type is I64 and (p := exp_size(e, values)) is not None:
                    values[s.pat[0].name] = p
            case (
                Call()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Compound()
                | Assert()
                | Alloc()
            ):
                if not names.isdisjoint(_own_names(s)):
                    return f"{type(s.exp).__name__.lower()} uses a whole array"
                for inner in sub_bodies(s.exp):
                    if (wrong := _reads(inner, names, depth, values, out)) is not None:
                        return wrong

    if any(isinstance(a, Var) and a.name in names for a in b.result):
        return "an array is a result"
    return None


def _expanded(i: Size, values: dict[Name, Size]) -> Size:
    """Return an index where a name that ``let`` binds is replaced by its polynomial modulo 2^64, if
    that determines the element.

    With one name it does: if the result is an index of the consumer, the name's arithmetic has not
    wrapped around.  With several names the value may be off by a multiple of 2^64.
    """
    return expanded(i, values) if one_name(i) else i


def _own_names(s: Stm[Ann]) -> set[Name]:
    """Return the names that an expression uses outside its bodies."""
    found: set[Name] = set()

    def name(x: Name) -> Name:
        found.add(x)
        return x

    def atom(a: Const | Var) -> Const | Var:
        if isinstance(a, Var):
            found.add(a.name)
        return a

    map_exp(s.exp, Mapper(name=name, atom=atom))
    return found


Equal: TypeAlias = Callable[[Size, Size], bool]
"""True if two sizes are equal before the consumer: equal polynomials, or by an assertion."""


def same_iterations(
    producer: AnyKernel, consumer: AnyKernel, reads: Reads, equal: Equal
) -> Matching | Refusal:
    """(1) The consumer has the producer's indices, in any order, and iteration i reads only element
    i. Return how the indices correspond.

    A producer over rows has its elements in its own order: the consumer is over the same rows, or a
    map over all elements, in this order.
    """
    theirs, mine = elements(producer), elements(consumer)
    if len(theirs) < len(mine):
        return Refusal(SAME_ITERATIONS, "the consumer reads an element in several iterations")
    if len(set(reads)) != 1:
        return Refusal(SAME_ITERATIONS, "several elements are read in one iteration")
    position: list[int] = []
    backwards: list[bool] = []
    for at, dim in zip(reads[0], theirs, strict=False):
        for k, own in enumerate(mine):
            there, back = at == var(own.index), at == own.size - 1 - var(own.index)
            if k not in position and (there or back) and equal(own.size, dim.size):
                position.append(k)
                backwards.append(not there)
                break
        else:
            return Refusal(SAME_ITERATIONS, f"element {at} of {dim.size} is read")
    m = Matching(tuple(position), tuple(backwards))
    if isinstance(producer, RaggedKernel):
        return _same_rows(producer, consumer, m) or m
    return m


def _same_rows(producer: RaggedKernel[Ann], consumer: AnyKernel, m: Matching) -> Refusal | None:
    """(1) for a producer over rows."""
    if not m.identity:
        return Refusal(SAME_ITERATIONS, "the consumer reads the elements of the rows backwards")
    if isinstance(consumer, RaggedKernel):
        if (producer.offsets, producer.total) != (consumer.offsets, consumer.total):
            return Refusal(SAME_ITERATIONS, "the rows of the two have other offsets")
        return None
    if not isinstance(consumer.collective, Map):
        return Refusal(SAME_ITERATIONS, "the consumer folds the elements of all rows")
    if consumer.dims[0].size != producer.total:
        return Refusal(SAME_ITERATIONS, "the number of elements has another name")
    return None


# ---------------------------------------------------------------------- (3) traps


@frozen
class Traps:
    """The traps that a map may raise as a whole, and in one iteration."""

    all: Effects
    iteration: Effects

    def __or__(self, other: "Traps") -> "Traps":
        return Traps(self.all | other.all, self.iteration | other.iteration)


def traps_of(s: Stm[Ann], known: PointFacts) -> Traps:
    """Return the traps that a kernel may raise; ``known`` are the facts before it."""
    assert isinstance(s.exp, Kernel | RaggedKernel)
    inside = known.inside(s.exp)[-1]
    return Traps(effects(s, known), effects_of_all(s.exp.body.stms, inside))


def same_traps(
    producer: Stm[Ann],
    own: Traps,
    between: Sequence[Stm[Ann]],
    consumer: Stm[Ann],
    m: Matching,
    known: PointFacts,
) -> Refusal | None:
    """(3) The producer commutes with the statements between, and its iterations with the
    consumer's.

    ``known`` are the facts before the producer.  The consumer traps on a negative size as well.
    """
    if not own.all:
        return None
    if not m.identity and not any_order(own.iteration):
        return Refusal(SAME_TRAPS, "another iteration of the producer may trap first")
    # The producer no longer shows the statements between that no size is negative.
    known = bound_only(producer, known)
    if not commute(own.all, effects_of_all(between, known)):
        return Refusal(SAME_TRAPS, "the producer and a statement between may raise different traps")
    if not commute(own.iteration, effects(consumer, known.after_all(between))):
        return Refusal(SAME_TRAPS, "the producer and the consumer may raise different traps")
    return None


def rows_noticed(
    s: Stm[Ann], gone: Collection[Name], consumer: Stm[Ann], known: PointFacts
) -> Refusal | None:
    """(6) The rows of results that are not stored any more have no negative size, or the consumer's
    rows have the same size and trap as well.
    """
    assert isinstance(consumer.exp, Kernel | RaggedKernel)
    depth = len(elements(consumer.exp))
    for b in s.pat:
        if b.name in gone and isinstance(b.type, ArrayType):
            for d in b.type.shape[depth:]:
                if not known.nonneg(d) and d not in row_sizes(consumer):
                    return Refusal(ROWS, f"size {d} may be negative")
    return None


# ---------------------------------------------------------------------- (4) consumption


def consumed_by(s: Stm[Ann]) -> Iterator[Name]:
    """Yield the arrays that a statement consumes, at any depth."""
    for t in walk(Body((s,), ())):
        yield from in_place_of(t.exp)
        if isinstance(t.exp, Loop):
            for p in t.exp.params:
                if p.unique and isinstance(p.init, Var):
                    yield p.init.name


def not_consumed(
    reads: frozenset[Name], later: Iterable[Stm[Ann]], aliases: Aliases
) -> Refusal | None:
    """(4) No statement up to the consumer consumes an array that shares elements with ``reads``."""
    shared = frozenset[Name]().union(*map(aliases.of, reads))
    if shared.isdisjoint(aliases.owned):
        return None
    for s in later:
        for x in consumed_by(s):
            if not shared.isdisjoint(aliases.of(x)):
                return Refusal(NOT_CONSUMED, f"{x} is consumed, and the producer reads it")
    return None


# ---------------------------------------------------------------------- (5) other users


def makes_it_too(consumer: AnyKernel, producer: AnyKernel, m: Matching) -> Refusal | None:
    """(5) If the array has other uses, the consumer is a map over the same
    indices in that order.
    """
    if not isinstance(consumer.collective, Map):
        return Refusal(OTHER_USES, "the array has other uses, and the consumer is not a map")
    theirs, mine = elements(producer), elements(consumer)
    if not m.identity or len(theirs) != len(mine):
        return Refusal(OTHER_USES, "the array has other uses, and the consumer reads it permuted")
    if any(a.size != b.size for a, b in zip(theirs, mine, strict=True)):
        return Refusal(OTHER_USES, "the array has other uses, and its size another name")
    return None


# ---------------------------------------------------------------------- (7) parallelism and work


def has_kernels(b: Body[Ann]) -> bool:
    """True if a body contains a kernel, at any depth."""
    return any(isinstance(s.exp, Kernel | RaggedKernel) for s in walk(b))


def parallel(producer: AnyKernel, consumer: AnyKernel, *, inside: bool) -> Refusal | None:
    """(7) A collective at the top level and a kernel over rows are divided among few threads, so a
    producer with inner kernels is not fused into one, and no consumer with such into a producer
    over rows.  A scan evaluates its body twice, so a producer with loops is not fused into one.
    """
    if inside:
        return None
    if isinstance(producer, RaggedKernel) and has_kernels(consumer.body):
        return Refusal(PARALLEL, "the consumer contains kernels, and the producer is over rows")
    if isinstance(consumer, Kernel) and isinstance(consumer.collective, Map):
        return None
    if has_kernels(producer.body):
        return Refusal(PARALLEL, "the producer contains kernels, and the consumer is a collective")
    loops = any(isinstance(s.exp, Loop) for s in walk(producer.body))
    if isinstance(consumer.collective, Scan) and len(elements(consumer)) == 1 and loops:
        return Refusal(PARALLEL, "the scan would run the producer's loop twice")
    return None


def arrays_in(names: Iterable[Name], known: PointFacts) -> frozenset[Name]:
    """Return the names that are arrays."""
    return frozenset(x for x in names if isinstance(known.types.get(x), ArrayType))
