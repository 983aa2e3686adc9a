r"""The type checker of Core: check a program, and what holds after each pass.

    check_core(p)                       raise SourceError, its code the broken rule: C-LET, …
    monomorphic(p), lifted(p),          the postconditions of the passes on Core: return a
    first_order(p), flat(p)             Diagnostic or None

    ⊢ program, definition, entry        here
    Γ ⊢ e ⇒ t                           expressions.py: an arm for each form; premises.py
    Γ ⊢ e uses each token once          tokens.py
    Γ ⊢ t                               context.py

Types are compared up to sizes.  A size in a type is knowledge of the front end; one whose names are
not in scope has no meaning and is allowed.  Only ``coerce`` and ``scratch`` evaluate sizes when the
program runs, so their sizes may mention only i64 variables in scope.
"""

from funmem.ir import core as c
from funmem.ir.check.core.context import Gamma, show, well_formed
from funmem.ir.check.core.expressions import infer
from funmem.ir.check.core.postconditions import finite, first_order, flat, lifted, monomorphic
from funmem.ir.check.core.tokens import uses_tokens_once
from funmem.ir.check.rules import require
from funmem.ir.core import CoreProgram, Type
from funmem.ir.core_traverse import has_arrow, map_type, unsized
from funmem.ir.diagnostics import Span
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I64, ScalarType

__all__ = ["check_core", "finite", "first_order", "flat", "lifted", "monomorphic"]


def check_core(p: CoreProgram) -> None:
    """Raise :class:`SourceError`, its code the broken rule, unless the program is well typed."""
    _distinct([(d.name, d.at) for d in p.data], "C-DATA", "data types")
    _distinct([(d.name, d.at) for d in p.defs], "C-DEF", "definitions")
    _distinct([(e.name, e.at) for e in p.entries], "C-ENTRY", "entry points")
    defs = {d.name: d for d in p.defs}
    data = {d.name: d for d in p.data}
    _distinct([(f.name, f.at) for f in p.foreign], "C-FOREIGN", "foreign functions")
    foreign = {f.name: f for f in p.foreign}
    for t in p.data:
        _data(Gamma({}, frozenset(t.tparams), defs, data), t)
    for f in p.foreign:
        _foreign(Gamma({}, frozenset(), defs, data), f)
    for d in p.defs:
        _definition(Gamma({}, frozenset(d.tparams), defs, data, foreign), d)
    for e in p.entries:
        _entry(Gamma({}, frozenset(), defs, data, foreign), e)
    if any(f.effect for f in p.foreign):
        for d in p.defs:
            uses_tokens_once(d.exp, {})
        for e in p.entries:
            uses_tokens_once(e.exp, {q.binder.name: q.binder.type for q in e.params})


def _distinct(names: list[tuple[Name, Span]], rule: str, what: str) -> None:
    seen = set[Name]()
    for name, at in names:
        require(name not in seen, at, rule, "there are two {} {}", what, name)
        seen.add(name)


def _data(g: Gamma, d: c.DataDef) -> None:
    """⊢ data T 'a … = t (C-DATA): T may occur in t."""
    _distinct([(a, d.at) for a in d.tparams], "C-DATA", "type parameters")
    well_formed(g, d.type, d.at)


def _foreign(g: Gamma, f: c.ForeignDef) -> None:
    """⊢ foreign f (t, …) : t, ⊢ effect f (token, t, …) : (token, t, …) (C-FOREIGN)."""
    results: tuple[Type, ...] = (f.result,)
    if f.effect and isinstance(f.result, c.Record):
        results = tuple(t for _, t in f.result.fields)
    if f.effect:
        for what, ts in (("parameter", f.params), ("result", results)):
            first = bool(ts) and ts[0] in (c.TOKEN, BOOL)
            require(first, f.at, "C-FOREIGN", "the first {} of {} is no token", what, f.name)
    for k, t in enumerate((*f.params, *results)):
        well_formed(g, t, f.at)
        first = f.effect and k in (0, len(f.params))
        text = "{} of {}: a foreign function takes and returns scalars, records and arrays of them"
        require(first or _is_plain(t), f.at, "C-FOREIGN", text, show(t), f.name)


def _is_plain(t: Type) -> bool:
    """True if a foreign function can take and return values of the type."""
    match t:
        case ScalarType():
            return True
        case c.Array(elem):
            return _is_plain(elem)
        case c.Record(fields):
            return all(_is_plain(u) for _, u in fields)
        case c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            return False


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
            not _holds_function(g, q.binder.type),
            *(e.at, "C-ENTRY", "parameter {} holds a function", q.binder.name),
        )
        types[q.binder.name] = unsized(q.binder.type)
    well_formed(g, e.result, e.at)
    function = _holds_function(g, e.result)
    require(not function, e.at, "C-ENTRY", "the result of {} holds a function", e.name)
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


def _holds_function(g: Gamma, t: Type) -> bool:
    """True if a value of a type may hold a function, also inside the data that it leads to."""
    todo, seen = [t], set[Name]()

    def note(u: Type) -> Type:
        if isinstance(u, c.Data) and u.name not in seen:
            seen.add(u.name)
            todo.append(g.data[u.name].type)
        return map_type(u, note)

    while todo:
        u = todo.pop()
        if has_arrow(u):
            return True
        note(u)
    return False


def _carries(t: Type, x: Name) -> bool:
    """True if a dimension in a parameter's type is the size ``x``."""
    match t:
        case c.Array(elem, size):
            return (size is not None and size.as_name == x) or _carries(elem, x)
        case c.Record(fields):
            return any(_carries(u, x) for _, u in fields)
        case _:
            return False
