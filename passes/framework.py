"""Declarations of passes.

A pass is a pure function from a program to a program.  It has a name, the levels it works on (Core,
FUN, FUNMEM, IMP), declared options, and named pre- and postconditions.  It records a
:class:`Remark` for each transformation that it decides not to apply.  :mod:`funmem.passes.runner`
runs and checks pipelines of passes.

A complete pass in ten lines:

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

from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import TypeAlias, overload

from attrs import field

from funmem.ir.core import CoreProgram
from funmem.ir.depth import deep
from funmem.ir.diagnostics import Diagnostic
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

StageProgram: TypeAlias = CoreProgram | AnyProgram
"""A program at any stage: Core, FUN, FUNMEM, or IMP."""


class Level(Enum):
    """The languages a pass may work on."""

    CORE = "Core"
    FUN = "FUN"
    FUNMEM = "FUNMEM"
    IMP = "IMP"


def levels_of(p: StageProgram) -> frozenset[Level]:
    """Return the levels of a program: one, or FUN and FUNMEM if it has neither
    arrays nor blocks.
    """
    if isinstance(p, CoreProgram):
        return frozenset({Level.CORE})
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
"""A named condition on FUN and FUNMEM programs: returns None or the error."""

CoreCheck: TypeAlias = Callable[[CoreProgram], Diagnostic | None]
"""A named condition on Core programs."""

Run: TypeAlias = Callable[[StageProgram, Context], StageProgram]


@frozen
class Condition:
    """A pre- or postcondition: its name, and a function that returns None or the error."""

    name: str
    check: Callable[[StageProgram], Diagnostic | None]


Compare: TypeAlias = Callable[[MemProgram, MemProgram, Context], Diagnostic | None]
"""A named condition on a program before and after a pass with given options."""


@frozen
class Comparison:
    """A postcondition that compares a pass's result with its input."""

    name: str
    check: Callable[[StageProgram, StageProgram, Context], Diagnostic | None]


@frozen
class Pass:
    """A program transformation, with its levels, options and conditions."""

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
        """The names of the postconditions."""
        return (*(c.name for c in self.post), *(c.name for c in self.keeps))

    def option(self, name: str) -> Option:
        """Return a declared option; raise a :class:`UsageError` that lists them
        if there is none.
        """
        for o in self.options:
            if o.name == name:
                return o
        known = ", ".join(o.name for o in self.options) or "none"
        raise usage_error(f"pass {self.name} has no option {name}", f"its options: {known}")

    def context(
        self, given: Mapping[str, OptionValue] | None = None, report: Report | None = None
    ) -> Context:
        """Return the context of one use: the given options, and the defaults of the others."""
        values = {o.name: o.default for o in self.options} | dict(given or {})
        return Context(self.name, values, report)

    @overload
    def __call__(self, program: AnyProgram, **options: OptionValue) -> AnyProgram: ...

    @overload
    def __call__(self, program: CoreProgram, **options: OptionValue) -> StageProgram: ...

    def __call__(self, program: StageProgram, **options: OptionValue) -> StageProgram:
        """Return the program after this pass alone, unchecked; for scripts: ``allocate(p)``."""
        for name in options:
            self.option(name)
        return self.run(program, self.context(options))


def as_core(p: StageProgram) -> CoreProgram:
    """Return a Core program; raise :class:`UsageError` for any other."""
    if not isinstance(p, CoreProgram):
        raise usage_error(f"this pass works on Core, but the program is {_language(p)}")
    return p


def as_tree(p: StageProgram) -> MemProgram:
    """Return a FUN or FUNMEM program; raise :class:`UsageError` for any other."""
    if not isinstance(p, Program):
        raise usage_error(f"this pass works on FUN or FUNMEM, but the program is {_language(p)}")
    return p


def as_imp(p: StageProgram) -> ImpProgram:
    """Return an IMP program; raise :class:`UsageError` for any other."""
    if not isinstance(p, ImpProgram):
        raise usage_error(f"this pass works on IMP, but the program is {_language(p)}")
    return p


def below_core(p: StageProgram) -> AnyProgram:
    """Return a program that is FUN, FUNMEM or IMP; raise :class:`UsageError` for Core."""
    if isinstance(p, CoreProgram):
        raise usage_error("the program is Core", "the pass `to-fun` translates it to FUN")
    return p


def _language(p: StageProgram) -> str:
    return " or ".join(sorted(level.value for level in levels_of(p)))


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
        def run(p: StageProgram, ctx: Context) -> StageProgram:
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
    """Declare a function on FUN programs as a pass; ``output`` is the level of its result."""
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


CoreFn: TypeAlias = Callable[[CoreProgram, Context], CoreProgram | MemProgram]


def core_pass(
    name: str,
    *,
    summary: str,
    options: tuple[Option, ...] = (),
    pre: tuple[CoreCheck, ...] = (),
    post: tuple[CoreCheck, ...] = (),
    output: Level = Level.CORE,
) -> Callable[[CoreFn], Pass]:
    """Declare a function on Core programs as a pass; ``output`` is the level of its result.

    It may recurse deeper than Python's default limit (``ir/depth.py``).
    """

    def conditions(checks: tuple[CoreCheck, ...]) -> tuple[Condition, ...]:
        return tuple(Condition(c.__name__, _on_core(c)) for c in checks)

    def declare(f: CoreFn) -> Pass:
        @wraps(f)
        def run(p: StageProgram, ctx: Context) -> StageProgram:
            with deep():
                return f(as_core(p), ctx)

        inputs = (Level.CORE,)
        return Pass(name, summary, inputs, output, run, options, conditions(pre), conditions(post))

    return declare


def _on_core(check: CoreCheck) -> Callable[[StageProgram], Diagnostic | None]:
    def checked(p: StageProgram) -> Diagnostic | None:
        with deep():
            return check(as_core(p))

    return checked


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
        def run(p: StageProgram, ctx: Context) -> StageProgram:
            return f(as_tree(p), ctx)

        return Pass(name, summary, (Level.FUNMEM,), Level.IMP, run, options, _conditions(pre))

    return declare


def imp_pass(
    name: str, *, summary: str, options: tuple[Option, ...] = ()
) -> Callable[[Callable[[ImpProgram, Context], ImpProgram]], Pass]:
    """Declare a function on IMP programs as a pass."""

    def declare(f: Callable[[ImpProgram, Context], ImpProgram]) -> Pass:
        @wraps(f)
        def run(p: StageProgram, ctx: Context) -> StageProgram:
            return f(as_imp(p), ctx)

        return Pass(name, summary, (Level.IMP,), Level.IMP, run, options)

    return declare
