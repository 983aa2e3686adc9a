r"""Maps over rows: operations on all rows, one thread per row, or one row after the other.

    map f X  ->  (1) what rows.py makes of f's body: operations on the elements of all rows
                 (2) if it computes scalars: map (\i -> f X[i]) (iota n), with rows as slices
                 (3) otherwise  loop for i < n: the lengths of row i
                                their offsets
                                loop for i < n: the elements of row i, at their place

(3) is for rows that no rule describes, such as a row that a loop computes element by element.  The
loop's body may be as parallel as any program.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import map_parts, unsized
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.passes.core.flatten_nested import combine
from funmem.passes.core.flatten_nested.elements import Delayed, Local, Plain
from funmem.passes.core.flatten_nested.filled import OfRow, filled, stored_part
from funmem.passes.core.flatten_nested.plan import Plan, parts_of, results_of
from funmem.passes.core.flatten_nested.rows import Lift, Result
from funmem.passes.core.flatten_nested.state import (
    INTS,
    Deep,
    Ragged,
    Refused,
    State,
    Stored,
    at,
    iota,
    rank,
    row_at,
    row_of,
)
from funmem.passes.core.names import free_names

Locals: TypeAlias = dict[Name, Local]


class Flattener(Protocol):
    """The pass on expressions, which maps are a part of."""

    s: State
    plan: Plan

    def exp(self, e: Exp) -> Exp: ...
    def chain(self, e: Exp) -> Exp: ...
    def is_ragged(self, e: Exp) -> bool: ...
    def values(self, e: Exp) -> tuple[Exp | Stored, ...]: ...
    def stored(self, e: Exp) -> Stored: ...


def mapped(f: Flattener, fn: c.Lambda, arrays: tuple[Exp, ...]) -> tuple[Result, ...]:
    """Bind the results of a map over rows."""
    s = f.s
    s.lifted = True
    fn = _with_fields(s, c.Lambda(fn.params, _inlined(f, fn.body), fn.at))
    local, n = _operands(f, fn, arrays)
    results = results_of(fn.body)
    scalars = all(rank(s.type(x)) == 0 for x in results)
    ways: list[Callable[[], tuple[Result, ...]]] = []
    lift = Lift(s, n, dict(local), mapped=lambda g, xs: _results(f, g, xs))
    if scalars and not _folds(fn.body):
        ways.append(lambda: _per_row(f, n, local, fn.body))
    ways.append(lambda: lift.body(_inner(s, fn.body)))
    if scalars:
        ways.append(lambda: _per_row(f, n, local, fn.body))
    for way in ways:
        out, ragged = list(s.out), dict(s.ragged)
        try:
            return way()
        except Refused:
            s.out[:] = out
            s.ragged = ragged
    return _one_by_one(f, fn, local, n)


def _inlined(f: Flattener, e: Exp) -> Exp:
    """Return code with the bodies of functions that return rows in place of their calls."""
    s = f.s
    e = map_parts(e, lambda x: _inlined(f, x), lambda t: t)
    if not isinstance(e, c.App) or not isinstance(e.fn, c.Global) or e.fn.name not in s.defs:
        return e
    name = e.fn.name
    if not any(map(rank, parts_of(s.type(e)))) or f.plan.is_recursive(name):
        return e
    fn = s.copy(s.defs[name].exp)
    if not isinstance(fn, c.Lambda) or len(fn.params) != len(e.args):
        return e
    body = _inlined(f, fn.body)
    for p, x in zip(reversed(fn.params), reversed(e.args), strict=True):
        own = c.Binder(p.name, unsized(p.type))
        s.types[p.name] = own.type
        body = c.Let((own,), x, body)
    return body


def _with_fields(s: State, fn: c.Lambda) -> c.Lambda:
    """Return a function that ends with its results, if it has several."""
    body = fn.body
    while isinstance(body, c.Let | c.Assert):
        body = body.body
    t = s.type(fn.body)
    if isinstance(body, c.Fields) or not isinstance(t, c.Record):
        return fn
    own = tuple(c.Binder(s.fresh("result"), unsized(u)) for _, u in t.fields)
    s.types |= {b.name: b.type for b in own}
    return c.Lambda(fn.params, c.Let(own, fn.body, c.tuple_exp(*(c.Var(b.name) for b in own))))


def _results(f: Flattener, fn: c.Lambda, arrays: tuple[Exp, ...]) -> tuple[Result, ...]:
    """Bind the results of a map, which may have no rows."""
    s, types = f.s, parts_of(f.s.type(fn.body))
    if f.plan.lifts(fn, arrays):
        return mapped(f, fn, arrays)
    e = f.exp(c.Map(fn, arrays))
    binders = tuple(c.Binder(s.fresh("of_rows"), c.Array(unsized(t))) for t in types)
    s.types |= {b.name: b.type for b in binders}
    s.out.append((binders, e if len(binders) == 1 else c.Unzip(e)))
    return tuple(
        combine.of_regular(s, c.Var(b.name), b.type) if rank(t) else b.name
        for b, t in zip(binders, types, strict=True)
    )


def _operands(f: Flattener, fn: c.Lambda, arrays: tuple[Exp, ...]) -> tuple[Locals, Exp]:
    """Bind the arrays of a map; return what its parameters are, and the number of rows."""
    s = f.s
    local: Locals = {}
    plain: list[Exp] = []
    for p, x in zip(fn.params, arrays, strict=True):
        s.types[p.name] = p.type
        if f.is_ragged(x):
            rows = f.stored(x)
            local[p.name] = rows
            plain.append(iota(s.rows(rows)))
        else:
            name = s.let(p.name, c.Array(p.type), f.exp(x))
            local[p.name] = Plain(name)
            plain.append(c.Var(name))
    n: Exp = c.Length(plain[0]) if not isinstance(plain[0], c.Iota) else plain[0].n
    if len(plain) > 1:  # the map traps unless all have one length
        types = [I64 if isinstance(x, c.Iota) else _elem(s.type(x)) for x in plain]
        params = tuple(c.Binder(s.fresh("x"), t) for t in types)
        both = c.Map(c.Lambda(params, c.Const(1, I64)), tuple(plain))
        n = c.Length(c.Var(s.let("together", INTS, both)))
    return local, c.Var(s.let("n", I64, n))


def _elem(t: c.Type) -> c.Type:
    assert isinstance(t, c.Array)
    return t.elem


# ---------------------------------------------------------------------- one thread per row


def _per_row(f: Flattener, n: Exp, local: Locals, body: Exp) -> tuple[Name, ...]:
    """Bind the results of one thread per row: scalars."""
    s = f.s
    if any(isinstance(v, Deep) for v in local.values()):
        raise Refused("rows of rows in a thread")
    types = [c.Array(s.type(x)) for x in results_of(body)]
    binders = tuple(c.Binder(s.fresh("of_rows"), t) for t in types)
    s.types |= {b.name: b.type for b in binders}
    if f.plan.contains(body):
        e = Lift(s, n, dict(local)).per_row(body)
        assert isinstance(e, c.Map)
        assert isinstance(e.fn, c.Lambda)
        e = c.Map(f.exp(e.fn), e.arrays, e.at)
    else:
        e = Lift(s, n, dict(local)).per_row(_inner(s, body))
    s.out.append((binders, e if len(binders) == 1 else c.Unzip(e)))
    return tuple(b.name for b in binders)


def _inner(s: State, e: Exp) -> Exp:
    """Return the body of a map, where rows of ragged values from outside become slices."""
    if not any(x in s.ragged for x in free_names(e)):
        return e

    def visit(x: Exp) -> Exp:
        match x:
            case c.Index(c.Var(y), (c.Fix(i), *others)) if isinstance(
                rows := s.ragged.get(y), Ragged
            ):
                row = row_of(rows, visit(i))
                if not others:
                    return row
                return c.Index(row, tuple(_dim(d, visit) for d in others), x.at)
            case c.Length(c.Var(y), 0) if y in s.ragged:
                return s.rows(s.ragged[y])
            case c.Var(y) if y in s.ragged:
                raise Refused(f"`{y}`, whose rows differ, as a whole in a map", x.at)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return map_parts(x, visit, lambda t: t)

    return visit(e)


def _dim(d: c.Dim, f: Callable[[Exp], Exp]) -> c.Dim:
    """Return a dimension with ``f`` applied to its parts."""
    match d:
        case c.Fix(i):
            return c.Fix(f(i))
        case c.Range(lo, hi, step):
            return c.Range(*(None if x is None else f(x) for x in (lo, hi, step)))


def _folds(e: Exp) -> bool:
    """True if a body has a reduction at its top level: it becomes segmented."""
    while isinstance(e, c.Let | c.Assert):
        if isinstance(e, c.Let) and isinstance(e.exp, c.Reduce):
            return True
        e = e.body
    return any(isinstance(x, c.Reduce) for x in results_of(e))


# ---------------------------------------------------------------------- one row after the other


def _one_by_one(f: Flattener, fn: c.Lambda, local: Locals, n: Exp) -> tuple[Result, ...]:
    """Bind the results row by row."""
    types = [f.s.type(x) for x in results_of(fn.body)]
    return filled(f.s, types, n, lambda *given: _loop(f, fn, local, n, *given))


def _loop(
    f: Flattener,
    fn: c.Lambda,
    local: Locals,
    n: Exp,
    params: Sequence[c.Binder],
    first: Sequence[Exp],
    results: OfRow,
) -> list[Name]:
    """Bind a loop over the rows that passes on ``params``; ``results`` of what a row computes."""
    s, i = f.s, f.s.fresh("i")
    s.types[i] = I64
    own = s.copy(fn)
    assert isinstance(own, c.Lambda)
    with s.scope():
        for p, q in zip(fn.params, own.params, strict=True):
            _bind_row(s, q, local[p.name], c.Var(i))
        found = tuple(stored_part(f.s, x) for x in f.values(own.body))
        new = results(c.Var(i), found)
        body = s.wrapped(new[0] if len(new) == 1 else c.tuple_exp(*new))
    binders = tuple(c.Binder(s.fresh(p.name), p.type) for p in params)
    s.types |= {b.name: b.type for b in binders}
    s.out.append((binders, c.Loop(tuple(params), tuple(first), c.For(i, n), body)))
    return [b.name for b in binders]


def _bind_row(s: State, p: c.Binder, v: Local, i: Exp) -> None:
    """Bind a parameter of the function to row ``i``."""
    if isinstance(v, Deep):
        s.ragged[p.name] = row_at(s, v, i)
        return
    assert not isinstance(v, Delayed)
    value = row_of(v, i) if isinstance(v, Ragged) else at(v.array, i)
    t = unsized(p.type)
    s.types[p.name] = t
    s.out.append(((c.Binder(p.name, t),), value))


__all__ = ["mapped"]
