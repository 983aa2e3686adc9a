"""coalesce: copy arrays into the order in which neighbouring threads read them.

*Why.*  A GPU fetches memory for many threads at once.  This is fast only if neighbouring threads
read neighbouring elements.  It is slow if each thread reads a row of its own from left to right.
A processor's vectors have the same need: ``vectorise`` computes neighbouring threads together if
they read neighbours.

*Before -> after.*

    kernel i < n do                                           a @ a_mem -> 0 + {(n : m) (m : 1)}
      let (row : [m]f32 @ a_mem -> i*m + {(m : 1)}) = a[i, 0 : m]
      loop … for j < m do  let (v : f32) = row[j] …           thread i reads at i*m + j
    ->
    let (c_mem : mem) = alloc 4*m*n
    let (c : [n][m]f32 @ c_mem -> 0 + {(n : 1) (m : n)}) = copy a
    kernel i < n do
      let (row : [m]f32 @ c_mem -> i + {(m : n)}) = c[i, 0 : m]
      loop … for j < m do  let (v : f32) = row[j] …           thread i reads at i + j*n

A transposition is a copy to another index function: by value ``c`` equals ``a``.  So every array
that the kernel reads holds the same elements as before.  The homes of views inside the kernel are
derived from that of ``c`` (``relocate``).

*Which arrays.*  Arrays of which neighbouring threads (along the innermost index of a kernel on the
host) read elements further apart than a device fetches at once: ``sector`` bytes or more, or a
distance that is not constant.  The number of times that an element is read must grow with at least
``reuse`` sizes.  The conditions (``conditions.py``) determine whether a copy is made, and in which
order:

    (1) bound_outside           the array exists before the kernel (``expand`` lays out the others)
    (2) addresses_are_known     no read has an index that a thread computes or loads
    (3) an_order_exists         along one dimension neighbouring threads read neighbours
    (4) reads_agree             in the new order, no read of the kernel is far apart
    (5) read_often              the kernel computes with each element at least once on average, and
                                its threads read several elements each
    (6) not_written             the kernel does not write the array's block
    (7) scalar_anyway           for vectors: the threads make no arrays, and all arrays that are
                                read far apart are copied; else ``vectorise`` refuses the kernel

*Where.*  In front of the kernel, or of the outermost enclosing loop in which the array does not
change.  The copy does not leave a branch.  All kernels behind the copy read the same copy: in a
valid program an array holds its value until its last use.  ``hoist`` then moves the copy's block
out of loops.

*Cost.*  A block as large as the array, and one pass over it.  Whether this pays in time depends on
the GPU.  A processor has caches, so there ``reuse`` is 1: in a product of matrices each row is read
once per column, and the copy costs little.  If the array has no other use, ``short-circuit`` builds
it in the new order, and the copy disappears.  With ``--max-bytes`` the compiler also tries without
this pass.

*Precondition*: FUNMEM, expanded.  *Postcondition*: same values.
"""

