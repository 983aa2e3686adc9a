"""(O1) Arrays lie inside their blocks, (O2) elements of new arrays have distinct addresses, (O6)
copies, (O7) sizes.

Derived arrays need no obligation: a slice that did not trap is inside its source array, and its
place follows from the type rules (O8).
"""

from collections.abc import Iterable, Iterator

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Binder,
    Body,
    Collective,
    DerivedArray,
    Entry,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Scalar,
    Stm,
    Var,
)
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.logic.derive import in_place_of
from funmem.ir.logic.disjoint.sums import nonempty
from funmem.ir.logic.may_trap import why_statement_traps
from funmem.ir.logic.prove import Facts
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve
from funmem.ir.sizes import ZERO, Size, product
from funmem.ir.traverse import (
    free_in_stm,
    inner_binders,
    operators,
    sub_bodies,
)
from funmem.ir.verify.certificate import (
    Answer,
    Argued,
    Kind,
    Open,
    Proof,
    Step,
)
from funmem.ir.verify.ladder import Ladder
from funmem.ir.verify.moves import Move, moves_of, nest_of
from funmem.ir.verify.record import Recorder
from funmem.ir.verify.scene import is_dense


def statement(s: Stm[Ann], ladder: Ladder, to: Recorder) -> None:
    """Record the obligations of a statement that concern the places of its own arrays."""
    facts = ladder.scene.checked(s)
    for b in _fresh(s):
        home(b, s, facts, ladder, to)
    for x in in_place_of(s.exp):
        to.record(Kind.INJECTIVE, f"updated {x}", s, (_once(x, facts, ladder),))
    if isinstance(s.exp, Kernel):
        _kernel(s, s.exp, ladder, to)
    elif isinstance(s.exp, Alloc):
        _allocation(s, s.exp, ladder, to)
    else:
        copies(moves_of(s, ladder.scene), facts, ladder, to)


def home(b: Binder[Ann], s: Stm[Ann], facts: Facts, ladder: Ladder, to: Recorder) -> None:
    """Record that the place of a new array is inside its block (O1) and injective (O2)."""
    to.record(Kind.INSIDE, b.name, s, _inside(b, facts, ladder))
    assert b.home is not None
    to.record(Kind.INJECTIVE, b.name, s, (ladder.no_repeat(b.home.ix, facts),))


def _once(x: Name, facts: Facts, ladder: Ladder) -> Answer:
    """Decide if an array that is updated in place has distinct addresses; otherwise an update
    would change several elements.
    """
    answer = ladder.no_repeat(ladder.scene.spot(x).ix, facts)
    if isinstance(answer, Open) and ladder.origins.shows_once(x):
        return Proof(Step.VALUES, Argued(f"{x} shows no element twice, as it was made"))
    return answer


def _fresh(s: Stm[Ann]) -> Iterator[Binder[Ann]]:
    if is_fresh(s.exp):
        yield from (b for b in s.pat[len(in_place_of(s.exp)) :] if b.home is not None)


def _inside(b: Binder[Ann], facts: Facts, ladder: Ladder) -> Iterator[Answer]:
    """Yield ``0 <= least`` and ``greatest + 1 <= elements of the block`` if there are elements."""
    scene = ladder.scene
    spot = scene.spot(b.name)
    some = nonempty(spot.ix.dims, facts)
    if some is None:
        yield Proof(Step.NORMAL_FORM, Argued(f"{b.name} has no elements"))
        return
    for block in sorted(scene.blocks.leaves(spot.block)):
        size = scene.bytes_in(spot.block, block)
        if size == product(spot.ix.shape) * spot.bytes and _is_first(b):
            text = f"{b.name} lies row by row from the first to the last of {block}'s {size} bytes"
            yield Proof(Step.NORMAL_FORM, Argued(text))
            continue
        ends = ladder.ends(spot.ix, some)
        if isinstance(ends, Size):
            why = f"the sign of stride {ends} is unknown"
            yield Open(why, Argued(f"{b.name} is in {block}"))
            return
        least, most = ends
        yield ladder.nonneg(least, some)
        answer = ladder.nonneg(size - (most + 1) * spot.bytes, some)
        if isinstance(answer, Open):
            why = f"{spot} may leave the {size} bytes of {block}: {answer.why}"
            answer = Open(why, answer.condition)
        yield answer


def _is_first(b: Binder[Ann]) -> bool:
    """True if the elements lie row by row from the first byte of the block on, without gaps."""
    assert b.home is not None
    return b.home.ix.offset == ZERO and is_dense(b.home.ix)


# ---------------------------------------------------------------------- copies


def copies(moves: tuple[Move, ...], facts: Facts, ladder: Ladder, to: Recorder) -> None:
    """Record (O6) for moves."""
    for m in moves:
        if m.taken is None:
            continue
        known = facts
        for i, n in m.ranges:
            known = known.with_index(i, n)
        to.record(Kind.COPY, f"{m.what}: {m.source} to {m.array}", m.at, (_copy(m, known, ladder),))


