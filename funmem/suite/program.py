"""From a program's text to entry points that can be run: the only place that compiles.

A language that :mod:`funmem.driver.source` and :mod:`funmem.driver.engines` know is known here as
well.
"""

from functools import cached_property

from funmem.driver.engines import Engine, Options, Runner, prepare, signature_of
from funmem.driver.source import Source
from funmem.driver.stages import pipeline_for
from funmem.ir.check import check_all, check_imp_all
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.ir.fun import Alloc, MemProgram, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.signature import Signature
from funmem.ir.traverse import walk
from funmem.passes.framework import AnyProgram, Level, as_tree
from funmem.passes.mem.copying import Kind, copies
from funmem.suite.reference import Reference

COUNTED = ("Alloc", "Copy")
STAGES = ("seq-mem", "gpu-mem")
"""What `structure` comments count, and where."""


class Compiled:
    """A program without errors."""

    def __init__(self, program: AnyProgram) -> None:
        self.program = program
        self._stages: dict[str, MemProgram] = {}

    @cached_property
    def reference(self) -> Reference:
        """Who says what is right, where a test comment does not."""
        return Reference(self.program)

    def entry(self, name: str) -> Signature:
        """What an entry point takes and answers.  Raises UsageError if there is none."""
        return signature_of(self.program, name)

    def ready(self, engine: Engine, device: str | None = None) -> Runner:
        """The program brought to an engine.  Raises what :func:`funmem.driver.engines.prepare`
        does.
        """
        return prepare(self.program, engine, Options(device=device, safe=True))

    def occurrences(self, node: str, stage: str) -> int:
        """How often a node occurs after the default pipeline, in all entry points together.

        The stage ``seq-mem`` is FUNMEM after the default passes on memory as a CPU gets it,
        ``gpu-mem`` as a GPU does.  There are the nodes

            Alloc   every ``alloc``, wherever it stands: that of a result as well, but none for an
                    argument, which is in memory when the program starts
            Copy    every place that moves the elements of an array as they are
                    (:mod:`funmem.passes.mem.copying`), but for scatters, whose places are data

        Raises SourceError (``not-supported``) for others.
        """
        if node not in COUNTED or stage not in STAGES:
            what = f"not supported: counting {node} at {stage or 'the default stage'}"
            hint = f"{' and '.join(COUNTED)} are counted at {' and '.join(STAGES)}"
            raise SourceError(Diagnostic(NOWHERE, "not-supported", what, hint))
        tree = self._memory(stage)
        if node == "Copy":
            return sum(c.kind is not Kind.SCATTER for c in copies(tree))
        return sum(isinstance(s.exp, Alloc) for e in tree.entries for s in walk(e.body))

    def _memory(self, stage: str) -> MemProgram:
        """The program in FUNMEM, for one of the stages."""
        if stage not in self._stages:
            pipeline = pipeline_for(self.program, Level.FUNMEM, gpu=stage == "gpu-mem")
            self._stages[stage] = as_tree(pipeline.run(self.program))
        return self._stages[stage]


def compile_source(source: Source) -> Compiled | tuple[Diagnostic, ...]:
    """The program, or all that is wrong with its syntax and types."""
    try:
        program = source.parse()
    except SourceError as error:
        return (error.diagnostic,)
    match program:
        case Program():
            errors = check_all(program)
        case ImpProgram():
            errors = check_imp_all(program)
    return errors or Compiled(program)
