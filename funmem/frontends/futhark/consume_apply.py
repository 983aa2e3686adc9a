"""Functions and their arguments: what a call consumes, and what its result may share."""

from collections.abc import Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_context import ConsumeContext
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Aliases,
    Declared,
    Function,
    Part,
    RecordShape,
    Scalar,
    Shape,
    SumShape,
    U,
    Value,
    aliases,
    bound_by,
    declared,
    fill,
    has_function,
    instance,
    shape,
)
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- names


def variable(cx: ConsumeContext, q: ast.QualName) -> Value:
    """Return the value of a name at one use."""
    ref = cx.typing.refs[q]
    word = str(q) if not ref.labels else ".".join((*q.quals, q.name)[: -len(ref.labels)])
    match ref:
        case LocalRef(name, _, types):
            found = cx.use(q.at, name, word)
            s: Value = Scalar() if found is None else found
            if types and found is not None:
                image = {n: shape(t) for n, t in zip(cx.generic[name], types, strict=True)}
                s = instance(s, image)
        case GlobalRef(name, types, view=view):
            signature = cx.signatures[name]
            if isinstance(signature, Scalar):
                return signature
            params = cx.typing.definitions[name].scheme.types
            if view is not None:
                spec = cx.typing.specs[view.name]
                signature, params, types = (
                    declared(cx.typing, spec.spec.type),
                    spec.types,
                    view.types,
                )
            image = {}
            for n, t in zip(params, types, strict=True):
                given = shape(t)
                if not has_function(given):  # functions take their types from the arguments
                    image[n] = given
            own = NOTHING if name in cx.shareless else frozenset({name})
            s = fill(own, instance(signature, image))
        case BuiltinRef(_, _, t):
            s = fill(NOTHING, shape(t))
    for label in ref.labels:
        s = _labelled(s, label)
    return s


def _labelled(s: Value, label: str) -> Value:
    return dict(s.fields)[label] if isinstance(s, RecordShape) else s


# ---------------------------------------------------------------------- arguments


def argument(
    cx: ConsumeContext,
    fn: Function[U],
    e: ast.Exp,
    before: Sequence[tuple[ast.Exp, Value]],
    callee: str,
) -> Value:
    """Return the value of an argument; ``before``: the arguments evaluated before it."""
    found, new = cx.branch(lambda: cx.exp(cx, e))
    cx.consumed = {**cx.consumed, **new}
    if new and has_function(found):
        fail(
            e.at,
            "functional-consumption",
            f"this function, an argument of {callee}, captures a value that it consumes at "
            f"{place(next(iter(new.values())))}",
            "a function may run many times, so it must not consume a captured value",
        )
    fits(e.at, fn.param, found, f"the parameter of {callee}")
    if fn.consumes:
        _check_no_self_alias(e.at, found, callee)
        mine = aliases(found)
        for other, value in before:
            if not mine.isdisjoint(aliases(value)):
                fail(
                    e.at,
                    "argument-alias",
                    f"{callee} consumes this argument, but the one at {place(other.at)} may share "
                    "elements with it",
                    "pass a copy: `copy …`",
                )
        cx.consume(e.at, found, e)
    return found


def _check_no_self_alias(at: Span, value: Value, callee: str) -> None:
    """Require that the components of a consumed tuple share no elements with each other."""
    for k, one in enumerate(pieces := list(components(value))):
        if any(not one.isdisjoint(other) for other in pieces[:k]):
            fail(
                at,
                "self-alias",
                f"{callee} consumes this, but its components may share elements with each other",
                "copy one of them: `copy …`",
            )


def components(value: Value) -> list[Aliases]:
    """Return the aliases of the components of (nested) records."""
    if isinstance(value, RecordShape):
        return [c for _, x in value.fields for c in components(x)]
    return [aliases(value)]


def fits(at: Span, expected: Declared, found: Shape[U], what: str) -> None:
    """Require that a function consumes and shares no more than the expected type allows."""
    match expected:
        case Function() if isinstance(found, Function):
            if found.consumes and not expected.consumes:
                fail(
                    at,
                    "consuming-function",
                    f"this function consumes its argument, which {what} does not allow",
                    "give it a copy of the argument: `\\x -> f (copy x)`",
                )
            fits(at, expected.result, found.result, what)
            if not isinstance(expected.result, Function) and _shares(expected, found):
                fail(
                    at,
                    "sharing-function",
                    f"{what} requires a unique result (`*`), which this function does not have",
                    "annotate the function's result with `*`, or return a copy",
                )
        case RecordShape(fields) if isinstance(found, RecordShape):
            for (_, x), (_, y) in zip(fields, found.fields, strict=True):
                fits(at, x, y, what)
        case Scalar() | Part() | RecordShape() | SumShape() | Function():
            pass


def _shares(expected: Function[bool], found: Function[U]) -> bool:
    """True if a result that must be unique is not declared so."""
    return _weaker(expected.result, found.result if found.announced is None else found.announced)


def _weaker(expected: Declared, found: Declared) -> bool:
    match expected:
        case Part(u):
            return u and (isinstance(found, Scalar) or (isinstance(found, Part) and not found.u))
        case RecordShape(fields) if isinstance(found, RecordShape):
            return any(_weaker(x, y) for (_, x), (_, y) in zip(fields, found.fields, strict=True))
        case SumShape(constructors) if isinstance(found, SumShape):
            return any(
                _weaker(x, y)
                for (_, xs), (_, ys) in zip(constructors, found.constructors, strict=True)
                for x, y in zip(xs, ys, strict=True)
            )
        case Scalar() | RecordShape() | SumShape() | Function():
            return False


# ---------------------------------------------------------------------- application


