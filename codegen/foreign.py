"""Foreign functions in emitted code: the sources that a program needs, checked against its calls.

A call is printed as ``foreign_NAME(a, …, &r, …)``, and the source that defines the function is part
of the same unit, so a C compiler can inline it.  The prototypes that follow the source make a
function of another signature an error of the C compiler.
"""

from collections.abc import Iterator

from funmem.codegen.exprs import scalar_type, typed
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.foreign import (
    ForeignCode,
    ForeignFunction,
    OpaqueFunction,
    require_opaque,
    require_signature,
)
from funmem.ir.fun import Linkage
from funmem.ir.imp import ArrayPort, Block, CallStm, ImpEntry, ImpProgram, KernelStm, OpaqueStm
from funmem.ir.imp_traverse import children, nested, variable_types
from funmem.ir.record import evolve


def foreign_calls(e: ImpEntry) -> Iterator[CallStm]:
    """Yield the calls of foreign functions in an entry point."""
    for s in nested(e.body):
        if isinstance(s, CallStm) and s.linkage is not Linkage.OWN:
            yield s


def c_unit(program: ImpProgram, code: ForeignCode) -> str:
    """Return the C source of the foreign functions that a program calls; empty if it calls none.

    Raises SourceError, its code ``foreign``, if one has no C source or another signature.
    """
    found, opaque = _called(program, code), _opaque(program, code)
    for s, f in found:
        _require(f.c, s.at, code, f"`{f.name}` has no C source")
    for o, g in opaque:
        _require(g.c, o.at, code, f"`{g.name}` has no C source")
    return text(code.c, [f for _, f in found]) if found or opaque else ""


def host_unit(program: ImpProgram, code: ForeignCode) -> str:
    """Return the C source of the foreign functions that a device's host calls; empty if none.

    Raises SourceError, its code ``foreign``.
    """
    inside = _calls_in_kernels(program)
    found = [(s, f) for s, f in _called(program, code) if id(s) not in inside]
    for s, f in found:
        _require(f.c, s.at, code, f"`{f.name}` has no C source")
    return text(code.c, [f for _, f in found]) if found else ""


def device_unit(program: ImpProgram, code: ForeignCode) -> str:
    """Return the OpenCL C source of the foreign functions in kernels; empty if there are none.

    Raises SourceError, its code ``foreign``.
    """
    inside = _calls_in_kernels(program)
    found = [(s, f) for s, f in _called(program, code) if id(s) in inside]
    for s, f in found:
        why = f"`{f.name}` is called in a kernel, but has no OpenCL C source"
        _require(f.cl, s.at, code, why, "supply its .cl file, or run the program as C")
    opaque = _opaque(program, code)
    for o, g in opaque:
        why = f"`{g.name}` has no OpenCL C source"
        _require(g.cl, o.at, code, why, "write it for fm.opencl, or run the program as C")
    return text(code.cl, [f for _, f in found]) if found or opaque else ""


def text(source: str, functions: list[ForeignFunction]) -> str:
    """Return a source with the prototypes of functions that it must define."""
    prototypes = dict.fromkeys(f.prototype for f in functions)
    return "\n".join(("/* Foreign functions. */", source, *prototypes, ""))


def visible(s: CallStm) -> CallStm:
    """Return a call without the token that an effect takes and gives."""
    if s.linkage is not Linkage.EFFECT:
        return s
    return evolve(s, args=s.args[1:], results=s.results[1:])


def _called(program: ImpProgram, code: ForeignCode) -> list[tuple[CallStm, ForeignFunction]]:
    found: list[tuple[CallStm, ForeignFunction]] = []
    for e in program.entries:
        calls = list(foreign_calls(e))
        types = variable_types(e) if calls else {}
        for s in calls:
            v = visible(s)
            params = [typed(a, types, s.at)[1] for a in v.args]
            results = [scalar_type(types, x, s.at) for x in v.results]
            found.append((s, require_signature(code, s.fn, params, results, s.at)))
    return found


def _calls_in_kernels(program: ImpProgram) -> frozenset[int]:
    """Return the identities of the calls in kernels."""
    return frozenset(id(s) for e in program.entries for s in _in_kernels(e.body))


def _opaque(program: ImpProgram, code: ForeignCode) -> list[tuple[OpaqueStm, OpaqueFunction]]:
    found: list[tuple[OpaqueStm, OpaqueFunction]] = []
    for e in program.entries:
        calls = [s for s in nested(e.body) if isinstance(s, OpaqueStm)]
        types = variable_types(e) if calls else {}
        for s in calls:
            params = [
                (a.elem, len(a.shape))
                if isinstance(a, ArrayPort)
                else (typed(a, types, s.at)[1], 0)
                for a in s.args
            ]
            results = [(p.elem, len(p.shape)) for p in s.results]
            found.append((s, require_opaque(code, s.fn, params, results, len(s.grid), s.at)))
    return found


def _in_kernels(block: Block) -> Iterator[CallStm]:
    for s in block:
        if isinstance(s, KernelStm):
            yield from (t for t in nested(s.body) if isinstance(t, CallStm))
        else:
            for inner in children(s):
                yield from _in_kernels(inner)


def _require(holds: bool, at: Span, code: ForeignCode, message: str, hint: str = "") -> None:
    if not holds:
        raise SourceError(Diagnostic(at, code.code, message, hint))
