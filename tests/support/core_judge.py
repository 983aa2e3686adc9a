"""The Core interpreter as the judge of the passes on Core: a program means the same after each.

    python -m tests.support.core_judge [PATH …]     all cases of every .fut and .nova program below;
                                                    default: of all

The judge is :mod:`funmem.testing.judge.core`, which also serves ``--verify-each=values``.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from funmem.driver.compilation import foreign_table
from funmem.driver.foreign_files import foreign_code
from funmem.driver.options import Options
from funmem.driver.source import read
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import Diagnostic, InputError, SourceError
from funmem.ir.fun import FunProgram
from funmem.passes.core import to_fun_by
from funmem.passes.framework import as_core
from funmem.passes.registry import find
from funmem.passes.runner import check_types
from funmem.suite import values
from funmem.suite.reader import read_spec
from funmem.suite.spec import Script
from funmem.testing.judge.core import Call as Call
from funmem.testing.judge.core import Trapped as Trapped
from funmem.testing.judge.core import disagree as disagree
from funmem.testing.judge.core import elements, judge_stages
from funmem.testing.judge.core import fun_outcome as fun_outcome
from funmem.testing.judge.core import makes_irregular as makes_irregular
from funmem.testing.judge.core import outcome as outcome
from tests.support.paths import TESTS

PROGRAMS = TESTS / "programs"

LARGE = 20_000
"""Cases with more elements are left out: the interpreter is made to be read."""


@frozen
class Stages:
    """A program before the passes on Core, after each, and as FUN if that can express it."""

    core: tuple[tuple[str, CoreProgram], ...]
    fun: FunProgram | None
    refused: Diagnostic | None = None


class Wrong(Exception):
    """After a pass the checker finds something, or the pass's postcondition does not hold."""


def examine(name: str, p: CoreProgram) -> None:
    """What must hold after a pass.  Raises Wrong."""
    try:
        check_types(p)
    except SourceError as e:
        raise Wrong(f"after {name}: {e}") from e
    for condition in () if name == "core" else find(name).post:
        if (d := condition.check(p)) is not None:
            raise Wrong(f"after {name}: {d.render()}")


def stages(program: CoreProgram) -> Stages:
    """Runs the passes, and the checks after each.  Raises Wrong."""
    seen: list[tuple[str, CoreProgram]] = []

    def note(name: str, p: CoreProgram) -> None:
        examine(name, p)
        seen.append((name, p))

    try:
        fun = to_fun_by(program, note)
    except SourceError as e:
        return Stages(tuple(seen), None, e.diagnostic)
    return Stages(tuple(seen), fun)


# ---------------------------------------------------------------------- a verdict


def judge(s: Stages, calls: Sequence[Call]) -> Iterator[str]:
    """What is wrong after which pass."""
    every = [*s.core, *([] if s.fun is None else [("to-fun", s.fun)])]
    for call in calls:
        yield from judge_stages(every, call)


# ---------------------------------------------------------------------- programs with test comments


def calls_of(path: Path) -> Iterator[Call]:
    """The calls that a program's test comments ask for; large ones are left out."""
    source = read(str(path))
    spec = read_spec(source.text, source.name, source.front_end.comment)
    foreign = foreign_table(Options(foreign=foreign_code(source)))
    for block in spec.blocks:
        for case in block.cases:
            if isinstance(case.input, Script):
                continue
            try:
                args = values.load(case.input, path.parent)
            except InputError:
                continue
            if elements(args) <= LARGE:
                yield from (Call(entry, args, foreign) for entry in block.entries)


@frozen
class Judgement:
    """What is wrong with a program, what FUN cannot express, and how many calls were compared."""

    wrong: tuple[str, ...]
    refused: Diagnostic | None
    calls: int


def judge_file(path: Path, most: int | None = None) -> Judgement:
    """A program and the first so many of its calls.  SourceError: it is no program."""
    source = read(str(path))
    s = stages(as_core(source.tree()))
    calls = list(calls_of(path))[:most]
    return Judgement(tuple(judge(s, calls)), s.refused, len(calls))


def _programs(folder: Path) -> list[Path]:
    return sorted([*folder.rglob("*.fut"), *folder.rglob("*.nova")])


def main(paths: Sequence[str]) -> int:
    """Judges programs; one line for each that is wrong or refused, then a summary."""
    where = [Path(p) for p in paths] or [PROGRAMS]
    files = [f for p in where for f in (_programs(p) if p.is_dir() else [p])]
    good = compared = bad = refused = 0
    for file in files:
        start = time.perf_counter()
        try:
            judgement = judge_file(file)
        except SourceError:
            continue  # what must be refused has tests of its own
        except Exception as e:  # one broken program must not hide the others
            judgement = Judgement((f"{type(e).__name__}: {str(e)[:200]}",), None, 0)
        compared += judgement.calls
        bad += bool(judgement.wrong)
        good += not judgement.wrong
        for line in judgement.wrong:
            print(f"{file}: {line}")
        if judgement.refused is not None:
            refused += 1
            print(f"{file}: {judgement.refused.message}")
        if (seconds := time.perf_counter() - start) > 10:
            print(f"{file}: took {seconds:.0f} s")
    print(f"{good} agree, {bad} do not, {refused} do not become FUN; {compared} calls")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
