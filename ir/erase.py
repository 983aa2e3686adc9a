"""Erasure (paper 002, fig. 9): FUNMEM without annotations is a FUN program of the same meaning.

    mem                        ->  i64
    alloc d                    ->  0
    (x : [d]…[d]t @ m -> L)    ->  (x : [d]…[d]t)

A block becomes an i64 that is never used, so loops and branches that pass blocks stay well typed.
At the border of an entry point the implicit blocks vanish, as parameters and as results: the
caller's view does not change.  If the body mentions the block of a parameter, it starts with
``let (m : i64) = 0``.

Erasure is total, and the identity on FUN programs.
"""

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Binder,
    Body,
    Collective,
    Const,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Lambda,
    Loop,
    LoopParam,
    Map,
    MemType,
    Opaque,
    Param,
    Program,
    RaggedKernel,
    Reduce,
    Scalar,
    Scan,
    Stm,
)
from funmem.ir.scalars import I64
from funmem.ir.traverse import free_in_body

_NO_BLOCK = Const(0, I64)


def erase(p: Program[Ann]) -> Program[None]:
    """Return the FUN program that remains without annotations (fig. 9)."""
    return Program(tuple(map(erase_entry, p.entries)), p.functions)


def erase_entry(entry: Entry[Ann]) -> Entry[None]:
    """Return an entry point without its implicit blocks."""
    blocks = [b for b in entry.implicit if isinstance(b.type, MemType)]
    kept = [not isinstance(b.type, MemType) for b in entry.implicit_results]
    kept += [True] * len(entry.results)
    body = erase_body(entry.body)
    result = tuple(a for a, keep in zip(body.result, kept, strict=True) if keep)
    body = Body(body.stms, result, body.at)
    used = free_in_body(body) if blocks else frozenset()
    dummies = tuple(Stm((_binder(b),), _NO_BLOCK, b.at) for b in blocks if b.name in used)
    return Entry(
        entry.name,
        tuple(_binder(b) for b in entry.implicit if not isinstance(b.type, MemType)),
        tuple(Param(_binder(p.binder), p.unique) for p in entry.params),
        tuple(_binder(b) for b in entry.implicit_results if not isinstance(b.type, MemType)),
        tuple(map(_binder, entry.results)),
        Body(dummies + body.stms, body.result, body.at),
        entry.at,
        entry.interface,
    )


def erase_body(b: Body[Ann]) -> Body[None]:
    """Return a body without annotations."""
    stms = tuple(Stm(tuple(map(_binder, s.pat)), erase_exp(s.exp), s.at) for s in b.stms)
    return Body(stms, b.result, b.at)


def erase_exp(e: Exp[Ann]) -> Exp[None]:
    """Return an expression without annotations; only those that bind or allocate change."""
    match e:
        case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Assert() | Opaque():
            return e
        case Kernel(dims, collective, body):
            return Kernel(dims, _collective(collective), erase_body(body))
        case RaggedKernel(collective=ragged, body=body):
            return RaggedKernel(e.row, e.index, e.offsets, e.total, _fold(ragged), erase_body(body))
        case If(cond, then, orelse):
            return If(cond, erase_body(then), erase_body(orelse))
        case Loop(params, form, body):
            erased = tuple(LoopParam(_binder(p.binder), p.init, p.unique) for p in params)
            return Loop(erased, form, erase_body(body))
        case Alloc():
            return _NO_BLOCK


def _binder(b: Binder[Ann]) -> Binder[None]:
    return Binder(b.name, I64 if isinstance(b.type, MemType) else b.type, None, b.at)


def _lambda(op: Lambda[Ann]) -> Lambda[None]:
    return Lambda(tuple(map(_binder, op.params)), erase_body(op.body))


def _collective(c: Collective[Ann]) -> Collective[None]:
    match c:
        case Hist(dest, op, ne):
            return Hist(dest, _lambda(op), ne)
        case Map() | Reduce() | Scan():
            return _fold(c)


def _fold(c: Map | Reduce[Ann] | Scan[Ann]) -> Map | Reduce[None] | Scan[None]:
    match c:
        case Map():
            return c
        case Reduce(op, ne, comm):
            return Reduce(_lambda(op), ne, comm)
        case Scan(op, ne):
            return Scan(_lambda(op), ne)
