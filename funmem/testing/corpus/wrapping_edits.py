"""Edits that put a statement into a loop, a branch or a kernel, and those of what is returned.

loop      let x = e      ->  let x = loop (w = z) for i < k do let y = e[z := w] in (y)
branch    let x = e      ->  let x = if c then let y = e in (y) else in (z)
kernel    let x = e      ->  let r = kernel i < k do let y = e in (y)
                             let x = r[j, …]
place     let x = e      ->  let y = e
                             let d = replicate [2] …
                             let p = d with [j, …] = y
                             let x = p[j, …]
"""

import random
from collections.abc import Mapping
from types import MappingProxyType

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Bin,
    Binder,
    Body,
    Const,
    Copy,
    For,
    If,
    Index,
    Kernel,
    KernelDim,
    Loop,
    LoopParam,
    Map,
    Program,
    Replicate,
    Reverse,
    Slice,
    Stm,
    Update,
    Var,
)
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.ir.substitute import substitution
from funmem.ir.traverse import free_in_exp, map_exp
from funmem.testing.corpus.sites import Edits, Site, Sites
from funmem.testing.corpus.statement_edits import Change
from funmem.testing.judge.program import Case
from funmem.testing.reduce.edit import Edit
from funmem.testing.reduce.inputs import entry_of


def _single(q: Site) -> bool:
    """True if the statement's types do not mention its own names, so that a body
    can return them.
    """
    own = {b.name for b in q.stm.pat}
    return (
        bool(own)
        and not any(
            isinstance(b.type, ArrayType) and any(d.free() & own for d in b.type.shape)
            for b in q.stm.pat
        )
        and all(isinstance(b.type, ScalarType | ArrayType) for b in q.stm.pat)
    )


def _times(q: Site, rng: random.Random) -> Size:
    """Return a small constant, or a size in scope."""
    known = q.scalars(I64)
    return (
        var(rng.choice(known))
        if known and rng.random() < 0.4
        else const(rng.choice((0, 1, 2, 2, 3)))
    )


def _inner(q: Site, fresh: Fresh) -> tuple[tuple[Binder[Ann], ...], tuple[Var, ...]]:
    inner = tuple(evolve(b, name=fresh(b.name)) for b in q.stm.pat)
    return inner, tuple(Var(b.name) for b in inner)


