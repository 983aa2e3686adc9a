"""Comparisons whose truth value is constant in the interior of a kernel, and their branches.

    var first : bool;                            in the interior, where j >= 1:
    first <- j == 0;
    if first then y <- 0.0f32;            ->     west <- xs[i*m + j - 1] : f32;
    else west <- xs[i*m + j - 1] : f32;          y <- west * 0.5f32;
         y <- west * 0.5f32; fi

``comparisons`` finds the comparisons and the widths of the edges outside of which they are
constant; ``settled`` substitutes the constants, and keeps one side of a branch.

A comparison counts if both sides are sums of at most the kernel's last index, the dimension's bound
and a small constant.  An i64 sum may wrap around; these do not in the interior.  The index is at
least zero and below the bound, so only ``j + k`` with k > 0 and ``bound + k`` could exceed i64: the
former does not where the edge after the interior has k iterations, and the latter is not accepted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from funmem.ir.arith import exp_size
from funmem.ir.fun import Atom, Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    Holds,
    IfStm,
    ImpDim,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import exp_names, nested, own_assigns, own_blocks
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BOOL, BinOp, UnOp
from funmem.ir.sizes import Size, const, var

WIDEST = 8
"""Largest width of an edge, in iterations; stencils have narrower ones."""


@frozen
class Comparison:
    """A comparison that is ``value`` in all but the first ``before`` and the last ``after``
    iterations.
    """

    exp: Bin
    value: bool
    before: int
    after: int


def comparisons(body: Block, dim: ImpDim, known: Mapping[Name, Size]) -> Iterator[Comparison]:
    """Yield the comparisons of a kernel's last index on which it depends if memory is accessed.

    ``known`` has the polynomials of variables that are assigned once, over names that never are.
    """
    deciding = _deciding(body)
    for t in nested(body):
        if isinstance(t, Assign) and t.x in deciding:
            for e in _bins(t.value):
                found = _comparison(e, dim, known)
                if found is not None and max(found[1:]) <= WIDEST:
                    yield Comparison(e, *found)


def _deciding(body: Block) -> frozenset[Name]:
    """Return the variables on which it depends if memory is accessed: the conditions of branches
    with accesses, and what these are computed from.  Compilers vectorise the other branches.
    """
    every = tuple(nested(body))
    found: set[Name] = set()
    size = -1
    while size < len(found):
        size = len(found)
        for t in every:
            if isinstance(t, Assign) and t.x in found:
                found |= exp_names(t.value)
            elif isinstance(t, IfStm) and isinstance(t.cond, Var) and _matters(t, found):
                found.add(t.cond.name)
    return frozenset(found)


def _matters(s: IfStm, deciding: set[Name]) -> bool:
    """True if a branch accesses memory or assigns a deciding variable."""
    return any(bool(own_blocks(t)) or not deciding.isdisjoint(own_assigns(t)) for t in nested((s,)))


def _bins(e: ScalarExp) -> Iterator[Bin]:
    """Yield the binary operations in an expression."""
    match e:
        case Const() | Var():
            pass
        case Un(_, a) | Convert(_, a):
            yield from _bins(a)
        case Bin(_, a, b):
            yield e
            yield from _bins(a)
            yield from _bins(b)


def _comparison(e: Bin, dim: ImpDim, known: Mapping[Name, Size]) -> tuple[bool, int, int] | None:
    """Return the truth value of ``e`` in the interior, and the widths of the edges."""
    p, q = exp_size(e.a, known), exp_size(e.b, known)
    if e.op not in _MIRRORED or p is None or q is None:
        return None
    far = [_reach(x, dim) for x in (p, q)]
    d, j = p - q, dim.index
    op, slope = e.op, (d - d.subst({j: const(0)})).subst({j: const(1)}).as_const
    if None in far or slope not in (-1, 1):
        return None
    if slope == -1:
        op, d = _MIRRORED[op], -d
    at = var(j) - d  # the comparison is: j op at
    value, before, after = _edges(op, at, dim.bound) or (False, -1, -1)
    if before < 0 or after < 0:
        return None
    return value, before, max(after, *(k for k in far if k is not None))


def _reach(p: Size, dim: ImpDim) -> int | None:
    """Return k if ``p`` does not wrap around in the interior before the last k iterations; None if
    it is no sum of at most the index, the bound and a small constant.
    """
    j = var(dim.index)
    sums = ((p, -WIDEST, WIDEST), (p - dim.bound, -WIDEST, 0), (p - j, -WIDEST, WIDEST))
    for rest, least, most in (*sums, (p + j, 0, WIDEST), (p - dim.bound + j, -WIDEST, 0)):
        k = rest.as_const
        if k is not None and least <= k <= most:
            return max(0, k) if rest == p - j else 0
    return None


def _edges(op: BinOp, at: Size, bound: Size) -> tuple[bool, int, int] | None:
    """Return the truth value of ``j op at`` in the interior, and the widths of the edges.

    ``at`` is a constant, or the bound plus a constant.  A negative width is that of no edge.
    """
    low, high = at.as_const, (at - bound).as_const
    beyond = op in (BinOp.LE, BinOp.GT)  # the truth value changes behind ``at`` instead of before
    equal = op in (BinOp.EQ, BinOp.NE)
    if low is not None and (high is None or low < WIDEST):
        before = low + 1 if beyond or equal else low
        return op in (BinOp.GT, BinOp.GE, BinOp.NE), max(0, before), 0
    if high is not None:
        after = -high - 1 if beyond else -high
        return op in (BinOp.LT, BinOp.LE, BinOp.NE), 0, max(0, after)
    return None


_MIRRORED = {
    BinOp.LT: BinOp.GT,
    BinOp.LE: BinOp.GE,
    BinOp.GT: BinOp.LT,
    BinOp.GE: BinOp.LE,
    BinOp.EQ: BinOp.EQ,
    BinOp.NE: BinOp.NE,
}

# ---------------------------------------------------------------------- the interior


Truths = Mapping[Bin | Var, bool]
"""The values of comparisons and of boolean variables."""


def settled(body: Block, known: Truths) -> Block:
    """Return a body without loops for the case that comparisons have these values: no branch on
    them is left, nor on variables that follow from them.
    """
    values = dict(known)
    while True:
        body = _block(body, values)
        every = tuple(nested(body))
        assigned = Counter(x for t in every for x in own_assigns(t))
        more: dict[Bin | Var, bool] = {
            Var(t.x): bool(t.value.value)
            for t in every
            if isinstance(t, Assign) and assigned[t.x] == 1 and isinstance(t.value, Const)
            if t.value.type is BOOL
        }
        if not more:
            return body
        values |= more


def _block(body: Block, known: Truths) -> Block:
    return tuple(t for s in body for t in _statement(s, known))


def _statement(s: ImpStm, known: Truths) -> Block:
    match s:
        case Declare(x) | Assign(x) if Var(x) in known:
            return ()
        case Assign(_, e):
            return (evolve(s, value=_exp(e, known)),)
        case Write(_, _, e):
            return (evolve(s, value=_exp(e, known)),)
        case IfStm(cond, then, orelse):
            cond = _atom(cond, known)
            if isinstance(cond, Const):
                return _block(then if cond.value else orelse, known)
            return (evolve(s, cond=cond, then=_block(then, known), orelse=_block(orelse, known)),)
        case CallStm():
            return (evolve(s, args=tuple(_exp(e, known) for e in s.args)),)
        case Check(Holds(e)):
            return (evolve(s, cond=Holds(_exp(e, known))),)
        case Declare() | Allocate() | Read() | CopyElement() | Check():
            return (s,)
        case ForStm() | WhileStm() | KernelStm() | OpaqueStm():
            raise AssertionError("the body has no loops")


def _atom(a: Atom, known: Truths) -> Atom:
    return Const(known[a], BOOL) if isinstance(a, Var) and a in known else a


def _exp(e: ScalarExp, known: Truths) -> ScalarExp:
    """Return an expression with the constants substituted, and conjunctions, disjunctions and
    negations of constants computed.
    """
    match e:
        case Const():
            return e
        case Var():
            return _atom(e, known)
        case Un(op, a):
            a = _exp(a, known)
            negated = op is UnOp.LNOT and _is_truth(a)
            return Const(not a.value, BOOL) if negated and isinstance(a, Const) else Un(op, a)
        case Convert(to, a):
            return Convert(to, _exp(a, known))
        case Bin() if e in known:
            return Const(known[e], BOOL)
        case Bin(op, a, b):
            return _joined(op, _exp(a, known), _exp(b, known))


def _joined(op: BinOp, a: ScalarExp, b: ScalarExp) -> ScalarExp:
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Const) and _is_truth(x):
            if op is BinOp.LAND:
                return other if x.value else x
            if op is BinOp.LOR:
                return x if x.value else other
    return Bin(op, a, b)


def _is_truth(e: ScalarExp) -> bool:
    return isinstance(e, Const) and e.type is BOOL
