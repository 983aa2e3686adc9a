"""The texts of all three languages: ``parse_fun(show(p)) == p``, ``parse_imp(show(p)) == p``."""

from funmem.ir.fun import Ann, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.text.level import Level, level_of
from funmem.ir.text.lexer import RESERVED
from funmem.ir.text.parse_fun import parse_fun
from funmem.ir.text.parse_imp import parse_imp
from funmem.ir.text.print_fun import (
    show_atom,
    show_binder,
    show_body,
    show_entry,
    show_exp,
    show_program,
    show_stm,
)
from funmem.ir.text.print_imp import show_imp_entry, show_imp_program, show_imp_stm
from funmem.ir.text.print_parts import show_scalar, show_string

__all__ = [
    "RESERVED",
    "Level",
    "level_of",
    "parse_fun",
    "parse_imp",
    "show",
    "show_atom",
    "show_binder",
    "show_body",
    "show_entry",
    "show_exp",
    "show_imp_entry",
    "show_imp_stm",
    "show_scalar",
    "show_stm",
    "show_string",
]


def show(program: Program[Ann] | ImpProgram) -> str:
    """The text of a program; ends with a line break."""
    return show_imp_program(program) if isinstance(program, ImpProgram) else show_program(program)
