r"""The type checker of Core: check a program, and what holds after each pass.

    check_core(p)                       raise SourceError, its code the broken rule: C-LET, …
    monomorphic(p), lifted(p),          the postconditions of the passes on Core: return a
    first_order(p), flat(p)             Diagnostic or None

    ⊢ program, definition, entry        here
    Γ ⊢ e ⇒ t                           expressions.py: an arm for each form; premises.py
    Γ ⊢ t                               context.py

Types are compared up to sizes.  A size in a type is knowledge of the front end; one whose names are
not in scope has no meaning and is allowed.  Only ``coerce`` and ``scratch`` evaluate sizes when the
program runs, so their sizes may mention only i64 variables in scope.
"""

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, show, well_formed
from funmem.ir.check.core.expressions import infer
from funmem.ir.check.core.postconditions import first_order, flat, lifted, monomorphic
from funmem.ir.check.rules import require
from funmem.ir.core import CoreProgram, Type
from funmem.ir.core_traverse import has_arrow, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64

__all__ = ["check_core", "first_order", "flat", "lifted", "monomorphic"]


def check_core(p: CoreProgram) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    _distinct([(d.name, d.at) for d in p.data], "C-DATA", "data types")
    _distinct([(d.name, d.at) for d in p.defs], "C-DEF", "definitions")
    _distinct([(e.name, e.at) for e in p.entries], "C-ENTRY", "entry points")
    defs = {d.name: d for d in p.defs}
    data = {d.name: d for d in p.data}
    for t in p.data:
        _data(Gamma({}, frozenset(t.tparams), defs, data), t)
    for d in p.defs:
        _definition(Gamma({}, frozenset(d.tparams), defs, data), d)
    for e in p.entries:
        _entry(Gamma({}, frozenset(), defs, data), e)


def _distinct(names: list[tuple[Name, Span]], rule: str, what: str) -> None:
    seen = set[Name]()
    for name, at in names:
        require(name not in seen, at, rule, "there are two {} {}", what, name)
        seen.add(name)


def _data(g: Gamma, d: c.DataDef) -> None:
    """⊢ data T 'a … = t (C-DATA): T may occur in t."""
    _distinct([(a, d.at) for a in d.tparams], "C-DATA", "type parameters")
    well_formed(g, d.type, d.at)


def _definition(g: Gamma, d: c.Def) -> None:
    """⊢ def f 'a … : t = e (C-DEF): f may occur in e."""
    _distinct([(a, d.at) for a in d.tparams], "C-DEF", "type parameters")
    well_formed(g, d.type, d.at)
    found = infer(g, d.exp)
    want = unsized(d.type)
    require(
        found == want,
        d.at,
        "C-DEF",
        "{} is {}, but its declared type is {}",
        d.name,
        show(found),
        show(want),
    )


def _entry(g: Gamma, e: c.Entry) -> None:
    """⊢ entry f [n] … (x : t) … : t = e (C-ENTRY)."""
    _distinct([(x, e.at) for x in e.sizes], "C-ENTRY", "sizes")
    params = [(q.binder.name, e.at) for q in e.params]
    _distinct(params, "C-ENTRY", "parameters")
    _distinct([*((x, e.at) for x in e.sizes), *params], "C-ENTRY", "sizes or parameters")
    for x in e.sizes:
        require(
            any(_carries(q.binder.type, x) for q in e.params),
            *(e.at, "C-ENTRY", "no parameter of {} has the size {} as a dimension", e.name, x),
        )
    types = {x: unsized(I64) for x in e.sizes}
    for q in e.params:
        well_formed(g, q.binder.type, e.at)
        require(
            not has_arrow(q.binder.type),
            *(e.at, "C-ENTRY", "parameter {} holds a function", q.binder.name),
        )
        types[q.binder.name] = unsized(q.binder.type)
    well_formed(g, e.result, e.at)
    require(not has_arrow(e.result), e.at, "C-ENTRY", "the result of {} holds a function", e.name)
    found, want = infer(g.having(types), e.exp), unsized(e.result)
    require(
        found == want,
        *(
            e.at,
            "C-ENTRY",
            "{} returns {}, but its declared type is {}",
            e.name,
            show(found),
            show(want),
        ),
    )


def _carries(t: Type, x: Name) -> bool:
    """True if a dimension in a parameter's type is the size ``x``."""
    match t:
        case c.Array(elem, size):
            return (size is not None and size.as_name == x) or _carries(elem, x)
        case c.Record(fields):
            return any(_carries(u, x) for _, u in fields)
        case _:
            return False
