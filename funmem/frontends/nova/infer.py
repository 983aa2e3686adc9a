"""Hindley-Milner inference (paper 001, figure 4, with the text's generalisation at ``let``).

    infer(program) = what elaboration needs to know: the type of each expression, what each name
                     means, and which definitions are polymorphic

One function judges expressions, with one arm for each rule.  Unknown types, closed classes and
generalisation are those of :mod:`funmem.frontends.inference`.  The types in the tables may contain
metavariables that a polymorphic definition quantifies: an instance says what they stand for.
"""

from collections.abc import Sequence

from funmem.frontends.inference.types import UNIT, Arrow, Meta, Opaque, Record, Type, tuple_type
from funmem.frontends.inference.unify import Clash, WithFields
from funmem.frontends.nova import ast
from funmem.frontends.nova.builtins import BUILT_INS, SPECIAL
from funmem.frontends.nova.context import Context
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.infer_special import special
from funmem.frontends.nova.types import NUM, Constructor, SumType
from funmem.frontends.nova.typing import BuiltInUse, ConstructorUse, ForeignUse, LocalUse, Typing
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.scalars import BOOL, F32, F64, I32


def infer(program: ast.Program) -> Typing:
    """Return the tables of a valid program.  Raises SourceError."""
    cx = Context(expression)
    _program(cx, program)
    return cx.close(program)


def errors(program: ast.Program) -> list[Diagnostic]:
    """Return the first error of each definition, and that of the rest.

    A definition with an error may have any type afterwards, at each use another one.
    """
    found: list[Diagnostic] = []
    try:
        _program(Context(expression, errors=found), program)
    except SourceError as error:
        found.append(error.diagnostic)
    return found


def _program(cx: Context, program: ast.Program) -> None:
    cx.declared.define(program.types)
    for f in program.foreign:
        _foreign(cx, f)
    for x in program.inputs:
        _input(cx, x)
    result = expression(cx, program.body)
    cx.declared.simple(program.body.at, result, "the program's result")


def _input(cx: Context, x: ast.Param) -> None:
    if x.name in cx.scope:
        fail(x.at, Code.NAME, f"there are two inputs `{x.name}`")
    t = cx.declared.of(x.type, _no_variables)
    cx.declared.simple(x.at, t, f"the input `{x.name}`")
    cx.bind(x, x.name, t)


def _no_variables(v: ast.TypeVar) -> Type:
    fail(v.at, Code.AMBIGUOUS, f"`{v.name}` is not known here", "write the type itself")


def _foreign(cx: Context, f: ast.Param) -> None:
    """Enter a foreign function, which takes and returns values without functions."""
    if f.name in cx.foreign:
        fail(f.at, Code.NAME, f"there are two foreign functions `{f.name}`")
    t = whole = cx.declared.of(f.type, _no_variables)
    if not isinstance(t, Arrow):
        message = f"`{f.name}` must be a function, but is {cx.text(t)}"
        fail(f.at, Code.FOREIGN, message, "for example `(f : int -> int)`")
    while isinstance(t, Arrow):
        if isinstance(t.param, Arrow):
            message = f"a parameter of the foreign function `{f.name}` is a function"
            fail(f.at, Code.FOREIGN, message, "foreign functions take values only")
        t = t.result
    cx.foreign[f.name] = whole


# ---------------------------------------------------------------------- expressions


def expression(cx: Context, e: ast.Exp) -> Type:
    """Return the type of an expression, and note it in the table.  Raises SourceError."""
    t = cx.types[e] = _expression(cx, e)
    return t


def _expression(cx: Context, e: ast.Exp) -> Type:
    match e:
        case ast.Var():  # ID
            return _variable(cx, e)
        case ast.Number():  # CONST
            return _number(cx, e)
        case ast.Bool():
            return BOOL
        case ast.Nil():
            return UNIT
        case ast.App(fn, args, at):  # APP
            if isinstance(fn, ast.Var) and cx.is_special(fn.name):
                return special(cx, fn, args, at)
            return _apply(cx, fn, expression(cx, fn), args)
        case ast.TupleExp(elems):  # TUPLE
            parts = [expression(cx, x) for x in elems]
            for x, t in zip(elems, parts, strict=True):
                cx.declared.simple(x.at, t, "a tuple's element")
            return tuple_type(*parts)
        case ast.Project():  # TUPLE-ACCESS
            return _project(cx, e)
        case ast.Element():  # VECTOR1-ACCESS, VECTORN-ACCESS
            return _element(cx, e)
        case ast.If(cond, then, orelse):  # IF
            cx.same(cond.at, expression(cx, cond), BOOL, "the condition")
            t = expression(cx, then)
            cx.same(orelse.at, expression(cx, orelse), t, "the expression after `else`")
            return t
        case ast.Case():  # CASE
            return _case(cx, e)
        case ast.Let():  # LET
            with cx.block():
                for d in e.definitions:
                    _definition_or_error(cx, d)
                return expression(cx, e.body)
        case ast.Lambda():  # LAMBDA
            return _lambda(cx, e)
        case ast.Mu():  # MU
            return _mu(cx, e)


