"""A position in a stream of tokens: the part of the parsers that is independent of the grammar.

The parsers use recursive descent: a function for each production takes the cursor, reads exactly
its production and leaves the cursor behind it.  The first mistake raises a SourceError.
"""

import re

from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.names import Name
from funmem.ir.text.lexer import CODE, FUN_LEXICON, Kind, Lexicon, Token, clip, tokenize

MAX_DEPTH = 200
"""Cap on the depth of a syntax tree.  A body counts as three levels (body, statement, expression).

Every pass recurses over trees, and Python stops at 1000 frames.  The cap turns a crash anywhere in
the compiler into an error of the program.
"""

BODY_LEVELS = 3

_ESCAPE = re.compile(r'\\(?:(["`\\nt])|u\{([0-9A-Fa-f]{1,6})\})')
_PLAIN = {'"': '"', "`": "`", "\\": "\\", "n": "\n", "t": "\t"}


class Cursor:
    """The next token of a text, and the current nesting depth, at most ``deepest``."""

    def __init__(
        self,
        text: str,
        file: str,
        lexicon: Lexicon = FUN_LEXICON,
        deepest: int = MAX_DEPTH,
    ) -> None:
        self._file = file
        self._deepest = deepest
        self._tokens = tokenize(text, file, lexicon)
        self._line_end = {t.line: t.end for t in self._tokens}
        self._pos = 0
        self._depth = 0

    # -- looking

    @property
    def token(self) -> Token:
        return self._tokens[self._pos]

    @property
    def following(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._pos + 1, len(self._tokens) - 1)]

    def at(self, *texts: str) -> bool:
        """True if the next token is one of these symbols or words."""
        return self._tokens[self._pos].text in texts

    def at_name(self) -> bool:
        return self._tokens[self._pos].kind is Kind.NAME

    def after_parentheses(self) -> Token:
        """Return the token after the ``)`` that matches the next token, ``(``."""
        depth, pos = 0, self._pos
        while self._tokens[pos].kind not in (Kind.END, Kind.ERROR):
            depth += {"(": 1, ")": -1}.get(self._tokens[pos].text, 0)
            pos += 1
            if depth == 0:
                break
        return self._tokens[pos]

    # -- reading

    def next(self) -> Token:
        """Read the next token."""
        token = self._tokens[self._pos]
        if token.kind in (Kind.END, Kind.ERROR):
            raise self.unexpected("more text")
        self._pos += 1
        return token

    def accept(self, text: str) -> bool:
        """Read this symbol or word if it is next; return True if it is."""
        if self._tokens[self._pos].text != text:
            return False
        self._pos += 1
        return True

    def expect(self, text: str, hint: str = "") -> Token:
        """Read this symbol or word; raise SourceError if it is not next."""
        if self._tokens[self._pos].text != text:
            raise self.unexpected(f"`{text}`", hint)
        self._pos += 1
        return self._tokens[self._pos - 1]

    def close(self, opener: Token, closer: str, *others: str) -> None:
        """Read the bracket that closes ``opener``; ``others`` were allowed too, for the message."""
        if not self.accept(closer):
            expected = " or ".join(f"`{t}`" for t in (*others, closer))
            where = "" if opener.line == self.token.line else f"line {opener.line}, "
            raise self.unexpected(
                expected, f"the `{opener.text}` at {where}column {opener.col} is still open"
            )

    def name(self, what: str = "a name") -> Name:
        """Read a name; messages call it ``what``."""
        token = self._tokens[self._pos]
        if token.kind is not Kind.NAME:
            # On a new line, a reserved word is not a mistaken name: something before it is missing.
            meant = token.kind is Kind.WORD and token.line == self._tokens[self._pos - 1].line
            raise self.unexpected(what, f"`{token.text}` is a reserved word" if meant else "")
        self._pos += 1
        return Name(self._unescape(token) if token.text.startswith("`") else token.text)

    def string(self, what: str, hint: str) -> str:
        """Read a string; messages call it ``what``."""
        token = self.token
        if token.kind is not Kind.STRING:
            raise self.unexpected(what, hint)
        self._pos += 1
        return self._unescape(token)

    def _unescape(self, token: Token) -> str:
        raw, parts, pos = token.text[1:-1], [], 0
        while (slash := raw.find("\\", pos)) >= 0:
            m = _ESCAPE.match(raw, slash)
            char = m and (_PLAIN[m[1]] if m[1] else _character(int(m[2], 16)))
            if not m or not char:
                col = token.col + 1 + slash
                end = col + (len(m[0]) if m else 2)
                raise self.mistake(
                    Span(self._file, token.line, col, end),
                    "this escape stands for no character" if m else "unknown escape in a string",
                    r"escapes are \" \\ \n \t and \u{1F600}",
                )
            parts += [raw[pos:slash], char]
            pos = m.end()
        return "".join([*parts, raw[pos:]])

    # -- places

    def here(self) -> Span:
        """Return the span of the next token."""
        return self.span_of(self.token)

    def span_of(self, token: Token) -> Span:
        return Span(self._file, token.line, token.col, token.end)

    def span(self, first: Token) -> Span:
        """Return the span from a token to the last one read, or to the end of its line."""
        last = self._tokens[self._pos - 1]
        end = last.end if last.line == first.line else self._line_end[first.line]
        return Span(self._file, first.line, first.col, end)

    # -- depth

    def enter(self, levels: int = 1) -> None:
        """Note that the next token is some levels deeper in the tree."""
        self._depth += levels
        self.limit(0, self.token)

    def leave(self, levels: int = 1) -> None:
        self._depth -= levels

    def limit(self, height: int, at: Token) -> None:
        """Raise SourceError if a tree of this height would be too deep here."""
        if self._depth + height > self._deepest:
            raise self.mistake(
                self.span_of(at),
                "nested too deeply",
                f"at most {self._deepest} levels, where a body or block counts as several; "
                "name parts of a large expression",
            )

    # -- mistakes

    def unexpected(self, expected: str, hint: str = "") -> SourceError:
        """Return an error: the next token is not what the grammar expects."""
        if self.token.problem is not None:
            return SourceError(self.token.problem)
        return self.mistake(
            self.here(), f"expected {expected}, found {_describe(self.token)}", hint
        )

    def mistake(self, at: Span, message: str, hint: str = "") -> SourceError:
        """Return an error at a position that was already read."""
        return SourceError(Diagnostic(at, CODE, message, hint))


def _character(code: int) -> str | None:
    """Return the character of a code point; None for surrogates and beyond Unicode."""
    return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else None


def _describe(token: Token) -> str:
    match token.kind:
        case Kind.END:
            return "the end of the text"
        case Kind.STRING:
            return f"the string {clip(token.text)}"
        case Kind.NUMBER:
            return f"the number {clip(token.text)}"
        case Kind.NAME:
            return f"the name `{clip(token.text)}`"
        case Kind.WORD | Kind.SYMBOL:
            return f"`{token.text}`"
        case Kind.ERROR:
            return "an error"
