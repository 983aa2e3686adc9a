"""Entry points of a program by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.signature import Signature, signature
from funmem.passes.framework import StageProgram


class Named(Protocol):
    """An entry point, at any stage."""

    @property
    def name(self) -> Name: ...


E = TypeVar("E", bound=Named)


def signature_of(program: StageProgram, name: str | None) -> Signature:
    """Return the signature of an entry point; without a name, of the only one or of ``main``.

    Raises UsageError, which lists the entry points.
    """
    if isinstance(program, CoreProgram):
        from funmem.interp.core.layout import Layout
        from funmem.passes.core.entry_data import entry_data
        from funmem.passes.core.interfaces import interface_of

        entry = chosen(program.entries, name)
        opened = next(e for e in entry_data(program).entries if e.name == entry.name)
        flat = Layout(program.data).signature(opened)
        found = interface_of(entry, program.data, flat.params, flat.results)
        return evolve(flat, interface=found)
    wanted = chosen(program.entries, name).name
    return next(signature(e) for e in program.entries if e.name == wanted)


def chosen(every: Sequence[E], name: str | None) -> E:
    """Return an entry point; without a name, the only one or ``main``.

    Raises UsageError, which lists the entry points.
    """
    entries = {e.name: e for e in every}
    wanted = Name(name or (next(iter(entries)) if len(entries) == 1 else "main"))
    if wanted in entries:
        return entries[wanted]
    known = ", ".join(f"`{x}`" for x in entries)
    what = f"there is no entry point `{wanted}`" if name else "which entry point?"
    raise UsageError(Diagnostic(NOWHERE, "entry", what, f"the program has {known}"))
