"""Check a result of elaboration: each use of a variable is in the scope of its binder.

Sizes are the risk: a type may mention a size where its variable is not in scope.
"""

from collections.abc import Iterable

from funmem.ir import core as c
from funmem.ir.core_traverse import parts
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Name


def in_scope(e: c.Exp, at: Span) -> c.Exp:
    """Return the definition ``e``.  Raises SourceError (``ambiguous-size``) at a free name."""
    _check(e, set(), at)
    return e


def _check(e: c.Exp, bound: set[Name], at: Span, binders: Iterable[c.Binder] = ()) -> None:
    """Check that ``e`` uses only ``bound`` and ``binders``; ``at`` is the place around it.

    ``bound`` is restored on return.  A loop walks chains of ``let``.
    """
    mine: list[Name] = []

    def bind(names: Iterable[Name]) -> None:
        new = [x for x in names if x not in bound]
        bound.update(new)
        mine.extend(new)

    bind(b.name for b in binders)
    rest: c.Exp | None = e
    while rest is not None:
        e, rest = rest, None
        at = e.at if e.at.line else at
        match e:
            case c.Lambda(params, body):
                bind(b.name for b in params)
                rest = body
            case c.Let(names, exp, body):
                _check(exp, bound, at)
                bind(b.name for b in names)
                rest = body
            case c.Mu(binder, fn):
                bind([binder.name])
                rest = fn
            case c.Var(name):
                if name not in bound:
                    _fail(name, at)
            case c.Match(exp, arms, default):
                _check(exp, bound, at)
                for a in arms:
                    _check(a.body, bound, at, a.binders)
                if default is not None:
                    _check(default, bound, at)
            case c.Loop(params, init, form, body):
                for x in init:
                    _check(x, bound, at)
                if isinstance(form, c.For):
                    _check(form.bound, bound, at)
                    bind([form.index])
                bind(b.name for b in params)
                if isinstance(form, c.While):
                    _check(form.cond, bound, at)
                _check(body, bound, at)
            case (
                c.Global()
                | c.Const()
                | c.App()
                | c.Foreign()
                | c.If()
                | c.Assert()
                | c.Fields()
                | c.Project()
                | c.Construct()
                | c.Bin()
                | c.Un()
                | c.Convert()
                | c.Equal()
                | c.ArrayOperation()
            ):  # these bind no names
                for part in parts(e):
                    _check(part, bound, at)
    bound.difference_update(mine)


def _fail(name: Name, at: Span) -> None:
    message = f"the size `{name}` is not known here"
    hint = "annotate the types of the enclosing functions, or pass the size as an argument"
    raise SourceError(Diagnostic(at, "ambiguous-size", message, hint))
