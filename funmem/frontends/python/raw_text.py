"""What raw code has in common: headers of functions, C types, prefixed names, calls."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from types import FunctionType
from typing import Any, cast

from funmem.frontends.python.errors import Code, wrong
from funmem.frontends.python.tape import Tape, active
from funmem.ir import core as c
from funmem.ir.foreign import C_TYPES, ForeignCode
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType

C_NAMES = {
    **{name: t for t, name in C_TYPES.items() if t is not ScalarType.BOOL},
    **{"float": ScalarType.F32, "uchar": ScalarType.U8, "char": ScalarType.I8},
    **{"ushort": ScalarType.U16, "uint": ScalarType.U32, "ulong": ScalarType.U64},
    **{"bool": ScalarType.BOOL, "signed char": ScalarType.I8},
}
"""The C types of a header, of C and of OpenCL C."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER = re.compile(r"([A-Za-z_][\w \t\n]*?[\s*])([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*$")
_QUALIFIERS = frozenset(
    ("static", "inline", "const", "__global", "global", "restrict", "__restrict")
)

C_HEAD = """\
#include <math.h>
#include <stdbool.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef __global
#define __global
#endif
"""
"""What OpenCL C has from the start."""


class RawCode(ABC):
    """Code in C; ``name`` is its name in Core."""

    name: Name
    signature: str

    def __call__(self, *args: Any) -> Any:
        """Return the result: traced in a trace, else computed by the chosen engine."""
        tape = active()
        return self._jitted(*args) if tape is None else self.call(tape, args)

    @abstractmethod
    def call(self, tape: Tape, args: Sequence[Any]) -> Any:
        """Append a call to the tape; return its results."""

    @property
    @abstractmethod
    def definition(self) -> c.ForeignDef:
        """The declaration in Core."""

    @property
    @abstractmethod
    def code(self) -> ForeignCode:
        """The code with its sources."""

    @cached_property
    def _jitted(self) -> Any:
        from funmem.frontends.python.jit import Jitted

        def call(*args: Any) -> Any:
            return self(*args)

        return Jitted(cast(FunctionType, call))

    def __repr__(self) -> str:
        return f"<raw {self.__name__}: {self.signature}>"  # type: ignore[attr-defined]


Header = tuple[str, str, str]
"""The type, the name and the parameters of a function's header."""


def functions_of(source: str) -> list[Header]:
    """Return the headers of the functions that a source defines."""
    for line in source.splitlines():
        if line.lstrip().startswith(("#", "%:", "??=")):
            message = f"the source has the line `{line.strip()}`"
            raise wrong(Code.FOREIGN, message, "inline sources have no lines that begin with #")
    found: list[Header] = []
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


def renamed(text: str, name: Name, functions: Sequence[Header]) -> str:
    """Return a source whose functions have a prefix."""
    for _, own, _ in functions:
        text = re.sub(rf"\b{own}\b", f"raw_{name}_{own}", text)
    return text


def plain(text: str, *, named: bool) -> tuple[ScalarType, bool] | None:
    """Return the scalar type that a declaration names, and True for a pointer; None: neither."""
    words = text.replace("*", " * ").split()
    words = [x for x in words if x not in _QUALIFIERS]
    if named and words:
        words.pop()
    pointer = "*" in words
    words = [x for x in words if x != "*"]
    t = C_NAMES.get(" ".join(words))
    return None if t is None else (t, pointer)
