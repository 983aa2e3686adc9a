"""The judgement on expressions: ``check(cx, e)`` is the value of e; one arm is one rule.

Loops walk the chains that programs make long (``let … let …``, ``a + b + c``, ``f x y z``).
"""

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import takewhile

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.consume_apply import (
    application,
    fits,
    operation,
    section,
    variable,
)
from funmem.frontends.futhark.consume_comprehension import comprehension
from funmem.frontends.futhark.consume_context import FUNCTION, ConsumeContext, called
from funmem.frontends.futhark.consume_function import closure
from funmem.frontends.futhark.consume_loop import loop
from funmem.frontends.futhark.consume_pat import bind_value
from funmem.frontends.futhark.consume_types import (
    NOTHING,
    SCALAR,
    RecordShape,
    SumShape,
    Value,
    aliases,
    declared,
    field,
    fill,
    has_function,
    join,
    map_parts,
    shape,
    with_field,
)
from funmem.frontends.futhark.errors import fail, place
from funmem.frontends.futhark.typing import LocalRef
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name


def check(cx: ConsumeContext, e: ast.Exp) -> Value:
    """Return the value of ``e``: the variables that its parts may share elements with."""
    match e:
        case ast.Var(name):
            return variable(cx, name)
        case ast.App():
            return application(cx, e)
        case ast.BinOp():
            return operation(cx, e)
        case ast.Let() | ast.LetFun() | ast.LetWith():
            return chain(cx, e)
        case ast.IntLit() | ast.FloatLit() | ast.BoolLit() | ast.CharLit():
            return SCALAR
        case ast.StringLit() | ast.Hole():
            return fresh(cx, e)
        case ast.Lambda():
            return closure(cx, e.params, e.ret, e.body, "this function")
        case ast.Tuple(elems):
            labels = [str(k) for k in range(len(elems))]
            return RecordShape(tuple(zip(labels, together(cx, elems), strict=True)))
        case ast.RecordLit(fields):
            values = together(cx, [x for _, x in fields])
            found = dict(zip([label for label, _ in fields], values, strict=True))
            order = shape(cx.typing.types[e])
            assert isinstance(order, RecordShape)
            return RecordShape(tuple([(label, found[label]) for label, _ in order.fields]))
        case ast.Constr(name, args):
            given = tuple(together(cx, args))
            whole = fresh(cx, e)
            assert isinstance(whole, SumShape)
            return SumShape(
                tuple([(c, given if c == name else xs) for c, xs in whole.constructors])
            )
        case ast.ArrayLit(elems):
            for x in elems:
                check(cx, x)
            return fresh(cx, e)
        case ast.Project(exp, label):
            return field(check(cx, exp), label)
        case ast.Index(exp, dims):
            value = check(cx, exp)
            indices(cx, dims)
            return fill(aliases(value), shape(cx.typing.types[e]))
        case ast.If(cond, then, orelse):
            check(cx, cond)
            return branches(cx, [(None, then), (None, orelse)], SCALAR)
        case ast.Match(exp, cases):
            return branches(cx, [(c.pat, c.exp) for c in cases], check(cx, exp))
        case ast.Loop():
            return loop(cx, e)
        case ast.Update(exp, dims, value):
            indices(cx, dims)
            new = check(cx, value)
            source = check(cx, exp)
            update(cx, exp.at, exp, source, value.at, new)
            return fill(NOTHING, source)
        case ast.RecordUpdate(exp, labels, value):
            source = check(cx, exp)
            result = with_field(source, labels, check(cx, value))
            rest = aliases(with_field(source, labels, SCALAR)) - cx.loose
            cx.check_usable(exp.at, rest, called(exp))
            return result
        case ast.PathUpdate():
            return path_update(cx, e)
        case ast.Neg(exp) | ast.Not(exp):
            check(cx, exp)
            return SCALAR
        case ast.Ascript(exp, te):
            value = check(cx, exp)
            fits(e.at, declared(cx.typing, te), value, "the annotated type")
            return value
        case ast.Coerce(exp, te):
            value = check(cx, exp)
            fits(e.at, declared(cx.typing, te), value, "the annotated type")
            return value
        case ast.Range(start, second, end):
            for bound in (start, second, end):
                if bound is not None:
                    check(cx, bound)
            return fresh(cx, e)
        case ast.Assert(cond, exp):
            check(cx, cond)
            return check(cx, exp)
        case ast.OpSectionLeft(left, op):
            return section(cx, e, op, left, left=True)
        case ast.OpSectionRight(op, right):
            return section(cx, e, op, right, left=False)
        case ast.ProjectSection():
            return fresh(cx, e)
        case ast.IndexSection(dims):
            indices(cx, dims)
            return fresh(cx, e)
        case ast.PathSection(path):
            for step in path:
                indices(cx, step if isinstance(step, tuple) else ())
            return fresh(cx, e)
        case ast.OpenIn(_, exp):
            return check(cx, exp)
        case ast.Comprehension():
            return comprehension(cx, e)


def fresh(cx: ConsumeContext, e: ast.Exp) -> Value:
    """Return the value of ``e``, which shares no elements."""
    return fill(NOTHING, shape(cx.typing.types[e]))


def together(cx: ConsumeContext, exps: Sequence[ast.Exp]) -> list[Value]:
    """Check the components of one value; a later one must not consume an earlier one's aliases."""
    values: list[Value] = []
    for e in exps:
        count = len(cx.consumed)
        values.append(check(cx, e))
        if len(cx.consumed) > count:
            for one, value in zip(exps, values[:-1], strict=False):
                cx.check_usable(one.at, aliases(value), called(one))
    return values


