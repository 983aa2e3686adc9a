"""Predicted and measured peaks: ``python -m tests.peaks [-p PASSES] [-n N] [PATH ...]``.

Without a path, of the whole corpus; with -n of generated programs, measured without a device, after
memory passes in some order.

Each case of each program runs on PoCL, whose allocator measures; the memory plan predicts from the
sizes alone or, where sizes depend on data, with the interpreter of IMP.  Both numbers are equal to
the byte, and so is the formula, unless it says that it is a bound: then it is not less.
"""

import random
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from attrs import frozen

from funmem.codegen.memory_plan import Measured, MemoryPlan, Unknown, memory_plan, replay, traced
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.explain.interpret import Interpreter
from funmem.ir.diagnostics import FunmemError, InputError, SourceError, Trap
from funmem.ir.imp import ImpEntry, ImpProgram
from funmem.ir.values import ArgValue, ArrayValue, Signature, signature
from funmem.passes import registry
from funmem.passes.framework import Level, Pipeline, as_imp
from funmem.random_args import random_arguments
from funmem.source import read
from funmem.stages import pipeline_for
from funmem.suite import values
from funmem.suite.reader import read_spec
from funmem.suite.spec import Message, Script
from funmem.testing import generate
from tests.counting_device import CountingDevice
from tests.devices import pocl

ROOT = Path(__file__).parent.parent
FOLDERS = ("examples", "papers/applications", "papers/comprehensions", "tests/programs")
NOT_PROGRAMS = {"errors", "typeerrors", "lib"}
LARGEST = 20_000
"""Bytes of arguments: interpreters run these cases, too."""


@frozen
class Peak:
    """What was said of one run, in bytes; ``exact``: of the formula."""

    path: str
    entry: str
    measured: int
    predicted: int
    formula: int
    exact: bool
    needs_data: bool

    @property
    def right(self) -> bool:
        agrees = self.formula == self.measured if self.exact else self.formula >= self.measured
        return self.predicted == self.measured and agrees

    def __str__(self) -> str:
        what = "formula" if self.exact else "bound"
        numbers = f"predicted {self.predicted}, {what} {self.formula}, measured {self.measured}"
        return f"{self.path}: {self.entry}: {numbers}"


def corpus(*paths: Path) -> list[Path]:
    """These programs and those in these folders; without any, all that should compile."""
    folders = [p for p in paths if p.is_dir()] if paths else [ROOT / d for d in FOLDERS]
    files = [f for d in folders for s in (".fun", ".fut") for f in d.rglob(f"*{s}")]
    files += [p for p in paths if p.is_file()]
    return sorted(f for f in files if not NOT_PROGRAMS & {*f.parts})


@cache
def to_imp(path: Path, pipeline: Pipeline | None = None) -> ImpProgram:
    """The program in IMP, as a CPU gets it."""
    program = read(str(path)).parse()
    return as_imp(pipeline_for(program, Level.IMP, pipeline).run(program))


def peaks(path: Path, *, most: int = 1000, pipeline: Pipeline | None = None) -> Iterator[Peak]:
    """The peaks of the first ``most`` cases of a program.  Raises SourceError."""
    program = to_imp(path, pipeline)
    exe = Executable.load(compile_imp(program, safe=True), pocl(), None)
    for e, args in list(cases(path, program))[:most]:
        point = exe.entry(e.name)
        try:
            point.run(args)
        except (Trap, InputError):
            continue
        ready = traced(e)
        plan = memory_plan(ready.plan)
        measured, needs_data = predicted(plan, Interpreter(e, ready), args)
        number = plan.peak.value(measured.quantities)
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
        got = point.stats.peak_bytes
        yield Peak(name, e.name, got, measured.peak, number, plan.peak.exact, needs_data)


def predicted(
    plan: MemoryPlan, device: Interpreter, args: Sequence[ArgValue]
) -> tuple[Measured, bool]:
    """What a run will hold, and whether that took more than its sizes and scalars."""
    given = device.given(args)
    try:
        return replay(plan, given), False
    except Unknown:
        return replay(plan, given, device), True


