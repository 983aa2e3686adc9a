"""Every error that a program can be rejected with; papers/frontends/errors.md shows it.

What goes wrong while a program runs is not here: it is no property of the program alone.
"""

from funmem.frontends.futhark.consume_codes import CONSUMPTION
from funmem.frontends.futhark.error_codes import CODES, ErrorCode

_READING = (
    ErrorCode(
        "syntax",
        "The text is no program",
        "The message says what was expected and what is there. Two reasons are common. `a[i]` "
        "indexes, `f [x]` applies: the space decides. And `let … in` needs its `in`, unless "
        "another `let` follows.",
        "def main (x: i32) =\n  let y = (x + 1\n  in y * y\n",
    ),
)

_WHOLE = (
    ErrorCode(
        "no-entry",
        "Nothing in the program can be run",
        "`entry f … = …` can be called from outside, and `def main`. A file without either can "
        "be imported, but not compiled.",
        "def square (x: i32) = x * x\n",
    ),
)

_GENERAL = ("not-supported",)

SECTIONS: tuple[tuple[str, tuple[ErrorCode, ...]], ...] = (
    ("Reading", _READING),
    ("Names, types and sizes", tuple(c for c in CODES.values() if c.code not in _GENERAL)),
    ("Uniqueness", CONSUMPTION),
    ("The whole program", (*_WHOLE, *(CODES[c] for c in _GENERAL))),
)

ERRORS: dict[str, ErrorCode] = {c.code: c for _, codes in SECTIONS for c in codes}
"""All codes, in the order of the page."""
