"""Failure guards: kernels that test the status buffer first, in case an earlier kernel has failed.

A kernel that fails leaves elements unwritten, and the kernels after it run before the host sees the
failure.  Their results are discarded, but they must terminate and stay inside their blocks.  A
kernel is unsafe after a failure in these cases:

    while, for i < n                it may not terminate, or take very long
    m[i], i from memory             i may be any number
    if f then i <- i + n            the same, if f comes from memory
    if f then … m[i] …              the same: f may say whether i is a valid index

An unsafe kernel tests the status buffer before it starts.  Its own checks are no substitute: the
fast build has no bounds checks, and passes remove checks that hold as long as no kernel has failed.

    check k in m;  …  kernel i < n do … w[k, i] …      the check is in a task: k may be any number

A check inside a task runs on the device, so the host does not stop after it.  Any scalar that the
check protects may then be wrong, so all kernels after such a task test the status buffer.

The test costs next to nothing in a kernel with a loop.  A kernel without a loop would be several
times slower, since PoCL does not vectorise it with the test; so only unsafe kernels have one.
"""

from collections.abc import Callable, Collection, Iterable

from funmem.codegen.plan import (
    Alias,
    Alloc,
    CallForeign,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Verify,
    While,
)
from funmem.codegen.unroll import from_memory
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
from funmem.ir.imp_traverse import children, nested, own_assigns, own_blocks, own_indices, own_uses
from funmem.ir.names import Name
from funmem.ir.sizes import Size

SOON = 1 << 10
"""Iterations of a loop nest that take no noticeable time."""


def needs_guard(block: Block, long: Collection[Name] = ()) -> bool:
    """True if a task, or a work-item of a kernel, may run long or access memory out of bounds.

    ``long``: the functions that may run long.
    """
    block = _iteration(block)
    data = _depends_on_memory(block)
    return rounds(block, long) > SOON or any(_is_unsafe(s, data) for s in nested(block))


def ends_soon(block: Block, long: Collection[Name] = ()) -> bool:
    """True if a task, or a work-item of a kernel, takes no noticeable time."""
    return rounds(_iteration(block), long) <= SOON


def _iteration(block: Block) -> Block:
    """Return what one work-item runs."""
    match block:
        case (KernelStm(_, body),):
            return body
        case _:
            return block


def long_functions(functions: Iterable[ImpFunction]) -> frozenset[Name]:
    """Return the functions that may run long; each calls only earlier ones."""
    found: set[Name] = set()
    for f in functions:
        if rounds(f.body, found) > SOON:
            found.add(f.name)
    return frozenset(found)


def rounds(block: Block, long: Collection[Name] = ()) -> float:
    """Return how often a statement of the block runs at most; infinite if unknown."""
    return max((_rounds_of(s, long) for s in block), default=1)


def _rounds_of(s: ImpStm, long: Collection[Name]) -> float:
    inside = max((rounds(b, long) for b in children(s)), default=1)
    match s:
        case WhileStm():
            return float("inf")
        case ForStm(_, bound):
            return inside * _trip_count((bound,))
        case KernelStm(dims):
            return inside * _trip_count(d.bound for d in dims)
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return inside
        case CallStm(_, fn):
            return float("inf") if fn in long else inside
        case Check() | OpaqueStm():
            return inside
        case IfStm():
            return inside


def _trip_count(bounds: Iterable[Size]) -> float:
    """Return the product of bounds, each taken as at least 1; infinite if one is not constant."""
    n = 1.0
    for b in bounds:
        n *= float("inf") if b.as_const is None else max(b.as_const, 1)
    return n


def _is_unsafe(s: ImpStm, data: frozenset[Name]) -> bool:
    """True if ``data`` decides which block and element a statement accesses, or whether it does."""
    match s:
        case Read() | Write() | CopyElement():
            variables = (*own_blocks(s), *(x for i in own_indices(s) for x in i.free()))
            return not data.isdisjoint(variables)
        case IfStm():
            inside = (t for body in children(s) for t in nested(body))
            return not data.isdisjoint(own_uses(s)) and any(map(own_blocks, inside))
        case OpaqueStm():
            return True
        case Declare() | Assign() | Allocate() | CallStm() | Check():
            return False
        case ForStm() | WhileStm() | KernelStm():
            return False


def _depends_on_memory(block: Block) -> frozenset[Name]:
    """Return the variables whose values depend on memory, through data flow or control flow."""
    found = from_memory(block)
    while more := _affected(block, found) - found:
        found |= more
    return found


def _affected(block: Block, known: frozenset[Name]) -> frozenset[Name]:
    """Return the variables set by statements that use ``known``, or nested in such statements."""
    found: set[Name] = set()
    for s in nested(block):
        if not known.isdisjoint(own_uses(s)):
            found.update(own_assigns(s))
            found.update(x for body in children(s) for t in nested(body) for x in own_assigns(t))
    return frozenset(found)


# ---------------------------------------------------------------------- the order of kernels


def after_failures(steps: Steps, can_fail: Callable[[int], bool]) -> frozenset[int]:
    """Return the kernels that may run after a failed one, before the host has seen the failure."""
    found: set[int] = set()
    _walk(steps, False, can_fail, found)
    return frozenset(found)


def _walk(steps: Steps, failed: bool, can_fail: Callable[[int], bool], found: set[int]) -> bool:
    """Add the kernels of ``steps`` that may run after an unseen failure to ``found``.

    Returns whether there may be an unseen failure after the steps; ``failed``: before them.
    """
    for step in steps:
        failed = _step(step, failed, can_fail, found)
    return failed


def _step(step: Step, failed: bool, can_fail: Callable[[int], bool], found: set[int]) -> bool:
    match step:
        case Launch(kernel):
            if failed:
                found.add(kernel)
            return failed or can_fail(kernel)
        case Fetch() | ReadScalar() | CallForeign():
            return False
        case If(_, then, orelse):
            ends = [_walk(b, failed, can_fail, found) for b in (then, orelse)]
            return any(ends)
        case For(_, _, body) | While(_, body):
            after = _walk(body, failed, can_fail, found)
            if after and not failed:
                _walk(body, True, can_fail, found)
            return failed or after
        case SetScalar() | Alias() | Alloc() | Free() | Verify():
            return failed
