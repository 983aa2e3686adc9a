"""sequentialise: a kernel that still allocates becomes a loop on the host.

*Why.*  A device cannot allocate inside a kernel, and expand cannot move every allocation out of
one: a size may depend on values that the kernel computes.  The iterations of such a kernel are run
one after the other on the host, and each allocates there.  The kernels inside it become kernels of
their own.  The result is slow, but it always exists.

*Before -> after.*

    let (ys : [n][k]f32 @ m -> L) = kernel i < n do
      let (b : mem) = alloc 4*f(i)
      …
      in (y)
    ->
    let (ys0 : [n][k]f32 @ m -> L) = scratch [n][k]f32
    let (ys : [n][k]f32 @ m -> L) = loop (ys1 : *[n][k]f32 @ m -> L) = ys0 for i < n do
      let (b : mem) = alloc 4*f(i)
      …
      let (ys2 : [n][k]f32 @ m -> L) = ys1 with [i, 0 : k] = y
      in (ys2)

Reduce and scan carry their accumulators through the innermost loop, array accumulators in the
homes of the operator's parameters; hist updates its destination under a test of the bucket.
No home changes.

A kernel traps on a negative size, but a loop with a negative bound is merely empty.  So for each
size of the kernel that may be negative, a kernel without iterations that traps precedes the loop.
The scratch array traps on a negative row size, whereas the kernel's first iteration may trap with
another message before it makes its row.  So where a row size is negative, the first iteration runs
before the scratch array is made.

*Precondition*: FUNMEM; after expand, and last.  *Postcondition*: no device block is allocated in a
kernel.
"""

from collections.abc import Sequence
from functools import reduce

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import Diagnostic, TrapKind
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Body,
    Const,
    Copy,
    Entry,
    Exp,
    For,
    Hist,
    Home,
    If,
    Index,
    Kernel,
    KernelDim,
    Lambda,
    Loop,
    LoopParam,
    Map,
    MemProgram,
    Program,
    Reduce,
    ScalarExp,
    Scan,
    Scratch,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange, SliceDim
