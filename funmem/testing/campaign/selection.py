"""Select the program, input and pipelines of a seed.

Without a corpus the program is a generated one.  With a corpus, three seeds in four have a mutant
of a sample (:mod:`funmem.testing.corpus`).  Every sample is used once before any is used again.
"""

import random

from funmem.ir.fun import RaggedKernel
from funmem.ir.record import evolve, frozen
from funmem.ir.traverse import walk
from funmem.ir.values import Tolerance
from funmem.passes.framework import Level, levels_of
from funmem.passes.runner import Pipeline
from funmem.testing.campaign.orders import Orders, few_passes, single_passes
from funmem.testing.corpus.samples import Corpus
from funmem.testing.judge.program import Case, FurtherInput

TURNS, MUTANTS = 4, 3
"""Of ``TURNS`` consecutive seeds ``MUTANTS`` have a mutant.  They are pseudo-random ones, since the
seed modulo a number also selects the pipeline.
"""

SINGLE = 3
"""Number of single passes through which a mutant in memory goes as well: after a whole pipeline,
little may be left to do for its last passes.
"""


@frozen(eq=False)
class Selection:
    """A case, and the pipelines through which it goes.

    ``original`` is the program of which a variant with dead branches was made, and which it must
    equal.  ``files`` are those of the samples of which a mutant was made.  All programs but
    variants are checked on ``further`` inputs at the end of a pipeline.  On those, dead code may
    run, and operators may no longer be associative or have another neutral element.
    """

    case: Case
    pipelines: tuple[Pipeline, ...]
    original: Case | None = None
    files: tuple[str, ...] = ()
    further: tuple[FurtherInput, ...] = ()

    @property
    def mutant(self) -> bool:
        """True if the program was made of samples."""
        return bool(self.files)

    def on(self, number: int) -> Case:
        """Return the case with its ``number``-th input: 0 is its own, further inputs follow."""
        return evolve(self.case, args=self.further[number - 1].args) if number else self.case


def select(seed: int, orders: Orders, variants: int = 0, corpus: Corpus | None = None) -> Selection:
    """Return the selection of a seed; about one generated program in ``variants`` has dead
    branches.
    """
    if corpus is not None and (turn := _turn(seed)) is not None:
        return _mutant(seed, turn, orders, corpus)
    from funmem.testing import generate, variant, with_shapes

    original = Case.of(generate(seed, rows=True, functions=True))
    grown = variant(seed, variants, rows=True, functions=True)
    passes = orders.pipelines(seed, default=with_shapes(seed))
    if grown is None:
        passes = _without_rows(original, passes, seed)
        return Selection(original, passes, further=_further(original, generated=True))
    case = Case.of(grown)
    return Selection(case, _without_rows(case, passes, seed), original)


def _further(case: Case, *, generated: bool) -> tuple[FurtherInput, ...]:
    from funmem.testing.corpus.further_inputs import TRIES, TRIES_GENERATED, further

    rng = random.Random(f"further {case.seed}")
    return further(case, rng, TRIES_GENERATED if generated else TRIES)


def files_of(seed: int, corpus: Corpus) -> frozenset[str]:
    """Return the files of the samples of which a seed's program may be made."""
    from funmem.testing.corpus.mutants import samples_of

    turn = _turn(seed)
    return frozenset() if turn is None else frozenset(s.file for s in samples_of(corpus, turn))


def _turn(seed: int) -> int | None:
    """Return the number of mutants of earlier seeds, or None if this one has a
    generated program.
    """
    block, k = divmod(seed, TURNS)
    chosen = sorted(random.Random(f"turns {block}").sample(range(TURNS), MUTANTS))
    return block * MUTANTS + chosen.index(k) if k in chosen else None


def _mutant(seed: int, turn: int, orders: Orders, corpus: Corpus) -> Selection:
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
        if not associative(p):  # the result in another order is unknown
            case = evolve(case, any_order=True)
    pipelines = _without_rows(case, pipelines, seed)
    if adds_floats(p):
        case = evolve(case, tolerance=Tolerance())
    return Selection(case, pipelines, files=files, further=_further(case, generated=False))


def _without_rows(case: Case, pipelines: tuple[Pipeline, ...], seed: int) -> tuple[Pipeline, ...]:
    """Return pipelines with ``schedule`` before ``allocate``, which takes no kernels over rows.

    Its pieces are short, so that short rows are cut.
    """
    if not any(isinstance(s.exp, RaggedKernel) for e in case.program.entries for s in walk(e.body)):
        return pipelines
    rng = random.Random(f"rows {seed}")
    return tuple(_scheduled(p, rng) for p in pipelines)


def _scheduled(passes: Pipeline, rng: random.Random) -> Pipeline:
    options = (("piece", rng.choice((1, 2, 4096))), ("share", 0))
    (step,) = Pipeline.parse(f"schedule{{threads={rng.randint(2, 4)}}}").steps
    names = [s.what.name for s in passes.steps]
    end = names.index("allocate")
    steps = list(passes.steps)
    if "schedule" not in names[:end]:
        steps.insert(end, step)
    return Pipeline(
        tuple(
            evolve(s, options=(*s.options, *options)) if s.what.name == "schedule" else s
            for s in steps
        )
    )


def _in_memory(passes: Pipeline, rng: random.Random) -> Pipeline:
    """Return the passes after ``allocate``, half of the time without some of the first ones: a
    program written in FUNMEM may belong to any place of the pipeline.
    """
    names = [s.what.name for s in passes.steps]
    first = names.index("allocate") + 1
    lowered = next(k for k, x in enumerate(names) if x.startswith("lower"))
    return Pipeline(passes.steps[first if rng.random() < 0.5 else rng.randint(first, lowered) :])
