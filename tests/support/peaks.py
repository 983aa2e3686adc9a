"""Predicted and measured peaks: ``python -m tests.support.peaks [-p PASSES] [PATH ...]``.

Without a path, of the whole corpus.  ``funmem fuzz`` asks the same of generated programs.

Each case of each program runs on PoCL, whose allocator measures; the memory plan predicts from the
sizes alone or, where sizes depend on data, with the interpreter of IMP.  Both numbers are equal to
the byte, and so is the formula, unless it says that it is a bound: then it is not less.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from funmem.codegen.memory_plan import memory_plan, traced
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.driver.source import read
from funmem.driver.stages import pipeline_for
from funmem.ir.diagnostics import FunmemError, InputError, SourceError, Trap
from funmem.ir.imp import ImpEntry, ImpProgram
from funmem.ir.signature import Signature, signature
from funmem.ir.values import ArgValue, ArrayValue
from funmem.passes.framework import Level, as_imp
from funmem.passes.runner import Pipeline
from funmem.suite import values
from funmem.suite.reader import read_spec
from funmem.suite.spec import Message, Script
from funmem.testing.judge.peaks import Peak, asked, predicted
from funmem.values.random_arguments import random_arguments
from tests.support.devices import pocl
from tests.support.paths import ROOT

FOLDERS = ("examples", "papers/applications", "papers/comprehensions", "tests/programs")
NOT_PROGRAMS = {"errors", "typeerrors", "lib"}
LARGEST = 20_000
"""Bytes of arguments: interpreters run these cases, too."""


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
        measured, needs_data = predicted(plan, e, ready, args)
        number = plan.peak.value(measured.quantities)
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
        got = point.stats.peak_bytes
        holds = plan.peak.holds(measured.quantities)
        exact, least = plan.peak.exact, asked(plan, e, args)
        yield Peak(name, e.name, got, measured.peak, number, exact, needs_data, holds, least)


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


def main(args: Sequence[str]) -> int:
    """Prints what is wrong and a summary; 1 if anything is."""
    given = ArgumentParser(prog="python -m tests.support.peaks")
    given.add_argument("-p", "--pipeline", type=Pipeline.parse, help="instead of the default one")
    given.add_argument("paths", type=Path, nargs="*")
    asked = given.parse_args(args)
    runs = wrong = bounds = data = programs = 0
    for path in corpus(*(p.resolve() for p in asked.paths)):
        try:
            found = list(peaks(path, pipeline=asked.pipeline))
        except SourceError as error:
            print(f"{path}: not compiled: {error.diagnostic.message}"[:120])
            continue
        except FunmemError as error:
            print(f"{path}: {error}")
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
