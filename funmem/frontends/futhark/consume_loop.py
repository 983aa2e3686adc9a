"""Loops: which parameters a loop consumes is inferred.

A loop consumes a parameter if its body consumes it, if the annotation has a ``*``, or if the next
value of a consumed parameter may share elements with it.
"""

from collections.abc import Iterator

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_apply import components
from funmem.frontends.futhark.consume_comprehension import elements
from funmem.frontends.futhark.consume_context import (
    LOOP_PARAMETER,
    VARIABLE,
    ConsumeContext,
    Consumed,
)
from funmem.frontends.futhark.consume_pat import loop_parameter, matched
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    SCALAR,
    Aliases,
    RecordShape,
    Scalar,
    Value,
    aliases,
    field,
    fill,
    map_parts,
    shape,
)
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef
from funmem.ir.names import Name


def loop(cx: ConsumeContext, e: ast.Loop) -> Value:
    """Return the value of ``loop p = e form do body``."""
    outer: Aliases = NOTHING
    match e.form:
        case ast.ForLess(_, bound):
            cx.exp(cx, bound)
        case ast.ForIn(_, array):
            outer = aliases(cx.exp(cx, array))
        case ast.While():
            pass
    whole = shape(cx.typing.types[e])
    params = list(loop_parameter(cx, e.pat, fill(NOTHING, whole)))

    def body() -> tuple[Value, Consumed]:
        for name, word, part, stated in params:
            why = LOOP_PARAMETER if stated is False else VARIABLE
            cx.bind(name, word, fill(frozenset({name}), part), why)
        if isinstance(e.form, ast.ForIn):
            elements(cx, e.form.pat, outer)
        if isinstance(e.form, ast.While):
            condition = e.form.cond
            cx.inside("the condition of `while`", lambda: cx.exp(cx, condition))
        return cx.branch(lambda: cx.exp(cx, e.body))

    (value, new), used = cx.inside("the loop", body)
    stated = {name for name, _, _, stated in params if stated}
    own = {name for name, _, _, _ in params}
    consumed = _consumed_params(cx, e, value, own, stated | (own & new.keys()))
    return _initial(cx, e, value, consumed, used)


def _consumed_params(
    cx: ConsumeContext, e: ast.Loop, value: Value, own: set[Name], consumed: set[Name]
) -> set[Name]:
    """Return the consumed parameters; check that their next values share no elements that stay."""
    while True:
        gone: Aliases = NOTHING
        kept: Aliases = NOTHING
        for name, word, mine, _ in _next_values(cx, e.pat, value):
            if name in consumed:
                for alias in sorted(cx.in_scope(mine) - own):
                    fail(
                        _result_expression(e.body).at,
                        "loop-alias",
                        f"the loop consumes `{word}`, but its next value may share elements with "
                        f"{cx.describe(alias)}, which is bound outside of the loop",
                        "copy it: `copy …`",
                    )
            if not mine.isdisjoint(gone) or (name in consumed and not mine.isdisjoint(kept)):
                fail(
                    _result_expression(e.body).at,
                    "loop-alias",
                    f"the next value of `{word}` may share elements with that of another "
                    "parameter, and the loop consumes one of them",
                    "copy it: `copy …`",
                )
            if name in consumed:
                gone |= mine
            else:
                kept |= mine
        more = consumed | (own & gone)
        if more == consumed:
            return consumed
        consumed = more


def _result_expression(e: ast.Exp) -> ast.Exp:
    """Return the expression after all bindings."""
    while isinstance(e, ast.Let | ast.LetFun | ast.LetWith):
        e = e.body
    return e


def _next_values(
    cx: ConsumeContext, p: ast.Pattern, value: Value
) -> Iterator[tuple[Name, str, Aliases, bool]]:
    for name, word, part, stated in loop_parameter(cx, p, value):
        yield name, word, aliases(part), bool(stated)


# ---------------------------------------------------------------------- the initial value


