"""Translation of kernels, with and without a collective; bodies and operators are lowered already.

    map      kernel i, …, j do  body; result[i, …, j] <- r  done
    reduce   kernel i, … do  acc <- ne;  for j do  body; val <- r; op; acc <- r'  done;
                             result[i, …] <- acc  done
    scan     the same, with  result[i, …, j] <- acc  at the end of each iteration of j
    hist     kernel i, … do  for j do  body;
                 if bucket inside then  acc <- dest[i, …, bucket]; val <- r; op;
                                        dest[i, …, bucket] <- r'  fi  done  done

``acc`` and ``val`` are the operator's parameters: variables for scalars, and arrays with their own
homes otherwise (call by copy).  Without outer dimensions there is no ``kernel`` around the ``for``.
"""

from collections.abc import Iterable, Sequence
from typing import assert_never

from funmem.ir.arith import size_exp
from funmem.ir.diagnostics import Span
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Const,
    Hist,
    Kernel,
    KernelDim,
    Lambda,
    Map,
    Reduce,
    Scan,
    Stm,
    Var,
)
from funmem.ir.imp import Assign, Block, Declare, ForStm, IfStm, ImpDim, ImpStm, KernelStm, Read
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import Size, var
from funmem.ir.traverse import atom_size
from funmem.passes.lower.context import Context, Place
from funmem.passes.lower.copies import assign_at_once, declare, move, store


def kernel(ctx: Context, s: Stm[Ann], k: Kernel[Ann], body: Block, op_body: Block) -> Block:
    """Translate ``let p … = k``; ``body`` and ``op_body`` are its lowered body and operator."""
    *outer, inner = k.dims
    around = tuple(var(d.index) for d in outer)
    everywhere = (*around, var(inner.index))
    at = s.at
    match k.collective:
        case Map():
            return nest(k.dims, body + give(ctx, s.pat, everywhere, k.body.result, at), at)
        case Reduce(op, ne):
            n = len(ne)
            step = fold(ctx, op, op_body, k.body.result[:n], at)
            mapped = give(ctx, s.pat[n:], everywhere, k.body.result[n:], at)
            row = (
                *start(ctx, accumulators(op), ne, at),
                loop(inner, body + mapped + step, at),
                *give(ctx, s.pat[:n], around, names(accumulators(op)), at),
            )
            return declare(s.pat[:n], at) + nest(outer, row, at)
        case Scan(op, ne):
            n = len(ne)
            step = fold(ctx, op, op_body, k.body.result[:n], at)
            so_far = give(ctx, s.pat[:n], everywhere, names(accumulators(op)), at)
            mapped = give(ctx, s.pat[n:], everywhere, k.body.result[n:], at)
            row = (
                *start(ctx, accumulators(op), ne, at),
                loop(inner, body + mapped + step + so_far, at),
            )
            return nest(outer, row, at)
        case Hist(dest, op, ne):
            n = len(ne)
            bucket, *values = k.body.result[: n + 1]
            mapped = give(ctx, s.pat[n:], everywhere, k.body.result[n + 1 :], at)
            places = [ctx.place(x).prefix((*around, atom_size(bucket))) for x in dest]
            width = ctx.shape(dest[0])[len(outer)]
            step = in_bucket(ctx, bucket, width, into(ctx, places, op, op_body, values, at), at)
            return nest(outer, (loop(inner, body + mapped + step, at),), at)
        case _:
            assert_never(k.collective)


# ---------------------------------------------------------------------- loops


def nest(dims: Sequence[KernelDim], body: Block, at: Span) -> Block:
    """Return ``kernel i < d, … do body done``, or the body if there are no dimensions or it is
    empty.
    """
    if not dims or not body:
        return body
    return (KernelStm(tuple(ImpDim(d.index, d.size) for d in dims), body, at),)


def loop(dim: KernelDim, body: Block, at: Span) -> ImpStm:
    """Return ``for j < d do body done``: collectives fold from the left."""
    return ForStm(dim.index, dim.size, body, at)


# ---------------------------------------------------------------------- operators


