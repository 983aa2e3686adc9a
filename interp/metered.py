"""How much there is to do: the value interpreter with a limit that is the same on all machines."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

from funmem.interp.scope import entry_named
from funmem.interp.traps import Shape
from funmem.interp.value import Evaluator, GetValue, Values
from funmem.ir.diagnostics import DeviceError, Trap
from funmem.ir.erase import erase_entry
from funmem.ir.fun import (
    Ann,
    ArrayType,
    Body,
    Concat,
    Exp,
    FlatSlice,
    Iota,
    Program,
    Replicate,
    Scratch,
    Slice,
    Stm,
    Var,
)
from funmem.ir.lmad import part_lens
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, Value, bind

MOST = 4000
"""Statements that a program may execute, unless it is said otherwise."""

LARGEST = 512
"""Elements that one of its arrays may have, unless it is said otherwise."""


class TooMuch(Exception):
    """The program does more than it may."""


class Metered(Evaluator):
    """An evaluator that gives up if there is too much to do."""

    def __init__(self, largest: int = LARGEST) -> None:
        super().__init__()
        self.left = self.rounds = 0
        self._largest = largest

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
            case Replicate(shape, Var(x)) if isinstance(t := self.types[x], ArrayType):
                return self._small((*shape, *t.shape), get)
            case Replicate(shape) | Scratch(shape):
                return self._small(shape, get)
            case Slice(_, dims):
                return self._small(part_lens(dims), get)
            case FlatSlice(_, _, flat):
                return self._small([d.len for d in flat], get)
            case Concat(_, xs):
                parts = [self.array(x) for x in xs]

                def joined() -> Value:
                    self._demand_few(sum(x().data.size for x in parts))
                    return get()

                return joined
            case _:
                return get

    def _small(self, shape: Sequence[Size], get: GetValue) -> GetValue:
        sizes = self.sizes(shape)

        def small() -> Value:
            self._demand_few(prod(sizes()))
            return get()

        return small

    def _demand_few(self, elements: int) -> None:
        if elements > self._largest:
            raise TooMuch("it makes an array that is too large")


class Measured:
    """An entry point that is resolved once, to be run on any number of inputs."""

    def __init__(
        self,
        program: Program[Ann],
        entry_name: Name,
        statements: int = MOST,
        meter: Metered | None = None,
    ) -> None:
        self._statements = statements
        entry = erase_entry(entry_named(program, entry_name))
        self._implicit = [b.name for b in entry.implicit]
        self._signature = signature(entry)
        self._meter = meter or Metered()
        self._run = self._meter.resolved(entry)

    def run(self, args: Sequence[ArgValue]) -> tuple[Values | Trap, int]:
        """The results, or how it traps, and how many statements were executed.

        Raises TooMuch; InputError.
        """
        sizes, values = bind(self._signature, args)
        self._meter.left = self._meter.rounds = self._statements
        try:
            results: Values | Trap = self._run([sizes[x] for x in self._implicit], values)
        except Trap as t:
            results = t
        except DeviceError as e:
            raise TooMuch(str(e)) from e
        return results, self._statements - self._meter.left
