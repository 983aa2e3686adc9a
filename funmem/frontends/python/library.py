"""Programs of other languages in traced functions: ``fm.library``.

    lib = fm.library("lib.fut")

    @fm.jit
    def f(x): return lib.smooth(x) + 1      ->      def smooth : []f32 -> []f32 = …   smooth x + 1

An entry point becomes a definition; the definitions that it needs are copied under unused names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from funmem.driver.source import read
from funmem.frontends.python.entry_calls import call_entry
from funmem.frontends.python.jit import Jitted, jit
from funmem.frontends.python.tape import active
from funmem.ir import core as c
from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError


class Library:
    """The entry points of a program as attributes; each is callable, in traces and outside."""

    def __init__(self, name: str, program: c.CoreProgram) -> None:
        self._name = name
        self._entries = {str(e.name): Definition(program, e) for e in program.entries}

    def __getattr__(self, name: str) -> Definition:
        found = self.__dict__.get("_entries", {}).get(name)
        if found is None:
            raise AttributeError(f"`{self.__dict__.get('_name')}` has no entry point `{name}`")
        return found  # type: ignore[no-any-return]

    def __dir__(self) -> Iterator[str]:
        return iter(self._entries)

    def __repr__(self) -> str:
        return f"<library {self._name}: {', '.join(self._entries)}>"


def library(path: str | os.PathLike[str], language: str | None = None) -> Library:
    """Return the entry points of the program in a file, for use in jitted functions.

    Raises SourceError for a wrong program, and UsageError for one that is not translated to Core.
    """
    source = read(os.fspath(path), language)
    tree = source.tree()
    if not isinstance(tree, c.CoreProgram):
        message = f"`{source.name}` has no Core: its language is {source.language}"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "write it in .fut, .nova or .core"))
    if not source.front_end.typed:
        from funmem.ir.check.core import check_core

        check_core(tree)
    return Library(source.name, tree)


class Definition:
    """An entry point of another program."""

    def __init__(self, program: c.CoreProgram, entry: c.Entry) -> None:
        self._program, self._entry = program, entry
        self.__name__ = str(entry.name)
        self._outside: Jitted | None = None

    def __call__(self, *args: Any) -> Any:
        """Return the result: in a trace that of a shared definition, else computed."""
        tape = active()
        if tape is None:
            if self._outside is None:
                definition = self

                def call(*args: Any) -> Any:
                    return definition(*args)

                call.__name__ = call.__qualname__ = self.__name__
                self._outside = jit(call)
            return self._outside(*args)
        return call_entry(tape, self._program, self._entry, args)

    def __repr__(self) -> str:
        return f"<definition {self.__name__}>"
