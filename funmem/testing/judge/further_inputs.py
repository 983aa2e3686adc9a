"""Check a program on further inputs (:mod:`funmem.testing.corpus.further_inputs`).

One interpreter runs on them, at the end of the pipeline.  Some inputs are *huge*: a number exceeds
the size of any array.  They show wrap-around of arithmetic, and allocations that do not fit into
memory.  Passes may allocate earlier than the original program, and so run out of memory where it
would have trapped first.
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
"""A number of elements that exceeds every array on every machine."""


def on_further(p: AnyProgram, tree: MemProgram, g: Case) -> Callable[[FurtherInput], bool]:
    """Return a function that checks a program on one input; it returns True if the program ran.

    The engine is the lowest interpreter of the program's level, with kernels in forward order.
    ``tree`` is the program before it became IMP, or the program itself.

    The function raises Disagrees.  A program may run out of memory before it traps, or on a huge
    input: passes allocate earlier than the original program.  Code hoisted in front of a kernel
    computes for all of its iterations.  If the first iteration traps, and there are too many
    iterations to run, the trap is not reached.  An inner loop whose outer loop has no iterations
    may run all of its iterations when it is hoisted.
    """
    runner = cache(partial(_runner, p, g))
    types = result_types(g)
    ends = _within_budget(tree, g)

    def judge_input(k: FurtherInput) -> bool:
        if is_huge(k) and not ends(k.args):
            return False
        name, run_it = runner(HUGE_BYTES if is_huge(k) else MOST_BYTES)
        if reads_hole(k.want) and not isinstance(p, ImpProgram):
            name, run_it = "value", partial(run, p, g.entry, foreign=g.functions)
        try:
            return compare(name, k.want, partial(run_it, k.args), g.tolerance, types)
        except DeviceError:
            if not isinstance(k.want, Trap) and not is_huge(k):
                raise
            return False

    return judge_input


def _runner(p: AnyProgram, g: Case, largest: int) -> tuple[str, Run]:
    """Return the lowest interpreter of a program's level, and a function that runs it.

    ``largest`` is the largest size of a block in bytes.
    """
    if isinstance(p, ImpProgram):
        return "imp forwards", Machine(
            entry_named(p, g.entry), largest, p.functions, g.functions
        ).run
    tree: MemProgram = p
    if Level.FUNMEM in levels_of(p):
        heap = partial(run_heap, tree, g.entry, largest=largest, foreign=g.functions)
        return "heap", lambda args: heap(args).values
    return "value", partial(run, p, g.entry, foreign=g.functions)


STATEMENTS = 100_000
ELEMENTS = 1 << 20
"""Budget of a program on a huge input, and the largest size of its arrays.  It exceeds the budget
of the original program (interp/metered.py).
"""

HUGE_BYTES = 1 << 28
"""Largest block on a huge input, in bytes: enough for that many elements after any passes."""


def _within_budget(tree: MemProgram, g: Case) -> Callable[[tuple[ArgValue, ...]], bool]:
    """Return a function that is True for inputs on which the program ends within the budget."""
    meter = cache(lambda: Measured(tree, g.entry, STATEMENTS, Metered(ELEMENTS), g.functions))

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
    """Require that inputs that fitted into memory before a pass still fit after it.

    For ``hoist`` only the host's allocations count: the pass has no bound for those of threads.
    Raises Disagrees.
    """
    ends = _within_budget(before, g)
    for k in further:
        if not ends(k.args) or _too_large(before, g, k) is not None:
            continue
        error = _too_large(after, g, k)
        if error is not None and not (name == "hoist" and isinstance(error, ThreadMemoryError)):
            why = f"{error.diagnostic.message}, but did on {', '.join(map(str, k.args))}"
            raise Disagrees("heap", "memory", f"it no longer fits into memory: {why}")


def _too_large(p: MemProgram, g: Case, k: FurtherInput) -> DeviceError | None:
    """Return the error if the program does not fit into memory, or None."""
    try:
        run_heap(p, g.entry, k.args, largest=HUGE_BYTES, foreign=g.functions)
    except DeviceError as error:
        return error
    except (Trap, MemoryFault):
        return None
    return None


def is_huge(k: FurtherInput) -> bool:
    """True if an argument is or may be too large for the size of a non-empty array."""
    return k.huge or any(map(exceeds_size, k.args))


def has_to_fit(name: str, further: Iterable[FurtherInput]) -> Iterator[FurtherInput]:
    """Yield the inputs on which the program must still fit into memory after a pass.

    After ``merge``, whose guard compares runs that do not trap (passes/mem/merge/peak_guard.py):
    huge inputs on which nothing traps and no uninitialised element is read.  After ``hoist``,
    whose blocks are proportional to arrays: huge inputs on which nothing traps, and no large
    array is empty.
    """
    if name == "merge":
        for k in further:
            if is_huge(k) and not reads_hole(k.want) and not isinstance(k.want, Trap):
                yield k
    if name == "hoist":
        for k in further:
            arrays = (a for a in k.args if isinstance(a, ArrayValue | np.ndarray))
            small = all(prod(max(n, 1) for n in _shape(a)) < ELEMENTS for a in arrays)
            if small and is_huge(k) and not isinstance(k.want, Trap):
                yield k


def exceeds_size(a: ArgValue, size: int = NO_SIZE) -> bool:
    """True if no array has this many elements.  No such array is made here, but a
    pass may try to.
    """
    match a:
        case int():
            return abs(a) >= size
        case ArrayValue() | np.ndarray():
            return max(_shape(a), default=0) >= size
        case _:
            return False


def _shape(a: ArrayValue | Data) -> tuple[int, ...]:
    return a.data.shape if isinstance(a, ArrayValue) else a.shape
