"""From a program to IMP, and from there to C or to OpenCL kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from funmem.driver import compile_cache
from funmem.driver.compile_cache import Passes, Text, remember
from funmem.driver.options import Options
from funmem.driver.stages import pipeline_for, trusting, tuned
from funmem.driver.stored_tunings import (
    NONE,
    Place,
    Tunings,
    look_up,
    place_of_c,
    place_of_device,
    spelled,
    stored_in,
)
from funmem.ir.fun import MemProgram, Program
from funmem.ir.imp import ImpEntry, ImpFunction, ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.passes.framework import AnyProgram, Level, as_imp
from funmem.passes.runner import Pipeline, check_types

if TYPE_CHECKING:
    from funmem.codegen.c import CProgram
    from funmem.codegen.cache import Cache
    from funmem.codegen.cl_host import HostedProgram
    from funmem.codegen.device import Device
    from funmem.codegen.memory_limits import Limit
    from funmem.codegen.plan import Compiled, Plan
    from funmem.codegen.runtime import Executable
    from funmem.ir.foreign_calls import Table
    from funmem.passes.lower.fill import Filled


def lowered_to(level: Level, program: AnyProgram, options: Options) -> tuple[AnyProgram, Pipeline]:
    """Return the program at a level, and the passes that led there.

    The default passes are covered by the tests, so types are checked once, at the end; a pipeline
    of the user's is checked after each pass.  With ``options.tunings``, which apply to default
    passes and the level IMP, the returned pipeline is the one that all entry points went through,
    or the default one if they differ.
    """
    given, gpu, safe = options.pipeline, options.gpu, options.safe
    pipeline = pipeline_for(program, level, given, gpu=gpu, safe=safe, plain=options.defaults)
    if options.trust is not None:
        pipeline = trusting(pipeline)
    if options.pipeline is not None:
        return pipeline.run(program, report=options.trust), pipeline
    check_types(program)
    if options.tunings and isinstance(program, Program):
        plain = pipeline_for(program, level, gpu=gpu, safe=safe)
        plain = plain if options.trust is None else trusting(plain)
        staged, pipeline = _entry_by_entry(program, plain, options)
    else:
        staged = pipeline.run(program, verify=False, report=options.trust)
    check_types(staged)
    return staged, pipeline


def _entry_by_entry(
    program: MemProgram, pipeline: Pipeline, options: Options
) -> tuple[AnyProgram, Pipeline]:
    """Return the program as IMP; entry points of one tuning go through the passes together.

    ``pipeline`` has the passes' own defaults.
    """
    tunings, report, plain = options.tunings or NONE, options.trust, options.defaults
    pipelines = {e.name: tuned(pipeline, tunings.get(e.name, plain)) for e in program.entries}
    done: dict[str, ImpEntry] = {}
    functions: dict[Name, ImpFunction] = {}
    for one in {str(p): p for p in pipelines.values()}.values():
        some = tuple(e for e in program.entries if str(pipelines[e.name]) == str(one))
        staged = one.run(evolve(program, entries=some), verify=False, report=report)
        done |= {e.name: e for e in as_imp(staged).entries}
        functions |= {f.name: f for f in as_imp(staged).functions}
        pipeline = one if len(some) == len(program.entries) else pipeline
    called = tuple(functions[f.name] for f in program.functions if f.name in functions)
    return ImpProgram(tuple(done[e.name] for e in program.entries), called), pipeline


def ready_to_fill(program: AnyProgram) -> Filled:
    """Return the program with its uninitialised memory filled (``passes/lower/fill.py``).

    Raises SourceError if it is ill typed.
    """
    from funmem.passes.lower.fill import filled, has_scratch  # lazy: interpreters do without

    if has_scratch(program):
        check_types(program)
    return filled(program)


def machine_code(program: AnyProgram | Filled, options: Options) -> tuple[ImpProgram, Pipeline]:
    """Return the program as IMP for a machine, and the passes that led there.

    Memory that may be read uninitialised is filled, unless the program is ``Filled`` already.
    Raises as :func:`lowered_to`.
    """
    from funmem.passes.lower.fill import Filled  # lazy: interpreters do without

    ready = program if isinstance(program, Filled) else ready_to_fill(program)
    staged, pipeline = lowered_to(Level.IMP, ready.program, options)
    return ready.lowered(as_imp(staged)), pipeline


def compile_kernels(program: AnyProgram | Filled, options: Options) -> tuple[Compiled, Pipeline]:
    """Return the kernels and the host plan of a program, and the passes that led there."""
    from funmem.codegen.opencl import compile_imp

    imp, pipeline = machine_code(program, options)
    groups = group_sizes(options.tunings or NONE)
    compiled = compile_imp(
        imp, safe=options.safe, gpu=options.gpu, groups=groups, foreign=options.foreign
    )
    return compiled, pipeline


def compile_hosted_program(
    program: AnyProgram | Filled, name: str, options: Options
) -> tuple[HostedProgram, Pipeline]:
    """Return a program as kernels with a host in C, and the passes that led there."""
    from funmem.codegen.cl_host import compile_hosted

    imp, pipeline = machine_code(program, options)
    groups = group_sizes(options.tunings or NONE)
    hosted = compile_hosted(
        imp, name, safe=options.safe, gpu=options.gpu, groups=groups, foreign=options.foreign
    )
    return hosted, pipeline


def compile_c_program(
    program: AnyProgram | Filled, name: str, options: Options
) -> tuple[CProgram, Pipeline]:
    """Return a program as a C library called ``name``, and the passes that led there."""
    from funmem.codegen.c import compile_c

    imp, pipeline = machine_code(program, options)
    compiled = compile_c(imp, name, safe=options.safe, foreign=options.foreign)
    foreign_table(options)  # errors in foreign sources are found apart from the program
    return compiled, pipeline


def with_tunings(
    program: AnyProgram, options: Options, place: Callable[[], Place] = place_of_c
) -> Options:
    """Return the options with the tunings that a compilation for ``place`` uses.

    Given tunings stay.  Stored ones are looked up if ``options`` ask for them.
    Raises UsageError.
    """
    if options.tunings is not None:
        return options
    stored = _looks_up(options)
    options = for_this_processor(options)
    if not stored:
        return evolve(options, tunings=NONE)
    found = look_up(program, place, safe=options.safe, plain=options.defaults)
    return evolve(options, tunings=found)


def for_this_processor(options: Options) -> Options:
    """Return the options with the class of this machine's processor, if they ask for it.

    Raises UsageError for a wrong FUNMEM_PROCESSOR.
    """
    if options.processor is not None or not options.tuned:
        return options
    from funmem.driver.processors import this_processor  # lazy: interpreters do without

    return evolve(options, processor=this_processor())


def group_sizes(tunings: Tunings) -> Mapping[Name, int]:
    """Return the number of work-items in a work-group, by entry point."""
    return {x: t.group for x, t in tunings.items()}


# ---------------------------------------------------------------------- compiled and kept


def c_program(program: AnyProgram, options: Options) -> tuple[CProgram, Passes, Options]:
    """Return a program as C, from the compile cache if it is there.

    The returned options name the tunings.
    """
    from funmem.codegen.c import CProgram

    text = text_of(options, place_of_c)
    options = with_tunings(program, options)
    compiled, passes = remember(
        CProgram,
        program,
        key_words(options),
        lambda: compile_c_program(program, "program", options),
        store_of(options),
        text and evolve(text, tunings=spelled(options.tunings or NONE)),
    )
    return compiled, passes, options


def build(
    program: AnyProgram, options: Options, device: Device | None = None
) -> tuple[Executable, Passes, Tunings]:
    """Return a program built for a device, the passes it went through, and the tunings used."""
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import open_device
    from funmem.codegen.plan import Compiled
    from funmem.codegen.runtime import Executable

    device = device or open_device(options.device)
    options = options.for_device(gpu=device.info.is_gpu)
    place = partial(place_of_device, device.info)
    text = text_of(options, place)
    options = with_tunings(program, options, place)
    compiled, passes = remember(
        Compiled,
        program,
        key_words(options),
        lambda: compile_kernels(program, options),
        store_of(options),
        text and evolve(text, tunings=spelled(options.tunings or NONE)),
    )
    require_memory(compiled.plan, options, lambda: device.limit)
    cache = Cache.default() if options.cache else None
    exe = Executable.load(compiled, device, cache)
    exe.max_bytes = options.max_bytes
    exe.foreign = foreign_table(options)
    return exe, passes, options.tunings or NONE


def foreign_table(options: Options, *, interpreted: bool = False) -> Table:
    """Return the foreign functions that the host calls; interpreters call references if they can.

    Raises SourceError, DeviceError.
    """
    given = options.foreign
    if not (given.functions or given.on_arrays or given.opaque):
        return {}
    from funmem.codegen.cache import Cache
    from funmem.codegen.foreign_library import table

    kept = Cache.default() if options.cache else None
    return table(options.foreign, cache=kept, interpreted=interpreted)


def require_memory(plan: Plan, options: Options, available: Callable[[], Limit]) -> None:
    """Raise DeviceError if the run that follows needs more memory than there is."""
    if options.run is None:
        return
    from funmem.codegen.demand import Demand
    from funmem.codegen.plan import signature_of as of_plan
    from funmem.ir.values import bind

    name, args = options.run
    entry = next(e for e in plan.entries if e.name == name)
    sizes, values = bind(of_plan(entry), args)
    Demand(entry).require(sizes, values, options.max_bytes, available)


def store_of(options: Options) -> Callable[[], Cache] | None:
    """Return where compiled programs are kept, or None if these options rule that out."""
    if not options.cache or options.pipeline is not None or options.trust is not None:
        return None

    def store() -> Cache:
        from funmem.codegen.cache import Cache

        return Cache.of(compile_cache.FOLDER)

    return store


def text_of(options: Options, place: Callable[[], Place]) -> Text | None:
    """Return the text of a program and what else its compilation for a place depends on.

    None if ``options`` have no text.  Raises UsageError.
    """
    if not options.text:
        return None
    stored = stored_in(place) if _looks_up(options) else ()
    return Text(options.text, (*key_words(for_this_processor(options)), *stored))


def _looks_up(options: Options) -> bool:
    """True if stored tunings are used."""
    if options.tunings is not None or options.pipeline is not None:
        return False
    return options.tuned and options.cache and options.processor is None


def key_words(options: Options) -> tuple[str, ...]:
    """Return the part of a compiled program's key that the options decide."""
    kind, checks = "gpu" if options.gpu else "cpu", "safe" if options.safe else "fast"
    tunings = options.tunings or NONE
    foreign = options.foreign
    words = (foreign.c, foreign.cl, *(f"{f.prototype} {f.c} {f.cl}" for f in foreign.functions))
    words += tuple(f"{f.name} {f.params} {f.results} {f.c} {f.cl}" for f in foreign.opaque)
    tuned_by = (f"{x}: {t.values()}" for x, t in sorted(tunings.items()))
    plain = str(options.defaults.values())
    return (kind, checks, plain, *tuned_by, *(words if foreign.functions or foreign.opaque else ()))
