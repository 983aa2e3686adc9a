"""Scalar expressions as sizes: ``n + 1`` is a polynomial, ``n / 2`` an atom.

Other expressions are atoms as well where the program gives a size, ``iota xs[0]``; elsewhere they
have no size: in ``let n = xs[0]``, n is a variable like any other.
"""

from collections.abc import Callable
from typing import TypeAlias

from attrs import fields, has

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef, Ref
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, const, var

OTHER = "other: "
"""What the operator of an atom begins with that stands for an expression of any other form."""


def dimension(cx: SizeContext, e: ast.Exp) -> Size:
    """The value of a scalar expression where a size is given: every expression has one.

    One whose form sizes do not have is equal to the same expression over the same variables.
    """
    s = size_of(cx, e, dimension)
    return s if s is not None else _other(cx, e)


def size_of(cx: SizeContext, e: ast.Exp, part: "Part | None" = None) -> Size | None:
    """The value of a scalar expression, or None if it has no form that sizes have.

    ``part``: the same for the expressions in it.
    """
    of = part or size_of
    match e:
        case ast.IntLit(value):
            return const(value)
        case ast.Var(name):
            s = _variable(cx, name)
            ref = cx.typing.refs[name]
            if s is not None and (ref.labels or not isinstance(ref, LocalRef)):
                for x in s.free():
                    _known_as(cx, x, e)
            return s
        case ast.Neg(inner):
            s = of(cx, inner)
            return None if s is None or not _is_i64(cx, e) else -s
        case ast.BinOp(op, left, right):
            a, b = of(cx, left), of(cx, right)
            return None if a is None or b is None else _operation(cx, e, op, a, b)
        case ast.Project(inner, label):
            s = of(cx, inner)
            return None if s is None else _atom(cx, e, f".{label}", (s,))
        case ast.App():
            return _application(cx, e, of)
        case ast.Ascript(inner, _):
            return of(cx, inner)
        case _:
            return None


Part: TypeAlias = Callable[[SizeContext, ast.Exp], Size | None]


def _other(cx: SizeContext, e: ast.Exp) -> Size:
    """An atom for the tree of ``e``: in it, free local variables are arguments."""
    refs = cx.typing.refs
    _, bound = _names(cx, e)
    numbers: dict[Name, int] = {}
    shape: list[str] = []
    args: list[Size] = []
    todo: list[object] = [e]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.QualName):
            match refs.get(node):
                case LocalRef(name, labels) if name in bound:
                    shape.append(f"%{numbers.setdefault(name, len(numbers))}.{labels}")
                case LocalRef():
                    s = _variable(cx, node)
                    assert s is not None
                    shape.append("_")
                    args.append(s)
                case GlobalRef(name, labels=labels):
                    shape.append(f"{name}.{labels}")
                case _:
                    shape.append(str(node))
        elif isinstance(node, tuple):
            shape.append(f"({len(node)}")
            todo += reversed(node)
        elif (parts := _parts(node)) is not None:
            shape.append(type(node).__name__)
            todo += reversed(parts)
        elif not isinstance(node, Span):
            shape.append(repr(node))
    return _atom(cx, e, OTHER + " ".join(shape), tuple(args))


def _is_i64(cx: SizeContext, e: ast.Exp) -> bool:
    return cx.typing.types.get(e) is I64


def _variable(cx: SizeContext, q: ast.QualName) -> Size | None:
    match cx.typing.refs[q]:
        case LocalRef(name, labels):
            s: Size | None = cx.values.get(name, var(name))
        case GlobalRef(name, labels=labels):
            s = var(name)
            cx.solver.shared.constants.add(name)
        case BuiltinRef(module, name, _, _, labels):
            s = cx.solver.atom(f"{module}.{name}" if module else name, ())
    for label in labels:
        s = None if s is None else cx.solver.atom(f".{label}", (s,))
    return s


def _operation(cx: SizeContext, e: ast.BinOp, op: ast.QualName, a: Size, b: Size) -> Size:
    ref = cx.typing.refs[op]
    if isinstance(ref, BuiltinRef) and _is_i64(cx, e) and ref.module in ("", "i64"):
        match ref.name:
            case "+" | "*":
                return cx.solver.written(ref.name, a, b)
            case "-":
                return a - b
            case _:
                pass
    head = f"{ref.module}.{ref.name}" if isinstance(ref, BuiltinRef) else ref.name
    return _atom(cx, e, f"`{head}`", (a, b))


def _application(cx: SizeContext, e: ast.App, of: Part) -> Size | None:
    args: list[ast.Exp] = []
    head: ast.Exp = e
    while isinstance(head, ast.App):
        args.append(head.arg)
        head = head.fn
    if not isinstance(head, ast.Var) or not isinstance(cx.typing.types.get(e), ScalarType):
        return None
    sizes: list[Size] = []
    for arg in reversed(args):
        s = of(cx, arg)
        if s is None:
            return None
        sizes.append(s)
    fn = _variable(cx, head.name)
    return None if fn is None else _atom(cx, e, "a call", (fn, *sizes))


def _atom(cx: SizeContext, e: ast.Exp, op: str, args: tuple[Size, ...]) -> Size:
    s = cx.solver.atom(op, args)
    name = s.as_name
    assert name is not None
    _known_as(cx, name, e)
    return s


def _known_as(cx: SizeContext, atom: Name, e: ast.Exp) -> None:
    """Another expression of an atom's value: one may be in scope where others are not."""
    cx.solver.shared.exps.setdefault(atom, {})[e] = None


# ---------------------------------------------------------------------- what an expression needs


def free_locals(cx: SizeContext, e: ast.Exp) -> frozenset[Name]:
    """The local variables that an expression needs, and does not bind itself."""
    used, bound = _names(cx, e)
    return frozenset(used - bound)


def _names(cx: SizeContext, e: ast.Exp) -> tuple[set[Name], set[Name]]:
    """The local variables that occur, and those that are bound."""
    typing = cx.typing
    used: set[Name] = set()
    bound: set[Name] = set()
    todo: list[object] = [e]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        parts = _parts(node)
        if parts is None:
            continue
        todo += parts
        ref: Ref | None = None
        match node:
            case ast.QualName():
                ref = typing.refs.get(node)
            case ast.PVar():
                ref = typing.initials.get(node)
                bound.add(typing.names[node])
            case ast.LetWith():
                ref = typing.opened[node]
            case _:
                pass
        if isinstance(ref, LocalRef):
            used.add(ref.name)
        for part in [*parts, "key"]:
            for text in part if isinstance(part, tuple) else (part,):
                if isinstance(text, str) and (name := typing.names.get((node, text))) is not None:
                    bound.add(name)
    return used, bound


def _parts(node: object) -> list[object] | None:
    """The fields of a node of the tree."""
    kind = type(node)
    if kind.__module__ != ast.__name__ or not has(kind):
        return None
    return [getattr(node, f.name) for f in fields(kind)]
