"""hoist: move allocations and invariant code out of loops, branches and kernels (paper 002, sec.
5).

*Why.*  Expansion handles an allocation only at the top of a kernel's body, with a size that is
known outside the kernel.  So the allocation and its size move outwards first.  Besides, a loop
should not allocate in every iteration.

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
    (2) is_movable          it is of one of these forms
    (3) cannot_trap         it cannot trap at its destination (errata 25)
    (4) block_is_local      out of a loop: the block of one iteration is dead in the next
    (5) stays_in_its_thread out of a kernel or operator: it is no allocation, since all threads
                            would share the block (expand handles those), and no read, which the
                            host would then do
    (6) worth_it            out of a branch: it is an allocation in a loop or kernel, a statement
                            that the allocation's size needs, or code that also leaves the enclosing
                            loop or kernel
    (7) affordable          on the host, out of a loop or branch that may not be entered: it is no
                            allocation out of proportion to the memory in use
    (8) block_is_not_written inside a kernel: it is no read from a block that the threads write

(7) does not apply in kernels.  Their threads cannot allocate: the block is made for every thread
anyway, even if no thread takes the branch that needs it.

Reading an element earlier is safe even if its block is written later: in a valid program an array
holds its value from its definition to its last use, and by (1) the read stays behind the
definition.  But a thread that did not take the branch did not read the element, so another thread
may write it at that time.  After the move both happen: hence (8).

A statement that must stay in a kernel's or an operator's body moves to the top of this body if an
allocation needs it; expand looks for allocations there.  An allocation whose size varies with the
loop's index leaves the loop with an upper bound of its size, if there is one.

*Precondition*: FUNMEM.  *Postcondition*: the same statements, executed at most as often.
"""

from collections.abc import Callable, Iterable, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Body,
    Compound,
    Const,
    DerivedArray,
    Entry,
    Exp,
    For,
    FreshArray,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    MemProgram,
    Program,
    Scalar,
    ScalarExp,
    Stm,
    Type,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of, is_fresh
from funmem.ir.logic.body_facts import with_sizes
from funmem.ir.logic.derive import in_place_of
from funmem.ir.logic.facts import PointFacts, of_entry, upper_bound
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
    sub_bodies,
    walk,
    with_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, mem_pass
from funmem.passes.mem.liveness import Role, roles


@mem_pass("hoist", summary="move allocations and invariant code out of loops, branches, kernels")
def hoist(p: MemProgram, ctx: Context) -> MemProgram:
    """Rewrite every entry point's body, from the inside outwards."""
    return Program(tuple(hoist_entry(e, ctx) for e in p.entries), p.functions)


def hoist_entry(e: Entry[Ann], ctx: Context) -> Entry[Ann]:
    """Return the entry point with every statement as far out as it may go."""
    return evolve(e, body=hoist_body(e.body, start_of(e, ctx)))


# ---------------------------------------------------------------------- places in a program


KERNELS = (Role.KERNEL, Role.OPERATOR)


@frozen
class Position:
    """A position in a body, and what encloses it."""

    known: PointFacts
    blocks: Blocks
    ctx: Context
    in_kernel: bool = False
    varying: frozenset[Name] | None = None
    """The names bound so far inside the nearest enclosing loop or kernel; None outside of any."""
    present: Size = ZERO
    """The bytes of the entry point's array parameters and of the blocks allocated so far."""
    lengths: frozenset[Size] = frozenset()
    """The lengths, in all dimensions, of the arrays that are in scope."""
    written: frozenset[Name] = frozenset()
    """The blocks that several threads of an enclosing kernel may write."""

    def after(self, s: Stm[Ann]) -> "Position":
        """Return this position, one statement later."""
        names = {p.name for p in s.pat}
        varying = None if self.varying is None else self.varying | names
        return evolve(self, known=with_sizes(self.known, s), varying=varying)

    def beside(self, s: Stm[Ann]) -> "Position":
        """Return this position with a statement's allocation and lengths taken into account."""
        present = self.present + s.exp.size if isinstance(s.exp, Alloc) else self.present
        return evolve(
            self, present=present, lengths=self.lengths | lengths_of(p.type for p in s.pat)
        )

    def inside(self, s: Stm[Ann], known: PointFacts) -> "Position":
        """Return the position at the start of a body of a statement."""
        if isinstance(s.exp, If):
            return evolve(self, known=known)
        here = evolve(self, known=known, varying=_own_names(s.exp))
        if not isinstance(s.exp, Kernel):
            return here
        return evolve(here, in_kernel=True, written=self.written | written_by(s, self.blocks))


def start_of(e: Entry[Ann], ctx: Context) -> Position:
    """Return the start of an entry point's body."""
    types = [p.binder.type for p in e.params]
    arrays = (product(t.shape) * t.elem.bytes for t in types if isinstance(t, ArrayType))
    present = sum(arrays, ZERO)
    return Position(of_entry(e), blocks_of(e.body), ctx, present=present, lengths=lengths_of(types))


