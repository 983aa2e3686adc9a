"""Foreign functions in C for the host: a small shared library, called through ctypes.

    table(code)["weighted"](3.0, 4.0)     calls foreign_weighted, and returns its results

The interpreters and the host plan of a device call the same C as compiled programs do.
"""

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from funmem.codegen.c_library import COptions, shared_library
from funmem.codegen.cache import Cache
from funmem.codegen.files import write_file
from funmem.codegen.foreign import text
from funmem.codegen.foreign_blocks import CTYPES, OnBlocks, WithoutSizes, over_grid
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, SourceError
from funmem.ir.foreign import ForeignCode, ForeignFunction, OpaqueFunction, Reference, new, symbol
from funmem.ir.foreign_arrays import OnArrays, OnScalars
from funmem.ir.foreign_calls import Table
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType


def table(
    code: ForeignCode,
    options: COptions | None = None,
    cache: Cache | None = None,
    *,
    interpreted: bool = False,
) -> Table:
    """Return the functions that the host can call: those in C, and references for the others.

    ``interpreted``: references first, so that a comparison of engines compares them with the C.

    Raises SourceError, its code ``foreign``, with the compiler's message if the source is wrong,
    DeviceError if there is no compiler.
    """
    found: dict[str, Reference] = {
        f.name: f.reference
        for f in code.functions
        if f.reference is not None and (interpreted or not f.c)
    }
    in_c = [f for f in code.functions if f.c and f.name not in found]
    if in_c:
        handle = load(code, in_c, options or COptions(openmp=False), cache)
        found |= {f.name: _called(handle, f) for f in in_c}
    for o in code.opaque:
        if o.reference is not None and (interpreted or not o.c):
            found[o.name] = WithoutSizes(o.reference, len(o.sizes))
    whole = [o for o in code.opaque if o.c and o.name not in found]
    if whole:
        handle = load(code, (), options or COptions(openmp=False), cache, whole)
        found |= {o.name: OnBlocks(getattr(handle, f"called_{symbol(o.name)}"), o) for o in whole}
    for a in code.on_arrays:
        if a.reference is not None and (interpreted or new(a.name) not in found):
            found |= dict(OnScalars(a).functions())
            found[a.name] = a.reference
        elif new(a.name) in found:
            found[a.name] = OnArrays(a, found)
    return found


def load(
    code: ForeignCode,
    functions: Sequence[ForeignFunction],
    options: COptions,
    cache: Cache | None,
    opaque: Sequence[OpaqueFunction] = (),
) -> ctypes.CDLL:
    """Build the library of some functions and load it.  Raises as :func:`table`."""
    exported = "\n".join((*map(_exported, functions), *map(over_grid, opaque)))
    source = f"{text(code.c, list(functions))}\n{exported}\n"
    try:
        content = shared_library(source, options, cache)
        with tempfile.TemporaryDirectory(prefix="funmem-") as folder:
            path = Path(folder) / "foreign.so"
            write_file(path, content)
            return ctypes.CDLL(str(path))
    except DeviceError as e:
        if e.diagnostic.code != "build":
            raise
        raise SourceError(Diagnostic(NOWHERE, code.code, e.diagnostic.message)) from None
    except OSError as e:
        message = f"the foreign functions cannot be loaded: {e}"
        raise SourceError(Diagnostic(NOWHERE, code.code, message)) from None


def _exported(f: ForeignFunction) -> str:
    """Return a function that calls ``f``, which may be static."""
    count = len(f.params) + len(f.results)
    types = f.prototype[f.prototype.index("(") + 1 : -2].split(", ")
    params = ", ".join(f"{t} x{k}" for k, t in enumerate(types)) if count else "void"
    args = ", ".join(f"x{k}" for k in range(count))
    return f"void called_{f.symbol}({params}) {{ {f.symbol}({args}); }}"


@frozen(eq=False)
class _InC:
    """A foreign function of a loaded library."""

    call: Callable[..., object]
    of: ForeignFunction

    def __call__(self, *args: object) -> object:
        outs = [CTYPES[t]() for t in self.of.results]
        self.call(*args, *(ctypes.byref(x) for x in outs))
        pairs = zip(outs, self.of.results, strict=True)
        values = tuple(bool(x.value) if t is ScalarType.BOOL else x.value for x, t in pairs)
        return values[0] if len(values) == 1 else values


def _called(handle: ctypes.CDLL, f: ForeignFunction) -> Reference:
    call = getattr(handle, f"called_{f.symbol}")
    call.restype = None
    pointers = [ctypes.c_void_p for _ in f.results]
    call.argtypes = [*(CTYPES[t] for t in f.params), *pointers]
    return _InC(call, f)
