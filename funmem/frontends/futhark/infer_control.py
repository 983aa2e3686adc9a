"""Rules for binders: ``let``, local functions, lambdas, ``loop``, ``match``, ``m.(e)``."""

from functools import partial

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import (
    Follows,
    fail,
    failure,
)
from funmem.frontends.futhark.infer_array import let_with
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_exhaustive import check_irrefutable, check_match
from funmem.frontends.futhark.infer_names import use
from funmem.frontends.futhark.infer_operators import SIGNED_SET
from funmem.frontends.futhark.infer_pat import (
    check_distinct,
    match_pattern,
    pattern_type,
    variables,
)
from funmem.frontends.futhark.infer_types import bind_type_params, record_type, type_of
from funmem.frontends.futhark.scope import (
    VALUE,
    Builtin,
    BuiltinModule,
    LocalVar,
    Names,
    unique,
)
from funmem.frontends.futhark.typing import LocalRef, Scheme
from funmem.frontends.inference.types import Array, Arrow, Rigid, Type, tuple_type
from funmem.frontends.inference.unify import OneOf
from funmem.ir.diagnostics import Diagnostic
from funmem.ir.messages import suggestion
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64

# ---------------------------------------------------------------------- let


def chain(cx: TypeContext, e: ast.Let | ast.LetFun | ast.LetWith) -> Type:
    """Return the type of ``let … let … in e``, walked in a loop; all lets have the type of e."""
    mark = cx.scope.mark()
    nodes: list[ast.Exp] = []
    body: ast.Exp = e
    while isinstance(body, ast.Let | ast.LetFun | ast.LetWith):
        nodes.append(body)
        match body:
            case ast.Let():
                if not cx.attempt(partial(_let, cx, body)):
                    _unknown(cx, body)
            case ast.LetFun():
                if not cx.attempt(partial(_let_fun, cx, body)):
                    cx.bind((body, body.name), body.name, cx.solver.fresh(body.at), body.at)
            case ast.LetWith():
                cx.attempt(partial(_let_with, cx, body))
        body = body.body
    t = cx.exp(cx, body)
    for node in nodes:
        cx.types[node] = t
    cx.scope.leave(mark)
    return t


def _let(cx: TypeContext, e: ast.Let) -> None:
    """Check ``let [n]… p = e``."""
    t = cx.exp(cx, e.exp)
    for n in e.sizes:
        cx.bind((e, n), n, I64, e.at)
    check_distinct((e.pat,))
    match_pattern(cx, e.pat, t, e.exp)
    check_irrefutable(cx, e.pat)


def _unknown(cx: TypeContext, e: ast.Let) -> None:
    """Bind the variables of a let with an error to unknown types."""
    for n in e.sizes:
        cx.bind((e, n), n, I64, e.at)
    for v in variables(e.pat):
        cx.bind(v, v.name, cx.solver.fresh(v.at), v.at)


def _let_with(cx: TypeContext, e: ast.LetWith) -> None:
    """Check ``let x[d, …] = v``, which reads the old x and binds a new one."""
    q = ast.QualName((), e.name, e.at)
    t = use(cx, q)
    ref = cx.typing.refs.get(q)
    if not isinstance(ref, LocalRef):
        fail(
            e.at,
            "update-global",
            f"`{e.name}` is not a variable of this definition, so it cannot be updated",
            "copy it first: `let x = copy …`",
        )
    cx.typing.opened[e] = ref
    let_with(cx, e, t)
    cx.bind((e, e.name), e.name, t, e.at)