def written_by(kernel: Stm[Ann], blocks: Blocks) -> frozenset[Name]:
    """Return the blocks that a kernel's threads write, except those that each thread allocates."""
    all_ = (kernel, *(s for b in sub_bodies(kernel.exp) for s in walk(b)))
    writing = [s for s in all_ if is_fresh(s.exp) or in_place_of(s.exp)]
    binders = (b for s in writing for b in (*s.pat, *inner_binders(s.exp)))
    found = frozenset[Name]().union(*(blocks.roots(b.home.block) for b in binders if b.home))
    return found - {s.pat[0].name for s in all_ if isinstance(s.exp, Alloc)}


def lengths_of(types: Iterable[Type]) -> frozenset[Size]:
    """Return the non-constant lengths of the arrays among types."""
    shapes = (t.shape for t in types if isinstance(t, ArrayType))
    return frozenset(n for shape in shapes for n in shape if n.as_const is None)


@frozen
class Border:
    """The border that statements cross when they leave a body or move to its top."""

    outside: Position
    role: Role
    own: frozenset[Name]
    """The names that the expression binds around the body: indices and parameters."""
    index: tuple[tuple[Name, Size], ...]
    """A for-loop's index and bound."""
    carried: frozenset[Name]
    """The blocks that may be among the body's results."""


@frozen
class Reached:
    """The state of :func:`movable`: facts at the destination, and the names that do not move."""

    known: PointFacts
    staying: frozenset[Name]


def _own_names(e: Exp[Ann]) -> frozenset[Name]:
    return frozenset((*inner_indices(e), *(b.name for b in inner_binders(e))))


def _index(e: Exp[Ann]) -> tuple[tuple[Name, Size], ...]:
    match e:
        case Loop(_, For(i, n)):
            return ((i, n),)
        case _:
            return ()


# ---------------------------------------------------------------------- from the inside outwards


def hoist_body(b: Body[Ann], position: Position) -> Body[Ann]:
    """Return the body with the statements that leave its inner bodies placed in front of them."""
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        for t in _statement(s, position):
            stms.append(t)
            position = position.after(t)
        position = position.beside(s)
    return with_stms(b, stms)


def _statement(s: Stm[Ann], position: Position) -> tuple[Stm[Ann], ...]:
    """Return the statements that leave a statement's bodies, followed by the statement itself."""
    leaving: list[Stm[Ann]] = []
    rest: list[Body[Ann]] = []
    starts = position.known.inside(s.exp)
    for role, b, known in zip(roles(s.exp), sub_bodies(s.exp), starts, strict=True):
        inside = position.inside(s, known)
        b = hoist_body(b, inside)
        results = (a.name for a in b.result if isinstance(a, Var))
        carried = position.blocks.reach_all(results)
        border = Border(position, role, _own_names(s.exp), _index(s.exp), carried)
        gone, b = leave(b, border)
        for t in gone:
            position, inside = position.after(t), inside.after(t)
        if role in KERNELS:
            b = allocations_first(b, evolve(border, outside=inside, own=frozenset()))
        leaving += gone
        rest.append(b)
    return (*leaving, with_exp(s, with_bodies(s.exp, rest)))


def leave(b: Body[Ann], border: Border) -> tuple[tuple[Stm[Ann], ...], Body[Ann]]:
    """Return the statements that leave a body, and the body that remains."""
    gone = movable(b.stms, border, LEAVING)
    if border.role is Role.BRANCH:
        gone = worth_it(gone, border.outside)
    return gone, with_stms(b, _without(b.stms, gone))


def allocations_first(b: Body[Ann], border: Border) -> Body[Ann]:
    """Return the body with its allocations, and the statements their sizes need, at its top."""
    first = needed_by_allocations(movable(b.stms, border, TO_THE_TOP))
    return with_stms(b, (*first, *_without(b.stms, first)))


def movable(
    stms: Sequence[Stm[Ann]], border: Border, conditions: tuple["Condition", ...]
) -> tuple[Stm[Ann], ...]:
    """Return the statements that meet all conditions, in order."""
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
        if isinstance(s.exp, Alloc) and border.role in (Role.LOOP, Role.BRANCH):
            border.outside.ctx.remark(s, f"leaves the {border.role.value}", why)
    return tuple(moved)


def with_bounded_size(s: Stm[Ann], border: Border) -> Stm[Ann]:
    """Replace the size of an allocation that varies with the loop's index by an upper bound, if
    any.
    """
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
    """Return the allocations among ``stms`` and the statements that their sizes need."""
    needed: set[Name] = set()
    kept: list[Stm[Ann]] = []
    for s in reversed(stms):
        if isinstance(s.exp, Alloc) or s.pat[0].name in needed:
            needed |= free_in_stm(s)
            kept.append(s)
    return tuple(reversed(kept))


