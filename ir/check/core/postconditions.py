"""The postconditions of the passes on Core.

monomorphic     monomorphise: no type parameters, type variables, instantiations; names are unique
lifted          lambda-lift: no local recursion
first_order     defunctionalise: a function is a definition, called with all arguments, or the
                operand of an array operation
finite          tables: no data type contains itself
flat            flatten-data, recursion: scalars, arrays of scalars, and several results; names are
                unique in the program

Each returns a Diagnostic of the first violation, or None.
"""

from collections.abc import Callable, Iterator

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import bound_names, has_arrow, map_parts, map_type, parts
from funmem.ir.diagnostics import Diagnostic, Span
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

# ---------------------------------------------------------------------- walking


def _bodies(p: CoreProgram) -> Iterator[tuple[Exp, Span]]:
    """Yield the expressions of all definitions and entry points."""
    yield from ((d.exp, d.at) for d in p.defs)
    yield from ((e.exp, e.at) for e in p.entries)


def _all(e: Exp) -> Iterator[Exp]:
    """Yield an expression and all expressions inside it."""
    todo = [e]
    while todo:
        x = todo.pop()
        yield x
        todo += parts(x)


def _types_in(e: Exp) -> list[Type]:
    """Return the types directly inside an expression."""
    found: list[Type] = []

    def note(t: Type) -> Type:
        found.append(t)
        return t

    map_parts(e, lambda x: x, note)
    return found


def _types(p: CoreProgram) -> Iterator[tuple[Type, Span]]:
    """Yield the types that a program states."""
    yield from ((d.type, d.at) for d in p.data)
    yield from ((d.type, d.at) for d in p.defs)
    for e in p.entries:
        yield from ((q.binder.type, e.at) for q in e.params)
        yield e.result, e.at
    for body, _ in _bodies(p):
        for x in _all(body):
            for t in _types_in(x):
                yield t, x.at


def _some(t: Type, wrong: Callable[[Type], bool]) -> bool:
    """True if ``wrong`` holds of a type or of one inside it."""
    found = wrong(t)

    def look(u: Type) -> Type:
        nonlocal found
        found = found or _some(u, wrong)
        return u

    if not found:
        map_type(t, look)
    return found


def _says(at: Span, rule: str, message: str) -> Diagnostic:
    return Diagnostic(at, rule, message)


# ---------------------------------------------------------------------- the conditions


def monomorphic(p: CoreProgram) -> Diagnostic | None:
    """No type parameters, type variables or instantiations; names are unique."""
    rule = "C-MONOMORPHIC"
    tops = [
        *((d.name, d.tparams, d.at) for d in p.defs),
        *((d.name, d.tparams, d.at) for d in p.data),
    ]
    for name, tparams, at in tops:
        if tparams:
            return _says(at, rule, f"{name} has type parameters")
    for t, at in _types(p):
        if _some(t, lambda u: isinstance(u, c.TypeVar) or (isinstance(u, c.Data) and bool(u.args))):
            return _says(at, rule, "a type mentions a type variable or instantiates a data type")
    for body, _ in _bodies(p):
        for e in _all(body):
            if isinstance(e, c.Global) and e.types:
                return _says(e.at, rule, f"{e.name} is instantiated")
    return _unique(p)


def lifted(p: CoreProgram) -> Diagnostic | None:
    """No ``mu``: only definitions are recursive."""
    for body, _ in _bodies(p):
        for e in _all(body):
            if isinstance(e, c.Mu):
                return _says(e.at, "C-LIFTED", f"{e.binder.name} is a local recursive function")
    return None


