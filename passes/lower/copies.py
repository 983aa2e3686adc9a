"""Data movement: the paper's COPY, writes of scalars, parallel assignment."""

from collections.abc import Callable, Iterable, Sequence

from funmem.ir.diagnostics import Span
from funmem.ir.fun import Ann, ArrayType, Atom, Binder, Var
from funmem.ir.imp import (
    Assign,
    Block,
    CopyElement,
    Declare,
    ImpDim,
    ImpStm,
    KernelStm,
    Write,
)
from funmem.ir.names import Name
from funmem.ir.sizes import Size, var
from funmem.passes.lower.context import Context, Place

# ---------------------------------------------------------------------- memory


def over(
    ctx: Context,
    shape: Sequence[Size],
    element: Callable[[tuple[Size, ...]], ImpStm],
    at: Span,
) -> Block:
    """Return a kernel of one statement for every index of a shape; for rank 0, the statement."""
    index = [ctx.fresh("i") for _ in shape]
    body = element(tuple(var(i) for i in index))
    if not shape:
        return (body,)
    dims = tuple(ImpDim(i, n) for i, n in zip(index, shape, strict=True))
    return (KernelStm(dims, (body,), at),)


def store(ctx: Context, dst: Place, value: Atom, at: Span) -> Block:
    """Copy ``value``, a scalar or an array, to ``dst`` (COPY)."""
    src = ctx.place_of(value)
    if src is None:
        return (Write(dst.block, dst.ix.apply(()), value, dst.elem, at),)
    return move(ctx, dst, src, at)


def move(ctx: Context, dst: Place, src: Place, at: Span) -> Block:
    """Copy an array (COPY); return no statements if source and destination are the same place."""
    if dst.same_as(src):
        return ()

    def element(index: tuple[Size, ...]) -> ImpStm:
        to, source = dst.ix.apply(index), src.ix.apply(index)
        return CopyElement(dst.block, to, src.block, source, dst.elem, at)

    return over(ctx, dst.ix.shape, element, at)


# ---------------------------------------------------------------------- variables


def declare(binders: Iterable[Binder[Ann]], at: Span) -> Block:
    """Return ``var x : t`` for scalars and blocks; arrays have no variables in IMP."""
    return tuple(Declare(b.name, b.type, at) for b in binders if not isinstance(b.type, ArrayType))


def assign(targets: Iterable[tuple[Binder[Ann], Atom]], at: Span) -> Block:
    """Return ``x <- a`` for scalars and blocks, in order."""
    return tuple(Assign(b.name, a, at) for b, a in targets if not isinstance(b.type, ArrayType))


def assign_at_once(ctx: Context, targets: Iterable[tuple[Binder[Ann], Atom]], at: Span) -> Block:
    """Return the parallel assignment ``x, … <- a, …`` of scalars and blocks.

    A variable that a later right-hand side reads is saved in a temporary before it is assigned.
    """
    todo = [(b, a) for b, a in targets if not isinstance(b.type, ArrayType) and a != Var(b.name)]
    done: list[ImpStm] = []
    saved: dict[Name, Name] = {}
    for k, (b, a) in enumerate(todo):
        if any(later == Var(b.name) for _, later in todo[k + 1 :]):
            saved[b.name] = old = ctx.fresh(b.name)
            assert not isinstance(b.type, ArrayType)
            done += [Declare(old, b.type, at), Assign(old, Var(b.name), at)]
        value = Var(saved.get(a.name, a.name)) if isinstance(a, Var) else a
        done.append(Assign(b.name, value, at))
    return tuple(done)
