"""Rules of phase 2 for binders: ``let``, local functions, lambdas, branches, ``match``."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins import implicit_sizes
from funmem.frontends.futhark.errors import place
from funmem.frontends.futhark.sizes import SizeClash, sizes_in
from funmem.frontends.futhark.sizes_array import updated
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_pat import (
    bind_pattern,
    consumes,
    parameter,
    parameter_name,
)
from funmem.frontends.futhark.sizes_types import is_unique, sized
from funmem.frontends.futhark.sizes_values import dimension, size_of
from funmem.frontends.futhark.typing import LocalRef, Scheme
from funmem.frontends.inference.type_parts import children
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir.names import Name
from funmem.ir.scalars import I64, ScalarType
from funmem.ir.sizes import Size, var

# ---------------------------------------------------------------------- functions


def function_type(
    cx: SizeContext,
    params: tuple[ast.Pattern, ...],
    types: list[Type],
    result: Type,
    fresh: bool,
    limit: int,
) -> Type:
    """Return the type of a function; sizes in its result that only its body knows are existential.

    ``limit``: the depth around the function.
    """
    result = cx.norm(result)
    names = [parameter_name(cx, p) for p in params]
    inner: dict[Name, None] = {}
    mentioned: set[Name] = set()
    for s in sizes_in(result):
        for x in s.free():
            whole = cx.solver.mentions(var(x))
            mentioned |= whole
            deep = {y for y in whole if y not in cx.solver.metas and _depth(cx, y) > limit}
            if deep - set(names):
                inner[x] = None
    exists: list[Name] = []
    image: dict[Name, Size] = {}
    for x in inner:
        fresh_size = cx.solver.unknown("k", soft=x in cx.solver.soft)
        name = fresh_size.as_name
        assert name is not None
        cx.solver.depths[name] = 1 << 30
        exists.append(name)
        image[x] = fresh_size
    result = cx.replace(result, image)
    last = len(params) - 1
    t: Type = result
    for k in range(last, -1, -1):
        name = names[k]
        later = t if k < last else result
        used = name is not None and (name in mentioned or _occurs(cx, name, later))
        t = Arrow(
            types[k],
            t,
            name if used else None,
            consumes(params[k]),
            fresh and k == last,
            tuple(exists) if k == last else (),
        )
    return t


def _depth(cx: SizeContext, x: Name) -> int:
    return 0 if x in cx.solver.atoms else cx.solver.depth_of(x)


def _occurs(cx: SizeContext, name: Name, t: Type) -> bool:
    return any(name in cx.solver.mentions(s) for s in sizes_in(t))


def dimensions(t: Type) -> Iterator[Size]:
    """Yield the sizes in a type, except in function types, where they concern calls."""
    if isinstance(t, Array) and t.size is not None:
        yield t.size
    if not isinstance(t, Arrow):
        for part in children(t):
            yield from dimensions(part)


def body_type(cx: SizeContext, ret: ast.TypeExp | None, body: ast.Exp, what: str) -> Type:
    """Return the type of a function's body, with the sizes that its return type states."""
    if ret is None:
        return cx.exp(cx, body)
    mark = len(cx.trail)
    wanted = sized(cx, ret)
    cx.leave(mark)
    cx.same(body.at, cx.exp(cx, body), wanted, what)
    return wanted


def lambda_(cx: SizeContext, e: ast.Lambda, expected: Arrow | None) -> Type:
    r"""Return the type of ``\p … -> e`` where a function of type ``expected`` is required."""
    limit, mark = cx.solver.depth, len(cx.trail)
    types: list[Type] = []
    rest: Type | None = expected
    for p in e.params:
        wanted = rest.param if isinstance(rest, Arrow) else None
        types.append(parameter(cx, p, wanted))
        rest = rest.result if isinstance(rest, Arrow) else None
    result = body_type(cx, e.ret, e.body, "the body of the function")
    cx.solver.depth = limit
    t = function_type(cx, e.params, types, result, is_unique(e.ret), limit)
    cx.hide(mark)
    cx.leave(mark)
    return t


