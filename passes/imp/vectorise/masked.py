"""Divergent while-loops, which some lanes leave earlier than others: one round under a mask.

    while go do                                 for each lane, `going` being an integer:
      t <- z * z + c;                             var on : bool; var go' : bool; var n' : i32;
      n <- n + 1;                                 on <- going != 0; n' <- n;
      go <- n < m && t < 4;             ->        t <- z * z + c;
      z <- t;                                     n' <- n' + 1;
    done                                          go' <- n' < m && t < 4;
    xs[i] <- n;                                   z <- t;
                                                  if on then n <- n'; going <- i32(go'); fi

A *round* is one iteration of the loop for all lanes; a lane is active while its condition holds. A
finished lane continues to compute if that is harmless: the body accesses no memory and cannot trap.
Its results are discarded, unless the variable is dead after the loop, as z is above.  So a round is
a few vector operations without branches, and several rounds run between two tests for active lanes.
If the body is not harmless, a round runs it under the condition that the lane is active.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

from funmem.ir.arith import scalar_type
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import (
    VarType,
    bound_names,
    exp_names,
    nested,
    own_assigns,
    own_uses,
    subst,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import BOOL, I32, BinOp, can_trap
from funmem.ir.sizes import Size, var
from funmem.passes.imp.vectorise.split import Branch, Lanes, Loop, Masked, Node, Uniform, lane_parts


def with_dead_variables(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes, where each divergent loop lists those of its variables that are dead after
    it.

    A loop inside another loop keeps an empty list: its variables may be live around the outer loop.
    """

    def known(n: Node) -> Node:
        match n:
            case Masked(_, part):
                assigned = frozenset(x for t in nested(part.stms) for x in own_assigns(t))
                return evolve(n, unused=assigned - _used(nodes, n))
            case Branch(_, then, orelse):
                return evolve(n, then=tuple(map(known, then)), orelse=tuple(map(known, orelse)))
            case Uniform() | Lanes() | Loop():
                return n

    return tuple(map(known, nodes))


def _used(nodes: Sequence[Node], but: Masked) -> frozenset[Name]:
    """Return the variables that are used by lanes outside the loop ``but``.  A variable that is
    only copied into unused variables is not used.

    Uniform statements need no inspection: they do not depend on what a divergent loop assigns.
    """
    parts = (part.stms for part in lane_parts(nodes) if part is not but.part)
    stms = [s for part in parts for s in nested(part)]
    copies = [s for s in stms if isinstance(s, Assign)]
    used = {x for s in stms if not isinstance(s, Assign) for x in own_uses(s)}
    size = -1
    while size < len(used):
        size = len(used)
        used.update(*(exp_names(s.value) for s in copies if s.x in used))
    return frozenset(used)


def harmless(body: Block, types: Mapping[Name, VarType]) -> bool:
    """True if a finished lane may run the body: it has only assignments, and no operator traps."""
    for s in nested(body):
        match s:
            case Declare() | IfStm():
                pass
            case Assign(_, e) if not _traps(e, types):
                pass
            case CallStm() if not s.partial:
                pass
            case Assign() | Allocate() | Read() | Write() | CopyElement() | CallStm() | Check():
                return False
            case ForStm() | WhileStm() | KernelStm() | OpaqueStm():
                return False
    return True


def _traps(e: ScalarExp, types: Mapping[Name, VarType]) -> bool:
    match e:
        case Bin(op, a, b):
            return can_trap(op, scalar_type(a, types)) or _traps(a, types) or _traps(b, types)
        case Un(op, a):
            return can_trap(op, scalar_type(a, types)) or _traps(a, types)
        case Convert(_, a):
            return _traps(a, types)
        case Const() | Var():
            return False


Local: TypeAlias = Callable[[Name], Declare]
"""Returns the declaration of a fresh variable with the type of another one."""


def rounds(
    loop: Masked,
    going: Name,
    on: Name,
    local: Local,
    types: Mapping[Name, VarType],
    times: int,
    kept: Container[Name],
) -> Block:
    """Return the code of a lane between two tests for active lanes: ``times`` rounds if the body is
    harmless, else one.  ``going`` is an i32 mask, not 0 if the lane is active; ``on`` is a bool for
    use in this code.  A variable that is not in ``kept`` is live neither before nor after a round.
    """
    (guarded,) = loop.part.stms
    assert isinstance(guarded, IfStm)
    body, cond, at = guarded.then, loop.header.cond, loop.header.at
    look = Assign(on, Bin(BinOp.NE, Var(going), Const(0, I32)), at)

    def renamed(xs: Iterable[Name]) -> tuple[dict[Name, Name], Block]:
        """Return the body with fresh variables for ``xs``, initialised from them."""
        own = {x: local(x) for x in (cond, *xs)}
        starts = (
            Assign(d.x, Const(True, BOOL) if x == cond else Var(x), at) for x, d in own.items()
        )
        image: dict[Name, Size] = {x: var(d.x) for x, d in own.items()}
        image |= {x: var(local(x).x) for x in bound_names(body)}
        return {x: d.x for x, d in own.items()}, (*own.values(), *starts, *subst(body, image))

    def goes(own: Mapping[Name, Name]) -> ImpStm:
        return Assign(going, Convert(I32, Var(own[cond])), at)

    if not harmless(body, types):
        mine, stms = renamed(())
        return (look, IfStm(Var(on), (*stms, goes(mine)), (), at))

    assigned = {x for t in nested(body) for x in own_assigns(t)} - {*bound_names(body), cond}
    needed = sorted(x for x in assigned - loop.unused if x in kept)

    def once() -> Block:
        mine, stms = renamed(needed)
        keep = tuple(Assign(x, Var(mine[x]), at) for x in needed)
        return (look, *stms, IfStm(Var(on), (*keep, goes(mine)), (), at))

    return tuple(s for _ in range(times) for s in once())
