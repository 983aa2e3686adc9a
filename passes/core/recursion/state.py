"""The state of a recursion's loop: the block that runs, registers, and a stack of frames."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Generic, TypeAlias, TypeVar

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.names import Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, ScalarType

T = TypeVar("T", bound=Type)

Place: TypeAlias = tuple[Type, int]
"""A register, or a slot of a frame: its type, and its number among those of that type."""

Slot: TypeAlias = tuple[ScalarType, int]
"""A slot of a frame; frames hold only scalars."""


FIRST = 32
"""The initial capacity of the stack, in frames."""

DONE = c.Const(-1, I64)
"""The value of ``pc`` at the end."""


class Changes(Exception):
    """An array parameter that was taken to stay the same changes from call to call."""

    def __init__(self, param: Name) -> None:
        super().__init__(param)
        self.param = param


@frozen
class Block:
    """The code of one value of ``pc``, and the names in it that registers and frame provide."""

    registers: tuple[c.Binder, ...]
    places: tuple[Place, ...]
    frame: tuple[c.Binder, ...]
    body: Exp
    results: tuple[Type, ...]


class Counts(Generic[T]):
    """The number of places of each type that the state must have."""

    def __init__(self) -> None:
        self.most: dict[T, int] = {}

    def places(
        self, types: Sequence[T], wanted: Sequence[tuple[T, int] | None] = ()
    ) -> list[tuple[T, int]]:
        """Return a place for each type, and enlarge the state if necessary.

        ``wanted`` are places that some of them should have; others take the first free ones.
        """
        out: list[tuple[T, int] | None] = [None for _ in types]
        for j, place in enumerate(wanted):
            if place is not None and place not in out:
                out[j] = place
        taken = {p for p in out if p is not None}
        found: list[tuple[T, int]] = []
        for t, chosen in zip(types, out, strict=True):
            place = chosen or next((t, k) for k in count() if (t, k) not in taken)
            taken.add(place)
            found.append(place)
        for t, k in found:
            self.most[t] = max(self.most.get(t, 0), k + 1)
        return found

    def all(self) -> list[tuple[T, int]]:
        """Return all places, in order."""
        return [(t, k) for t, n in self.most.items() for k in range(n)]


@frozen
class State:
    """The names of the state's variables at one point of the program."""

    pc: c.Binder
    depth: c.Binder
    registers: Mapping[Place, c.Binder]
    back: c.Binder
    stacks: Mapping[ScalarType, c.Binder]

    @property
    def chosen(self) -> tuple[c.Binder, ...]:
        """What a block computes."""
        return (self.pc, self.depth, *self.registers.values())

    @property
    def arrays(self) -> tuple[c.Binder, ...]:
        """The stack."""
        return (self.back, *self.stacks.values())

    @property
    def all(self) -> tuple[c.Binder, ...]:
        return (*self.chosen, *self.arrays)
