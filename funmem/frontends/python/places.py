"""Where in the user's code an operation was called: line and columns, without parsing any source.

CPython keeps the columns of each instruction (``code.co_positions``), also in lambdas and
notebooks.  The frames of this package and of numpy are skipped.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
from types import CodeType, FrameType

import numpy as np

from funmem.ir.diagnostics import NOWHERE, FunmemError, Span

_OWN = os.path.dirname(__file__) + os.sep
_NUMPY = os.path.dirname(np.__file__) + os.sep
_MOST = 1 << 16
"""Cap on remembered positions; long sessions define functions without end."""


STANDS_IN = "<funmem>"
"""The qualified name of code of ours that stands at a place in the user's (tracebacks.py)."""

_DEF = re.compile(r"\s*(async\s+)?def\b")


class Places:
    """Finds the positions of calls, and remembers them by code object and instruction."""

    def __init__(self) -> None:
        self._own: dict[str, bool] = {}
        self._known: dict[tuple[int, int], tuple[Span, CodeType]] = {}
        self._tables: dict[int, tuple[list[tuple[int | None, ...]], CodeType]] = {}

    def here(self) -> Span:
        """Return the position of the innermost call in the user's code."""
        frame: FrameType | None = sys._getframe(1)
        own = self._own
        while frame is not None:
            code = frame.f_code
            skipped = own.get(code.co_filename)
            if skipped is None:
                skipped = own[code.co_filename] = code.co_filename.startswith((_OWN, _NUMPY))
            if not skipped and code.co_qualname != STANDS_IN:
                found = self._known.get((id(code), frame.f_lasti))
                return self.of_instruction(code, frame.f_lasti) if found is None else found[0]
            frame = frame.f_back
        return NOWHERE

    def of_instruction(self, code: CodeType, lasti: int) -> Span:
        """Return the position of the instruction at an offset."""
        if len(self._known) > _MOST:
            self._known.clear()
            self._tables.clear()
        table = self._tables.get(id(code))
        if table is None:
            table = self._tables[id(code)] = ([*code.co_positions()], code)
        k = lasti // 2
        line, end_line, col, end = table[0][k] if k < len(table[0]) else (None,) * 4
        span = _span(code.co_filename, line or code.co_firstlineno, end_line, col, end)
        self._known[id(code), lasti] = (span, code)
        return span


def _span(file: str, line: int, end_line: int | None, col: int | None, end: int | None) -> Span:
    """Return a span in characters, which count from 1; of several lines the first one."""
    if col is None or end is None:
        return Span(file, line, 1, 1)
    text = linecache.getline(file, line)
    first = _characters(text, col)
    if end_line != line:
        last = max(len(text.rstrip()), first + 1) if text else first + 1
    else:
        last = _characters(text, end)
    return Span(file, line, first + 1, last + 1)


def _characters(text: str, offset: int) -> int:
    """Return the number of characters in the first ``offset`` bytes of a line."""
    if not text or text.isascii():
        return offset
    return len(text.encode()[:offset].decode(errors="replace"))


def of_function(code: CodeType) -> Span:
    """Return the position of a function: the line of its ``def``, behind decorators."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    found = enumerate(lines if code.co_name != "<lambda>" else lines[:1])
    k, text = next(((k, x) for k, x in found if _DEF.match(x)), (0, lines[0] if lines else ""))
    start = len(text) - len(text.lstrip())
    end = max(len(text.rstrip()), start)
    return Span(code.co_filename, code.co_firstlineno + k, start + 1, end + 1)


def shown(error: FunmemError) -> FunmemError:
    """Return the error; its text now has the source line and a caret, if the line is known."""
    at = error.diagnostic.at
    if at != NOWHERE:
        lines = linecache.getlines(at.file)
        if lines:
            error.args = (error.diagnostic.render("".join(lines)),)
    return error
