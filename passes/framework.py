"""Passes: how a pass is declared.

A pass is a pure function from a program to a program, with a name, the level it works on (FUN,
FUNMEM, IMP), declared options, and named pre- and postconditions.  Whatever a pass decides *not* to
do it records as a :class:`Remark`.  Pipelines of passes are run and checked by
:mod:`funmem.passes.runner`.

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

from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import TypeAlias

from attrs import field

from funmem.ir.diagnostics import (
    Diagnostic,
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
