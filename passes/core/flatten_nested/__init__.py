r"""flatten-nested: rows of different lengths become offsets and elements (Core -> Core).

*Why.*  Core's arrays of arrays may be ragged, FUN's may not.  A ragged value is stored as the
offsets of its rows and their elements, end to end (Bergstrom et al. 2013: data is flattened always,
control only where it pays).  Offsets, not flags: flags lose empty rows.

*Before -> after.*

    entry main [n] (X : [n][]f32) =
      map (\row -> reduce + 0 row) X
    ->
    entry main [r] [m] (X'offsets : [r]i64) (X : [m]f32) =
      segmented reduce + 0 (\i k -> X[k]) X'offsets m

*Plan* (sizes.py): an input without a size for its rows is ragged, and so is a map whose rows have
lengths that depend on values inside it; ``if``, ``++``, ``filter``, slices and maps of ragged
values are ragged.  All else stays exactly as it is.  *Rules*: rows.py for maps, expressions.py for
the rest.

An entry point with something that the pass does not know how to flatten stays as it is, with a
remark: then ``to-fun`` takes its arrays as regular, and a row of another length traps.  A reduction
whose operator or start uses values of its row is a loop in each row, and no pieces share a long
one, which is another remark.

*Precondition*: flattened, names unique.  *Postcondition*: the same.
"""

from collections.abc import Sequence

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp
from funmem.ir.core_traverse import map_parts
from funmem.ir.core_types import forget
from funmem.ir.messages import OFFSETS
from funmem.ir.names import Fresh, Name
from funmem.ir.ragged import offsets_of
from funmem.ir.record import define, evolve
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import var
from funmem.passes.context import Context
from funmem.passes.core.flatten_nested.combine import regular
from funmem.passes.core.flatten_nested.expressions import Flatten, RegularInput
from funmem.passes.core.flatten_nested.plan import Plan
from funmem.passes.core.flatten_nested.state import (
    Deep,
    Ragged,
    Refused,
    State,
    Stored,
    all_of,
    at,
    depth,
    elem_of,
    iota,
    minus,
    names_of,
    of_names,
    one,
    plus,
    rank,
    types_of,
    zero,
)
from funmem.passes.core.names import binders, inside, local_names
from funmem.passes.core.unique import top_names

__all__ = ["flatten_nested"]


def flatten_nested(p: CoreProgram, ctx: Context) -> CoreProgram:
    """Run the pass; see the package's docstring."""
    whole = _Whole(p, {*top_names(p), *local_names(p)})
    entries = tuple(_entry(whole, e, ctx) for e in p.entries)
    if all(a is b for a, b in zip(entries, p.entries, strict=True)):
        return p
    return evolve(p, entries=entries, defs=(*p.defs, *whole.new_defs))


@define(eq=False)
class _Whole:
    """What the entry points of a program share.

    ``names`` has those of the program and of the entry points that are flattened: names stay unique
    in the program.  ``nested`` says which definitions compute something ragged, as far as known.
    """

    program: CoreProgram
    names: set[Name]
    new_defs: list[c.Def] = field(factory=list)
    nested: dict[Name, bool] = field(factory=dict)

    def add(self, e: c.Entry, defs: Sequence[c.Def]) -> None:
        """Add the definitions that an entry point needs, and take note of all names."""
        self.new_defs += defs
        part = CoreProgram((e,), tuple(defs))
        self.names |= {*top_names(part), *local_names(part)}


def _entry(whole: _Whole, e: c.Entry, ctx: Context) -> c.Entry:
    regular = set[Name]()
    try:
        while True:
            try:
                return _flattened(whole, e, regular, ctx)
            except RegularInput as found:
                regular.add(found.name)
    except Refused as why:
        ctx.remark(e.name, "rows of different lengths", why.what)
        return e


def _flattened(whole: _Whole, e: c.Entry, regular_inputs: set[Name], ctx: Context) -> c.Entry:
    """Return the entry point; itself if nothing in it is ragged.  Raises Refused, RegularInput."""
    types = dict.fromkeys(e.sizes, I64) | {q.binder.name: q.binder.type for q in e.params}
    bound = [b for x in inside(e.exp) for b in binders(x)]
    globals_ = {d.name: d for d in whole.program.defs}
    s = State(globals_, Fresh(whole.names), types | {b.name: b.type for b in bound})
    sizes: list[Name] = list(e.sizes)
    params: list[c.EntryParam] = []
    gone: list[Name] = []
    inputs: dict[Name, Name] = {}
    for q in e.params:
        if q.binder.name in regular_inputs or not _has_unknown_rows(q.binder.type):
            params.append(q)
            continue
        params += _ragged_param(s, q, sizes, gone, inputs)
    f = Flatten(s, Plan(s, whole.nested), {x: s.ragged[x] for x in inputs.values()})
    parts: list[tuple[str, c.Type, Exp]] = []
    end = f.chain(e.exp)
    for label, part, t in _results(f, end, e.result):
        parts += _result(s, label, part, t)
    if not s.ragged and not s.lifted:
        return e
    result: c.Type = c.Record(tuple((label, forget(t, gone)) for label, t, _ in parts))
    value: Exp = c.Fields(tuple((label, x) for label, _, x in parts))
    if len(parts) == 1:
        ((_, result, value),) = parts
        result = forget(result, gone)
    for why in s.uncut:
        ctx.remark(e.name, "one operator for all rows", why)
    exp = _renamed(_with_checks(s, s.wrapped(value), inputs), inputs)
    own = tuple(c.EntryParam(_binder(q.binder, inputs), q.unique) for q in params)
    flat = c.Entry(e.name, tuple(sizes), own, result, exp, e.at)
    whole.add(flat, s.new_defs)
    return flat


