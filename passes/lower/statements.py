"""FunMemToImp (paper 002, section 5): translate a FUNMEM statement to a
sequence of IMP statements.
"""

from collections.abc import Sequence
from typing import assert_never

from funmem.ir.arith import nth, size_exp
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Concat,
    Const,
    Convert,
    Copy,
    FlatSlice,
    For,
    If,
    Index,
    Iota,
    Kernel,
    Loop,
    Opaque,
    Permute,
    RaggedKernel,
    Replicate,
    Reshape,
    Reverse,
    Scatter,
    Scratch,
    Slice,
    Stm,
    Un,
    Update,
    Var,
    While,
)
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpDim,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.traverse import operators
from funmem.passes.lower import traps
from funmem.passes.lower.collectives import in_bucket, kernel, mapped_results
from funmem.passes.lower.context import Context, Place
from funmem.passes.lower.copies import (
    assign,
    assign_at_once,
    declare,
    move,
    over,
    store,
)
from funmem.passes.lower.early_scatter import element, with_early_scatters


def statements(ctx: Context, body: Body[Ann]) -> Block:
    """Translate the statements of a body in order; the caller handles the body's results."""
    done: list[ImpStm] = []
    ctx, stms = with_early_scatters(ctx, body)
    for s in stms:
        made = statement(ctx, s)
        if ctx.observer is not None:
            ctx.observer(s, made)
        done += made
        ctx = ctx.after(s.pat).having(made)
        if isinstance(s.exp, Convert):
            ctx = ctx.converted(s.pat[0].name, s.exp)
        if isinstance(s.exp, Bin):
            ctx = ctx.divided(s.pat[0].name, s.exp)
        if isinstance(s.exp, Assert):
            ctx = ctx.asserting(s.exp.cond)
        if isinstance(s.exp, Loop):
            ctx = ctx.looped(s.pat, s.exp)
    return tuple(done)


def statement(ctx: Context, s: Stm[Ann]) -> Block:
    """Translate one statement."""
    at = s.at
    match s.exp:
        # Scalars, blocks
        case Const() | Var() | Bin() | Un() | Convert() as se:
            return (
                *traps.operator_checks(ctx, se, at),
                *declare(s.pat, at),
                *(Assign(x.name, se, at) for x in s.pat),
            )
        case Call(fn, args, partial, linkage):
            results = tuple(x.name for x in s.pat)
            return (*declare(s.pat, at), CallStm(results, fn, args, partial, linkage, at))
        case Index(y, index):
            place = ctx.place(y)
            return (
                *traps.index_checks(ctx, index, ctx.shape(y), at),
                *declare(s.pat, at),
                *(Read(x.name, place.block, place.ix.apply(index), place.elem, at) for x in s.pat),
            )
        case Alloc(size, space):
            return (
                *declare(s.pat, at),
                *(Allocate(x.name, size, space, at) for x in s.pat),
            )
        case Assert():
            return traps.assertion(ctx, s.exp, at)

        # Derived arrays: no code but checks
        case Permute() | Reverse():
            return ()
        case Slice(y, dims):
            return traps.slice_checks(ctx, dims, ctx.shape(y), at)
        case FlatSlice(y, offset, flat):
            return traps.flat_checks(ctx, offset, flat, ctx.shape(y), at)
        case Reshape(shape, y):
            return traps.reshape_checks(ctx, ctx.shape(y), shape, at)

        # Fresh arrays
        case Scratch(shape):
            return traps.size_checks(ctx, shape, at)
        case Iota(n, start, stride):
            return (*traps.size_checks(ctx, (n,), at), *iota(ctx, s, start, stride))
        case Replicate(shape) if ZERO in shape or s.pat[0].name in ctx.left_out:
            return traps.size_checks(ctx, shape, at)
        case Replicate(shape, value):
            return (*traps.size_checks(ctx, shape, at), *replicate(ctx, s, len(shape), value))
        case ArrayLit((), _, row_shape):
            return traps.size_checks(ctx, row_shape, at)
        case ArrayLit(elems):
            z = result(ctx, s)
            rows = (z.prefix((const(k),)) for k in range(len(elems)))
            return tuple(
                t for row, a in zip(rows, elems, strict=True) for t in store(ctx, row, a, at)
            )
        case Copy(y):
            return move(ctx, result(ctx, s), ctx.place(y), at)
        case Concat(dim, xs):
            return concat(ctx, s, dim, xs)
        case Update(x, (DimFix() as where,), value) if s.pat[0].name in ctx.early:
            return (
                *traps.update_checks(ctx, (where,), ctx.shape(x), at),
                *element(ctx, x, where, value, ctx.early[s.pat[0].name], at),
            )
        case Update(x, where, value):
            part = evolve(ctx.place(x), ix=ctx.place(x).ix.part(where))
            return (
                *traps.update_checks(ctx, where, ctx.shape(x), at),
                *store(ctx, part, value, at),
            )
        case Scatter() if s.pat[0].name in ctx.left_out:
            return ()
        case Scatter(x, indices, values):
            return scatter(ctx, x, indices, values, at)

        # Control and parallelism
        case Opaque():
            return opaque(ctx, s, s.exp)
        case If():
            return conditional(ctx, s.pat, s.exp, at)
        case Loop():
            return loop(ctx, s.pat, s.exp, at)
        case Kernel(kdims, _, body) as k:
            ops = operators(k)
            row_sizes = (d for z in mapped_results(s, k) for d in ctx.shape(z.name)[len(kdims) :])
            return (
                *traps.size_checks(ctx, (d.size for d in kdims), at),
                *kernel(
                    ctx,
                    s,
                    k,
                    statements(ctx.inside(kdims), body),
                    statements(ctx.inside(kdims[:-1]), ops[0].body) if ops else (),
                ),
                *traps.size_checks(ctx, row_sizes, at),  # an empty kernel has checked no row
            )
        case RaggedKernel():
            raise unscheduled()


