"""The built-ins whose types depend on their arguments: ``map``, ``range``, ``shape`` and ``rows``.

map f X…     as many vectors as f takes arguments: well defined, for vectors hold no functions.
             While the type of f is not known, as many as are given, and at least one
range        one argument, or three
shape, rows  the rank of their argument is known here
"""

from collections.abc import Sequence

from funmem.frontends.inference.types import Array, Arrow, Meta, Type, tuple_type
from funmem.frontends.nova import ast
from funmem.frontends.nova.builtins import SPECIAL
from funmem.frontends.nova.context import Context
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.typing import SpecialUse
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import I32


def special(cx: Context, fn: ast.Var, args: Sequence[ast.Exp], at: Span) -> Type:
    """Return the type of ``(fn args…)``, where ``fn`` is in SPECIAL, and note the use."""
    if fn.name == "map":
        return _map(cx, fn, args)
    counts = SPECIAL[fn.name]
    if len(args) not in counts:
        wanted = " or ".join(map(str, counts))
        plural = "s" if counts[-1] > 1 else ""
        message = f"`{fn.name}` takes {wanted} argument{plural} at once, not {len(args)}"
        fail(at, Code.TYPE, message)
    return _range(cx, fn, args) if fn.name == "range" else _ranked(cx, fn, args[0])


def _range(cx: Context, fn: ast.Var, args: Sequence[ast.Exp]) -> Type:
    for k, arg in enumerate(args):
        cx.same(arg.at, cx.exp(cx, arg), I32, f"argument {k + 1} of `range`")
    return _noted(cx, fn, (I32,) * len(args), Array(I32), 1)


def _noted(cx: Context, fn: ast.Var, params: Sequence[Type], result: Type, rank: int) -> Type:
    """Note the use of a built-in as a function of these parameters, and return the result."""
    cx.uses[fn] = SpecialUse(fn.name, len(params), rank)
    whole = result
    for p in reversed(params):
        whole = Arrow(p, whole)
    cx.types[fn] = whole
    return result


def _ranked(cx: Context, fn: ast.Var, arg: ast.Exp) -> Type:
    """Return the type of ``shape M`` and ``rows M``."""
    t = cx.exp(cx, arg)
    rank = cx.declared.rank(t)
    if rank < 2:
        known = cx.text(t)
        if isinstance(cx.solver.resolve(t), Meta):
            hint = "state the type of the vector, `vector#2 …`"
            fail(arg.at, Code.AMBIGUOUS, f"the rank of `{fn.name}`'s argument is not known", hint)
        fail(arg.at, Code.TYPE, f"`{fn.name}` takes a `vector#n` with n > 1: this is {known}")
    if fn.name == "shape":
        return _noted(cx, fn, (t,), tuple_type(*(I32,) * rank), rank)
    elem = cx.solver.fresh(fn.at)
    cx.same(arg.at, t, cx.declared.vector(elem, rank), "the argument of `rows`")
    return _noted(cx, fn, (t,), Array(cx.declared.vector(elem, rank - 1)), rank)


def _map(cx: Context, fn: ast.Var, args: Sequence[ast.Exp]) -> Type:
    """Return the type of ``map`` applied to a function and vectors, some or none."""
    f = cx.exp(cx, args[0]) if args else cx.solver.fresh(fn.at)
    where = args[0].at if args else fn.at
    vectors = args[1:]
    types = [cx.exp(cx, x) for x in vectors]
    params: list[Type] = []
    result = cx.solver.resolve(f)
    while isinstance(result, Arrow):
        params.append(result.param)
        result = cx.solver.resolve(result.result)
    if isinstance(result, Meta) and cx.may_be_function(result):
        rest = max(len(vectors), 1) - len(params)
        for _ in range(rest):
            new = Arrow(cx.solver.fresh(where), cx.solver.fresh(where))
            cx.same(where, result, new, "the function of `map`")
            params.append(new.param)
            result = new.result
    if not params:
        fail(where, Code.TYPE, f"`map` applies a function, but this is {cx.text(f)}")
    if len(vectors) > len(params):
        count = f"{len(params)} argument{'s' if len(params) > 1 else ''}"
        extra = vectors[len(params)].at
        fail(extra, Code.TYPE, f"the function of `map` takes {count}, not {len(vectors)}")
    rank = next((r for t in types if (r := cx.declared.rank(t))), 1)
    cx.declared.simple(where, result, "a vector's element")
    for p in params:
        cx.declared.simple(where, p, "a vector's element")
    for k, (arg, t) in enumerate(zip(vectors, types, strict=True)):
        what = f"vector {k + 1} of `map`" if len(types) > 1 else "the vector of `map`"
        cx.same(arg.at, t, cx.declared.vector(params[k], rank), what)
    whole: Type = cx.declared.vector(result, rank)
    _noted(cx, fn, (f, *(cx.declared.vector(p, rank) for p in params)), whole, rank)
    for p in reversed(params[len(vectors) :]):
        whole = Arrow(cx.declared.vector(p, rank), whole)
    return whole if args else Arrow(f, whole)