def _variable(cx: Context, e: ast.Var) -> Type:
    if (local := cx.scope.get(e.name)) is not None:
        t, types = cx.solver.instance(local.type, local.generic, e.at)
        cx.uses[e] = LocalUse(local.key, types)
        return t
    if (made := cx.declared.constructors.get(e.name)) is not None:
        cx.uses[e] = ConstructorUse(made)
        owner, payload = _opened(cx, made, e.at)
        return Arrow(payload, owner)
    if (foreign := cx.foreign.get(e.name)) is not None:
        cx.uses[e] = ForeignUse(e.name)
        return foreign
    if e.name in SPECIAL:
        return special(cx, e, (), e.at)
    if e.name not in BUILT_INS:
        cx.unknown(e)
    cx.uses[e] = BuiltInUse(e.name)
    return cx.built_in(e.name, e.at)


def _opened(cx: Context, made: Constructor, at: Span) -> tuple[Type, Type]:
    """Return a new instance of a constructor's sum, and of what it holds."""
    owner = made.sum
    metas = [cx.solver.fresh(at) for _ in owner.params]
    for m in metas:
        cx.declared.simple(at, m, f"an argument of `{owner.name}`")
    return Opaque(owner.hidden, tuple(metas)), cx.payload(made, metas)


def _number(cx: Context, e: ast.Number) -> Type:
    if e.long:
        return F64
    options = frozenset([F32, F64]) if e.fractional else NUM
    t = cx.solver.one_of(options, f"the number `{e.text}`", e.at)
    cx.numbers.append((t, e))
    return t


def _apply(cx: Context, fn: ast.Exp, t: Type, args: Sequence[ast.Exp]) -> Type:
    for k, arg in enumerate(args):
        t = cx.solver.resolve(t)
        if isinstance(t, Meta):
            new = Arrow(cx.solver.fresh(arg.at), cx.solver.fresh(fn.at))
            cx.same(fn.at, t, new, _called(fn))
            t = new
        if not isinstance(t, Arrow):
            if k == 0:
                fail(fn.at, Code.TYPE, f"{_called(fn)} is no function: it is {cx.text(t)}")
            what = f"{_called(fn)} takes {k} argument{'s' if k > 1 else ''}, not {len(args)}"
            fail(arg.at, Code.TYPE, what)
        number = f"argument {k + 1}" if len(args) > 1 else "the argument"
        what = f"{number} of {_called(fn)}"
        cx.same(arg.at, expression(cx, arg), t.param, what)
        t = t.result
    return t


def _called(fn: ast.Exp) -> str:
    return f"`{fn.name}`" if isinstance(fn, ast.Var) else "this function"


def _project(cx: Context, e: ast.Project) -> Type:
    t = cx.solver.resolve(expression(cx, e.exp))
    label = str(e.index)
    if isinstance(t, Record) and len(t.fields) > 1:
        if e.index >= len(t.fields):
            fail(e.at, Code.TYPE, f"{cx.text(t)} has no element {label}", "elements count from 0")
        return t.fields[e.index][1]
    found = cx.solver.fresh(e.at)
    cx.declared.simple(e.at, found, "a tuple's element")
    try:
        cx.solver.demand_shape(t, WithFields({label: found}, e.at))
    except Clash:
        fail(e.exp.at, Code.TYPE, f"this is no tuple: it is {cx.text(t)}")
    return found


def _element(cx: Context, e: ast.Element) -> Type:
    t = cx.solver.resolve(expression(cx, e.vector))
    index = cx.solver.resolve(expression(cx, e.index))
    rank = cx.declared.rank(t)
    if rank == 0 and isinstance(index, Record) and len(index.fields) > 1:
        rank = len(index.fields)
    rank = rank or 1
    elem = cx.solver.fresh(e.at)
    wanted = cx.declared.vector(elem, rank)
    cx.declared.simple(e.at, elem, "a vector's element")
    cx.same(e.vector.at, t, wanted, "the vector before `!`")
    ints = I32 if rank == 1 else tuple_type(*(I32,) * rank)
    cx.same(e.index.at, index, ints, "the index")
    return elem


# ---------------------------------------------------------------------- case


