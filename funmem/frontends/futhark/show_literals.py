"""Print literals."""

from funmem.ir.scalars import ScalarType
from funmem.ir.scalars import show as show_scalar


def show_float(value: float, suffix: ScalarType | None) -> str:
    """Return a float literal; infinity is a literal that is out of range."""
    t = suffix or ScalarType.F64
    if value in (float("inf"), float("-inf")):
        return f"1e999{suffix or ''}"
    digits = show_scalar(value, t)
    return f"{digits}f64" if suffix is ScalarType.F64 else digits


_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def _escaped(char: str, quote: str) -> str:
    if char == quote:
        return f"\\{quote}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\{ord(char)}"


def show_char(code: int) -> str:
    """Return a character literal."""
    return f"'{_escaped(chr(code), chr(39))}'"


def show_string(text: str) -> str:
    """Return a string literal."""
    parts = []
    for k, char in enumerate(text):
        shown = _escaped(char, '"')
        digit_follows = text[k + 1 : k + 2].isdecimal()
        parts.append(
            shown + "\\&" if shown[-1].isdecimal() and len(shown) > 1 and digit_follows else shown
        )
    return f'"{"".join(parts)}"'
