"""The pipelines that lower a program to a language."""

from collections.abc import Iterable

from funmem.ir.diagnostics import NOWHERE, Diagnostic, UsageError
from funmem.ir.record import evolve
from funmem.ir.text.level import level_of
from funmem.passes import pipeline as stage
from funmem.passes.framework import AnyProgram, Level
from funmem.passes.registry import find
from funmem.passes.runner import Pipeline, Step
from funmem.passes.tuning import PASSES, Tuning


def default_pipeline(
    start: Level = Level.FUN, end: Level = Level.IMP, *, gpu: bool = False, safe: bool = True
) -> Pipeline:
    """Return the default passes from one language to another.

    They depend on the kind of device.  On a GPU, expanded blocks are interleaved, so that
    neighbouring threads access neighbouring elements (coalescing), and arrays that kernels read
    in another order are copied.  On a CPU, each thread has a contiguous part of a block
    (locality), and loops are vectorised.  ``safe``: kernels check bounds.
    Raises UsageError if ``end`` cannot be reached from ``start``.
    """
    if start is Level.IMP:
        if end is not Level.IMP:
            raise cannot_leave_imp(end)
        return Pipeline(())
    texts = [stage.FUN] if start is Level.FUN else []
    if end is not Level.FUN:
        texts += [stage.ALLOCATE] if start is Level.FUN else []
        texts.append(stage.GPU_MEMORY if gpu else stage.MEMORY)
    if end is Level.IMP:
        fast, vectors = [] if safe else [stage.FAST], [] if gpu else [stage.CPU]
        texts += [stage.LOWER, *fast, *vectors]
    steps = Pipeline.parse(",".join(texts)).steps if texts else ()
    return Pipeline(tuple(map(_interleaved, steps)) if gpu else steps)


def _interleaved(step: Step) -> Step:
    if step.what.name not in ("expand", "merge"):
        return step
    return evolve(step, options=(("layout", "interleaved"),))


def reorders(steps: Iterable[Step]) -> bool:
    """True if a pass reorders reductions of floats, so that results may differ by rounding.

    The pass is ``schedule``, which gives each thread a part of a reduction.
    """
    return any(s.what.name == "schedule" for s in steps)


def complete(pipeline: Pipeline, start: Level, end: Level) -> Pipeline:
    """Return a user's pipeline, extended by the fewest passes that lead to ``end``.

    FUNMEM serves where FUN is wanted: it can be erased.
    """
    level = start
    for step in pipeline.steps:
        level = step.what.output or level
    if level is end or (level, end) == (Level.FUNMEM, Level.FUN):
        return pipeline
    if level is Level.IMP:
        raise cannot_leave_imp(end)
    return Pipeline(pipeline.steps + Pipeline.parse(_STEPS[level, end]).steps)


_STEPS = {
    (Level.FUN, Level.FUNMEM): "allocate",
    (Level.FUN, Level.IMP): "allocate,lower",
    (Level.FUNMEM, Level.IMP): "lower",
}


def pipeline_for(
    program: AnyProgram,
    end: Level,
    given: Pipeline | None = None,
    *,
    gpu: bool = False,
    safe: bool = True,
) -> Pipeline:
    """Return the default pipeline of a program to ``end``, or ``given``, extended to it."""
    start = language(program)
    if given is not None:
        return complete(given, start, end)
    return default_pipeline(start, end, gpu=gpu, safe=safe)


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
    """Return the pipeline with the pass options that a tuning chooses."""
    chosen = tuning.changes()

    def with_options(step: Step) -> Step:
        own = {x: n for x, n in chosen.items() if PASSES.get(x) == step.what.name}
        given = {x: v for x, v in step.options if x not in own}
        return evolve(step, options=(*given.items(), *own.items()))

    return Pipeline(tuple(map(with_options, pipeline.steps)))


def language(program: AnyProgram) -> Level:
    """Return the language of a program; FUNMEM if it mentions memory."""
    return Level(level_of(program).value)


def cannot_leave_imp(end: Level) -> UsageError:
    """Return the error for a pipeline that leads from IMP to another language."""
    message = f"an IMP program cannot become {end.value} again"
    return UsageError(Diagnostic(NOWHERE, "level", message, "run it via imp or opencl"))
