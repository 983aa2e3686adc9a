"""Resolve the names of modules and module types."""

from typing import TypeAlias

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import (
    Follows,
    fail,
    failure,
)
from funmem.frontends.futhark.module_types import module_type
from funmem.frontends.futhark.scope import (
    TYPE,
    VALUE,
    Builtin,
    BuiltinModule,
    Module,
    Names,
    Parametric,
    Signature,
)
from funmem.ir.diagnostics import (
    Diagnostic,
)
from funmem.ir.messages import suggestion

AnyModule: TypeAlias = Module | Parametric


def find(names: Names, q: ast.QualName) -> AnyModule:
    """Return the module called ``q``."""
    here = outer(names, q)
    known: dict[str, AnyModule] = (
        {**here.modules, **here.parametric} if isinstance(here, Names) else {}
    )
    if q.name not in known:
        message = f"no module `{q}` is in scope"
        if isinstance(here, Names) and here.lacks(VALUE, q.name):
            raise Follows(Diagnostic(q.at, "unknown-module", message))
        raise failure(q.at, "unknown-module", message, suggestion(q.name, known))
    found = known[q.name]
    if isinstance(found, BuiltinModule) and found.name == builtins.INTRINSICS_MODULE:
        fail(q.at, "unknown-module", f"`{q}` must not be used in module expressions")
    return found


def outer(names: Names, q: ast.QualName) -> Module:
    """Return the module of which ``q`` is a member."""
    here: Module = names
    for word in q.quals:
        found = here.modules.get(word) if isinstance(here, Names) else None
        if found is None and isinstance(here, Names) and here.lacks(VALUE, word):
            raise Follows(Diagnostic(q.at, "unknown-module", f"`{q}` is wrong"))
        if found is None:
            fail(q.at, "unknown-module", f"no module `{'.'.join(q.quals)}` is in scope")
        here = found
    return here


def signature_of(names: Names, q: ast.QualName) -> Signature:
    """Return the module type called ``q``."""
    here = outer(names, q)
    found = here.sigs.get(q.name) if isinstance(here, Names) else None
    if found is None:
        known = here.sigs if isinstance(here, Names) else ()
        if isinstance(here, Names) and here.lacks(TYPE, q.name):
            raise Follows(Diagnostic(q.at, "unknown-module", f"`{q}` is wrong"))
        raise failure(
            q.at, "unknown-module", f"no module type `{q}` is in scope", suggestion(q.name, known)
        )
    return found


def definition_of(sig: Signature) -> ast.SigExp:
    """Return the definition of a module type."""
    return module_type(sig.predefined) if sig.exp is None else sig.exp


def contents(module: Module) -> Names:
    """Return the names that a module offers."""
    match module:
        case BuiltinModule(name):
            values = {m: Builtin(name, m) for m in builtins.member_names(name)}
            return Names(dict(values), dict(builtins.member_types(name)))
        case Names():
            return module
