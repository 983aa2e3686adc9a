"""Pipelines: run a sequence of passes, measure and check each of them.

A pipeline is a tuple of passes with options.  Its text can be parsed again:

    allocate,hoist,expand{layout=interleaved}

The runner checks the level and the preconditions before each pass, and afterwards the types and the
postconditions, some of which compare the program with its former state.  A failure names the pass
and shows the smallest faulty piece of the program (:class:`PassFailed`).  A pass that takes over
five seconds leaves a remark.
"""

import re
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TypeAlias, cast, overload

from attrs import field

from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Diagnostic, ExitCode, FunmemError, SourceError, UsageError
from funmem.ir.imp import ImpProgram
from funmem.ir.record import frozen
from funmem.passes import registry
from funmem.passes.context import OptionValue, PassTiming, Remark, Report, usage_error
from funmem.passes.framework import (
    AnyProgram,
    Comparison,
    Level,
    Pass,
    StageProgram,
    levels_of,
)

# ---------------------------------------------------------------------- pipelines


@frozen
class Step:
    """One use of a pass: the pass, and its given options."""

    what: Pass
    options: tuple[tuple[str, OptionValue], ...] = ()

    def __str__(self) -> str:
        if not self.options:
            return self.what.name
        given = ",".join(f"{name}={_spell(value)}" for name, value in self.options)
        return f"{self.what.name}{{{given}}}"


def _spell(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


After: TypeAlias = Callable[[Step, AnyProgram, AnyProgram], None]
"""Called after each pass with the step, the program before it and the program after it."""

AfterAny: TypeAlias = Callable[[Step, StageProgram, StageProgram], None]
"""The same, also for passes on Core."""


def _steps(passes: Iterable[Step | Pass]) -> tuple[Step, ...]:
    return tuple(p if isinstance(p, Step) else Step(p) for p in passes)


@frozen
class Pipeline:
    """A sequence of passes with options; ``str`` returns the text that :meth:`parse` reads."""

    steps: tuple[Step, ...] = field(converter=_steps)

    @staticmethod
    def parse(text: str) -> "Pipeline":
        """Parse ``name{option=value,…},name,…``; raise :class:`UsageError` for other texts."""
        return Pipeline(tuple(_step(part, registry.find) for part in _split(text)))

    def __str__(self) -> str:
        return ",".join(map(str, self.steps))

    @overload
    def run(
        self,
        program: AnyProgram,
        *,
        verify: bool = True,
        report: Report | None = None,
        after: After | None = None,
    ) -> AnyProgram: ...

    @overload
    def run(
        self,
        program: StageProgram,
        *,
        verify: bool = True,
        report: Report | None = None,
        after: AfterAny | None = None,
    ) -> StageProgram: ...

    def run(
        self,
        program: StageProgram,
        *,
        verify: bool = True,
        report: Report | None = None,
        after: After | AfterAny | None = None,
    ) -> StageProgram:
        """Return the program after all passes.

        With ``verify``, types and conditions are checked before the first and after each pass.
        Raises :class:`PassFailed` if a pass breaks the program, and :class:`UsageError` if a pass
        does not work on the program's level.
        """
        with deep() if isinstance(program, CoreProgram) else nullcontext():
            return self._run(program, verify, report or Report(), cast("AfterAny | None", after))

    def _run(
        self,
        program: StageProgram,
        verify: bool,
        report: Report,
        after: AfterAny | None,
    ) -> StageProgram:
        levels = levels_of(program)
        if verify:
            check_types(program)
        for step in self.steps:
            before = program
            require_level(step.what, levels)
            if verify:
                require_preconditions(step.what, before)
            start = time.perf_counter()
            program = step.what.run(program, step.what.context(dict(step.options), report))
            done = time.perf_counter()
            if done - start > SLOW:
                report.remarks.append(_took_long(step.what, done - start))
            if step.what.output is not None:
                levels = frozenset({step.what.output})
            if verify:
                verify_step(step, before, program)
            checked = time.perf_counter()
            report.timings.append(PassTiming(step.what.name, done - start, checked - done))
            if after is not None:
                after(step, before, program)
        return program


SLOW = 5.0
"""The time in seconds above which a pass leaves a remark."""


def _took_long(p: Pass, seconds: float) -> Remark:
    return Remark(
        p.name, "the whole program", "compile time", f"this pass took {seconds:.1f} s", done=True
    )


def require_level(p: Pass, levels: frozenset[Level]) -> None:
    """Raise a :class:`UsageError` unless the pass works on a program of these levels."""
    if levels.isdisjoint(p.inputs):
        wants = " or ".join(level.value for level in p.inputs)
        has = " and ".join(sorted(level.value for level in levels))
        raise usage_error(f"pass {p.name} works on {wants}, but the program is {has}")


_STEP = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:\{([^{}]*)\})?\s*")


