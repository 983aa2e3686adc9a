"""What the compiler makes of many programs, as hashes: ``python -m tests.fingerprint``.

For a change that must not change what is compiled (a move, a renaming, a faster algorithm):

    python -m tests.fingerprint -o before.txt        # on the tree before
    python -m tests.fingerprint --against before.txt # on the tree after: nothing, or exit code 1

A line is a program, a kind of device, and a hash for each of: FUN, FUNMEM, IMP, OpenCL, C, and the
passes' remarks.  A program that cannot be compiled has the hash of its error.  ``--quick`` takes
tests/corpus, examples, 100 generated programs and a sample of the programs in papers and
tests/programs, which every front end has some of; otherwise all of these and 2,000 generated
programs are taken.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from functools import partial
from hashlib import sha256
from itertools import chain, starmap
from os import cpu_count
from pathlib import Path

from funmem.codegen.c import compile_c
from funmem.codegen.opencl import compile_imp
from funmem.codegen.plan_json import dumps
from funmem.driver.foreign_files import foreign_code
from funmem.driver.source import read
from funmem.driver.stages import default_pipeline, language
from funmem.ir.diagnostics import FunmemError
from funmem.ir.foreign import NONE, ForeignCode
from funmem.ir.imp import ImpProgram
from funmem.ir.record import evolve
from funmem.ir.text import show
from funmem.passes.framework import AnyProgram, Level, Report
from funmem.passes.registry import RENAMED
from funmem.testing import generate

ROOT = Path(__file__).parent.parent
QUICK, ALL = 100, 2000
"""How many generated programs."""

SAMPLE = 16
"""``--quick`` takes each SAMPLE-th program of a front end."""


def files(*, quick: bool) -> list[str]:
    """The programs that are files, relative to the root of the checkout."""
    whole = _glob("tests/corpus/*.fun*", "examples/*.fu*")
    for suffix in ("fun*", "fut", "nova", "kfc", "core"):
        found = _glob(f"papers/**/*.{suffix}", f"tests/programs/**/*.{suffix}")
        accepted = sorted(p for p in found if "/reject/" not in p)
        whole.update(accepted[:: SAMPLE if quick else 1])
    return sorted(whole)


def _glob(*patterns: str) -> set[str]:
    return {str(p.relative_to(ROOT)) for wanted in patterns for p in ROOT.glob(wanted)}


def fingerprint(name: str, *, gpu: bool) -> str:
    """The line of a file, or of the generated program of a seed."""
    kind = "gpu" if gpu else "cpu"
    return " ".join((name, kind, *starmap(_hashed, _texts(name, gpu=gpu))))


def _hashed(language: str, text: str) -> str:
    return f"{language}={sha256(text.encode()).hexdigest()[:16]}"


def _texts(name: str, *, gpu: bool) -> Iterator[tuple[str, str]]:
    """What the stages make of the program, up to an error."""
    try:
        yield from _compiled(*_program(name), gpu=gpu)
    except FunmemError as e:
        yield "error", str(e)


def _program(name: str) -> tuple[AnyProgram, ForeignCode]:
    if name.isdecimal():
        return generate(int(name)).program, NONE
    with chdir(ROOT):  # comments and remarks name the file as it is given here
        source = read(name)
        return source.parse(), foreign_code(source)


def _compiled(program: AnyProgram, foreign: ForeignCode, *, gpu: bool) -> Iterator[tuple[str, str]]:
    report = Report()
    for level in (Level.FUN, Level.FUNMEM, Level.IMP):
        start = language(program)
        if level is Level.FUN and start is not level:
            continue  # memory is in the source
        passes = default_pipeline(start, level, gpu=gpu)
        program = passes.run(program, verify=False, report=report)
        yield level.value, show(program)
    assert isinstance(program, ImpProgram)
    yield "OpenCL", _text_or_error(partial(_opencl, program, foreign, gpu=gpu))
    if not gpu:
        yield "C", _text_or_error(partial(_c, program, foreign))
    remarks = (
        evolve(r, pass_name=RENAMED.get(r.pass_name, r.pass_name))
        for r in report.remarks
        if r.condition != "compile time"  # whether a pass is slow depends on the machine
    )
    yield "remarks", "\n".join(map(str, remarks))


def _opencl(program: ImpProgram, foreign: ForeignCode, *, gpu: bool) -> str:
    compiled = compile_imp(program, gpu=gpu, foreign=foreign)
    return compiled.source + dumps(compiled)


def _c(program: ImpProgram, foreign: ForeignCode) -> str:
    library = compile_c(program, "program", foreign=foreign)
    return library.source + library.header


def _text_or_error(printed: Callable[[], str]) -> str:
    """Return the text of one target; a program that one target refuses may suit the other."""
    try:
        return printed()
    except FunmemError as e:
        return str(e)


def differences(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Each line that is not on both sides, with the languages in which they differ."""
    old = {tuple(x.split(" ")[:2]): x for x in before}
    new = {tuple(x.split(" ")[:2]): x for x in after}
    for key in sorted(old.keys() | new.keys()):
        match old.get(key), new.get(key):
            case None, str():
                yield f"{' '.join(key)}: only after"
            case str(), None:
                yield f"{' '.join(key)}: only before"
            case str(x), str(y) if x != y:
                parts = sorted({p.partition("=")[0] for p in {*x.split(" ")} ^ {*y.split(" ")}})
                yield f"{' '.join(key)}: {', '.join(parts)}"


def main() -> None:
    """The command."""
    parser = ArgumentParser(prog="python -m tests.fingerprint", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the corpus and 100 programs")
    parser.add_argument("-o", "--output", type=Path, help="where to write the lines")
    parser.add_argument("--against", type=Path, help="lines to compare with")
    options = parser.parse_args()
    names = files(quick=options.quick)
    names += map(str, range(QUICK if options.quick else ALL))
    with ProcessPoolExecutor(cpu_count()) as pool:
        kinds = (pool.map(partial(fingerprint, gpu=g), names, chunksize=8) for g in (False, True))
        lines = sorted(chain.from_iterable(kinds))
    text = "\n".join(lines)
    if options.output:
        options.output.write_text(f"{text}\n", encoding="utf-8")
    print(f"{len(lines)} lines, in all {sha256(text.encode()).hexdigest()[:16]}")
    if options.against:
        before = options.against.read_text(encoding="utf-8").splitlines()
        if found := list(differences(before, lines)):
            print("\n".join(found))
            sys.exit(1)


if __name__ == "__main__":
    main()
