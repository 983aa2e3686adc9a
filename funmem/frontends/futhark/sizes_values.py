"""Convert scalar expressions to sizes: ``n + 1`` is a polynomial, ``n / 2`` an atom.

Other expressions are atoms too where the program gives a size, as in ``iota xs[0]``.  Elsewhere
they have no size: in ``let n = xs[0]``, n is an ordinary variable.
"""

from collections.abc import Callable
from typing import TypeAlias

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef, Ref
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, const, var

OTHER = "other: "
"""The prefix of an atom's operator that stands for an expression of any other form."""


def dimension(cx: SizeContext, e: ast.Exp) -> Size:
    """Return the size of a scalar expression in a place that gives a size; it always exists.

    An expression without a size form equals the same expression over the same variables.
    """
    s = size_of(cx, e, dimension)
    return s if s is not None else _other(cx, e)


def size_of(cx: SizeContext, e: ast.Exp, part: "ToSize | None" = None) -> Size | None:
    """Return the value of a scalar expression as a size, or None if it has no size form.

    ``part`` converts its subexpressions; default: this function.
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
        case (
            ast.Literal()
            | ast.Hole()
            | ast.Aggregate()
            | ast.Access()
            | ast.Operation()
            | ast.Form()
            | ast.Section()
            | ast.Change()
            | ast.Annotated()
            | ast.OpenIn()
            | ast.Comprehension()
        ):
            return None


ToSize: TypeAlias = Callable[[SizeContext, ast.Exp], Size | None]


def _other(cx: SizeContext, e: ast.Exp) -> Size:
    """Return an atom for the tree of ``e``, whose arguments are its free local variables."""
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
                case BuiltinRef() | None:
                    shape.append(str(node))
        elif isinstance(node, tuple):
            shape.append(f"({len(node)}")
            todo += reversed(node)
        elif isinstance(node, ast.Node):
            shape.append(type(node).__name__)
            todo += reversed(ast.parts(node))
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


def _application(cx: SizeContext, e: ast.App, of: ToSize) -> Size | None:
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
    """Record another expression with an atom's value: it may be in scope where others are not."""
    cx.solver.shared.exps.setdefault(atom, {})[e] = None


# ---------------------------------------------------------------------- free variables


def free_locals(cx: SizeContext, e: ast.Exp) -> frozenset[Name]:
    """Return the local variables that occur free in an expression."""
    used, bound = _names(cx, e)
    return frozenset(used - bound)


def _names(cx: SizeContext, e: ast.Exp) -> tuple[set[Name], set[Name]]:
    """Return the local variables that occur, and those that are bound."""
    typing = cx.typing
    used: set[Name] = set()
    bound: set[Name] = set()
    todo: list[object] = [e]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        if not isinstance(node, ast.Node):
            continue
        parts = ast.parts(node)
        todo += parts
        ref: Ref | None = None
        if isinstance(node, ast.QualName):
            ref = typing.refs.get(node)
        elif isinstance(node, ast.PVar):
            ref = typing.initials.get(node)
            bound.add(typing.names[node])
        elif isinstance(node, ast.LetWith):
            ref = typing.opened[node]
        if isinstance(ref, LocalRef):
            used.add(ref.name)
        for part in [*parts, "key"]:
            for text in part if isinstance(part, tuple) else (part,):
                if isinstance(text, str) and (name := typing.names.get((node, text))) is not None:
                    bound.add(name)
    return used, bound
