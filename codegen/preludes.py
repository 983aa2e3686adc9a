"""The beginnings of emitted texts: what every C program has, and own functions for OpenCL.

The functions on floats are written out (``float_math.h``, ``double_math.h``, …), since a call of
a library's function keeps a loop from being vectorised.  C and kernels for
processors use the same text, so they compute the same bits.  A program gets the definitions that it
needs.  Graphics processors have good functions of their own.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.resources import files

from funmem.codegen.scalar_helpers import definitions, prelude, wanted

_UNARY = (
    "exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"
)
_UNARY += " erf erfc tgamma lgamma cbrt"
OWN = dict.fromkeys(_UNARY.split(), 1) | dict.fromkeys(("pow", "atan2", "hypot"), 2)
"""The functions that are written out for float and double, and the numbers of their arguments.

``fm_sinf`` and ``fm_sind`` are the versions of ``sin``.
"""


def c_prelude(body: str | None = None) -> str:
    """Return the types and functions that kernels in C use, and the memory of programs.

    ``body``: the text that follows, whose calls decide which functions are defined; or else all.
    """
    return "\n".join((*_c_functions(body), _text("c_runtime.h")))


def host_prelude(body: str | None = None) -> str:
    """Return the types and functions that a device's host in C uses, and the runtime.

    ``body`` is the text that follows, as for `c_prelude`.
    """
    return "\n".join((*_c_functions(body), _text("cl_runtime.h")))


def _c_functions(body: str | None) -> tuple[str, ...]:
    called = [*OWN] if body is None else _called(body)
    kinds = [
        f"#undef {f}\n#define {f}({_list(OWN[f])}) "
        f"_Generic((x), float: fm_{f}f, default: fm_{f}d)({_list(OWN[f])})\n"
        for f in called
    ]
    math = _math([f"fm_{f}{t}" for f in called for t in "fd"]).replace("FM_TABLE", "const")
    return (_text("c_prelude.h"), math, "".join(kinds), _text("c_calls.h"))


def _called(body: str) -> list[str]:
    """Return the functions of `OWN` that a text calls."""
    found = set(_CALL.findall(body))
    return [f for f in OWN if f in found]


_CALL = re.compile(r"\b(\w+)\(")


def _list(n: int, what: str = "") -> str:
    return ", ".join(what + x for x in ("x", "y")[:n])


def _math(needed: Collection[str]) -> str:
    """Return the definitions of own functions and of their callees; a kernel inlines them."""
    parts, found, todo = _parts(), set[str](), [*needed]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += parts.keys() & _PART.findall(parts[name])
    text = "\n\n".join(part for name, part in parts.items() if name in found)
    return text.replace("static inline", _INLINED) + "\n"


@cache
def _parts() -> Mapping[str, str]:
    """Map names to definitions, with the comments in front of them, callees first."""
    found = {}
    for file in ("float_math.h", "double_math.h", "double_inverse.h", "double_special.h"):
        for part in _paragraphs(_text(file)):
            code = re.sub(r"/\*.*?\*/", "", part, flags=re.DOTALL)
            if (name := _PART.search(code)) is not None:
                found[name[0]] = part
    return found


_PART = re.compile(r"\b(?:fm_\w+|FM_ROOT)\b")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield what blank lines separate, but not those in comments."""
    some = ""
    for part in text.strip().split("\n\n"):
        some = f"{some}\n\n{part}" if some else part
        if some.count("/*") == some.count("*/"):
            yield some
            some = ""


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
    called = _called(body)
    if not called:
        return ""
    kinds = {"float": "f"} | ({"double": "d"} if re.search(r"\bdouble\b", body) else {})
    own = [
        f"{_INLINED} {t} {_OVERLOADED} fm_{f}({_list(OWN[f], t + ' ')}) "
        f"{{ return fm_{f}{kind}({_list(OWN[f])}); }}\n"
        for f in called
        for t, kind in kinds.items()
    ]
    names = [f"#define {f} fm_{f}\n" for f in called]
    math = _math([f"fm_{f}{kind}" for f in called for kind in kinds.values()])
    text = "".join((math.replace("static FM_TABLE", "__constant"), *own, *names))
    return f"#ifdef cl_khr_fp64\n{text}#endif\n"


_OVERLOADED = "__attribute__((overloadable))"

_INLINED = "static inline __attribute__((always_inline))"
"""Compilers do not inline a long function that has several callers, and a call keeps a loop scalar.
"""


def _text(name: str) -> str:
    return files("funmem.codegen").joinpath(name).read_text(encoding="utf-8")
