"""funmem's engines as contenders.  Compiling, building, transfer and runs are timed separately."""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

from funmem.bench.contenders import Contender, Run
from funmem.bench.tasks import Task, as_arrays
from funmem.driver.compilation import group_sizes, machine_code, with_tunings
from funmem.driver.options import Options
from funmem.driver.stored_tunings import NONE, place_of_device
from funmem.ir.imp import ImpProgram
from funmem.ir.record import evolve, frozen
from funmem.ir.values import Value
from funmem.passes.tuning import DEFAULT, Tuning

VIAS = ("c", "opencl")


@frozen(eq=False)
class Ours:
    """A contender, the IMP program that it runs, its device, and the tuning that it uses."""

    contender: Contender
    imp: ImpProgram
    device: str
    tuning: Tuning = DEFAULT


@frozen(eq=False)
class Compiled:
    """A program after the passes.  Equal ``code`` means equal programs.  ``build`` returns a
    contender; it raises DeviceError.
    """

    imp: ImpProgram
    code: str
    device: str
    tuning: Tuning
    build: Callable[[], Contender]


def contender(task: Task, via: str, options: Options) -> Ours:
    """Return the task on one engine as a contender.  The program is built anew; stored tunings are
    used if ``options`` say so.

    Raises SourceError, PassFailed, DeviceError.
    """
    found = compiled(task, via, options)
    return Ours(found.build(), found.imp, found.device, found.tuning)


def compiled(task: Task, via: str, options: Options, tuning: Tuning | None = None) -> Compiled:
    """Return the task compiled for one engine, with ``tuning`` if it is given.

    Raises SourceError, PassFailed, DeviceError.
    """
    if tuning is not None:
        options = evolve(options, tunings={task.signature.name: tuning})
    return _c(task, options) if via == "c" else _opencl(task, options)


def _lowered(task: Task, options: Options) -> tuple[ImpProgram, float]:
    """Return the task as IMP, and the seconds that its passes took."""
    start = perf_counter()
    imp, _ = machine_code(task.program, options)
    return imp, perf_counter() - start


def _tuning(task: Task, options: Options) -> Tuning:
    return (options.tunings or NONE).get(task.signature.name, DEFAULT)


def _c(task: Task, options: Options) -> Compiled:
    from funmem.codegen.c import compile_c
    from funmem.codegen.c_library import CLibrary

    options = with_tunings(task.program, options)
    imp, passes = _lowered(task, options)
    start = perf_counter()
    printed = compile_c(imp, "program", safe=options.safe)
    printing = perf_counter() - start

    def build() -> Contender:
        start = perf_counter()
        entry = CLibrary.load(printed).entry(task.signature.name)
        costs = {"compile": passes + printing, "build": perf_counter() - start}

        def run() -> Run:
            start = perf_counter()
            call = entry.bound(task.args)
            bound = perf_counter()
            values = call.run()
            seconds = perf_counter() - bound
            return Run(seconds, lambda: as_arrays(values, task.signature), bound - start)

        return Contender("funmem-c", run, costs)

    return Compiled(imp, printed.source, "C with OpenMP", _tuning(task, options), build)


def _opencl(task: Task, options: Options) -> Compiled:
    from funmem.codegen.device import open_device
    from funmem.codegen.opencl import compile_imp
    from funmem.codegen.plan_json import dumps
    from funmem.codegen.runtime import Executable

    device = open_device(options.device)
    options = options.for_device(gpu=device.info.is_gpu)
    options = with_tunings(task.program, options, partial(place_of_device, device.info))
    imp, passes = _lowered(task, options)
    start = perf_counter()
    groups = group_sizes(options.tunings or NONE)
    printed = compile_imp(imp, safe=options.safe, gpu=options.gpu, groups=groups)
    printing = perf_counter() - start

    def build() -> Contender:
        start = perf_counter()
        entry = Executable.load(printed, device, None).entry(task.signature.name)
        costs = {"compile": passes + printing, "build": perf_counter() - start}

        def run() -> Run:
            values: Sequence[Value] = entry.run(task.args)
            spent = entry.stats.seconds
            moved = spent.pass_in + spent.hand_back
            return Run(spent.run, lambda: as_arrays(values, task.signature), moved)

        return Contender("funmem-opencl", run, costs)

    code = printed.source + dumps(printed.plan)
    return Compiled(imp, code, device.info.name, _tuning(task, options), build)
