"""The steps of a plan as a tree whose nodes are numbered in the order of the text, and what can be
said of them without a device.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from funmem.codegen.plan import (
    Alias,
    Alloc,
    Binary,
    Cast,
    Expr,
    Fetch,
    For,
    Free,
    If,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Unary,
    Verify,
    While,
)
from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.fun import Const, Var
from funmem.ir.imp import ArrayPort
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import Value, bin_fn, convert_fn, un_fn
from funmem.ir.sizes import Size, product


@frozen
class Node:
    """A step, its number, how many loops and branches are around it, and the steps inside it."""

    index: int
    depth: int
    step: Step
    bodies: "tuple[Nodes, ...]" = ()

    @property
    def last(self) -> int:
        """The number of the last step inside, or its own."""
        ends = [body[-1].last for body in self.bodies if body]
        return max(ends, default=self.index)


Nodes: TypeAlias = tuple[Node, ...]


def numbered(steps: Steps) -> Nodes:
    """The tree of a plan's steps, numbered from 0."""
    return _numbered(steps, 0, 0)[0]


def _numbered(steps: Steps, start: int, depth: int) -> tuple[Nodes, int]:
    done: list[Node] = []
    for step in steps:
        index, bodies = start, []
        start += 1
        for inner in inner_steps(step):
            body, start = _numbered(inner, start, depth + 1)
            bodies.append(body)
        done.append(Node(index, depth, step, tuple(bodies)))
    return tuple(done), start


def inner_steps(step: Step) -> tuple[Steps, ...]:
    """The lists of steps inside a step."""
    match step:
        case If(_, then, orelse):
            return (then, orelse)
        case For(_, _, body) | While(_, body):
            return (body,)
        case _:
            return ()


def every(nodes: Nodes) -> Iterator[Node]:
    """All nodes, inner ones too, by their numbers."""
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from every(body)


def place_of(step: Step) -> Span:
    """The place of a step in the source, if it has one."""
    match step:
        case If(_, first, _) | For(_, _, first) | While(_, first):
            return next((at for s in first if (at := place_of(s)) != NOWHERE), NOWHERE)
        case Alias() | Free() | Fetch() | Verify():
            return NOWHERE
        case _:
            return step.at


# ---------------------------------------------------------------------- what sizes depend on


def expr_names(e: Expr) -> frozenset[Name]:
    """The variables of an expression."""
    match e:
        case Const():
            return frozenset()
        case Var(x):
            return frozenset((x,))
        case Binary(_, _, a, b):
            return expr_names(a) | expr_names(b)
        case Unary(_, _, a) | Cast(_, _, a):
            return expr_names(a)


def assigned(step: Step) -> frozenset[Name]:
    """The scalar variables that a step itself sets."""
    match step:
        case SetScalar(x) | ReadScalar(x):
            return frozenset((x,))
        case Fetch(outs):
            return frozenset(o.x for o in outs)
        case For(index):
            return frozenset((index,))
        case _:
            return frozenset()


def touches_memory(node: Node) -> bool:
    """Whether a step, or one inside it, changes which buffers are held."""
    return isinstance(node.step, Alloc | Alias | Free) or any(
        touches_memory(n) for body in node.bodies for n in body
    )


def relevant(nodes: Nodes) -> frozenset[Name]:
    """The scalars on which sizes of blocks depend, or whether and how often blocks are allocated:
    a backward slice, as a least fixed point.
    """
    everything = tuple(every(nodes))
    found = frozenset[Name]().union(*map(_wanted_by_memory, everything))
    while True:
        more = found.union(*(_wanted_by_scalars(n, found) for n in everything))
        if more == found:
            return found
        found = more


def _control(step: Step) -> frozenset[Name]:
    """What decides how often the steps inside are run."""
    match step:
        case If(cond):
            return expr_names(cond)
        case For(_, bound):
            return bound.free()
        case While(cond):
            return frozenset((cond,))
        case _:
            return frozenset()


def _wanted_by_memory(node: Node) -> frozenset[Name]:
    if isinstance(node.step, Alloc):
        return node.step.size.free()
    return _control(node.step) if touches_memory(node) else frozenset()


def _wanted_by_scalars(node: Node, found: frozenset[Name]) -> frozenset[Name]:
    if sets_any(node, found):
        own = expr_names(node.step.value) if isinstance(node.step, SetScalar) else frozenset()
        return own | _control(node.step)
    return frozenset()


def sets_any(node: Node, xs: frozenset[Name]) -> bool:
    """Whether a step, or one inside it, sets one of some scalars."""
    return not assigned(node.step).isdisjoint(xs) or any(
        sets_any(n, xs) for body in node.bodies for n in body
    )


# ---------------------------------------------------------------------- values


def array_bytes(p: ArrayPort) -> Size:
    """The bytes of an array that crosses the border of an entry point."""
    return product(p.shape) * p.elem.bytes


def evaluate(e: Expr) -> Callable[[Mapping[Name, Value]], Value]:
    """An expression as a function of the scalars."""
    match e:
        case Const(v):
            return lambda _: v
        case Var(x):
            return lambda s: s[x]
        case Binary(op, t, a, b):
            binary, left, right = bin_fn(op, t), evaluate(a), evaluate(b)
            return lambda s: binary(left(s), right(s))
        case Unary(op, t, a):
            unary, operand = un_fn(op, t), evaluate(a)
            return lambda s: unary(operand(s))
        case Cast(to, source, a):
            cast, operand = convert_fn(source, to), evaluate(a)
            return lambda s: cast(operand(s))
