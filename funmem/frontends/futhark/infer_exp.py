"""The judgement on expressions: ``infer(cx, e)`` is the type of ``e``; one arm is one rule.

Loops walk the chains that programs make long (``let … let …``, ``a + b + c``, ``f x y z``,
``else if``), so the recursion depth is bounded by the nesting depth.
"""

from math import isinf

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.infer_array import (
    array_literal,
    index,
    index_section,
    path_section,
    path_update,
    range_,
    update,
)
from funmem.frontends.futhark.infer_comprehension import comprehension
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_control import chain, lambda_, loop, match, open_in
from funmem.frontends.futhark.infer_names import project, use
from funmem.frontends.futhark.infer_operators import FLOAT_SET, NEGATABLE, NUMBER_SET
from funmem.frontends.futhark.infer_types import record_type, type_of
from funmem.frontends.inference.types import Array, Arrow, Meta, Type, nearest, tuple_type
from funmem.frontends.inference.unify import Clash, OneOf, WithConstructors
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import BOOL, U8, ScalarType


def infer(cx: TypeContext, e: ast.Exp) -> Type:
    """Return the type of ``e``, without sizes."""
    t = _infer(cx, e)
    cx.types[e] = t
    return t


def _infer(cx: TypeContext, e: ast.Exp) -> Type:
    match e:
        case ast.Var(name):
            return use(cx, name)
        case ast.App():
            return application(cx, e)
        case ast.BinOp():
            return operation(cx, e)
        case ast.IntLit(value, suffix, at):
            return integer(cx, value, suffix, at)
        case ast.Let() | ast.LetFun() | ast.LetWith():
            return chain(cx, e)
        case ast.Lambda():
            return lambda_(cx, e)
        case ast.Tuple(elems):
            return tuple_type(*[infer(cx, x) for x in elems])
        case ast.Index():
            return index(cx, e)
        case ast.FloatLit(value, suffix, at):
            return real(cx, value, suffix, at)
        case ast.If():
            return if_(cx, e)
        case ast.Project(exp, label, at):
            return project(cx, at, infer(cx, exp), label)
        case ast.OpSectionLeft(left, op):
            return section(cx, op, left, left=True)
        case ast.OpSectionRight(op, right):
            return section(cx, op, right, left=False)
        case ast.BoolLit():
            return BOOL
        case ast.CharLit(value, at):
            return integer(cx, value, None, at)
        case ast.StringLit():
            return Array(U8)
        case ast.ArrayLit():
            return array_literal(cx, e)
        case ast.RecordLit(fields):
            parts: dict[str, Type] = {}
            for label, x in fields:
                if label in parts:
                    fail(x.at, "duplicate-name", f"field `{label}` occurs twice")
                parts[label] = infer(cx, x)
            return record_type(parts)
        case ast.Neg(ast.IntLit(value, None, inner_at) as literal, at):
            t = cx.types[literal] = integer(cx, -value, None, inner_at)
            return t
        case ast.Neg(exp, at):
            return demanded(cx, exp, OneOf(NUMBER_SET, "the operand of `-`", at))
        case ast.Not(exp, at):
            return demanded(cx, exp, OneOf(NEGATABLE, "the operand of `!`", at))
        case ast.Loop():
            return loop(cx, e)
        case ast.Update():
            return update(cx, e)
        case ast.RecordUpdate():
            return record_update(cx, e)
        case ast.PathUpdate():
            return path_update(cx, e)
        case ast.Ascript(exp, te):
            mark = cx.scope.mark()
            wanted = type_of(cx, te)
            cx.scope.leave(mark)
            found = infer(cx, exp)
            cx.same(
                exp.at,
                found,
                wanted,
                "the expression",
                (exp, ("the annotation at ", te.at)),
            )
            return wanted
        case ast.Coerce(exp, te):
            mark = cx.scope.mark()
            wanted = type_of(cx, te)
            cx.scope.leave(mark)
            found = infer(cx, exp)
            cx.same(
                exp.at,
                found,
                wanted,
                "the expression",
                (exp, ("the annotation at ", te.at)),
            )
            return wanted
        case ast.Range():
            return range_(cx, e)
        case ast.Match():
            return match(cx, e)
        case ast.Constr(name, args, at):
            t = cx.solver.fresh(at)
            payload = tuple([infer(cx, a) for a in args])
            cx.solver.demand_shape(t, WithConstructors({name: payload}, at))
            return t
        case ast.Assert(cond, exp):
            condition(cx, cond, "the condition of `assert`")
            return infer(cx, exp)
        case ast.ProjectSection(labels, at):
            record = cx.solver.fresh(at)
            field: Type = record
            for label in labels:
                field = project(cx, at, field, label)
            return Arrow(record, field)
        case ast.IndexSection():
            return index_section(cx, e)
        case ast.PathSection():
            return path_section(cx, e)
        case ast.OpenIn():
            return open_in(cx, e)
        case ast.Comprehension():
            return comprehension(cx, e)
        case ast.Hole(at):
            t = cx.solver.fresh(at)
            cx.finals.append(
                lambda: fail(at, "hole", f"a hole of type {cx.text(t)}", "write an expression")
            )
            return t


