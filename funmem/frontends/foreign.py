"""Foreign functions beside a program: from its declarations and source texts to ForeignCode.

Core's own convention is that of ``ir/foreign.py``.  A front end whose language promises another one
has a function of its own (``FrontEnd.foreign``).
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import ForeignDef, Type
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.foreign import ForeignCode, ForeignFunction, symbol
from funmem.ir.scalars import ScalarType

Implement: TypeAlias = Callable[[Sequence[ForeignDef], str, str], ForeignCode]
"""From a program's declarations, and a C and an OpenCL C source, to the functions."""


def flat(defs: Sequence[ForeignDef], c_source: str, cl_source: str) -> ForeignCode:
    """Return functions that follow Core's convention: ``void foreign_f(a, …, r *, …)``."""
    functions = tuple(function(d, symbol(d.name), c_source, cl_source) for d in defs)
    return ForeignCode(functions, c_source, cl_source)


def function(d: ForeignDef, name: str, c_source: str, cl_source: str) -> ForeignFunction:
    """Return the signature of a declared function, which the sources define under a C name."""
    params = [s for t in parameters(d) for s in scalars(d, t)]
    results = [s for t in results_of(d) for s in scalars(d, t)]
    in_c, in_cl = defines(c_source, name), defines(cl_source, name)
    return ForeignFunction(d.name, tuple(params), tuple(results), in_c, in_cl)


def defines(source: str, name: str) -> bool:
    """True if a C source seems to define a function: it has its name before a parenthesis."""
    return re.search(rf"\b{re.escape(name)}\s*\(", source) is not None


def parameters(d: ForeignDef) -> tuple[Type, ...]:
    """Return the parameters' types without the token of an effect."""
    return d.params[1:] if d.effect else d.params


def results_of(d: ForeignDef) -> tuple[Type, ...]:
    """Return the type of the result, or of all results but the token of an effect."""
    if not d.effect:
        return (d.result,)
    return tuple(t for _, t in d.result.fields[1:]) if isinstance(d.result, c.Record) else ()


_KINDS: dict[type, str] = {
    c.Array: "arrays",
    c.Sum: "sums",
    c.Data: "recursive data",
    c.Arrow: "functions",
    c.TypeVar: "values of any type",
    c.Token: "tokens",
}


def scalars(d: ForeignDef, t: Type) -> list[ScalarType]:
    """Return the scalars of which a value consists.  Raises SourceError for other values."""
    match t:
        case ScalarType():
            return [t]
        case c.Record(fields):
            return [s for _, u in fields for s in scalars(d, u)]
        case c.Array() | c.Sum() | c.Data() | c.Arrow() | c.TypeVar() | c.Token():
            message = f"not supported: the foreign function `{d.name}` on {_KINDS[type(t)]}"
            raise SourceError(Diagnostic(d.at, "not-supported", message))