def function(cx: SizeContext, e: ast.Exp, expected: Arrow) -> Type:
    """Return the type of ``e``; if it is a lambda, ``expected`` gives its parameter types."""
    if not isinstance(e, ast.Lambda):
        return cx.exp(cx, e)
    t = lambda_(cx, e, expected)
    cx.types[e] = (t, cx.time)
    return t


def generalise(
    cx: SizeContext, t: Type, declared: tuple[Name, ...], limit: int, where: object
) -> Scheme:
    """Turn the sizes that only this function knows into parameters, named at node ``where``."""
    t = cx.norm(t)
    found: dict[Name, Size] = {}
    for s in sizes_in(t):
        for x in sorted(cx.solver.mentions(s)):
            if x in cx.solver.metas and cx.solver.depths[x] > limit and x not in found:
                found[x] = var(cx.solver.fresh("d"))
    names: list[Name] = []
    for x, size in found.items():
        cx.solver.binding[x] = size
        name = size.as_name
        assert name is not None
        names.append(name)
        cx.typing.names[(where, name)] = name
    t = cx.norm(t)
    all_sizes = (*declared, *names)
    return Scheme((), all_sizes, t, implicit_sizes(t) & frozenset(all_sizes))


# ---------------------------------------------------------------------- let


def chain(cx: SizeContext, e: ast.Let | ast.LetFun | ast.LetWith) -> Type:
    """Return the type of ``let … let … in e``, walked in a loop."""
    mark = len(cx.trail)
    nodes: list[ast.Exp] = []
    body: ast.Exp = e
    while isinstance(body, ast.Let | ast.LetFun | ast.LetWith):
        nodes.append(body)
        match body:
            case ast.Let():
                _let(cx, body)
            case ast.LetFun():
                _let_fun(cx, body)
            case ast.LetWith(_, dims, value):
                ref = cx.typing.opened[body]
                assert isinstance(ref, LocalRef)
                t = cx.vars[ref.name]
                updated(cx, t, dims, value)
                cx.bind(cx.typing.names[(body, body.name)], t)
        body = body.body
    t = _outside(cx, nodes, cx.exp(cx, body))
    cx.leave(mark)
    for node in nodes:
        cx.types[node] = (t, cx.time)
    return t


def _outside(cx: SizeContext, nodes: list[ast.Exp], t: Type) -> Type:
    """Return ``t`` outside of ``let``s: replace their i64 variables in sizes by their values."""
    if isinstance(t, ScalarType):
        return t
    t = cx.norm(t)
    mentioned = {x for s in sizes_in(t) for x in cx.solver.mentions(s)}
    for e in reversed(nodes):
        pat = e.pat if isinstance(e, ast.Let) else None
        inner = pat.pat if isinstance(pat, ast.PAscript) else pat
        if not isinstance(e, ast.Let) or not isinstance(inner, ast.PVar):
            continue
        name = cx.typing.names[inner]
        if name in mentioned and cx.vars[name] is I64:
            size = dimension(cx, e.exp)
            t = cx.replace(t, {name: size})
            mentioned |= cx.solver.mentions(size)
    return t


def _let(cx: SizeContext, e: ast.Let) -> None:
    """Check ``let [n]… p = e``."""
    t = cx.exp(cx, e.exp)
    value = size_of(cx, e.exp) if t is I64 else None
    for n in e.sizes:
        name = cx.typing.names[(e, n)]
        cx.bind(name, I64)
        cx.solver.flexible(name)
        cx.let_sizes.append((name, e, n))
    stated = bind_pattern(cx, e.pat, t)
    if e.sizes:
        cx.stated[e.pat] = (stated, cx.time)
    inner = e.pat.pat if isinstance(e.pat, ast.PAscript) else e.pat
    if value is not None and isinstance(inner, ast.PVar):
        cx.values[cx.typing.names[inner]] = value


