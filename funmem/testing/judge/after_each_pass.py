"""Check a program after each pass: the implementation of ``--verify-each``.

    types     the program is well typed and has the pass's postconditions
    values    in addition, every interpreter of its level returns the results of the original
              program: value; from ``allocate`` on heap; from ``lower`` on IMP, in three orders

If a pass breaks the program, the error (:class:`Broken`) names the pass and its position in the
pipeline.  A reproducer is written: a file with the original program, an input, and the passes up to
the guilty one.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from funmem.codegen.files import write_files
from funmem.driver.entry_points import signature_of
from funmem.driver.process import require_entry_points
from funmem.driver.source import STDIN, Source
from funmem.driver.stages import pipeline_for, reorders
from funmem.interp.imp import Order
from funmem.ir.core import CoreProgram
from funmem.ir.diagnostics import (
    NOWHERE,
    DeviceError,
    Diagnostic,
    ExitCode,
    FunmemError,
    InputError,
    Span,
    UsageError,
)
from funmem.ir.fun import MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.record import define, evolve, frozen
from funmem.ir.signature import signature
from funmem.ir.text import show
from funmem.ir.values import ArgValue, Tolerance
from funmem.passes.framework import AnyProgram, Level, Report, StageProgram
from funmem.passes.pipeline import to_fun
from funmem.passes.registry import file_of
from funmem.passes.runner import After, PassFailed, Pipeline, Step
from funmem.suite import values
from funmem.suite.check import NEVER
from funmem.suite.reader import read_spec
from funmem.suite.spec import Script
from funmem.testing.campaign.reproducer import (
    case_of,
    local_passes,
    reproducer,
    show_arguments,
    with_passes,
)
from funmem.testing.campaign.trial import described
from funmem.testing.judge.program import (
    ANY_ORDER,
    Case,
    Outcome,
    define_outcome,
    engines,
    orders_to_run,
)
from funmem.testing.judge.time_limit import OutOfTime, limited
from funmem.testing.reduce import Failure, Reduced
from funmem.testing.reduce.inputs import entry_of
from funmem.verify.inputs import small_inputs

GENERATED = 6
"""Number of generated inputs for an entry point without inputs of its own."""

SECONDS = 2.0
"""Processor time for a generated input, in seconds; slower inputs are replaced."""


class Broken(FunmemError):
    """A pass broke the program, or the engines disagree on the original program."""

    def __init__(self, diagnostic: Diagnostic, failure: Failure, file: Path | None) -> None:
        super().__init__(diagnostic)
        self.failure = failure
        self.file = file
        crashed = failure.engine == "crash"
        self.exit_code = ExitCode.INTERNAL if crashed else ExitCode.DISAGREEMENT


@frozen
class ReproducerFolder:
    """The folder for reproducers, and the beginning of their file names."""

    folder: Path
    stem: str

    @staticmethod
    def of(source: Source, folder: Path) -> "ReproducerFolder":
        """Return the folder for a program file; reproducers are named after the program."""
        stem = "program" if source.name == STDIN else Path(source.name).stem
        return ReproducerFolder(folder, re.sub(r"[^\w.-]", "_", stem))

    def write(self, r: Reduced) -> Path:
        """Write a reproducer and return its path.

        The name contains the guilty pass, and a digest that distinguishes failures.
        """
        guilty = r.pipeline.steps[-1].what.name
        args = show_arguments(signature(entry_of(r.case)), r.case.args)
        what = show(r.case.program), r.case.entry, *args, str(r.pipeline)
        mark = hashlib.sha256("\n".join(what).encode()).hexdigest()[:8]
        file = self.folder / f"{self.stem}_{r.failure.steps}_{guilty}_{mark}.fun"
        write_files(self.folder, {file.name: reproducer(r, str(file))})
        return file


KnownOutcome: TypeAlias = tuple[Case, Outcome]
"""A program with an input, and its results on it."""


def run_each(
    program: AnyProgram,
    passes: Pipeline,
    known: Sequence[KnownOutcome],
    place: ReproducerFolder,
    *,
    report: Report | None = None,
    after: After | None = None,
) -> AnyProgram:
    """Return the program after all passes.

    After each pass it must be well typed and have the same results as in ``known``.  Raises Broken,
    and what :meth:`Pipeline.run` raises for a program that is wrong itself, or for a pass that does
    not apply to the program's level.
    """
    for case, want in known:
        if (wrong := _judged(program, case, want)) is not None:
            raise _before_any_pass(*described(wrong)) from wrong
    watch = _Watch(program, passes, known, place, after)
    try:
        return passes.run(program, report=report, after=watch)
    except PassFailed as e:
        kind = ("promises", e.promise) if e.promise else ("types", e.cause.code)
        piece = f"\n{e.piece}" if e.piece else ""
        raise watch.broken((*kind, e.cause.message), at=e.cause.at, piece=piece) from e
    except (FunmemError, RecursionError, MemoryError, OSError):
        raise
    except Exception as e:
        raise watch.broken(described(e)) from e


def _after_core(program: StageProgram) -> AnyProgram:
    """Return the program after the default passes on Core, with types and promises checked."""
    return to_fun(program) if isinstance(program, CoreProgram) else program


def verify_types(given: StageProgram, source: Source, folder: Path) -> None:
    """Run the default passes to IMP and check types and promises after each.

    Raises :class:`Broken` after writing a reproducer to ``folder``, PassFailed for passes on Core.
    """
    program = _after_core(given)
    passes = pipeline_for(program, Level.IMP)
    run_each(program, passes, (), ReproducerFolder.of(source, folder))


def verify_values(given: StageProgram, source: Source, folder: Path) -> None:
    """Run the default passes to IMP and compare the results after each.

    Of passes on Core and IMP programs only types and promises are checked: ``--via core`` compares
    the results.  Raises :class:`Broken` after writing a reproducer to ``folder``, PassFailed for
    passes on Core, and what :func:`known_of` raises.
    """
    program = _after_core(given)
    passes = pipeline_for(program, Level.IMP)
    known = () if isinstance(program, ImpProgram) else known_of(program, source)
    run_each(program, passes, known, ReproducerFolder.of(source, folder))


def _judged(
    p: AnyProgram, case: Case, want: Outcome, orders: Sequence[Order] = ANY_ORDER
) -> Exception | None:
    """Return the error if an engine of the program's level disagrees, or None."""
    try:
        for _, ask in engines(p, case, want, orders):
            ask()
    except Exception as e:  # an interpreter that crashes disagrees too: the program is well typed
        return e
    return None