# ---------------------------------------------------------------------- conditions


def stays_in_scope(s: Stm[Ann], _: Border, reached: Reached) -> str | None:
    """(1) Its operands are bound at the destination."""
    inner = sorted(free_in_stm(s) & reached.staying)
    return f"it needs {', '.join(inner)}" if inner else None


def is_movable(s: Stm[Ann], _: Border, __: Reached) -> str | None:
    """(2) It writes no memory and contains no statements."""
    match s.exp:
        case Scalar() | Index() | DerivedArray() | Alloc():
            return None
        case FreshArray() | InPlace() | Compound() | Assert():
            return "it writes memory or contains statements"


def cannot_trap(s: Stm[Ann], _: Border, reached: Reached) -> str | None:
    """(3) It cannot trap at the destination: the branch, kernel or loop may never be entered."""
    return why_traps(s.exp, reached.known)


def block_is_local(s: Stm[Ann], border: Border, _: Reached) -> str | None:
    """(4) Out of a loop: the block is not among the body's results.  Otherwise the next iteration
    would overwrite the block in which its parameter still lies.
    """
    if isinstance(s.exp, Alloc) and border.role is Role.LOOP and s.pat[0].name in border.carried:
        return "the next iteration or the loop's result lives in the block"
    return None


def stays_in_its_thread(s: Stm[Ann], border: Border, _: Reached) -> str | None:
    """(5) Out of a kernel: it is no allocation, and no read that the host would then do."""
    if border.role in (Role.LOOP, Role.BRANCH):
        return None
    match s.exp:
        case Alloc():
            return "all threads would share the block"
        case Index():
            return None if border.outside.in_kernel else "the host would read the element"
        case Scalar() | DerivedArray() | FreshArray() | InPlace() | Compound() | Assert():
            return None


def worth_it(stms: Sequence[Stm[Ann]], outside: Position) -> tuple[Stm[Ann], ...]:
    """(6) Return the statements that should leave a branch inside a loop or kernel: allocations,
    the statements they need, and statements that next leave that loop or kernel.  Outside loops and
    kernels nothing leaves a branch: it would cost work and memory even if the branch is not taken.
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
    """(7) On the host, out of a loop or branch that may not be entered: the block is in proportion
    to the memory in use, provided that no array is empty.  A larger block might not fit into memory
    although the program does not need it.

    A loop over an array that is not empty is entered.  This counts for blocks whose size consists
    of lengths: another scalar may be large while all arrays are empty.
    """
    position = border.outside
    if not isinstance(s.exp, Alloc) or position.in_kernel or border.role in KERNELS:
        return None
    if border.role is Role.BRANCH and position.varying is None:
        return None  # (6) keeps it in the branch
    certain = facts = reached.known.facts
    for n in position.lengths:
        facts = facts.with_nonneg(n - 1)
    of_lengths = s.exp.size.free() <= {x for n in position.lengths for x in n.free()}
    for _, n in border.index:
        if nonneg(n - 1, facts if of_lengths else certain):
            return None
        facts = facts.assuming(-n)
    left = position.present * PROPORTION + SMALL - at_most(s.exp.size, reached.known)
    return None if nonneg(left, facts) else "it may be unneeded and larger than all other data"


def block_is_not_written(s: Stm[Ann], border: Border, reached: Reached) -> str | None:
    """(8) Inside a kernel: it is no read from a block that threads write.  A thread that skips the
    branch, loop or kernel does not read the element, so another thread may write it without a race.
    """
    if not isinstance(s.exp, Index) or not border.outside.written:
        return None
    roots = border.outside.blocks.roots(reached.known.homes[s.exp.x].block)
    shared = sorted(roots & border.outside.written)
    return f"threads write to {', '.join(shared)}" if shared else None


PROPORTION = 256
"""Twice the number of threads that may each have a part of their own (schedule)."""

SMALL = 1 << 20
"""Bytes that are assumed to be available."""


def at_most(d: Size, known: PointFacts) -> Size:
    """Return an upper bound of ``d``: scalars defined as a minimum or quotient are replaced by a
    bound.
    """
    for x in sorted(d.free()):
        most = _upper_bound(known.scalars.get(x), known)
        if most is not None:
            factor = Size.from_terms(
                {_without_factor(m, x): k for m, k in d.terms if m.count(x) == 1}
            )
            if known.nonneg(factor):
                d = d - factor * var(x) + factor * most
    return d


def _without_factor(m: Monomial, x: Name) -> Monomial:
    """Return a product without one of its factors."""
    at = m.index(x)
    return m[:at] + m[at + 1 :]


def _upper_bound(e: ScalarExp | None, known: PointFacts) -> Size | None:
    """Return an upper bound of a scalar expression: the constant of a minimum, or the dividend."""
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
    block_is_not_written,
)
