"""Functions: what their bodies may consume, and what their results may share elements with."""

from collections.abc import Callable, Mapping, Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_apply import fits
from funmem.frontends.futhark.consume_context import ConsumeContext
from funmem.frontends.futhark.consume_pat import bind_parameter, parameter
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    Aliases,
    Declared,
    Function,
    Part,
    RecordShape,
    Scalar,
    SumShape,
    Value,
    aliases,
    consumed_whole,
    declared,
    fill,
    parts,
)
from funmem.frontends.futhark.errors import fail
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name

Alone = Callable[[Aliases], bool]


def closure(
    cx: ConsumeContext,
    params: Sequence[ast.Pattern],
    ret: ast.TypeExp | None,
    body: ast.Exp,
    callee: str,
) -> Value:
    """Return the value of a lambda or a local function; without parameters, of its body."""
    if not params:
        value = cx.exp(cx, body)
        if ret is not None:
            fits(body.at, declared(cx.typing, ret), value, "the annotated type")
        return value
    (given, _), used = cx.inside(callee, lambda: function_result(cx, params, ret, body))
    captured: Aliases = NOTHING.union(*(aliases(cx.entries[x].value) for x in used))
    announced = fill(False, given) if ret is None else declared(cx.typing, ret)
    return fill(captured, function_type(cx, params, given, announced))


def function_type(
    cx: ConsumeContext,
    params: Sequence[ast.Pattern],
    result: Declared,
    announced: Declared | None = None,
) -> Declared:
    """Return the type ``params -> result``; ``announced`` belongs to the innermost arrow."""
    for p in reversed(params):
        given = parameter(cx.typing, p)
        result = Function(False, consumed_whole(given), given, result, announced)
        announced = None
    return result


def function_result(
    cx: ConsumeContext,
    params: Sequence[ast.Pattern],
    ret: ast.TypeExp | None,
    body: ast.Exp,
) -> tuple[Declared, bool]:
    """Check a body, with its parameters in scope.

    Return its type, with the unique parts of the result, and True if components share elements.
    """
    unique: set[Name] = set()
    mark = len(cx.trail)
    for p in params:
        unique |= bind_parameter(cx, p)
    own = set(cx.trail[mark:])
    value = cx.exp(cx, body)
    stated: Declared | None = None
    if ret is not None:
        stated = declared(cx.typing, ret)
        fits(body.at, stated, value, "the return type")
        _returns(cx, ret.at, stated, value, own - unique)
    if params:
        for alias in sorted(x for x in NOTHING.union(*parts(value, functions=False))):
            if alias in cx.signatures and not cx.typing.definitions[alias].abstract:
                fail(
                    body.at,
                    "global-alias",
                    f"the result of a function may share elements with the definition "
                    f"{cx.describe(alias)}",
                    "copy it: `copy …`",
                )
    counts: dict[Name, int] = {}
    _count(value, counts)
    found = _inferred(cx, value, unique, counts)
    tied = any(n > 1 and x not in cx.loose for x, n in counts.items())
    return (found if stated is None else _both(stated, found)), tied


def _returns(cx: ConsumeContext, at: Span, stated: Declared, value: Value, kept: set[Name]) -> None:
    """Require that unique results share no elements with kept parameters or other results."""
    seen: list[tuple[bool, Aliases]] = []
    for unique, mine in _pairs(stated, value):
        if unique:
            for alias in sorted(mine & kept):
                fail(
                    at,
                    "result-alias",
                    f"the result is declared with `*`, but may share elements with "
                    f"{cx.describe(alias)}, a parameter without `*`",
                    "copy it: `copy …`, or declare the parameter with `*`",
                )
        for other_unique, other in seen:
            if (unique or other_unique) and not mine.isdisjoint(other):
                fail(
                    at,
                    "result-alias",
                    "a component of the result is declared with `*`, but may share elements with "
                    "another component",
                    "copy one of them: `copy …`",
                )
        seen.append((unique, mine))


def _pairs(stated: Declared, value: Value) -> list[tuple[bool, Aliases]]:
    """Return, for each part of a result, the declared uniqueness and the aliases."""
    match stated:
        case RecordShape(fields) if isinstance(value, RecordShape):
            pairs = zip(fields, value.fields, strict=True)
            return [p for (_, x), (_, y) in pairs for p in _pairs(x, y)]
        case SumShape(constructors) if isinstance(value, SumShape):
            return [
                p
                for (_, xs), (_, ys) in zip(constructors, value.constructors, strict=True)
                for x, y in zip(xs, ys, strict=True)
                for p in _pairs(x, y)
            ]
        case Part(u):
            return [(u, aliases(value))]
        case Scalar() | RecordShape() | SumShape() | Function():
            return []


def _inferred(
    cx: ConsumeContext, value: Value, unique: set[Name], counts: Mapping[Name, int]
) -> Declared:
    """Return the result type; a part is unique if it alone shares with unique parameters only."""

    def alone(u: Aliases) -> bool:
        return cx.in_scope(u) <= unique and all(counts.get(x, 0) < 2 for x in u)

    return _mark(value, alone)


def _mark(value: Value, alone: Alone) -> Declared:
    match value:
        case Part(u, var):
            return Part(alone(u), var)
        case RecordShape(fields):
            return RecordShape(tuple([(label, _mark(x, alone)) for label, x in fields]))
        case SumShape(constructors):
            return SumShape(
                tuple([(c, tuple([_mark(x, alone) for x in xs])) for c, xs in constructors])
            )
        case Function(_, consumes, param, result, announced):
            return Function(False, consumes, param, result, announced)
        case Scalar():
            return value


def _count(value: Value, counts: dict[Name, int]) -> None:
    """Count the record components in which each variable occurs."""
    if isinstance(value, RecordShape):
        for _, x in value.fields:
            _count(x, counts)
    else:
        for name in aliases(value):
            counts[name] = counts.get(name, 0) + 1


def _both(stated: Declared, found: Declared) -> Declared:
    """Return the parts that are unique by declaration and in fact.

    A local function may return a value that it captured.
    """
    match stated:
        case Part(u, var) if isinstance(found, Part):
            return Part(u and found.u, var)
        case RecordShape(fields) if isinstance(found, RecordShape):
            pairs = zip(fields, found.fields, strict=True)
            return RecordShape(tuple([(label, _both(x, y)) for (label, x), (_, y) in pairs]))
        case SumShape(constructors) if isinstance(found, SumShape):
            payloads = zip(constructors, found.constructors, strict=True)
            return SumShape(
                tuple(
                    [
                        (c, tuple([_both(x, y) for x, y in zip(xs, ys, strict=True)]))
                        for (c, xs), (_, ys) in payloads
                    ]
                )
            )
        case Scalar() | Part() | RecordShape() | SumShape() | Function():
            return stated
