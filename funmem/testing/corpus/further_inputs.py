"""Further inputs of a program, on which it is judged where it has come out of all passes.

What a program does on one input decides little about checks: a trap that was lost, or that comes
before another one, shows on the input that meets it, and one that is taken too early on an input on
which it is not met, often an empty one.  To run a program costs a hundredth of what it costs to
compile it; so each is run on several inputs, on some of which it traps.
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
from funmem.testing.corpus.huge_inputs import FEWEST, far, products
from funmem.testing.corpus.inputs import rough
from funmem.testing.corpus.sites import support
from funmem.testing.judge.further_inputs import far_from_size, on_further
from funmem.testing.judge.program import Case, Disagrees, FurtherInput, Outcome, engines
from funmem.testing.reduce.inputs import entry_of

TRIES = 112
"""Inputs that are tried for each mutant."""

TRIES_GENERATED = 12
"""And for each generated program: there are many more of these, and no two have the same checks."""

FAR = 0.25
"""How many of them have numbers that are far from being sizes."""

OWN = 0.4
"""How many of them begin with the case's own input, and not with another one that was drawn."""

LONGEST = (1 << FEWEST) - 4
"""No array of an input is as long, and has elements."""

RUNS, TRAPS = 12, 20
"""How many of them it is judged on, at most: on which it answers, and on which it traps."""


def further(case: Case, rng: random.Random, tries: int = TRIES) -> tuple[FurtherInput, ...]:
    """Other inputs of a case, and what the program means on them."""
    fixed = support(entry_of(case))
    meter = measured(case)
    runs, traps = dict[Hashable, list[FurtherInput]](), dict[Hashable, list[FurtherInput]]()
    cases = [FurtherInput(case.args, ())]
    distant = partial(far, wraps=products(case.program))
    for _ in range(tries):
        change = distant if rng.random() < FAR else rough
        near = cases[0] if rng.random() < OWN else rng.choice(cases)
        new = change(evolve(case, args=near.args), rng, fixed)
        want = None if new is None else _outcome(meter, new)
        if new is not None and want is not None:
            into = traps if isinstance(want, Trap) else runs
            drawn = near.far or change is distant
            is_far = drawn and any(far_from_size(a, LONGEST) for a in new.args)
            known = FurtherInput(new.args, want, is_far)
            into.setdefault(_key(known), []).append(known)
            cases.append(known)
    return (*_chosen(case, runs, RUNS), *_chosen(case, traps, TRAPS))


def _chosen(
    case: Case, found: Mapping[Hashable, list[FurtherInput]], most: int
) -> Iterator[FurtherInput]:
    """Some of the inputs, as different as possible: one of each kind, then a second one, …"""
    in_memory = level_of(case.program) is Level.FUNMEM
    right = _who_is_right(case)
    turns = chain.from_iterable(zip_longest(*(_varied(case, kind) for kind in found.values())))
    good = (k for k in turns if k is not None and not (in_memory and not right(k)))
    return islice(good, most)


def _varied(case: Case, kind: Sequence[FurtherInput]) -> list[FurtherInput]:
    """Some input first, and then those on which most arguments are unlike the case's own: where a
    program traps for one, it may be about to trap elsewhere for another.
    """
    own = tuple(map(_contents, case.args))

    def unlike(k: FurtherInput) -> int:
        return sum(_contents(a) != b for a, b in zip(k.args, own, strict=True))

    return [kind[0], *sorted(kind[1:], key=unlike, reverse=True)]


def _outcome(meter: Measured, case: Case) -> Outcome | None:
    """What a program means; None if the input is too large, or does not fit."""
    try:
        want, _ = meter.run(case.args)
    except (InputError, TooMuch):
        return None
    return None if isinstance(want, Trap) and want.kind is TrapKind.OVERFLOW else want


def _key(k: FurtherInput) -> Hashable:
    """What tells inputs apart: where it traps, or sizes and signs; and which are far."""
    if isinstance(k.want, Trap):
        return k.want.kind, k.want.diagnostic.at, k.far
    return k.far, *map(_told, k.args)


def _told(a: ArgValue) -> Hashable:
    """Of an array the sizes, of a number whether it is negative, or 0, or far from being a size."""
    match a:
        case ArrayValue():
            return a.data.shape
        case np.ndarray():
            return a.shape
        case bool() | int() | float():
            return a > 0, a < 0, far_from_size(a)
        case _:
            return None


def _contents(a: ArgValue) -> Hashable:
    """Of an array whether there is anything negative, or a 0, in it; of a number what is told."""
    match a:
        case ArrayValue():
            return _contents(a.data)
        case np.ndarray():
            elements = a.ravel()  # comparisons of more than 32 dimensions are beyond numpy
            return a.size > 0, bool(np.less(elements, 0).any()), bool(np.equal(elements, 0).any())
        case _:
            return _told(a)


def _who_is_right(case: Case) -> Callable[[FurtherInput], bool]:
    """As :func:`right_in_memory`, of further inputs."""
    judged = on_further(case.program, case.program, case)

    def right(k: FurtherInput) -> bool:
        try:
            return judged(k)
        except (Disagrees, DeviceError):
            return False

    return right


def right_in_memory(case: Case, want: Outcome) -> bool:
    """Whether the heap interpreter agrees: annotations may be right, and elements overwritten, or
    a block may be too large, which another one would have trapped before.
    """
    try:
        for _, ask in engines(case.program, case, want):
            ask()
    except (Disagrees, DeviceError):
        return False
    return True
