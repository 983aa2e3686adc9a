"""A kernel's body as what is done once for a group, what each lane does, and loops around both.

What the nodes are:

    Alike(s)            a statement that is the same for all lanes
    Lanes(s, …)         statements of each lane
    Loop(header, …)     a loop, or a kernel, that all lanes run alike
    Branch(header, …)   a conditional whose condition is alike, with loops in it, or with some
                        statements that are alike among those of the lanes
    Masked(header, …)   a while-loop that some lanes leave earlier than others: all go on until
                        the last one is done (masked.py says what those that are done do)
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from funmem.ir.fun import Var
from funmem.ir.imp import (
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpStm,
    KernelStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import nested, own_assigns, own_uses
from funmem.ir.names import Name
from funmem.ir.record import frozen


@frozen
class Alike:
    """A statement that is done once."""

    stm: ImpStm


@frozen
class Lanes:
    """Statements that each lane does."""

    stms: Block


@frozen
class Loop:
    """A loop, or nested kernel, around nodes."""

    header: ForStm | WhileStm | KernelStm
    body: "tuple[Node, ...]"


@frozen
class Branch:
    """A conditional around nodes."""

    header: IfStm
    then: "tuple[Node, ...]"
    orelse: "tuple[Node, ...]"


@frozen
class Masked:
    """A while-loop of the lanes; ``part``: its body, for lanes whose condition still holds.
    ``unused``: variables that it assigns and nobody uses after it, as far as that is known.
    """

    header: WhileStm
    part: Lanes
    unused: frozenset[Name] = frozenset()


Node: TypeAlias = Alike | Lanes | Loop | Branch | Masked


def split(body: Block, varying: frozenset[Name]) -> tuple[Node, ...]:
    """The nodes of a body.

    Something that is alike goes in front of the lanes that wait, unless they use what it assigns,
    or write memory that it might read.
    """
    out: list[Node] = []
    waiting: list[ImpStm] = []

    def flush() -> None:
        if waiting:
            out.append(Lanes(tuple(waiting)))
            waiting.clear()

    for s in body:
        match s:
            case Declare(x):
                if x not in varying:
                    out.append(Alike(s))
            case ForStm() | WhileStm() | KernelStm() if _control_is_alike(s, varying):
                flush()
                out.append(Loop(s, split(s.body, varying)))
            case IfStm(_, then, orelse) if _is_branch(s, varying):
                flush()
                out.append(Branch(s, split(then, varying), split(orelse, varying)))
            case WhileStm(cond, body) if not any(isinstance(t, _LOOPS) for t in nested(body)):
                flush()
                out.append(Masked(s, Lanes((IfStm(Var(cond), body, (), s.at),))))
            case Assign() | Read() | IfStm() | Check() if _is_alike(s, varying):
                if _conflict(s, waiting):
                    flush()
                out.append(Alike(s))
            case _:
                waiting.append(s)
    flush()
    return tuple(out)


def _control_is_alike(s: ImpStm, varying: frozenset[Name]) -> bool:
    return own_uses(s).isdisjoint(varying)


def _is_branch(s: IfStm, varying: frozenset[Name]) -> bool:
    """Whether all lanes take the same branch, and what is in it has to be split.

    Without loops it may as well be done by the lanes, but for what it assigns to variables that
    are the same for all of them: those are declared outside.
    """
    if not _control_is_alike(s, varying):
        return False
    return _has_loop(s) or (not _is_alike(s, varying) and _assigns_alike(s, varying))


def _assigns_alike(s: IfStm, varying: frozenset[Name]) -> bool:
    inside = nested((*s.then, *s.orelse))
    declared = {t.x for t in nested((*s.then, *s.orelse)) if isinstance(t, Declare)}
    assigned = frozenset(x for t in inside for x in own_assigns(t))
    return not (assigned - declared) <= varying


def _has_loop(s: IfStm) -> bool:
    return any(isinstance(t, _LOOPS) for t in nested((s,)))


_LOOPS = (ForStm, WhileStm, KernelStm)


def _is_alike(s: ImpStm, varying: frozenset[Name]) -> bool:
    """Whether a statement neither uses nor assigns what varies, and writes no memory."""
    for t in nested((s,)):
        if isinstance(t, Write | CopyElement):
            return False
        if not (own_uses(t) | frozenset(own_assigns(t))).isdisjoint(varying):
            return False
    return True


def _conflict(s: ImpStm, waiting: Sequence[ImpStm]) -> bool:
    """Whether ``s`` may not go in front of statements."""
    assigned = frozenset(x for t in nested((s,)) for x in own_assigns(t))
    reads = any(isinstance(t, Read) for t in nested((s,)))
    for t in nested(tuple(waiting)):
        if not own_uses(t).isdisjoint(assigned):
            return True
        if reads and isinstance(t, Write | CopyElement):
            return True
    return False


def loops(nodes: Sequence[Node]) -> Iterator[Loop | Masked]:
    """The loops around what the lanes do, outer ones first."""
    for node in nodes:
        match node:
            case Loop(_, body):
                if any(isinstance(n, Lanes | Masked) for n in every(body)):
                    yield node
                yield from loops(body)
            case Branch(_, then, orelse):
                yield from loops(then)
                yield from loops(orelse)
            case Masked():
                yield node
            case Alike() | Lanes():
                pass


def every(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes and those inside of them, outer ones first."""
    for node in nodes:
        yield node
        match node:
            case Loop(_, body):
                yield from every(body)
            case Branch(_, then, orelse):
                yield from every(then)
                yield from every(orelse)
            case Masked(_, part):
                yield part
            case Alike() | Lanes():
                pass


def lane_parts(nodes: Sequence[Node]) -> Iterator[Lanes]:
    """What the lanes do, in textual order."""
    return (n for n in every(nodes) if isinstance(n, Lanes))


def lanes_loop(nodes: Sequence[Node]) -> bool:
    """Whether some lanes may be done long before others: a loop is theirs, not the group's."""
    return any(
        isinstance(n, Masked) or any(isinstance(t, _LOOPS) for t in nested(n.stms))
        for n in every(nodes)
        if isinstance(n, Lanes | Masked)
    )