# ---------------------------------------------------------------------- literals


def integer(cx: TypeContext, value: int, suffix: ScalarType | None, at: Span) -> Type:
    """Return the type of an integer literal; without a suffix it must fit its type."""
    if suffix is not None:
        return suffix
    t = cx.solver.one_of(NUMBER_SET, "the literal", at)
    if not 0 <= value <= 127:
        cx.finals.append(lambda: _in_range(cx, value, t, at))
    return t


def real(cx: TypeContext, value: float, suffix: ScalarType | None, at: Span) -> Type:
    """Return the type of a literal with a fraction; without a suffix it must fit its type."""
    if suffix is not None:
        return suffix
    t = cx.solver.one_of(FLOAT_SET, "the literal", at)
    if value > 60000:  # every float type has larger numbers than this
        cx.finals.append(lambda: _in_range(cx, value, t, at))
    return t


def _in_range(cx: TypeContext, value: int | float, t: Type, at: Span) -> None:
    s = cx.solver.resolve(t)
    if not isinstance(s, ScalarType):
        return
    text = str(value) if len(str(value)) <= 40 else f"{str(value)[:20]}…"
    if s.is_float and isinf(nearest(value, s)):
        fail(
            at,
            "literal-range",
            f"the literal {text} is not in the range of {s}: it would be infinite",
            f"to mean that, write `{s}.inf`",
        )
    if s.is_int and not s.min <= value <= s.max:
        fail(
            at,
            "literal-range",
            f"the literal {text} is not in the range of {s}: {s.min} to {s.max}",
            f"a literal with a suffix wraps around: `{value}{s}`",
        )


# ---------------------------------------------------------------------- application


def application(cx: TypeContext, e: ast.App) -> Type:
    """Return the type of ``f e1 e2 …``."""
    spine: list[ast.App] = []
    head: ast.Exp = e
    while isinstance(head, ast.App):
        spine.append(head)
        head = head.fn
    t = infer(cx, head)
    for k, app in enumerate(reversed(spine)):
        t = apply(cx, head, k, t, app.arg)
        cx.types[app] = t
    return t


def apply(cx: TypeContext, head: ast.Exp, k: int, t: Type, arg: ast.Exp) -> Type:
    """Return the result type of a function of type ``t`` applied to ``arg``, argument ``k``."""
    solver = cx.solver
    t = solver.resolve(t)
    called = f"`{head.name}`" if isinstance(head, ast.Var) else "the function"
    if isinstance(t, Meta):
        arrow = Arrow(solver.fresh(arg.at), solver.fresh(head.at))
        solver.where = head.at
        try:
            solver.unify(t, arrow)
        except Clash as clash:
            reason = clash.reason or "cannot be"
            fail(head.at, "not-a-function", f"{called} is applied, but {reason}")
        t = arrow
    if not isinstance(t, Arrow):
        if k == 0:
            fail(
                head.at,
                "not-a-function",
                f"{called} is applied, but it is {cx.text(t)}, not a function",
            )
        count = f"{k} argument{'s' if k > 1 else ''}"
        fail(
            arg.at,
            "too-many-arguments",
            f"{called} takes {count}, this is one more",
            f"after {count} the result is {cx.text(t)}",
        )
    found = infer(cx, arg)
    expected = t.param
    cx.same(
        arg.at,
        found,
        expected,
        f"argument {k + 1} of {called}",
        (arg, f"the parameter of {called}"),
    )
    return t.result


def operation(cx: TypeContext, e: ast.BinOp) -> Type:
    """Return the type of ``e op e``; a loop walks chains to the left."""
    spine: list[ast.BinOp] = [e]
    while isinstance(left := spine[-1].left, ast.BinOp):
        spine.append(left)
    t = infer(cx, spine[-1].left)
    for node in reversed(spine):
        op_type = operator_type(cx, node.op)
        op_type = operand(cx, node.op, op_type, node.left, t, "left")
        found = infer(cx, node.right)
        op_type = operand(cx, node.op, op_type, node.right, found, "right", node.left)
        t = op_type
        cx.types[node] = t
    return t


