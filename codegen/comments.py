"""Comments in emitted C: the only place where text of a source program may appear.

``comment`` lets through printable ASCII only, and of that no backslash (it could splice the next
line into a comment), no question mark (``??/`` is a backslash) and nothing that opens or closes a
block comment.  So whatever the text was, the comment ends where its line ends.
"""

from funmem.ir.diagnostics import NOWHERE, Span
from funmem.ir.imp import ForStm, IfStm, ImpStm, KernelStm, WhileStm
from funmem.ir.record import evolve
from funmem.ir.text import show_imp_stm

LONGEST = 120


def comment(text: str) -> str:
    """``// text`` on one line, with every character that could end it replaced."""
    plain = "".join(c if " " <= c <= "~" and c not in "\\?" else "." for c in text)
    plain = plain.replace("*/", "* /").replace("/*", "/ *")
    return "// " + (plain if len(plain) <= LONGEST else plain[: LONGEST - 4] + " ...")


def place(at: Span) -> str:
    """``file:line:col: `` or nothing for generated statements."""
    return "" if at == NOWHERE else f"{at}: "


def describe(s: ImpStm) -> str:
    """One line for a statement; of a compound statement its head."""
    match s:
        case IfStm():
            return show_imp_stm(evolve(s, then=(), orelse=())).split("\n")[0]
        case ForStm() | WhileStm() | KernelStm():
            return " ".join(show_imp_stm(evolve(s, body=())).split()).removesuffix(" done")
        case _:
            return " ".join(show_imp_stm(s).split())
