"""The pipelines that lower a program to a language."""

from collections.abc import Iterable, Sequence

from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, UsageError
from funmem.ir.record import evolve
from funmem.ir.text.level import level_of
from funmem.passes import pipeline as stage
from funmem.passes.context import Report
from funmem.passes.framework import AnyProgram, Level, StageProgram, below_core
from funmem.passes.registry import find
from funmem.passes.runner import Pipeline, Step, check_types
from funmem.passes.tuning import DEFAULT, GPU_PIECE, PASSES, Tuning


def to_fun(
    program: StageProgram, *, typed: bool = False, report: Report | None = None
) -> AnyProgram:
    """Return a program below Core: a Core program as FUN, by the default passes.

    Unless ``typed``, the types of Core are checked.  ``report`` receives what the passes say.
    Raises SourceError.
    """
    if not isinstance(program, CoreProgram):
        return program
    # lazy: FUN programs do without
    from funmem.passes.core.entry_data import entry_data
    from funmem.passes.core.interfaces import with_interfaces
    from funmem.passes.core.result_names import with_result_names

    if not typed:
        check_types(program)
    if not program.entries:
        hint = "write entry main (n : i64) : i64 = …"
        raise SourceError(Diagnostic(NOWHERE, "no-entry", "the program has no entry point", hint))
    opened = entry_data(program)
    fun = with_result_names(stage.to_fun(opened, verify=False, report=report), opened)
    return with_interfaces(fun, program)


def through_core(
    program: StageProgram,
    passes: Pipeline | None,
    *,
    typed: bool = False,
    report: Report | None = None,
) -> tuple[AnyProgram, Pipeline | None]:
    """Return a program below Core, after the passes on Core in a given pipeline, and the rest.

    None stands for the default passes; then, and if no given pass works on Core, these are the
    default ones.  The types are checked after each given pass.  Raises SourceError, UsageError,
    PassFailed.
    """
    on_core, rest = (None, None) if passes is None else split(passes)
    if on_core is None or not on_core.steps or not isinstance(program, CoreProgram):
        return to_fun(program, typed=typed, report=report), passes
    from funmem.passes.core.entry_data import entry_data  # lazy: FUN programs do without

    return below_core(on_core.run(entry_data(program), report=report)), rest


def split(pipeline: Pipeline, *, finish: bool = True) -> tuple[Pipeline, Pipeline]:
    """Return the part of a pipeline on Core, and the rest.

    The part is empty if no pass works on Core.  Otherwise, to ``finish`` it, the passes of the
    default pipeline follow that come after the last one of it in the part, so that it leads to FUN.
    """
    count = 0
    while count < len(pipeline.steps) and Level.CORE in pipeline.steps[count].what.inputs:
        count += 1
    given, rest = pipeline.steps[:count], Pipeline(pipeline.steps[count:])
    if finish and given and given[-1].what.output is not Level.FUN:
        given += _rest_of_core(given)
    return Pipeline(given), rest


def _rest_of_core(given: Sequence[Step]) -> tuple[Step, ...]:
    """Return the default passes on Core that follow the last one of them in ``given``."""
    default = Pipeline.parse(stage.CORE).steps
    names = [s.what.name for s in default]
    done = [names.index(s.what.name) + 1 for s in given if s.what.name in names]
    return default[max(done, default=0) :]


def default_pipeline(
    start: Level = Level.FUN,
    end: Level = Level.IMP,
    *,
    gpu: bool = False,
    safe: bool = True,
    plain: Tuning = DEFAULT,
) -> Pipeline:
    """Return the default passes from one language to another.

    They depend on the kind of device.  On a GPU, expanded blocks are interleaved, so that
    neighbouring threads access neighbouring elements (coalescing), and arrays that kernels read
    in another order are copied; rows of varying length are cut into short pieces, because a thread
    is slow and there are many.  On a CPU, each thread has a contiguous part of a block
    (locality), and loops are vectorised, with the numbers of ``plain``.  ``safe``:
    kernels check bounds.
    Raises UsageError if ``end`` cannot be reached from ``start``.
    """
    if start is Level.IMP:
        if end is not Level.IMP:
            raise cannot_leave_imp(end)
        return Pipeline(())
    if end is Level.CORE:
        return Pipeline(()) if start is Level.CORE else _no_way_to_core(start)
    if start is Level.CORE:
        on_core = Pipeline.parse(stage.CORE)
        below = default_pipeline(end=end, gpu=gpu, safe=safe, plain=plain)
        return Pipeline(on_core.steps + below.steps)
    texts = [stage.FUN] if start is Level.FUN else []
    if end is not Level.FUN:
        texts += [stage.ALLOCATE] if start is Level.FUN else []
        texts.append(stage.GPU_MEMORY if gpu else stage.MEMORY)
    if end is Level.IMP:
        fast, vectors = [] if safe else [stage.FAST], [] if gpu else [stage.CPU]
        texts += [stage.LOWER, *fast, *vectors]
    steps = Pipeline.parse(",".join(texts)).steps if texts else ()
    if gpu:
        return Pipeline(tuple(map(_for_gpu, steps)))
    return tuned(Pipeline(steps), plain)


