"""Is a program still what it was, on further inputs (:mod:`funmem.testing.corpus.further_inputs`)?

On these one interpreter is asked, in the end.  Some are *far*: a number is no size of any array
that has elements.  Of arithmetic they show where it wraps around, and of memory what does not fit;
but passes may allocate earlier than the program did, and so where it would not have come.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from math import prod
from typing import TypeAlias

import numpy as np

from funmem.interp.arrays import MOST_BYTES
from funmem.interp.counted import TooMuch
from funmem.interp.heap import run_heap
from funmem.interp.heap_memory import ThreadMemoryError
from funmem.interp.imp import Machine, entry_named
from funmem.interp.metered import Measured, Metered
from funmem.interp.value import run
from funmem.ir.diagnostics import DeviceError, MemoryFault, Trap
from funmem.ir.fun import MemProgram
from funmem.ir.imp import ImpProgram
from funmem.ir.values import ArgValue, ArrayValue, Data, Value
from funmem.passes.framework import AnyProgram, Level, levels_of
from funmem.testing.judge.program import (
    Case,
    Disagrees,
    FurtherInput,
    compare,
    reads_hole,
    result_types,
)

Run: TypeAlias = Callable[[tuple[ArgValue, ...]], Sequence[Value]]

NO_SIZE = 1 << 48
"""Elements that no array has on any machine."""


def on_further(p: AnyProgram, tree: MemProgram, g: Case) -> Callable[[FurtherInput], bool]:
    """Judges a program on other inputs, by the lowest interpreter of its level, kernels forwards;
    the answer is whether it was asked.  ``tree`` is what it was before it became IMP, or itself.

    What it answers raises Disagrees.  Memory may run out before a program traps, or where it has no
    iterations and one argument is far from being a size: passes allocate earlier than it did.  In
    front of a kernel they compute for all its iterations: where the first would trap, and there are
    too many for anybody to run, it is not reached; and a loop that was inside of another one, which
    had no iterations, may have them all when it is outside.
    """
    runner = cache(partial(_runner, p, g))
    types = result_types(g)
    ends = _who_ends(tree, g)

    def judge_input(k: FurtherInput) -> bool:
        if is_far(k) and not ends(k.args):
            return False
        name, run_it = runner(FAR_BYTES if is_far(k) else MOST_BYTES)
        if reads_hole(k.want) and not isinstance(p, ImpProgram):
            name, run_it = "value", partial(run, p, g.entry)
        try:
            return compare(name, k.want, partial(run_it, k.args), g.tolerance, types)
        except DeviceError:
            if not isinstance(k.want, Trap) and not is_far(k):
                raise
            return False

    return judge_input


def _runner(p: AnyProgram, g: Case, largest: int) -> tuple[str, Run]:
    """The lowest interpreter of a program's level, and how it is run with blocks of so many bytes
    at most.
    """
    if isinstance(p, ImpProgram):
        return "imp forwards", Machine(entry_named(p, g.entry), largest).run
    tree: MemProgram = p
    if Level.FUNMEM in levels_of(p):
        return "heap", lambda args: run_heap(tree, g.entry, args, largest=largest).values
    return "value", partial(run, p, g.entry)


STATEMENTS = 100_000
ELEMENTS = 1 << 20
"""What a program may do on a far input, and how large its arrays may be: more than it did before it
was transformed (interp/metered.py).
"""

FAR_BYTES = 1 << 28
"""Bytes of a block on a far input: more than that many elements need, in any order of passes."""


def _who_ends(tree: MemProgram, g: Case) -> Callable[[tuple[ArgValue, ...]], bool]:
    """Whether a program ends on an input within what it may do."""
    meter = cache(lambda: Measured(tree, g.entry, STATEMENTS, Metered(ELEMENTS)))

    def ends(args: tuple[ArgValue, ...]) -> bool:
        try:
            meter().run(args)
        except TooMuch:
            return False
        return True

    return ends


def judge_still_fits(
    name: str, before: MemProgram, after: MemProgram, g: Case, further: Iterable[FurtherInput]
) -> None:
    """What fitted into memory on some inputs still does after the pass of that name; of ``hoist``
    what the host allocates: for threads it does not ask how much.

    Raises Disagrees.
    """
    ends = _who_ends(before, g)
    for k in further:
        if not ends(k.args) or _too_large(before, g, k) is not None:
            continue
        error = _too_large(after, g, k)
        if error is not None and not (name == "hoist" and isinstance(error, ThreadMemoryError)):
            why = f"{error.diagnostic.message}, but did on {', '.join(map(str, k.args))}"
            raise Disagrees("heap", "memory", f"it does not fit into memory any more: {why}")


def _too_large(p: MemProgram, g: Case, k: FurtherInput) -> DeviceError | None:
    """What does not fit into memory, if anything."""
    try:
        run_heap(p, g.entry, k.args, largest=FAR_BYTES)
    except DeviceError as error:
        return error
    except (Trap, MemoryFault):
        return None
    return None


def is_far(k: FurtherInput) -> bool:
    """Whether an argument is, or may be, no size of any array, or that of one without elements."""
    return k.far or any(map(far_from_size, k.args))


def has_to_fit(name: str, further: Iterable[FurtherInput]) -> Iterator[FurtherInput]:
    """The inputs on which a program still fits into memory after the pass of that name.

    After ``merge`` on all on which what was never written does not decide what it does; after
    ``hoist``, whose blocks are in proportion to arrays, where nothing traps before they are
    allocated, and no array is empty that would be large.
    """
    if name == "merge":
        yield from (k for k in further if is_far(k) and not reads_hole(k.want))
    if name == "hoist":
        for k in further:
            arrays = (a for a in k.args if isinstance(a, ArrayValue | np.ndarray))
            small = all(prod(max(n, 1) for n in _shape(a)) < ELEMENTS for a in arrays)
            if small and is_far(k) and not isinstance(k.want, Trap):
                yield k


def far_from_size(a: ArgValue, size: int = NO_SIZE) -> bool:
    """Whether no array has so many elements: one is not made here, but a pass may try to."""
    match a:
        case int():
            return abs(a) >= size
        case ArrayValue() | np.ndarray():
            return max(_shape(a), default=0) >= size
        case _:
            return False


def _shape(a: ArrayValue | Data) -> tuple[int, ...]:
    return a.data.shape if isinstance(a, ArrayValue) else a.shape
