r"""Translate POSIX extended regular expressions to Python's.

The translation matches the same texts; the syntax differs.  In POSIX a backslash always quotes the
next character (``\d`` is the letter d), ``[[:digit:]]`` is a class, ``.`` matches every character,
also a newline, and there are no lookaheads, references or lazy repetitions. Whether a text contains
a match does not depend on which match is preferred.  Python's leftmost-first search therefore has
the same answer as POSIX's leftmost-longest one.

``^`` and ``$`` match at the ends of lines.  An expression that must begin with ``^`` matches only
at the beginning of the text, as in the Futhark compiler, for which the test comments are written.
"""

import re
from typing import NamedTuple, NoReturn

CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
MOST = 10_000
"""Largest number of repetitions in ``{m,n}``."""
DEEPEST = 50
"""Largest depth of nested groups."""


def posix(text: str) -> re.Pattern[str]:
    """Return a pattern for ``search``.  Raises ValueError with the reason and the character's
    position.
    """
    reader = _RegexParser(text)
    whole = reader.alternatives()
    if reader.here:  # only `)` ends alternatives early
        reader.fail("`)` without `(`")
    pattern = rf"\A(?:{whole.python})" if whole.anchored else whole.python
    return re.compile(pattern, re.DOTALL | re.MULTILINE)


class _Part(NamedTuple):
    """A part of an expression in Python's syntax; ``anchored``: it must begin with ``^``."""

    python: str
    anchored: bool = False


class _RegexParser:
    """A recursive-descent parser."""

    _BOUND = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
    _NAMED = re.compile(r"\[([:=.])(.*?)\1\]", re.DOTALL)

    def __init__(self, text: str) -> None:
        self._text, self._pos, self._depth = text, 0, 0

    @property
    def here(self) -> str:
        """The next character, or the empty string at the end."""
        return self._text[self._pos : self._pos + 1]

    def fail(self, what: str) -> NoReturn:
        raise ValueError(f"{what} (character {self._pos + 1} of the regular expression)")

    def alternatives(self) -> _Part:
        branches = [self._branch()]
        while self.here == "|":
            self._pos += 1
            branches.append(self._branch())
        return _Part("|".join(b.python for b in branches), all(b.anchored for b in branches))

    def _branch(self) -> _Part:
        pieces: list[_Part] = []
        while self.here not in ("", "|", ")"):
            pieces.append(self._piece())
        if not pieces:
            self.fail("empty alternative; `()` matches the empty text")
        return _Part("".join(p.python for p in pieces), pieces[0].anchored)

    def _piece(self) -> _Part:
        atom = self._atom()
        times = self.here
        if times == "{":
            times = self._bound()
        elif times and times in "*+?":
            self._pos += 1
        else:
            return atom
        return _Part(f"(?:{atom.python}){times}", atom.anchored and not times)

    def _bound(self) -> str:
        m = self._BOUND.match(self._text, self._pos)
        if m is None:
            return ""  # a literal brace, which the next atom reads
        least, most = int(m[1]), int(m[3] or m[1])
        if not least <= most <= MOST:
            self.fail(f"`{m[0]}` is not a number of repetitions")
        self._pos = m.end()
        return m[0]

    def _atom(self) -> _Part:
        c = self.here
        self._pos += 1
        match c:
            case "(":
                return self._group()
            case "[":
                return _Part(self._bracket())
            case "^":
                return _Part("^", anchored=True)
            case "$" | ".":
                return _Part(c)
            case "\\":
                return _Part(self._escaped())
            case "{" if not (self.here.isascii() and self.here.isdigit()):
                return _Part(r"\{")
            case "*" | "+" | "?" | "{":
                self._pos -= 1
                self.fail(f"`{c}` has nothing to repeat")
            case _:
                pass
        return _Part(re.escape(c))

    def _escaped(self) -> str:
        c = self.here
        if not c:
            self.fail("`\\` at the end")
        self._pos += 1
        return re.escape(c)

    def _group(self) -> _Part:
        if self.here == ")":
            self._pos += 1
            return _Part("(?:)")
        if self._depth == DEEPEST:
            self.fail(f"groups are nested more than {DEEPEST} deep")
        self._depth += 1
        inner = self.alternatives()
        self._depth -= 1
        if self.here != ")":
            self.fail("`(` without `)`")
        self._pos += 1
        return _Part(f"(?:{inner.python})", inner.anchored)

    # ------------------------------------------------------------------ [ … ]

    def _bracket(self) -> str:
        inverted = "^" if self.here == "^" else ""
        self._pos += len(inverted)
        start = self._pos
        parts: list[str] = []
        while self.here != "]" or self._pos == start:  # a leading `]` is literal
            if not self.here:
                self.fail("`[` without `]`")
            parts.append(self._element())
        self._pos += 1
        return f"[{inverted}{''.join(parts)}]"

    def _element(self) -> str:
        m = self._NAMED.match(self._text, self._pos)
        if m is not None and m[1] == ":":
            if m[2] not in CLASSES:
                self.fail(f"there is no class `[:{m[2]}:]`; there is {', '.join(CLASSES)}")
            self._pos = m.end()
            return CLASSES[m[2]]
        first = self._character()
        if not (self.here == "-" and self._text[self._pos + 1 : self._pos + 2] not in ("]", "")):
            return _literal(first)
        self._pos += 1
        last = self._character()
        if first > last:
            self.fail(f"the range `{first}-{last}` is empty")
        return f"{_literal(first)}-{_literal(last)}"

    def _character(self) -> str:
        """Read one character; ``[.-.]`` and ``[=-=]`` denote one as well."""
        m = self._NAMED.match(self._text, self._pos)
        if m is not None and m[1] != ":":
            if len(m[2]) != 1:
                self.fail(f"`{m[0]}` is not a single character")
            self._pos = m.end()
            return m[2]
        c = self.here
        self._pos += 1
        return c


def _literal(c: str) -> str:
    """Return a character as a literal within brackets."""
    return c if c.isalnum() else f"\\{c}" if c.isascii() and c.isprintable() else re.escape(c)