def _has_unknown_rows(t: c.Type) -> bool:
    return isinstance(t, c.Array) and isinstance(t.elem, c.Array) and t.elem.size is None


def _ragged_param(
    s: State, q: c.EntryParam, sizes: list[Name], gone: list[Name], inputs: dict[Name, Name]
) -> list[c.EntryParam]:
    """Return the parameters for a ragged one; a size that it bound is bound in the body."""
    t, name = q.binder.type, q.binder.name
    assert isinstance(t, c.Array)
    names, elements = [name], s.fresh(name)
    for _ in range(rank(t) - 1):
        names.insert(0, s.fresh.reserve(offsets_of(names[0])))
    x = of_names((*names[:-1], elements), elem_of(t))
    lengths = [s.fresh("r") for _ in range(depth(x))] + [s.fresh("m")]
    s.types |= dict.fromkeys(lengths, I64) | {elements: c.Array(x.elem)}
    s.types |= {y: c.Array(I64, var(r)) for y, r in zip(names[:-1], lengths, strict=False)}
    n = None if t.size is None else t.size.as_name
    if n is not None and n in sizes:
        sizes.remove(n)
        gone.append(n)
        s.out.append(((c.Binder(n, I64),), minus(c.Var(lengths[0]), one())))
    sizes += lengths
    s.ragged[name] = x
    inputs[elements] = name
    own = zip((*names[:-1], elements), types_of(x), lengths, strict=True)
    params = [c.Binder(y, c.Array(elem_of(u), var(r))) for y, u, r in own]
    return [*map(c.EntryParam, params[:-1]), c.EntryParam(params[-1], q.unique)]


def _results(f: Flatten, end: Exp, t: c.Type) -> list[tuple[str, Exp | Stored, c.Type]]:
    """Return the results of an entry point, with labels and types."""
    fields = t.fields if isinstance(t, c.Record) else (("0", t),)
    if isinstance(end, c.Fields) or f.has_parts(end) or len(fields) == 1:
        parts = f.values(end)
    else:
        own = tuple(c.Binder(f.s.fresh("result"), u) for _, u in fields)
        f.s.types |= {b.name: b.type for b in own}
        f.s.out.append((own, f.exp(end)))
        parts = tuple(c.Var(b.name) for b in own)
    return [(label, x, u) for x, (label, u) in zip(parts, fields, strict=True)]


def _result(s: State, label: str, x: Exp | Stored, t: c.Type) -> list[tuple[str, c.Type, Exp]]:
    """Return what a result is passed as: itself, or its offsets and elements."""
    if not isinstance(x, Ragged | Deep):
        return [(label, t, x)]
    if not _has_unknown_rows(t):
        return [(label, t, regular(s, x))]
    labels = [label]
    for _ in range(depth(x)):
        labels.insert(0, offsets_of(labels[0]))
    given = zip(labels, types_of(x), names_of(x), strict=True)
    return [(own, u, c.Var(name)) for own, u, name in given]


def _with_checks(s: State, e: Exp, inputs: dict[Name, Name]) -> Exp:
    """Return the body with checks of the offsets of inputs that nothing else checks.

    A segmented operation outside of branches checks the offsets of its rows.
    """
    checked: set[str] = set()
    x = e
    while isinstance(x, c.Let | c.Assert):
        inner = x.exp if isinstance(x, c.Let) else None
        inner = inner.array if isinstance(inner, c.Unzip) else inner
        if isinstance(inner, c.Segmented) and isinstance(inner.offsets, c.Var):
            checked.add(inner.offsets.name)
        x = x.body
    with s.scope():
        for name in inputs.values():
            _check(s, s.ragged[name], checked)
        return s.wrapped(e)


def _check(s: State, x: Stored, checked: set[str]) -> None:
    """Add the checks that offsets rise from 0 to the number of elements, unless they are made."""
    if isinstance(x, Deep):
        _check(s, x.inner, checked)
    if x.offsets in checked:
        return
    i, n, m = s.fresh("i"), s.rows(x), s.total(x)
    some = c.Bin(BinOp.GE, n, zero())
    s.check(some, OFFSETS, (m,))
    rises = c.Bin(BinOp.LE, at(x.offsets, c.Var(i)), at(x.offsets, plus(c.Var(i), one())))
    all_rise = all_of(s, c.Map(c.Lambda((c.Binder(i, I64),), rises), (iota(n),)))
    first = c.Bin(BinOp.EQ, at(x.offsets, zero()), zero())
    last = c.Bin(BinOp.EQ, at(x.offsets, n), m)
    ends = c.Bin(BinOp.LAND, first, last)
    s.check(c.Bin(BinOp.LAND, ends, all_rise), OFFSETS, (m,))


def _renamed(e: Exp, names: dict[Name, Name]) -> Exp:
    """Return an expression with other names for variables that it does not bind."""
    if isinstance(e, c.Var):
        return c.Var(names.get(e.name, e.name), e.at)
    return map_parts(e, lambda x: _renamed(x, names), lambda t: t)


def _binder(b: c.Binder, names: dict[Name, Name]) -> c.Binder:
    return c.Binder(names.get(b.name, b.name), b.type)