def first_order(p: CoreProgram) -> Diagnostic | None:
    """Functions are only definitions and operands, as in FUN."""
    rule = "C-FIRST-ORDER"
    for d in p.defs:
        t: Type = d.type
        n = 0
        while isinstance(t, c.Arrow):
            if has_arrow(t.param):
                return _says(d.at, rule, f"{d.name} takes functions")
            t, n = t.result, n + 1
        given = len(d.exp.params) if isinstance(d.exp, c.Lambda) else 0
        if has_arrow(t) or n != given:
            return _says(d.at, rule, f"{d.name} returns functions")
    tops = [d.exp for d in p.defs if isinstance(d.exp, c.Lambda)]
    arity = {d.name: len(d.exp.params) if isinstance(d.exp, c.Lambda) else 0 for d in p.defs}
    for body, _ in _bodies(p):
        e = body.body if isinstance(body, c.Lambda) and any(body is x for x in tops) else body
        if (found := _applied(e, arity)) is not None:
            return found
    return None


def _applied(e: Exp, arity: dict[Name, int]) -> Diagnostic | None:
    """Lambdas are only operands; applications are of definitions, to all their arguments."""
    rule = "C-FIRST-ORDER"
    match e:
        case c.Lambda() | c.Mu():
            return _says(e.at, rule, "a function is used as a value")
        case c.Global(name):
            if arity[name]:
                return _says(e.at, rule, f"function {name} is used as a value")
        case c.App(c.Global(name), args):
            if len(args) != arity[name]:
                return _says(
                    e.at, rule, f"{name} is applied to {len(args)} of {arity[name]} arguments"
                )
        case c.App():
            return _says(e.at, rule, "the applied expression is not a definition")
        case c.Var() | c.Const() | c.Let() | c.If() | c.Match() | c.Loop() | c.Assert():
            pass
        case c.Foreign():
            pass
        case c.Fields() | c.Project() | c.Construct():
            pass
        case c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
            pass
    for t in _types_in(e):
        if has_arrow(t):
            return _says(e.at, rule, "a value has a function type")
    for x in _inside(e):
        if (found := _applied(x, arity)) is not None:
            return found
    return None


def _inside(e: Exp) -> Iterator[Exp]:
    """Yield the expressions in ``e`` where a function is not allowed."""
    match e:
        case c.App(_, args) | c.Foreign(_, args):
            yield from args
        case c.Map(fn) | c.Reduce(fn) | c.Scan(fn) | c.Hist(fn) | c.Filter(fn):
            yield fn.body if isinstance(fn, c.Lambda) else fn
            yield from (x for x in parts(e) if x is not fn)
        case c.Segmented(fn, op=op):
            for x in (fn, op):
                if x is not None:
                    yield x.body if isinstance(x, c.Lambda) else x
            yield from (x for x in parts(e) if x is not fn and x is not op)
        case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Mu() | c.Let():
            yield from parts(e)
        case c.If() | c.Match() | c.Loop() | c.Assert():
            yield from parts(e)
        case c.Fields() | c.Project() | c.Construct():
            yield from parts(e)
        case c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
            yield from parts(e)


def _unique(p: CoreProgram) -> Diagnostic | None:
    """Every name is bound once in an entry point or definition."""
    for d in p.defs:
        if (found := _twice(d.exp, set())) is not None:
            return found
    for e in p.entries:
        names = {*e.sizes, *(q.binder.name for q in e.params)}
        if (found := _twice(e.exp, names)) is not None:
            return found
    return None


def _unique_in_program(p: CoreProgram) -> Diagnostic | None:
    """Every name is bound once in the program; entry points may share names of parameters."""
    seen = {x for e in p.entries for x in (*e.sizes, *(q.binder.name for q in e.params))}
    for body, _ in _bodies(p):
        if (found := _twice(body, seen)) is not None:
            return found
    return None


def _twice(e: Exp, seen: set[Name]) -> Diagnostic | None:
    for x in _all(e):
        for name in bound_names(x):
            if name in seen:
                return _says(x.at, "C-UNIQUE", f"{name} is bound twice")
            seen.add(name)
    return None


def finite(p: CoreProgram) -> Diagnostic | None:
    """No data type contains itself, directly or through others."""
    inner = {d.name: _data_in(d.type) for d in p.data}
    for d in p.data:
        found, todo = set[Name](), list(inner[d.name])
        while todo:
            if (x := todo.pop()) not in found:
                found.add(x)
                todo += inner[x]
        if d.name in found:
            return _says(d.at, "C-FINITE", f"data type {d.name} contains itself")
    return None


