"""The entry points of a program: ``main``, or, of a module without it, what Python can call.

    (define (main) …)          entry main (t : token) : (token, i32)
    (define (scale v k) …)     entry scale [n] (v : [n]f32) (k : f32) : []f32

Without ``main``, a definition is an entry point if its types are numbers, bools, chars, texts,
vectors, or datatypes without closures, known without a use, and if it has no effect, changes no
parameter and gets no vector that may be changed through another name.  A number of which nothing
else is known is an int, as everywhere.
"""

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.elaborate.code import Program, Signature, State
from funmem.frontends.harlan.elaborate.grounds import has_value, kinds
from funmem.frontends.harlan.elaborate.stores import no_cells, unfolded, unfolded_type
from funmem.frontends.harlan.elaborate.wraps import unit
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.inference.unify import OneOf
from funmem.ir import core as c
from funmem.ir.diagnostics import Span
from funmem.ir.names import IDENTIFIER, Name
from funmem.ir.scalars import I32, ScalarType
from funmem.ir.sizes import var

MAIN = Name("main")
_LETTERS = "nmkl"


def entries(p: Program) -> tuple[c.Entry, ...]:
    """Return the entry points.  Raises SourceError (``harlan-main``) if there are none."""
    main = p.typing.program.main
    if main is not None:
        return (_main(p, main),)
    own = [d for d in p.typing.program.defines if not d.library]
    found = tuple(e for d in own if (e := _callable(p, d)) is not None)
    if not found:
        at = p.typing.program.at
        fail(at, Code.MAIN, "there is no `main`", "`(define (main) …)` is where a program begins")
    return found


def _main(p: Program, main: ast.Define) -> c.Entry:
    """Return the entry point of a program: its result is the exit status."""
    if main.params:
        fail(main.params[0].at, Code.MAIN, "`main` has no parameters", "`(command-line)` has them")
    p.fresh.reserve(MAIN)
    signature = p.signature(main, {})
    if has_value(signature.result) and signature.result != I32:
        what = f"the value of `main` is {p.typing.declared.text(signature.result)}, but must be int"
        fail(main.at, Code.MAIN, what, "it is the exit status; without a value it is 0")
    return _process(p, signature, main.at)


def _process(p: Program, main: Signature, at: Span) -> c.Entry:
    token = c.Binder(p.fresh("t"), c.TOKEN)
    zero = c.Const(0, I32, at)
    given: list[c.Exp] = [c.Var(token.name, at)] if main.token else []
    given += no_cells(p, at) if main.reads else ()
    called = c.App(c.Global(main.name, (), at), tuple(given) or (unit(at),), at)
    binders = [c.Binder(p.fresh("t"), c.TOKEN)] if main.token else []
    last = c.Var(binders[0].name if main.token else token.name, at)
    if main.writes:
        binders += [c.Binder(p.fresh(x.name), t) for x, t in p.store_types.items()]
    status: c.Exp = zero
    if has_value(main.result) or not binders:
        status = c.Var(p.fresh("status"), at)
        binders.append(c.Binder(status.name, p.types.of(main.result)))
    value = status if has_value(main.result) else zero
    body = c.Let(tuple(binders), called, c.tuple_exp(last, value, at=at), at)
    both = c.tuple_type(c.TOKEN, I32)
    return c.Entry(MAIN, (), (c.EntryParam(token),), both, body, at)


def _callable(p: Program, d: ast.Define) -> c.Entry | None:
    """Return a definition as an entry point; None if Python cannot call it."""
    scheme = p.typing.schemes[d]
    known = kinds(p.typing, scheme.type)
    cells = p.typing.solver.cells
    numbers = {k for k in scheme.generic if isinstance(cells[k].shape, OneOf)}
    unknown = set(scheme.generic) - known.effects - known.regions - numbers
    if unknown or p.places.inouts[d] or not IDENTIFIER.fullmatch(d.name):
        return None
    name = p.fresh.reserve(Name(d.name))
    signature = p.signature(d, {})
    types = [*map(p.types.of, signature.params), unfolded_type(p, signature.result)]
    if signature.token or not all(_crosses(p, t) for t in types):
        return None
    sizes: list[Name] = []
    params = [
        c.Binder(p.name(x.name), _sized(p, t, sizes))
        for x, t in zip(d.params, types[:-1], strict=True)
    ]
    args: list[c.Exp] = [c.Var(b.name, d.at) for b in params]
    given = [*(no_cells(p, d.at) if signature.reads else ()), *args]
    called = c.App(c.Global(signature.name, (), d.at), tuple(given) or (unit(d.at),), d.at)
    body = _without_stores(p, signature, called, d.at) if signature.writes else called
    return c.Entry(name, tuple(sizes), tuple(map(c.EntryParam, params)), types[-1], body, d.at)


def _without_stores(p: Program, made: Signature, called: c.Exp, at: Span) -> c.Exp:
    """Return the result of a call that returns the stores, with arrays instead of references."""
    st = State({}, None)
    stores = p.store_binders(st)
    r = c.Binder(p.fresh("r"), p.types.of(made.result))
    value = unfolded(p, st, c.Var(r.name, at), made.result, at)
    return c.Let((*stores, r), called, value, at)


def _crosses(p: Program, t: c.Type, seen: frozenset[Name] = frozenset()) -> bool:
    """True if callers in Python have values of a type."""
    match t:
        case ScalarType():
            return True
        case c.Array(elem):
            return _crosses(p, elem, seen)
        case c.Sum(constructors):
            return all(_crosses(p, u, seen) for _, us in constructors for u in us)
        case c.Data(name):
            return name in seen or _crosses(p, p.types.data[name].type, seen | {name})
        case c.Record() | c.Arrow() | c.TypeVar() | c.Token():
            return False


def _sized(p: Program, t: c.Type, sizes: list[Name]) -> c.Type:
    """Return a parameter's type with a name for the size of each dimension."""
    if not isinstance(t, c.Array):
        return t
    n = p.fresh.reserve(Name(_LETTERS[len(sizes) % len(_LETTERS)]))
    sizes.append(n)
    return c.Array(_sized(p, t.elem, sizes), var(n))
