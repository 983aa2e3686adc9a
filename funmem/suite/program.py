"""Compile a program's text to entry points that can be run.  Nothing else in the suite compiles.

It knows all languages that :mod:`funmem.driver.source` and :mod:`funmem.driver.engines` know.
"""

from functools import cached_property

from funmem.driver.engines import Runner, prepare
from funmem.driver.entry_points import signature_of
from funmem.driver.foreign_files import foreign_code
from funmem.driver.options import Engine, Options
from funmem.driver.source import Source
from funmem.driver.stages import pipeline_for, to_fun
from funmem.ir.check import check_all, check_imp_all
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.fun import Alloc, MemProgram, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.signature import Signature
from funmem.ir.traverse import walk
from funmem.passes.framework import AnyProgram, Level, as_tree
from funmem.passes.mem.copying import CopyKind, copies
from funmem.suite.reference import Reference

COUNTED = ("Alloc", "Copy")
STAGES = ("seq-mem", "gpu-mem")
"""The nodes that ``structure`` comments count, and the stages at which they are counted."""


class Compiled:
    """A program without compile errors."""

    def __init__(
        self,
        program: AnyProgram,
        core: CoreProgram | None = None,
        foreign: ForeignCode = NONE,
    ) -> None:
        self.program = program
        self.foreign = foreign
        """The implementations of its foreign functions."""
        self.core = core
        """The program of a source language as Core."""
        self._stages: dict[str, MemProgram] = {}

    @cached_property
    def reference(self) -> Reference:
        """Reference results, for test cases that state none."""
        return Reference(self.program)

    def entry(self, name: str) -> Signature:
        """Return the signature of an entry point.  Raises UsageError if it is unknown."""
        return signature_of(self.program, name)

    def ready(self, engine: Engine, device: str | None = None) -> Runner:
        """Return the program compiled for an engine.

        Raises what :func:`funmem.driver.engines.prepare` raises.
        """
        program = self.program if self.core is None or engine is not Engine.CORE else self.core
        return prepare(program, engine, Options(device=device, safe=True, foreign=self.foreign))

    def occurrences(self, node: str, stage: str) -> int:
        """Return the number of occurrences of a node in all entry points after the default
        pipeline.

        The stage ``seq-mem`` is FUNMEM after the default memory passes for a CPU, ``gpu-mem`` after
        those for a GPU.  The nodes are

            Alloc   every ``alloc`` at any depth, also those of results; arguments have none, since
                    they are in memory when the program starts
            Copy    every statement or part of one that copies the elements of an array unchanged
                    (:mod:`funmem.passes.mem.copying`), except scatters, whose positions are data

        Raises SourceError (``not-supported``) for other nodes and stages.
        """
        if node not in COUNTED or stage not in STAGES:
            what = f"not supported: counting {node} at {stage or 'the default stage'}"
            hint = f"{' and '.join(COUNTED)} are counted at {' and '.join(STAGES)}"
            raise SourceError(Diagnostic(NOWHERE, "not-supported", what, hint))
        tree = self._memory(stage)
        if node == "Copy":
            return sum(c.kind is not CopyKind.SCATTER for c in copies(tree))
        return sum(isinstance(s.exp, Alloc) for e in tree.entries for s in walk(e.body))

    def _memory(self, stage: str) -> MemProgram:
        """Return the program in FUNMEM at one of the stages."""
        if stage not in self._stages:
            pipeline = pipeline_for(self.program, Level.FUNMEM, gpu=stage == "gpu-mem")
            self._stages[stage] = as_tree(pipeline.run(self.program))
        return self._stages[stage]


def compile_source(source: Source) -> Compiled | tuple[Diagnostic, ...]:
    """Return the program, or all of its syntax and type errors."""
    try:
        tree = source.tree()
        program = to_fun(tree, typed=source.front_end.typed)
    except SourceError as error:
        return (error.diagnostic,)
    match program:
        case Program():
            errors = check_all(program)
        case ImpProgram():
            errors = check_imp_all(program)
    core = tree if isinstance(tree, CoreProgram) else None
    return errors or Compiled(program, core, foreign_code(source))
