"""Which passes take a program to the language in which it is needed."""

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
    """The passes that are run if nobody says otherwise, from one language to another.

    They depend on the device in three things.  On a GPU the threads of a kernel share a block
    element by element, so that neighbours access neighbours (coalescing), and arrays are copied
    into such an order where reading them asks for it; on a CPU each has a stretch of its own
    (locality), and neighbours are computed side by side.  ``safe``: kernels check bounds.
    Raises UsageError for a way that does not exist.
    """
    if start is Level.IMP:
        if end is not Level.IMP:
            raise no_way_back(end)
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
    """Whether passes add up floats in another order than the program says: results may differ by
    rounding.  It is ``schedule`` that gives each thread a part of a reduction.
    """
    return any(s.what.name == "schedule" for s in steps)


def complete(pipeline: Pipeline, start: Level, end: Level) -> Pipeline:
    """A pipeline of one's own, and the fewest passes that then lead to ``end``.

    FUNMEM is good enough where FUN is wanted: it can be erased.
    """
    level = start
    for step in pipeline.steps:
        level = step.what.output or level
    if level is end or (level, end) == (Level.FUNMEM, Level.FUN):
        return pipeline
    if level is Level.IMP:
        raise no_way_back(end)
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
    """The default pipeline from the program's language to ``end``, or the given one, completed."""
    start = language(program)
    if given is not None:
        return complete(given, start, end)
    return default_pipeline(start, end, gpu=gpu, safe=safe)


def trusting(pipeline: Pipeline) -> Pipeline:
    """The pipeline, which now leaves out the dynamic checks that the verifier proves.

    Raises UsageError if it does not lower, as checks are made there.
    """
    if all(s.what.name != stage.LOWER for s in pipeline.steps):
        message = "--trust is about checks that lowering makes, and nothing is lowered here"
        raise UsageError(Diagnostic(NOWHERE, "trust", message))
    verified = find(stage.VERIFIED)
    return Pipeline(
        tuple(evolve(s, what=verified) if s.what.name == stage.LOWER else s for s in pipeline.steps)
    )


def tuned(pipeline: Pipeline, tuning: Tuning) -> Pipeline:
    """The pipeline, in which these passes get the options that a tuning chooses for them."""
    chosen = tuning.changes()

    def with_options(step: Step) -> Step:
        own = {x: n for x, n in chosen.items() if PASSES.get(x) == step.what.name}
        given = {x: v for x, v in step.options if x not in own}
        return evolve(step, options=(*given.items(), *own.items()))

    return Pipeline(tuple(map(with_options, pipeline.steps)))


def language(program: AnyProgram) -> Level:
    """The language that a program is written in: FUNMEM if it mentions memory."""
    return Level(level_of(program).value)


def no_way_back(end: Level) -> UsageError:
    """An IMP program was to become something else."""
    message = f"an IMP program cannot become {end.value} again"
    return UsageError(Diagnostic(NOWHERE, "level", message, "run it via imp or opencl"))
