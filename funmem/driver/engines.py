"""The engines that run a program: the three interpreters, C, and a device.

    engine     language that it runs     what it is
    value      FUN (FUNMEM is erased)    what a program means
    heap       FUNMEM                    the same with its memory: bounds, races, coherence
    imp        IMP                       after lowering; bounds and races too
    c          IMP                       a C library, with OpenMP
    opencl     IMP                       kernels on a device

A program in another language is brought there by the default pipeline
(:mod:`funmem.driver.stages`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from attrs import field

from funmem.driver import compile_cache as memo
from funmem.driver.compile_cache import Passes, remember
from funmem.driver.stages import language, pipeline_for, trusting, tuned
from funmem.driver.stored_tunings import (
    NONE,
    Place,
    Tunings,
    any_kept,
    look_up,
    place_of_c,
    place_of_device,
)
from funmem.ir.diagnostics import NOWHERE, Diagnostic, ExitCode, FunmemError, Trap, UsageError
from funmem.ir.fun import MemProgram, Program
from funmem.ir.imp import ImpEntry, ImpProgram
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.signature import Signature, signature
from funmem.passes.framework import AnyProgram, Level, Report, as_imp, as_tree
from funmem.passes.lower.fill import Filled, filled, has_scratch
from funmem.passes.runner import Pipeline, check_types
from funmem.passes.tuning import DEFAULT

if TYPE_CHECKING:
    from funmem.codegen.c import CProgram
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import Device
    from funmem.codegen.memory_limits import Limit
    from funmem.codegen.plan import Compiled, Plan
    from funmem.codegen.runtime import Executable
    from funmem.ir.values import ArgValue, Value

Values: TypeAlias = "tuple[Value, ...]"


class Engine(Enum):
    """Who runs a program."""

    VALUE = "value"
    HEAP = "heap"
    IMP = "imp"
    C = "c"
    OPENCL = "opencl"

    @property
    def interprets(self) -> bool:
        """Whether it is an interpreter."""
        return self in (Engine.VALUE, Engine.HEAP, Engine.IMP)

    @staticmethod
    def named(name: str) -> Engine:
        """The engine of that name.  Raises UsageError."""
        for e in Engine:
            if e.value == name:
                return e
        known = ", ".join(e.value for e in Engine)
        message = f"there is no engine `{name}`; there is {known}"
        raise UsageError(Diagnostic(NOWHERE, "engine", message))


@frozen
class Options:
    """How a program is brought to an engine.

    ``device`` matters for OpenCL only, ``safe``, ``cache`` and ``tuned`` for C and OpenCL,
    ``trust`` for these and IMP.
    """

    pipeline: Pipeline | None = None
    device: str | None = None
    safe: bool = True
    cache: bool = True
    trust: Report | None = None
    """Leave out the checks that the verifier proves, and say here which those are."""
    tuned: bool = False
    """Use what ``funmem tune`` has found, unless there is a ``pipeline``, or no ``cache``."""
    max_bytes: int | None = None
    """Refuse a run that needs more memory; None: more than there is."""
    run: tuple[Name, Sequence[ArgValue]] | None = None
    """The run that is to follow, if it is known: asked for its memory before anything is built."""
    text: str = ""
    """What :func:`recalled` is to find the program by (``memo.text_of``)."""


@frozen
class Outcome:
    """What one run answered, and what it cost in seconds, launches, bytes."""

    values: Values
    seconds: float
    costs: Mapping[str, int] = field(factory=dict)


@frozen
class Runner:
    """A program made ready for an engine; ``call`` may be used any number of times."""

    engine: Engine
    passes: Passes
    call: Callable[[str, Sequence[ArgValue]], tuple[Values, Mapping[str, int]]]
    device: str | None = None
    tunings: Tunings = NONE
    """What ``funmem tune`` has found, as far as it is used."""

    @property
    def pipeline(self) -> Pipeline:
        """The passes that the program went through."""
        return self.passes()

    def run(self, entry: str, args: Sequence[ArgValue]) -> Outcome:
        """One run.  Raises InputError, Trap, MemoryFault, DeviceError."""
        start = time.perf_counter()
        values, costs = self.call(entry, args)
        return Outcome(values, time.perf_counter() - start, costs)


def prepare(program: AnyProgram, engine: Engine, options: Options | None = None) -> Runner:
    """Checks a program and brings it to an engine.

    Raises SourceError, UsageError, PassFailed, and for OpenCL DeviceError.
    """
    options = options or Options()
    if engine is Engine.VALUE:
        return _value(program, options)
    if language(program) is Level.IMP and engine is Engine.HEAP:
        raise _no_engine(engine)
    match engine:
        case Engine.HEAP:
            return _heap(program, options)
        case Engine.IMP:
            return _imp(program, options)
        case Engine.C:
            return _c(program, options)
        case Engine.OPENCL:
            return _opencl(program, options)


def brought(
    program: AnyProgram,
    level: Level,
    options: Options,
    *,
    gpu: bool = False,
    safe: bool = True,
    tunings: Tunings = NONE,
) -> tuple[AnyProgram, Pipeline]:
    """The program at a level.  The default passes are checked by the tests, and here by the types
    of what comes out of them all; passes that somebody asked for one by one.

    With ``tunings``, which are for default passes and the level IMP, the answer's pipeline is the
    one that all entry points went through, or else the default one.
    """
    pipeline = pipeline_for(program, level, options.pipeline, gpu=gpu, safe=safe)
    if options.trust is not None:
        pipeline = trusting(pipeline)
    if options.pipeline is not None:
        return pipeline.run(program, report=options.trust), pipeline
    check_types(program)
    if tunings and isinstance(program, Program):
        staged, pipeline = _each_its_way(program, pipeline, tunings, options.trust)
    else:
        staged = pipeline.run(program, verify=False, report=options.trust)
    check_types(staged)
    return staged, pipeline


def ready_to_fill(program: AnyProgram) -> Filled:
    """A program of which nothing that was never written will be seen on a machine, where memory
    holds what was there before (``passes/lower/fill.py``).  Raises SourceError if it is ill typed.
    """
    if has_scratch(program):
        check_types(program)
    return filled(program)


def machine_code(
    program: AnyProgram | Filled, options: Options, *, gpu: bool, safe: bool, tunings: Tunings
) -> tuple[ImpProgram, Pipeline]:
    """The program as IMP for a machine: what may be seen and was never written is filled, if it is
    not yet.  Raises as :func:`brought`.
    """
    ready = program if isinstance(program, Filled) else ready_to_fill(program)
    staged, pipeline = brought(
        ready.program, Level.IMP, options, gpu=gpu, safe=safe, tunings=tunings
    )
    return ready.lowered(as_imp(staged)), pipeline


def _each_its_way(
    program: MemProgram, pipeline: Pipeline, tunings: Tunings, report: Report | None
) -> tuple[AnyProgram, Pipeline]:
    """The program as IMP; entry points with different tunings do not go through passes together."""
    ways = {e.name: tuned(pipeline, tunings.get(e.name, DEFAULT)) for e in program.entries}
    done: dict[str, ImpEntry] = {}
    for way in {str(w): w for w in ways.values()}.values():
        some = tuple(e for e in program.entries if str(ways[e.name]) == str(way))
        staged = way.run(evolve(program, entries=some), verify=False, report=report)
        done |= {e.name: e for e in as_imp(staged).entries}
        pipeline = way if len(some) == len(program.entries) else pipeline
    return ImpProgram(tuple(done[e.name] for e in program.entries)), pipeline


def tunings_of(
    program: AnyProgram, options: Options, place: Callable[[], Place] = place_of_c
) -> Tunings:
    """What ``funmem tune`` has found for a place, if it is to be used.  Raises UsageError."""
    if not (options.tuned and options.cache) or options.pipeline is not None:
        return NONE
    return look_up(program, place, safe=options.safe)


def _value(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver.demand import ask
    from funmem.interp.value import run

    check_types(program)
    pipeline = options.pipeline or Pipeline(())
    tree = pipeline.run(program)
    if not isinstance(tree, Program):
        raise _no_engine(Engine.VALUE)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        ask(tree, entry, args, options.max_bytes)
        return run(tree, entry, args), {}

    return Runner(Engine.VALUE, lambda: pipeline, call)


def _heap(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver.demand import ask
    from funmem.interp.heap import run_heap

    if options.pipeline is None and language(program) is Level.FUNMEM:
        options = evolve(options, pipeline=Pipeline(()))  # it is there already
    staged, pipeline = brought(program, Level.FUNMEM, options)
    tree = as_tree(staged)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        ask(tree, entry, args, options.max_bytes)
        result = run_heap(tree, entry, args)
        s = result.stats
        return result.values, {
            "blocks": s.blocks,
            "allocated_bytes": s.allocated,
            "peak_bytes": s.peak,
        }

    return Runner(Engine.HEAP, lambda: pipeline, call)


def _imp(program: AnyProgram, options: Options) -> Runner:
    from funmem.driver.demand import ask
    from funmem.interp.imp import run_imp

    staged, pipeline = brought(program, Level.IMP, options)
    imp = as_imp(staged)

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        ask(imp, entry, args, options.max_bytes)
        return run_imp(imp, entry, args), {}

    return Runner(Engine.IMP, lambda: pipeline, call)


def _c(program: AnyProgram, options: Options) -> Runner:
    from funmem.codegen.c import CProgram

    tunings = tunings_of(program, options)

    def make() -> tuple[CProgram, Pipeline]:
        return compile_c_program(
            program,
            "program",
            options.pipeline,
            safe=options.safe,
            trust=options.trust,
            tunings=tunings,
        )

    words = _words(options, tunings, gpu=False)
    compiled, passes = remember(CProgram, program, words, make, _store(options), options.text)
    return _c_runner(compiled, passes, options, tunings)


def _c_runner(compiled: CProgram, passes: Passes, options: Options, tunings: Tunings) -> Runner:
    from funmem.codegen.c_library import CLibrary
    from funmem.codegen.cache import Cache
    from funmem.codegen.memory_limits import host_limit

    _ask_first(compiled.plan, options, host_limit)
    library = CLibrary.load(compiled, cache=Cache.default() if options.cache else None)
    library.max_bytes = options.max_bytes

    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        point = library.entry(entry)
        values = point.run(args)
        return values, {"peak_bytes": point.peak_bytes}

    return Runner(Engine.C, passes, call, tunings=tunings)


def _opencl(program: AnyProgram, options: Options) -> Runner:
    return _opencl_runner(*build(program, options))


def _opencl_runner(exe: Executable, passes: Passes, tunings: Tunings) -> Runner:
    def call(entry: str, args: Sequence[ArgValue]) -> tuple[Values, Mapping[str, int]]:
        point = exe.entry(entry)
        values = point.run(args)
        stats = point.stats
        return values, {"launches": stats.launches, "peak_bytes": stats.peak_bytes}

    return Runner(Engine.OPENCL, passes, call, exe.device.info.name, tunings)


def recalled(engine: Engine, options: Options) -> tuple[Runner, Plan] | None:
    """A program that was prepared before, found by its text alone: with these options it is right,
    and need not be parsed.  None where it has to be.

    Raises DeviceError.
    """
    store = _store(options)
    if store is None or not options.text or (options.tuned and any_kept()):
        return None
    if engine is Engine.C:
        from funmem.codegen.c import CProgram

        library = memo.recall(CProgram, options.text, _words(options, NONE, gpu=False), store)
        return library and (_c_runner(*library, options, NONE), library[0].plan)
    if engine is Engine.OPENCL:
        from funmem.codegen.cache import Cache
        from funmem.codegen.device import open_device
        from funmem.codegen.plan import Compiled
        from funmem.codegen.runtime import Executable

        device = open_device(options.device)
        words = _words(options, NONE, gpu=device.info.is_gpu)
        if (found := memo.recall(Compiled, options.text, words, store)) is not None:
            exe = Executable.load(found[0], device, Cache.default())
            exe.max_bytes = options.max_bytes
            return _opencl_runner(exe, found[1], NONE), exe.plan
    return None


# ---------------------------------------------------------------------- compilation


def compile_kernels(
    program: AnyProgram | Filled,
    pipeline: Pipeline | None = None,
    *,
    gpu: bool = False,
    safe: bool = True,
    trust: Report | None = None,
    tunings: Tunings = NONE,
) -> tuple[Compiled, Pipeline]:
    """The kernels and the host plan of a program, and the passes that led there."""
    from funmem.codegen.opencl import compile_imp

    options = Options(pipeline, trust=trust)
    imp, whole = machine_code(program, options, gpu=gpu, safe=safe, tunings=tunings)
    return compile_imp(imp, safe=safe, groups=groups_of(tunings)), whole


def groups_of(tunings: Tunings) -> Mapping[Name, int]:
    """How many work-items groups have, by entry point."""
    return {x: t.group for x, t in tunings.items()}


def compile_c_program(
    program: AnyProgram | Filled,
    name: str,
    pipeline: Pipeline | None = None,
    *,
    safe: bool = True,
    trust: Report | None = None,
    tunings: Tunings = NONE,
) -> tuple[CProgram, Pipeline]:
    """A program as a C library called ``name``, and the passes that led there."""
    from funmem.codegen.c import compile_c

    options = Options(pipeline, trust=trust)
    imp, whole = machine_code(program, options, gpu=False, safe=safe, tunings=tunings)
    return compile_c(imp, name, safe=safe), whole


def build(
    program: AnyProgram, options: Options, device: Device | None = None
) -> tuple[Executable, Passes, Tunings]:
    """A program compiled for a device and built there, by which passes, and with which tunings."""
    from funmem.codegen.cache import Cache
    from funmem.codegen.device import open_device
    from funmem.codegen.plan import Compiled
    from funmem.codegen.runtime import Executable

    device = device or open_device(options.device)
    gpu, place = device.info.is_gpu, partial(place_of_device, device.info)
    tunings = tunings_of(program, options, place)

    def make() -> tuple[Compiled, Pipeline]:
        return compile_kernels(
            program,
            options.pipeline,
            gpu=gpu,
            safe=options.safe,
            trust=options.trust,
            tunings=tunings,
        )

    words = _words(options, tunings, gpu=gpu)
    compiled, passes = remember(Compiled, program, words, make, _store(options), options.text)
    _ask_first(compiled.plan, options, lambda: device.limit)
    cache = Cache.default() if options.cache else None
    exe = Executable.load(compiled, device, cache)
    exe.max_bytes = options.max_bytes
    return exe, passes, tunings


def _ask_first(plan: Plan, options: Options, there_is: Callable[[], Limit]) -> None:
    """Raises DeviceError if there is not the memory for the run that is to follow."""
    if options.run is None:
        return
    from funmem.codegen.demand import Demand
    from funmem.codegen.host import signature_of as of_plan
    from funmem.ir.values import bind

    name, args = options.run
    entry = next(e for e in plan.entries if e.name == name)
    sizes, values = bind(of_plan(entry), args)
    Demand(entry).require(sizes, values, options.max_bytes, there_is)


def _store(options: Options) -> Callable[[], Cache] | None:
    """Where compiled programs are kept, if these options allow it."""
    if not options.cache or options.pipeline is not None or options.trust is not None:
        return None

    def store() -> Cache:
        from funmem.codegen.cache import Cache

        return Cache.of(memo.FOLDER)

    return store


def _words(options: Options, tunings: Tunings, *, gpu: bool) -> tuple[str, ...]:
    """What decides, beside the program, what becomes of it."""
    kind, checks = "gpu" if gpu else "cpu", "safe" if options.safe else "fast"
    return (kind, checks, *(f"{x}: {t}" for x, t in sorted(tunings.items())))


# ---------------------------------------------------------------------- entry points


class Named(Protocol):
    """An entry point, at any stage."""

    @property
    def name(self) -> Name: ...


E = TypeVar("E", bound=Named)


def signature_of(program: AnyProgram, name: str | None) -> Signature:
    """The signature of an entry point; without a name the only one, or else ``main``.

    Raises UsageError, which lists the entry points.
    """
    wanted = chosen(program.entries, name).name
    return next(signature(e) for e in program.entries if e.name == wanted)


def chosen(every: Sequence[E], name: str | None) -> E:
    """An entry point; without a name the only one, or else ``main``.

    Raises UsageError, which lists the entry points.
    """
    entries = {e.name: e for e in every}
    wanted = Name(name or (next(iter(entries)) if len(entries) == 1 else "main"))
    if wanted in entries:
        return entries[wanted]
    known = ", ".join(f"`{x}`" for x in entries)
    what = f"there is no entry point `{wanted}`" if name else "which entry point?"
    raise UsageError(Diagnostic(NOWHERE, "entry", what, f"the program has {known}"))


def _no_engine(engine: Engine) -> UsageError:
    message = f"an IMP program cannot run via {engine.value}"
    return UsageError(Diagnostic(NOWHERE, "level", message, "run it via imp, c or opencl"))


# ---------------------------------------------------------------------- comparison


class Disagreement(FunmemError):
    """Two engines gave different answers: a bug of the compiler, or of one of the two."""

    exit_code = ExitCode.DISAGREEMENT

    def __init__(self, one: Engine, other: Engine, difference: str) -> None:
        message = f"{one.value} and {other.value} disagree: {difference}"
        super().__init__(Diagnostic(NOWHERE, "disagreement", message))


def compare(
    ours: Runner, reference: Runner, entry: Signature, args: Sequence[ArgValue]
) -> tuple[Outcome, Outcome]:
    """Both outcomes, if they agree: the same values up to rounding.

    Raises the trap if both trap alike, Disagreement if they differ.
    """
    from funmem.ir.values import Tolerance, agree

    expected, got = (_attempt(r, entry.name, args) for r in (reference, ours))
    match expected, got:
        case Outcome(), Outcome():
            types = [r.type for r in entry.results]
            difference = agree(expected.values, got.values, tolerance=Tolerance(), types=types)
            if difference is None:
                return got, expected
        case Trap(), Trap() if expected.kind is got.kind:
            raise got
        case _:
            said = [_describe(x) for x in (expected, got)]
            difference = f"expected {said[0]}, got {said[1]}"
    raise Disagreement(reference.engine, ours.engine, difference)


def _attempt(r: Runner, entry: str, args: Sequence[ArgValue]) -> Outcome | Trap:
    try:
        return r.run(entry, args)
    except Trap as trap:
        return trap


def _describe(x: Outcome | Trap) -> str:
    return f"the trap `{x.diagnostic.message}`" if isinstance(x, Trap) else "results"