def in_loop(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Put the statement into a loop; each iteration uses the previous result, if a type fits."""
    q = sites.some(rng, _single)
    if q is None:
        return None
    inner, values = _inner(q, fresh)
    before: list[Stm[Ann]] = []
    params: list[LoopParam[Ann]] = []
    image: dict[Name, Var] = {}
    used = free_in_exp(q.stm.exp)
    for b in q.stm.pat:
        w = fresh("w")
        fitting = [x for x in q.types if q.types[x] == b.type and x in used - image.keys()]
        if fitting and rng.random() < 0.9:
            start = rng.choice(fitting)
            image[start] = Var(w)
            init: Const | Var = Var(start)
        else:
            init = _some(q, b, rng, fresh, before)
        unique = rng.random() < 0.4 and isinstance(b.type, ArrayType)
        params.append(LoopParam(evolve(b, name=w), init, unique))
    exp = map_exp(q.stm.exp, substitution(image)) if image else q.stm.exp
    body = Body((evolve(q.stm, pat=inner, exp=exp),), values)
    loop = Loop(tuple(params), For(fresh("i"), _times(q, rng)), body)
    return {q.number: Edit((*before, Stm(q.stm.pat, loop)))}


def _some(
    q: Site, b: Binder[Ann], rng: random.Random, fresh: Fresh, out: list[Stm[Ann]]
) -> Const | Var:
    """Return a value of a binder's type: one in scope, or a new one."""
    same = [x for x, t in q.types.items() if t == b.type]
    if same and rng.random() < 0.8:
        return Var(rng.choice(same))
    if isinstance(b.type, ScalarType):
        return _zero(b.type, rng)
    assert isinstance(b.type, ArrayType)
    x = fresh("z")
    known = q.scalars(b.type.elem)
    value = Var(rng.choice(known)) if known and rng.random() < 0.5 else _zero(b.type.elem, rng)
    out.append(Stm((Binder(x, b.type, None),), Replicate(b.type.shape, value)))
    return Var(x)


def _zero(t: ScalarType, rng: random.Random) -> Const:
    if t is BOOL:
        return Const(rng.random() < 0.5, t)
    return Const(float(rng.randrange(3)) if t.is_float else rng.randrange(3), t)


def in_branch(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Put the statement into a branch; the other branch has another value of the type, maybe a
    view.
    """
    q = sites.some(rng, _single)
    if q is None:
        return None
    inner, values = _inner(q, fresh)
    before: list[Stm[Ann]] = []
    cond = _condition(q, rng, fresh, before)
    there: list[Stm[Ann]] = []
    other = tuple(_other_value(q, b, rng, fresh, there) for b in q.stm.pat)
    own = Body((evolve(q.stm, pat=inner),), values)
    branches = [own, Body(tuple(there), other)]
    rng.shuffle(branches)
    exp = If(cond, branches[0], branches[1])
    return {q.number: Edit((*before, Stm(q.stm.pat, exp)))}


def _condition(q: Site, rng: random.Random, fresh: Fresh, out: list[Stm[Ann]]) -> Var:
    bools, ints = q.scalars(BOOL), q.scalars(I64)
    if bools and rng.random() < 0.5:
        return Var(rng.choice(bools))
    c = fresh("c")
    a = Var(rng.choice(ints)) if ints else Const(1, I64)
    b = Var(rng.choice(ints)) if ints and rng.random() < 0.3 else Const(rng.randrange(4), I64)
    op = rng.choice((BinOp.LT, BinOp.LE, BinOp.EQ, BinOp.NE, BinOp.GT))
    out.append(Stm((Binder(c, BOOL, None),), Bin(op, a, b)))
    return Var(c)


def _other_value(
    q: Site, b: Binder[Ann], rng: random.Random, fresh: Fresh, out: list[Stm[Ann]]
) -> Const | Var:
    v = _some(q, b, rng, fresh, out)
    if isinstance(v, Var) and isinstance(b.type, ArrayType) and rng.random() < 0.4:
        x = fresh("z")
        exp = Reverse(0, v.name) if rng.random() < 0.5 else Copy(v.name)
        out.append(Stm((Binder(x, b.type, None),), exp))
        return Var(x)
    return v


def _row(t: ScalarType | ArrayType, x: Name, at: Size) -> Index | Slice:
    """Return ``x[at, …]``, of type ``t``."""
    if isinstance(t, ScalarType):
        return Index(x, (at,))
    return Slice(x, (DimFix(at), *(DimRange(ZERO, d, ONE) for d in t.shape)))


def in_kernel(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Put the statement into a kernel, and use one of the rows."""
    q = sites.some(rng, _single)
    if q is None:
        return None
    inner, values = _inner(q, fresh)
    n = const(rng.choice((1, 2, 2, 3)))
    rows, after = [], []
    i = fresh("i")
    at = const(rng.randrange(n.as_const or 1))
    for b in q.stm.pat:
        t = b.type
        assert isinstance(t, ScalarType | ArrayType)
        elem, shape = (t.elem, t.shape) if isinstance(t, ArrayType) else (t, ())
        r = Binder(fresh("r"), ArrayType(elem, (n, *shape)), None)
        rows.append(r)
        after.append(Stm((b,), _row(t, r.name, at)))
    body = Body((evolve(q.stm, pat=inner),), values)
    kernel = Kernel((KernelDim(i, n),), Map(), body)
    return {q.number: Edit((Stm(tuple(rows), kernel), *after))}


def in_place(sites: Sites, rng: random.Random, fresh: Fresh) -> Edits | None:
    """Write the statement's result into a larger array, and read it back."""
    q = sites.some(rng, lambda q: len(q.stm.pat) == 1 and isinstance(q.stm.pat[0].type, ArrayType))
    if q is None:
        return None
    (b,) = q.stm.pat
    assert isinstance(b.type, ArrayType)
    inner, d, p = fresh(b.name), fresh("d"), fresh("p")
    first = Stm((evolve(b, name=inner),), q.stm.exp)
    n, at = const(2), const(rng.randrange(2))
    t = ArrayType(b.type.elem, (n, *b.type.shape))
    empty = Stm((Binder(d, t, None),), Replicate(t.shape, _zero(b.type.elem, rng)))
    ranges = [DimRange(ZERO, k, ONE) for k in b.type.shape]
    if rng.random() < 0.3:
        k = rng.randrange(len(ranges))
        r = ranges[k]
        ranges[k] = DimRange(r.len - 1, r.len, const(-1))
    put = Stm((Binder(p, t, None),), Update(d, (DimFix(at), *ranges), Var(inner)))
    got = Stm((b,), _row(b.type, p, at if rng.random() < 0.8 else ONE - at))
    made = (empty, first) if rng.random() < 0.7 else (first, empty)
    return {q.number: Edit((*made, put, got))}


WRAPS: Mapping[str, tuple[Change, float]] = MappingProxyType(
    {
        "loop": (in_loop, 1.5),
        "branch": (in_branch, 1.5),
        "kernel": (in_kernel, 1.0),
        "place": (in_place, 1.0),
    }
)
"""The edits of this module, and their weights."""

# ---------------------------------------------------------------------- results


def more_results(case: Case, rng: random.Random) -> Case | None:
    """Add a name of the entry point's body to the results."""
    e = entry_of(case)
    outside = {b.name for b in e.implicit} | {p.binder.name for p in e.params}
    found = [
        b
        for s in e.body.stms
        for b in s.pat
        if isinstance(b.type, ScalarType)
        or (isinstance(b.type, ArrayType) and all(d.free() <= outside for d in b.type.shape))
    ]
    found = [b for b in found if b.home is None]
    if not found:
        return None
    b = rng.choice(found)
    used = {r.name for r in (*e.results, *e.implicit_results)} | outside
    name = Fresh({*used, *(x.name for s in e.body.stms for x in s.pat)})("r")
    results = (*e.results, Binder(name, b.type, None))
    body = evolve(e.body, result=(*e.body.result, Var(b.name)))
    new = evolve(e, results=results, body=body)
    return evolve(case, program=Program((new,), case.program.functions))
