"""Estimates of how long an iteration of a kernel takes, in statements.

They decide how many iterations a thread or a work-item gets.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from funmem.ir.fun import Linkage
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
    ImpFunction,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import bound_names, children, nested, own_blocks
from funmem.ir.names import Name

GRAIN = 4096
"""Statements that together take less time than starting and ending a parallel loop."""


FOREIGN_GRAIN = GRAIN // 16
"""Iterations of foreign code that are taken to be as long: little is known of it."""


DENSE = 16
"""Statements per memory access from which a loop counts as compute-bound."""


Weights: TypeAlias = Mapping[Name, int | None]
"""The number of statements that a function runs at most; None if it is known only at run time."""


def function_weights(functions: Sequence[ImpFunction]) -> Weights:
    """Return the weights of functions, each of which calls only earlier ones."""
    weights: dict[Name, int | None] = {}
    for f in functions:
        weights[f.name] = _weight(f.body, weights)
    return weights


def grain(s: ImpStm, weights: Weights) -> int:
    """Return the number of a kernel's iterations that take as long as GRAIN statements.

    It is 1 if an iteration takes longer, or a time that is known only at run time.
    """
    if isinstance(s, OpaqueStm):
        return FOREIGN_GRAIN
    known = [_weight(b, weights) for b in children(s)]
    return min((1 if w is None else max(1, GRAIN // max(1, w)) for w in known), default=1)


def computes(s: ImpStm, weights: Weights) -> bool:
    """True if a kernel is compute-bound.

    Then it calls a function with a loop of unknown trip count, or it has such loops that write
    private blocks only, and one of the innermost of them has at least DENSE statements per access
    to other memory.
    """
    inside = [t for b in children(s) for t in nested(b)]
    own = {x for b in children(s) for x in bound_names(b)}
    bodies = [b for t in inside if _repeats(t) is None for b in children(t)]

    def moves(t: ImpStm) -> bool:
        return not own.issuperset(own_blocks(t))

    def dense(body: Block) -> bool:
        weight, moved = _weight(body, weights), _weight(body, weights, moves)
        return weight is not None and moved is not None and weight >= DENSE * moved

    writes = (t for b in bodies for t in nested(b) if isinstance(t, Write | CopyElement))
    calls = any(isinstance(t, CallStm) and weights.get(t.fn) is None for t in inside)
    return (calls or any(map(dense, bodies))) and not any(map(moves, writes))


def _repeats(s: ImpStm) -> int | None:
    """Return how often the nested statements run, or None if it is known only at run time."""
    match s:
        case ForStm(_, bound):
            return bound.as_const
        case KernelStm(dims):
            sizes = [d.bound.as_const for d in dims]
            return None if None in sizes else prod(n for n in sizes if n is not None)
        case WhileStm():
            return None
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return 1
        case IfStm() | CallStm() | Check() | OpaqueStm():
            return 1


def _all(_: ImpStm) -> bool:
    return True


def _weight(block: Block, weights: Weights, counts: Callable[[ImpStm], bool] = _all) -> int | None:
    """Return how many statements run at most, of those that ``counts`` accepts.

    None if it depends on a trip count that is known only at run time.
    """
    total = 0
    for s in block:
        inside = [_weight(b, weights, counts) for b in children(s)]
        if isinstance(s, CallStm) and s.linkage is Linkage.OWN and counts is _all:
            inside.append(weights[s.fn])
        repeats = _repeats(s)
        if repeats is None or None in inside:
            return None
        total += repeats * (int(counts(s)) + max((w for w in inside if w is not None), default=0))
    return total