def indices(cx: ConsumeContext, dims: Iterable[ast.Dim]) -> None:
    """Check the indices ``[i, a:b:c]``."""
    for d in dims:
        match d:
            case ast.FixDim(index):
                check(cx, index)
            case ast.SliceDim(lo, hi, step):
                for x in (lo, hi, step):
                    if x is not None:
                        check(cx, x)


# ---------------------------------------------------------------------- branches, updates


def branches(
    cx: ConsumeContext, cases: Sequence[tuple[ast.Pattern | None, ast.Exp]], scrutinee: Value
) -> Value:
    """Return the value of a choice; afterwards all that any branch consumes is consumed."""
    values: list[Value] = []
    gone: dict[Name, Span] = {}

    def case(pat: ast.Pattern | None, e: ast.Exp) -> Value:
        mark = len(cx.trail)
        if pat is not None:
            bind_value(cx, pat, scrutinee)
        value = check(cx, e)
        cx.leave(mark)
        return value

    for c in cases:
        value, new = cx.branch(partial(case, *c))
        values.append(value)
        gone.update(new)
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    if gone:
        cx.consumed = {**cx.consumed, **gone}
        return map_parts(lambda u: u.difference(gone), result)
    return result


def update(
    cx: ConsumeContext, at: Span, e: ast.Exp | None, source: Value, value_at: Span, value: Value
) -> None:
    """Check that ``source with […] = value`` may consume source."""
    if not aliases(source).isdisjoint(aliases(value)):
        fail(
            value_at,
            "update-alias",
            "the new value may share elements with the updated array",
            "copy it first: `copy …`",
        )
    cx.consume(at, source, e)


def path_update(cx: ConsumeContext, e: ast.PathUpdate) -> Value:
    """Return the value of ``e with l[d, …].m = v``, which consumes the array ``e.l``."""
    labels = tuple(str(step) for step in takewhile(lambda s: isinstance(s, str), e.path))
    for step in e.path:
        indices(cx, step if isinstance(step, tuple) else ())
    new = check(cx, e.value)
    source = check(cx, e.exp)
    part = reduce(field, labels, source)
    rest = aliases(with_field(source, labels, SCALAR)) - cx.loose
    update(cx, e.exp.at, None if labels else e.exp, part, e.value.at, new)
    cx.check_usable(e.exp.at, rest, called(e.exp))
    kept = map_parts(lambda u: u - cx.loose, source)
    return with_field(kept, labels, fill(NOTHING, part))


# ---------------------------------------------------------------------- let


def chain(cx: ConsumeContext, e: ast.Let | ast.LetFun | ast.LetWith) -> Value:
    """Return the value of ``let … let … in e``, walked in a loop."""
    mark = len(cx.trail)
    body: ast.Exp = e
    while isinstance(body, ast.Let | ast.LetFun | ast.LetWith):
        match body:
            case ast.Let():
                _let(cx, body)
            case ast.LetFun():
                _let_fun(cx, body)
            case ast.LetWith():
                _let_with(cx, body)
        body = body.body
    value = check(cx, body)
    cx.leave(mark)
    return value


def _let(cx: ConsumeContext, e: ast.Let) -> None:
    value, new = cx.branch(lambda: check(cx, e.exp))
    cx.consumed = {**cx.consumed, **new} if new else cx.consumed
    if new and has_function(value):
        fail(
            e.exp.at,
            "functional-consumption",
            f"this function captures a value that it consumes at {place(next(iter(new.values())))}",
            "a function may run many times, so it must not consume a captured value",
        )
    _annotated(cx, e.pat, value)
    bind_value(cx, e.pat, value)


def _annotated(cx: ConsumeContext, p: ast.Pattern, value: Value) -> None:
    """Require that functions in a value agree with the annotations of its pattern."""
    match p:
        case ast.PAscript(pat, te):
            fits(p.at, declared(cx.typing, te), value, "the annotated type")
            _annotated(cx, pat, value)
        case ast.PTuple(elems):
            for k, q in enumerate(elems):
                _annotated(cx, q, field(value, str(k)))
        case ast.PRecord(fields):
            for label, q in fields:
                _annotated(cx, q, field(value, label))
        case ast.PVar() | ast.PWild() | ast.PConstr() | ast.PLit():
            pass


def _let_fun(cx: ConsumeContext, e: ast.LetFun) -> None:
    value = closure(cx, e.params, e.ret, e.exp, f"`{e.name}`")
    name = cx.typing.names[(e, e.name)]
    cx.generic[name] = cx.typing.local_schemes[e].types
    cx.bind(name, e.name, value, FUNCTION if e.params else "")


def _let_with(cx: ConsumeContext, e: ast.LetWith) -> None:
    ref = cx.typing.opened[e]
    assert isinstance(ref, LocalRef)
    source = cx.use(e.at, ref.name, e.name)
    assert source is not None
    indices(cx, e.dims)
    new = check(cx, e.exp)
    q = ast.Var(ast.QualName((), e.name, e.at), e.at)
    cx.check_usable(e.at, aliases(source), e.name)
    update(cx, e.at, q, source, e.exp.at, new)
    name = cx.typing.names[(e, e.name)]
    cx.bind(name, e.name, fill(frozenset({name}), source))
