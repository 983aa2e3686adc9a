"""hoist: allocations and invariant code leave loops, branches and kernels (paper 002, sec. 5).

*Why.*  Expansion finds an allocation only at the top of a kernel's body, with a size that is known
outside, so both go outwards first; and a loop should not allocate in every iteration.

*Before -> after.*

    loop … for i < n do                        let (t_mem : mem) = alloc 4*m
      let (t_mem : mem) = alloc 4*m     ->     loop … for i < n do
      let (t : … @ t_mem -> …) = …               let (t : … @ t_mem -> …) = …

    kernel i < n do                            let (k : i64) = m + 1
      let (x : f32) = f(i)              ->     kernel i < n do
      let (k : i64) = m + 1                      let (t_mem : mem) = alloc 4*k
      let (t_mem : mem) = alloc 4*k              let (x : f32) = f(i)

*What moves.*  Scalar expressions, reads, derived arrays and allocations; no statement that writes
memory.  A statement leaves a body if

    (1) stays_in_scope      its operands are bound outside
    (2) is_movable          it is one of these
    (3) cannot_trap         where it goes, it cannot trap (errata 25)
    (4) block_is_local      out of a loop: the block of one iteration is dead in the next
    (5) stays_in_its_thread out of a kernel or operator: no allocation, since all threads would
                            share the block (that is expand's work), and no read by the host
    (6) worth_it            out of a branch: an allocation in a loop or kernel, what its size
                            needs, or code that goes on out of the enclosing loop or kernel

An element may be read earlier, whoever writes its block later: in a valid program an array holds
its value from its definition to its last use, and (1) keeps the read behind the definition.

What has to stay in a kernel body or an operator's moves to its top if an allocation needs it, where
expand looks for it.  An allocation whose size varies with the loop's index leaves with an upper
bound of its size, if there is one.

*Precondition*: FUNMEM.  *Postcondition*: same statements, fewer iterations.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from funmem.ir.fun import (
    Alloc,
    Ann,
    Bin,
    Body,
    Const,
    Convert,
    Entry,
    Exp,
    FlatSlice,
    For,
    If,
    Index,
    Kernel,
    Loop,
    MemProgram,
    Permute,
    Program,
    Reshape,
    Reverse,
    Slice,
    Stm,
    Un,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    free_in_stm,
    inner_binders,
    inner_indices,
    operators,
    sub_bodies,
    with_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.facts import Known, of_entry, upper_bound
from funmem.passes.framework import Context, mem_pass
from funmem.passes.may_trap import why_traps
from funmem.passes.mem.blocks import Blocks, blocks_of


@mem_pass("hoist", summary="move allocations and invariant code out of loops, branches, kernels")
def hoist(p: MemProgram, ctx: Context) -> MemProgram:
    """Every entry point's body, from the inside outwards."""
    return Program(tuple(hoist_entry(e, ctx) for e in p.entries))


def hoist_entry(e: Entry[Ann], ctx: Context) -> Entry[Ann]:
    """The entry point with everything as far out as it may go."""
    return evolve(e, body=hoist_body(e.body, place_of(e, ctx)))


# ---------------------------------------------------------------------- where we are


class Kind(Enum):
    """What a body is the body of."""

    KERNEL = "kernel"
    OPERATOR = "operator"
    LOOP = "loop"
    BRANCH = "branch"


@frozen
class Place:
    """A place in a body, and what encloses it."""

    known: Known
    blocks: Blocks
    ctx: Context
    in_kernel: bool = False
    varying: frozenset[Name] | None = None
    """The names bound so far inside the nearest enclosing loop or kernel; None: there is none."""

    def after(self, s: Stm[Ann]) -> "Place":
        """This place, one statement later."""
        names = {p.name for p in s.pat}
        varying = None if self.varying is None else self.varying | names
        return evolve(self, known=self.known.after(s), varying=varying)

    def inside(self, e: Exp[Ann], known: Known) -> "Place":
        """The place at the start of a body of ``e``."""
        if isinstance(e, If):
            return evolve(self, known=known)
        in_kernel = self.in_kernel or isinstance(e, Kernel)
        return evolve(self, known=known, in_kernel=in_kernel, varying=_own_names(e))


