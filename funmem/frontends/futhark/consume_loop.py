"""Loops: which of their parameters are consumed, which nobody needs to write down.

A parameter is consumed if the body consumes it, or if its annotation says ``*``, or if the next
value of a consumed parameter may share elements with it.
"""

from collections.abc import Iterator, Mapping

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_apply import components
from funmem.frontends.futhark.consume_comprehension import elements
from funmem.frontends.futhark.consume_context import LOOP_PARAMETER, VARIABLE, Consumed, Context
from funmem.frontends.futhark.consume_pat import loop_parameter, matched
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    SCALAR,
    Aliases,
    Record,
    Scalar,
    Value,
    aliases,
    field,
    map_parts,
    say,
    shape,
)
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import BuiltinRef, GlobalRef
from funmem.ir.names import Name


def loop(cx: Context, e: ast.Loop) -> Value:
    """``loop p = e form do body``."""
    outer: Aliases = NOTHING
    match e.form:
        case ast.ForLess(_, bound):
            cx.exp(cx, bound)
        case ast.ForIn(_, array):
            outer = aliases(cx.exp(cx, array))
        case ast.While():
            pass
    whole = shape(cx.typing.types[e])
    params = list(loop_parameter(cx, e.pat, say(NOTHING, whole)))

    def body() -> tuple[Value, Consumed]:
        for name, word, part, stated in params:
            why = LOOP_PARAMETER if stated is False else VARIABLE
            cx.bind(name, word, say(frozenset({name}), part), why)
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
    cx: Context, e: ast.Loop, value: Value, own: set[Name], consumed: set[Name]
) -> set[Name]:
    """The parameters that are consumed; their next values share nothing that stays."""
    while True:
        gone: Aliases = NOTHING
        kept: Aliases = NOTHING
        for name, word, mine, _ in _next_values(cx, e.pat, value):
            if name in consumed:
                for alias in sorted(cx.in_scope(mine) - own):
                    fail(
                        _answer(e.body).at,
                        "loop-alias",
                        f"the loop consumes `{word}`, but its next value may share elements with "
                        f"{cx.describe(alias)}, which is outside of the loop",
                        "copy it: `copy …`",
                    )
            if not mine.isdisjoint(gone) or (name in consumed and not mine.isdisjoint(kept)):
                fail(
                    _answer(e.body).at,
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


def _answer(e: ast.Exp) -> ast.Exp:
    """The expression behind all bindings."""
    while isinstance(e, ast.Let | ast.LetFun | ast.LetWith):
        e = e.body
    return e


def _next_values(
    cx: Context, p: ast.Pattern, value: Value
) -> Iterator[tuple[Name, str, Aliases, bool]]:
    for name, word, part, stated in loop_parameter(cx, p, value):
        yield name, word, aliases(part), bool(stated)


# ---------------------------------------------------------------------- the initial value


def _initial(cx: Context, e: ast.Loop, value: Value, consumed: set[Name], used: set[Name]) -> Value:
    """The initial value is consumed where the parameters are; the value of the whole loop."""
    before = set(cx.consumed)
    first = cx.exp(cx, e.init) if e.init is not None else _read(cx, e.pat)
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
    if not consumed:  # as of a function's result, nobody asks which component it is from
        value = map_parts(lambda u: u | aliases(first), value)
    return _whole(cx, e.pat, first, value, consumed, tie)


def _component(p: ast.Pattern, v: ast.PVar, exps: tuple[ast.Exp, ...]) -> ast.Exp | None:
    """The component of the initial value that ``v`` starts with, if both are tuples."""
    while isinstance(p, ast.PAscript):
        p = p.pat
    if isinstance(p, ast.PTuple):
        for q, x in zip(p.elems, exps, strict=False):
            if any(u is v for u, _ in matched(q, SCALAR)):
                return x
    return None


def _named(v: ast.PVar) -> ast.Exp:
    return ast.Var(ast.QualName((), v.name, v.at), v.at)


def _read(cx: Context, p: ast.Pattern) -> Value:
    """``loop (x, y) for …`` starts with the x and y outside."""
    match p:
        case ast.PVar():
            ref = cx.typing.initials[p]
            if isinstance(ref, GlobalRef):
                return say(frozenset({ref.name}), shape(cx.typing.types[p]))
            if isinstance(ref, BuiltinRef):
                return SCALAR
            found = cx.use(p.at, ref.name, p.name)
            return SCALAR if found is None else found
        case ast.PAscript(pat):
            return _read(cx, pat)
        case ast.PTuple(elems):
            return Record(tuple([(str(k), _read(cx, q)) for k, q in enumerate(elems)]))
        case ast.PRecord(fields):
            return Record(tuple(sorted((label, _read(cx, q)) for label, q in fields)))
        case _:
            return SCALAR


def _whole(
    cx: Context, p: ast.Pattern, first: Value, value: Value, consumed: set[Name], tie: Name
) -> Value:
    """What consumed parameters end with is new; others may be the initial or a later value."""
    match p:
        case ast.PAscript(pat):
            return _whole(cx, pat, first, value, consumed, tie)
        case ast.PTuple(elems):
            return Record(
                tuple(
                    [
                        (
                            str(k),
                            _whole(
                                cx, q, field(first, str(k)), field(value, str(k)), consumed, tie
                            ),
                        )
                        for k, q in enumerate(elems)
                    ]
                )
            )
        case ast.PRecord(fields):
            given = dict(fields)
            order = first.fields if isinstance(first, Record) else ()
            return Record(
                tuple(
                    [
                        (
                            label,
                            _whole(cx, given[label], x, field(value, label), consumed, tie),
                        )
                        for label, x in order
                    ]
                )
            )
        case ast.PVar():
            if isinstance(first, Scalar) or cx.typing.names[p] in consumed:
                return say(NOTHING, first)
        case _:
            pass
    more = aliases(value) | {tie}
    return map_parts(lambda u: u | more, first)


def _fields(
    cx: Context,
    given: Mapping[str, ast.Pattern],
    first: Value,
    value: Value,
    consumed: set[Name],
    tie: Name,
) -> Value:
    assert isinstance(first, Record)
    return Record(
        tuple(
            [
                (label, _whole(cx, given[label], x, field(value, label), consumed, tie))
                for label, x in first.fields
            ]
        )
    )
