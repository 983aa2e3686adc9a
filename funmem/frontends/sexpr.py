"""Read S-expressions with their places: the reader of every language that is written in them.

    text  =  datum*         datum  =  ATOM  |  "(" datum* ")"        brackets as the syntax says

A language states what its atoms look like (:class:`Syntax`); what an atom means is its parser's
business.  A span covers the part of an expression in its first line.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NoReturn, TypeAlias

from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.record import frozen

MAX_DEPTH = 400
"""Deepest nesting of brackets: the passes over the tree recurse."""


@frozen(eq=False)
class Syntax:
    """The atoms, comments and brackets of a language.

    ``atom`` matches one atom at a position; it matches no blank, bracket or comment.  ``comment``
    begins a comment, which ends with its line.  ``brackets`` maps opening to closing ones; ``code``
    is the code of the errors.
    """

    atom: re.Pattern[str]
    comment: str
    brackets: Mapping[str, str]
    code: str


@frozen(eq=False)
class Atom:
    """An atom as it is written; ``mark``: the macro expansion that inserted it, 0 for none."""

    text: str
    at: Span
    mark: int = 0


@frozen(eq=False)
class List:
    """A list: the items between brackets; ``close`` is the place of the closing one."""

    bracket: str
    items: "tuple[Datum, ...]"
    at: Span
    close: Span


Datum: TypeAlias = Atom | List


def read(text: str, file: str, syntax: Syntax) -> tuple[tuple[Datum, ...], Span]:
    """Return the data of a text, and the place of its end.  Raises SourceError."""
    return _Reader(text, file, syntax).read()


class _Open:
    """A list that is not closed yet."""

    __slots__ = ("at", "bracket", "items", "start")

    def __init__(self, bracket: str, at: Span, start: int) -> None:
        self.bracket, self.at, self.start = bracket, at, start
        self.items: list[Datum] = []


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, file: str, syntax: Syntax) -> None:
        self._text, self._file, self._syntax = text, file, syntax
        self._line, self._line_start = 1, 0
        self._closing = {close: open_ for open_, close in syntax.brackets.items()}

    def read(self) -> tuple[tuple[Datum, ...], Span]:
        """Return the data and the place of the end."""
        top = _Open("", self._span(0, 0), 0)
        stack = [top]
        for pos in self._positions():
            sign = self._text[pos]
            if sign in self._syntax.brackets:
                if len(stack) > MAX_DEPTH:
                    hint = f"at most {MAX_DEPTH} levels: name parts of a large expression"
                    self._fail(self._span(pos, 1), "too deeply nested", hint)
                stack.append(_Open(sign, self._span(pos, 1), pos))
            elif sign in self._closing:
                if len(stack) == 1:
                    self._fail(self._span(pos, 1), f"`{sign}` closes nothing")
                done = stack.pop()
                wanted = self._syntax.brackets[done.bracket]
                if sign != wanted:
                    opened = f"`{done.bracket}` at {done.at.line}:{done.at.col}"
                    what = f"expected `{wanted}` for the {opened}, found `{sign}`"
                    self._fail(self._span(pos, 1), what)
                close = self._span(pos, 1)
                at = Span(self._file, done.at.line, done.at.col, self._end(done, close))
                stack[-1].items.append(List(done.bracket, tuple(done.items), at, close))
            else:
                found = self._syntax.atom.match(self._text, pos)
                assert found is not None  # _positions yields nothing else
                stack[-1].items.append(Atom(found[0], self._span(pos, len(found[0]))))
        if len(stack) > 1:
            self._fail(stack[-1].at, f"this `{stack[-1].bracket}` is not closed")
        return tuple(top.items), self._span(len(self._text), 0)

    def _positions(self) -> Iterator[int]:
        """The positions of brackets and atoms; keeps the number of the line up to date."""
        text, syntax, pos = self._text, self._syntax, 0
        if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}"):
            pos = 1
        while pos < len(text):
            sign = text[pos]
            if sign == "\n":
                pos += 1
                self._line, self._line_start = self._line + 1, pos
            elif sign in " \t\r\f\v":
                pos += 1
            elif text.startswith(syntax.comment, pos):
                end = text.find("\n", pos)
                pos = len(text) if end < 0 else end
            elif sign in syntax.brackets or sign in self._closing:
                yield pos
                pos += 1
            else:
                found = syntax.atom.match(text, pos)
                if found is None or not found[0]:
                    self._fail(self._span(pos, 1), f"unexpected character `{sign}`")
                yield pos
                pos = found.end()

    def _span(self, pos: int, width: int) -> Span:
        col = pos - self._line_start + 1
        return Span(self._file, self._line, col, col + width)

    def _end(self, opened: _Open, close: Span) -> int:
        """The column after a list's part in its first line."""
        if close.line == opened.at.line:
            return close.end
        newline = self._text.find("\n", opened.start)
        row = self._text[opened.start : newline].rstrip()
        return opened.at.col + len(row)

    def _fail(self, at: Span, message: str, hint: str = "") -> NoReturn:
        raise SourceError(Diagnostic(at, self._syntax.code, message, hint))