def place_of(e: Entry[Ann], ctx: Context) -> Place:
    """The start of an entry point's body."""
    return Place(of_entry(e), blocks_of(e.body), ctx)


@frozen
class Border:
    """The border that statements cross when they leave a body, or go to its top."""

    outside: Place
    kind: Kind
    own: frozenset[Name]
    """What the expression binds around the body: indices and parameters."""
    index: tuple[tuple[Name, Size], ...]
    """A for-loop's index and bound."""
    carried: frozenset[Name]
    """The blocks that may be among the body's results."""


@frozen
class Reached:
    """How far :func:`movable` has come: what is known where statements go, and what stays."""

    known: Known
    staying: frozenset[Name]


def _own_names(e: Exp[Ann]) -> frozenset[Name]:
    return frozenset((*inner_indices(e), *(b.name for b in inner_binders(e))))


def _kinds(e: Exp[Ann]) -> tuple[Kind, ...]:
    """The kind of each body of :func:`sub_bodies`."""
    match e:
        case Kernel():
            return (*(Kind.OPERATOR for _ in operators(e)), Kind.KERNEL)
        case Loop():
            return (Kind.LOOP,)
        case _:
            return tuple(Kind.BRANCH for _ in sub_bodies(e))


def _index(e: Exp[Ann]) -> tuple[tuple[Name, Size], ...]:
    match e:
        case Loop(_, For(i, n)):
            return ((i, n),)
        case _:
            return ()


# ---------------------------------------------------------------------- from the inside outwards


def hoist_body(b: Body[Ann], place: Place) -> Body[Ann]:
    """The body with what its inner bodies need not keep moved in front of them."""
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        for t in _statement(s, place):
            stms.append(t)
            place = place.after(t)
    return with_stms(b, stms)


def _statement(s: Stm[Ann], place: Place) -> tuple[Stm[Ann], ...]:
    """What leaves a statement's bodies, and the statement with the rest."""
    leaving: list[Stm[Ann]] = []
    rest: list[Body[Ann]] = []
    starts = place.known.inside(s.exp)
    for kind, b, known in zip(_kinds(s.exp), sub_bodies(s.exp), starts, strict=True):
        inside = place.inside(s.exp, known)
        b = hoist_body(b, inside)
        results = (a.name for a in b.result if isinstance(a, Var))
        carried = place.blocks.reach_all(results)
        border = Border(place, kind, _own_names(s.exp), _index(s.exp), carried)
        gone, b = leave(b, border)
        for t in gone:
            place, inside = place.after(t), inside.after(t)
        if kind in (Kind.KERNEL, Kind.OPERATOR):
            b = allocations_first(b, evolve(border, outside=inside, own=frozenset()))
        leaving += gone
        rest.append(b)
    return (*leaving, with_exp(s, with_bodies(s.exp, rest)))


def leave(b: Body[Ann], border: Border) -> tuple[tuple[Stm[Ann], ...], Body[Ann]]:
    """The statements that leave a body, and the body that remains."""
    gone = movable(b.stms, border, LEAVING)
    if border.kind is Kind.BRANCH:
        gone = worth_it(gone, border.outside)
    return gone, with_stms(b, _without(b.stms, gone))


def allocations_first(b: Body[Ann], border: Border) -> Body[Ann]:
    """The body with its allocations, and what their sizes need, at its top."""
    first = needed_by_allocations(movable(b.stms, border, TO_THE_TOP))
    return with_stms(b, (*first, *_without(b.stms, first)))


def movable(
    stms: Sequence[Stm[Ann]], border: Border, conditions: tuple["Condition", ...]
) -> tuple[Stm[Ann], ...]:
    """The statements that meet all conditions, in order."""
    moved: list[Stm[Ann]] = []
    reached = Reached(border.outside.known, border.own)
    for s in stms:
        t = with_bounded_size(s, border)
        why = next((w for c in conditions if (w := c(t, border, reached)) is not None), None)
        if why is None:
            moved.append(t)
            reached = evolve(reached, known=reached.known.after(t))
            continue
        names = {p.name for p in s.pat}
        reached = evolve(reached, staying=reached.staying | names)
        if isinstance(s.exp, Alloc) and border.kind in (Kind.LOOP, Kind.BRANCH):
            border.outside.ctx.remark(s, f"leaves the {border.kind.value}", why)
    return tuple(moved)


