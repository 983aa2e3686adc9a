"""Conditions for computing a producer again in each of its consumers (F3).

    let (ys : [n]i64) = kernel i < n do let (x : u32) = xs[i]  let (y : i64) = i64(x & 1u32) in (y)
    let (zs : [n]i64) = kernel j < n scan (op) (0) do let (v : i64) = ys[j] in (v)
    let (ws : [n]i64) = kernel k < n do let (v : i64) = ys[k]  let (z : i64) = zs[k] … in (w)

A scan cannot make ``ys`` as well, but reading ``xs`` costs it no more than reading ``ys``.  So each
consumer computes the elements of ``ys``, and ``ys`` is never stored.
"""

from collections.abc import Iterable

from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Compound,
    Const,
    Convert,
    DerivedArray,
    FreshArray,
    Index,
    InPlace,
    Kernel,
    Scalar,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.logic.facts import PointFacts
from funmem.ir.scalars import BOOL, BinOp, UnOp
from funmem.ir.sizes import var
from funmem.passes.fun.fuse.conditions import OTHER_USES, Refusal, Traps
from funmem.passes.fun.fuse.recompute import CHEAP

FLAG = 8
"""Largest number of bytes that the computation of a flag reads if each consumer computes it."""

NOT_CHEAP = "the array has other uses, and computing it is not cheap"

_SLOW_UNARY = frozenset(UnOp) - {UnOp.NEG, UnOp.NOT, UnOp.LNOT, UnOp.ABS}
_SLOW_BINARY = frozenset(
    (
        *(BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM, BinOp.POW),
        *(BinOp.ATAN2, BinOp.HYPOT, BinOp.NEXTAFTER),
    )
)


def cheap_again(s: Stm[Ann], traps: Traps, known: PointFacts) -> Refusal | None:
    """(5) Computing the elements costs no more than reading them: at most ``CHEAP`` fast scalar
    statements, which read no more bytes than they return, each iteration at its own indices.  An
    iteration cannot trap.

    A flag may be computed from ``FLAG`` bytes.  Storing it takes a loop and a pass of its own, and
    consumers of flags (filter, partition) mostly read the tested elements as well.
    """
    e = s.exp
    assert isinstance(e, Kernel)
    if traps.iteration:
        return Refusal(OTHER_USES, "the array has other uses, and computing it again may trap")
    read = 0
    own = tuple(var(d.index) for d in e.dims)
    fast = 0
    for t in e.body.stms:
        match t.exp:
            case Index(x, index) if index == own:
                read += _bytes((known.types[x],))
            case Const() | Var() | Convert():
                fast += 1
            case Un(op, Const() | Var()) if op not in _SLOW_UNARY:
                fast += 1
            case Bin(op, Const() | Var(), Const() | Var()) if op not in _SLOW_BINARY:
                fast += 1
            case Scalar() | Index() | DerivedArray() | FreshArray() | InPlace() | Compound():
                return Refusal(OTHER_USES, NOT_CHEAP)
            case Assert() | Alloc():
                return Refusal(OTHER_USES, NOT_CHEAP)
    flags = all(isinstance(b.type, ArrayType) and b.type.elem is BOOL for b in s.pat)
    made = FLAG if flags else _bytes(b.type for b in s.pat)
    scalar = all(isinstance(b.type, ArrayType) and b.type.rank == len(own) for b in s.pat)
    if not scalar or fast > CHEAP or read > made:
        return Refusal(OTHER_USES, NOT_CHEAP)
    return None


def _bytes(types: Iterable[Type]) -> int:
    return sum(t.elem.bytes for t in types if isinstance(t, ArrayType))
