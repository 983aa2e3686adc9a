"""Further inputs of a program, on which it is checked at the end of a pipeline.

One input tests few checks.  A lost or reordered trap shows only on an input that traps.  A trap
that comes too early shows only on one that does not trap, often an empty one.  Running a program
takes a hundredth of the time of compiling it, so each program runs on several inputs, some of which
trap.
"""

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, zip_longest

import numpy as np

from funmem.interp.counted import TooMuch
from funmem.interp.metered import Measured
from funmem.ir.diagnostics import DeviceError, InputError, Trap, TrapKind
from funmem.ir.record import evolve
from funmem.ir.text.level import Level, level_of
from funmem.ir.values import ArgValue, ArrayValue
from funmem.testing.corpus.cost import measured
from funmem.testing.corpus.huge_inputs import FEWEST, huge_input, products
from funmem.testing.corpus.inputs import rough
from funmem.testing.corpus.sites import support
from funmem.testing.judge.further_inputs import exceeds_size, on_further
from funmem.testing.judge.program import Case, Disagrees, FurtherInput, Outcome, engines
from funmem.testing.reduce.inputs import entry_of

TRIES = 112
"""Number of inputs that are tried for each mutant."""

TRIES_GENERATED = 12
"""Number for each generated program; there are more of these, each with different checks."""

FAR = 0.25
"""Fraction of huge inputs."""

OWN = 0.4
"""Fraction of inputs that are derived from the case's own input instead of from another one."""

LONGEST = (1 << FEWEST) - 4
"""A length that no array with elements has in an input."""

RUNS, TRAPS = 12, 20
"""Largest numbers of inputs on which a program is checked: without and with a trap."""


def further(case: Case, rng: random.Random, tries: int = TRIES) -> tuple[FurtherInput, ...]:
    """Return other inputs of a case, and the expected outcomes."""
    fixed = support(entry_of(case))
    meter = measured(case)
    runs, traps = dict[Hashable, list[FurtherInput]](), dict[Hashable, list[FurtherInput]]()
    cases = [FurtherInput(case.args, ())]
    distant = partial(huge_input, wraps=products(case.program))
    for _ in range(tries):
        change = distant if rng.random() < FAR else rough
        near = cases[0] if rng.random() < OWN else rng.choice(cases)
        new = change(evolve(case, args=near.args), rng, fixed)
        want = None if new is None else _outcome(meter, new)
        if new is not None and want is not None:
            into = traps if isinstance(want, Trap) else runs
            drawn = near.huge or change is distant
            is_huge = drawn and any(exceeds_size(a, LONGEST) for a in new.args)
            known = FurtherInput(new.args, want, is_huge)
            into.setdefault(_key(known), []).append(known)
            cases.append(known)
    return (*_chosen(case, runs, RUNS), *_chosen(case, traps, TRAPS))


def _chosen(
    case: Case, found: Mapping[Hashable, list[FurtherInput]], most: int
) -> Iterator[FurtherInput]:
    """Yield inputs that are as different as possible: one of each kind, then a second one, …"""
    in_memory = level_of(case.program) is Level.FUNMEM
    right = _heap_agrees_on(case)
    turns = chain.from_iterable(zip_longest(*(_varied(case, kind) for kind in found.values())))
    good = (k for k in turns if k is not None and not (in_memory and not right(k)))
    return islice(good, most)


def _varied(case: Case, kind: Sequence[FurtherInput]) -> list[FurtherInput]:
    """Return the inputs of a kind in a good order: some input, then the most different ones.

    Where a program traps for one of a kind, it may be close to another trap for another one.
    """
    own = tuple(map(_contents, case.args))

    def unlike(k: FurtherInput) -> int:
        return sum(_contents(a) != b for a, b in zip(k.args, own, strict=True))

    return [kind[0], *sorted(kind[1:], key=unlike, reverse=True)]


def _outcome(meter: Measured, case: Case) -> Outcome | None:
    """Return the expected outcome; None if the input is too large or does not fit."""
    try:
        want, _ = meter.run(case.args)
    except (InputError, TooMuch):
        return None
    return None if isinstance(want, Trap) and want.kind is TrapKind.OVERFLOW else want


def _key(k: FurtherInput) -> Hashable:
    """Return the kind of an input: the place of its trap, or sizes and signs; huge ones differ."""
    if isinstance(k.want, Trap):
        return k.want.kind, k.want.diagnostic.at, k.huge
    return k.huge, *map(_feature, k.args)


def _feature(a: ArgValue) -> Hashable:
    """Return the sizes of an array; of a number, its sign, and whether it is huge."""
    match a:
        case ArrayValue():
            return a.data.shape
        case np.ndarray():
            return a.shape
        case bool() | int() | float():
            return a > 0, a < 0, exceeds_size(a)
        case _:
            return None


def _contents(a: ArgValue) -> Hashable:
    """Return whether an array is non-empty and contains negative numbers or zeros; features of
    numbers.
    """
    match a:
        case ArrayValue():
            return _contents(a.data)
        case np.ndarray():
            elements = a.ravel()  # numpy compares at most 32 dimensions
            return a.size > 0, bool(np.less(elements, 0).any()), bool(np.equal(elements, 0).any())
        case _:
            return _feature(a)


def _heap_agrees_on(case: Case) -> Callable[[FurtherInput], bool]:
    """Return a function like :func:`heap_agrees` for further inputs."""
    judged = on_further(case.program, case.program, case)

    def right(k: FurtherInput) -> bool:
        try:
            return judged(k)
        except (Disagrees, DeviceError):
            return False

    return right


def heap_agrees(case: Case, want: Outcome) -> bool:
    """True if the heap interpreter agrees.

    With correct annotations it can still disagree if elements are overwritten, or if a block is too
    large and another allocation would have trapped before.
    """
    try:
        for _, ask in engines(case.program, case, want):
            ask()
    except (Disagrees, DeviceError):
        return False
    return True
