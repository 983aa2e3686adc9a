"""All reads and writes of a body and its nested bodies, each with the facts known at that time.

Places may mention names that are bound inside the body; they stand for any value that the facts
allow.
"""

from collections.abc import Iterable, Iterator

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Body,
    DerivedArray,
    FreshArray,
    If,
    Index,
    Kernel,
    Loop,
    Opaque,
    RaggedKernel,
    Scalar,
    Scatter,
    Stm,
    Update,
    Var,
)
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import frozen
from funmem.ir.traverse import operators, sub_bodies
from funmem.ir.verify.moves import Move, Nest, moves_of, nest_of
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.spot import Spot


@frozen
class Access:
    """A read or a write of elements of ``array``."""

    writes: bool
    spot: Spot
    array: Name
    facts: Facts
    at: Stm[Ann]
    what: str

    def __str__(self) -> str:
        return f"{'writes' if self.writes else 'reads'} {self.array} at {self.spot}"


def of_move(m: Move, facts: Facts) -> Iterator[Access]:
    """Yield the read and the write of a move; none if it moves no data."""
    if m.is_nothing:
        return
    for i, n in m.ranges:
        facts = facts.with_index(i, n)
    if m.source is not None and m.taken is not None:
        yield Access(False, m.taken, m.source, facts, m.at, m.what)
    yield Access(True, m.into, m.array, facts, m.at, m.what)


def of_moves(ms: Iterable[Move], facts: Facts) -> Iterator[Access]:
    """Yield the accesses of moves in order."""
    for m in ms:
        yield from of_move(m, facts)


def of_results(ms: Iterable[Move], facts: Facts) -> Iterator[Access]:
    """Yield the accesses of the moves of a kernel's results.

    A result that lies in place already counts as read: another iteration must not write it.
    """
    for m in ms:
        if m.is_nothing and m.source is not None:
            yield Access(False, m.into, m.source, facts, m.at, m.what)
        yield from of_move(m, facts)


def of_body(b: Body[Ann], scene: Scene) -> Iterator[Access]:
    """Yield the accesses of all statements of a body."""
    for s in b.stms:
        yield from of_stm(s, scene)


def of_stm(s: Stm[Ann], scene: Scene) -> Iterator[Access]:
    """Yield the accesses of a statement, including those of its bodies."""
    facts = scene.facts_at(s)
    match s.exp:
        case Index(x, index):
            yield Access(False, scene.spot(x).row(*index), x, scene.checked(s), s, "element")
        case Kernel() as e:
            nest = nest_of(s, e, scene)
            yield from of_iteration(e, nest, scene)
            yield from of_operator(e, nest, scene)
        case Scatter(_, indices):
            yield Access(False, scene.spot(indices), indices, facts, s, "indices of a scatter")
            yield from of_moves(moves_of(s, scene), facts)
        case Scalar() | DerivedArray() | FreshArray() | Update() | Assert() | Alloc():
            yield from of_moves(moves_of(s, scene), scene.checked(s))
        case Opaque(_, args):
            for a in args:
                if isinstance(a, Var) and scene.is_array(a):
                    yield Access(False, scene.spot(a.name), a.name, facts, s, "foreign code")
            yield from of_moves(moves_of(s, scene), facts)
        case If() | Loop():
            yield from of_moves(moves_of(s, scene), scene.checked(s))
            for b in sub_bodies(s.exp):
                yield from of_body(b, scene)
        case RaggedKernel():
            raise unscheduled()


def of_iteration(e: Kernel[Ann], nest: Nest, scene: Scene) -> Iterator[Access]:
    """Yield the accesses of one iteration: of the kernel's body, then of its mapped results."""
    yield from of_body(e.body, scene)
    yield from of_results(nest.mapped, scene.at_end[id(e.body)].facts)


def of_operator(e: Kernel[Ann], nest: Nest, scene: Scene) -> Iterator[Access]:
    """Yield the accesses of a collective outside of the iterations, for one row."""
    ops = operators(e)
    if not ops:
        return
    inside = scene.at_end[id(e.body)].facts
    row = scene.at_start[id(ops[0].body)].facts
    after = scene.at_end[id(ops[0].body)].facts
    yield from of_moves(nest.first, row)
    yield from of_moves(nest.passed, inside)
    yield from of_body(ops[0].body, scene)
    yield from of_moves(nest.back, after)
    yield from of_results(nest.kept, inside)
    yield from of_results(nest.last, row)
