"""The cursor over the tokens of a text, shared by the files of the parser.

The parser is plain recursive descent: each production is a function that takes the cursor, reads
exactly its production and leaves the cursor after it.  The first mistake raises a SourceError.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from funmem.frontends.futhark.ast import Dim, Exp, QualName, Step
from funmem.frontends.futhark.lexer import CODE, SEPARATOR, Kind, Token, tokenize
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.text.lexer import clip

MAX_DEPTH = 150
"""Maximum depth of a tree, and of nested brackets.

Later passes recurse over trees with up to six Python frames per level, and Python's limit is 1000
frames.  A chain such as ``a + b + c``, ``f a b c`` or ``let … let …`` is one level, whatever its
length: see parse_depth.py.
"""

MAX_LETS = 2000
"""Maximum number of lets in a row.  Code that recurses over trees walks along them in a loop."""

_TOO_DEEP = "too deeply nested"
_TOO_DEEP_HINT = f"at most {MAX_DEPTH} levels: name parts of a large expression with let"

_HINTS = {
    "<-": "`<-` is allowed only in comprehensions, [e | x <- xs]",
    "'": "write 'a' for a character, \"ab\" for text; a type variable is used without the quote",
}
"""Hints for misplaced tokens, whatever was expected."""

Hints: TypeAlias = Mapping[str, str]
"""Hints for an unclosed bracket, by the token found where the bracket should close."""

_NONE: Hints = {}

T = TypeVar("T")


class Productions(NamedTuple):
    """The mutually recursive productions: types contain sizes, and lets contain expressions."""

    exp: "Callable[[Cursor], Exp]"
    """An expression."""
    infix: "Callable[[Cursor], Exp]"
    """An expression without an ascription."""
    argument: "Callable[[Cursor], Exp]"
    """An expression that can be an argument."""
    dims: "Callable[[Cursor], tuple[Dim, ...]]"
    """``[d, …]``."""
    path: "Callable[[Cursor, Step], tuple[Step, ...]]"
    """``l[d, …].m …``, after its first step."""
    updated: "Callable[[Exp, tuple[Step, ...], Exp, Span], Exp]"
    """``e with path = value``."""


class Cursor:
    """The position in the tokens of a text, with the current nesting depth."""

    def __init__(self, text: str, file: str, productions: Productions, line: int = 1) -> None:
        self._file = file
        self._tokens, self._comprehensions, self._bindings = tokenize(text, file, line)
        self._line_end = {t.line: t.end for t in self._tokens}
        self._pos = 0
        self._depth = 0
        self.exp, self.infix, self.argument, self.dims, self.path, self.updated = productions
        self.token: Token = self._tokens[0]
        """The next token."""

    # -- looking

    def peek(self, ahead: int) -> Token:
        """Return the token that comes ``ahead`` tokens after the next one."""
        return self._tokens[min(self._pos + ahead, len(self._tokens) - 1)]

    def at(self, *texts: str) -> bool:
        """True if the next token is one of these symbols, operators or words."""
        return self.token.text in texts

    def at_comprehension(self) -> bool:
        """True if the next token, ``[`` or ``(``, directly contains ``<-``."""
        return self._pos in self._comprehensions

    def at_binding(self) -> bool:
        """True if ``p <- e`` comes next in a comprehension."""
        return self._pos in self._bindings

    # -- reading

    def advance(self) -> Token:
        """Read the next token, of any kind, and return it."""
        token = self.token
        if token.kind is Kind.END or token.kind is Kind.ERROR:
            raise self.unexpected("more text")
        self._pos += 1
        self.token = self._tokens[self._pos]
        return token

    def accept(self, text: str) -> bool:
        """Read the symbol or word ``text`` if it comes next; return True if it did."""
        if self.token.text != text:
            return False
        self.advance()
        return True

    def expect(self, text: str, hint: str = "") -> Token:
        """Read the symbol or word ``text``, or raise a SourceError."""
        if self.token.text != text:
            shown = "|" if text == SEPARATOR else text
            raise self.unexpected(f"`{shown}`", hint or self._glued(text))
        return self.advance()

    def close(self, opener: Token, closer: str, *others: str, hints: Hints = _NONE) -> None:
        """Read the bracket that closes ``opener``; messages say ``others`` could also follow."""
        if not self.accept(closer):
            expected = " or ".join(f"`{t}`" for t in (*others, closer))
            where = "" if opener.line == self.token.line else f"line {opener.line}, "
            hint = f"the `{opener.text}` at {where}column {opener.col} is still open"
            more = hints.get(self.token.text)
            raise self.unexpected(expected, f"{hint}; {more}" if more else hint)

    def name(self, what: str = "a name", hint: str = "") -> str:
        """Read a name; messages call it ``what``."""
        token = self.token
        if token.kind is not Kind.NAME:
            # A reserved word on a new line is meant as such: something before it is missing.
            meant = token.kind is Kind.WORD and not self._starts_line()
            raise self.unexpected(what, f"`{token.text}` is a reserved word" if meant else hint)
        return self.advance().text

    def label(self) -> str:
        """Read the label of a field, which may be a number."""
        if self.token.kind is Kind.NUMBER and self.token.text.isdecimal():
            return self.advance().text
        return self.name("the name of a field")

    def qualified(self, what: str) -> QualName:
        """Read ``m.n.x``; messages call it ``what``."""
        first = self.token
        names = [self.name(what)]
        while self.token.text == "." and self.peek(1).kind is Kind.NAME:
            self.advance()
            names.append(self.advance().text)
        return QualName(tuple(names[:-1]), names[-1], self.span(first))

    def commas(
        self,
        item: "Callable[[Cursor], T]",
        opener: Token,
        closer: str,
        hints: Hints = _NONE,
    ) -> tuple[T, ...]:
        """Read ``item, …, item closer``: zero or more items, with an optional trailing comma.

        ``hints`` are shown for mistakes after a single item.
        """
        self.enter()
        items: list[T] = []
        while self.token.text != closer:
            items.append(item(self))
            if not self.accept(","):
                break
        self.leave()
        self.close(opener, closer, ",", hints=hints if len(items) == 1 else _NONE)
        return tuple(items)

    # -- places

    def here(self) -> Span:
        """Return the place of the next token."""
        return self.span_of(self.token)

    def span_of(self, token: Token) -> Span:
        return Span(self._file, token.line, token.col, token.end)

    def span(self, first: Token) -> Span:
        """Return the span from ``first`` to the last token read, cut at the end of its line."""
        last = self._tokens[self._pos - 1]
        end = last.end if last.line == first.line else self._line_end[first.line]
        return Span(self._file, first.line, first.col, end)

    def position(self) -> int:
        """Return the index of the next token, for :meth:`text_since`."""
        return self._pos

    def text_since(self, start: int) -> str:
        """Return the tokens read since position ``start``, spaced as Futhark prints them."""
        parts: list[str] = []
        before: Token | None = None
        prefix = False
        for t in self._tokens[start : self._pos]:
            if before is not None and not prefix and _spaced(before, t):
                parts.append(" ")
            parts.append("|" if t.text == SEPARATOR else t.text)
            prefix = t.text in ("-", "!") and (before is None or _awaits_operand(before))
            before = t
        return "".join(parts)

    # -- depth

    def enter(self, levels: int = 1) -> None:
        """Increase the nesting depth, or raise a SourceError beyond MAX_DEPTH."""
        self._depth += levels
        if self._depth > MAX_DEPTH:
            raise self.too_deep(self.here())

    def leave(self, levels: int = 1) -> None:
        self._depth -= levels

    # -- mistakes

    def unexpected(self, expected: str, hint: str = "") -> SourceError:
        """Return the error that the next token is not what the grammar expects."""
        if self.token.problem is not None:
            return SourceError(self.token.problem)
        hint = _HINTS.get(self.token.text, hint)
        return self.mistake(self.here(), f"expected {expected}, found {describe(self.token)}", hint)

    def mistake(self, at: Span, message: str, hint: str = "") -> SourceError:
        """Return a syntax error at a place that was already read."""
        return SourceError(Diagnostic(at, CODE, message, hint))

    def not_supported(self, at: Span, construct: str, hint: str = "") -> SourceError:
        """Return the error that the text is valid Futhark which this compiler does not support."""
        return SourceError(Diagnostic(at, "not-supported", f"not supported: {construct}", hint))

    def too_deep(self, at: Span) -> SourceError:
        return self.mistake(at, _TOO_DEEP, _TOO_DEEP_HINT)

    def _starts_line(self) -> bool:
        return self._pos > 0 and self._tokens[self._pos - 1].line != self.token.line

    def _glued(self, text: str) -> str:
        """Return a hint if the expected symbol is there, but glued to an operator."""
        found = self.token.text
        if text == "=" and found == "==":
            return "`==` compares"
        if self.token.kind is Kind.OP and found.startswith(text):
            return f"`{clip(found)}` is one operator: write a space after `{text}`"
        return ""


def _spaced(a: Token, b: Token) -> bool:
    """True if Futhark's printer puts a space between two tokens."""
    if a.text in ("(", "[", "{", ".", "\\") or b.text in (")", "]", "}", ",", "."):
        return False
    return b.gap or a.text == "," or Kind.OP in (a.kind, b.kind)


def _awaits_operand(t: Token) -> bool:
    """True if ``-`` after this token is a negation."""
    return t.kind in (Kind.OP, Kind.WORD) or t.text in ("(", "[", "{", ",", "->", "=", "!", ":")


def describe(token: Token) -> str:
    """Return the description of a token for messages."""
    match token.kind:
        case Kind.END:
            return "the end of the text"
        case Kind.STRING:
            return f"the string {clip(token.text)}"
        case Kind.CHAR:
            return f"the character {clip(token.text)}"
        case Kind.NUMBER:
            return f"the number {clip(token.text)}"
        case Kind.NAME:
            return f"the name `{clip(token.text)}`"
        case Kind.OP:
            return (
                f"the operator {clip(token.text)}" if "`" in token.text else f"`{clip(token.text)}`"
            )
        case Kind.WORD | Kind.CONSTR | Kind.SYMBOL:
            return f"`{clip(token.text.partition(' ')[0])}`"
        case Kind.ERROR:
            return "an error"