def _case(cx: Context, e: ast.Case) -> Type:
    found = expression(cx, e.exp)
    owner = _sum_of(cx, e)
    metas = [cx.solver.fresh(e.at) for _ in owner.params]
    for m in metas:
        cx.declared.simple(e.at, m, f"an argument of `{owner.name}`")
    cx.same(e.exp.at, found, Opaque(owner.hidden, tuple(metas)), "what `case` examines")
    result: Type | None = None
    seen: set[str] = set()
    for arm in e.arms:
        made = cx.declared.constructors.get(arm.constructor)
        if made is None or made.sum is not owner:
            fail(arm.at, Code.CASE, f"`{arm.constructor}` is no constructor of `{owner.name}`")
        if arm.constructor in seen:
            fail(arm.at, Code.CASE, f"there are two arms for `{arm.constructor}`")
        seen.add(arm.constructor)
        with cx.block():
            cx.bind(arm, arm.name, cx.payload(made, metas))
            t = expression(cx, arm.body)
        if result is None:
            result = t
        cx.same(arm.body.at, t, result, f"the arm of `{arm.constructor}`")
    missing = [n for n, k in cx.declared.constructors.items() if k.sum is owner and n not in seen]
    if missing:
        names = ", ".join(f"`{n}`" for n in missing)
        fail(e.at, Code.CASE, f"there is no arm for {names}", "`case` has all constructors")
    assert result is not None
    return result


def _sum_of(cx: Context, e: ast.Case) -> SumType:
    """Return the sum that the first arm's constructor belongs to."""
    first = e.arms[0]
    made = cx.declared.constructors.get(first.constructor)
    if made is None:
        known = ", ".join(f"`{n}`" for n in cx.declared.constructors)
        hint = f"the constructors are {known}" if known else "there is no `types` section"
        fail(first.at, Code.CASE, f"there is no constructor `{first.constructor}`", hint)
    return made.sum


# ---------------------------------------------------------------------- binding


def _definition_or_error(cx: Context, d: ast.Definition) -> None:
    """Bind ``(x e)``; if errors are collected, a wrong one is noted and ``x`` may have any type."""
    if cx.errors is None:
        return _definition(cx, d)
    scope, variables, level = dict(cx.scope), cx.type_variables, cx.solver.level
    try:
        _definition(cx, d)
    except SourceError as error:
        cx.errors.append(error.diagnostic)
        cx.scope, cx.type_variables, cx.solver.level = scope, variables, level + 1
        t = cx.solver.fresh(d.exp.at)
        cx.solver.level = level
        cx.bind(d, d.name, t, tuple(cx.solver.owned(t)))


def _definition(cx: Context, d: ast.Definition) -> None:
    """Bind ``(x e)``; a lambda or mu is generalised over what nothing outside of it mentions."""
    if not isinstance(d.exp, ast.Lambda | ast.Mu):
        cx.bind(d, d.name, expression(cx, d.exp))
        return
    cx.solver.level += 1
    with cx.variables(d.exp):
        t = expression(cx, d.exp)
    cx.solver.level -= 1
    generic = tuple(cx.solver.owned(t))
    cx.generic.update(generic)
    cx.bind(d, d.name, t, generic)


def _lambda(cx: Context, e: ast.Lambda) -> Type:
    params: list[Type] = []
    names: set[str] = set()
    with cx.block():
        for p in e.params:
            if p.name in names:
                fail(p.at, Code.NAME, f"there are two parameters `{p.name}`")
            names.add(p.name)
            params.append(cx.declared.of(p.type, cx.variable))
            cx.bind(p, p.name, params[-1])
        found = expression(cx, e.body)
    if e.result is not None:
        wanted = cx.declared.of(e.result, cx.variable)
        cx.same(e.body.at, found, wanted, "the body")
        found = wanted
    for t in reversed(params):
        found = Arrow(t, found)
    return found


def _mu(cx: Context, e: ast.Mu) -> Type:
    if not isinstance(e.fn, ast.Lambda):
        hint = "`(mu (f : int -> int) (lambda (x : int) …))`"
        fail(e.fn.at, Code.MU, "`mu` binds a lambda, which must be written here", hint)
    t = cx.declared.of(e.binder.type, cx.variable)
    if not isinstance(cx.solver.resolve(t), Arrow):
        what = f"`{e.binder.name}` is {cx.text(t)}, but `mu` binds a function"
        fail(e.binder.at, Code.MU, what)
    with cx.block():
        cx.bind(e.binder, e.binder.name, t)
        found = expression(cx, e.fn)
    cx.same(e.fn.at, found, t, f"the lambda that `{e.binder.name}` names")
    return t
