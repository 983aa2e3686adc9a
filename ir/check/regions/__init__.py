"""The checker of Core/r: a program whose annotations are right never uses a region that has ended.

    check_regions(p)          raise SourceError, its code the broken rule: R-LETREGION, …

    ⊢ program, definition, entry        here
    Γ; Δ ⊢ e ⇒ t                        expressions.py and arrays.py: an arm for each form
    Δ ⊢ t                               context.py

The erased program is well typed, which the checker of Core decides first (rules C-…), so these
rules compare regions only.  Δ are the regions in scope; those of a well-formed Γ are in Δ.  They
are the rules of paper 000, section 3, on Core; papers/harlan/regions.md has a table.
"""

from funmem.ir import core as c
from funmem.ir.check.core import check_core
from funmem.ir.check.core.context import show
from funmem.ir.check.regions.context import Gamma, bound, same, shape, shown, well_formed
from funmem.ir.check.regions.expressions import code, infer
from funmem.ir.check.rules import require
from funmem.ir.core import CoreProgram, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.depth import deep
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.regions import erase
from funmem.ir.regions.forms import OWN, STATIC, Places, bare, regions_in
from funmem.ir.scalars import I64

__all__ = ["check_regions"]


def check_regions(p: CoreProgram) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the regions are right."""
    plain = erase(p)
    check_core(plain)
    defs, places = {d.name: d for d in p.defs}, Places(plain.data)
    with deep():
        for d in p.data:
            want = places.data[d.name]
            right = d.tparams == want.tparams and shape(d.type) == shape(want.type)
            right = right and all(r == OWN for r in regions_in(d.type))
            text = "the region of {} should be the only one in it: {}"
            require(right, d.at, "R-DATA", text, d.name, show(want.type))
        for f in p.defs:
            _definition(Gamma({}, frozenset(f.tparams), defs, places), f)
        for e in p.entries:
            _entry(Gamma({}, frozenset(), defs, places), e)


def _definition(g: Gamma, d: c.Def) -> None:
    """⊢ def f 'r … : t = e: a function has the regions of its type (R-DEF), a constant none."""
    found = tuple(r for r in regions_in(d.type) if r != STATIC)
    if not isinstance(d.exp, c.Lambda):
        text = "{} is a constant, so what it makes lies in {}, but its type has {}"
        where = ", ".join(map(shown, found))
        right = not found and not d.tparams
        require(right, d.at, "R-CONSTANT", text, d.name, shown(STATIC), where or "parameters")
        well_formed(g, d.type, d.at)
        infer(g, d.exp)  # its value lies in the static region: no other one is in scope
        return
    text = "the regions of {} are ({}), but those of its type are ({})"
    lists = [", ".join(map(shown, rs)) for rs in (d.tparams, found)]
    require(d.tparams == found, d.at, "R-DEF", text, d.name, *lists)
    want = unsized(d.type)
    form = g.places.function(unsized(bare(want)), len(d.exp.params), lambda _: OWN)
    text = "the type of {} should look like {}"
    require(shape(want) == form, d.at, "R-TYPE", text, d.name, show(form))
    same(code(g, d.exp), want, "R-DEF", d.name, d.at)


def _entry(g: Gamma, e: c.Entry) -> None:
    """⊢ entry f (x : t) … : t = e: the caller has the regions of these types (R-ENTRY)."""
    types: dict[Name, Type] = dict.fromkeys(e.sizes, I64)
    result = unsized(e.result)
    given = [r for q in e.params for r in regions_in(q.binder.type)]
    g = evolve(g, regions=frozenset((*given, *regions_in(result))))
    for q in e.params:
        types |= bound([q.binder], [well_formed(g, q.binder.type, e.at)])
    well_formed(g, result, e.at)
    same(infer(g.having(types), e.exp), result, "R-ENTRY", f"the result of {e.name}", e.at)
