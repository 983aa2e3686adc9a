"""Raw functions: scalar functions written in OpenCL C or C inside a Python program.

    clamp = fm.opencl("float clamp01(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }",
                      "f32 -> f32", reference=lambda x: np.clip(x, 0, 1))

The source is trusted code, and the one text of a Python program that reaches a C compiler.  So it
is parsed for the header of its last function, which must have the types of the signature; its
functions get a prefix; and a line that begins with ``#`` is refused.  A function of one result
returns it; one of several is void and has a pointer for each result behind its parameters.
``fm.opencl`` is for all engines: the scalar part of OpenCL C is C.  ``fm.c`` is for the host and
the target C.

Interpreters call the reference, if there is one, so that a comparison of engines compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from types import FunctionType
from typing import Any, cast

from funmem.frontends.python.elementwise import astype
from funmem.frontends.python.errors import Code, here, wrong
from funmem.frontends.python.tape import Symbol, Tape, active, describe
from funmem.ir import core as c
from funmem.ir.foreign import C_TYPES, ForeignCode, ForeignFunction, symbol
from funmem.ir.names import Name
from funmem.ir.scalars import SCALARS, ScalarType

_SCALARS = {str(t): t for t in SCALARS}

_C_NAMES = {
    **{name: t for t, name in C_TYPES.items() if t is not ScalarType.BOOL},
    **{"float": ScalarType.F32, "uchar": ScalarType.U8, "char": ScalarType.I8},
    **{"ushort": ScalarType.U16, "uint": ScalarType.U32, "ulong": ScalarType.U64},
    **{"bool": ScalarType.BOOL, "signed char": ScalarType.I8},
}
"""The C types of a header, of C and of OpenCL C."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER = re.compile(r"([A-Za-z_][\w \t\n]*?[\s*])([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*$")
_QUALIFIERS = frozenset(("static", "inline", "const"))

_C_HEAD = """\
#include <math.h>
#include <stdbool.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
"""
"""What OpenCL C has from the start."""


def opencl(
    source: str,
    signature: str,
    *,
    grid: Sequence[str] | None = None,
    reference: Callable[..., Any] | None = None,
) -> Raw:
    """Return a scalar function written in OpenCL C, callable in traced functions and outside.

    ``signature``: ``"f32, i32 -> f32"``, several results in parentheses.  ``reference`` computes
    the same in Python.  Raises SourceError, its code ``foreign``, for a source or signature that is
    malformed, and for ``grid``: raw kernels are not supported.
    """
    if grid is not None:
        hint = "write a scalar function, and map it over the elements"
        raise wrong(Code.FOREIGN, "not supported: a raw kernel (grid=)", hint)
    return Raw(source, signature, reference, device=True)


def c_function(source: str, signature: str, *, reference: Callable[..., Any] | None = None) -> Raw:
    """Return a scalar function written in C; like :func:`opencl`, but not for devices."""
    return Raw(source, signature, reference, device=False)


class Raw:
    """A scalar function in C; ``name`` is its name in Core."""

    def __init__(
        self, source: str, signature: str, reference: Callable[..., Any] | None, *, device: bool
    ) -> None:
        self.source, self.signature = source, signature
        self.reference, self.device = reference, device
        if reference is not None and not callable(reference):
            raise wrong(Code.FOREIGN, f"the reference is a {type(reference).__name__}, no function")
        self.params, self.results = _signature(signature)
        self.functions = _functions(source)
        self.__name__ = _matched(self.functions[-1], self.params, self.results)
        digest = sha256(f"{source}\0{signature}\0{device}".encode()).hexdigest()[:8]
        self.name = Name(f"{self.__name__}_{digest}")

    def __call__(self, *args: Any) -> Any:
        """Return the result: traced in a trace, else computed by the chosen engine."""
        tape = active()
        if tape is None:
            return self._jitted(*args)
        if len(args) != len(self.params):
            what = f"`{self.__name__}` takes {len(self.params)} arguments, not {len(args)}"
            raise wrong(Code.FOREIGN, what)
        values = [
            self._argument(tape.lift(x), t, k)
            for k, (x, t) in enumerate(zip(args, self.params, strict=True), 1)
        ]
        return self._call(tape, values)

    def _argument(self, x: Symbol, t: ScalarType, k: int) -> Symbol:
        if x.dims:
            what = f"argument {k} of `{self.__name__}` is {describe(x)}, not a scalar"
            raise wrong(Code.FOREIGN, what, "map the function over the elements: fm.map")
        if x.weak:
            x = astype(x, t)
        if x.type is not t:
            what = f"argument {k} of `{self.__name__}` is {describe(x)}, not {t}"
            raise wrong(Code.FOREIGN, what, f"convert it: fm.{t}(…)")
        return x

    def _call(self, tape: Tape, values: Sequence[Symbol]) -> Any:
        tape.foreign[self.name] = self
        result = self.results[0] if len(self.results) == 1 else c.tuple_type(*self.results)
        exp = c.Foreign(self.name, tuple(v.exp for v in values), result, False, here())
        found = tape.bind_all(exp, [(t, (), False) for t in self.results])
        return found[0] if len(found) == 1 else tuple(found)

    @property
    def definition(self) -> c.ForeignDef:
        """The declaration in Core."""
        result = self.results[0] if len(self.results) == 1 else c.tuple_type(*self.results)
        return c.ForeignDef(self.name, self.params, result)

    @property
    def code(self) -> ForeignCode:
        """The function with its sources."""
        text = self.source
        for name in self.functions:
            text = re.sub(rf"\b{name[1]}\b", f"raw_{self.name}_{name[1]}", text)
        unit = f"{text}\n{self._adapter}"
        of = ForeignFunction(
            self.name, self.params, self.results, c=True, cl=self.device, reference=self.reference
        )
        return ForeignCode(
            (of,),
            f"{_C_HEAD}{unit}",
            unit if self.device else "",
        )

    @property
    def _adapter(self) -> str:
        """The function of Core's convention that calls the raw one."""
        given = [f"{C_TYPES[t]} x{k}" for k, t in enumerate(self.params)]
        outs = [f"{C_TYPES[t]} *r{k}" for k, t in enumerate(self.results)]
        args = [f"x{k}" for k in range(len(given))]
        own = f"raw_{self.name}_{self.__name__}"
        head = f"static inline void {symbol(self.name)}({', '.join((*given, *outs))})"
        if len(outs) == 1:
            return f"{head} {{ *r0 = {own}({', '.join(args)}); }}\n"
        args += [f"r{k}" for k in range(len(outs))]
        return f"{head} {{ {own}({', '.join(args)}); }}\n"

    @cached_property
    def _jitted(self) -> Any:
        from funmem.frontends.python.jit import Jitted

        def call(*args: Any) -> Any:
            return self(*args)

        return Jitted(cast(FunctionType, call))

    def __repr__(self) -> str:
        return f"<raw {self.__name__}: {self.signature}>"


# ---------------------------------------------------------------------- signatures, headers


def _signature(text: str) -> tuple[tuple[ScalarType, ...], tuple[ScalarType, ...]]:
    """Return the types of parameters and results."""
    before, arrow, after = text.partition("->")
    sides: list[tuple[ScalarType, ...]] = []
    for side in (before, after):
        names = [x.strip() for x in side.strip().removeprefix("(").removesuffix(")").split(",")]
        sides.append(tuple(_SCALARS[x] for x in names if x in _SCALARS))
        if not arrow or len(sides[-1]) != len(names):
            hint = "a signature looks like f32, i32 -> f32"
            if "[" in text:
                raise wrong(Code.FOREIGN, f"not supported: the arrays of `{text}`", hint)
            raise wrong(Code.FOREIGN, f"`{text}` is not a signature", hint)
    return sides[0], sides[1]


_Header = tuple[str, str, str]
"""The type, the name and the parameters of a function's header."""


def _functions(source: str) -> list[_Header]:
    """Return the headers of the functions that a source defines."""
    for line in source.splitlines():
        if line.lstrip().startswith(("#", "%:", "??=")):
            message = f"the source has the line `{line.strip()}`"
            raise wrong(Code.FOREIGN, message, "inline sources have no lines that begin with #")
    found: list[_Header] = []
    depth, start = 0, 0
    text = _COMMENT.sub(" ", source)
    for k, ch in enumerate(text):
        if ch == "{":
            header = _HEADER.search(text[start:k]) if depth == 0 else None
            if header is not None:
                found.append((header[1], header[2], header[3]))
            depth += 1
        elif ch == "}":
            depth -= 1
        if depth == 0 and ch in ";}":
            start = k + 1
    if depth != 0:
        raise wrong(Code.FOREIGN, "the braces of the source do not match")
    if not found:
        hint = "write float f(float x) { … }"
        raise wrong(Code.FOREIGN, "the source defines no function", hint)
    return found


def _matched(header: _Header, params: Sequence[ScalarType], results: Sequence[ScalarType]) -> str:
    """Return the name of a function whose header has the types of a signature."""
    result, name, given = header
    given_ = [] if given.strip() in ("", "void") else given.split(",")
    own = [_type_of(p, named=True) for p in given_]
    returned = _type_of(result, named=False)
    wanted = [(t, False) for t in params]
    one = len(results) == 1
    if not one:
        wanted += [(t, True) for t in results]
    if own != wanted or returned != ((results[0], False) if one else None):
        shown = " ".join(f"{result}{name}({given})".split())
        text = f"the header `{shown}` has other types than the signature"
        shape = _expected(name, params, results)
        raise wrong(Code.FOREIGN, text, f"expected {shape}")
    return name


def _expected(name: str, params: Sequence[ScalarType], results: Sequence[ScalarType]) -> str:
    given = [f"{C_TYPES[t]} x{k}" for k, t in enumerate(params)]
    if len(results) == 1:
        return f"{C_TYPES[results[0]]} {name}({', '.join(given)})"
    given += [f"{C_TYPES[t]} *r{k}" for k, t in enumerate(results)]
    return f"void {name}({', '.join(given)})"


def _type_of(text: str, *, named: bool) -> tuple[ScalarType, bool] | None:
    """Return the scalar type that a declaration names, and True for a pointer; None: neither."""
    words = text.replace("*", " * ").split()
    words = [x for x in words if x not in _QUALIFIERS]
    if named and words:
        words.pop()
    pointer = "*" in words
    words = [x for x in words if x != "*"]
    t = _C_NAMES.get(" ".join(words))
    return None if t is None else (t, pointer)