_ON_GPU = {
    "expand": (("layout", "interleaved"),),
    "merge": (("layout", "interleaved"),),
    "schedule": (("piece", str(GPU_PIECE)), ("share", "0")),
}


def _for_gpu(step: Step) -> Step:
    """Return a step with the options for a GPU."""
    own = _ON_GPU.get(step.what.name)
    return step if own is None else evolve(step, options=own)


def reorders(steps: Iterable[Step]) -> bool:
    """True if a pass reorders reductions of floats, so that results may differ by rounding.

    The pass is ``schedule``, which gives each thread a part of a reduction.
    """
    return any(s.what.name == "schedule" for s in steps)


def complete(pipeline: Pipeline, start: Level, end: Level) -> Pipeline:
    """Return a user's pipeline, extended by the fewest passes that lead to ``end``.

    FUNMEM serves where FUN is wanted: it can be erased.  Of a Core program, passes that do not work
    on Core are preceded by the default passes on Core that are still to be run.
    """
    level = start
    if start is Level.CORE and (end is not Level.CORE or any(map(_is_below_core, pipeline.steps))):
        on_core, rest = split(pipeline)
        on_core = on_core if on_core.steps else Pipeline.parse(stage.CORE)
        pipeline = Pipeline(on_core.steps + rest.steps)
    for step in pipeline.steps:
        level = step.what.output or level
    if level is end or (level, end) == (Level.FUNMEM, Level.FUN):
        return pipeline
    if level is Level.IMP:
        raise cannot_leave_imp(end)
    if end is Level.CORE:
        return _no_way_to_core(level)
    return Pipeline(pipeline.steps + Pipeline.parse(_STEPS[level, end]).steps)


def _is_below_core(step: Step) -> bool:
    return Level.CORE not in step.what.inputs


def _no_way_to_core(start: Level) -> Pipeline:
    message = f"a program in {start.value} cannot become Core again"
    raise UsageError(
        Diagnostic(NOWHERE, "level", message, "passes lead from Core to FUN, FUNMEM and IMP")
    )


_STEPS = {
    (Level.FUN, Level.FUNMEM): "allocate",
    (Level.FUN, Level.IMP): "allocate,lower",
    (Level.FUNMEM, Level.IMP): "lower",
}


def pipeline_for(
    program: StageProgram,
    end: Level,
    given: Pipeline | None = None,
    *,
    gpu: bool = False,
    safe: bool = True,
    plain: Tuning = DEFAULT,
) -> Pipeline:
    """Return the default pipeline of a program to ``end``, or ``given``, extended to it."""
    start = language(program)
    if given is not None:
        return complete(given, start, end)
    return default_pipeline(start, end, gpu=gpu, safe=safe, plain=plain)


def trusting(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline with ``lower-verified`` in place of ``lower``.

    It omits the dynamic checks that the verifier proves.  Raises UsageError if the pipeline does
    not lower to IMP, where the checks are made.
    """
    if all(s.what.name != stage.LOWER for s in pipeline.steps):
        message = "--trust omits checks that `lower` makes, but this pipeline does not lower to IMP"
        raise UsageError(Diagnostic(NOWHERE, "trust", message))
    verified = find(stage.VERIFIED)
    return Pipeline(
        tuple(evolve(s, what=verified) if s.what.name == stage.LOWER else s for s in pipeline.steps)
    )


def tuned(pipeline: Pipeline, tuning: Tuning) -> Pipeline:
    """Return a pipeline with the passes' own defaults, with the options that a tuning chooses."""
    chosen = tuning.options()

    def with_options(step: Step) -> Step:
        own = {x: n for x, n in chosen.items() if PASSES.get(x) == step.what.name}
        given = {x: v for x, v in step.options if x not in own}
        return evolve(step, options=(*given.items(), *own.items()))

    return Pipeline(tuple(map(with_options, pipeline.steps)))


def language(program: StageProgram) -> Level:
    """Return the language of a program; FUNMEM if it mentions memory."""
    return Level(level_of(program).value)


def cannot_leave_imp(end: Level) -> UsageError:
    """Return the error for a pipeline that leads from IMP to another language."""
    message = f"an IMP program cannot become {end.value} again"
    return UsageError(Diagnostic(NOWHERE, "level", message, "run it via imp or opencl"))