def with_bounded_size(s: Stm[Ann], border: Border) -> Stm[Ann]:
    """An allocation whose size varies with the loop's index gets the largest of these sizes."""
    match s.exp:
        case Alloc(size, space) if not size.free().isdisjoint(i for i, _ in border.index):
            bound = upper_bound(size, border.index, border.outside.known)
            return s if bound is None else evolve(s, exp=Alloc(bound, space))
        case _:
            return s


def _without(stms: Sequence[Stm[Ann]], gone: Iterable[Stm[Ann]]) -> tuple[Stm[Ann], ...]:
    names = {p.name for s in gone for p in s.pat}
    return tuple(s for s in stms if not any(p.name in names for p in s.pat))


def needed_by_allocations(stms: Sequence[Stm[Ann]]) -> tuple[Stm[Ann], ...]:
    """The allocations among ``stms``, and what their sizes need."""
    needed: set[Name] = set()
    kept: list[Stm[Ann]] = []
    for s in reversed(stms):
        if isinstance(s.exp, Alloc) or s.pat[0].name in needed:
            needed |= free_in_stm(s)
            kept.append(s)
    return tuple(reversed(kept))


# ---------------------------------------------------------------------- conditions


def stays_in_scope(s: Stm[Ann], _: Border, reached: Reached) -> str | None:
    """(1) Its operands are bound where it goes."""
    inner = sorted(free_in_stm(s) & reached.staying)
    return f"it needs {', '.join(inner)}" if inner else None


def is_movable(s: Stm[Ann], _: Border, __: Reached) -> str | None:
    """(2) It writes no memory and contains no statements."""
    match s.exp:
        case Const() | Var() | Bin() | Un() | Convert() | Index() | Alloc():
            return None
        case Slice() | Permute() | Reshape() | Reverse() | FlatSlice():
            return None
        case _:
            return "it writes memory or contains statements"


def cannot_trap(s: Stm[Ann], _: Border, reached: Reached) -> str | None:
    """(3) It cannot trap where it goes: the branch, kernel or loop may never be entered."""
    return why_traps(s.exp, reached.known)


def block_is_local(s: Stm[Ann], border: Border, _: Reached) -> str | None:
    """(4) Out of a loop: the block is not among the body's results.  Else the next iteration
    would write the very block that its parameter still lives in.
    """
    if isinstance(s.exp, Alloc) and border.kind is Kind.LOOP and s.pat[0].name in border.carried:
        return "the next iteration or the loop's result lives in the block"
    return None


def stays_in_its_thread(s: Stm[Ann], border: Border, _: Reached) -> str | None:
    """(5) Out of a kernel: no allocation, and no read that the host would then do."""
    if border.kind in (Kind.LOOP, Kind.BRANCH):
        return None
    match s.exp:
        case Alloc():
            return "all threads would share the block"
        case Index() if not border.outside.in_kernel:
            return "the host would read the element"
        case _:
            return None


def worth_it(stms: Sequence[Stm[Ann]], outside: Place) -> tuple[Stm[Ann], ...]:
    """(6) Out of a branch inside a loop or kernel: allocations, what they need, and what will
    leave that loop or kernel next.  Elsewhere nothing: it would be work and memory for a branch
    that may not be taken.
    """
    if outside.varying is None:
        return ()
    varying = set(outside.varying)
    invariant: list[Stm[Ann]] = []
    for s in stms:
        if isinstance(s.exp, Index) or not free_in_stm(s).isdisjoint(varying):
            varying |= {p.name for p in s.pat}
        else:
            invariant.append(s)
    names = {p.name for s in (*invariant, *needed_by_allocations(stms)) for p in s.pat}
    return tuple(s for s in stms if s.pat[0].name in names)


Condition = Callable[[Stm[Ann], Border, Reached], str | None]

TO_THE_TOP: tuple[Condition, ...] = (stays_in_scope, is_movable, cannot_trap)
LEAVING: tuple[Condition, ...] = (*TO_THE_TOP, block_is_local, stays_in_its_thread)
