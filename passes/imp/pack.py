"""pack: columns that many iterations read at a stride are copied to contiguous panels first.

*Why.*  In a product of matrices, a group of 64 columns reads 64 elements of every row of the second
matrix, and all rows of the result read them again.  Rows are far apart: each read touches a
different page, and if the length of a row is a power of two, the lines of one column compete for a
few sets of the cache.  A copy in the order in which the lanes read stays in the second-level cache.

*Before -> after.*

    kernel b < rows, g < q do            var source : mem;  source <- bs;
      …                                  var start : i64;   start <- 0;
      for k < m do                       var down : i64;    down <- p;
        kernel l < 64 do                 var along : i64;   along <- 64;
          …                              var packed : bool;
          x <- bs[k*p + 64*g + l]        packed <- rows >= 8 && 4*p*m >= 2^19 && …;
          …                              if packed then
        done                               var panels : mem;  panels <- alloc 4*q*m*64;
      done                        ->       kernel g < q, k < m do
      …                                      kernel l < 64 do
    done                                       panels[64*g*m + 64*k + l] <- bs[k*p + 64*g + l];
                                             done
                                           done
                                           source <- panels;  start <- 0;
                                           down <- 64;        along <- 64*m;
                                         fi
                                         kernel g < q, b < rows do
                                           … x <- source[start + k*down + g*along + l] …
                                         done

This is packing, as in libraries for linear algebra (Goto and van de Geijn 2008, "Anatomy of
high-performance matrix multiplication"), of one operand; the second matrix may be any array, and
the operators are not looked at.  The dimensions of the kernel that the index depends on become the
outer ones, so that a panel is used for all rows before the next one.

*Correct* because the copied elements are exactly those that the kernel reads: by condition 3 every
iteration of the loops reads, and the test before the copy ensures that each loop has an iteration.
The kernel does not write them, because at least two of its iterations read each, and iterations
are independent.  Reordering dimensions is allowed for the same reason.

*Conditions.*

    (1) ends_nowhere    the kernel has no checks, while-loops and calls that may trap: they could
                        precede a read, and another order could make another check fail first
    (2) has_dimension   the index depends on some dimensions of the kernel, not on all of them; the
                        others are not known to have fewer than ``reuse`` iterations
    (3) always_reads    the read is in a kernel over lanes in one loop, under no condition; the
                        number of lanes is a constant, and the trip count of the loop the same in
                        all iterations
    (4) affine          the index is an invariant term, plus the index of each loop and dimension
                        times an invariant stride; lanes read neighbouring elements
    (5) strided         the stride of the loop is not the number of lanes, or 0

and, tested when the program runs: each element is read by at least ``reuse`` iterations; a panel's
elements are spread over at least ``least`` bytes (what is closer together stays in a cache as it
is); the panels of an array take at most ``most`` bytes.  Otherwise the kernel reads the array
itself, with the strides that it had.

*Precondition*: IMP, best after ``unroll-and-jam``.  *Postcondition*: same statements on each
element, in the same order; at most one more block per array that is read, of bounded size.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from math import prod

from funmem.ir.arith import size_exp
from funmem.ir.fun import Bin, Const, ScalarExp, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpEntry,
    ImpProgram,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
)
from funmem.ir.imp_traverse import bound_names, map_children, may_end, nested, own_assigns
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.passes.context import usage_error
from funmem.passes.framework import Context, Option, imp_pass
from funmem.passes.imp.host_kernels import Names, Replace, map_host

PANELS = 2
"""The number of arrays that are packed for a kernel; each costs a kernel that copies."""


@imp_pass(
    "pack",
    summary="copy what many iterations read at a stride to contiguous panels",
    options=(
        Option("reuse", 8, help="iterations of other dimensions that read an element, at least"),
        Option("least", 1 << 19, help="bytes over which a panel's elements are spread, at least"),
        Option("most", 1 << 28, help="bytes of the panels of an array, at most"),
    ),
)
def pack(p: ImpProgram, ctx: Context) -> ImpProgram:
    """Pack for every kernel of the host that meets the conditions.

    Raises UsageError for an option out of range.
    """
    limits = Limits(ctx.number("reuse"), ctx.number("least"), ctx.number("most"))
    if limits.reuse < 2:
        raise usage_error("pack{reuse=…} is a number of iterations, at least 2")
    if min(limits.least, limits.most) < 0:
        raise usage_error("pack{least=…,most=…} are numbers of bytes")
    return evolve(p, entries=tuple(_entry(e, p, limits, ctx) for e in p.entries))


def _entry(e: ImpEntry, p: ImpProgram, limits: "Limits", ctx: Context) -> ImpEntry:
    known = assigned_once(e.body)

    def of(names: Names) -> Replace:
        return partial(_kernel, limits=limits, known=known, names=names, ctx=ctx)

    return map_host(evolve(p, entries=(e,)), of).entries[0]


@frozen
class Limits:
    """When packing pays: the options of the pass."""

    reuse: int
    least: int
    most: int


@frozen
class Candidate:
    """A read in a kernel: ``for loop do kernel lanes do … x <- block[index] …``."""

    kernel: KernelStm
    read: Read
    loop: ForStm | None
    """The loop around the lanes; None if there is none, or more than one."""
    lanes: KernelStm
    reuse: int
    """The least number of iterations that must read an element."""
    known: Mapping[Name, ScalarExp]
    """The values of variables of the host that are assigned once."""

    @property
    def dims(self) -> tuple[ImpDim, ...]:
        """The dimensions of the kernel on which the index depends."""
        return tuple(d for d in self.kernel.dims if d.index in self.read.index.free())

    @property
    def others(self) -> tuple[ImpDim, ...]:
        """The other dimensions: their iterations read the same elements."""
        return tuple(d for d in self.kernel.dims if d.index not in self.read.index.free())

    def step(self, i: Name) -> Size:
        """Return the stride of the index of the read in a variable."""
        return self.read.index.subst({i: var(i) + 1}) - self.read.index


def assigned_once(body: Block) -> dict[Name, ScalarExp]:
    """Return the values of the variables that only one statement assigns."""
    times = Counter(x for t in nested(body) for x in own_assigns(t))
    return {t.x: t.value for t in nested(body) if isinstance(t, Assign) and times[t.x] == 1}


def _kernel(
    s: KernelStm, limits: Limits, known: Mapping[Name, ScalarExp], names: Names, ctx: Context
) -> Block:
    """Pack the arrays that the lanes of a kernel read, those in the first ``PANELS`` reads that
    meet the conditions.
    """
    done: dict[tuple[Name, Size], Panels] = {}
    for c in candidates(s, limits.reuse, known):
        key = (c.read.block, c.read.index)
        why = next((w for x in CONDITIONS if (w := x(c)) is not None), None)
        if why is not None:
            ctx.remark(f"kernel over {s.dims[-1].index}", *why)
        elif key not in done and len(done) < PANELS:
            done[key] = Panels.of(c, names)
    if not done:
        return (s,)
    head = [t for x in done.values() for t in x.prepared(limits, names)]
    first = next(iter(done.values())).candidate
    body = _reading(s.body, {key: x.packed for key, x in done.items()})
    return (*head, evolve(s, dims=(*first.dims, *first.others), body=body))


def candidates(s: KernelStm, reuse: int, known: Mapping[Name, ScalarExp]) -> Iterator[Candidate]:
    """Yield the reads of outer blocks in kernels over lanes inside loops, unless under a
    condition.
    """
    own = frozenset(bound_names(s.body))
    for loops, lanes in _lanes(s.body, ()):
        for t in lanes.body:
            if loops and isinstance(t, Read) and t.block not in own:
                loop = loops[0] if len(loops) == 1 else None
                yield Candidate(s, t, loop, lanes, reuse, known)


def _lanes(
    body: Block, loops: tuple[ForStm, ...]
) -> Iterator[tuple[tuple[ForStm, ...], KernelStm]]:
    for t in body:
        if isinstance(t, ForStm):
            yield from _lanes(t.body, (*loops, t))
        elif isinstance(t, KernelStm):
            yield loops, t


def _reading(body: Block, packed: Mapping[tuple[Name, Size], tuple[Name, Size]]) -> Block:
    """Return the statements, where ``packed`` says which block and index is read instead."""

    def reading(s: ImpStm) -> ImpStm:
        if isinstance(s, Read) and (s.block, s.index) in packed:
            block, index = packed[s.block, s.index]
            return evolve(s, block=block, index=index)
        return map_children(s, lambda b: _reading(b, packed))

    return tuple(map(reading, body))


# ---------------------------------------------------------------------- conditions

Refusal = tuple[str, str]
"""The name of the condition, and the reason why it does not hold."""


def ends_nowhere(c: Candidate) -> Refusal | None:
    """(1) Every iteration of the kernel runs to its end."""
    for t in nested(c.kernel.body):
        if may_end(t):
            return "ends_nowhere", "its body has a check, or a call that may trap"
        if isinstance(t, WhileStm):
            return "ends_nowhere", "its body has a while-loop"
    return None


def has_dimension(c: Candidate) -> Refusal | None:
    """(2) The kernel has dimensions that select a panel, and others that use it again."""
    if not c.dims:
        return "has_dimension", f"index [{c.read.index}] depends on no dimension"
    if not c.others:
        return "has_dimension", f"index [{c.read.index}] depends on all dimensions"
    uses = [at_most(d.bound, c.known) for d in c.others]
    if None not in uses and prod(n or 0 for n in uses) < c.reuse:
        return "has_dimension", f"fewer than {c.reuse} iterations read an element"
    return None


def at_most(n: Size, known: Mapping[Name, ScalarExp]) -> int | None:
    """Return a bound of a number of iterations: itself, or the largest remainder of a division by a
    constant, if it is ``x - k*(x // k)``; else None.
    """
    if n.as_const is not None:
        return n.as_const
    for monomial, k in n.terms:
        if len(monomial) == 1 and k < -1:
            whole = var(monomial[0]) * -k
            if known.get(monomial[0]) == Bin(BinOp.QUOT, size_exp(n + whole), Const(-k, I64)):
                return -k - 1
    return None


def always_reads(c: Candidate) -> Refusal | None:
    """(3) The iterations of the loops around the read are the same for all of the kernel."""
    if c.loop is None:
        return "always_reads", f"{c.read.block} is read in nested loops"
    inside = {*bound_names(c.kernel.body), *(d.index for d in c.kernel.dims)}
    if len(c.lanes.dims) != 1 or c.lanes.dims[0].bound.as_const is None:
        return "always_reads", "the number of lanes is not a constant"
    if not c.loop.bound.free().isdisjoint(inside):
        return "always_reads", "the number of reads is not the same in all iterations"
    return None


def affine(c: Candidate) -> Refusal | None:
    """(4) The index is a sum of invariant strides times indices; its stride in the lanes is 1."""
    assert c.loop is not None
    lane = c.lanes.dims[0].index
    indices = (*(d.index for d in c.dims), c.loop.index, lane)
    inside = {*bound_names(c.kernel.body), *(d.index for d in c.kernel.dims)}
    first = c.read.index.subst(dict.fromkeys(indices, ZERO))
    parts = (first, *map(c.step, indices))
    if any(not x.free().isdisjoint(inside) for x in parts):
        return "affine", f"index [{c.read.index}] is not affine"
    if c.step(lane) != ONE:
        return "affine", f"index [{c.read.index}] has stride {c.step(lane)} in the lanes"
    return None


def strided(c: Candidate) -> Refusal | None:
    """(5) The elements that the loop reads are neither contiguous nor the same ones again."""
    assert c.loop is not None
    down = c.step(c.loop.index)
    if down in (ZERO, c.lanes.dims[0].bound):
        return "strided", f"index [{c.read.index}] has stride {down} in the loop"
    return None


CONDITIONS: tuple[Callable[[Candidate], Refusal | None], ...] = (
    ends_nowhere,
    has_dimension,
    always_reads,
    affine,
    strided,
)


# ---------------------------------------------------------------------- the panels


@frozen
class Panels:
    """The panels of a candidate, and the variables that say where the kernel reads."""

    candidate: Candidate
    loop: ForStm
    source: Name
    """The block that the kernel reads."""
    start: Name
    """The place of its first element."""
    strides: tuple[Name, ...]
    """The stride of each dimension, and of the loop."""

    @staticmethod
    def of(c: Candidate, names: Names) -> "Panels":
        """Return panels with fresh variables.  ``c`` meets the conditions."""
        assert c.loop is not None
        source, start = names.fresh("source"), names.fresh("start")
        strides = (*(names.fresh("along") for _ in c.dims), names.fresh("down"))
        names.types.update(dict.fromkeys((start, *strides), I64))
        names.types[source] = names.types[c.read.block]
        return Panels(c, c.loop, source, start, strides)

    @property
    def packed(self) -> tuple[Name, Size]:
        """The block and the index of the new read."""
        c = self.candidate
        indices = (*(d.index for d in c.dims), self.loop.index)
        each = (var(i) * var(x) for i, x in zip(indices, self.strides, strict=True))
        return self.source, sum(each, var(self.start) + var(c.lanes.dims[0].index))

    def prepared(self, limits: Limits, names: Names) -> Block:
        """Return the statements before the kernel: the strides, the test, and the copy."""
        c, at = self.candidate, self.candidate.kernel.at
        kind = names.types[c.read.block]
        ok = names.fresh("packed")
        names.types[ok] = BOOL
        indices = (*(d.index for d in c.dims), self.loop.index)
        lane = c.lanes.dims[0].index
        first = c.read.index.subst(dict.fromkeys((*indices, lane), ZERO))
        places = (first, *map(c.step, indices))
        variables = (self.start, *self.strides)
        return (
            Declare(self.source, kind, at),
            Assign(self.source, Var(c.read.block), at),
            *(Declare(x, I64, at) for x in variables),
            *(Assign(x, size_exp(e), at) for x, e in zip(variables, places, strict=True)),
            Declare(ok, BOOL, at),
            Assign(ok, self._pays(limits), at),
            IfStm(Var(ok), self._copied(names), (), at),
        )

    def _pays(self, limits: Limits) -> ScalarExp:
        """Return the test: enough reads of each element, that lie far enough apart, and panels of
        bounded size.  Divisions bound the size, because products may overflow.
        """
        c = self.candidate
        bytes_ = c.lanes.dims[0].bound * c.read.elem.bytes
        counts = (self.loop.bound, *(d.bound for d in c.dims))
        most: ScalarExp = Const(limits.most // (bytes_.as_const or 1), I64)
        for n in counts:
            most = Bin(BinOp.QUOT, most, Bin(BinOp.MAX, size_exp(n), Const(1, I64)))
        span = c.step(self.loop.index) * self.loop.bound * c.read.elem.bytes
        tests = (
            *(_least(n, 1) for n in counts if n.as_const is None),
            Bin(BinOp.LE, Const(1, I64), most),
            Bin(
                BinOp.LE, Const(limits.least, I64), Bin(BinOp.MAX, size_exp(span), size_exp(-span))
            ),
            Bin(BinOp.LE, Const(limits.reuse, I64), self._uses(limits)),
        )
        return reduce(partial(Bin, BinOp.LAND), tests)

    def _uses(self, limits: Limits) -> ScalarExp:
        """Return the number of iterations that read an element, or a smaller number that is not
        below ``reuse``.
        """
        enough = Const(limits.reuse, I64)
        some = (
            Bin(BinOp.MAX, Const(0, I64), Bin(BinOp.MIN, size_exp(d.bound), enough))
            for d in self.candidate.others
        )
        return reduce(partial(Bin, BinOp.MUL), some)

    def _copied(self, names: Names) -> Block:
        """Return the statements that allocate the panels, copy, and redirect the kernel's reads."""
        c, at = self.candidate, self.candidate.kernel.at
        panels, lane = names.fresh("panels"), names.fresh("lane")
        kind = names.types[panels] = names.types[c.read.block]
        old = (*c.dims, ImpDim(self.loop.index, self.loop.bound))
        dims = tuple(ImpDim(names.another(d.index), d.bound) for d in old)
        width = c.lanes.dims[0].bound
        strides = tuple(
            prod((d.bound for d in dims[k + 1 :]), start=width) for k in range(len(dims))
        )
        place = sum((var(d.index) * s for d, s in zip(dims, strides, strict=True)), var(lane))
        image = {o.index: var(d.index) for o, d in zip(old, dims, strict=True)}
        index = c.read.index.subst({**image, c.lanes.dims[0].index: var(lane)})
        copy = CopyElement(panels, place, c.read.block, index, c.read.elem, at)
        variables = (self.start, *self.strides)
        return (
            Declare(panels, kind, at),
            Allocate(panels, strides[0] * dims[0].bound * c.read.elem.bytes, at=at),
            KernelStm(dims, (KernelStm((ImpDim(lane, width),), (copy,), at),), at),
            Assign(self.source, Var(panels), at),
            *(Assign(x, size_exp(e), at) for x, e in zip(variables, (ZERO, *strides), strict=True)),
        )


def _least(n: Size, least: int) -> ScalarExp:
    return Bin(BinOp.LE, Const(least, I64), size_exp(n))