def _copy(m: Move, facts: Facts, ladder: Ladder) -> Answer:
    assert m.taken is not None
    if ladder.scene.blocks.apart(m.taken.block, m.into.block):
        return Proof(Step.BLOCKS, Argued(f"{m.taken.block} and {m.into.block} are two blocks"))
    answer = ladder.same_or_apart(m.taken, m.into, facts)
    if isinstance(answer, Open):
        why = f"{m.source} at {m.taken} and {m.array} at {m.into}: {answer.why}"
        return Open(why, answer.condition)
    return answer


def _kernel(s: Stm[Ann], e: Kernel[Ann], ladder: Ladder, to: Recorder) -> None:
    scene = ladder.scene
    nest = nest_of(s, e, scene)
    inside = scene.at_end[id(e.body)].facts
    copies(nest.mapped, inside, ladder, to)
    for op in operators(e):
        row = scene.at_start[id(op.body)].facts
        for p in inner_binders(e):
            if p.home is not None:
                home(p, s, row, ladder, to)
        copies(nest.first, row, ladder, to)
        copies(nest.passed, inside, ladder, to)
        copies(nest.back, scene.at_end[id(op.body)].facts, ladder, to)
        copies(nest.kept, inside, ladder, to)
        copies(nest.last, row, ladder, to)


# ---------------------------------------------------------------------- sizes


def _allocation(s: Stm[Ann], e: Alloc, ladder: Ladder, to: Recorder) -> None:
    """(O7) A size is not negative, or nothing is ever made in the block: a block of negative size
    has no bytes, so an array in it that is inside the block (O1) has no elements.
    """
    facts = ladder.scene.facts_at(s)
    answer = ladder.nonneg(e.size, facts)
    if isinstance(answer, Open):
        answer = Proof(
            Step.VALUES,
            Argued(f"if {e.size} is negative, then no array in {s.pat[0].name} has elements (O1)"),
        )
    to.record(Kind.SIZES, f"alloc {s.pat[0].name}", s, (answer,))


def only_for_memory(e: Entry[Ann], ladder: Ladder, to: Recorder) -> None:
    """(O7) Record that statements used only for memory cannot trap.

    Only sizes of blocks and annotations depend on them, so the program without annotations does
    not have them.  A statement on which nothing depends may trap: the source program has it.
    """
    values = {a.name for a in e.body.result if isinstance(a, Var)}
    _for_memory(e.body, values, set(), ladder, to)


def _for_memory(
    b: Body[Ann], values: set[Name], memory: set[Name], ladder: Ladder, to: Recorder
) -> None:
    """Visit the statements of a body from last to first.

    ``values``: names that the program without annotations mentions later; ``memory``: names that
    annotations and allocations mention later.
    """
    for s in reversed(b.stms):
        names = {p.name for p in s.pat}
        binders = (*s.pat, *inner_binders(s.exp))
        for_memory = names and names.isdisjoint(values) and not names.isdisjoint(memory)
        memory |= {x for p in binders if p.home is not None for x in p.home.ix.free()}
        if isinstance(s.exp, Alloc):
            memory |= s.exp.size.free()
        elif for_memory:
            memory |= free_in_stm(s)
            _cannot_trap(s, ladder, to)
        else:
            values |= _operands(s)
            for inner in sub_bodies(s.exp):
                values |= {a.name for a in inner.result if isinstance(a, Var)}
                _for_memory(inner, values, memory, ladder, to)


def _operands(s: Stm[Ann]) -> frozenset[Name]:
    """Return the names that a statement mentions outside of its bodies and annotations."""
    match s.exp:
        case If(cond):
            return _names((cond,))
        case Kernel(dims, c):
            return _names(_neutral(c)).union(*(d.size.free() for d in dims))
        case Loop(params, form):
            bound = form.bound.free() if isinstance(form, For) else frozenset({form.cond})
            return _names(p.init for p in params) | bound
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Alloc():
            return free_in_stm(Stm(tuple(evolve(p, home=None) for p in s.pat), s.exp))
        case Opaque():
            return free_in_stm(Stm(tuple(evolve(p, home=None) for p in s.pat), s.exp))
        case RaggedKernel():
            raise unscheduled()


def _names(atoms: Iterable[Atom]) -> frozenset[Name]:
    return frozenset(a.name for a in atoms if isinstance(a, Var))


def _neutral(c: Collective[Ann]) -> tuple[Atom, ...]:
    return () if isinstance(c, Map) else c.ne


def _cannot_trap(s: Stm[Ann], ladder: Ladder, to: Recorder) -> None:
    why = why_statement_traps(s, ladder.scene.before[id(s)])
    text = Argued(f"{s.pat[0].name} is computed for memory only, and cannot trap")
    answer: Answer = Proof(Step.INTERVALS, text)
    if why is not None:
        answer = Open(f"{s.pat[0].name} is computed for memory only: {why}", text)
    to.record(Kind.SIZES, f"trap of {s.pat[0].name}", s, (answer,))
