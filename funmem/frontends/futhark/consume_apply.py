"""Functions and their arguments: what is consumed, and what the result may share."""

from collections.abc import Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_context import Context
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Aliases,
    Declared,
    Function,
    Part,
    Record,
    Scalar,
    Shape,
    Sum,
    U,
    Value,
    aliases,
    bound_by,
    declared,
    has_function,
    instance,
    say,
    shape,
)
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef, LocalRef
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- names


def variable(cx: Context, q: ast.QualName) -> Value:
    """The value of a name at one use."""
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
                if not has_function(given):  # of functions, the arguments say more
                    image[n] = given
            own = NOTHING if name in cx.shareless else frozenset({name})
            s = say(own, instance(signature, image))
        case BuiltinRef(_, _, t):
            s = say(NOTHING, shape(t))
    for label in ref.labels:
        s = _labelled(s, label)
    return s


def _labelled(s: Value, label: str) -> Value:
    return dict(s.fields)[label] if isinstance(s, Record) else s


# ---------------------------------------------------------------------- arguments


def argument(
    cx: Context, fn: Function[U], e: ast.Exp, before: Sequence[tuple[ast.Exp, Value]], who: str
) -> Value:
    """The value of an argument; ``before``: the arguments that were evaluated before."""
    found, new = cx.branch(lambda: cx.exp(cx, e))
    cx.consumed = {**cx.consumed, **new}
    if new and has_function(found):
        fail(
            e.at,
            "functional-consumption",
            f"this function, an argument of {who}, captures what it consumes at "
            f"{place(next(iter(new.values())))}",
            "a function may run many times: consume inside of it",
        )
    fits(e.at, fn.param, found, f"the parameter of {who}")
    if fn.consumes:
        _not_itself(e.at, found, who)
        mine = aliases(found)
        for other, value in before:
            if not mine.isdisjoint(aliases(value)):
                fail(
                    e.at,
                    "argument-alias",
                    f"{who} consumes this argument, but the one at {place(other.at)} may share "
                    "elements with it",
                    "pass a copy: `copy …`",
                )
        cx.consume(e.at, found, e)
    return found


def _not_itself(at: Span, value: Value, who: str) -> None:
    """The components of a consumed tuple share nothing with each other."""
    for k, one in enumerate(pieces := list(components(value))):
        if any(not one.isdisjoint(other) for other in pieces[:k]):
            fail(
                at,
                "self-alias",
                f"{who} consumes this, but its components may share elements with each other",
                "copy one of them: `copy …`",
            )


def components(value: Value) -> list[Aliases]:
    """The aliases of the components of (nested) records."""
    if isinstance(value, Record):
        return [c for _, x in value.fields for c in components(x)]
    return [aliases(value)]


def fits(at: Span, expected: Declared, found: Shape[U], what: str) -> None:
    """Where a function is expected, one that consumes no more and shares no more is given."""
    match expected, found:
        case Function(), Function():
            if found.consumes and not expected.consumes:
                fail(
                    at,
                    "consuming-function",
                    f"this function consumes its argument, which {what} must not",
                    "give it a copy of the argument: `\\x -> f (copy x)`",
                )
            fits(at, expected.result, found.result, what)
            if not isinstance(expected.result, Function) and _shares(expected, found):
                fail(
                    at,
                    "sharing-function",
                    f"{what} is a function with a unique result (`*`), this one has none",
                    "annotate the function's result with `*`, or let it `copy`",
                )
        case Record(xs), Record(ys):
            for (_, x), (_, y) in zip(xs, ys, strict=True):
                fits(at, x, y, what)
        case _:
            pass


def _shares(expected: Function[bool], found: Function[U]) -> bool:
    """Whether a result that must be unique is not declared so."""
    return _weaker(expected.result, found.result if found.announced is None else found.announced)


def _weaker(expected: Declared, found: Declared) -> bool:
    match expected, found:
        case Part(u), Part(w):
            return u and not w
        case Part(u), Scalar():
            return u
        case Record(xs), Record(ys):
            return any(_weaker(x, y) for (_, x), (_, y) in zip(xs, ys, strict=True))
        case Sum(cs), Sum(ds):
            return any(
                _weaker(x, y)
                for (_, xs), (_, ys) in zip(cs, ds, strict=True)
                for x, y in zip(xs, ys, strict=True)
            )
        case _:
            return False


