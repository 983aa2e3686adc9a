"""How much there is to do: the value interpreter with a limit that is the same on all machines."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np

from funmem.interp.scope import entry_named
from funmem.interp.traps import Shape
from funmem.interp.value import Evaluator, GetValue, Values
from funmem.ir.diagnostics import DeviceError, Trap
from funmem.ir.erase import erase_entry
from funmem.ir.fun import (
    Ann,
    Body,
    Concat,
    Exp,
    FlatSlice,
    Iota,
    Replicate,
    Scatter,
    Scratch,
    Slice,
    Stm,
)
from funmem.ir.lmad import part_lens
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, Value, bind
from funmem.testing.judge import Case, Outcome

MOST = 4000
"""Statements that a program of the corpus may execute, more than nearly all generated ones do."""

LARGEST = 512
"""Elements that one of its arrays may have."""


class TooMuch(Exception):
    """The program does more than it may, or it is a race whose winner nobody knows."""


def writes_once(case: Case) -> bool:
    """Whether no scatter writes two elements to one place: nobody knows which of them stays.

    Raises Trap; InputError.
    """
    entry = erase_entry(entry_named(case.program, case.entry))
    sizes, values = bind(signature(entry), case.args)
    try:
        _Once().resolved(entry)([sizes[b.name] for b in entry.implicit], values)
    except TooMuch:
        return False
    return True


def outcome_within(case: Case, statements: int = MOST) -> tuple[Outcome, int]:
    """The program's outcome, and how many statements it executed.  Raises TooMuch; InputError."""
    return Measured(case, statements).run(case.args)


class Measured:
    """A program that is resolved once, to be run on any number of inputs."""

    def __init__(self, case: Case, statements: int = MOST) -> None:
        self._statements = statements
        entry = erase_entry(entry_named(case.program, case.entry))
        self._implicit = [b.name for b in entry.implicit]
        self._signature = signature(entry)
        self._meter = _Metered()
        self._run = self._meter.resolved(entry)

    def run(self, args: Sequence[ArgValue]) -> tuple[Outcome, int]:
        """The outcome, and how many statements were executed.  Raises TooMuch; InputError."""
        sizes, values = bind(self._signature, args)
        self._meter.left = self._meter.rounds = self._statements
        try:
            results: Outcome = self._run([sizes[x] for x in self._implicit], values)
        except Trap as t:
            results = t
        except DeviceError as e:
            raise TooMuch(str(e)) from e
        return results, self._statements - self._meter.left


class _Once(Evaluator):
    """An evaluator that gives up if a scatter writes a place twice."""

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """An expression, its indices looked at if it is a scatter."""
        get = super().exp(e, s)
        if not isinstance(e, Scatter):
            return get
        places = self.array(e.indices)

        def once() -> Value:
            data = places().data
            if len(np.unique(data)) < len(data):
                raise TooMuch("it scatters two values to one place")
            return get()

        return once


class _Metered(_Once):
    """An evaluator that gives up if there is too much to do as well."""

    def __init__(self) -> None:
        super().__init__()
        self.left = self.rounds = 0

    def body(self, b: Body[Ann]) -> Callable[[], Values]:
        """A body whose statements are counted each time."""
        run, weight = super().body(b), len(b.stms) + 1

        def run_metered() -> Values:
            self.left -= weight
            if self.left < 0:
                raise TooMuch("it executes too many statements")
            return run()

        return run_metered

    def indices(self, names: Sequence[Name]) -> Callable[[Shape], Iterator[Shape]]:
        """No more iterations than statements: those without a body (of a kernel whose inner
        dimension is empty) take their time, too.
        """
        every = super().indices(names)

        def counted(sizes: Shape) -> Iterator[Shape]:
            for index in every(sizes):
                self.rounds -= 1
                if self.rounds < 0:
                    raise TooMuch("it has too many iterations")
                yield index

        return counted

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """An expression that makes no array that is too large."""
        get = super().exp(e, s)
        match e:
            case Iota(n):
                return self._small((n,), get)
            case Replicate(shape) | Scratch(shape):
                return self._small(shape, get)
            case Slice(_, dims):
                return self._small(part_lens(dims), get)
            case FlatSlice(_, _, flat):
                return self._small([d.len for d in flat], get)
            case Concat(_, xs):
                parts = [self.array(x) for x in xs]

                def joined() -> Value:
                    _demand_few(sum(x().data.size for x in parts))
                    return get()

                return joined
            case _:
                return get

    def _small(self, shape: Sequence[Size], get: GetValue) -> GetValue:
        sizes = self.sizes(shape)

        def small() -> Value:
            _demand_few(prod(sizes()))
            return get()

        return small


def _demand_few(elements: int) -> None:
    if elements > LARGEST:
        raise TooMuch("it makes an array that is too large")