def _let_fun(cx: TypeContext, e: ast.LetFun) -> None:
    """Check ``let f p … = e``; f is generalised over its own metavariables."""
    solver = cx.solver
    mark, before = cx.scope.mark(), len(cx.local_schemes)
    solver.level += 1
    declared = bind_type_params(cx, e.tparams)
    check_distinct(e.params)
    params = [_param(cx, p) for p in e.params]
    result = body_type(cx, e.ret, e.exp, f"the body of `{e.name}`")
    solver.level -= 1
    cx.scope.leave(mark)
    t: Type = result
    for p in reversed(params):
        t = Arrow(p, t)
    generic, kinds = generalise(cx, t) if e.params else ((), {})
    t = cx.solver.zonk(t)
    kinds.update(declared)
    names = (*(name for name, _ in declared), *generic)
    size_names = tuple(
        cx.typing.names[(p, p.name)] for p in e.tparams if p.kind is ast.ParamKind.SIZE
    )
    cx.extents.update(dict.fromkeys(names, (before, len(cx.local_schemes))))
    var = LocalVar(unique(cx.fresh, e.name), t, e.at, names, kinds)
    cx.typing.names[(e, e.name)] = var.name
    cx.local_schemes[e] = Scheme(names, size_names, t)
    cx.scope.bind(e.name, var)


def generalise(cx: TypeContext, t: Type) -> tuple[tuple[Name, ...], dict[Name, ast.ParamKind]]:
    """Turn the metavariables of ``t`` that no enclosing definition owns into type parameters."""
    solver = cx.solver
    kinds: dict[Name, ast.ParamKind] = {}
    for k in solver.owned(t):
        cell = solver.cells[k]
        if cell.shape is not None or cell.equal is not None:
            cell.level = solver.level  # with demands it is not generalised: its uses decide
            continue
        name = unique(cx.fresh, f"t{len(kinds)}")
        kind = ast.ParamKind.LIFTED if cell.order0 is None else ast.ParamKind.TYPE
        kinds[name] = kind
        if kind is ast.ParamKind.LIFTED:
            solver.lifted.add(name)
        cell.binding = Rigid(name)
    return tuple(kinds), kinds


def _param(cx: TypeContext, p: ast.Pattern) -> Type:
    t = pattern_type(cx, p)
    check_irrefutable(cx, p)
    return t


def body_type(cx: TypeContext, ret: ast.TypeExp | None, body: ast.Exp, what: str) -> Type:
    """Return the type of a function's body, which must be the declared result type, if any."""
    if ret is None:
        return cx.exp(cx, body)
    mark = cx.scope.mark()
    wanted = type_of(cx, ret)
    cx.scope.leave(mark)
    found = cx.exp(cx, body)
    cx.same(
        body.at,
        found,
        wanted,
        what,
        (body, ("the return type at ", ret.at)),
    )
    return wanted


def lambda_(cx: TypeContext, e: ast.Lambda) -> Type:
    r"""Return the type of ``\p … : te -> e``."""
    mark = cx.scope.mark()
    check_distinct(e.params)
    params = [_param(cx, p) for p in e.params]
    t = body_type(cx, e.ret, e.body, "the body of the function")
    cx.scope.leave(mark)
    for p in reversed(params):
        t = Arrow(p, t)
    return t


# ---------------------------------------------------------------------- loop


def loop(cx: TypeContext, e: ast.Loop) -> Type:
    """Return the type of ``loop p = e form do body``."""
    t = cx.exp(cx, e.init) if e.init is not None else _initial(cx, e.pat)
    bound: Type | None = None
    match e.form:
        case ast.ForLess(_, limit):
            bound = index = cx.exp(cx, limit)
            shape = OneOf(SIGNED_SET, "the bound of a loop", limit.at)
            cx.demand(
                limit.at, bound, "the bound of a loop", lambda: cx.solver.demand_shape(index, shape)
            )
        case ast.ForIn(_, array):
            bound = cx.solver.fresh(array.at)
            cx.same(array.at, cx.exp(cx, array), Array(bound), "the array of a loop")
        case ast.While():
            pass
    mark = cx.scope.mark()
    for n in e.sizes:
        cx.bind((e, n), n, I64, e.at)
    match e.form:  # a loop parameter hides an index or element of the same name
        case ast.ForLess(name, _, at):
            assert bound is not None
            cx.bind((e.form, name), name, bound, at)
        case ast.ForIn(pat, _):
            assert bound is not None
            check_distinct((pat,))
            match_pattern(cx, pat, bound, "an element of the array")
            check_irrefutable(cx, pat)
        case ast.While():
            pass
    check_distinct((e.pat,))
    match_pattern(cx, e.pat, t, "the initial value of the loop")
    check_irrefutable(cx, e.pat)
    cx.order0(e.pat.at, t, "a parameter of a loop")
    if isinstance(e.form, ast.While):
        cond = e.form.cond
        cx.same(cond.at, cx.exp(cx, cond), BOOL, "the condition of `while`")
    found = cx.exp(cx, e.body)
    cx.scope.leave(mark)
    cx.same(
        e.body.at,
        found,
        t,
        "the body of the loop",
        (e.body, ("the loop's parameter at ", e.pat.at)),
    )
    return t


