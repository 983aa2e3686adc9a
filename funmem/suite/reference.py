"""What is right where a test comment leaves it to the program: ``auto output``.

The value interpreter is the definition, and takes minutes for what compiled code does at once.  So
it may do only so much (statements and elements are counted: the same on all machines).  Where that
is not enough, who says what is right is the program itself by the fewest passes (PLAIN), as C with
all checks; and there is a *small draw* besides: the same random values with small sizes, on which
the value interpreter judges everybody, the plain program included.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field

from funmem.driver.engines import Engine, Options, Runner, prepare
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
"""What the value interpreter may execute, and how large arrays may be, before others judge."""

PLAIN = "hoist,expand,sequentialise,lower"
"""The passes without which no program becomes C: after ``allocate``, if it is FUN."""

SMALL = 3
"""The least of the sizes that are made small; those up to it stay as they are."""

BY_VALUE = "the value interpreter"
BY_C = "the plain passes as C, with all checks"
"""Who says what is right where nobody else does."""


@frozen
class ReferenceResult:
    """Results, and who says that they are right."""

    values: tuple[Value, ...]
    by: str


@define
class Reference:
    """What is right of a program."""

    program: AnyProgram
    _meters: dict[str, Measured] = field(factory=dict)

    def little(self, s: Signature, args: Sequence[ArgValue]) -> ReferenceResult | None:
        """What the value interpreter says; None if that is too much for it.  Raises the trap."""
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

    def much(self, s: Signature, args: Sequence[ArgValue]) -> ReferenceResult:
        """What the plain program says, or, where there is no C compiler, the value interpreter.
        Raises what they do.
        """
        plain = self.plain
        if plain is None:
            by_value = prepare(self.program, Engine.VALUE)
            return ReferenceResult(by_value.run(s.name, args).values, BY_VALUE)
        return ReferenceResult(plain.run(s.name, args).values, BY_C)

    @cached_property
    def plain(self) -> Runner | None:
        """The program by the fewest passes as C; None if there is no way to it here."""
        first = "allocate," if language(self.program) is Level.FUN else ""
        passes = None if language(self.program) is Level.IMP else Pipeline.parse(first + PLAIN)
        try:
            return prepare(self.program, Engine.C, Options(passes, safe=True))
        except FunmemError:
            return None

    def differs(
        self, s: Signature, args: Sequence[ArgValue], right: ReferenceResult
    ) -> Mismatch | None:
        """How the plain program differs on a small draw.  Raises what it does."""
        if self.plain is None:
            return None
        return compared(s, right, self.plain.run(s.name, args).values)


@frozen(eq=False)
class ReferenceCall:
    """Who says what is right of a call, and how to ask."""

    by: str
    values: Callable[[], tuple[Value, ...]]


def reference_call(program: AnyProgram, s: Signature, args: Sequence[ArgValue]) -> ReferenceCall:
    """The value interpreter if it can say so soon; what others say is asked when it is needed.
    Raises the trap, if it traps soon.
    """
    reference = Reference(program)
    if (little := reference.little(s, args)) is not None:
        return ReferenceCall(little.by, lambda: little.values)
    by = BY_VALUE if reference.plain is None else BY_C
    return ReferenceCall(by, lambda: reference.much(s, args).values)


def compared(s: Signature, right: ReferenceResult, got: Sequence[Value]) -> Mismatch | None:
    """How results differ from what is right, up to rounding."""
    return mismatch(list(map(known, right.values, s.results)), list(map(known, got, s.results)))


def small_draw(given: Random) -> tuple[ArgValue, ...]:
    """The same random values with small sizes, of which equal ones stay equal, and larger ones
    larger; numbers among the values that are such a size become small with it.
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
