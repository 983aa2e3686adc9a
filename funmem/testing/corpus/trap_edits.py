"""Edits that insert statements that may trap, depending on values in scope.

division  let t = 12 / x index     let t = xs[x, 0, …] size      let t = iota [x] …,  or replicate
assertion let c = x < y  assert c "…" (x)

They rarely trap on a mutant's own input, but may on further ones.  Half of them are in a kernel, a
nest or a branch that is not taken, before or after another trap.  The next statement may use the
computed value.
"""

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Const,
    Exp,
    Index,
    Iota,
    Replicate,
    Stm,
    Var,
)
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ZERO, Size, const, var
from funmem.testing.corpus.sites import Edits, Site, Sites
from funmem.testing.corpus.statement_edits import Change
from funmem.testing.reduce.edit import Edit

USED = 0.5
"""Fraction of the values that are used, where possible."""

Made = tuple[list[Stm[Ann]], Name | None]
"""Statements, and a scalar of type i64 that they compute."""


def may_trap(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Insert one of them before a statement."""
    q = sites.some(rng, lambda q: bool(q.scalars(I64)))
    if q is None:
        return None
    made = rng.choice(_KINDS)(q, rng, fresh)
    if made is None:
        return None
    stms, t = made
    s = q.stm
    used = t is not None and rng.random() < USED and len(s.pat) == 1 and s.pat[0].type is I64
    if t is None or not used:
        return {q.number: Edit((*stms, s))}
    inner = fresh(s.pat[0].name)
    first = Stm((evolve(s.pat[0], name=inner),), s.exp, s.at)
    total: Stm[Ann] = Stm(s.pat, Bin(BinOp.ADD, Var(inner), Var(t)))
    return {q.number: Edit((*stms, first, total))}


def _scalar(q: Site, rng: random.Random) -> Var:
    """Return a number in scope, preferably one bound recently, such as an index or an element."""
    known = q.scalars(I64)
    return Var(rng.choice(known[-3:] if rng.random() < 0.5 else known))


def _let(x: Name, t: ScalarType | ArrayType, e: Exp[Ann]) -> Stm[Ann]:
    return Stm((Binder(x, t, None),), e)


def _division(q: Site, rng: random.Random, fresh: Fresh) -> Made | None:
    by, t = _scalar(q, rng), fresh("t")
    out: list[Stm[Ann]] = []
    if rng.random() < 0.5:
        x = fresh("d")
        out.append(_let(x, I64, Bin(BinOp.SUB, by, Const(rng.choice((1, 2, 3, -1)), I64))))
        by = Var(x)
    op = rng.choice((BinOp.DIV, BinOp.MOD, BinOp.QUOT, BinOp.REM))
    a = rng.choice((Const(12, I64), _scalar(q, rng)))
    return [*out, _let(t, I64, Bin(op, a, by))], t


def _index(q: Site, rng: random.Random, fresh: Fresh) -> Made | None:
    arrays = q.arrays()
    if not arrays:
        return None
    x, v = rng.choice(arrays), fresh("t")
    t = q.types[x]
    assert isinstance(t, ArrayType)
    index: list[Size] = [rng.choice((ZERO, d - 1)) for d in t.shape]
    index[rng.randrange(len(index))] = var(_scalar(q, rng).name) + rng.choice((0, 0, 1, -1))
    return [_let(v, t.elem, Index(x, tuple(index)))], v if t.elem is I64 else None


def _size(q: Site, rng: random.Random, fresh: Fresh) -> Made | None:
    n = var(_scalar(q, rng).name) - rng.choice((0, 0, 1, 2))
    x = fresh("t")
    if rng.random() < 0.6:
        iota = Iota(n, Const(0, I64), Const(1, I64))
        return [_let(x, ArrayType(I64, (n,)), iota)], None
    shape = (const(rng.randrange(3)), n) if rng.random() < 0.5 else (n, const(rng.randrange(3)))
    return [_let(x, ArrayType(I64, shape), Replicate(shape, _scalar(q, rng)))], None


def _assertion(q: Site, rng: random.Random, fresh: Fresh) -> Made | None:
    a, c = _scalar(q, rng), fresh("c")
    b = _scalar(q, rng) if rng.random() < 0.4 else Const(rng.randint(-1, 3), I64)
    op = rng.choice((BinOp.LE, BinOp.LT, BinOp.NE, BinOp.GE, BinOp.GT))
    out = [_let(c, BOOL, Bin(op, a, b))]
    if rng.random() < 0.3:
        d, either = fresh("c"), fresh("c")
        second = Bin(rng.choice((BinOp.LE, BinOp.GE)), _scalar(q, rng), Const(0, I64))
        both = rng.choice((BinOp.LOR, BinOp.LAND))
        out += [_let(d, BOOL, second), _let(either, BOOL, Bin(both, Var(c), Var(d)))]
        c = either
    return [*out, Stm((), Assert(Var(c), "as it happens: {}", (a,)))], None


_KINDS: tuple[Callable[[Site, random.Random, Fresh], Made | None], ...] = (
    _division,
    _index,
    _size,
    _assertion,
)

TRAPS: Mapping[str, tuple[Change, float]] = MappingProxyType({"trap": (may_trap, 2.0)})
"""The edit of this module, and its weight."""
