"""Check one program against its test comments."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field

from funmem.driver.engines import Runner
from funmem.driver.options import Engine
from funmem.driver.source import Source, read
from funmem.ir.diagnostics import (
    NOWHERE,
    Diagnostic,
    InputError,
    SourceError,
    Span,
    Trap,
    UsageError,
)
from funmem.ir.record import define, frozen
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue, Value, spread
from funmem.passes.framework import StageProgram
from funmem.passes.runner import check_types
from funmem.suite import values
from funmem.suite.errors import classify, compile_error, run_time_error, unsupported
from funmem.suite.process import differences, read_process_spec
from funmem.suite.program import Compiled, compile_source
from funmem.suite.reader import read_spec
from funmem.suite.reference import small_draw
from funmem.suite.script import Scripts
from funmem.suite.spec import AutoOutput, Block, Case, Message, Output, Random, Script, Spec
from funmem.suite.values import Known
from funmem.suite.verdict import WHOLE, Finding, Status, Verdict, Where

NEVER = frozenset({"disable", "notest"})
"""Tags that exclude a program or a case."""

Progress = Callable[[str], None]
"""Receives a description of each step before it starts, so that a timeout or crash can name the
step.
"""

Verifier = Callable[[StageProgram, Source, Path], None]
"""Runs the default passes and checks the program after each.  Raises an error for what is wrong.

