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
    (7) affordable          on the host, out of a loop or branch that may not be entered: no
                            allocation that is out of proportion to what there is anyway
    (8) nobody_writes_there inside of a kernel: no read in a block that its threads write

(7) is not asked in kernels, whose threads can allocate nothing: there a block is made for every
thread, also where none takes the branch that needs it.

An element may be read earlier, whoever writes its block later: in a valid program an array holds
its value from its definition to its last use, and (1) keeps the read behind the definition.  But
a thread that has not read so far, since it did not take the branch, may not begin to while others
write the element: hence (8).

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
    ArrayType,
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
    ScalarExp,
    Slice,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of, is_fresh
from funmem.ir.logic.derive import in_place_of
from funmem.ir.logic.facts import Known, of_entry, upper_bound
from funmem.ir.logic.knowledge import with_sizes
from funmem.ir.logic.may_trap import why_traps
from funmem.ir.logic.prove import nonneg
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BinOp
from funmem.ir.sizes import ZERO, Monomial, Size, const, product, var
from funmem.ir.traverse import (
    free_in_stm,
    inner_binders,
    inner_indices,
    operators,
    sub_bodies,
    walk,
    with_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, mem_pass


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


KERNELS = (Kind.KERNEL, Kind.OPERATOR)


@frozen
class Place:
    """A place in a body, and what encloses it."""

    known: Known
    blocks: Blocks
    ctx: Context
    in_kernel: bool = False
    varying: frozenset[Name] | None = None
    """The names bound so far inside the nearest enclosing loop or kernel; None: there is none."""
    there: Size = ZERO
    """How many bytes the entry point's arrays and the blocks allocated so far have together."""
    lengths: frozenset[Size] = frozenset()
    """Of the arrays that are bound, in each dimension."""
    written: frozenset[Name] = frozenset()
    """The blocks that several threads of a kernel around may write."""

    def after(self, s: Stm[Ann]) -> "Place":
        """This place, one statement later."""
        names = {p.name for p in s.pat}
        varying = None if self.varying is None else self.varying | names
        return evolve(self, known=with_sizes(self.known, s), varying=varying)

    def beside(self, s: Stm[Ann]) -> "Place":
        """This place, where what a statement allocates is there anyway, and what it binds."""
        there = self.there + s.exp.size if isinstance(s.exp, Alloc) else self.there
        return evolve(self, there=there, lengths=self.lengths | lengths_of(p.type for p in s.pat))

    def inside(self, s: Stm[Ann], known: Known) -> "Place":
        """The place at the start of a body of a statement."""
        if isinstance(s.exp, If):
            return evolve(self, known=known)
        here = evolve(self, known=known, varying=_own_names(s.exp))
        if not isinstance(s.exp, Kernel):
            return here
        return evolve(here, in_kernel=True, written=self.written | written_by(s, self.blocks))


def place_of(e: Entry[Ann], ctx: Context) -> Place:
    """The start of an entry point's body."""
    types = [p.binder.type for p in e.params]
    arrays = (product(t.shape) * t.elem.bytes for t in types if isinstance(t, ArrayType))
    there = sum(arrays, ZERO)
    return Place(of_entry(e), blocks_of(e.body), ctx, there=there, lengths=lengths_of(types))


def written_by(kernel: Stm[Ann], blocks: Blocks) -> frozenset[Name]:
    """The blocks that a kernel's threads write, but for those that each thread has for itself."""
    all_ = (kernel, *(s for b in sub_bodies(kernel.exp) for s in walk(b)))
    writing = [s for s in all_ if is_fresh(s.exp) or in_place_of(s.exp)]
    binders = (b for s in writing for b in (*s.pat, *inner_binders(s.exp)))
    found = frozenset[Name]().union(*(blocks.roots(b.home.block) for b in binders if b.home))
    return found - {s.pat[0].name for s in all_ if isinstance(s.exp, Alloc)}


def lengths_of(types: Iterable[Type]) -> frozenset[Size]:
    """The lengths of arrays among types that are not constant."""
    shapes = (t.shape for t in types if isinstance(t, ArrayType))
    return frozenset(n for shape in shapes for n in shape if n.as_const is None)


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
        place = place.beside(s)
    return with_stms(b, stms)


def _statement(s: Stm[Ann], place: Place) -> tuple[Stm[Ann], ...]:
    """What leaves a statement's bodies, and the statement with the rest."""
    leaving: list[Stm[Ann]] = []
    rest: list[Body[Ann]] = []
    starts = place.known.inside(s.exp)
    for kind, b, known in zip(_kinds(s.exp), sub_bodies(s.exp), starts, strict=True):
        inside = place.inside(s, known)
        b = hoist_body(b, inside)
        results = (a.name for a in b.result if isinstance(a, Var))
        carried = place.blocks.reach_all(results)
        border = Border(place, kind, _own_names(s.exp), _index(s.exp), carried)
        gone, b = leave(b, border)
        for t in gone:
            place, inside = place.after(t), inside.after(t)
        if kind in KERNELS:
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


def affordable(s: Stm[Ann], border: Border, reached: Reached) -> str | None:
    """(7) On the host, out of a loop or branch that may not be entered: a block in proportion to
    what there is anyway, unless an array is empty.  Others might not fit into memory, where nobody
    needs them.
    """
    place = border.outside
    if not isinstance(s.exp, Alloc) or place.in_kernel or border.kind in KERNELS:
        return None
    if border.kind is Kind.BRANCH and place.varying is None:
        return None  # it stays for (6)
    facts = reached.known.facts
    for n in place.lengths:
        facts = facts.with_nonneg(n - 1)
    for _, n in border.index:
        if nonneg(n - 1, facts):
            return None
        facts = facts.assuming(-n)
    left = place.there * PROPORTION + SMALL - at_most(s.exp.size, reached.known)
    return None if nonneg(left, facts) else "it may not be needed, and be larger than all there is"


def nobody_writes_there(s: Stm[Ann], border: Border, reached: Reached) -> str | None:
    """(8) Inside of a kernel: no read in a block that threads write.  Who does not take the branch,
    or enter the loop or kernel, does not read there so far, and whoever writes the element relies
    on that.
    """
    if not isinstance(s.exp, Index) or not border.outside.written:
        return None
    roots = border.outside.blocks.roots(reached.known.homes[s.exp.x].block)
    shared = sorted(roots & border.outside.written)
    return f"threads write in {', '.join(shared)}" if shared else None


PROPORTION = 256
"""Twice as much as there are threads that each have a part of their own (schedule)."""

SMALL = 1 << 20
"""Bytes that are always there."""


def at_most(d: Size, known: Known) -> Size:
    """A size that ``d`` does not exceed, in which what a minimum or quotient bounds from above is
    that bound.
    """
    for x in sorted(d.free()):
        most = _most(known.scalars.get(x), known)
        if most is not None:
            factor = Size.from_terms({_less(m, x): k for m, k in d.terms if m.count(x) == 1})
            if known.nonneg(factor):
                d = d - factor * var(x) + factor * most
    return d


def _less(m: Monomial, x: Name) -> Monomial:
    """A product without one of its factors."""
    at = m.index(x)
    return m[:at] + m[at + 1 :]


def _most(e: ScalarExp | None, known: Known) -> Size | None:
    """What an expression does not exceed: a constant, or what it divides."""
    match e:
        case Bin(BinOp.MIN, _, Const(k)):
            return const(int(k))
        case Bin(BinOp.MAX, Bin(BinOp.MIN, _, Const(k)), Const(least)):
            return const(max(int(k), int(least)))
        case Bin(BinOp.DIV, Var(x), Const(k)) if int(k) > 0:
            return var(x) if known.nonneg(var(x)) else None
        case _:
            return None


Condition = Callable[[Stm[Ann], Border, Reached], str | None]

TO_THE_TOP: tuple[Condition, ...] = (stays_in_scope, is_movable, cannot_trap)
LEAVING: tuple[Condition, ...] = (
    *TO_THE_TOP,
    block_is_local,
    stays_in_its_thread,
    affordable,
    nobody_writes_there,
)
