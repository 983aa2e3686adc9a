"""The parts of an expression, and what follows from them: variables, calls, components."""

from collections.abc import Iterator, Sequence

from funmem.frontends.harlan import ast
from funmem.ir.components import strongly_connected


def children(e: ast.Exp) -> tuple[ast.Exp, ...]:
    """Return the immediate parts of an expression, in the order of evaluation."""
    match e:
        case ast.Var() | ast.Number() | ast.Bool() | ast.Char() | ast.Str() | ast.Error():
            return ()
        case ast.Bin(_, _, a, b):
            return (a, b)
        case ast.Intrinsic(_, args) | ast.Construct(_, args) | ast.Call(_, args):
            return args
        case ast.Apply(fn, args):
            return (fn, *args)
        case ast.If(cond, then, orelse):
            return (cond, then) if orelse is None else (cond, then, orelse)
        case ast.Begin(parts) | ast.VectorOf(parts):
            return parts
        case ast.Let(bindings, body) | ast.Kernel(bindings, body):
            return (*(v for _, v in bindings), body)
        case ast.While(cond, body):
            return (cond, body)
        case ast.For(_, start, stop, step, body):
            return (start, stop, body) if step is None else (start, stop, step, body)
        case ast.Match(exp, arms):
            return (exp, *(arm.body for arm in arms))
        case ast.Lambda(_, body) | ast.LetRegion(_, body):
            return (body,)
        case ast.SetVar(_, value):
            return (value,)
        case ast.SetElem(vector, index, value):
            return (vector, index, value)
        case ast.Print(value, stream):
            return (value,) if stream is None else (value, stream)
        case ast.Assert(cond):
            return (cond,)
        case ast.Iota(count):
            return (count,)
        case ast.Length(vector):
            return (vector,)
        case ast.VectorRef(vector, index):
            return (vector, index)
        case ast.Fold(_, _, body, init, vector):
            return (vector, body) if init is None else (init, vector, body)
        case ast.Cast(_, _, exp) | ast.Reinterpret(exp):
            return (exp,)


def binders(e: ast.Exp) -> tuple[ast.Local, ...]:
    """Return the variables that an expression binds in its parts."""
    match e:
        case ast.Let(bindings) | ast.Kernel(bindings):
            return tuple(x for x, _ in bindings)
        case ast.For(local):
            return (local,)
        case ast.Match(_, arms):
            return tuple(x for arm in arms for x in arm.binders)
        case ast.Lambda(params) | ast.Fold(_, params):
            return params
        case _:
            return ()


def walk(e: ast.Exp) -> Iterator[ast.Exp]:
    """Return an expression and all its parts."""
    todo = [e]
    while todo:
        e = todo.pop()
        yield e
        todo.extend(reversed(children(e)))


def mentioned(e: ast.Exp) -> dict[ast.Local, None]:
    """Return the variables of an expression that are bound outside of it, in order."""
    own: set[ast.Local] = set()
    found: dict[ast.Local, None] = {}
    for part in walk(e):
        own.update(binders(part))
        if isinstance(part, ast.Var | ast.SetVar):
            found[part.local] = None
    return {x: None for x in found if x not in own}


def called(d: ast.Define) -> dict[ast.Define, None]:
    """Return the definitions that a definition calls."""
    calls = (e.fn for e in walk(d.exp) if isinstance(e, ast.Call))
    return {fn: None for fn in calls if isinstance(fn, ast.Define)}


def components(defines: Sequence[ast.Define]) -> list[list[ast.Define]]:
    """Return the strongly connected components of the calls, what is called first (Tarjan)."""
    return strongly_connected(defines, {d: list(called(d)) for d in defines})
