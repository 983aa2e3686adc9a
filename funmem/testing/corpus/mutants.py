"""Mutants of samples: which program a seed of a campaign with a corpus has.

The same corpus and seed give the same program.
"""

import random
from collections.abc import Callable
from functools import cache

from funmem.interp.counted import TooMuch
from funmem.ir.check import check_all
from funmem.ir.diagnostics import InputError, Trap
from funmem.ir.record import evolve
from funmem.ir.text.level import Level, level_of
from funmem.ir.traverse import program_fresh, walk
from funmem.testing.corpus.composition import LINKED, joined
from funmem.testing.corpus.cost import outcome_within
from funmem.testing.corpus.further_inputs import right_in_memory
from funmem.testing.corpus.inputs import other_sizes, other_values
from funmem.testing.corpus.samples import Corpus, Sample
from funmem.testing.corpus.sites import Sites, support
from funmem.testing.corpus.statement_edits import CHANGES
from funmem.testing.corpus.trap_edits import TRAPS
from funmem.testing.corpus.wrapping_edits import WRAPS, more_results
from funmem.testing.judge.program import Case
from funmem.testing.reduce.edit import edited
from funmem.testing.reduce.inputs import entry_of, fewer_results

TRIES = 6
"""How often a mutation is drawn again, if nothing comes of it."""

TRAPPING = 0.02
"""How many of the mutants that trap by chance are kept."""

PLANNED, ONLY = 0.1, 0.5
"""How many mutants end with a sample's input on which that traps, if there is one; if there is one
that traps on all its inputs, which shows nothing otherwise.
"""

LONGEST = 100
"""Statements that a mutant may have."""

TOGETHER = {Level.FUN: 6, Level.FUNMEM: 3}
"""How many samples a mutant is made of, as long as it does not become too long.  In memory fewer:
blocks of one sample are in the way of those of another one."""

FEW, MANY = (0, 1, 1, 2), (2, 4, 6, 8)
"""How many mutations a program has.  Few in the first round of samples, then few or many: what a
sample shows, or nearly shows, is easily mutated away."""

GENERATED = 0.5
"""How many of the programs with many mutations begin with a generated one."""

APART = 0.5
"""How many samples go on with nothing of those before them."""

EDITS = {**CHANGES, **WRAPS, **TRAPS}
"""What may be done to a statement."""

Mutation = Callable[[Case, random.Random], Case | None]


def _on_places(name: str) -> Mutation:
    change = EDITS[name][0]

    def mutate(case: Case, rng: random.Random) -> Case | None:
        edits = change(Sites.of(case.program), rng, program_fresh(case.program))
        if not edits:
            return None
        try:
            return evolve(case, program=edited(case.program, edits))
        except TypeError:  # an array was to become a constant
            return None

    return mutate


def _sizes(case: Case, rng: random.Random) -> Case | None:
    return other_sizes(case, rng, support(entry_of(case)))


def _values(case: Case, rng: random.Random) -> Case | None:
    return other_values(case, rng, support(entry_of(case)))


def _fewer(case: Case, rng: random.Random) -> Case | None:
    cases = list(fewer_results(case))
    return rng.choice(cases) if cases else None


MUTATIONS: dict[str, tuple[Mutation, float]] = {
    **{name: (_on_places(name), weight) for name, (_, weight) in EDITS.items()},
    "sizes": (_sizes, 3.0),
    "values": (_values, 2.0),
    "more results": (more_results, 1.0),
    "fewer results": (_fewer, 0.5),
}
"""What may be done to a program, and how likely it is."""


def mutant(corpus: Corpus, seed: int, turn: int) -> tuple[Case, tuple[str, ...]]:
    """The ``turn``-th mutant, and the files of its samples.

    In a round of turns each sample has one, together with others of its level.
    """
    from funmem.testing import generate

    rng = random.Random(f"mutant {seed}")
    first, *others = samples_of(corpus, turn)
    only = any(not s.inputs for s in (first, *others))
    traps = rng.random() < (ONLY if only else PLANNED) and any(s.traps for s in (first, *others))
    if traps:  # what comes before it still does something
        first, *others = sorted((first, *others), key=lambda s: (bool(s.traps), not s.inputs))
    many = turn >= len(_groups(corpus, 0)) and rng.random() < 0.5
    case, files = start(first, rng, seed, traps=traps and not others), [first.file]
    if many and rng.random() < GENERATED:
        case = _joined(case, Case.of(generate(seed)), rng) or case
    for other in others:
        ends = traps and other is others[-1]
        both = _joined(case, start(other, rng, seed, traps=ends), rng, traps=ends)
        if both is not None:
            case = both
            files.append(other.file)
    return mutated(case, rng, rng.choice(MANY if many else FEW), traps=traps), tuple(files)


def samples_of(corpus: Corpus, turn: int) -> tuple[Sample, ...]:
    """The samples that have this turn."""
    visit, k = divmod(turn, len(_groups(corpus, 0)))
    samples = corpus.samples()
    return tuple(samples[i] for i in _groups(corpus, visit)[k])


@cache
def _groups(corpus: Corpus, visit: int) -> tuple[tuple[int, ...], ...]:
    """Which samples come together in a round, and in which order."""
    rng = random.Random(f"{corpus.digest} {visit}")
    levels: dict[Level, list[int]] = {}
    for k, s in enumerate(corpus.samples()):
        levels.setdefault(level_of(s.program), []).append(k)
    found: list[tuple[int, ...]] = []
    for level, ks in levels.items():
        rng.shuffle(ks)
        n = TOGETHER[level]
        found += [tuple(ks[i : i + n]) for i in range(0, len(ks), n)]
    rng.shuffle(found)
    return tuple(found)


def _joined(a: Case, b: Case, rng: random.Random, *, traps: bool = False) -> Case | None:
    """Both, if they can be joined; every second time, and at last, so that the second goes on with
    nothing of the first: it does what it was written for then, and does not trap.
    """
    for linked in (0.0,) if rng.random() < APART else (LINKED, LINKED, 0.0):
        if (both := _accepted(joined(a, b, rng, linked), rng, a, traps=traps)) is not None:
            return both
    return None


def start(s: Sample, rng: random.Random, seed: int, *, traps: bool) -> Case:
    """A sample with one of its inputs: one on which it traps, if it shall, or if it always does."""
    inputs = s.traps if traps or not s.inputs else s.inputs
    return Case(s.program, s.entry.name, rng.choice(inputs), seed)


def mutated(case: Case, rng: random.Random, count: int, *, traps: bool = False) -> Case:
    """The case after so many mutations, if so many can be found; perhaps one that ``traps``."""
    names, weights = list(MUTATIONS), [w for _, w in MUTATIONS.values()]
    for _ in range(count):
        for _ in range(TRIES):
            (name,) = rng.choices(names, weights)
            new = MUTATIONS[name][0](case, rng)
            if new is not None and (good := _accepted(new, rng, case, traps=traps)) is not None:
                case = good
                break
    return case


def _accepted(new: Case, rng: random.Random, before: Case, *, traps: bool) -> Case | None:
    """The mutant, if it is well typed, is not long, and does not trap unless it may."""
    if sum(1 for _ in walk(entry_of(new).body)) > LONGEST:
        return None
    if new.program != before.program and check_all(new.program):
        return None
    try:
        outcome, _ = outcome_within(new)
    except (InputError, TooMuch):
        return None
    if isinstance(outcome, Trap) and not traps and rng.random() >= TRAPPING:
        return None
    if level_of(new.program) is Level.FUNMEM and not right_in_memory(new, outcome):
        return None
    return new
