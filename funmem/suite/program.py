"""From a program's text to entry points that can be run: the only place that compiles.

A language that :mod:`funmem.source` and :mod:`funmem.engines` know is known here as well.
"""

from functools import cached_property

from funmem.engines import Engine, Options, Runner, prepare, signature_of
from funmem.ir.check import check_all, check_imp_all
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError
from funmem.ir.fun import Alloc, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.traverse import walk
from funmem.ir.values import Signature
from funmem.passes.framework import AnyProgram, Level, as_tree
from funmem.source import Source
from funmem.stages import pipeline_for


class Compiled:
    """A program without errors."""

    def __init__(self, program: AnyProgram) -> None:
        self.program = program

    @cached_property
    def definition(self) -> Runner:
        """The interpreter of values, which says what is right."""
        return self.ready(Engine.VALUE)

    def entry(self, name: str) -> Signature:
        """What an entry point takes and answers.  Raises UsageError if there is none."""
        return signature_of(self.program, name)

    def ready(self, engine: Engine, device: str | None = None) -> Runner:
        """The program brought to an engine.  Raises what :func:`funmem.engines.prepare` does."""
        return prepare(self.program, engine, Options(device=device, safe=True))

    def occurrences(self, node: str, stage: str) -> int:
        """How often a node occurs after the default pipeline: ``Alloc`` at the memory stages.

        ``seq-mem`` is memory as a CPU gets it, ``gpu-mem`` as a GPU does; allocations of results
        count too.  Raises SourceError (``not-supported``).
        """
        if node != "Alloc" or stage not in ("seq-mem", "gpu-mem"):
            what = f"not supported: counting {node} at {stage or 'the default stage'}"
            hint = "Alloc is counted at seq-mem and gpu-mem"
            raise SourceError(Diagnostic(NOWHERE, "not-supported", what, hint))
        pipeline = pipeline_for(self.program, Level.FUNMEM, gpu=stage == "gpu-mem")
        tree = as_tree(pipeline.run(self.program))
        return sum(isinstance(s.exp, Alloc) for e in tree.entries for s in walk(e.body))


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
