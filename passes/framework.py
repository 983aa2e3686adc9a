"""Passes and pipelines: how a pass is declared, chained, run, timed and checked.

A pass is a pure function from a program to a program, with a name, the level it works on (FUN,
FUNMEM, IMP), declared options, and named pre- and postconditions.  A pipeline is a literal tuple
of passes with options and has a text that reads back:

    allocate,hoist,expand{layout=interleaved}

The runner checks the level, the preconditions, then after each pass the types and the
postconditions, some of which compare the program with what it was.  A failure names the pass and
shows the smallest piece of the program that it can (:class:`PassFailed`).  Whatever a pass decides
*not* to do it records as a :class:`Remark`; the runner records a pass that took over five seconds.

A pass of your own, in ten lines:

    @mem_pass("list-copies", summary="a remark for every copy")
    def list_copies(p: MemProgram, ctx: Context) -> MemProgram:
        for e in p.entries:
            for s in walk(e.body):
                if isinstance(s.exp, Copy):
                    ctx.remark(s, "nothing is copied", f"{s.exp.x} is")
        return p

    report = Report()
    Pipeline([allocate, list_copies]).run(program, report=report)
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import wraps
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import (
    Diagnostic,
    ExitCode,
    FunmemError,
    SourceError,
    UsageError,
)
from funmem.ir.fun import Ann, Home, MemProgram, MemType, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.traverse import entry_binders, inner_binders, walk
from funmem.passes.context import Context as Context
from funmem.passes.context import Option as Option
from funmem.passes.context import OptionValue as OptionValue
from funmem.passes.context import PassTiming as PassTiming
from funmem.passes.context import Remark as Remark
from funmem.passes.context import Report as Report
from funmem.passes.context import usage_error

AnyProgram: TypeAlias = Program[Ann] | ImpProgram
"""FUN (no binder has a home), FUNMEM, or IMP."""


class Level(Enum):
    """The three languages a pass may work on."""

    FUN = "FUN"
    FUNMEM = "FUNMEM"
    IMP = "IMP"


def levels_of(p: AnyProgram) -> frozenset[Level]:
    """The levels a program belongs to: one, or FUN and FUNMEM if it has neither array nor block."""
    if isinstance(p, ImpProgram):
        return frozenset({Level.IMP})
    levels = frozenset({Level.FUN, Level.FUNMEM})
    for e in p.entries:
        stms = tuple(walk(e.body))
        binders = [*entry_binders(e)]
        for s in stms:
            binders += [*s.pat, *inner_binders(s.exp)]
        for b in binders:
            if isinstance(b.home, Home) or isinstance(b.type, MemType):
                return frozenset({Level.FUNMEM})
            if not isinstance(b.type, ScalarType):
                levels = frozenset({Level.FUN})
    return levels


# ---------------------------------------------------------------------- passes

Check: TypeAlias = Callable[[MemProgram], Diagnostic | None]
"""A named condition on FUN and FUNMEM programs: None, or what is wrong."""

Run: TypeAlias = Callable[[AnyProgram, Context], AnyProgram]


@frozen
class Condition:
    """A pre- or postcondition: its name, and the function that says what is wrong."""

    name: str
    check: Callable[[AnyProgram], Diagnostic | None]


Compare: TypeAlias = Callable[[MemProgram, MemProgram, Context], Diagnostic | None]
"""A named condition on a program before and after a pass with these options."""


@frozen
class Comparison:
    """A postcondition about what a pass was given and what it made of it."""

    name: str
    check: Callable[[AnyProgram, AnyProgram, Context], Diagnostic | None]


@frozen
class Pass:
    """A program transformation with everything a runner and a reader need to know of it."""

    name: str
    summary: str
    inputs: tuple[Level, ...]
    output: Level | None
    """None: the same level as the input."""
    run: Run = field(repr=False)
    options: tuple[Option, ...] = ()
    pre: tuple[Condition, ...] = ()
    post: tuple[Condition, ...] = ()
    keeps: tuple[Comparison, ...] = ()

    @property
    def ensures(self) -> tuple[str, ...]:
        """The names of its postconditions."""
        return (*(c.name for c in self.post), *(c.name for c in self.keeps))

    def option(self, name: str) -> Option:
        """A declared option, or a :class:`UsageError` that lists those there are."""
        for o in self.options:
            if o.name == name:
                return o
        known = ", ".join(o.name for o in self.options) or "none"
        raise usage_error(f"pass {self.name} has no option {name}", f"its options: {known}")

    def context(
        self, given: Mapping[str, OptionValue] | None = None, report: Report | None = None
    ) -> Context:
        """The context of one use: the defaults, and the options given to it."""
        values = {o.name: o.default for o in self.options} | dict(given or {})
        return Context(self.name, values, report)

    def __call__(self, program: AnyProgram, **options: OptionValue) -> AnyProgram:
        """The program after this pass alone, unchecked; for scripts: ``allocate(p)``."""
        for name in options:
            self.option(name)
        return self.run(program, self.context(options))


def as_tree(p: AnyProgram) -> MemProgram:
    """A FUN or FUNMEM program, or a :class:`UsageError`."""
    if isinstance(p, ImpProgram):
        raise usage_error("this pass works on FUN or FUNMEM, and was given an IMP program")
    return p


def as_imp(p: AnyProgram) -> ImpProgram:
    """An IMP program, or a :class:`UsageError`."""
    if not isinstance(p, ImpProgram):
        raise usage_error("this pass works on IMP, and was given a FUN or FUNMEM program")
    return p


def _conditions(checks: tuple[Check, ...]) -> tuple[Condition, ...]:
    def condition(check: Check) -> Condition:
        return Condition(check.__name__, lambda p: check(as_tree(p)))

    return tuple(condition(c) for c in checks)


def _comparisons(checks: tuple[Compare, ...]) -> tuple[Comparison, ...]:
    def comparison(check: Compare) -> Comparison:
        return Comparison(check.__name__, lambda p, q, ctx: check(as_tree(p), as_tree(q), ctx))

    return tuple(comparison(c) for c in checks)


TreeFn: TypeAlias = Callable[[MemProgram, Context], MemProgram]


def _tree_pass(
    inputs: tuple[Level, ...],
    output: Level | None,
    name: str,
    summary: str,
    options: tuple[Option, ...],
    pre: tuple[Check, ...],
    post: tuple[Check, ...],
    keeps: tuple[Compare, ...] = (),
) -> Callable[[TreeFn], Pass]:
    def declare(f: TreeFn) -> Pass:
        @wraps(f)
        def run(p: AnyProgram, ctx: Context) -> AnyProgram:
            return f(as_tree(p), ctx)

        return Pass(
            name,
            summary,
            inputs,
            output,
            run,
            options,
            _conditions(pre),
            _conditions(post),
            _comparisons(keeps),
        )

    return declare


def fun_pass(
    name: str,
    *,
    summary: str,
    options: tuple[Option, ...] = (),
    pre: tuple[Check, ...] = (),
    post: tuple[Check, ...] = (),
    output: Level = Level.FUN,
) -> Callable[[TreeFn], Pass]:
    """Declare a function on FUN programs as a pass; ``output`` if it leaves FUN."""
    return _tree_pass((Level.FUN,), output, name, summary, options, pre, post)


def mem_pass(
    name: str,
    *,
    summary: str,
    options: tuple[Option, ...] = (),
    pre: tuple[Check, ...] = (),
    post: tuple[Check, ...] = (),
    keeps: tuple[Compare, ...] = (),
) -> Callable[[TreeFn], Pass]:
    """Declare a function on FUNMEM programs as a pass."""
    return _tree_pass((Level.FUNMEM,), Level.FUNMEM, name, summary, options, pre, post, keeps)


def any_pass(
    name: str,
    *,
    summary: str,
    options: tuple[Option, ...] = (),
    pre: tuple[Check, ...] = (),
    post: tuple[Check, ...] = (),
) -> Callable[[TreeFn], Pass]:
    """Declare a function that keeps FUN in FUN and FUNMEM in FUNMEM as a pass."""
    return _tree_pass((Level.FUN, Level.FUNMEM), None, name, summary, options, pre, post)


def lowering_pass(
    name: str,
    *,
    summary: str,
    options: tuple[Option, ...] = (),
    pre: tuple[Check, ...] = (),
) -> Callable[[Callable[[MemProgram, Context], ImpProgram]], Pass]:
    """Declare a function from FUNMEM to IMP as a pass."""

    def declare(f: Callable[[MemProgram, Context], ImpProgram]) -> Pass:
        @wraps(f)
        def run(p: AnyProgram, ctx: Context) -> AnyProgram:
            return f(as_tree(p), ctx)

        return Pass(name, summary, (Level.FUNMEM,), Level.IMP, run, options, _conditions(pre))

    return declare


def imp_pass(
    name: str, *, summary: str, options: tuple[Option, ...] = ()
) -> Callable[[Callable[[ImpProgram, Context], ImpProgram]], Pass]:
    """Declare a function on IMP programs as a pass."""

    def declare(f: Callable[[ImpProgram, Context], ImpProgram]) -> Pass:
        @wraps(f)
        def run(p: AnyProgram, ctx: Context) -> AnyProgram:
            return f(as_imp(p), ctx)

        return Pass(name, summary, (Level.IMP,), Level.IMP, run, options)

    return declare


# ---------------------------------------------------------------------- pipelines


@frozen
class Step:
    """One use of a pass: the pass, and the options that differ from its defaults."""

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


def _steps(passes: Iterable[Step | Pass]) -> tuple[Step, ...]:
    return tuple(p if isinstance(p, Step) else Step(p) for p in passes)


@frozen
class Pipeline:
    """Passes in order, with options as :class:`Step`; ``str`` gives the text that :meth:`parse`
    reads.
    """

    steps: tuple[Step, ...] = field(converter=_steps)

    @staticmethod
    def parse(text: str) -> "Pipeline":
        """``name{option=value,…},name,…``; raises :class:`UsageError`."""
        from funmem.passes.registry import find

        return Pipeline(tuple(_step(part, find) for part in _split(text)))

    def __str__(self) -> str:
        return ",".join(map(str, self.steps))

    def run(
        self,
        program: AnyProgram,
        *,
        verify: bool = True,
        report: Report | None = None,
        after: After | None = None,
    ) -> AnyProgram:
        """The program after all passes.

        With ``verify`` types and conditions are checked before the first and after each pass.
        Raises :class:`PassFailed` if a pass breaks the program, :class:`UsageError` if a pass does
        not work on the level it meets.
        """
        report = report or Report()
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
"""Seconds after which the time that a pass took is a remark."""


def _took_long(p: Pass, seconds: float) -> Remark:
    return Remark(
        p.name, "the whole program", "compile time", f"this pass took {seconds:.1f} s", done=True
    )


def require_level(p: Pass, levels: frozenset[Level]) -> None:
    """Raise a :class:`UsageError` unless the pass works on a program of these levels."""
    if levels.isdisjoint(p.inputs):
        wants = " or ".join(level.value for level in p.inputs)
        has = " and ".join(sorted(level.value for level in levels))
        raise usage_error(f"pass {p.name} works on {wants}, but here the program is {has}")


_STEP = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:\{([^{}]*)\})?\s*")


def _split(text: str) -> list[str]:
    """The parts between those commas that stand outside braces."""
    parts = re.findall(r"(?:[^,{}]|\{[^{}]*\})+", text)
    if ",".join(parts) != text:
        raise usage_error(f"a pipeline is name{{option=value,…}},name,…; cannot read `{text}`")
    return parts


def _step(text: str, find: Callable[[str], Pass]) -> Step:
    m = _STEP.fullmatch(text)
    if m is None:
        raise usage_error(f"a pass is used as name or name{{option=value,…}}, not `{text}`")
    what = find(m[1])
    given: list[tuple[str, OptionValue]] = []
    for part in (m[2] or "").split(",") if (m[2] or "").strip() else []:
        name, eq, value = (piece.strip() for piece in part.partition("="))
        if not eq:
            raise usage_error(f"an option of pass {what.name} is given as name=value, not `{part}`")
        given.append((name, what.option(name).read(value)))
    return Step(what, tuple(given))


# ---------------------------------------------------------------------- verification


class PassFailed(FunmemError):
    """A pass turned a correct program into a wrong one: a disagreement, a bug of the pass.

    ``promise`` is the postcondition that does not hold; empty: the program is ill typed.
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


