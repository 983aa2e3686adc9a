r"""Loops, reductions and scans whose accumulators are rows of rows, or rows of any length.

    loop acc = init for … do body  ->  loop (acc'offsets, acc) = (init'offsets, init) for … do …
    reduce op ne xs                ->  loop acc = ne for i < n do op acc xs[i]
    scan op ne xs                  ->  the same loop twice: the lengths of the prefixes, then
                                       their elements (filled.py)

The accumulators may change their lengths, so they are computed one after the other.
"""

from collections.abc import Sequence
from typing import Protocol

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.passes.core.flatten_nested.filled import OfRow, filled, stored_part
from funmem.passes.core.flatten_nested.maps import Flattener
from funmem.passes.core.flatten_nested.plan import Parts, parts_of
from funmem.passes.core.flatten_nested.state import Stored, like, names_of, types_of

Part = Exp | Stored


class Loops(Flattener, Protocol):
    """The pass on expressions, which loops are a part of."""

    def form(self, form: c.For | c.While) -> c.For | c.While: ...
    def tail(self, e: Exp, flags: Parts) -> Exp: ...
    def binding(self, binders: tuple[c.Binder, ...], e: Exp) -> None: ...
    def arrays(self, x: Part, t: c.Type, *, ragged: bool) -> list[Exp]: ...
    def results(
        self, types: list[c.Type], flags: Parts
    ) -> tuple[list[c.Binder], tuple[Part, ...]]: ...


def loop(f: Loops, e: c.Loop) -> tuple[Part, ...]:
    """Bind what a loop computes."""
    flags = f.plan.parts(e)
    params, init = _accumulators(f, e, flags)
    binders, found = f.results([p.type for p in e.params], flags)
    form = f.form(e.form)
    body = f.tail(e.body, flags)
    f.s.out.append((tuple(binders), c.Loop(tuple(params), tuple(init), form, body, e.at)))
    return found


def _accumulators(f: Loops, e: c.Loop, flags: Parts) -> tuple[list[c.Binder], list[Exp]]:
    """Return the parameters of a loop and their first values; ragged ones are noted as such."""
    s, params, init = f.s, list[c.Binder](), list[Exp]()
    for p, x, yes in zip(e.params, e.init, flags, strict=True):
        if not yes:
            params.append(c.Binder(p.name, unsized(p.type)))
            init.append(f.exp(x))
            continue
        first, rows = f.stored(x), s.named(p.name, like(p.type))
        s.ragged[p.name] = rows
        own = zip(names_of(rows), types_of(rows), strict=True)
        params += [c.Binder(y, u) for y, u in own]
        init += [c.Var(name) for name in names_of(first)]
    return params, init


def as_loop(f: Loops, e: c.Reduce | c.Scan) -> c.Loop:
    """Return a reduction of rows as a loop."""
    s, names = f.s, list[Name]()
    for x in e.arrays:
        if isinstance(x, c.Var):
            names.append(x.name)
            continue
        b = c.Binder(s.fresh("xs"), unsized(s.type(x)))
        s.types[b.name] = b.type
        f.binding((b,), x)
        names.append(b.name)
    op = s.copy(e.op)
    assert isinstance(op, c.Lambda)
    k, i = len(e.ne), s.fresh("i")
    s.types[i] = I64
    body = op.body
    for p, xs in zip(op.params[k:], names, strict=True):
        own = c.Binder(p.name, unsized(p.type))
        body = c.Let((own,), c.Index(c.Var(xs), (c.Fix(c.Var(i)),), e.at), body)
    params = tuple(c.Binder(p.name, unsized(p.type)) for p in op.params[:k])
    s.types |= {p.name: p.type for p in params}
    return c.Loop(params, e.ne, c.For(i, c.Length(c.Var(names[0]))), body, e.at)


def scanned(f: Loops, e: c.Scan) -> tuple[Part, ...]:
    """Bind the prefixes of a reduction of rows."""
    fold = as_loop(f, e)
    assert isinstance(fold.form, c.For)
    n = c.Var(f.s.let("n", I64, f.exp(fold.form.bound)))
    types = [p.type for p in fold.params]
    found = filled(f.s, types, n, lambda *given: _prefixes(f, fold, n, *given))
    return tuple(c.Var(x) if isinstance(x, str) else x for x in found)


def _prefixes(
    f: Loops,
    fold: c.Loop,
    n: Exp,
    params: Sequence[c.Binder],
    first: Sequence[Exp],
    results: OfRow,
) -> list[Name]:
    """Bind a loop that passes on ``params`` besides its accumulators."""
    s, own = f.s, f.s.copy(fold)
    assert isinstance(own, c.Loop)
    assert isinstance(own.form, c.For)
    flags = f.plan.parts(own)
    accs, init = _accumulators(f, own, flags)
    i, types = own.form.index, parts_of(s.type(own.body))
    s.types[i] = I64
    with s.scope():
        parts = tuple(stored_part(s, x) for x in f.values(own.body))
        new = [
            y
            for x, t, yes in zip(parts, types, flags, strict=True)
            for y in f.arrays(x, t, ragged=yes)
        ]
        body = s.wrapped(c.tuple_exp(*new, *results(c.Var(i), parts)))
    unused = [c.Binder(s.fresh(p.name), p.type) for p in accs]
    made = [c.Binder(s.fresh(p.name), p.type) for p in params]
    s.types |= {b.name: b.type for b in (*unused, *made)}
    binders, given = (*unused, *made), (*accs, *params)
    s.out.append((binders, c.Loop(given, (*init, *first), c.For(i, n), body, fold.at)))
    return [b.name for b in made]