def generated_peak(seed: int, pipeline: Pipeline) -> Peak | None:
    """The peaks of a generated program, measured without a device; None if it traps."""
    g = generate(seed)
    program = as_imp(pipeline.run(g.program, verify=False))
    e = next(e for e in program.entries if e.name == g.entry)
    ready = traced(e)
    plan = memory_plan(ready.plan)
    try:
        measured = CountingDevice(e, ready).peak(g.args)
    except Trap:
        return None
    numbers, needs_data = predicted(plan, Interpreter(e, ready), g.args)
    formula = plan.peak.value(numbers.quantities)
    name = f"seed {seed}: {pipeline}"
    return Peak(name, e.name, measured, numbers.peak, formula, plan.peak.exact, needs_data)


def in_some_order(seed: int) -> Pipeline:
    """A pipeline of all memory passes in an order that the seed chooses."""
    middle = [p for p in MEMORY if p.partition("{")[0] in registry.names()]
    chosen = random.Random(seed)
    chosen.shuffle(middle)
    kept = middle[chosen.randrange(len(middle)) :]
    start = chosen.choice(["", "simplify,fuse,nest,schedule,simplify,"])
    layout = chosen.choice(["contiguous", "interleaved"])
    end = f"hoist,expand{{layout={layout}}},sequentialise,lower"
    return Pipeline.parse(f"{start}allocate,{','.join([*kept, end])}")


MEMORY = ("simplify", "hoist", "double-buffer", "short-circuit", "merge", "expand", "simplify")
"""Passes between ``allocate`` and what a kernel needs; those that there are."""


# ---------------------------------------------------------------------- cases


def cases(path: Path, program: ImpProgram) -> Iterator[tuple[ImpEntry, Sequence[ArgValue]]]:
    """Entry points and arguments: those of the test comments, or else random ones."""
    entries = {e.name: (e, signature(e)) for e in program.entries}
    spec = read_spec(path.read_text(), path.name)
    found = False
    for block in spec.blocks:
        for case in block.cases:
            if isinstance(case.input, Script) or isinstance(case.expected, Message):
                continue
            args = values.load(case.input, path.parent)
            for name in block.entries:
                found = True
                if name in entries and _bytes(args) <= LARGEST:
                    yield entries[name][0], args
    if not found:
        for e, s in entries.values():
            for n in (5, 1, 0):
                yield e, random_arguments(s, _sizes(s, n), n)


def _sizes(s: Signature, n: int) -> dict[str, int]:
    return dict.fromkeys(s.sizes, n)


def _bytes(args: Sequence[ArgValue]) -> int:
    return sum(
        a.data.nbytes if isinstance(a, ArrayValue) else getattr(a, "nbytes", 8) for a in args
    )


def jobs(asked: Namespace) -> Iterator[tuple[str, Callable[[], list[Peak]]]]:
    """What was asked for: generated programs, or those of files."""
    for seed in range(asked.seed, asked.seed + asked.generated):
        pipeline = asked.pipeline or in_some_order(seed)

        def one(seed: int = seed, pipeline: Pipeline = pipeline) -> list[Peak]:
            peak = generated_peak(seed, pipeline)
            return [] if peak is None else [peak]

        yield f"seed {seed}: {pipeline}", one
    for path in () if asked.generated else corpus(*(p.resolve() for p in asked.paths)):
        yield str(path), partial(lambda p: list(peaks(p, pipeline=asked.pipeline)), path)


def main(args: Sequence[str]) -> int:
    """Prints what is wrong and a summary; 1 if anything is."""
    given = ArgumentParser(prog="python -m tests.peaks")
    given.add_argument("-p", "--pipeline", type=Pipeline.parse, help="instead of the default one")
    given.add_argument("-n", "--generated", type=int, default=0, help="so many generated programs")
    given.add_argument("--seed", type=int, default=0, help="the first one's")
    given.add_argument("paths", type=Path, nargs="*")
    asked = given.parse_args(args)
    runs = wrong = bounds = data = programs = 0
    for name, find in jobs(asked):
        try:
            found = find()
        except SourceError as error:
            print(f"{name}: not compiled: {error.diagnostic.message}"[:120])
            continue
        except FunmemError as error:
            print(f"{name}: {error}")
            wrong += 1
            continue
        programs += bool(found)
        for peak in found:
            runs += 1
            bounds += not peak.exact
            data += peak.needs_data
            if not peak.right:
                wrong += 1
                print(peak)
    print(
        f"{runs} runs of {programs} programs: {wrong} wrong; the formula was a bound in {bounds};"
    )
    print(f"{data} runs needed data")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
