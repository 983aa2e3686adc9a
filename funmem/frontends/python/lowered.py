"""A traced function at every stage: its texts at every stage, its types, and how to run it.

low = f.lower(fm.f32["n"])
low.fun, low.opencl         # texts;  low.fut: in the Futhark subset
low.signature, low.bounds   # "(x: f32[n]) -> f32[k]", {"k": "n"}
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from funmem.driver.options import Engine, Options
from funmem.frontends.python import trees
from funmem.frontends.python.trace import Traced1
from funmem.frontends.python.types import show
from funmem.ir.core import CoreProgram
from funmem.ir.fun import FunProgram
from funmem.ir.sizes import Size
from funmem.passes.core import to_fun_by
from funmem.passes.framework import AnyProgram, Level


class Program:
    """A trace, and the stages that were asked for."""

    def __init__(self, found: Traced1) -> None:
        self.found = found

    @property
    def core(self) -> CoreProgram:
        """The program as Core."""
        return self.found.core

    @cached_property
    def fun(self) -> FunProgram:
        """The program as FUN.  Raises SourceError for what FUN cannot express."""
        return to_fun_by(self.found.core)

    def at(self, level: Level, gpu: bool = False) -> AnyProgram:
        """Return the program after the default passes to a level."""
        from funmem.driver.compilation import lowered_to

        return lowered_to(level, self.fun, Options(gpu=gpu, foreign=self.found.foreign))[0]


class Lowered:
    """A traced function at every stage; ``compile()`` returns a callable."""

    def __init__(self, name: str, program: Program, compiled: Any) -> None:
        self.__name__ = name
        self._program, self._compiled = program, compiled
        self._options = Options(foreign=program.found.foreign)

    # ------------------------------------------------------------------ texts

    @cached_property
    def core(self) -> str:
        """The text as Core."""
        from funmem.ir.text.print_core import show_core

        return show_core(self._program.core).rstrip("\n")

    @cached_property
    def fut(self) -> str:
        """The text in ``.fut``, for this compiler and Futhark.

        Raises SourceError for a construct that the language lacks.
        """
        from funmem.frontends.futhark.export import show_fut

        return show_fut(self._program.core).rstrip("\n")

    @cached_property
    def fun(self) -> str:
        """The text as FUN, before any pass on FUN."""
        return _text(self._program.fun)

    @cached_property
    def funmem(self) -> str:
        """The text with memory, after the default passes."""
        return _text(self._program.at(Level.FUNMEM))

    @cached_property
    def imp(self) -> str:
        """The text as IMP, after the default passes."""
        return _text(self._program.at(Level.IMP))

    @cached_property
    def opencl(self) -> str:
        """The kernels as OpenCL C, for a processor."""
        from funmem.driver.compilation import compile_kernels

        return compile_kernels(self._program.fun, self._options)[0].source

    @cached_property
    def c(self) -> str:
        """The text as C."""
        from funmem.driver.compilation import compile_c_program

        return compile_c_program(self._program.fun, "program", self._options)[0].source

    # ------------------------------------------------------------------ types

    @property
    def signature(self) -> str:
        """The types of arguments and result: ``(x: f32[n]) -> f32[k]``; k, k1, … are unknown."""
        found = self._program.found
        params = ", ".join(f"{name}: {t}" for name, t in found.params)
        results = iter(
            [show(r.type, dims) for r, dims in zip(found.results, self._named, strict=True)]
        )
        return f"({params}) -> {trees.show(found.structure, results)}"

    @cached_property
    def _named(self) -> list[list[Size | str]]:
        """The shapes of the results; sizes that the caller cannot know are k, k1, …"""
        found = self._program.found
        sizes = {str(x) for x in found.core.entries[0].sizes}
        fun = self._program.fun.entries[0]
        known: dict[str, str] = {}
        shapes: list[list[Size | str]] = []
        outer = {str(b.name) for b in fun.implicit_results}
        for r, dims in zip(fun.results, found.shapes, strict=True):
            row: list[Size | str] = []
            own = getattr(r.type, "shape", ())
            for d, e in zip(dims, own, strict=True):
                if d is not None:
                    row.append(d)
                elif not any(str(x) in outer for x in e.free()):
                    row.append(e)
                else:
                    row.append(known.setdefault(str(e), _fresh("k", {*sizes, *known.values()})))
            shapes.append(row)
        return shapes

    @property
    def bounds(self) -> Mapping[str, str | None]:
        """Upper bounds of the unknown sizes: ``{"k": "n"}``; None where none is known."""
        found: dict[str, str | None] = {}
        for names, limits in zip(self._named, self._program.found.bounds, strict=True):
            for x, d in zip(names, limits, strict=True):
                if isinstance(x, str) and found.get(x) is None:
                    found[x] = None if d is None else str(d)
        return found

    @property
    def shared(self) -> Mapping[str, int]:
        """The definitions that are called, and the number of their call sites."""
        return self._program.found.shared

    # ------------------------------------------------------------------ memory

    def peak(self, **sizes: int) -> int | str:
        """Return the most bytes that a call holds at one time on a processor.

        This counts arguments, results and what lies between.  Sizes and scalar arguments are given
        by name: ``low.peak(n=1000)``; without them it is a formula, as text.
        Raises UsageError for a name that the function lacks, Unknown if a size is missing.
        """
        from funmem.frontends.python import inspection

        return inspection.peak(self._program, sizes)

    def explain(self) -> str:
        """Return the blocks, copies and peak of the function, as ``funmem explain`` prints them."""
        from funmem.frontends.python import inspection

        return inspection.text(self._program)

    def _repr_html_(self) -> str:
        """Return the report for a notebook: a page in a frame without scripts."""
        from html import escape

        from funmem.frontends.python import inspection

        page = escape(inspection.page(self._program))
        style = "width:100%;height:40em;border:1px solid #8884"
        return f'<iframe sandbox style="{style}" srcdoc="{page}"></iframe>'

    # ------------------------------------------------------------------ use

    def compile(self, via: str | None = None) -> Any:
        """Return a callable for arguments of these types, on an engine or the default one."""
        return self._compiled(None if via is None else Engine.named(via))

    def __repr__(self) -> str:
        return f"<lowered {self.__name__}{self.signature}>"


def _text(program: AnyProgram) -> str:
    from funmem.ir.text import show

    return show(program).rstrip("\n")


def _fresh(base: str, used: set[str]) -> str:
    k, name = 0, base
    while name in used:
        k += 1
        name = f"{base}{k}"
    return name
