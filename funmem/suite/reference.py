"""Reference results for test cases with ``auto output``.

The value interpreter defines the meaning of a program, but takes minutes for work that compiled
code does at once.  It therefore has a budget of statements and elements, which are counted, so that
the decision is the same on all machines.  Beyond the budget, the reference is the *plain* program:
compiled to C by the fewest passes (PLAIN), with all checks.  In addition the value interpreter
checks all engines and the plain program on a *small draw*: the same random values with small sizes.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field

from funmem.driver.engines import Runner, prepare
from funmem.driver.options import Engine, Options
from funmem.driver.stages import language
from funmem.interp.counted import TooMuch
from funmem.interp.metered import Measured, Metered
from funmem.ir.diagnostics import FunmemError, Trap
from funmem.ir.fun import Program
from funmem.ir.record import define, frozen
from funmem.ir.signature import Signature
from funmem.ir.values import ArgValue, Value
from funmem.passes.framework import AnyProgram, Level
from funmem.passes.runner import Pipeline
from funmem.suite.spec import Random, RandomValue
from funmem.suite.values import Mismatch, known, mismatch, random_value

STATEMENTS, ELEMENTS = 1 << 17, 1 << 20
"""The value interpreter's budget: executed statements, and elements of an array."""

PLAIN = "hoist,expand,sequentialise,lower"
"""The passes that every program needs to become C; FUN programs need ``allocate`` before them."""

SMALL = 3
"""Sizes up to this one are kept in a small draw; larger ones become at least this one."""

BY_VALUE = "the value interpreter"
BY_C = "the plain passes as C, with all checks"
"""Names of the two references."""


@frozen
class ReferenceResult:
    """Results, and the name of the reference that computed them."""

    values: tuple[Value, ...]
    by: str


@define
class Reference:
    """Computes reference results of a program."""

    program: AnyProgram
    _meters: dict[str, Measured] = field(factory=dict)

    def by_value(self, s: Signature, args: Sequence[ArgValue]) -> ReferenceResult | None:
        """Return the value interpreter's results, or None beyond its budget.  Raises Trap."""
        if not isinstance(self.program, Program):
            return None
        if s.name not in self._meters:
            meter = Metered(ELEMENTS)
            self._meters[s.name] = Measured(self.program, s.name, STATEMENTS, meter)
        try:
            found, _ = self._meters[s.name].run(args)
        except TooMuch:
            return None
        if isinstance(found, Trap):
            raise found
        return ReferenceResult(found, BY_VALUE)

    def by_plain(self, s: Signature, args: Sequence[ArgValue]) -> ReferenceResult:
        """Return the results of the plain program, or, without a C compiler, of the value
        interpreter.

        Raises what they raise.
        """
        plain = self.plain
        if plain is None:
            runner = prepare(self.program, Engine.VALUE)
            return ReferenceResult(runner.run(s.name, args).values, BY_VALUE)
        return ReferenceResult(plain.run(s.name, args).values, BY_C)

    @cached_property
    def plain(self) -> Runner | None:
        """The plain program as C; None if it cannot be compiled here."""
        first = "allocate," if language(self.program) is Level.FUN else ""
        passes = None if language(self.program) is Level.IMP else Pipeline.parse(first + PLAIN)
        try:
            return prepare(self.program, Engine.C, Options(passes, safe=True))
        except FunmemError:
            return None

    def plain_mismatch(
        self, s: Signature, args: Sequence[ArgValue], right: ReferenceResult
    ) -> Mismatch | None:
        """Return the first difference between the plain program's results and ``right``, or None.

        Raises what the plain program raises.
        """
        if self.plain is None:
            return None
        return compared(s, right, self.plain.run(s.name, args).values)


@frozen(eq=False)
class ReferenceCall:
    """The name of the reference for a call, and a function that computes its results."""

    by: str
    values: Callable[[], tuple[Value, ...]]


def reference_call(program: AnyProgram, s: Signature, args: Sequence[ArgValue]) -> ReferenceCall:
    """Return the reference for a call: the value interpreter, if its budget suffices.

    Other references run only when ``values`` is called.  Raises Trap if the value interpreter
    traps.
    """
    reference = Reference(program)
    if (little := reference.by_value(s, args)) is not None:
        return ReferenceCall(little.by, lambda: little.values)
    by = BY_VALUE if reference.plain is None else BY_C
    return ReferenceCall(by, lambda: reference.by_plain(s, args).values)


def compared(s: Signature, right: ReferenceResult, got: Sequence[Value]) -> Mismatch | None:
    """Return the first difference between results and the reference, up to rounding, or None."""
    return mismatch(list(map(known, right.values, s.results)), list(map(known, got, s.results)))


def small_draw(given: Random) -> tuple[ArgValue, ...]:
    """Return the same random values with small sizes.

    The order of the sizes is kept: equal sizes stay equal, and larger ones larger.  A constant that
    is one of the sizes shrinks with it.
    """
    sizes = sorted({n for x in given.items if isinstance(x, RandomValue) for n in x.shape})
    large = [n for n in sizes if n > SMALL]
    small = {n: SMALL + k for k, n in enumerate(large)}
    return tuple(_small(x, seed, small) for seed, x in enumerate(given.items))


def _small(x: RandomValue | np.generic, seed: int, small: dict[int, int]) -> ArgValue:
    if isinstance(x, RandomValue):
        shape = tuple(small.get(n, n) for n in x.shape)
        return random_value(RandomValue(shape, x.elem), seed)
    if x.dtype.kind in "iu" and int(x) in small:
        return x.dtype.type(small[int(x)])
    return x