def _let_fun(cx: SizeContext, e: ast.LetFun) -> None:
    """Check ``let f [n] p … = e``, polymorphic in the sizes that only f knows."""
    limit, mark, start = cx.solver.depth, len(cx.trail), cx.time
    cx.solver.depth += 1
    declared: list[Name] = []
    for p in e.tparams:
        if p.kind is ast.ParamKind.SIZE:
            declared.append(cx.typing.names[(p, p.name)])
            cx.bind(declared[-1], I64)
    types = [parameter(cx, p) for p in e.params]
    result = body_type(cx, e.ret, e.exp, f"the body of `{e.name}`")
    cx.solver.depth = limit
    name = cx.typing.names[(e, e.name)]
    if not e.params:
        cx.leave(mark)
        cx.bind(name, result)
        return
    own = cx.typing.local_schemes[e]
    t = function_type(cx, e.params, types, result, is_unique(e.ret), limit + 1)
    scheme = generalise(cx, t, tuple(declared), limit, e)
    scheme = Scheme(own.types, scheme.sizes, scheme.type, scheme.implicit_sizes)
    cx.hide(mark)
    cx.leave(mark)
    for n in scheme.sizes:
        cx.opened[n], cx.closed[n] = start, cx.time
    cx.bind(name, scheme.type)
    cx.local_schemes[name] = scheme
    cx.schemes[e] = scheme


# ---------------------------------------------------------------------- branches, loops


Joined: TypeAlias = dict[tuple[Size, Size], Size]
"""The joined size of each pair of different sizes: arrays of one size in each branch keep one
size afterwards."""


def join(
    cx: SizeContext, a: Type, b: Type, what: str, e: ast.Exp, joined: Joined | None = None
) -> Type:
    """Return the type of a choice; sizes that differ become an unknown size."""
    done: Joined = {} if joined is None else joined

    def each(xs: Iterable[Type], ys: Iterable[Type]) -> tuple[Type, ...]:
        return tuple([join(cx, x, y, what, e, done) for x, y in zip(xs, ys, strict=True)])

    match a:
        case Array(elem, m) if isinstance(b, Array):
            n = b.size
            size = None if m is None or n is None else _join_size(cx, m, n, what, e, done)
            return Array(join(cx, elem, b.elem, what, e, done), size)
        case Record(fields) if isinstance(b, Record):
            types = each([x for _, x in fields], [y for _, y in b.fields])
            return Record(tuple([(label, t) for (label, _), t in zip(fields, types, strict=True)]))
        case Sum(constructors) if isinstance(b, Sum):
            payloads = zip(constructors, b.constructors, strict=True)
            return Sum(tuple([(c, each(us, vs)) for (c, us), (_, vs) in payloads]))
        case ScalarType() | Record() | Sum() | Array() | Arrow() | Rigid() | Opaque() | Meta():
            return a


def _join_size(cx: SizeContext, m: Size, n: Size, what: str, e: ast.Exp, joined: Joined) -> Size:
    m, n = cx.solver.norm(m), cx.solver.norm(n)
    if (m, n) in joined:
        return joined[m, n]
    names = cx.solver.mentions(m) | cx.solver.mentions(n)
    soft = not names.isdisjoint(cx.solver.soft)
    if m == n and not is_inner(cx, m):
        return m
    if not soft and names.isdisjoint(cx.solver.given | cx.solver.parameters):
        try:
            cx.solver.unify(n, m)
            if not is_inner(cx, m):
                return m
        except SizeClash:
            pass
    note = f"a size that differs between the branches of {what} at {place(e.at)}"
    size = cx.unknown("size", note, soft)
    if not soft:
        joined[m, n] = size
    return size


def is_inner(cx: SizeContext, s: Size) -> bool:
    """True if a size mentions a name that only a branch knows."""
    return any(
        cx.solver.depth_of(x) > cx.solver.depth
        for x in cx.solver.mentions(cx.solver.norm(s))
        if x not in cx.solver.metas
    )


def match(cx: SizeContext, e: ast.Match) -> Type:
    """Return the type of ``match e case p -> e …``."""
    scrutinee = cx.exp(cx, e.exp)
    result: Type | None = None
    for case in e.cases:
        mark = len(cx.trail)
        cx.solver.depth += 1
        bind_pattern(cx, case.pat, scrutinee)
        t = cx.exp(cx, case.exp)
        cx.solver.depth -= 1
        cx.leave(mark)
        result = t if result is None else join(cx, result, t, "`match`", e)
    assert result is not None
    if len(e.cases) == 1:
        result = join(cx, result, result, "`match`", e)
    return result
