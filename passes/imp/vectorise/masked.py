"""While-loops that some lanes leave earlier than others: what the lanes do in a round.

    while go do                                 for each lane, `going` being an integer:
      t <- z * z + c;                             var on : bool; var go' : bool; var n' : i32;
      n <- n + 1;                                 on <- going != 0; n' <- n;
      go <- n < m && t < 4;             ->        t <- z * z + c;
      z <- t;                                     n' <- n' + 1;
    done                                          go' <- n' < m && t < 4;
    xs[i] <- n;                                   z <- t;
                                                  if on then n <- n'; going <- i32(go'); fi

A lane that is done goes on computing, if that does no harm: nothing is read or written that is not
its own, and nothing divides.  What it computes is thrown away, or even kept if nobody asks for it
after the loop, as for z.  So a round is a few operations on vectors under no condition, and may be
done several times before anybody looks whether there is a lane that goes on.  Otherwise a round is
what it was, under the condition that the lane goes on.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

from funmem.ir.arith import scalar_type
from funmem.ir.fun import Bin, Const, Convert, ScalarExp, Un, Var
from funmem.ir.imp import Assign, Block, Declare, IfStm, ImpStm
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
from funmem.passes.imp.vectorise.split import Alike, Branch, Lanes, Loop, Masked, Node, lane_parts


def running_on(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes, where a loop of the lanes knows which of its variables nobody uses after it.

    None of a loop that stands in another loop: what a variable is left with may be used by the
    first loop itself, in the next iteration of the other one.
    """

    def known(n: Node) -> Node:
        match n:
            case Masked(_, part):
                assigned = frozenset(x for t in nested(part.stms) for x in own_assigns(t))
                return evolve(n, unused=assigned - _used(nodes, n))
            case Branch(_, then, orelse):
                return evolve(n, then=tuple(map(known, then)), orelse=tuple(map(known, orelse)))
            case Alike() | Lanes() | Loop():
                return n

    return tuple(map(known, nodes))


def _used(nodes: Sequence[Node], but: Masked) -> frozenset[Name]:
    """The variables on which depends what lanes do, in all nodes ``but`` one; a variable that is
    only copied into unused ones is not among them.

    What all lanes do alike depends on nothing that a loop of some assigns.
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
    """Whether a lane that is done may go on: there are only assignments, and no operator traps."""
    for s in nested(body):
        match s:
            case Declare() | IfStm():
                pass
            case Assign(_, e) if not _traps(e, types):
                pass
            case _:
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
"""The declaration of a new variable like another one."""


def rounds(
    loop: Masked,
    going: Name,
    on: Name,
    local: Local,
    types: Mapping[Name, VarType],
    times: int,
    kept: Container[Name],
) -> Block:
    """What a lane does between two looks: so many rounds, if they do no harm.  ``going`` is an i32,
    not 0 if the lane goes on; ``on`` is a bool for use in here.  What is not ``kept`` may have no
    value before a round, and nobody asks for it after one.
    """
    (guarded,) = loop.part.stms
    assert isinstance(guarded, IfStm)
    body, cond, at = guarded.then, loop.header.cond, loop.header.at
    look = Assign(on, Bin(BinOp.NE, Var(going), Const(0, I32)), at)

    def renamed(xs: Iterable[Name]) -> tuple[dict[Name, Name], Block]:
        """The body with variables of its own, and how they start."""
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