def _split(text: str) -> list[str]:
    """Return the parts between commas outside braces."""
    parts = re.findall(r"(?:[^,{}]|\{[^{}]*\})+", text)
    if ",".join(parts) != text:
        form = "name{option=value,…},name,…"
        raise usage_error(f"cannot parse the pipeline `{text}`; its form is {form}")
    return parts


def _step(text: str, find: Callable[[str], Pass]) -> Step:
    m = _STEP.fullmatch(text)
    if m is None:
        raise usage_error(f"cannot parse the pass `{text}`; its form is name{{option=value,…}}")
    what = find(m[1])
    given: list[tuple[str, OptionValue]] = []
    for part in (m[2] or "").split(",") if (m[2] or "").strip() else []:
        name, eq, value = (piece.strip() for piece in part.partition("="))
        if not eq:
            raise usage_error(
                f"an option of pass {what.name} has the form name=value, not `{part}`"
            )
        given.append((name, what.option(name).read(value)))
    return Step(what, tuple(given))


# ---------------------------------------------------------------------- verification


class PassFailed(FunmemError):
    """A pass turned a correct program into a wrong one: a bug of the pass.

    ``promise`` is the postcondition that does not hold; it is empty if the program is ill typed.
    """

    exit_code = ExitCode.DISAGREEMENT

    def __init__(self, what: Pass, cause: Diagnostic, piece: str, promise: str = "") -> None:
        message = f"pass {what.name} broke the program: [{cause.code}] {cause.message}"
        text = f"{message}\n{piece}" if piece else message
        super().__init__(Diagnostic(cause.at, "pass-failed", text, cause.hint))
        self.pass_name = what.name
        self.cause = cause
        self.piece = piece
        self.promise = promise


def check_types(p: StageProgram) -> None:
    """Check the types of a program of any level; raise :class:`SourceError` for a type error."""
    if isinstance(p, CoreProgram):
        from funmem.ir.check.core import check_core

        with deep():
            return check_core(p)
    from funmem.ir.check import check, check_imp

    return check_imp(p) if isinstance(p, ImpProgram) else check(p)


def require_preconditions(what: Pass, p: StageProgram) -> None:
    """Raise a :class:`UsageError` unless the program meets the pass's preconditions."""
    for condition in what.pre:
        if (wrong := condition.check(p)) is not None:
            message = f"pass {what.name} requires {condition.name}: {wrong.message}"
            raise UsageError(Diagnostic(wrong.at, "precondition", message, wrong.hint))


Fails: TypeAlias = Callable[[StageProgram], Diagnostic | None]
"""Returns the error of a program, or None."""


def promises(step: Step, before: StageProgram) -> tuple[tuple[str, Fails], ...]:
    """Return the postconditions of a use of a pass by name; ``before`` is the pass's input."""
    ctx = step.what.context(dict(step.options))

    def compared(c: Comparison) -> Fails:
        return lambda after: c.check(before, after, ctx)

    return (
        *((c.name, c.check) for c in step.what.post),
        *((c.name, compared(c)) for c in step.what.keeps),
    )


def verify_step(step: Step, before: StageProgram, after: StageProgram) -> None:
    """Raise :class:`PassFailed` unless the result is well typed and the postconditions hold.

    ``before`` is well typed, and so is an equal program: comparing takes less time than checking.
    """
    promised = promises(step, before)
    if before != after:
        promised = (("", _ill_typed), *promised)
    for promise, fails in promised:
        if (wrong := fails(after)) is not None:
            from funmem.passes.fault_attribution import smallest_piece

            raise PassFailed(step.what, wrong, smallest_piece(before, after, fails), promise)


def _ill_typed(p: StageProgram) -> Diagnostic | None:
    """Return the first type error, or None."""
    try:
        check_types(p)
    except SourceError as e:
        return e.diagnostic
    return None