def _initial(
    cx: ConsumeContext, e: ast.Loop, value: Value, consumed: set[Name], used: set[Name]
) -> Value:
    """Consume the initial values of consumed parameters; return the value of the whole loop."""
    before = set(cx.consumed)
    first = cx.exp(cx, e.init) if e.init is not None else _outer_values(cx, e.pat)
    at = e.init.at if e.init is not None else e.pat.at
    if consumed:
        pieces = components(first)
        for k, one in enumerate(pieces):
            if any(not one.isdisjoint(other) for other in pieces[:k]):
                fail(
                    at,
                    "self-alias",
                    "the loop consumes its initial value, but its components may share elements "
                    "with each other",
                    "copy one of them: `copy …`",
                )
    exp = e.init if e.init is not None else None
    for v, part in matched(e.pat, first):
        if not isinstance(part, Scalar) and cx.typing.names[v] in consumed:
            where = exp.elems if isinstance(exp, ast.Tuple) else ()
            source = _component(e.pat, v, where) or exp
            cx.consume(source.at if source is not None else v.at, part, source or _named(v))
    new = cx.consumed.keys() - before
    for name in sorted(used):
        if name in cx.entries and not new.isdisjoint(aliases(cx.entries[name].value)):
            fail(
                e.body.at,
                "loop-use",
                f"the loop uses {cx.describe(name)}, but its initial value, which the loop "
                f"consumes, may share elements with it",
                "start the loop with a copy: `copy …`",
            )
    tie = cx.result_of(f"the result of the loop at {place(e.at)}")
    if not consumed:  # as for a function's result, the components are not told apart
        value = map_parts(lambda u: u | aliases(first), value)
    return _loop_value(cx, e.pat, first, value, consumed, tie)


def _component(p: ast.Pattern, v: ast.PVar, exps: tuple[ast.Exp, ...]) -> ast.Exp | None:
    """Return the component of the initial value for ``v``, if both are tuples."""
    while isinstance(p, ast.PAscript):
        p = p.pat
    if isinstance(p, ast.PTuple):
        for q, x in zip(p.elems, exps, strict=False):
            if any(u is v for u, _ in matched(q, SCALAR)):
                return x
    return None


def _named(v: ast.PVar) -> ast.Exp:
    return ast.Var(ast.QualName((), v.name, v.at), v.at)


def _outer_values(cx: ConsumeContext, p: ast.Pattern) -> Value:
    """Return the values of the outer x and y, with which ``loop (x, y) for …`` starts."""
    match p:
        case ast.PVar():
            ref = cx.typing.initials[p]
            if isinstance(ref, GlobalRef):
                return fill(frozenset({ref.name}), shape(cx.typing.types[p]))
            if isinstance(ref, BuiltinRef):
                return SCALAR
            found = cx.use(p.at, ref.name, p.name)
            return SCALAR if found is None else found
        case ast.PAscript(pat):
            return _outer_values(cx, pat)
        case ast.PTuple(elems):
            return RecordShape(tuple([(str(k), _outer_values(cx, q)) for k, q in enumerate(elems)]))
        case ast.PRecord(fields):
            return RecordShape(tuple(sorted((label, _outer_values(cx, q)) for label, q in fields)))
        case ast.PWild() | ast.PConstr() | ast.PLit():
            return SCALAR


def _loop_value(
    cx: ConsumeContext, p: ast.Pattern, first: Value, value: Value, consumed: set[Name], tie: Name
) -> Value:
    """Return a loop's value: new for consumed parameters, else the initial or a later value."""
    match p:
        case ast.PAscript(pat):
            return _loop_value(cx, pat, first, value, consumed, tie)
        case ast.PTuple(elems):
            return RecordShape(
                tuple(
                    [
                        (
                            str(k),
                            _loop_value(
                                cx, q, field(first, str(k)), field(value, str(k)), consumed, tie
                            ),
                        )
                        for k, q in enumerate(elems)
                    ]
                )
            )
        case ast.PRecord(fields):
            given = dict(fields)
            order = first.fields if isinstance(first, RecordShape) else ()
            return RecordShape(
                tuple(
                    [
                        (
                            label,
                            _loop_value(cx, given[label], x, field(value, label), consumed, tie),
                        )
                        for label, x in order
                    ]
                )
            )
        case ast.PVar():
            if isinstance(first, Scalar) or cx.typing.names[p] in consumed:
                return fill(NOTHING, first)
        case ast.PWild() | ast.PConstr() | ast.PLit():
            pass
    more = aliases(value) | {tie}
    return map_parts(lambda u: u | more, first)