def result(ctx: Context, s: Stm[Ann]) -> Place:
    """Return the place of the only array that a statement binds."""
    (z,) = s.pat
    return ctx.place(z.name)


# ---------------------------------------------------------------------- fresh arrays


def iota(ctx: Context, s: Stm[Ann], start: Atom, stride: Atom) -> Block:
    """Return ``z[i] <- start + i * stride``, in the type of the elements."""
    z = result(ctx, s)

    def element(index: tuple[Size, ...]) -> ImpStm:
        value = nth(size_exp(index[0]), start, stride, z.elem)
        return Write(z.block, z.ix.apply(index), value, z.elem, s.at)

    return over(ctx, z.ix.shape, element, s.at)


def replicate(ctx: Context, s: Stm[Ann], outer: int, value: Atom) -> Block:
    """Return ``z[i, …] <- value`` or, for an array, ``z[i, …, j, …] <- value[j, …]``."""
    z, src = result(ctx, s), ctx.place_of(value)

    def element(index: tuple[Size, ...]) -> ImpStm:
        dst = z.ix.apply(index)
        if src is None:
            return Write(z.block, dst, value, z.elem, s.at)
        return CopyElement(z.block, dst, src.block, src.ix.apply(index[outer:]), z.elem, s.at)

    return over(ctx, z.ix.shape, element, s.at)


def concat(ctx: Context, s: Stm[Ann], dim: int, xs: Sequence[Name]) -> Block:
    """Copy each array to its part of the result."""
    z = result(ctx, s)
    done: list[ImpStm] = []
    offset = ZERO
    for x in xs:
        shape = ctx.shape(x)
        starts = [offset if k == dim else ZERO for k in range(len(shape))]
        part = [DimRange(o, n, ONE) for o, n in zip(starts, shape, strict=True)]
        done += move(ctx, evolve(z, ix=z.ix.slice_f(part)), ctx.place(x), s.at)
        offset = offset + shape[dim]
    return tuple(done)


def scatter(ctx: Context, x: Name, indices: Name, values: Name, at: Span) -> Block:
    """Return ``kernel k < n do  i <- is[k];  if i in bounds then x[i] <- vs[k] fi  done``."""
    k, i = ctx.fresh("k"), ctx.fresh("i")
    source, rows = ctx.place(indices), ctx.place(values)
    row = move(ctx, ctx.place(x).prefix((var(i),)), rows.prefix((var(k),)), at)
    body = (
        Declare(i, I64, at),
        Read(i, source.block, source.ix.apply((var(k),)), I64, at),
        *in_bucket(ctx, Var(i), ctx.shape(x)[0], row, at),
    )
    return (KernelStm((ImpDim(k, ctx.shape(indices)[0]),), body, at),)


# ---------------------------------------------------------------------- control


def conditional(ctx: Context, pat: tuple[Binder[Ann], ...], e: If[Ann], at: Span) -> Block:
    """Translate a conditional: both branches assign the variables of the results.

    Arrays have no variables; their homes are the same in both branches.
    """

    def branch(b: Body[Ann], truth: bool) -> Block:
        inside = statements(ctx.given(e.cond, truth), b)
        return inside + assign(zip(pat, b.result, strict=True), at)

    return (*declare(pat, at), IfStm(e.cond, branch(e.then, True), branch(e.orelse, False), at))


def loop(ctx: Context, pat: tuple[Binder[Ann], ...], e: Loop[Ann], at: Span) -> Block:
    """Translate a loop: the body assigns the parameters in parallel, and after the loop the results
    are assigned from them.
    """
    params = tuple(p.binder for p in e.params)
    first = assign(((p.binder, p.init) for p in e.params), at)
    new = zip(params, e.body.result, strict=True)
    match e.form:
        case For(i, bound):
            inner = statements(ctx.iterating(e), e.body)
            step: ImpStm = ForStm(i, bound, inner + assign_at_once(ctx, new, at), at)
        case While(c):
            inner = statements(ctx.iterating(e), e.body)
            step = WhileStm(c, inner + assign_at_once(ctx, new, at), at)
        case _:
            assert_never(e.form)
    last = assign(((z, Var(p.name)) for z, p in zip(pat, params, strict=True)), at)
    return (*declare(params, at), *first, step, *declare(pat, at), *last)


# ---------------------------------------------------------------------- foreign code


def opaque(ctx: Context, s: Stm[Ann], e: Opaque) -> Block:
    """Translate foreign code on arrays, which lie row-major at the beginning of their blocks."""
    types = [p.type for p in s.pat if isinstance(p.type, ArrayType)]
    after = ctx.after(s.pat)
    return (
        *traps.size_checks(ctx, (d for t in types for d in t.shape), s.at),
        OpaqueStm(
            tuple(whole(after, p.name) for p in s.pat),
            e.fn,
            tuple(
                whole(ctx, a.name) if isinstance(a, Var) and ctx.place_of(a) is not None else a
                for a in e.args
            ),
            e.grid,
            s.at,
        ),
    )


def whole(ctx: Context, x: Name) -> ArrayPort:
    """Return the block, element type and shape of an array."""
    place = ctx.place(x)
    return ArrayPort(place.block, place.elem, ctx.shape(x))
