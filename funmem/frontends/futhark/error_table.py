"""All error codes that a program can be rejected with, as papers/frontends/errors.md lists them.

Run-time errors are not in this table, because they also depend on the input.
"""

from funmem.frontends.futhark.consume_codes import CONSUMPTION
from funmem.frontends.futhark.error_codes import CODES, ErrorCode

_PARSING = (
    ErrorCode(
        "syntax",
        "The text is not a program",
        "The message says what the parser expected and what it found. Two causes are common. A "
        "space decides between indexing and application: `a[i]` is an index, `f [x]` is an "
        "application. And `let …` must be followed by `in`, unless another `let` follows.",
        "def main (x: i32) =\n  let y = (x + 1\n  in y * y\n",
    ),
)

_WHOLE_PROGRAM = (
    ErrorCode(
        "no-entry",
        "The program has no entry point",
        "An entry point is a definition `entry f … = …`, or `def main`. A file without an entry "
        "point can be imported, but it cannot be compiled.",
        "def square (x: i32) = x * x\n",
    ),
)

_UNSUPPORTED = ("not-supported",)

SECTIONS: tuple[tuple[str, tuple[ErrorCode, ...]], ...] = (
    ("Parsing", _PARSING),
    ("Names, types and sizes", tuple(c for c in CODES.values() if c.code not in _UNSUPPORTED)),
    ("Uniqueness", CONSUMPTION),
    ("The whole program", (*_WHOLE_PROGRAM, *(CODES[c] for c in _UNSUPPORTED))),
)

ERRORS: dict[str, ErrorCode] = {c.code: c for _, codes in SECTIONS for c in codes}
"""All codes, in the order of the page."""