@define
class _Watch:
    """Called after each pass: checks the program, and counts the passes done."""

    program: AnyProgram
    passes: Pipeline
    known: Sequence[KnownOutcome]
    place: ReproducerFolder
    then: After | None
    done: int = 0

    def __call__(self, step: Step, before: AnyProgram, after: AnyProgram) -> None:
        steps = self.passes.steps[: self.done + 1]
        rounded = reorders(steps)
        for known, want in self.known if after != before else ():
            orders = orders_to_run(steps, want)
            if not orders:
                continue
            case = evolve(known, tolerance=Tolerance() if rounded else None)
            if (wrong := _judged(after, case, want, orders)) is not None:
                raise self.broken(described(wrong), case) from wrong
        self.done += 1
        if self.then is not None:
            self.then(step, before, after)

    def broken(
        self,
        how: tuple[str, str, str],
        case: Case | None = None,
        at: Span = NOWHERE,
        piece: str = "",
    ) -> Broken:
        """Write the reproducer and return the error for the pass that just ran.

        ``how``: the engine that noticed, the code, the message.
        """
        failure = Failure(self.done + 1, *how)
        file, where, hint = self._reproduced(failure, case)
        guilty = self.passes.steps[self.done].what.name
        nth = f"{failure.steps} of {len(self.passes.steps)}"
        text = f"pass {guilty} ({nth}) broke the program: {_one_line(failure)}{where}{piece}"
        return Broken(Diagnostic(at, "pass-failed", text, hint), failure, file)

    def _reproduced(self, f: Failure, case: Case | None) -> tuple[Path | None, str, str]:
        """Write the reproducer.  Return its path, the part of the message that names it, and a
        hint.
        """
        case = case or next((c for c, _ in self.known), None)
        if case is None and not isinstance(self.program, ImpProgram):
            case = next((c for c, _ in generated(self.program, None)), None)
        if case is None:
            return None, "", "run the program with these passes to reproduce it"
        try:
            file = self.place.write(Reduced(case, Pipeline(self.passes.steps[: f.steps]), f))
        except UsageError as e:
            return None, "", f"no reproducer was written: {e.diagnostic.message}"
        own = local_passes(self.passes)
        command = shlex.join([*with_passes(own), "funmem", "reduce", str(file)])
        hint = f"`{command}` reduces it"
        if lost := [p.name for p in own if file_of(p) is None]:
            hint += f", with {', '.join(lost)} in a file that FUNMEM_PASSES names"
        return file, f"; reproducer: {file}", hint


