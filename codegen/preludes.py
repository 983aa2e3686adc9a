"""The beginnings of emitted texts: what every C program has, and own functions for OpenCL.

Some functions on floats are written out (``float_math.h``), since a call of a library's function
keeps a loop from being vectorised.  C and kernels for processors use the same text, so they compute
the same bits.  Graphics processors have good functions of their own.
"""

import re
from collections.abc import Collection
from importlib.resources import files

from funmem.codegen.scalar_helpers import definitions, prelude, wanted


def c_prelude() -> str:
    """Return the types and functions that kernels in C use, and the memory of programs."""
    return "\n".join(map(_text, ("c_prelude.h", "float_math.h", "c_runtime.h")))


def cl_prelude(needed: Collection[str], *, gpu: bool) -> str:
    """Return the beginning of an OpenCL source, with the helpers ``needed`` (``scalar_helpers``).

    On processors a square root is an instruction, not a call.
    """
    if gpu or not any(x.startswith("fm_sqrt_") for x in wanted(needed)):
        return prelude(needed)
    head, helpers = prelude(()), definitions(needed)
    return f"{head}{_ROOTS}{helpers}#ifdef __clang__\n#undef sqrt\n#endif\n"


_ROOTS = """\
#ifdef __clang__
static inline float __attribute__((overloadable)) fm_root(float x) { return __builtin_sqrtf(x); }
#ifdef cl_khr_fp64
static inline double __attribute__((overloadable)) fm_root(double x) { return __builtin_sqrt(x); }
#endif
#define sqrt fm_root
#endif
"""


def cl_math(body: str) -> str:
    """Return the definitions of own functions for kernels of processors that call them."""
    if not _OWN.search(body):
        return ""
    single = "".join(
        f"static inline float {_OVERLOADED} fm_{f}(float x) {{ return fm_{f}f(x); }}\n"
        f"static inline double {_OVERLOADED} fm_{f}(double x) {{ return {f}(x); }}\n"
        for f in OWN
    )
    names = "".join(f"#define {f} fm_{f}\n" for f in OWN)
    return f"#ifdef cl_khr_fp64\n{_text('float_math.h')}{single}{names}#endif\n"


OWN = ("exp", "log", "log2", "log10")
"""The functions whose versions for floats are written out."""

_OWN = re.compile(rf"\b(?:{'|'.join(OWN)})\(")
_OVERLOADED = "__attribute__((overloadable))"


def _text(name: str) -> str:
    return files("funmem.codegen").joinpath(name).read_text(encoding="utf-8")
