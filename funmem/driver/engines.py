"""The engines that run a program: the interpreters, C, and a device.

    engine     runs                      description
    core       Core                      the definition of the meaning of Core
    value      FUN (FUNMEM is erased)    the definition of a program's meaning
    heap       FUNMEM                    executes the memory annotations; checks bounds and races
    imp        IMP                       the program after lowering; checks bounds and races
    c          IMP                       a C library with OpenMP
    opencl     IMP                       kernels on a device

A program in another language is lowered by the default pipeline (:mod:`funmem.driver.stages`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from attrs import field

from funmem.driver import compile_cache
from funmem.driver.compilation import (
    build,
    c_program,
    foreign_table,
    lowered_to,
    require_memory,
    store_of,
    text_of,
)
from funmem.driver.compile_cache import Passes
from funmem.driver.options import Engine, Options
from funmem.driver.stages import language, through_core
from funmem.driver.stored_tunings import NONE, Tunings, place_of_c, place_of_device
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, Trap, TrapKind, UsageError
from funmem.ir.fun import Program
from funmem.ir.record import evolve, frozen
from funmem.passes.framework import AnyProgram, Level, StageProgram, as_core, as_imp, as_tree
from funmem.passes.runner import Pipeline, check_types

if TYPE_CHECKING:
    from funmem.codegen.c import CProgram
    from funmem.codegen.plan import Plan
    from funmem.codegen.runtime import Executable
    from funmem.ir.ragged_values import Rows
    from funmem.ir.signature import Parameter, Signature
    from funmem.ir.values import ArgValue, Value

Values: TypeAlias = "tuple[Value, ...]"
Answers: TypeAlias = "tuple[Value | Rows, ...]"

IRREGULAR = "Irregular array: the rows of a result differ in length."


@frozen
class Outcome:
    """The results of one run, and its cost in seconds, launches and bytes.

    Core's interpreter gives rows of different lengths as lists; the other engines give their
    offsets and elements.
    """

    answers: Answers
    seconds: float
    costs: Mapping[str, int] = field(factory=dict)

    @property
    def values(self) -> Values:
        """The results, none of which is a list.  Raises Trap."""
        found = tuple([v for v in self.answers if not isinstance(v, list)])
        if len(found) < len(self.answers):
            raise Trap(TrapKind.SHAPE, IRREGULAR)
        return found

    def spelled(self, s: Signature) -> list[tuple[Value, Parameter]]:
        """Return the results without nesting: rows are offsets and elements."""
        from funmem.ir.ragged_values import spelled

        return spelled(self.answers, s.results)

    def laid_out(self, s: Signature) -> Values:
        """Return the results as a signature has them.  Raises Trap for rows that it has not."""
        found = self.spelled(s)
        if len(found) > len(s.results):
            raise Trap(TrapKind.SHAPE, IRREGULAR)
        return tuple([v for v, _ in found])


@frozen
class Runner:
    """A program made ready for an engine; it may be run any number of times."""

    engine: Engine
    passes: Passes
    call: Callable[[str, Sequence[ArgValue]], tuple[Answers, Mapping[str, int]]]
    device: str | None = None
    tunings: Tunings = NONE
    """The stored tunings that are used."""

    @property
    def pipeline(self) -> Pipeline:
        """The passes that the program went through."""
        return self.passes()

    def run(self, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """Run an entry point.  Raises InputError, Trap, MemoryFault, DeviceError."""
        start = time.perf_counter()
        answers, costs = self.call(entry, args)
        return Outcome(answers, time.perf_counter() - start, costs)


def prepare(program: StageProgram, engine: Engine, options: Options | None = None) -> Runner:
    """Check a program and bring it to an engine.

    Raises SourceError, UsageError, PassFailed, and for OpenCL DeviceError.
    """
    options = options or Options()
    if engine is Engine.CORE:
        return _core(program, options)
    if isinstance(program, CoreProgram):
        program, rest = through_core(program, options.pipeline)
        options = evolve(options, pipeline=rest)
    if language(program) is Level.IMP and engine is Engine.HEAP:
        raise _cannot_run_imp(engine)
    match engine:
        case Engine.VALUE:
            return _value(program, options)
        case Engine.HEAP:
            return _heap(program, options)
        case Engine.IMP:
            return _imp(program, options)
        case Engine.C:
            return _c_runner(*c_program(program, options))
        case Engine.OPENCL:
            return _flushing(_opencl_runner(*build(program, options)), options)


def _core(program: StageProgram, options: Options) -> Runner:
    from funmem.interp.core import run_nested
    from funmem.passes.core.entry_data import entry_data  # lazy: other engines do without

    if not isinstance(program, CoreProgram):
        message = f"a program in {language(program).value} cannot run via core"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "run it via value"))
    pipeline = options.pipeline or Pipeline(())
    opened = entry_data(program)
    core, foreign = as_core(pipeline.run(opened)), foreign_table(options, interpreted=True)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Answers, Mapping[str, int]]:
        return run_nested(core, entry, args, foreign), {}

    return _flushing(Runner(Engine.CORE, lambda: pipeline, call), options)


def _value(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver import demand
    from funmem.interp.value import run

    check_types(program)
    pipeline = options.pipeline or Pipeline(())
    tree = pipeline.run(program)
    if not isinstance(tree, Program):
        raise _cannot_run_imp(Engine.VALUE)
    foreign = foreign_table(options, interpreted=True)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        demand.require_memory(tree, entry, args, options.max_bytes)
        return run(tree, entry, args, foreign), {}

    return _flushing(Runner(Engine.VALUE, lambda: pipeline, call), options)


def _heap(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver import demand
    from funmem.interp.heap import run_heap

    if options.pipeline is None and language(program) is Level.FUNMEM:
        options = evolve(options, pipeline=Pipeline(()))  # the memory in the source is what is run
    staged, pipeline = lowered_to(Level.FUNMEM, program, options)
    tree, foreign = as_tree(staged), foreign_table(options, interpreted=True)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        demand.require_memory(tree, entry, args, options.max_bytes)
        result = run_heap(tree, entry, args, foreign=foreign)
        s = result.stats
        return result.values, {
            "blocks": s.blocks,
            "allocated_bytes": s.allocated,
            "peak_bytes": s.peak,
        }

    return _flushing(Runner(Engine.HEAP, lambda: pipeline, call), options)


def _imp(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver import demand
    from funmem.interp.imp import run_imp

    staged, pipeline = lowered_to(Level.IMP, program, evolve(options, safe=True))
    imp, foreign = as_imp(staged), foreign_table(options, interpreted=True)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        demand.require_memory(imp, entry, args, options.max_bytes)
        return run_imp(imp, entry, args, foreign=foreign), {}

    return _flushing(Runner(Engine.IMP, lambda: pipeline, call), options)


def _c_runner(compiled: CProgram, passes: Passes, options: Options) -> Runner:
    from funmem.codegen.c_library import CLibrary
    from funmem.codegen.cache import Cache
    from funmem.codegen.memory_limits import host_limit

    require_memory(compiled.plan, options, host_limit)
    library = CLibrary.load(compiled, cache=Cache.default() if options.cache else None)
    library.max_bytes = options.max_bytes

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        point = library.entry(entry)
        values = point.run(args)
        return values, {"peak_bytes": point.peak_bytes}

    runner = Runner(Engine.C, passes, call, tunings=options.tunings or NONE)
    return _flushing(runner, options)


def _opencl_runner(exe: Executable, passes: Passes, tunings: Tunings) -> Runner:
    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        point, moved = exe.entry(entry), exe.device.transfers
        arrays, size = moved.count, moved.bytes
        values = point.run(args)
        stats = point.stats
        return values, {
            "launches": stats.launches,
            "peak_bytes": stats.peak_bytes,
            "transfers": moved.count - arrays,
            "moved_bytes": moved.bytes - size,
        }

    return Runner(Engine.OPENCL, passes, call, exe.device.info.name, tunings)


def _flushing(runner: Runner, options: Options) -> Runner:
    """Return a runner that writes out what C functions printed, also if the program traps."""
    if not options.foreign.c:
        return runner
    import ctypes
    import sys

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Answers, Mapping[str, int]]:
        sys.stdout.flush()
        try:
            return runner.call(entry, args)
        finally:
            ctypes.CDLL(None).fflush(None)

    return evolve(runner, call=call)


def recalled(engine: Engine, options: Options) -> tuple[Runner, Plan] | None:
    """Return a program from the compile cache by its text alone, without parsing it.

    None if it has to be parsed: it is not there.  Raises DeviceError, UsageError.
    """
    store = store_of(options)
    if store is None or not options.text:
        return None
    if engine is Engine.C:
        from funmem.codegen.c import CProgram

        text = text_of(options, place_of_c)
        if text is None or (library := compile_cache.recall(CProgram, text, store)) is None:
            return None
        compiled, passes, tunings = library
        return _c_runner(compiled, passes, evolve(options, tunings=tunings)), compiled.plan
    if engine is Engine.OPENCL:
        from funmem.codegen.cache import Cache
        from funmem.codegen.device import open_device
        from funmem.codegen.plan import Compiled
        from funmem.codegen.runtime import Executable

        device = open_device(options.device)
        place = partial(place_of_device, device.info)
        text = text_of(options.for_device(gpu=device.info.is_gpu), place)
        if text and (found := compile_cache.recall(Compiled, text, store)) is not None:
            kernels, passes, tunings = found
            exe = Executable.load(kernels, device, Cache.default())
            exe.max_bytes = options.max_bytes
            exe.foreign = foreign_table(options)
            return _flushing(_opencl_runner(exe, passes, tunings), options), exe.plan
    return None


def _cannot_run_imp(engine: Engine) -> UsageError:
    message = f"an IMP program cannot run via {engine.value}"
    return UsageError(Diagnostic(NOWHERE, "level", message, "run it via imp, c or opencl"))