def _data_in(t: Type) -> set[Name]:
    """Return the data types that a type mentions."""
    found = set[Name]()

    def note(u: Type) -> bool:
        if isinstance(u, c.Data):
            found.add(u.name)
        return False

    _some(t, note)
    return found


# ---------------------------------------------------------------------- flat


def flat(p: CoreProgram) -> Diagnostic | None:
    """Every binder is a scalar or an array of scalars; tuples are several results.

    Names are bound once in the program, since definitions are inlined next.
    """
    rule = "C-FLAT"
    if p.data:
        return _says(p.data[0].at, rule, f"data type {p.data[0].name} remains")
    for e in p.entries:
        for q in e.params:
            if not _is_part(q.binder.type):
                return _says(e.at, rule, f"parameter {q.binder.name} is compound")
        if (found := _results(e.exp)) is not None:
            return found
    for d in p.defs:
        exp = d.exp
        if isinstance(exp, c.Lambda):
            if not all(_is_part(b.type) for b in exp.params):
                return _says(d.at, rule, f"a parameter of {d.name} is compound")
            exp = exp.body
        if (found := _results(exp)) is not None:
            return found
    return first_order(p) or _unique_in_program(p)


def _is_part(t: Type) -> bool:
    while isinstance(t, c.Array):
        t = t.elem
    return isinstance(t, ScalarType)


def _results(e: Exp) -> Diagnostic | None:
    """Check an expression that may have several results."""
    match e:
        case c.Let(binders, exp, body):
            if not all(_is_part(b.type) for b in binders):
                return _says(e.at, "C-FLAT", f"{binders[0].name} is compound")
            return (_value(exp) if len(binders) == 1 else _results(exp)) or _results(body)
        case c.If(cond, then, orelse):
            return _value(cond) or _results(then) or _results(orelse)
        case c.Assert(cond, _, values, body):
            return _each(cond, *values) or _results(body)
        case c.Fields(fields):
            return _each(*(x for _, x in fields))
        case c.Unzip(c.Map() | c.Scan() | c.Segmented() as exp):
            return _value(exp)
        case c.Var() | c.Global() | c.Const() | c.Lambda() | c.Mu() | c.App() | c.Foreign():
            return _value(e)
        case c.Match() | c.Loop() | c.Project() | c.Construct():
            return _value(e)
        case c.Bin() | c.Un() | c.Convert() | c.Equal() | c.ArrayOperation():
            return _value(e)


def _each(*es: Exp) -> Diagnostic | None:
    for e in es:
        if (found := _value(e)) is not None:
            return found
    return None


def _value(e: Exp) -> Diagnostic | None:
    """Check an expression whose parts have one result each; loops and operators have several."""
    match e:
        case c.Let() | c.If() | c.Assert():
            return _results(e)
        case c.Fields() | c.Project() | c.Construct() | c.Match() | c.Unzip() | c.Equal():
            return _says(
                e.at, "C-FLAT", f"{type(e).__name__} is not allowed where one value is needed"
            )
        case c.Loop(params, init, form, body):
            if not all(_is_part(b.type) for b in params):
                return _says(e.at, "C-FLAT", "a parameter of a loop is compound")
            inside = form.bound if isinstance(form, c.For) else form.cond
            return _each(*init, inside) or _results(body)
        case c.Lambda(params, body):
            if not all(_is_part(b.type) for b in params):
                return _says(e.at, "C-FLAT", "a parameter is compound")
            return _results(body)
        case c.Scatter(dest, c.Zip(named), values):
            return _each(dest, *(x for _, x in named), values)
        case c.Hist(op, ne, dest, c.Zip(named), values):
            return _each(op, *ne, *dest, *(x for _, x in named), *values)
        case c.Zip():
            return _says(e.at, "C-FLAT", "zip is not allowed where one array is needed")
        case c.Var() | c.Global() | c.Const() | c.Mu() | c.App() | c.Foreign():
            return _each(*parts(e))
        case c.Bin() | c.Un() | c.Convert() | c.ArrayOperation():
            return _each(*parts(e))