def check_types(p: AnyProgram) -> None:
    """Check the types of a program of any level; raises :class:`SourceError`."""
    from funmem.ir.check import check, check_imp

    if isinstance(p, ImpProgram):
        check_imp(p)
    else:
        check(p)


def require_preconditions(what: Pass, p: AnyProgram) -> None:
    """Raise a :class:`UsageError` unless the program is what the pass expects."""
    for condition in what.pre:
        if (wrong := condition.check(p)) is not None:
            message = f"pass {what.name} requires {condition.name}: {wrong.message}"
            raise UsageError(Diagnostic(wrong.at, "precondition", message, wrong.hint))


Fails: TypeAlias = Callable[[AnyProgram], Diagnostic | None]
"""What is wrong with a program, if anything is."""


def promises(step: Step, before: AnyProgram) -> tuple[tuple[str, Fails], ...]:
    """The postconditions of a use of a pass, by name; ``before``: what it is given."""
    ctx = step.what.context(dict(step.options))

    def compared(c: Comparison) -> Fails:
        return lambda after: c.check(before, after, ctx)

    return (
        *((c.name, c.check) for c in step.what.post),
        *((c.name, compared(c)) for c in step.what.keeps),
    )


def verify_step(step: Step, before: AnyProgram, after: AnyProgram) -> None:
    """Raise :class:`PassFailed` unless the result is well typed and the postconditions hold."""
    for promise, fails in (("", _ill_typed), *promises(step, before)):
        if (wrong := fails(after)) is not None:
            from funmem.passes.fault_attribution import blame

            raise PassFailed(step.what, wrong, blame(before, after, fails), promise)


def _ill_typed(p: AnyProgram) -> Diagnostic | None:
    """The first type error."""
    try:
        check_types(p)
    except SourceError as e:
        return e.diagnostic
    return None
