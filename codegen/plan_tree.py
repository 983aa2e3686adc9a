"""Queries on the steps of a plan: a tree with numbered nodes, slices, and evaluation of scalars."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from funmem.codegen.plan import (
    Alias,
    Alloc,
    Binary,
    CallForeign,
    Cast,
    Expr,
    Fetch,
    For,
    Free,
    If,
    Launch,
    ReadScalar,
    SetScalar,
    Step,
    Steps,
    Unary,
    Verify,
    While,
    inner_steps,
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
    """A step with its number in program order, its nesting depth and its nested steps."""

    index: int
    depth: int
    step: Step
    bodies: "tuple[Nodes, ...]" = ()

    @property
    def last(self) -> int:
        """Return the number of the last nested step, or the node's own number."""
        ends = [body[-1].last for body in self.bodies if body]
        return max(ends, default=self.index)


Nodes: TypeAlias = tuple[Node, ...]


def numbered(steps: Steps) -> Nodes:
    """Return the tree of the steps, numbered from 0 in program order."""
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


def every(nodes: Nodes) -> Iterator[Node]:
    """Yield the nodes and all nested nodes, in the order of their numbers."""
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from every(body)


def place_of(step: Step) -> Span:
    """Return the source position of a step, or of its first nested step that has one."""
    match step:
        case If(_, first, _) | For(_, _, first) | While(_, first):
            return next((at for s in first if (at := place_of(s)) != NOWHERE), NOWHERE)
        case Alias() | Free() | Fetch() | Verify():
            return NOWHERE
        case SetScalar() | Alloc() | Launch() | ReadScalar() | CallForeign():
            return step.at


# ---------------------------------------------------------------------- slices


def expr_names(e: Expr) -> frozenset[Name]:
    """Return the variables of an expression."""
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
    """Return the scalar variables that a step sets, without those of its nested steps."""
    match step:
        case SetScalar(x) | ReadScalar(x):
            return frozenset((x,))
        case Fetch(outs) | CallForeign(outs):
            return frozenset(o.x for o in outs)
        case For(index):
            return frozenset((index,))
        case Alias() | Alloc() | Free() | Launch() | If() | While() | Verify():
            return frozenset()


def set_blocks(step: Step) -> tuple[Name, ...]:
    """Return the block variables that a step changes, without those of its nested steps."""
    match step:
        case Alias(x) | Alloc(x):
            return (x,)
        case Free(xs):
            return xs
        case SetScalar() | Launch() | Fetch() | ReadScalar() | If() | For() | While() | Verify():
            return ()
        case CallForeign():
            return ()


def touches_memory(node: Node) -> bool:
    """True if a step or a nested step changes which buffers are held."""
    return bool(set_blocks(node.step)) or any(
        touches_memory(n) for body in node.bodies for n in body
    )


def relevant(nodes: Nodes) -> frozenset[Name]:
    """Return the scalars that decide block sizes, or whether and how often blocks are allocated.

    It is a backward slice, computed as a least fixed point.
    """
    everything = tuple(every(nodes))
    found = frozenset[Name]().union(*map(_wanted_by_memory, everything))
    while True:
        more = found.union(*(_wanted_by_scalars(n, found) for n in everything))
        if more == found:
            return found
        found = more


def _control(step: Step) -> frozenset[Name]:
    """Return the scalars that decide how often the nested steps run."""
    match step:
        case If(cond):
            return expr_names(cond)
        case For(_, bound):
            return bound.free()
        case While(cond):
            return frozenset((cond,))
        case SetScalar() | Alias() | Alloc() | Free() | Launch() | Fetch() | ReadScalar():
            return frozenset()
        case CallForeign() | Verify():
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
    """True if a step or a nested step sets one of the scalars ``xs``."""
    return not assigned(node.step).isdisjoint(xs) or any(
        sets_any(n, xs) for body in node.bodies for n in body
    )


# ---------------------------------------------------------------------- values


def array_bytes(p: ArrayPort) -> Size:
    """Return the size in bytes of an array parameter or result."""
    return product(p.shape) * p.elem.bytes


def evaluate(e: Expr) -> Callable[[Mapping[Name, Value]], Value]:
    """Return a function that evaluates an expression, given the values of the scalars."""
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
