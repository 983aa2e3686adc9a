"""The beginnings of emitted texts: what every C program has, and own functions for OpenCL.

Some functions on floats are written out (``float_math.h``), since a call of a library's function
keeps a loop from being vectorised.  C and kernels for processors use the same text, so they compute
the same bits.  Graphics processors have good functions of their own.
"""

import re
from collections.abc import Collection
from importlib.resources import files

from funmem.codegen.scalar_helpers import definitions, prelude, wanted

_UNARY = (
    "exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"
)
_UNARY += " erf erfc cbrt"
OWN = dict.fromkeys(_UNARY.split(), 1) | dict.fromkeys(("pow", "atan2", "hypot"), 2)
"""The functions whose versions for floats are written out, and the numbers of their arguments."""

DOUBLE = ("exp", "log")
"""The functions whose versions for doubles are written out as well."""


def c_prelude() -> str:
    """Return the types and functions that kernels in C use, and the memory of programs."""
    return "\n".join((*_c_functions(), _text("c_runtime.h")))


def host_prelude() -> str:
    """Return the types and functions that a device's host in C uses, and the runtime."""
    return "\n".join((*_c_functions(), _text("cl_runtime.h")))


def _c_functions() -> tuple[str, ...]:
    own = [
        f"static inline double fm_{f}({_list(n, 'double ')}) "
        f"{{ return {f'fm_{f}d' if f in DOUBLE else f'({f})'}({_list(n)}); }}\n"
        f"#undef {f}\n"
        f"#define {f}({_list(n)}) "
        f"_Generic((x), float: fm_{f}f, default: fm_{f})({_list(n)})\n"
        for f, n in OWN.items()
    ]
    return (_text("c_prelude.h"), _text("float_math.h"), "".join(own), _text("c_calls.h"))


def _list(n: int, what: str = "") -> str:
    return ", ".join(what + x for x in ("x", "y")[:n])


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
    called = [f for f in OWN if re.search(rf"\b{f}\(", body)]
    if not called:
        return ""
    own = [
        f"static inline {t} {_OVERLOADED} fm_{f}({_list(n, t + ' ')}) "
        f"{{ return {callee}({_list(n)}); }}\n"
        for f, n in OWN.items()
        if f in called
        for t, callee in (("float", f"fm_{f}f"), ("double", f"fm_{f}d" if f in DOUBLE else f))
    ]
    names = [f"#define {f} fm_{f}\n" for f in called]
    text = "".join((_text("float_math.h"), *own, *names)).replace("static inline", _INLINED)
    return f"#ifdef cl_khr_fp64\n{text}#endif\n"


_OVERLOADED = "__attribute__((overloadable))"

_INLINED = "static inline __attribute__((always_inline))"
"""LLVM does not inline a long function that has several callers, and a call keeps a loop scalar."""


def _text(name: str) -> str:
    return files("funmem.codegen").joinpath(name).read_text(encoding="utf-8")