from collections.abc import Iterable, Mapping, Sequence

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Binder,
    Body,
    Copy,
    DerivedArray,
    Entry,
    FreshArray,
    Home,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    MemProgram,
    MemType,
    Opaque,
    Program,
    RaggedKernel,
    Scalar,
    Stm,
    Var,
)
from funmem.ir.logic.blocks import Blocks, blocks_of
from funmem.ir.logic.derive import Homeless
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.names import Fresh, Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import product
from funmem.ir.substitute import subst_stm
from funmem.ir.traverse import (
    bound_in_stms,
    program_fresh,
    sub_bodies,
    with_bodies,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, Option, mem_pass
from funmem.passes.mem.coalesce.conditions import (
    CONDITIONS,
    LANES,
    CoalesceCandidate,
    Least,
    Order,
    distant_arrays,
    layout,
    order_of,
    reused,
    scalar_anyway,
)
from funmem.passes.mem.coalesce.reads import threads_of
from funmem.passes.mem.hoist import hoist, hoist_entry
from funmem.passes.mem.relocate import relocate, stay

SECTOR = Option("sector", 32, help="bytes that a device fetches at once, for several threads")

REUSE = Option("reuse", 0, help="sizes with which the reads of an element grow, at least")


@mem_pass(
    "coalesce",
    summary="copy arrays into the order in which neighbouring threads read them",
    options=(SECTOR, REUSE),
)
def coalesce(p: MemProgram, ctx: Context) -> MemProgram:
    """Rewrite each entry point; then hoist the blocks of copies made in loops."""
    fresh = program_fresh(p)
    quiet = hoist.context()

    def entry(e: Entry[Ann]) -> Entry[Ann]:
        body = _Coalescing(fresh, ctx, blocks_of(e.body)).outermost(e.body, of_entry(e), {})
        return e if body is e.body else hoist_entry(evolve(e, body=body), quiet)

    return Program(tuple(map(entry, p.entries)), p.functions)


Key = tuple[Name, Order]
"""An array, and the order of its copy."""


@frozen
class Reordered:
    """A copy of an array in another order."""

    key: Key
    binder: Binder[Ann]
    stms: tuple[Stm[Ann], ...]
    """The allocation and the copy."""


Made = Mapping[Key, Reordered]
"""The copies that are in scope."""


class _Coalescing:
    """The traversal of the code on the host; its fields are constant, except for the supply of
    names.
    """

    def __init__(self, fresh: Fresh, ctx: Context, blocks: Blocks) -> None:
        self.fresh = fresh
        self.ctx = ctx
        self.blocks = blocks

    def outermost(self, b: Body[Ann], known: PointFacts, made: Made) -> Body[Ann]:
        """Return an entry point's body or a branch, with all copies that it needs."""
        body, _ = self.body(b, known, made, None)
        return body

    def body(
        self, b: Body[Ann], known: PointFacts, made: Made, own: frozenset[Name] | None
    ) -> tuple[Body[Ann], list[Reordered]]:
        """Return the body with the copies of arrays among ``own`` (None: of all arrays), and the
        other copies that it needs.
        """
        stms: list[Stm[Ann]] = []
        leaving: list[Reordered] = []
        for s in b.stms:
            s, needed = self.statement(s, known, made)
            for c in needed:
                made = {**made, c.key: c}
                if own is None or c.key[0] in own:
                    stms += c.stms
                    known = known.after_all(c.stms)
                else:
                    leaving.append(c)
            stms.append(s)
            known = known.after(s)
        return with_stms(b, stms), leaving

    def statement(
        self, s: Stm[Ann], known: PointFacts, made: Made
    ) -> tuple[Stm[Ann], Iterable[Reordered]]:
        """Return the statement, and the copies that must be made in front of it."""
        match s.exp:
            case Kernel() as k:
                return self.kernel(s, k, known, made) if threads_of(k) else (s, ())
            case Loop() as e:
                (inside,) = known.inside(e)
                body, leaving = self.body(e.body, inside, made, bound_in_stms((s,)))
                return with_exp(s, with_bodies(e, (body,))), leaving
            case If() as e:
                pairs = zip(sub_bodies(e), known.inside(e), strict=True)
                bodies = [self.outermost(b, inside, made) for b, inside in pairs]
                return with_exp(s, with_bodies(e, bodies)), ()
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
                return s, ()
            case RaggedKernel():
                raise unscheduled()

    # ------------------------------------------------------------------ kernels

    def kernel(
        self, s: Stm[Ann], k: Kernel[Ann], known: PointFacts, made: Made
    ) -> tuple[Stm[Ann], Sequence[Reordered]]:
        """Return a kernel that reads copies, and those of the copies that are new."""
        uses: dict[Name, Reordered] = {}
        refused: dict[tuple[str, str], list[Name]] = {}
        done: list[tuple[Stm[Ann], str]] = []
        least = Least(self.ctx.number("sector"), self.ctx.number("reuse"))
        for c in candidates(s, k, known, self.blocks, least):
            refusal = next(((n, why) for n, f in CONDITIONS if (why := f(c)) is not None), None)
            if refusal is not None:
                refused.setdefault(refusal, []).append(c.array)
                continue
            order = order_of(c)
            assert order is not None
            copy = made.get((c.array, order)) or self.reordered(c, order)
            uses[c.array] = copy
            done.append((copy.stms[-1], _how(c, copy)))
        for (condition, why), arrays in refused.items():
            self.ctx.remark(s, condition, f"{', '.join(arrays)}: {why}")
        if not uses:
            return s, ()
        if least.reuse and (lost := scalar_anyway(s, k, known, least.sector, uses)) is not None:
            self.ctx.remark(s, LANES, lost)
            return s, ()
        image = {x: Var(c.binder.name) for x, c in uses.items()}
        after = known.binding(c.binder for c in uses.values())
        one = Body((subst_stm(s, image),), ())
        try:
            (t,) = relocate(one, after, stay, self.fresh).stms
        except Homeless as why:
            self.ctx.remark(s, "every view keeps an index function", str(why))
            return s, ()
        for made_here, how in done:
            self.ctx.did(made_here, "neighbouring threads read neighbours", how)
        return t, [c for c in uses.values() if c.key not in made]

    def reordered(self, c: CoalesceCandidate, order: Order) -> Reordered:
        """Return a new copy of the candidate's array."""
        name = self.fresh(f"{c.array}_coalesced")
        block = self.fresh(f"{name}_mem")
        home = Home(block, layout(order, c.type.shape))
        size = product(c.type.shape) * c.type.elem.bytes
        at = c.stm.at
        mem: Binder[Ann] = Binder(block, MemType(), None, at)
        binder: Binder[Ann] = Binder(name, c.type, home, at)
        stms = (Stm((mem,), Alloc(size), at), Stm((binder,), Copy(c.array), at))
        return Reordered((c.array, order), binder, stms)


def candidates(
    s: Stm[Ann], k: Kernel[Ann], known: PointFacts, blocks: Blocks, least: Least
) -> Iterable[CoalesceCandidate]:
    """Return the arrays of which neighbouring threads may read elements that are far apart, and
    read each often.
    """
    found, distant = distant_arrays(s, k, known, least.sector)
    every = (CoalesceCandidate(x, t, s, k, known, found, blocks, least) for x, t in distant.items())
    return filter(reused, every)


def _how(c: CoalesceCandidate, copy: Reordered) -> str:
    """Return the text of a remark: the reader, the array, and the distance before the copy."""
    reader = " ".join(b.name for b in c.stm.pat)
    i = c.found.threads[-1].index
    distance = c.far[0].distance(i)
    now = copy.binder.home
    return (
        f"{reader} reads {c.array}, where threads {i} and {i} + 1 are {distance} apart; here {now}"
    )