from funmem.ir.logic.blocks import allocation_in_kernel
from funmem.ir.logic.facts import PointFacts, of_entry
from funmem.ir.logic.saturated import HUGE, saturated
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp
from funmem.ir.sizes import ONE, ZERO, Size, var
from funmem.ir.substitute import rename
from funmem.ir.traverse import (
    atom_size,
    bound_names,
    map_body,
    map_sub_bodies,
    operators,
    program_fresh,
    walk,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, mem_pass
from funmem.passes.fun.fuse.traps import effects_of_all
from funmem.passes.mem.hoist import hoist, hoist_entry


def no_allocation_in_kernels(p: MemProgram) -> Diagnostic | None:
    """None if no device block is allocated in a kernel; otherwise the diagnostic for the first."""
    for e in p.entries:
        for s in walk(e.body):
            if (alloc := allocation_in_kernel(s)) is not None:
                return Diagnostic(
                    alloc.at, "alloc", f"{alloc.pat[0].name} is allocated in a kernel"
                )
    return None


@mem_pass(
    "sequentialise",
    summary="kernels that still allocate become loops on the host",
    post=(no_allocation_in_kernels,),
)
def sequentialise(p: MemProgram, ctx: Context) -> MemProgram:
    """Rewrite kernels from the outside inwards: a kernel inside one becomes a kernel of its own.

    Allocations that are the same in every iteration of a new loop are hoisted out of it.
    """
    fresh = program_fresh(p)

    quiet = hoist.context()

    def entry(e: Entry[Ann]) -> Entry[Ann]:
        body = _host_body(e.body, of_entry(e), fresh, ctx)
        return e if body == e.body else hoist_entry(evolve(e, body=body), quiet)

    return Program(tuple(map(entry, p.entries)), p.functions)


def _host_body(b: Body[Ann], known: PointFacts, fresh: Fresh, ctx: Context) -> Body[Ann]:
    stms: list[Stm[Ann]] = []
    for s in b.stms:
        for t in _host_statement(s, known, fresh, ctx):
            stms.append(t)
            known = known.after(t)
    return with_stms(b, stms)


def _host_statement(
    s: Stm[Ann], known: PointFacts, fresh: Fresh, ctx: Context
) -> tuple[Stm[Ann], ...]:
    if isinstance(s.exp, Kernel):
        alloc = allocation_in_kernel(s)
        if alloc is None:
            return (s,)
        reason = f"{alloc.pat[0].name} is allocated inside: its iterations run in order on the host"
        ctx.remark(s, "the kernel allocates nothing", reason)
        loops = _Loops(s, s.exp, fresh).statements(known)
        return _host_body(Body(loops, ()), known, fresh, ctx).stms
    starts = iter(known.inside(s.exp))
    exp = map_sub_bodies(s.exp, lambda b: _host_body(b, next(starts), fresh, ctx))
    return (with_exp(s, exp),)


# ---------------------------------------------------------------------- one kernel


_NONE = Const(0, I64)
_FAR = Const(HUGE, I64)


def _factors(size: Size) -> tuple[ScalarExp, ...]:
    """Return expressions of which one is zero if ``size`` is zero; if none is zero, ``size`` is
    not.

    The product of a term's factors may wrap around to zero in i64, so the factors are tested one by
    one.  A sum of terms may wrap around too, but only for a kernel too large to terminate.
    """
    if len(size.terms) == 1:
        return tuple(Var(x) for x in size.terms[0][0])
    return (size_exp(size),)


Holders = dict[int, Name]
"""The position of a result -> the array that holds the result so far."""


class _Loops:
    """The statements that replace a kernel statement."""

    def __init__(self, s: Stm[Ann], k: Kernel[Ann], fresh: Fresh) -> None:
        self.pat = s.pat
        self.kernel = k
        self.fresh = fresh
        self.at = s.at
        ops = operators(k)
        self.op: Lambda[Ann] = ops[0] if ops else Lambda((), Body((), ()))
        self.folded = len(self.op.params) // 2
        self.outer = tuple(var(d.index) for d in k.dims[:-1])
        self.index = tuple(var(d.index) for d in k.dims)
        first = 1 if isinstance(k.collective, Hist) else 0
        self.bucket = k.body.result[:first]
        self.values = k.body.result[first : first + self.folded]
        self.mapped = k.body.result[first + self.folded :]

    def statements(self, known: PointFacts) -> tuple[Stm[Ann], ...]:
        """Return the statements that compute the kernel's results, under their own names."""
        stms = [*self.guard(known), *self.first_iteration(known)]
        xs: Holders = {}
        for j, p in enumerate(self.pat):
            match self.kernel.collective:
                case Hist(dest) if j < self.folded:
                    xs[j] = dest[j]
                case Reduce() if j < self.folded and not self.outer:
                    pass
                case _:
                    assert isinstance(p.type, ArrayType)
                    xs[j] = self.let(stms, p, p.name, Scratch(p.type.shape, p.type.elem))
        nest, ys = self.level(0, xs)
        names = {ys[j]: p.name for j, p in enumerate(self.pat)}
        return map_body(Body((*stms, *nest), ()), rename(names)).stms

    def guard(self, known: PointFacts) -> list[Stm[Ann]]:
        """Return kernels without iterations that trap where this one would trap on a negative size.

        Each size has a kernel of its own, since another dimension might change whether it traps.
        They make no arrays: the kernel's other dimensions may be 0, and then a size may exceed any
        array's.
        """
        sizes = dict.fromkeys(d.size for d in self.kernel.dims)
        return [self.empty_kernel(d) for d in sizes if not known.nonneg(d)]

    def empty_kernel(self, d: Size) -> Stm[Ann]:
        """Return a kernel of ``d`` times 0 iterations."""
        dims = (KernelDim(self.fresh("i"), d), KernelDim(self.fresh("j"), ZERO))
        return Stm((), Kernel(dims, Map(), Body((), ())), self.at)

    def first_iteration(self, known: PointFacts) -> list[Stm[Ann]]:
        """Return statements that run the first iteration, if there is one, if a row size is
        negative: it traps.
        """
        dims = self.kernel.dims
        shapes = (p.type.shape[len(dims) :] for p in self.pat if isinstance(p.type, ArrayType))
        found = dict.fromkeys(d for shape in shapes for d in shape if not known.nonneg(d))
        inside = known.inside(self.kernel)[-1]
        if not found or effects_of_all(self.kernel.body.stms, inside) <= {TrapKind.NEGATIVE_SIZE}:
            return []
        stms: list[Stm[Ann]] = []

        def test(e: Exp[Ann]) -> Name:
            c: Binder[Ann] = Binder(self.fresh("c"), BOOL, None)
            stms.append(Stm((c,), e, self.at))
            return c.name

        def both(op: BinOp, tests: Sequence[Name]) -> Name:
            return reduce(lambda a, b: test(Bin(op, Var(a), Var(b))), tests)

        def negative(d: Size) -> Name:
            """Test a size; also true if i64 may overflow: a needless iteration only costs time."""
            before, value = saturated(d, self.fresh)
            stms.extend(before)
            return test(Bin(BinOp.LOR, Bin(BinOp.LT, value, _NONE), Bin(BinOp.GE, value, _FAR)))

        signs = both(BinOp.LOR, [negative(d) for d in found])
        sizes = [d.size for d in dims if not known.nonneg(d.size - 1)]
        some = [test(Bin(BinOp.NE, part, _NONE)) for d in sizes for part in _factors(d)]
        names = {
            x: self.fresh(x) for x in (*bound_names(self.kernel.body), *(d.index for d in dims))
        }
        start = [Stm((Binder[Ann](names[d.index], I64, None),), _NONE, self.at) for d in dims]
        again = map_body(self.kernel.body, rename(names))
        done = Binder[Ann](self.fresh("c"), BOOL, None)
        ways = [Body(x, (Const(k, BOOL),)) for x, k in (((*start, *again.stms), True), ((), False))]
        first = If(Var(both(BinOp.LAND, [signs, *some])), *ways)
        return [*stms, Stm((done,), first, self.at)]

    # ------------------------------------------------------------------ statements

    def let(self, stms: list[Stm[Ann]], like: Binder[Ann], base: str, e: Exp[Ann]) -> Name:
        """Bind an expression to a fresh name with the type and home of ``like``."""
        b = evolve(like, name=self.fresh(base))
        stms.append(Stm((b,), e, self.at))
        return b.name

    def write(
        self, stms: list[Stm[Ann]], x: Name, j: int, index: Sequence[Size], value: Atom
    ) -> Name:
        """Bind result ``j`` with its part at ``index`` replaced; return its new name."""
        t = self.pat[j].type
        assert isinstance(t, ArrayType)
        return self.let(stms, self.pat[j], x, Update(x, row(t, index), value))

    def bind_operand(self, stms: list[Stm[Ann]], p: Binder[Ann], value: Atom) -> None:
        """Bind an operator's parameter: call by copy."""
        exp = Copy(value.name) if p.home is not None and isinstance(value, Var) else value
        stms.append(Stm((p,), exp, self.at))

    def loop(
        self,
        d: KernelDim,
        carried: Sequence[tuple[Binder[Ann], Atom, bool]],
        stms: Sequence[Stm[Ann]],
        result: Sequence[Atom],
    ) -> tuple[Stm[Ann], tuple[Name, ...]]:
        """Return a loop that carries binders with their initial values, and the names of its
        results.
        """
        params = tuple(LoopParam(b, init, unique) for b, init, unique in carried)
        pat = tuple(evolve(b, name=self.fresh(b.name)) for b, _, _ in carried)
        body: Body[Ann] = Body(tuple(stms), tuple(result))
        exp = Loop(params, For(d.index, d.size), body)
        return Stm(pat, exp, self.at), tuple(b.name for b in pat)

    # ------------------------------------------------------------------ the nest

    def level(self, depth: int, xs: Holders) -> tuple[list[Stm[Ann]], Holders]:
        """Return the loops over the dimensions from ``depth`` on, and the arrays that then hold the
        results.
        """
        if depth == len(self.outer):
            return self.fold(xs)
        binders = self.holders(xs)
        stms, ys = self.level(depth + 1, {j: b.name for j, b in binders.items()})
        carried = [(b, Var(xs[j]), True) for j, b in binders.items()]
        s, names = self.loop(self.kernel.dims[depth], carried, stms, [Var(ys[j]) for j in xs])
        return [s], dict(zip(xs, names, strict=True))

    def holders(self, xs: Holders) -> dict[int, Binder[Ann]]:
        """Return binders under fresh names, for a loop that carries the arrays ``xs``."""
        return {j: evolve(self.pat[j], name=self.fresh(x)) for j, x in xs.items()}

    def fold(self, xs: Holders) -> tuple[list[Stm[Ann]], Holders]:
        """Return the innermost loop with the stores of a reduction's results, and the arrays that
        hold all results.
        """
        reduces = isinstance(self.kernel.collective, Reduce)
        through = {j: x for j, x in xs.items() if not (reduces and j < self.folded)}
        stms: list[Stm[Ann]] = []
        carried: list[tuple[Binder[Ann], Atom, bool]] = []
        holders = self.holders(through)
        carried += [(b, Var(xs[j]), True) for j, b in holders.items()]
        carried += [(a, init, False) for a, init in self.accumulators(stms)]
        body, result = self.iteration({j: b.name for j, b in holders.items()})
        s, names = self.loop(self.kernel.dims[-1], carried, body, result)
        stms.append(s)
        ys = dict(xs) | dict(zip(through, names, strict=False))
        if reduces:
            for j, acc in enumerate(names[len(through) :]):
                ys[j] = self.reduced(stms, xs, j, acc)
        return stms, ys

    def accumulators(self, stms: list[Stm[Ann]]) -> list[tuple[Binder[Ann], Atom]]:
        """Return the accumulators that the innermost loop carries, with their initial values."""
        match self.kernel.collective:
            case Reduce(op, ne) | Scan(op, ne):
                pairs: list[tuple[Binder[Ann], Atom]] = []
                for a, x in zip(op.params, ne, strict=False):
                    if a.home is not None and isinstance(x, Var):
                        x = Var(self.let(stms, a, x.name, Copy(x.name)))
                    pairs.append((a, x))
                return pairs
            case Map() | Hist():
                return []

    def reduced(self, stms: list[Stm[Ann]], xs: Holders, j: int, acc: Name) -> Name:
        """Store a reduction's final value in its place; return the name of the result."""
        if self.outer:
            return self.write(stms, xs[j], j, self.outer, Var(acc))
        if self.pat[j].home is None:
            return acc
        return self.let(stms, self.pat[j], acc, Copy(acc))

    # ------------------------------------------------------------------ one iteration

    def iteration(self, xs: Holders) -> tuple[list[Stm[Ann]], list[Atom]]:
        """Return the kernel's body followed by the collective's step, and the next values of what
        is carried.
        """
        stms = list(self.kernel.body.stms)
        ys = dict(xs)
        for j, value in enumerate(self.mapped, self.folded):
            ys[j] = self.write(stms, xs[j], j, self.index, value)
        accs: list[Atom] = []
        match self.kernel.collective:
            case Map():
                pass
            case Hist():
                self.bucket_step(stms, ys)
            case Reduce() | Scan() as c:
                accs = self.step(stms)
                if isinstance(c, Scan):
                    for j, acc in enumerate(accs):
                        ys[j] = self.write(stms, xs[j], j, self.index, acc)
        return stms, [*(Var(y) for y in ys.values()), *accs]

    def operate(self, stms: list[Stm[Ann]]) -> tuple[Atom, ...]:
        """Inline the operator, whose left operands are bound already; return its results."""
        for b, value in zip(self.op.params[self.folded :], self.values, strict=True):
            self.bind_operand(stms, b, value)
        stms += self.op.body.stms
        return self.op.body.result

    def step(self, stms: list[Stm[Ann]]) -> list[Atom]:
        """Inline the operator, and copy its results to the homes of its left operands.
        ``allocate`` ensures that no copy overwrites what a later one reads.
        """
        accs: list[Atom] = []
        for a, value in zip(self.op.params, self.operate(stms), strict=False):
            if a.home is not None and isinstance(value, Var):
                value = Var(self.let(stms, a, value.name, Copy(value.name)))
            accs.append(value)
        return accs

    def bucket_step(self, stms: list[Stm[Ann]], ys: Holders) -> None:
        """Combine the bucket's value with this iteration's, if the bucket exists.

        The results are written to the bucket directly.  They may share the operands' homes, but the
        operands are copies.  So no result lies in a destination, and no write overwrites another
        result.
        """
        t = self.pat[0].type
        assert isinstance(t, ArrayType)
        (bucket,) = self.bucket
        at = (*self.outer, atom_size(bucket))
        inside = Binder[Ann](self.fresh("inside"), BOOL, None)
        stms.append(Stm((inside,), _in_range(bucket, t.shape[len(self.outer)]), self.at))
        then: list[Stm[Ann]] = []
        for j, a in enumerate(self.op.params[: self.folded]):
            then.append(Stm((a,), self.read(then, ys[j], j, at), self.at))
        values = self.operate(then)
        dests = [self.write(then, ys[j], j, at, v) for j, v in enumerate(values)]
        pat = tuple(evolve(self.pat[j], name=self.fresh(ys[j])) for j in range(self.folded))
        old = tuple(Var(ys[j]) for j in range(self.folded))
        new = tuple(map(Var, dests))
        exp = If(Var(inside.name), Body(tuple(then), new), Body((), old))
        stms.append(Stm(pat, exp, self.at))
        ys |= {j: b.name for j, b in enumerate(pat)}

    def read(self, stms: list[Stm[Ann]], x: Name, j: int, at: Sequence[Size]) -> Exp[Ann]:
        """Return the bucket's value: an element, or a copy of a row."""
        p = self.pat[j]
        assert isinstance(p.type, ArrayType)
        assert p.home is not None
        dims = row(p.type, at)
        if p.type.rank == len(at):
            return Index(x, tuple(at))
        shape = p.type.shape[len(at) :]
        home = Home(p.home.block, p.home.ix.slice_f(dims))
        y: Binder[Ann] = Binder(self.fresh(x), ArrayType(p.type.elem, shape), home)
        stms.append(Stm((y,), Slice(x, dims), self.at))
        return Copy(y.name)


def row(t: ArrayType, index: Sequence[Size]) -> tuple[SliceDim, ...]:
    """Return ``[index, …, 0 : d, …]``, the part of an array of type ``t`` at an index."""
    rest = (DimRange(ZERO, d, ONE) for d in t.shape[len(index) :])
    return (*(DimFix(i) for i in index), *rest)


def _in_range(bucket: Atom, width: Size) -> Bin:
    """Return ``0 <= bucket && bucket < width``."""
    low = Bin(BinOp.LE, Const(0, I64), bucket)
    return Bin(BinOp.LAND, low, Bin(BinOp.LT, bucket, size_exp(width)))