def result(s: Declared, captured: Aliases, consumes: bool, arg: Value) -> Value:
    """Return the result of a function with the aliases ``captured``."""
    shared = captured if consumes else captured | aliases(arg)

    def part(x: Declared) -> Value:
        match x:
            case Scalar():
                return x
            case Part(u, var):
                return Part(NOTHING if u else shared, var)
            case RecordShape(fields):
                return RecordShape(tuple([(label, part(y)) for label, y in fields]))
            case SumShape(constructors):
                return SumShape(
                    tuple([(c, tuple([part(y) for y in ys])) for c, ys in constructors])
                )
            case Function(_, again, param, given, announced):
                return Function(shared, again, param, given, announced)

    return part(s)


def applied(fn: Value, args: Sequence[Value], tie: Name) -> Value:
    """Return the result of a function on values; ``tie`` relates its parts."""
    if isinstance(fn, Function):
        fn = Function(fn.u | {tie}, fn.consumes, fn.param, fn.result, fn.announced)
    image: dict[Name, Declared] = {}
    for arg in args:
        assert isinstance(fn, Function)
        bound_by(fn.param, arg, image)
        fn = result(fn.result, fn.u, fn.consumes, arg)
        if image:
            fn = instance(fn, image)
    return fn


def application(cx: ConsumeContext, e: ast.App) -> Value:
    """Return the value of ``f e1 e2 …``; arguments are evaluated from right to left."""
    spine: list[ast.App] = []
    head: ast.Exp = e
    while isinstance(head, ast.App):
        spine.append(head)
        head = head.fn
    spine.reverse()
    callee = f"`{head.name}`" if isinstance(head, ast.Var) else "the function"
    target = cx.typing.refs[head.name] if isinstance(head, ast.Var) else None
    name = target.name if isinstance(target, GlobalRef) else None
    fn = cx.exp(cx, head)
    at = 0
    while at < len(spine):
        kind = known(cx, fn, head if at == 0 else spine[at - 1])
        kinds: list[Function[Aliases]] = []
        step: Value | Declared = kind
        while at + len(kinds) < len(spine) and isinstance(step, Function):
            kinds.append(Function(NOTHING, step.consumes, step.param, step.result))
            step = step.result
        values: list[tuple[ast.Exp, Value]] = []
        for k in reversed(range(len(kinds))):
            arg = spine[at + k].arg
            values.append((arg, argument(cx, kinds[k], arg, values, callee)))
        tie = cx.result_of(f"the result of {callee} at {place(e.at)}", name)
        fn = applied(kind, [v for _, v in reversed(values)], tie)
        at += len(kinds)
    return fn


def known(cx: ConsumeContext, fn: Value, e: ast.Exp) -> Function[Aliases]:
    """Return the function ``fn``; for a type parameter, it is made from the type of ``e``."""
    if not isinstance(fn, Function):
        given = fill(aliases(fn), shape(cx.typing.types[e]))
        assert isinstance(given, Function)
        return given
    return fn


def operation(cx: ConsumeContext, e: ast.BinOp) -> Value:
    """Return the value of ``e op e``, from left to right; a loop walks chains to the left."""
    spine: list[ast.BinOp] = [e]
    while isinstance(left := spine[-1].left, ast.BinOp):
        spine.append(left)
    value: Value | None = None
    for node in reversed(spine):
        ref = cx.typing.refs[node.op]
        if isinstance(ref, BuiltinRef) and isinstance(cx.typing.types[node], ScalarType):
            if value is None:
                cx.exp(cx, node.left)
            cx.exp(cx, node.right)
            value = Scalar()
            continue
        value = _operation(cx, node, value)
    assert value is not None
    return value


def _operation(cx: ConsumeContext, e: ast.BinOp, left: Value | None) -> Value:
    callee = f"`{e.op}`"
    op = variable(cx, e.op)
    assert isinstance(op, Function)
    if left is None:
        left = argument(cx, op, e.left, (), callee)
    else:
        left = given(cx, op, e.left, left, callee)
    second = applied(op, [left], cx.result_of(""))
    if not isinstance(second, Function):
        return unknown(cx, e, second, e.right)
    right = argument(cx, second, e.right, [(e.left, left)], callee)
    return applied(op, [left, right], cx.result_of(f"the result of {callee} at {place(e.op.at)}"))


def given(
    cx: ConsumeContext, fn: Function[Aliases], e: ast.Exp, found: Value, callee: str
) -> Value:
    """Like :func:`argument`, for an operand that is already evaluated."""
    fits(e.at, fn.param, found, f"the parameter of {callee}")
    if fn.consumes:
        _check_no_self_alias(e.at, found, callee)
        cx.consume(e.at, found, e)
    return found


def unknown(cx: ConsumeContext, e: ast.Exp, fn: Value, arg: ast.Exp) -> Value:
    """Return the result of a function known only by its position: it may share all elements."""
    return fill(aliases(fn) | aliases(cx.exp(cx, arg)), shape(cx.typing.types[e]))


def section(cx: ConsumeContext, e: ast.Exp, op: ast.QualName, arg: ast.Exp, left: bool) -> Value:
    """Return the value of ``(e op)`` or ``(op e)``."""
    callee = f"`{op}`"
    fn = variable(cx, op)
    assert isinstance(fn, Function)
    if left:
        value = argument(cx, fn, arg, (), callee)
        return applied(fn, [value], cx.result_of(f"the result of {callee} at {place(op.at)}"))
    second = fn.result
    if not isinstance(second, Function):
        return unknown(cx, e, fn, arg)
    later = Function(fn.u, second.consumes, second.param, second.result)
    value = argument(cx, later, arg, (), callee)
    captured = fn.u if later.consumes else fn.u | aliases(value)
    return Function(captured, fn.consumes, fn.param, second.result)
