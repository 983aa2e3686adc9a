"""Core/r against Core: a program with regions means what it means without them.

    python -m tests.support.region_programs [PATH …]     all .kfc, .nova and .fut programs below;
                                                         default: of tests/programs
    python -m tests.support.region_programs -n 2000      generated programs of Core

For each choice of regions: the checker accepts what inference makes, erasing it gives the program
back, its text reads back, and the interpreter of Core/r gives the results, the traps and the output
of Core's interpreter, without a fault, and ends all regions but the static one.
"""

import io
import random
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from funmem.driver.compilation import foreign_table
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.interp.core.regions import Memory, run_regions
from funmem.ir.check.regions import check_regions
from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import (
    DeviceError,
    InputError,
    MemoryFault,
    SourceError,
    Stuck,
    Trap,
    TrapKind,
)
from funmem.ir.regions import erase
from funmem.ir.text import parse_core
from funmem.ir.text.print_core import show_core
from funmem.passes.core.monomorphise import monomorphise
from funmem.passes.core.regions import Placement, Strategy, infer_regions
from funmem.passes.framework import as_core
from funmem.testing.judge.core import Outcome
from tests.support import closure_programs, recursive_programs
from tests.support.core_judge import (
    PROGRAMS,
    Call,
    Trapped,
    calls_of,
    disagree,
    outcome,
)

Printed = Callable[[], bytes]
Calls = Callable[[], Sequence[tuple[Call, Printed]]]
"""Makes calls, and functions that return what each printed.  Effects need new ones for each run."""

CHOICES = tuple((s, p) for s in Strategy for p in Placement)
INFERRED = (Strategy.INFERRED, Placement.TIGHT)


def monomorphic(path: Path) -> CoreProgram:
    """The program of a file, without type parameters.  SourceError: it is no program."""
    with deep():
        return monomorphise(as_core(read(str(path)).tree()))


def calls(path: Path, p: CoreProgram, most: int = 3) -> Calls:
    """The calls that test comments ask for; a process is run once."""
    source = read(str(path))
    make = source.front_end.process
    if make is None:
        found = [(call, bytes) for call in list(calls_of(path))[:most]]
        return lambda: found

    def run() -> list[tuple[Call, Printed]]:
        process, out = make([source.name]), io.BytesIO()
        process.out = out
        table = foreign_table(Options(foreign=process.code(p)), interpreted=True)
        return [(Call("main", (), table), out.getvalue)]

    return run


def region_outcome(p: CoreProgram, call: Call) -> tuple[Outcome, Memory | None]:
    """The outcome of a run with regions, and what it took if it did not trap."""
    try:
        return run_regions(p, call.entry, call.args, call.foreign)
    except Trap as trap:
        return Trapped(trap.kind, trap.diagnostic.message), None
    except InputError:
        return Trapped(TrapKind.SHAPE, "the arguments do not fit"), None


def static_faults(p: CoreProgram, q: CoreProgram) -> Iterator[str]:
    """What is wrong with annotations before the program runs."""
    try:
        check_regions(q)
    except SourceError as e:
        yield f"{e.diagnostic.code}: {e.diagnostic.message}"
    if erase(q) != p:
        yield "the erased program is another one"
    with deep():
        if parse_core(show_core(q)) != q:
            yield "the text reads back as another program"


def dynamic_faults(p: CoreProgram, q: CoreProgram, calls: Calls) -> Iterator[str]:
    """What is wrong when the program runs."""
    for (plain, said), (annotated, says) in zip(calls(), calls(), strict=True):
        try:
            want = outcome(p, plain)
            got, memory = region_outcome(q, annotated)
        except DeviceError:
            continue  # too large, or too deep, for an interpreter
        if (d := disagree(want, got, words=True)) is not None:
            yield d
        if said() != says():
            yield f"it prints {says()[:50]!r}, not {said()[:50]!r}"
        if memory is not None and memory.alive != 1:
            yield f"{memory.alive} regions are alive at the end"


def faults(
    p: CoreProgram, calls: Calls, choices: Sequence[tuple[Strategy, Placement]] = (INFERRED,)
) -> Iterator[str]:
    """What is wrong with the regions of a monomorphic program."""
    for strategy, placement in choices:
        q = infer_regions(p, strategy, placement)
        wrong = [*static_faults(p, q), *dynamic_faults(p, q, calls)]
        yield from (f"{strategy.value}, {placement.value}: {text}" for text in wrong)


def mutants(q: CoreProgram, rng: random.Random, count: int) -> Iterator[CoreProgram]:
    """The program with one region somewhere replaced by another one of the program."""
    text = show_core(q)
    places = list(re.finditer(r"'(r\d+|static)\b", text))
    names = sorted({m[1] for m in places})
    for _ in range(count if len(names) > 1 else 0):
        m = rng.choice(places)
        other = rng.choice([x for x in names if x != m[1]])
        yield parse_core(f"{text[: m.start(1)]}{other}{text[m.end(1) :]}")


def mutant_faults(path: Path, count: int = 20) -> tuple[list[str], int, int]:
    """Faults of mutants that the checker accepts, and how many it accepts and refuses.

    The rules are sound: an accepted program uses no region after its end.
    """
    p = monomorphic(path)
    wrong: list[str] = []
    accepted = refused = 0
    with deep():
        for q in mutants(infer_regions(p), random.Random(str(path)), count):
            try:
                check_regions(q)
            except SourceError:
                refused += 1
                continue
            accepted += 1
            try:
                wrong += dynamic_faults(p, q, calls(path, p, 1))
            except (MemoryFault, Stuck) as fault:
                wrong.append(f"{fault}: {show_core(q)}")
    return wrong, accepted, refused


def judged(path: Path, choices: Sequence[tuple[Strategy, Placement]] = (INFERRED,)) -> list[str]:
    """What is wrong with the regions of a program; nothing, if it is refused."""
    try:
        p = monomorphic(path)
        return list(faults(p, calls(path, p), choices))
    except (SourceError, ValueError):  # ragged arguments have no size
        return []


def generated(seed: int, choices: Sequence[tuple[Strategy, Placement]] = CHOICES) -> list[str]:
    """What is wrong with a generated program: with closures, or with recursion."""
    if seed % 2:
        p, own = closure_programs.program(seed), closure_programs.calls(seed)
    else:
        p, own = parse_core(recursive_programs.generated(seed)), recursive_programs.calls(seed)
    with deep():
        p = monomorphise(p)
    return list(faults(p, lambda: [(call, bytes) for call in own], choices))


def main(args: Sequence[str]) -> int:
    """Judge programs; print a line for each fault."""
    parser = ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("-n", type=int, default=0)
    given = parser.parse_args(args)
    suffixes = (".kfc", ".nova", ".fut")
    files = [
        f
        for p in given.paths or ([] if given.n else [PROGRAMS])
        for f in (sorted(q for q in p.rglob("*") if q.suffix in suffixes) if p.is_dir() else [p])
    ]
    bad = 0
    for name, wrong in (
        *((str(f), judged(f)) for f in files),
        *((f"seed {k}", generated(k)) for k in range(given.n)),
    ):
        bad += bool(wrong)
        for text in wrong:
            print(f"{name}: {text}", flush=True)
    print(f"{len(files) + given.n - bad} programs agree, {bad} do not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
