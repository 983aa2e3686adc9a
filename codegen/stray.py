"""Kernels that could go astray where an earlier one has failed.

A kernel that fails leaves elements unwritten, and those that follow it run before the host knows.
What they compute is lost, but they must come to an end, and stay inside their blocks:

    while, for i < n                may go on for ever, or for longer than anybody waits
    m[i], i from memory             may be any place
    if f then i <- i + n            f from memory: the same
    if f then … m[i] …              the same, for f may have said whether i is a place

Such a kernel looks at the status buffer first.  Its checks do not do instead: the fast build has
none of places, and the passes drop those that hold wherever no kernel has failed.

    check k in m;  …  kernel i < n do … w[k, i] …      the check is in a task: k may be anything

A check that is part of a task, with what it stands between, is no check of the host.  What it was
to keep from the kernels that follow may be any of their numbers, so all of them look.

Beside a loop a look costs next to nothing.  A kernel without one would take some times as long if
it looked: PoCL makes no vectors of it then.
"""

from collections.abc import Callable, Iterable

from funmem.codegen.plan import Fetch, For, If, Launch, ReadScalar, Step, Steps, While
from funmem.codegen.unroll import from_memory
from funmem.ir.imp import (
    Block,
    CopyElement,
    ForStm,
    IfStm,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import children, nested, own_assigns, own_blocks, own_indices, own_uses
from funmem.ir.names import Name
from funmem.ir.sizes import Size

SOON = 1 << 10
"""So many rounds of a loop, or of loops inside one another, are over at once."""


def goes_astray(block: Block) -> bool:
    """Whether a task, or a work-item of a kernel, may run for long or in wrong places."""
    match block:
        case (KernelStm(_, body),):
            block = body
        case _:
            pass
    data = _decided(block)
    return rounds(block) > SOON or any(_strays(s, data) for s in nested(block))


def rounds(block: Block) -> float:
    """The most rounds of a statement in loops; infinite if the text does not say."""
    return max(map(_rounds_of, block), default=1)


def _rounds_of(s: ImpStm) -> float:
    inside = max(map(rounds, children(s)), default=1)
    match s:
        case WhileStm():
            return float("inf")
        case ForStm(_, bound):
            return inside * _least_one((bound,))
        case KernelStm(dims):
            return inside * _least_one(d.bound for d in dims)
        case _:
            return inside


def _least_one(bounds: Iterable[Size]) -> float:
    """The product of bounds, each at least 1."""
    n = 1.0
    for b in bounds:
        n *= float("inf") if b.as_const is None else max(b.as_const, 1)
    return n


def _strays(s: ImpStm, data: frozenset[Name]) -> bool:
    """Whether memory decides where a statement reads or writes: in which block, or where, or
    whether at all.
    """
    match s:
        case Read() | Write() | CopyElement():
            places = (*own_blocks(s), *(x for i in own_indices(s) for x in i.free()))
            return not data.isdisjoint(places)
        case IfStm():
            inside = (t for body in children(s) for t in nested(body))
            return not data.isdisjoint(own_uses(s)) and any(map(own_blocks, inside))
        case _:
            return False


def _decided(block: Block) -> frozenset[Name]:
    """The variables whose values depend on memory: on elements, or on branches that these take."""
    found = from_memory(block)
    while more := _under(block, found) - found:
        found |= more
    return found


def _under(block: Block, known: frozenset[Name]) -> frozenset[Name]:
    """What is assigned from something known, or inside a statement that something known decides."""
    found: set[Name] = set()
    for s in nested(block):
        if not known.isdisjoint(own_uses(s)):
            found.update(own_assigns(s))
            found.update(x for body in children(s) for t in nested(body) for x in own_assigns(t))
    return frozenset(found)


# ---------------------------------------------------------------------- which come after which


def after_failures(steps: Steps, can_fail: Callable[[int], bool]) -> frozenset[int]:
    """The kernels that may run after one that failed, before the host has looked."""
    found: set[int] = set()
    _walk(steps, False, can_fail, found)
    return frozenset(found)


def _walk(steps: Steps, failed: bool, can_fail: Callable[[int], bool], found: set[int]) -> bool:
    """Whether a kernel may have failed unseen after these steps, given whether one may before."""
    for step in steps:
        failed = _step(step, failed, can_fail, found)
    return failed


def _step(step: Step, failed: bool, can_fail: Callable[[int], bool], found: set[int]) -> bool:
    match step:
        case Launch(kernel):
            if failed:
                found.add(kernel)
            return failed or can_fail(kernel)
        case Fetch() | ReadScalar():
            return False
        case If(_, then, orelse):
            ends = [_walk(b, failed, can_fail, found) for b in (then, orelse)]
            return any(ends)
        case For(_, _, body) | While(_, body):
            after = _walk(body, failed, can_fail, found)
            if after and not failed:
                _walk(body, True, can_fail, found)
            return failed or after
        case _:
            return failed
