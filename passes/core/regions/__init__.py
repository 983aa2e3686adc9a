r"""Infer regions: Core -> Core/r (paper 000, sections 3 and 5; ir/regions has the forms).

    def evens : i64 -> []i64 =              def evens 'r1 : i64 -> at 'r1 []i64 =
      \(n : i64) ->                    ->     \(n : i64) ->
        let (xs : [n]i64) = iota n 0 1          @letregion['r2]
        in map (\(x : i64) -> 2 * x) (xs)         (let (xs : at 'r2 [n]i64) = @at['r2] (iota n 0 1)
                                                   in @at['r1] (map (\(x : i64) -> 2 * x) (xs)))

Definitions are inferred in groups that call each other, callees first, and each is generalised over
the regions of its type: two calls of one function give their results different regions.  Within a
group the regions are the same in all calls.  What a constant makes lies in the static region.

    draft.py         drafts, and which regions are one
    expressions.py   the constraints of expressions; arrays.py those of array operations
    placement.py     where ``letregion`` stands

Precondition: monomorphic.  Postcondition: ``check_regions`` (ir/check/regions), and ``erase`` gives
the program back.  Raises SourceError (``not-supported``) if a definition is called ``at`` or
``letregion``, or a data type ``at``.
"""

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.components import strongly_connected
from funmem.ir.core import CoreProgram, Def, Type
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.regions.forms import RESERVED, STATIC, Places, regions_in
from funmem.ir.scalars import I64
from funmem.passes.core.names import inside
from funmem.passes.core.regions.draft import Draft, Regions, Strategy, built
from funmem.passes.core.regions.expressions import Inference, Scheme
from funmem.passes.core.regions.placement import Placement, place

__all__ = ["Placement", "Strategy", "infer_regions"]


def infer_regions(
    p: CoreProgram,
    strategy: Strategy = Strategy.INFERRED,
    placement: Placement = Placement.TIGHT,
    named: Mapping[Span, str] | None = None,
) -> CoreProgram:
    """Return a monomorphic program of Core with regions.

    ``named`` are the regions in which the source says that operations make arrays, by their places.
    """
    _not_reserved([(d.name, d.at) for d in p.defs])
    _not_reserved([(d.name, d.at) for d in p.data])
    defs = {d.name: d for d in p.defs}
    g = Inference(Places(p.data), defs, Regions(strategy), named=named or {})
    done: dict[Name, Def] = {}
    uses = {name: _uses(d, defs) for name, d in defs.items()}
    with deep():
        for group in strongly_connected(list(defs), uses):
            for d in _group(g, [defs[x] for x in group], placement):
                done[d.name] = d
        entries = tuple(_entry(g, e, placement) for e in p.entries)
    data = tuple(g.places.data[d.name] for d in p.data)
    return CoreProgram(entries, tuple(done[d.name] for d in p.defs), data, p.foreign)


def _not_reserved(names: Sequence[tuple[Name, Span]]) -> None:
    for name, where in names:
        if name in RESERVED:
            message = f"not supported: regions of a program that defines `{name}`"
            raise SourceError(Diagnostic(where, "not-supported", message, "rename the definition"))


def _uses(d: Def, defs: dict[Name, Def]) -> list[Name]:
    names = (e.name for e in inside(d.exp) if isinstance(e, c.Global))
    return list(dict.fromkeys(x for x in names if x in defs))


def _group(g: Inference, group: Sequence[Def], placement: Placement) -> list[Def]:
    """Infer definitions that call each other."""
    g.regions.begin()
    g.group = {d.name: _declared(g, d) for d in group}
    drafts = [_body(g, d) for d in group]
    params: dict[Name, tuple[Name, ...]] = {}
    types: dict[Name, Type] = {}
    for d in group:
        t = types[d.name] = g.regions.type(g.group[d.name])
        params[d.name] = tuple(r for r in regions_in(t) if r != STATIC)
    g.group = {}
    found: list[Def] = []
    for d, draft in zip(group, drafts, strict=True):
        body = draft.parts[0] if isinstance(d.exp, c.Lambda) else draft
        place(body, frozenset(params[d.name]), g.regions, placement, params)
        g.schemes[d.name] = Scheme(types[d.name], params[d.name])
        exp = built(draft, g.regions, params)
        found.append(Def(d.name, params[d.name], types[d.name], exp, d.at))
    return found


def _declared(g: Inference, d: Def) -> Type:
    """Return the type of a definition with regions: those of a constant are static."""
    if isinstance(d.exp, c.Lambda):
        return g.places.function(d.type, len(d.exp.params), g.regions.fresh)
    return g.places.located(d.type, lambda _: STATIC)


def _body(g: Inference, d: Def) -> Draft:
    draft = g.code(d.exp, {}) if isinstance(d.exp, c.Lambda) else g.exp(d.exp, {})
    g.regions.unify(draft.type, g.group[d.name])
    return draft


def _entry(g: Inference, e: c.Entry, placement: Placement) -> c.Entry:
    """Infer an entry point: the caller has the regions of parameters and results."""
    g.regions.begin()
    params = tuple(
        evolve(q, binder=c.Binder(q.binder.name, g.located(q.binder.type))) for q in e.params
    )
    result = g.located(e.result)
    types: dict[Name, Type] = {q.binder.name: q.binder.type for q in params}
    draft = g.exp(e.exp, {**dict.fromkeys(e.sizes, I64), **types})
    g.regions.unify(draft.type, result)
    find = g.regions.type
    params = tuple(evolve(q, binder=c.Binder(q.binder.name, find(q.binder.type))) for q in params)
    result = find(result)
    ends = [*(q.binder.type for q in params), result]
    given = frozenset(x for t in ends for x in regions_in(t))
    place(draft, given, g.regions, placement, {})
    return evolve(e, params=params, result=result, exp=built(draft, g.regions, {}))
