"""Numbers, characters and strings: convert their spelling to their value."""

import re
from collections.abc import Mapping

from funmem.frontends.futhark.ast import BoolLit, CharLit, FloatLit, IntLit, StringLit
from funmem.frontends.futhark.lexer import Kind, Token
from funmem.frontends.futhark.parse_base import Cursor
from funmem.ir.diagnostics import Span
from funmem.ir.scalars import ScalarType, convert, read

_PARTS = re.compile(
    r"(?P<hexfloat>0[xX][0-9a-fA-F_]+\.[0-9a-fA-F_]+[pP][+-]?[0-9_]+)?"
    r"(?P<hex>0[xX][0-9a-fA-F_]+)?(?P<bin>0[bB][01_]+)?(?P<roman>0[rR][IVXLCDM_]+)?"
    r"(?P<digits>[0-9][0-9_]*(?P<fraction>(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?))?"
    r"(?P<suffix>[iuf][0-9]+)?"
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def at_literal(c: Cursor) -> bool:
    """True if a literal other than a string comes next."""
    return c.token.kind in (Kind.NUMBER, Kind.CHAR) or c.at("true", "false")


def literal(c: Cursor) -> IntLit | FloatLit | BoolLit | CharLit:
    """Read a literal other than a string."""
    token = c.advance()
    at = c.span_of(token)
    if token.kind is Kind.NUMBER:
        return _number(token.text, at)
    if token.kind is Kind.CHAR:
        return CharLit(ord(_unescape(c, token)), at)
    return BoolLit(token.text == "true", at)


def string(c: Cursor) -> StringLit:
    """Read a string."""
    token = c.advance()
    return StringLit(_unescape(c, token).encode(), c.span_of(token))


def _number(text: str, at: Span) -> IntLit | FloatLit:
    m = _PARTS.fullmatch(text)
    assert m is not None  # the lexer made sure
    suffix = ScalarType(m["suffix"]) if m["suffix"] else None
    if m["hexfloat"]:
        return FloatLit(_hex_float(m["hexfloat"].replace("_", ""), suffix), suffix, at)
    if m["hex"]:
        return IntLit(int(m["hex"].replace("_", ""), 16), suffix, at)
    if m["bin"]:
        return IntLit(int(m["bin"].replace("_", ""), 2), suffix, at)
    if m["roman"]:
        return IntLit(_roman(m["roman"][2:].replace("_", "")), suffix, at)
    digits = m["digits"].replace("_", "")
    if not m["fraction"]:
        return IntLit(int(digits), suffix, at)
    value, _ = read(digits.lower() + (suffix or ScalarType.F64).value)
    return FloatLit(float(value), suffix, at)


def _hex_float(digits: str, suffix: ScalarType | None) -> float:
    try:
        value = float.fromhex(digits)
    except OverflowError:
        value = float("inf")
    return value if suffix is None else float(convert(value, ScalarType.F64, suffix))


def _roman(digits: str) -> int:
    values = [_ROMAN[d] for d in digits]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-v if v < after else v for v, after in pairs)


# ---------------------------------------------------------------------- escapes

_ASCII = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN "
    "EM SUB ESC FS GS RS US SP"
)
_CODES: Mapping[str, int] = {n: k for k, n in enumerate(_ASCII.split())} | {"DEL": 127}
_PLAIN: Mapping[str, str] = dict(zip("abfnrtv\\\"'", "\a\b\f\n\r\t\v\\\"'", strict=True))
_ESCAPE = re.compile(
    r"\\(?:(?P<plain>[abfnrtv\\\"'])|(?P<dec>[0-9]+)|x(?P<hex>[0-9a-fA-F]+)|o(?P<oct>[0-7]+)"
    rf"|(?P<name>{'|'.join(sorted(_CODES, key=len, reverse=True))})|\^(?P<control>[@-_])"
    r"|(?P<nothing>&|\s+\\))"
)
_ESCAPES = r"escapes are \n \t \" \' \\ \65 \x41, as in Haskell"


def _unescape(c: Cursor, token: Token) -> str:
    """Return the text between the quotes of a string or a character, with escapes replaced."""
    raw, parts, pos = token.text[1:-1], [], 0
    while (slash := raw.find("\\", pos)) >= 0:
        m = _ESCAPE.match(raw, slash)
        char = None if m is None else _character(m)
        if m is None or char is None:
            col = token.col + 1 + slash
            length = len(m[0]) if m else 2
            raise c.mistake(
                Span(c.span_of(token).file, token.line, col, col + length),
                "this escape is not a valid character" if m else "unknown escape",
                _ESCAPES,
            )
        parts += [raw[pos:slash], char]
        pos = m.end()
    text = "".join([*parts, raw[pos:]])
    if token.kind is Kind.CHAR and len(text) != 1:
        raise c.mistake(c.span_of(token), "a character literal is one character", _ESCAPES)
    for k, char in enumerate(text):
        if 0xD800 <= ord(char) <= 0xDFFF:  # from raw text: no escape produces one
            at = c.span_of(token)
            raise c.mistake(at, f"character {k + 1} of this text is half a surrogate pair")
    return text


def _character(m: re.Match[str]) -> str | None:
    """Return the character of an escape; None for surrogates and beyond Unicode."""
    if m["plain"]:
        return _PLAIN[m["plain"]]
    if m["nothing"]:
        return ""
    if m["name"]:
        return chr(_CODES[m["name"]])
    if m["control"]:
        return chr(ord(m["control"]) - 64)
    digits, base = (m["dec"], 10) if m["dec"] else (m["hex"], 16) if m["hex"] else (m["oct"], 8)
    code = int(digits, base) if len(digits) < 20 else 0x110000
    return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else None
