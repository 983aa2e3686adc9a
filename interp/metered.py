"""The value interpreter with limits on work and array sizes that are the same on all machines."""

from collections.abc import Sequence
from math import prod

from funmem.interp.counted import Counted, TooMuch
from funmem.interp.scope import entry_named
from funmem.interp.value import Evaluator, GetValue, Values
from funmem.ir.diagnostics import DeviceError, Trap
from funmem.ir.erase import erase_entry
from funmem.ir.foreign_calls import NO_FUNCTIONS, Table
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayLit,
    ArrayType,
    Assert,
    Compound,
    Concat,
    Copy,
    Exp,
    FlatSlice,
    Index,
    InPlace,
    Iota,
    Permute,
    Program,
    Replicate,
    Reshape,
    Reverse,
    Scalar,
    Scratch,
    Slice,
    Stm,
    Var,
)
from funmem.ir.functions import table
from funmem.ir.lmad import part_lens
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, Value, bind

MOST = 4000
"""Default limit on the number of executed statements."""

LARGEST = 512
"""Default limit on the number of elements of an array."""


class Metered(Counted[Value], Evaluator):
    """An evaluator that raises TooMuch at its limits on statements and on array sizes."""

    def __init__(self, largest: int = LARGEST) -> None:
        super().__init__()
        self._largest = largest

    def exp(self, e: Exp[Ann], s: Stm[Ann]) -> GetValue:
        """Resolve an expression; test the size of the array that it makes first."""
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
            case Scalar() | Index() | Permute() | Reshape() | Reverse() | InPlace():
                return get  # not larger than an array that exists
            case ArrayLit() | Copy() | Compound() | Assert() | Alloc():
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
    """An entry point that is resolved once and may run on any number of inputs."""

    def __init__(
        self,
        program: Program[Ann],
        entry_name: Name,
        statements: int = MOST,
        meter: Metered | None = None,
        foreign: Table = NO_FUNCTIONS,
    ) -> None:
        self._statements = statements
        entry = erase_entry(entry_named(program, entry_name))
        self._implicit = [b.name for b in entry.implicit]
        self._signature = signature(entry)
        self._meter = meter or Metered()
        self._meter.functions, self._meter.foreign = table(program), foreign
        self._run = self._meter.resolved(entry)

    def run(self, args: Sequence[ArgValue]) -> tuple[Values | Trap, int]:
        """Return the results or the trap, and the number of executed statements.

        Raises TooMuch, InputError.
        """
        sizes, values = bind(self._signature, args)
        self._meter.may_do(self._statements)
        try:
            results: Values | Trap = self._run([sizes[x] for x in self._implicit], values)
        except Trap as t:
            results = t
        except DeviceError as e:
            raise TooMuch(str(e)) from e
        return results, self._statements - self._meter.left

    @property
    def used(self) -> int:
        """Return the larger of the numbers of statements and iterations of the last run."""
        return self._statements - min(self._meter.left, self._meter.rounds)
