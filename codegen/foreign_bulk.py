"""Loops that pass the elements of an array to foreign code, in one copy each (C only).

    for i < n do                               opaque () <- f__puts0 (n, h, (m : [n]f32))
      x <- m[i] : f32                   ->
      call (u) <- f__put0 (t, h, x) effect
      t <- u

    for i < n do                               opaque ((m : [n]f32)) <- f__gets0 (n, h)
      call (u, x) <- f__get0 (t, h, i) effect
      m[i] : f32 <- x                   ->
      t <- u

``passes/core/foreign_arrays.py`` makes such loops.  They are replaced after all passes, when
nothing moves statements any more: the copies are effects on the handle h.  Tokens have no value, so
t may keep its own.  A loop of another form, such as one over a view, stays as it is.
"""

from collections.abc import Iterator

from funmem.ir.arith import size_exp
from funmem.ir.foreign import ForeignCode, crossing, gets, puts
from funmem.ir.fun import Linkage, Var
from funmem.ir.imp import (
    Allocate,
    ArrayPort,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import var


def in_bulk(p: ImpProgram, code: ForeignCode) -> ImpProgram:
    """Return the program with copies of whole arrays, where the sources have the functions."""
    known = frozenset(f.name for f in code.opaque if f.c)
    if not code.on_arrays or not known:
        return p
    return evolve(p, entries=tuple(evolve(e, body=_block(e.body, known)) for e in p.entries))


def _block(b: Block, known: frozenset[Name]) -> Block:
    return tuple(t for s in b for t in _statement(s, known))


def _statement(s: ImpStm, known: frozenset[Name]) -> Iterator[ImpStm]:
    match s:
        case ForStm():
            whole = _taken(s) or _given(s)
            if whole is not None and whole.fn in known:
                # the index, which nothing uses any more, holds the length
                yield Declare(s.index, I64, s.at)
                yield Assign(s.index, size_exp(s.bound), s.at)
                yield whole
                return
            yield evolve(s, body=_block(s.body, known))
        case WhileStm():
            yield evolve(s, body=_block(s.body, known))
        case IfStm():
            yield evolve(s, then=_block(s.then, known), orelse=_block(s.orelse, known))
        case (
            Declare()
            | Assign()
            | Allocate()
            | Read()
            | Write()
            | CopyElement()
            | KernelStm()  # an effect is in no kernel
            | CallStm()
            | OpaqueStm()
            | Check()
        ):
            yield s


def _taken(s: ForStm) -> OpaqueStm | None:
    """Return the copy that replaces a loop of the first form, or None for another loop."""
    match s.body:
        case (
            Declare(x),
            Read(x1, m, index, elem),
            Declare(u),
            CallStm((u1,), fn, (Var(t), h, Var(x2)), linkage=Linkage.EFFECT),
            Assign(t1, Var(u2)),
        ) if (
            (x, x, u, u, t, var(s.index)) == (x1, x2, u1, u2, t1, index)
            and (of := crossing(fn)) is not None
            and of[1]
            and isinstance(h, Var)
        ):
            whole = ArrayPort(m, elem, (var(s.index),))
            return OpaqueStm((), puts(of[0], of[2]), (Var(s.index), h, whole), at=s.at)
        case _:
            return None


def _given(s: ForStm) -> OpaqueStm | None:
    """Return the copy that replaces a loop of the second form, or None for another loop."""
    match s.body:
        case (
            Declare(u),
            Declare(x),
            CallStm((u1, x1), fn, (Var(t), h, Var(i)), linkage=Linkage.EFFECT),
            Write(m, index, Var(x2), elem),
            Assign(t1, Var(u2)),
        ) if (
            (x, x, u, u, t, var(s.index)) == (x1, x2, u1, u2, t1, index)
            and i == s.index
            and (of := crossing(fn)) is not None
            and not of[1]
            and isinstance(h, Var)
        ):
            whole = ArrayPort(m, elem, (var(s.index),))
            return OpaqueStm((whole,), gets(of[0], of[2]), (Var(s.index), h), at=s.at)
        case _:
            return None
