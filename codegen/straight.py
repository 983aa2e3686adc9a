"""Take reads and conditions out of the branches of kernels, so that their loops become vectors.

    west <- xs[i*m + j] : i8;                    west <- xs[i*m + j] : i8;
    east <- xs[i*m + j + 2] : i8;                east <- xs[i*m + j + 2] : i8;
    if two then                           ->     here <- xs[i*m + j + 1] : i8;
      here <- xs[i*m + j + 1] : i8;              one <- here == 1i8;
      one <- here == 1i8;                        both <- two && one;
      both <- one;
    else both <- false; fi

A C compiler reads what a branch guards only if it knows that the element exists.  Here it does if
every iteration reads or writes elements of the same block on both sides of it, or the element
itself.  The branch writes nothing, and contains no loops and checks.

If a branch then only computes a truth value, by a few comparisons and integer operations, and one
side is a constant, it becomes a conjunction or disjunction.  LLVM would make a ``switch`` of
nested branches that compare one number with constants, and does not vectorise that.

The element may be uninitialised where the branch is not taken.  Its value is not used there, but
IMP's interpreter would report the read.  So this is done last, on what is printed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from funmem.ir.fun import Atom, Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Assign,
    Block,
    CopyElement,
    Declare,
    IfStm,
    ImpProgram,
    ImpStm,
    KernelStm,
    Read,
    Write,
)
from funmem.ir.imp_traverse import map_children, nested, own_assigns
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import BinOp, ScalarType, UnOp
from funmem.ir.sizes import Size


def straightened(p: ImpProgram) -> ImpProgram:
    """Return the program with the reads of its kernels' branches in front of them, where the
    elements exist.
    """
    return evolve(p, entries=tuple(evolve(e, body=_on_host(e.body)) for e in p.entries))


def _on_host(stms: Block) -> Block:
    return tuple(map(_host_statement, stms))


def _host_statement(s: ImpStm) -> ImpStm:
    return _kernel(s) if isinstance(s, KernelStm) else map_children(s, _on_host)


@frozen
class _Access:
    """An access that an iteration makes if it makes the first one."""

    block: Name
    elem: ScalarType
    index: Size


def _kernel(s: KernelStm) -> KernelStm:
    """Move reads in front of the branches of the body, but not of its loops."""
    if not any(isinstance(t, IfStm) for t in s.body):
        return s
    assigned = Counter(x for t in nested(s.body) for x in own_assigns(t))
    body: list[ImpStm] = []
    accesses: list[_Access] = []
    for part in _parts(s.body):
        accesses += [a for t in part if (a := _access(t, assigned)) is not None]
        for t in part:
            if isinstance(t, IfStm) and _only_reads(t):
                early = [r for r in nested((t,)) if isinstance(r, Read) and _exists(r, accesses)]
                free = [r for r in early if assigned[r.x] == 1 and _fixed(r.index, assigned, body)]
                names = {r.x for r in free}
                body += (d for d in nested((t,)) if isinstance(d, Declare) and d.x in names)
                body += free
                t = _without(t, names)
            body += _straight(t) if isinstance(t, IfStm) else (t,)
    return evolve(s, body=tuple(body))


_PLAIN = (Declare, Assign, Read, Write, CopyElement, IfStm)
"""Statements that neither end an iteration nor repeat others."""


def _parts(body: Block) -> Iterator[list[ImpStm]]:
    """Yield the parts of a body between statements that may end the iteration or repeat others."""
    part: list[ImpStm] = []
    for t in body:
        part.append(t)
        if not all(isinstance(x, _PLAIN) for x in nested((t,))):
            yield part
            part = []
    yield part


def _access(s: ImpStm, assigned: Counter[Name]) -> _Access | None:
    """Return the access of a read or write whose index has the same value in all of the body."""
    if not isinstance(s, Read | Write):
        return None
    fixed = all(assigned[x] <= 1 for x in s.index.free())
    return _Access(s.block, s.elem, s.index) if fixed else None


def _only_reads(s: IfStm) -> bool:
    """True if a branch writes nothing, and contains no loops and checks."""
    return all(isinstance(t, Declare | Assign | Read | IfStm) for t in nested((s,)))


def _exists(r: Read, accesses: Sequence[_Access]) -> bool:
    """True if the accesses include elements of the block on both sides, or the element itself."""
    same = [a for a in accesses if a.block == r.block and a.elem is r.elem]
    far = [k for a in same if (k := (a.index - r.index).as_const) is not None]
    return bool(far) and min(far) <= 0 <= max(far)


def _fixed(index: Size, assigned: Counter[Name], before: Sequence[ImpStm]) -> bool:
    """True if the variables of an index have their only values before the branch."""
    known = {x for t in nested(tuple(before)) for x in own_assigns(t)}
    return all(assigned[x] == 0 or (assigned[x] == 1 and x in known) for x in index.free())


def _without(s: IfStm, names: set[Name]) -> IfStm:
    return evolve(s, then=_rest(s.then, names), orelse=_rest(s.orelse, names))


def _rest(stms: Block, names: set[Name]) -> Block:
    """Return a branch without the reads and declarations of variables."""
    return tuple(
        _without(t, names) if isinstance(t, IfStm) else t
        for t in stms
        if not (isinstance(t, Declare | Read) and t.x in names)
    )


# ---------------------------------------------------------------------- conditions

CHEAP = 8
"""The largest number of statements that are executed although their branch is not taken."""

_OPERATORS = frozenset(
    {
        *(BinOp.ADD, BinOp.SUB, BinOp.MUL, BinOp.AND, BinOp.OR, BinOp.XOR),
        *(BinOp.EQ, BinOp.NE, BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE, BinOp.LAND, BinOp.LOR),
    }
)
"""Operators that take one or two instructions."""


def _straight(s: IfStm) -> Block:
    """Return statements without a branch that compute the same truth value, or ``(s,)``."""
    then, orelse = _all_straight(s.then), _all_straight(s.orelse)
    joined = _joined(s.cond, then, orelse) if then and orelse else None
    if joined is None or not _both_ways(then, orelse):
        return (evolve(s, then=then, orelse=orelse),)
    return (*then[:-1], *orelse[:-1], joined)


def _both_ways(then: Block, orelse: Block) -> bool:
    """True if both sides may be executed: they compute few variables of their own, and then one
    that they share.
    """
    shared = [s.x for s in (then[-1], orelse[-1]) if isinstance(s, Assign)]
    every = (*then, *orelse)
    own = {s.x for s in every if isinstance(s, Declare)}
    outer = [s.x for s in every if isinstance(s, Assign) and s.x not in own]
    return (
        outer == shared
        and len(set(shared)) == 1
        and len(every) <= CHEAP
        and all(map(_is_cheap, every))
    )


def _all_straight(stms: Block) -> Block:
    return tuple(t for s in stms for t in (_straight(s) if isinstance(s, IfStm) else (s,)))


def _joined(cond: Atom, then: Block, orelse: Block) -> Assign | None:
    """Return what ``if cond then … x <- a else … x <- b`` assigns, if a or b is a truth value."""
    match then[-1], orelse[-1]:
        case Assign(_, a) as s, Assign(_, Const(False)):
            return evolve(s, value=Bin(BinOp.LAND, cond, a))
        case Assign(_, Const(True)), Assign(_, b) as s:
            return evolve(s, value=Bin(BinOp.LOR, cond, b))
        case Assign(_, Const(False)), Assign(_, b) as s:
            return evolve(s, value=Bin(BinOp.LAND, Un(UnOp.LNOT, cond), b))
        case Assign(_, a) as s, Assign(_, Const(True)):
            return evolve(s, value=Bin(BinOp.LOR, Un(UnOp.LNOT, cond), a))
        case _:
            return None


def _is_cheap(s: ImpStm) -> bool:
    return isinstance(s, Declare) or (isinstance(s, Assign) and is_simple(s.value))


def is_simple(e: ScalarExp) -> bool:
    """True if an expression consists of integer operations and comparisons, which cannot trap."""
    match e:
        case Const() | Var():
            return True
        case Un(op, a):
            return op is UnOp.LNOT and is_simple(a)
        case Bin(op, a, b):
            return op in _OPERATORS and is_simple(a) and is_simple(b)
        case Convert():
            return False
