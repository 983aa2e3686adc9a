"""Mutants of samples: the programs of a campaign with a corpus.

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
from funmem.testing.corpus.composition import LINK_CHANCE, composed
from funmem.testing.corpus.cost import outcome_within
from funmem.testing.corpus.further_inputs import heap_agrees
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
"""Number of attempts at a mutation."""

TRAPPING = 0.02
"""Fraction of the accidentally trapping mutants that are kept."""

PLANNED, ONLY = 0.1, 0.5
"""Fraction of mutants that end with a sample on an input on which it traps, if there is one; the
second number applies if a sample traps on all of its inputs, and so is useless otherwise.
"""

LONGEST = 100
"""Largest number of statements of a mutant."""

TOGETHER = {Level.FUN: 6, Level.FUNMEM: 3}
"""Number of samples in a mutant, if it does not become too long.  Fewer in memory, where the blocks
of one sample interfere with those of another.
"""

FEW, MANY = (0, 1, 1, 2), (2, 4, 6, 8)
"""Numbers of mutations.  The first round of samples has few, later rounds few or many, since
mutations easily destroy the special property of a sample.
"""

GENERATED = 0.5
"""Fraction of the programs with many mutations that begin with a generated one."""

APART = 0.5
"""Fraction of samples that use no names of the samples before them."""

EDITS = {**CHANGES, **WRAPS, **TRAPS}
"""The edits of statements."""

Mutation = Callable[[Case, random.Random], Case | None]


def _on_sites(name: str) -> Mutation:
    change = EDITS[name][0]

    def mutate(case: Case, rng: random.Random) -> Case | None:
        edits = change(Sites.of(case.program), rng, program_fresh(case.program))
        if not edits:
            return None
        try:
            return evolve(case, program=edited(case.program, edits))
        except TypeError:  # an array cannot become a constant there
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
    **{name: (_on_sites(name), weight) for name, (_, weight) in EDITS.items()},
    "sizes": (_sizes, 3.0),
    "values": (_values, 2.0),
    "more results": (more_results, 1.0),
    "fewer results": (_fewer, 0.5),
}
"""The mutations of programs, and their weights."""


def mutant(corpus: Corpus, seed: int, turn: int) -> tuple[Case, tuple[str, ...]]:
    """Return the ``turn``-th mutant, and the files of its samples.

    In each round of turns every sample occurs once, together with others of its level.
    """
    from funmem.testing import generate

    rng = random.Random(f"mutant {seed}")
    first, *others = samples_of(corpus, turn)
    only = any(not s.inputs for s in (first, *others))
    traps = rng.random() < (ONLY if only else PLANNED) and any(s.traps for s in (first, *others))
    if traps:  # the samples before the trap still have an effect
        first, *others = sorted((first, *others), key=lambda s: (bool(s.traps), not s.inputs))
    many = turn >= len(_groups(corpus, 0)) and rng.random() < 0.5
    case, files = start(first, rng, seed, traps=traps and not others), [first.file]
    if many and rng.random() < GENERATED:
        case = _composed(case, Case.of(generate(seed)), rng) or case
    for other in others:
        ends = traps and other is others[-1]
        both = _composed(case, start(other, rng, seed, traps=ends), rng, traps=ends)
        if both is not None:
            case = both
            files.append(other.file)
    return mutated(case, rng, rng.choice(MANY if many else FEW), traps=traps), tuple(files)


def samples_of(corpus: Corpus, turn: int) -> tuple[Sample, ...]:
    """Return the samples of a turn."""
    visit, k = divmod(turn, len(_groups(corpus, 0)))
    samples = corpus.samples()
    return tuple(samples[i] for i in _groups(corpus, visit)[k])


@cache
def _groups(corpus: Corpus, visit: int) -> tuple[tuple[int, ...], ...]:
    """Return the groups of samples of a round, in their order."""
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


def _composed(a: Case, b: Case, rng: random.Random, *, traps: bool = False) -> Case | None:
    """Return the composition of two programs, if it is accepted.

    Half of the time, and as a last resort, the second program uses no names of the first.  Then it
    computes what it was written for, and does not trap.
    """
    for linked in (0.0,) if rng.random() < APART else (LINK_CHANCE, LINK_CHANCE, 0.0):
        if (both := _accepted(composed(a, b, rng, linked), rng, a, traps=traps)) is not None:
            return both
    return None


def start(s: Sample, rng: random.Random, seed: int, *, traps: bool) -> Case:
    """Return a sample with one of its inputs; with ``traps`` one on which it traps, if there is
    one.
    """
    inputs = s.traps if traps or not s.inputs else s.inputs
    return Case(s.program, s.entry.name, rng.choice(inputs), seed)


def mutated(case: Case, rng: random.Random, count: int, *, traps: bool = False) -> Case:
    """Return the case after up to ``count`` mutations; with ``traps`` it may trap."""
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
    """Return the mutant if it is well typed, short, and does not trap unless it may; or None."""
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
    if level_of(new.program) is Level.FUNMEM and not heap_agrees(new, outcome):
        return None
    return new
