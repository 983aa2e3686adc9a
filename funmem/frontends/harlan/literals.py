"""The values of literals."""

import re

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.errors import Code, fail, failure
from funmem.frontends.harlan.tokens import NUMBER
from funmem.frontends.sexpr import Atom
from funmem.ir.diagnostics import Span

_ESCAPES = {
    "n": b"\n",
    "t": b"\t",
    "r": b"\r",
    "0": b"\0",
    "a": b"\a",
    "b": b"\b",
    "f": b"\f",
    "v": b"\v",
    "\\": b"\\",
    '"': b'"',
    "'": b"'",
}
_NAMED = {"space": 32, "newline": 10, "tab": 9, "return": 13, "nul": 0, "null": 0}
_PART = re.compile(r"\\(.)|[^\\]+", re.DOTALL)


def literal(atom: Atom) -> ast.Literal:
    """Return the literal that an atom is, which is no symbol.  Raises SourceError."""
    text, at = atom.text, atom.at
    if text[0] == '"':
        return ast.Str(text_bytes(atom), at)
    if text.startswith("#\\"):
        return ast.Char(_char(text[2:], at), at)
    if text in ("#t", "#f"):
        return ast.Bool(text == "#t", at)
    if not NUMBER.fullmatch(text):
        hint = 'literals are 12, -1.5, 1e-3, #t, #f, #\\x and "text"'
        fail(at, Code.SYNTAX, f"`{text}` is no literal", hint)
    return ast.Number(text, any(sign in text for sign in ".eE"), at)


def text_bytes(atom: Atom) -> bytes:
    """Return the bytes of a text in quotes."""
    out = b""
    for found in _PART.finditer(atom.text[1:-1]):
        if found[1] is None:
            out += found[0].encode()
        elif found[1] in _ESCAPES:
            out += _ESCAPES[found[1]]
        else:
            what = f"there is no escape `\\{found[1]}`"
            fail(atom.at, Code.SYNTAX, what, 'for example \\n, \\t, \\\\ and \\"')
    return out


def _char(text: str, at: Span) -> int:
    if len(text) == 1 and ord(text) < 128:
        return ord(text)
    if text in _NAMED:
        return _NAMED[text]
    hint = "#\\a, #\\space, #\\newline, #\\tab"
    raise failure(at, Code.SYNTAX, f"`#\\{text}` is no character", hint)
