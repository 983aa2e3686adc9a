"""What a campaign looks at for a seed: a program with an input, and passes that it goes through.

Without a corpus the program is a generated one.  With one three seeds in four have a mutant of a
sample (:mod:`funmem.testing.corpus`); each sample has its turn before any has a second one.
"""

import random

from funmem.ir.record import evolve, frozen
from funmem.ir.values import Tolerance
from funmem.passes.framework import Level, levels_of
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.orders import Orders, few_passes, single_passes
from funmem.testing.corpus.samples import Corpus
from funmem.testing.judge.program import Case, FurtherInput

TURNS, MUTANTS = 4, 3
"""Of so many seeds in a row so many have a mutant, any of them: the number of a seed decides on its
pipeline as well."""

SINGLE = 3
"""Through so many passes alone a mutant in memory goes as well: in a pipeline little may be left to
do for the last ones.
"""


@frozen(eq=False)
class Subject:
    """A case, and the passes that it goes through, in one or more ways.

    Of a variant with dead branches ``original`` is what it was made of, and has to mean the same.
    Of a mutant ``files`` are those of the samples that it was made of.  All but variants are judged
    on ``further`` inputs in the end: on these what is dead may be alive, and an operator not
    associative any more, or its neutral element another one.
    """

    case: Case
    pipelines: tuple[Pipeline, ...]
    original: Case | None = None
    files: tuple[str, ...] = ()
    further: tuple[FurtherInput, ...] = ()

    @property
    def mutant(self) -> bool:
        """Whether the program was made of samples."""
        return bool(self.files)

    def on(self, number: int) -> Case:
        """The case with its ``number``-th input: 0 is its own, then come further ones."""
        return evolve(self.case, args=self.further[number - 1].args) if number else self.case


def subject(seed: int, orders: Orders, variants: int = 0, corpus: Corpus | None = None) -> Subject:
    """What a seed stands for; about one generated program in ``variants`` has dead branches."""
    if corpus is not None and (turn := _turn(seed)) is not None:
        return _mutant(seed, turn, orders, corpus)
    from funmem.testing import generate, variant

    original, grown = Case.of(generate(seed)), variant(seed, variants)
    passes = orders.pipelines(seed)
    if grown is None:
        return Subject(original, passes, further=_further(original, generated=True))
    case = Case.of(grown)
    return Subject(case, passes, original)


def _further(case: Case, *, generated: bool) -> tuple[FurtherInput, ...]:
    from funmem.testing.corpus.further_inputs import TRIES, TRIES_GENERATED, further

    rng = random.Random(f"further {case.seed}")
    return further(case, rng, TRIES_GENERATED if generated else TRIES)


def files_of(seed: int, corpus: Corpus) -> frozenset[str]:
    """The files of the samples that a seed's program may be made of."""
    from funmem.testing.corpus.mutants import samples_of

    turn = _turn(seed)
    return frozenset() if turn is None else frozenset(s.file for s in samples_of(corpus, turn))


def _turn(seed: int) -> int | None:
    """How many mutants the seeds before this one have; None if it has a generated program."""
    block, k = divmod(seed, TURNS)
    chosen = sorted(random.Random(f"turns {block}").sample(range(TURNS), MUTANTS))
    return block * MUTANTS + chosen.index(k) if k in chosen else None


def _mutant(seed: int, turn: int, orders: Orders, corpus: Corpus) -> Subject:
    from funmem.testing.corpus.mutants import mutant
    from funmem.testing.corpus.operators import adds_floats, associative

    case, files = mutant(corpus, seed, turn)
    p = case.program
    pipelines = orders.pipelines(seed)
    if Level.FUN not in levels_of(p):
        rng = random.Random(f"enters {seed}")
        pipelines = tuple(_in_memory(passes, rng) for passes in pipelines)
        pipelines = (*pipelines, *single_passes(seed, SINGLE))
    else:
        pipelines = (*pipelines, few_passes(seed))
        if not associative(p):  # and nobody knows what another order would give
            case = evolve(case, any_order=True)
    if adds_floats(p):
        case = evolve(case, tolerance=Tolerance())
    return Subject(case, pipelines, files=files, further=_further(case, generated=False))


def _in_memory(passes: Pipeline, rng: random.Random) -> Pipeline:
    """The passes after ``allocate``, every second time from one of these on: whoever wrote a
    program in memory may have had any place of a pipeline in mind.
    """
    names = [s.what.name for s in passes.steps]
    first = names.index("allocate") + 1
    lowered = next(k for k, x in enumerate(names) if x.startswith("lower"))
    return Pipeline(passes.steps[first if rng.random() < 0.5 else rng.randint(first, lowered) :])
