"""The body of a kernel as a tree of uniform statements, statements of the lanes, and control.

The nodes:

    Uniform(s)          a statement that is the same for all lanes
    Lanes(s, …)         statements that each lane runs
    Loop(header, …)     a loop or kernel with the same trip count in all lanes
    Branch(header, …)   a conditional with a uniform condition that contains loops, or uniform
                        statements among those of the lanes
    Masked(header, …)   a divergent while-loop: it runs until all lanes have left it (masked.py
                        describes what finished lanes do)
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.ir.fun import Var
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
from funmem.ir.imp_traverse import nested, own_assigns, own_uses
from funmem.ir.names import Name
from funmem.ir.record import frozen


@frozen
class Uniform:
    """A statement that runs once for a group."""

    stm: ImpStm


@frozen
class Lanes:
    """Statements that each lane runs."""

    stms: Block


@frozen
class Loop:
    """A loop or nested kernel with a uniform trip count."""

    header: ForStm | WhileStm | KernelStm
    body: "tuple[Node, ...]"


@frozen
class Branch:
    """A conditional with a uniform condition."""

    header: IfStm
    then: "tuple[Node, ...]"
    orelse: "tuple[Node, ...]"


@frozen
class Masked:
    """A divergent while-loop.  ``part`` is its body under the loop's condition.  ``unused`` are
    variables that it assigns and that are known to be dead after it.
    """

    header: WhileStm
    part: Lanes
    unused: frozenset[Name] = frozenset()


Node: TypeAlias = Uniform | Lanes | Loop | Branch | Masked


def split(body: Block, varying: frozenset[Name]) -> tuple[Node, ...]:
    """Return the nodes of a body.

    A uniform statement moves before the pending statements of the lanes, unless they use a variable
    that it assigns, or write memory that it may read.  Then an assignment moves behind the next
    statements of the lanes, up to one that uses its variable.
    """
    out: list[Node] = []
    waiting: list[ImpStm] = []
    late: list[Assign] = []

    def flush() -> None:
        if waiting:
            out.append(Lanes(tuple(waiting)))
            waiting.clear()
        out.extend(map(Uniform, late))
        late.clear()

    def wait(s: ImpStm) -> None:
        if late and _meets(s, late):
            flush()
        waiting.append(s)

    for s in body:
        match s:
            case Declare(x):
                if x not in varying:
                    out.append(Uniform(s))
            case ForStm() | WhileStm() | KernelStm() if _control_is_uniform(s, varying):
                flush()
                out.append(Loop(s, split(s.body, varying)))
            case IfStm(_, then, orelse) if _is_branch(s, varying):
                flush()
                out.append(Branch(s, split(then, varying), split(orelse, varying)))
            case WhileStm(cond, body) if not any(isinstance(t, _LOOPS) for t in nested(body)):
                flush()
                out.append(Masked(s, Lanes((IfStm(Var(cond), body, (), s.at),))))
            case Assign() | Read() | IfStm() | CallStm() | Check() if _is_uniform(s, varying):
                if late and _meets(s, late):
                    flush()
                if not _conflict(s, waiting):
                    out.append(Uniform(s))
                elif isinstance(s, Assign):
                    late.append(s)
                else:
                    flush()
                    out.append(Uniform(s))
            case Assign() | Read() | CallStm() | Check():
                wait(s)
            case Allocate() | Write() | CopyElement() | OpaqueStm():
                wait(s)
            case IfStm() | ForStm() | WhileStm() | KernelStm():
                wait(s)
    flush()
    return tuple(out)


def _control_is_uniform(s: ImpStm, varying: frozenset[Name]) -> bool:
    return own_uses(s).isdisjoint(varying)


def _is_branch(s: IfStm, varying: frozenset[Name]) -> bool:
    """True if a conditional is uniform and its branches have to be split.

    A conditional without loops may run in the lanes, unless it assigns uniform variables: these are
    declared outside the lanes.
    """
    if not _control_is_uniform(s, varying):
        return False
    return _has_loop(s) or (not _is_uniform(s, varying) and _assigns_uniform(s, varying))


def _assigns_uniform(s: IfStm, varying: frozenset[Name]) -> bool:
    inside = nested((*s.then, *s.orelse))
    declared = {t.x for t in nested((*s.then, *s.orelse)) if isinstance(t, Declare)}
    assigned = frozenset(x for t in inside for x in own_assigns(t))
    return not (assigned - declared) <= varying


def _has_loop(s: IfStm) -> bool:
    return any(isinstance(t, _LOOPS) for t in nested((s,)))


_LOOPS = (ForStm, WhileStm, KernelStm)


def _is_uniform(s: ImpStm, varying: frozenset[Name]) -> bool:
    """True if a statement neither uses nor assigns varying variables, and writes no memory."""
    for t in nested((s,)):
        if isinstance(t, Write | CopyElement):
            return False
        if not (own_uses(t) | frozenset(own_assigns(t))).isdisjoint(varying):
            return False
    return True


def _conflict(s: ImpStm, waiting: Sequence[ImpStm]) -> bool:
    """True if ``s`` must not move before the statements in ``waiting``."""
    assigned = frozenset(x for t in nested((s,)) for x in own_assigns(t))
    reads = any(isinstance(t, Read) for t in nested((s,)))
    for t in nested(tuple(waiting)):
        if not own_uses(t).isdisjoint(assigned):
            return True
        if reads and isinstance(t, Write | CopyElement):
            return True
    return False


def _meets(s: ImpStm, late: Sequence[Assign]) -> bool:
    """True if ``s`` must not move before assignments."""
    here = tuple(nested((s,)))
    used = frozenset().union(*map(own_uses, here), *map(own_assigns, here))
    own = frozenset(x for t in here for x in own_assigns(t))
    return any(t.x in used or not own_uses(t).isdisjoint(own) for t in late)


def loops(nodes: Sequence[Node]) -> Iterator[Loop | Masked]:
    """Yield the loops around statements of the lanes, outer ones first."""
    for node in nodes:
        match node:
            case Loop(_, body):
                if any(isinstance(n, Lanes | Masked) for n in all_nodes(body)):
                    yield node
                yield from loops(body)
            case Branch(_, then, orelse):
                yield from loops(then)
                yield from loops(orelse)
            case Masked():
                yield node
            case Uniform() | Lanes():
                pass


def all_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes and the nodes inside them, outer ones first."""
    for node in nodes:
        yield node
        match node:
            case Loop(_, body):
                yield from all_nodes(body)
            case Branch(_, then, orelse):
                yield from all_nodes(then)
                yield from all_nodes(orelse)
            case Masked(_, part):
                yield part
            case Uniform() | Lanes():
                pass


def lane_parts(nodes: Sequence[Node]) -> Iterator[Lanes]:
    """Return the statements of the lanes, in textual order."""
    return (n for n in all_nodes(nodes) if isinstance(n, Lanes))


def has_divergent_loop(nodes: Sequence[Node]) -> bool:
    """True if a loop has different trip counts in different lanes."""
    return any(
        isinstance(n, Masked) or any(isinstance(t, _LOOPS) for t in nested(n.stms))
        for n in all_nodes(nodes)
        if isinstance(n, Lanes | Masked)
    )