# ---------------------------------------------------------------------- application


def result(s: Declared, captured: Aliases, consumes: bool, arg: Value) -> Value:
    """The result of a function that has captured ``captured``."""
    shared = captured if consumes else captured | aliases(arg)

    def part(x: Declared) -> Value:
        match x:
            case Scalar():
                return x
            case Part(u, var):
                return Part(NOTHING if u else shared, var)
            case Record(fields):
                return Record(tuple([(label, part(y)) for label, y in fields]))
            case Sum(constructors):
                return Sum(tuple([(c, tuple([part(y) for y in ys])) for c, ys in constructors]))
            case Function(_, again, param, given, announced):
                return Function(shared, again, param, given, announced)

    return part(s)


def applied(fn: Value, args: Sequence[Value], tie: Name) -> Value:
    """A function's value on values; its results are tied by ``tie``."""
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


def application(cx: Context, e: ast.App) -> Value:
    """``f e1 e2 …``; arguments are evaluated from right to left."""
    spine: list[ast.App] = []
    head: ast.Exp = e
    while isinstance(head, ast.App):
        spine.append(head)
        head = head.fn
    spine.reverse()
    who = f"`{head.name}`" if isinstance(head, ast.Var) else "the function"
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
            values.append((arg, argument(cx, kinds[k], arg, values, who)))
        tie = cx.result_of(f"the result of {who} at {place(e.at)}", name)
        fn = applied(kind, [v for _, v in reversed(values)], tie)
        at += len(kinds)
    return fn


def known(cx: Context, fn: Value, e: ast.Exp) -> Function[Aliases]:
    """The function that ``e`` gives; of what a type parameter stands for, the type says all."""
    if not isinstance(fn, Function):
        given = say(aliases(fn), shape(cx.typing.types[e]))
        assert isinstance(given, Function)
        return given
    return fn


def operation(cx: Context, e: ast.BinOp) -> Value:
    """``e op e``, from left to right; chains to the left are walked in a loop."""
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


def _operation(cx: Context, e: ast.BinOp, left: Value | None) -> Value:
    who = f"`{e.op}`"
    op = variable(cx, e.op)
    assert isinstance(op, Function)
    left = argument(cx, op, e.left, (), who) if left is None else given(cx, op, e.left, left, who)
    second = applied(op, [left], cx.result_of(""))
    if not isinstance(second, Function):
        return unknown(cx, e, second, e.right)
    right = argument(cx, second, e.right, [(e.left, left)], who)
    return applied(op, [left, right], cx.result_of(f"the result of {who} at {place(e.op.at)}"))


def given(cx: Context, fn: Function[Aliases], e: ast.Exp, found: Value, who: str) -> Value:
    """As ``argument``, of what has been evaluated already."""
    fits(e.at, fn.param, found, f"the parameter of {who}")
    if fn.consumes:
        _not_itself(e.at, found, who)
        cx.consume(e.at, found, e)
    return found


def unknown(cx: Context, e: ast.Exp, fn: Value, arg: ast.Exp) -> Value:
    """What a function gives of which only its place tells that it is one: it may share all."""
    return say(aliases(fn) | aliases(cx.exp(cx, arg)), shape(cx.typing.types[e]))


def section(cx: Context, e: ast.Exp, op: ast.QualName, arg: ast.Exp, left: bool) -> Value:
    """``(e op)``, ``(op e)``."""
    who = f"`{op}`"
    fn = variable(cx, op)
    assert isinstance(fn, Function)
    if left:
        value = argument(cx, fn, arg, (), who)
        return applied(fn, [value], cx.result_of(f"the result of {who} at {place(op.at)}"))
    second = fn.result
    if not isinstance(second, Function):
        return unknown(cx, e, fn, arg)
    later = Function(fn.u, second.consumes, second.param, second.result)
    value = argument(cx, later, arg, (), who)
    captured = fn.u if later.consumes else fn.u | aliases(value)
    return Function(captured, fn.consumes, fn.param, second.result)