def _one_line(f: Failure) -> str:
    """Return a failure in one line; for a crash the exception instead of its traceback."""
    lines = f.message.strip().splitlines() or [""]
    return f"{f.engine}: {f.code}: {lines[-1 if f.engine == 'crash' else 0]}"


def _before_any_pass(engine: str, code: str, message: str) -> Broken:
    failure = Failure(0, engine, code, message)
    text = f"the engines disagree on the program before any pass: {_one_line(failure)}"
    return Broken(Diagnostic(NOWHERE, "disagreement", text), failure, None)


# ---------------------------------------------------------------------- inputs


def known_of(
    program: AnyProgram,
    source: Source,
    entry: str | None = None,
    given: Sequence[ArgValue] | None = None,
) -> tuple[KnownOutcome, ...]:
    """Return the inputs for the comparison, for one entry point, or without a name for all.

    These are the ``given`` arguments, for the default entry point; or else for each entry point the
    inputs in test comments, or else small inputs (:mod:`funmem.verify.inputs`).  Raises UsageError
    for an IMP program, which has no level above to compare with, and if there is no such entry
    point; InputError if the given arguments do not fit, or no small input does.
    """
    if isinstance(program, ImpProgram):
        message = "an IMP program has no other level to compare with"
        raise UsageError(Diagnostic(NOWHERE, "level", message, "use --verify-each=types"))
    require_entry_points(source, "use --verify-each=types, or `funmem test --via ENGINE`")
    if given is not None:
        return (_known(program, signature_of(program, entry).name, given),)
    if entry is not None:
        signature_of(program, entry)
    found = list(_of_tests(program, source, entry))
    tested = {case.entry for case, _ in found}
    for e in program.entries:
        if entry not in (None, e.name) or e.name in tested:
            continue
        small = tuple(generated(program, e.name))
        if not small:
            message = f"not supported: no small input was found for `{e.name}`"
            hint = "give one with -i, or in a test comment"
            raise InputError(Diagnostic(NOWHERE, "not-supported", message, hint))
        found += small
    return tuple(found)


def _known(program: MemProgram, entry: str, args: Sequence[ArgValue]) -> KnownOutcome:
    case = case_of(program, entry, args)
    return case, define_outcome(case)


def _of_tests(program: MemProgram, source: Source, entry: str | None) -> Iterator[KnownOutcome]:
    """Yield the inputs in test comments that interpreters may run and that fit."""
    folder = Path(source.name).parent
    for block in read_spec(source.text, source.name, source.front_end.comment).blocks:
        for test in block.cases:
            if isinstance(test.input, Script) or test.tags & (NEVER | {"compiled"}):
                continue
            for name in block.entries:
                try:
                    if entry in (None, name):
                        yield _known(program, name, values.load(test.input, folder))
                except (InputError, DeviceError):  # possibly the expected outcome
                    continue


def generated(program: MemProgram, entry: str | None) -> Iterator[KnownOutcome]:
    """Yield the first small inputs of one entry point, or of each, that fit and
    take little time.
    """
    for e in program.entries:
        found = 0
        for args in small_inputs(e, 20 * GENERATED) if entry in (None, e.name) else ():
            try:
                with limited(SECONDS):
                    known = _known(program, e.name, args)
            except (InputError, DeviceError, OutOfTime):
                continue
            yield known
            found += 1
            if found == GENERATED:
                break