def _initial(cx: TypeContext, p: ast.Pattern) -> Type:
    """Return the type of the pattern of ``loop (x, y) for …``, read as an expression."""
    match p:
        case ast.PVar(name, at):
            q = ast.QualName((), name, at)
            t = use(cx, q)
            cx.initials[p] = q
            return t
        case ast.PTuple(elems):
            return tuple_type(*[_initial(cx, q) for q in elems])
        case ast.PAscript(pat, _):
            return _initial(cx, pat)
        case ast.PRecord(fields):
            return record_type({label: _initial(cx, q) for label, q in fields})
        case ast.PWild() | ast.PConstr() | ast.PLit():
            message = "a loop without an initial value needs a variable here"
            raise failure(p.at, "loop-initial", message)


# ---------------------------------------------------------------------- match, m.(e)


def match(cx: TypeContext, e: ast.Match) -> Type:
    """Return the type of ``match e case p -> e …``."""
    scrutinee = cx.exp(cx, e.exp)
    result: Type | None = None
    for case in e.cases:
        mark = cx.scope.mark()
        check_distinct((case.pat,))
        match_pattern(cx, case.pat, scrutinee, e.exp)
        found = cx.exp(cx, case.exp)
        cx.scope.leave(mark)
        if result is None:
            result = found
        else:
            first = e.cases[0].exp
            cx.same(
                case.exp.at,
                found,
                result,
                "this case",
                (case.exp, ("the first case, ", first)),
            )
    if result is None:
        fail(e.at, "match-cases", "a `match` needs at least one case")
    cx.order0(e.at, result, "the result of `match`")
    check_match(cx, e)
    return result


def open_in(cx: TypeContext, e: ast.OpenIn) -> Type:
    """Return the type of ``m.(e)``."""
    mark, names = cx.scope.mark(), cx.scope.names
    open_module(cx, e.module)
    t = cx.exp(cx, e.exp)
    cx.scope.leave(mark)
    cx.scope.names = names
    return t


def open_module(cx: TypeContext, q: ast.QualName) -> None:
    """Bring the names of a module into scope."""
    module = cx.scope.module((*q.quals, q.name))
    match module:
        case None:
            known = list(cx.scope.names.modules)
            first = q.quals[0] if q.quals else q.name
            message = f"no module `{q}` is in scope"
            if cx.scope.names.lacks(VALUE, first):
                raise Follows(Diagnostic(q.at, "unknown-module", message))
            fail(q.at, "unknown-module", message, suggestion(q.name, known))
        case BuiltinModule(name):
            for member in builtins.member_names(name):
                cx.scope.bind(member, Builtin(name, member))
            for member, scalar in builtins.member_types(name).items():
                cx.scope.bind_type(member, scalar)
        case names:
            for member, value in names.values.items():
                cx.scope.bind(member, value)
            for member, entry in names.types.items():
                cx.scope.bind_type(member, entry)
            inner = Names(modules=names.modules, parametric=names.parametric)
            for member in (*inner.modules, *inner.parametric):
                cx.scope.hide(member)
            cx.scope.names = cx.scope.names.copy()
            cx.scope.names.open(inner)
