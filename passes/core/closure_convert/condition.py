r"""The condition that every function is known where it is called: the program chooses none.

    let inc = add 1 in map inc xs           holds: ``inc`` is a lambda, and what it captured
    let f = if c then inc else dec in f x   does not hold: ``if`` chooses

It holds if (1) no array, sum or data type has functions in it, (2) no ``if``, ``match`` or ``loop``
gives functions, and (3) a recursive definition returns no function, and passes the functions that
it takes on to itself unchanged.  Then each function-valued expression stands for one lambda, which
defunctionalise finds by evaluation.
"""

from collections.abc import Iterable, Mapping

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Def, Exp, Type
from funmem.ir.core_traverse import has_arrow, map_parts, map_type
from funmem.ir.core_types import type_of
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.passes.core.defunctionalise.fixed_functions import fixed_functions
from funmem.passes.core.defunctionalise.state import arity
from funmem.passes.core.names import binders, inside


def static_functions(p: CoreProgram) -> Diagnostic | None:
    """No function is chosen at run time.

    The program is monomorphic, names are unique in an entry point or definition, and no ``mu``.
    """
    defs = {d.name: d for d in p.defs}
    for data in p.data:
        if any(has_arrow(t) for _, ts in data.type.constructors for t in ts):
            return _says(data.at, f"data type {data.name} has functions in it")
    for name in changing(defs):
        what = f"recursive {name} returns functions, or changes those that it takes"
        return _says(defs[name].at, what)
    bodies = [(d.exp, dict[Name, Type]()) for d in p.defs]
    for e in p.entries:
        types = dict.fromkeys(e.sizes, I64) | {q.binder.name: q.binder.type for q in e.params}
        bodies.append((e.exp, types))
    found = (_chosen(body, types, defs) for body, types in bodies)
    return next((d for d in found if d is not None), None)


def _says(at: Span, message: str) -> Diagnostic:
    return Diagnostic(at, "C-STATIC", message)


# ---------------------------------------------------------------------- definitions


def changing(defs: Mapping[Name, Def]) -> list[Name]:
    """Return the higher-order recursive definitions that do not keep the functions they take."""
    those = {x: d for x, d in defs.items() if higher_order(d.type)}
    mentions = {x: mentioned(d.exp) & those.keys() for x, d in those.items()}
    out: list[Name] = []
    for x, d in those.items():
        ring = component(x, mentions)
        kept = ring <= {x} and fixed_functions(d) and not has_arrow(arity(d.type)[1])
        if ring and not kept:
            out.append(x)
    return out


def higher_order(t: Type) -> bool:
    """True if a definition of the type takes or gives functions, besides being one."""
    params, result = arity(t)
    return any(map(has_arrow, (*params, result)))


def component(name: Name, mentions: Mapping[Name, Iterable[Name]]) -> set[Name]:
    """Return the definitions that call ``name`` and that it calls; none if it is not recursive."""
    if name not in (after := _reachable(name, mentions)):
        return set()
    return {x for x in after if name in _reachable(x, mentions)}


def _reachable(name: Name, mentions: Mapping[Name, Iterable[Name]]) -> set[Name]:
    found: set[Name] = set()
    todo = [name]
    while todo:
        new = [x for x in mentions[todo.pop()] if x not in found]
        found.update(new)
        todo += new
    return found


def mentioned(e: Exp) -> set[Name]:
    """Return the definitions that an expression mentions."""
    return {x.name for x in inside(e) if isinstance(x, c.Global)}


# ---------------------------------------------------------------------- expressions


def _chosen(e: Exp, types: dict[Name, Type], defs: Mapping[Name, Def]) -> Diagnostic | None:
    """Return what is wrong in a body; ``types`` are those of its parameters."""
    all_ = list(inside(e))
    types = types | {b.name: b.type for x in all_ for b in binders(x)}
    for x in all_:
        what = _held(x) or _given(x, types, defs)
        if what is not None:
            return _says(x.at, what)
    return None


def _held(e: Exp) -> str | None:
    """Return how an expression states a type with functions in an array or a sum."""
    found: list[str] = []

    def look(t: Type) -> Type:
        if (what := holding(t)) is not None:
            found.append(what)
        return t

    map_parts(e, lambda x: x, look)
    return found[0] if found else None


def holding(t: Type) -> str | None:
    """Return what has functions in it, an array or a sum, if a type has such a part."""
    if not has_arrow(t):
        return None
    match t:
        case c.Array():
            return "an array of functions"
        case c.Sum():
            return "a sum type that contains functions"
        case _:
            found: list[str] = []

            def look(u: Type) -> Type:
                found.extend(filter(None, [holding(u)]))
                return u

            map_type(t, look)
            return found[0] if found else None


def _given(e: Exp, types: Mapping[Name, Type], defs: Mapping[Name, Def]) -> str | None:
    """Return what gives functions here that are not known: an ``if``, a loop, an array, …"""
    match e:
        case c.If():
            return "`if` chooses a function" if _functional(e, types, defs) else None
        case c.Match():
            return "`match` chooses a function" if _functional(e, types, defs) else None
        case c.Loop(params):
            wrong = any(has_arrow(b.type) for b in params)
            return "a loop computes a function" if wrong else None
        case c.Map(fn, arrays):
            body = fn.body if isinstance(fn, c.Lambda) else c.App(fn, arrays)
            return "an array of functions" if _functional(body, types, defs) else None
        case c.ArrayLit(_, elem):
            return "an array of functions" if has_arrow(elem) else None
        case c.Replicate(_, value):
            return "an array of functions" if _functional(value, types, defs) else None
        case c.Leaf() | c.FunctionOperation() | c.Let() | c.Assert():
            return None
        case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
            return None


def _functional(e: Exp, types: Mapping[Name, Type], defs: Mapping[Name, Def]) -> bool:
    """True if the value of an expression contains a function; quick where its form says so."""
    match e:
        case c.Let(_, _, body) | c.Assert(_, _, _, body) | c.If(_, body, _):
            return _functional(body, types, defs)
        case c.Match(_, arms, default):
            first = arms[0].body if arms else default
            return first is not None and _functional(first, types, defs)
        case c.Const() | c.Foreign() | c.ScalarOperation():
            return False
        case c.Lambda() | c.Mu():
            return True
        case c.Var() | c.Global() | c.App() | c.Loop():
            return has_arrow(type_of(e, types, defs))
        case c.RecordOperation() | c.ArrayOperation():
            return has_arrow(type_of(e, types, defs))
