r"""The atoms of Harlan, and a cursor over the data between two brackets.

"text"   with the escapes \n \t \\ \" and others of C        #\x #\space #\newline        #t #f
12 -3 1.5 1e-3     anything else without blanks, brackets and quotes is a symbol
"""

import re

from funmem.frontends import sexpr, sexpr_cursor
from funmem.frontends.harlan.errors import Code
from funmem.frontends.sexpr import Atom, Datum
from funmem.ir.record import define

ATOM = re.compile(r'"(?:[^"\\\n]|\\.)*"|#\\(?:[A-Za-z]+|[^\n])|[^\s()\[\]";]+')
SYNTAX = sexpr.Syntax(ATOM, ";", {"(": ")", "[": "]"}, Code.SYNTAX.value)

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_LITERAL = re.compile(r'["#]|[+-]?\.?[0-9]')


def is_symbol(datum: Datum) -> bool:
    """True for an atom that is a name."""
    return isinstance(datum, Atom) and not _LITERAL.match(datum.text)


@define(eq=False)
class Cursor(sexpr_cursor.Cursor):
    """A cursor over Harlan's data."""

    CODE = Code.SYNTAX.value

    def symbol(self, what: str, hint: str = "") -> Atom:
        """Return the next datum, a name, and advance."""
        found = self.peek()
        if not isinstance(found, Atom) or not is_symbol(found):
            self.fail(what, hint)
        self.pos += 1
        return found
