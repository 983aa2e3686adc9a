"""funmem's engines as contenders: compiling, building, transfer and runs are timed apart."""

from collections.abc import Sequence
from time import perf_counter

from funmem.bench.contenders import Contender, Run
from funmem.bench.tasks import Task, as_arrays
from funmem.engines import Options, brought
from funmem.ir.frozen import frozen
from funmem.ir.imp import ImpProgram
from funmem.ir.values import Value
from funmem.passes.framework import Level, as_imp

VIAS = ("c", "opencl")


@frozen(eq=False)
class Ours:
    """A contender, and the IMP program that it runs."""

    contender: Contender
    imp: ImpProgram
    device: str


def contender(task: Task, via: str, options: Options) -> Ours:
    """The task by one engine; nothing comes from a cache.

    Raises SourceError, PassFailed, DeviceError.
    """
    return _c(task, options) if via == "c" else _opencl(task, options)


def _compiled(task: Task, options: Options, *, gpu: bool) -> tuple[ImpProgram, float]:
    start = perf_counter()
    staged, _ = brought(task.program, Level.IMP, options, gpu=gpu, safe=options.safe)
    return as_imp(staged), perf_counter() - start


def _c(task: Task, options: Options) -> Ours:
    from funmem.codegen.c import compile_c
    from funmem.codegen.c_library import CLibrary

    imp, passes = _compiled(task, options, gpu=False)
    start = perf_counter()
    printed = compile_c(imp, "program", safe=options.safe)
    printing = perf_counter() - start
    start = perf_counter()
    entry = CLibrary.load(printed).entry(task.signature.name)
    costs = {"compile": passes + printing, "build": perf_counter() - start}

    def run() -> Run:
        start = perf_counter()
        values = entry.run(task.args)
        return Run(perf_counter() - start, lambda: as_arrays(values, task.signature))

    return Ours(Contender("funmem-c", run, costs), imp, "C with OpenMP")


def _opencl(task: Task, options: Options) -> Ours:
    from funmem.codegen.device import open_device
    from funmem.codegen.opencl import compile_imp
    from funmem.codegen.runtime import Executable

    device = open_device(options.device)
    imp, passes = _compiled(task, options, gpu=device.info.is_gpu)
    start = perf_counter()
    compiled = compile_imp(imp, safe=options.safe)
    printing = perf_counter() - start
    start = perf_counter()
    entry = Executable.load(compiled, device, None).entry(task.signature.name)
    costs = {"compile": passes + printing, "build": perf_counter() - start}

    def run() -> Run:
        values: Sequence[Value] = entry.run(task.args)
        spent = entry.stats.seconds
        return Run(
            spent.run, lambda: as_arrays(values, task.signature), spent.pass_in + spent.hand_back
        )

    return Ours(Contender("funmem-opencl", run, costs), imp, device.info.name)
