"""The concrete syntax of Core, FUN, FUNMEM and IMP: ``parse_fun(show(p)) == p``, others likewise.

Each name is imported from its module on first use (PEP 562), so that reading FUN loads neither IMP
nor the printers.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from funmem.ir.core import CoreProgram
    from funmem.ir.fun import Ann, Program
    from funmem.ir.imp import ImpProgram
    from funmem.ir.text.level import Level, level_of
    from funmem.ir.text.lexer import RESERVED
    from funmem.ir.text.print_fun import (
        show_atom,
        show_binder,
        show_body,
        show_entry,
        show_exp,
        show_stm,
    )
    from funmem.ir.text.print_imp import show_imp_entry, show_imp_stm
    from funmem.ir.text.print_parts import show_scalar, show_string
    from funmem.ir.text.read_core import parse_core
    from funmem.ir.text.read_fun import parse_fun
    from funmem.ir.text.read_imp import parse_imp

__all__ = [
    "RESERVED",
    "Level",
    "level_of",
    "parse_core",
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


def show(program: "CoreProgram | Program[Ann] | ImpProgram") -> str:
    """Return the text of a program, which ends with a line break."""
    from funmem.ir.fun import Program

    if isinstance(program, Program):
        from funmem.ir.text.print_fun import show_program

        return show_program(program)
    from funmem.ir.imp import ImpProgram

    if isinstance(program, ImpProgram):
        from funmem.ir.text.print_imp import show_imp_program

        return show_imp_program(program)
    from funmem.ir.text.print_core import show_core

    return show_core(program)


if not TYPE_CHECKING:
    _HOME = {
        "level": ("Level", "level_of"),
        "lexer": ("RESERVED",),
        "read_core": ("parse_core",),
        "read_fun": ("parse_fun",),
        "read_imp": ("parse_imp",),
        "print_fun": (
            "show_atom",
            "show_binder",
            "show_body",
            "show_entry",
            "show_exp",
            "show_stm",
        ),
        "print_imp": ("show_imp_entry", "show_imp_stm"),
        "print_parts": ("show_scalar", "show_string"),
    }

    def __getattr__(name):
        for module, names in _HOME.items():
            if name in names:
                value = getattr(import_module(f"{__name__}.{module}"), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