def accumulators(op: Lambda[Ann]) -> tuple[Binder[Ann], ...]:
    """Return the first half of an operator's parameters; the second half are the new values."""
    return op.params[: len(op.params) // 2]


def names(binders: Iterable[Binder[Ann]]) -> tuple[Atom, ...]:
    """Return the bound names as operands."""
    return tuple(Var(b.name) for b in binders)


def start(ctx: Context, params: Sequence[Binder[Ann]], values: Sequence[Atom], at: Span) -> Block:
    """Declare parameters, and assign their initial values."""
    return declare(params, at) + take(ctx, params, values, at)


def take(ctx: Context, params: Sequence[Binder[Ann]], values: Sequence[Atom], at: Span) -> Block:
    """Pass values by copy: arrays to the parameters' homes in order, then all scalars in parallel.

    Arrays are copied first, because their index functions may depend on a scalar that changes.
    """
    targets = tuple(zip(params, values, strict=True))
    arrays = tuple(
        s
        for p, a in targets
        if isinstance(p.type, ArrayType)
        for s in store(ctx, ctx.place(p.name), a, at)
    )
    return arrays + assign_at_once(ctx, targets, at)


def fold(ctx: Context, op: Lambda[Ann], op_body: Block, values: Sequence[Atom], at: Span) -> Block:
    """Return ``acc <- op(acc, values)``."""
    acc = accumulators(op)
    call = start(ctx, op.params[len(acc) :], values, at) + op_body
    return call + take(ctx, acc, op.body.result, at)


def into(
    ctx: Context,
    places: Sequence[Place],
    op: Lambda[Ann],
    op_body: Block,
    values: Sequence[Atom],
    at: Span,
) -> Block:
    """Return ``place <- op(place, values)`` for the places of one bucket."""
    acc = accumulators(op)
    loaded = tuple(s for p, x in zip(acc, places, strict=True) for s in load(ctx, p, x, at))
    call = start(ctx, op.params[len(acc) :], values, at) + op_body
    back = zip(places, op.body.result, strict=True)
    return loaded + call + tuple(s for x, a in back for s in store(ctx, x, a, at))


def load(ctx: Context, p: Binder[Ann], src: Place, at: Span) -> Block:
    """Load a parameter from memory: an element into a variable, an array into its home."""
    match p.type:
        case ScalarType() as t:
            return (
                Declare(p.name, t, at),
                Read(p.name, src.block, src.ix.apply(()), src.elem, at),
            )
        case _:
            return move(ctx, ctx.place(p.name), src, at)


def in_bucket(ctx: Context, bucket: Atom, width: Size, then: Block, at: Span) -> Block:
    """Return ``if 0 <= bucket < width then … fi``."""
    ok = ctx.fresh("ok")
    not_before = Bin(BinOp.LE, Const(0, I64), bucket)
    inside = Bin(BinOp.LAND, not_before, Bin(BinOp.LT, bucket, size_exp(width)))
    return (Declare(ok, BOOL, at), Assign(ok, inside, at), IfStm(Var(ok), then, (), at))


# ---------------------------------------------------------------------- results


def mapped_results(s: Stm[Ann], k: Kernel[Ann]) -> tuple[Binder[Ann], ...]:
    """Return the binders of the mapped results, one element per index of the nest."""
    match k.collective:
        case Map():
            return s.pat
        case Reduce(_, ne) | Scan(_, ne) | Hist(_, _, ne):
            return s.pat[len(ne) :]


def give(
    ctx: Context,
    pat: Sequence[Binder[Ann]],
    index: tuple[Size, ...],
    values: Sequence[Atom],
    at: Span,
) -> Block:
    """Store the results of one iteration: ``z[index] <- value``, or ``z <- value`` for scalars."""
    done: list[ImpStm] = []
    for z, a in zip(pat, values, strict=True):
        if isinstance(z.type, ArrayType):
            done += store(ctx, ctx.place(z.name).prefix(index), a, at)
        else:
            done.append(Assign(z.name, a, at))
    return tuple(done)