The folder receives reproducers.  It is a module-level function, so that a worker can import it.
"""


@frozen
class Plan:
    """The options that apply to every program."""

    vias: tuple[str, ...] = ("value",)
    exclude: tuple[str, ...] = ()
    structure: bool = False
    device: str | None = None
    verify: Verifier | None = None
    verify_out: str = "verify-out"

    def leaves_out(self, tags: frozenset[str], via: str) -> bool:
        """True if a program or case with these tags is not run by the engine ``via``."""
        return bool(tags & (NEVER | {*self.exclude, f"no_{via}"}))


def check_file(path: str, plan: Plan, progress: Progress = lambda _: None) -> Verdict:
    """Return the verdict on a program and its test comments.

    No program makes it raise an exception.
    """
    start = time.perf_counter()
    found = _Found(path)
    excluded = False
    try:
        excluded = _check(path, plan, progress, found)
    except Exception as error:  # bugs of the compiler are findings too
        found.error(error, found.file)
    seconds = time.perf_counter() - start
    findings, notes = tuple(found.findings), tuple(found.notes)
    return Verdict(path, found.checks, findings, excluded, found.bare, seconds, notes)


@define
class _Found:
    """The checks done so far, and their findings."""

    path: str
    checks: int = 0
    bare: bool = False
    findings: list[Finding] = field(factory=list)
    notes: list[str] = field(factory=list)

    @property
    def file(self) -> Span:
        """The place of a finding that concerns the whole program."""
        return Span(self.path, 0, 0, 0)

    def add(
        self,
        status: Status,
        kind: str,
        reason: str,
        at: Span,
        where: Where = WHOLE,
        values: tuple[str, str] = ("", ""),
    ) -> None:
        """Record a check that did not pass."""
        place = str(at) if at.line else self.path
        self.findings.append(Finding(status, kind, reason, place, where, *values))

    def error(self, error: Exception, at: Span, where: Where = WHOLE) -> None:
        """Record an error that no test expected.

        If it belongs to a case, the finding is placed at the case; the error's own place goes into
        the text.
        """
        status, kind, message, origin = classify(error)
        if origin in (NOWHERE, at):
            self.add(status, kind, message, at, where)
        elif where.case:
            self.add(status, kind, f"{origin}: {message}", at, where)
        else:
            self.add(status, kind, message, origin, where)


# ---------------------------------------------------------------------- compilation


def _is_process(source: Source) -> bool:
    """True if a program is tested as a process; so is a wrong one, which its comment may expect."""
    from funmem.driver.process import is_process

    try:
        return is_process(source)
    except SourceError:
        return True


def _check(path: str, plan: Plan, progress: Progress, found: _Found) -> bool:
    """Do all checks in order.  Return True if the program is excluded."""
    progress("reading")
    source = read(path)
    if source.front_end.process is not None and _is_process(source):
        return _process(source, plan, found)
    try:
        spec = read_spec(source.text, source.name, source.front_end.comment)
    except SourceError as error:
        found.add(Status.FAIL, "broken test comment", error.diagnostic.message, error.diagnostic.at)
        return False
    says = spec.rejected is not None or spec.blocks or spec.counts or spec.warnings
    found.bare = plan.verify is None and not says
    vias = [v for v in plan.vias if not plan.leaves_out(spec.tags, v)]
    if not vias:
        return True
    progress("compiling")
    found.checks += 1
    compiled = compile_source(source)
    if spec.rejected is not None:
        _rejected(spec.rejected, compiled, found)
    elif not isinstance(compiled, Compiled):
        if not (_is_library(compiled) and not spec.blocks):
            found.error(SourceError(compiled[0]), found.file)
    else:
        if plan.structure:
            _count(compiled, spec, progress, found)
        if spec.warnings:
            _warned(spec.warnings, source, found)
        if plan.verify is not None:
            _verify(compiled, source, plan.verify, Path(plan.verify_out), progress, found)
        if compiled.core is None:
            vias = [v for v in vias if v != Engine.CORE.value]
        if not vias:
            return True
        runners = _prepare(compiled, vias, plan, progress, found)
        cases = _Cases(plan, progress, found, compiled, runners, Path(path).parent)
        for block in spec.blocks:
            cases.block(block)
    return False


def _process(source: Source, plan: Plan, found: _Found) -> bool:
    """Check a program that runs as a process.  Return True if no engine asked for runs it."""
    spec = read_process_spec(source.text, source.name)
    found.bare = spec is None
    if spec is None:
        found.checks += 1
        check_types(source.tree())
        return False
    vias = plan.vias
    if spec.only_core or spec.rejected:
        vias = tuple(v for v in vias if v in (Engine.CORE.value, Engine.VALUE.value))[:1]
    for via in vias:
        engine = Engine.CORE if spec.only_core or spec.rejected else Engine.named(via)
        found.checks += 1
        where = Where(via=engine.value)
        try:
            wrong = differences(source, spec, engine, plan.device)
        except Exception as error:
            found.error(error, found.file, where)
            continue
        for what, expected, got in wrong:
            found.add(Status.FAIL, what, what, found.file, where, (expected, got))
    return not vias


def _warned(wanted: Sequence[Message], source: Source, found: _Found) -> None:
    """Check that each expected warning is given."""
    warnings = source.front_end.warnings
    said = [] if warnings is None else warnings(source.text, source.name)
    text = "\n".join(f"Warning at {d.at.line}:{d.at.col}-{d.at.end}:\n{d.message}" for d in said)
    for warning in wanted:
        found.checks += 1
        if warning.matches(text):
            continue
        if said or (warnings is not None and "nused" in warning.text):
            got = ", ".join(d.message for d in said) or "none"
            what = f"expected the warning `{warning.text}`, got {got}"
            found.add(Status.FAIL, "a different warning than expected", what, found.file)
        else:
            what = f"not supported: this warning (`{warning.text}` is expected)"
            found.add(Status.UNSUPPORTED, "not supported: this warning", what, found.file)


def _is_library(compiled: tuple[Diagnostic, ...]) -> bool:
    """True if the only error is that the program has no entry point."""
    return [d.code for d in compiled] == ["no-entry"]


def _rejected(wanted: Message, compiled: Compiled | tuple[Diagnostic, ...], found: _Found) -> None:
    """Check a program that must not compile."""
    if isinstance(compiled, Compiled):
        found.add(Status.FAIL, "compiles, but must not", _no_error(wanted), found.file)
        return
    for d in compiled:
        if unsupported(error := SourceError(d)) is not None:
            found.error(error, found.file)
            return
    if not wanted.matches("\n".join(map(compile_error, compiled))):
        _other_error(wanted, compiled[0], compiled[0].at, found)


def _no_error(wanted: Message) -> str:
    return f"expected the error `{wanted.text}`" if wanted.text else "expected an error"


def _other_error(
    wanted: Message, got: Diagnostic, at: Span, found: _Found, where: Where = WHOLE
) -> None:
    what = f"expected `{wanted.text}`, got `{got.message}`"
    found.add(Status.FAIL, "a different error than expected", what, at, where)


def _count(compiled: Compiled, spec: Spec, progress: Progress, found: _Found) -> None:
    """Compare the numbers of nodes with the ``structure`` comments."""
    for count in spec.counts:
        for node, wanted in count.nodes:
            progress(f"counting {node}")
            found.checks += 1
            try:
                got = compiled.occurrences(node, count.stage)
            except Exception as error:
                found.error(error, count.at)
                continue
            if got != wanted:
                what = f"{node} occurs {got} time(s) at {count.stage}, expected {wanted}"
                found.add(Status.FAIL, "wrong number of nodes", what, count.at)


def _verify(
    compiled: Compiled,
    source: Source,
    verify: Verifier,
    folder: Path,
    progress: Progress,
    found: _Found,
) -> None:
    """Run the default passes and check the program after each."""
    progress("checking after each pass")
    found.checks += 1
    try:
        verify(compiled.program if compiled.core is None else compiled.core, source, folder)
    except Exception as error:
        found.error(error, found.file)


def _prepare(
    compiled: Compiled, vias: Sequence[str], plan: Plan, progress: Progress, found: _Found
) -> dict[str, Runner]:
    """Return the program compiled for each engine, without the engines that fail."""
    runners: dict[str, Runner] = {}
    for via in vias:
        progress(f"compiling via {via}")
        found.checks += 1
        try:
            runners[via] = compiled.ready(Engine.named(via), plan.device)
        except Exception as error:
            found.error(error, found.file, Where(via=via))
    return runners


# ---------------------------------------------------------------------- runs


@frozen
class _Cases:
    """The cases of a program that compiles."""

    plan: Plan
    progress: Progress
    found: _Found
    compiled: Compiled
    runners: Mapping[str, Runner]
    folder: Path

    def block(self, block: Block) -> None:
        """Run each case on each entry point by each engine."""
        signatures: list[Signature] = []
        for name in block.entries if block.cases else ():
            try:
                signatures.append(self.compiled.entry(name))
            except UsageError as error:
                d = error.diagnostic
                what = f"{d.message}; {d.hint}" if d.hint else d.message
                self.found.add(Status.FAIL, "no such entry point", what, block.cases[0].at)
        for case in block.cases:
            if signatures and any(self._vias(case)):
                self._case(case, signatures)

    def _vias(self, case: Case) -> Iterator[str]:
        """Yield the engines that run a case: interpreters skip cases with the tag ``compiled``."""
        for via in self.runners:
            interprets = Engine.named(via).interprets
            if not (
                self.plan.leaves_out(case.tags, via) or (interprets and "compiled" in case.tags)
            ):
                yield via

    def _case(self, case: Case, signatures: Sequence[Signature]) -> None:
        where = Where(case=case.label)
        self.progress(f"{where}: reading values")
        for s in signatures:
            try:
                args = self._arguments(case, s)
                wanted = self._given(case, s)
            except InputError as error:
                d = error.diagnostic
                self.found.add(Status.FAIL, "unreadable values", d.message, case.at, where)
                return
            except Exception as error:  # raised by a script
                self.found.error(error, case.at, where)
                return
            self._call(case, s, args, wanted)

    def _arguments(self, case: Case, s: Signature) -> tuple[ArgValue, ...]:
        """Return the input of a case.  Raises InputError, and whatever a script's entry points
        raise.
        """
        if not isinstance(case.input, Script):
            return values.arguments(s, values.load(case.input, self.folder, s.params))
        self.progress(f"{case.label}: running the script of the input")
        scripts = Scripts(self.compiled.reference, self.compiled.entry, self.folder)
        return scripts.load(case.input, s)

    def _given(self, case: Case, s: Signature) -> list[Known] | None:
        """Return the results that the case states, or None.  Raises InputError."""
        if not isinstance(case.expected, Output):
            return None
        source = case.expected.source
        found = values.results(s, values.load(source, self.folder, s.results))
        return list(map(values.given, spread(s.results, found)))

    def _call(
        self,
        case: Case,
        s: Signature,
        args: Sequence[ArgValue],
        wanted: Sequence[Known] | None,
    ) -> None:
        """Run one entry point by each engine."""
        if (wrong := values.fits(s, args)) is not None:
            where = Where(s.name, case.label)
            self.found.add(Status.FAIL, "input of the wrong type", wrong, case.at, where)
            return
        vias = list(self._vias(case))
        if isinstance(case.expected, AutoOutput):
            where = Where(s.name, case.label)
            try:
                vias, wanted = self._auto(case, s, args, vias)
            except Exception as error:
                self.found.error(error, case.at, where)
                return
        for via in vias:
            self._attempt(case, s, args, wanted, Where(s.name, case.label, via))

    def _attempt(
        self,
        case: Case,
        s: Signature,
        args: Sequence[ArgValue],
        wanted: Sequence[Known] | None,
        where: Where,
    ) -> None:
        try:
            self._run(case, s, args, wanted, where)
        except Exception as error:
            self.found.error(error, case.at, where)

    def _auto(
        self, case: Case, s: Signature, args: Sequence[ArgValue], vias: Sequence[str]
    ) -> tuple[list[str], Sequence[Known]]:
        """Return the engines that run a case with ``auto output``, and the reference results.

        The reference is the value interpreter, or, if that takes too long, the plain program.  In
        the second case interpreters run only a small draw of the input, and the other engines run
        both. Raises what both references raise.
        """
        reference, where = self.compiled.reference, Where(s.name, case.label)
        self.progress(f"{where}: reference, via value")
        if (little := reference.by_value(s, args)) is not None:
            return list(vias), _known(s, little.values)
        drawn = small_draw(case.input) if isinstance(case.input, Random) else None
        about = "no small draw: the values are given"
        if drawn is not None:
            about = self._small(case, s, drawn, vias)
        compiled = [v for v in vias if not Engine.named(v).interprets]
        if not compiled:
            self.found.notes.append(f"{where}: {about}; large inputs run on compiled engines only")
            return [], []
        self.progress(f"{where}: reference, via the plain program")
        much = reference.by_plain(s, args)
        self.found.notes.append(f"{where}: checked against {much.by}; {about}")
        return compiled, _known(s, much.values)

    def _small(
        self, case: Case, s: Signature, drawn: Sequence[ArgValue], vias: Sequence[str]
    ) -> str:
        """Run a small draw by all engines and by the plain program.  Return a note about it."""
        reference, where = self.compiled.reference, Where(s.name, f"{case.label} (small draw)")
        try:
            wanted = reference.by_value(s, drawn)
        except (Trap, InputError) as error:
            return f"no small draw: it fails: {error.diagnostic.message}"
        if wanted is None:
            return "no small draw: it exceeds the budget of value"
        self.progress(f"{where}: the plain program")
        self.found.checks += 1
        try:
            if any(not Engine.named(v).interprets for v in vias):
                self._compare(case, reference.plain_mismatch(s, drawn, wanted), where)
        except Exception as error:
            self.found.error(error, case.at, where)
        for via in vias:
            at = Where(where.entry, where.case, via)
            self._attempt(case, s, drawn, _known(s, wanted.values), at)
        return "a small draw by value"

    def _compare(self, case: Case, m: values.Mismatch | None, where: Where) -> None:
        if m is not None:
            shown = (m.expected, m.actual)
            self.found.add(Status.FAIL, "wrong result", m.what, case.at, where, shown)

    def _run(
        self,
        case: Case,
        s: Signature,
        args: Sequence[ArgValue],
        wanted: Sequence[Known] | None,
        where: Where,
    ) -> None:
        """Run a case once.  Raises what the engine raises, except for an expected error."""
        self.progress(str(where))
        self.found.checks += 1
        try:
            got = _known(s, self.runners[where.via].run(s.name, args).laid_out(s))
        except (Trap, InputError) as error:
            if not isinstance(case.expected, Message):
                raise
            if not case.expected.matches(run_time_error(error.diagnostic)):
                _other_error(case.expected, error.diagnostic, case.at, self.found, where)
            return
        if isinstance(case.expected, Message):
            kind = "succeeds, but must not"
            self.found.add(Status.FAIL, kind, _no_error(case.expected), case.at, where)
        elif wanted is not None:
            self._compare(case, values.mismatch(wanted, got), where)


def _known(s: Signature, results: Sequence[Value]) -> list[Known]:
    return list(map(values.known, results, s.results))