def operator_type(cx: TypeContext, op: ast.QualName) -> Type:
    """Return the type of an operator, a function of two arguments."""
    return use(cx, op)


def operand(
    cx: TypeContext,
    op: ast.QualName,
    t: Type,
    arg: ast.Exp,
    found: Type,
    side: str,
    other: ast.Exp | None = None,
) -> Type:
    """Return the type of an operator of type ``t`` applied to an operand of type ``found``."""
    t = cx.solver.resolve(t)
    if isinstance(t, Meta):
        arrow = Arrow(cx.solver.fresh(arg.at), cx.solver.fresh(op.at))
        cx.same(op.at, arrow, t, f"`{op}`")
        t = arrow
    if not isinstance(t, Arrow):
        fail(op.at, "not-a-function", f"`{op}` has no {side} operand: it is {cx.text(t)}")
    expected = t.param
    cx.same(
        arg.at,
        found,
        expected,
        f"the {side} operand of `{op}`",
        (arg, ("the other operand, ", other) if other is not None else ("the operator at ", op.at)),
    )
    return t.result


def section(cx: TypeContext, op: ast.QualName, arg: ast.Exp, left: bool) -> Type:
    """Return the type of ``(e op)`` or ``(op e)``."""
    found = infer(cx, arg)
    t = cx.solver.resolve(operator_type(cx, op))
    if isinstance(t, Meta):
        first, second = cx.solver.fresh(op.at), cx.solver.fresh(op.at)
        arrow = Arrow(first, Arrow(second, cx.solver.fresh(op.at)))
        cx.same(op.at, arrow, t, f"`{op}`")
        t = arrow
    if not isinstance(t, Arrow) or not isinstance(inner := cx.solver.resolve(t.result), Arrow):
        fail(op.at, "not-a-function", f"`{op}` does not take two operands: it is {cx.text(t)}")
    expected = t.param if left else inner.param
    cx.same(
        arg.at,
        found,
        expected,
        f"the {'left' if left else 'right'} operand of `{op}`",
        (arg, ("the operator at ", op.at)),
    )
    return inner if left else Arrow(t.param, inner.result)


# ---------------------------------------------------------------------- others


def demanded(cx: TypeContext, e: ast.Exp, shape: OneOf) -> Type:
    """Return the type of ``e``, which must be one of the scalar types in ``shape``."""
    t = infer(cx, e)
    cx.demand(e.at, t, shape.what, lambda: cx.solver.demand_shape(t, shape))
    return t


def condition(cx: TypeContext, e: ast.Exp, what: str) -> None:
    """Require that ``e`` is a bool."""
    cx.same(e.at, infer(cx, e), BOOL, what)


def if_(cx: TypeContext, e: ast.If) -> Type:
    """Return the type of ``if c then a else if … else z``; a loop walks ``else if``."""
    first: ast.Exp | None = None
    result: Type | None = None
    nodes: list[ast.If] = []
    branch: ast.Exp = e
    while isinstance(branch, ast.If):
        nodes.append(branch)
        condition(cx, branch.cond, "the condition of `if`")
        result = _branch(cx, branch.then, first, result)
        first = first if first is not None else branch.then
        branch = branch.orelse
    result = _branch(cx, branch, first, result)
    cx.order0(e.at, result, "the result of `if`")
    for node in nodes:
        cx.types[node] = result
    return result


def _branch(cx: TypeContext, e: ast.Exp, first: ast.Exp | None, expected: Type | None) -> Type:
    found = infer(cx, e)
    if expected is None or first is None:
        return found
    cx.same(
        e.at,
        found,
        expected,
        "this branch of `if`",
        (e, ("the first branch, ", first)),
    )
    return expected


def record_update(cx: TypeContext, e: ast.RecordUpdate) -> Type:
    """Return the type of ``e with l.m = v``."""
    t = infer(cx, e.exp)
    field = t
    for label in e.labels:
        field = project(cx, e.at, field, label)
    found = infer(cx, e.value)
    name = ".".join(e.labels)
    cx.same(
        e.value.at,
        found,
        field,
        f"the new value of field `{name}`",
        (e.value, (f"field `{name}` of ", e.exp)),
    )
    return t
