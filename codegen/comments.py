"""Comments in emitted C: the only place where text of a source program may appear.

``comment`` keeps printable ASCII only.  It replaces backslashes (one at the end of a line would
continue the comment on the next line) and question marks (``??/`` is a backslash), and it breaks up
the tokens that open or close a block comment.  So every comment ends where its line ends.
"""

from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.imp import (
    Allocate,
    Assign,
    CallStm,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    WhileStm,
    Write,
)
from funmem.ir.record import evolve
from funmem.ir.text import show_imp_stm

LONGEST = 120
"""Characters of a comment's text, beyond which it is cut off."""


def comment(text: str) -> str:
    """Return ``// text`` on one line, with every character that could end it replaced."""
    plain = "".join(c if " " <= c <= "~" and c not in "\\?" else "." for c in text)
    plain = plain.replace("*/", "* /").replace("/*", "/ *")
    return "// " + (plain if len(plain) <= LONGEST else plain[: LONGEST - 4] + " ...")


def place(at: Span) -> str:
    """Return ``file:line:col: ``, or an empty text for a generated statement."""
    return "" if at == NOWHERE else f"{at}: "


def describe(s: ImpStm) -> str:
    """Return one line of IMP text: a simple statement, or the head of a compound one."""
    match s:
        case IfStm():
            return show_imp_stm(evolve(s, then=(), orelse=())).split("\n")[0]
        case ForStm() | WhileStm() | KernelStm():
            return " ".join(show_imp_stm(evolve(s, body=())).split()).removesuffix(" done")
        case Declare() | Assign() | Allocate() | Read() | Write() | CopyElement():
            return " ".join(show_imp_stm(s).split())
        case CallStm() | Check() | OpaqueStm():
            return " ".join(show_imp_stm(s).split())
