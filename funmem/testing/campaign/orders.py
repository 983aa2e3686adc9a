"""The pipelines of a generated program: fixed ones and random ones.

Both depend on the seed alone, so that a trial can be repeated.  The fixed pipelines are those in
use.  The random ones cover unusual orders: passes of a level in any order, some several times, some
not at all.
"""

import random
from enum import Enum

from funmem.passes.runner import Pipeline

FUN = "simplify,fuse,nest,schedule{{threads=3}},simplify,"
MEMORY = (
    "simplify,hoist,double-buffer,hoist,simplify,"
    "expand{{layout={layout}}},simplify,sequentialise,lower"
)
IN_PLACE = (
    "simplify,hoist,short-circuit,double-buffer,hoist,short-circuit,simplify,"
    "expand{{layout={layout}}},sequentialise,merge{{layout={layout}}},lower"
)
LANES = (
    ",peel,tile{{tall=2,wide=2}},vectorise{{width=2}},unroll-and-jam{{rows=2}},"
    "pack{{reuse=2,least=0}},loop-versioning"
)
NESTS = "simplify,fuse,nest,simplify,"
PIPELINES = (
    "inline," + FUN + "allocate," + IN_PLACE + LANES,  # the default pipeline, for small arrays
    "inline," + NESTS + "allocate,simplify,hoist,coalesce{{sector=2}}," + IN_PLACE,  # for a GPU
    "simplify,allocate," + IN_PLACE,
    FUN + "allocate," + MEMORY,
    "allocate," + MEMORY,
    "nest,schedule{{threads=2}},allocate,simplify," + IN_PLACE,
    "allocate,simplify,lower",
)
LAYOUTS = ("contiguous", "interleaved")

FUN_PASSES = ("simplify", "fuse", "nest", "schedule{{threads={few}}}", "inline{{small={few}}}")
"""Passes from FUN to FUN, which may run at any place before ``allocate``."""

USUAL = (
    "unfill",
    "hoist",
    "coalesce{{sector={few}}}",
    "short-circuit",
    "double-buffer",
    "expand{{layout={layout}}}",
    "sequentialise",
    "merge{{layout={layout}}}",
)
"""The passes of FUNMEM in the order of the pipelines."""

MEMORY_PASSES = ("simplify", *USUAL)
"""Passes from FUNMEM to FUNMEM, which may run at any place between ``allocate`` and ``lower``."""

IMP_PASSES = (
    "vectorise{{width={few}}}",
    "unchecked",
    "peel",
    "tile{{tall={few},wide=2}}",
    "unroll-and-jam{{rows={few}}}",
    "pack{{reuse={few},least=0}}",
    "loop-versioning",
)
"""Passes from IMP to IMP, which may run at any place after ``lower``."""


class Orders(Enum):
    """The pipelines of a campaign."""

    FIXED = "fixed"
    RANDOM = "random"
    MIXED = "mixed"
    """Each seed goes through a fixed pipeline, and then through a random one."""

    def pipelines(self, seed: int, *, default: bool = False) -> tuple[Pipeline, ...]:
        """Return the pipelines of a seed; ``default``: its fixed one is the default pipeline."""
        fixed = () if self is Orders.RANDOM else (fixed_pipeline(seed, default=default),)
        return fixed if self is Orders.FIXED else (*fixed, random_pipeline(seed))


def fixed_pipeline(seed: int, *, default: bool = False) -> Pipeline:
    """Return a fixed pipeline: collectives scheduled or kept, both layouts, few or all passes."""
    text = PIPELINES[0 if default else seed % len(PIPELINES)]
    return Pipeline.parse(text.format(layout=LAYOUTS[seed // len(PIPELINES) % 2]))


def random_pipeline(seed: int) -> Pipeline:
    """Return a random pipeline.

    It has up to 4 passes of FUN and up to 3 of IMP, drawn with repetition.  Of FUNMEM it has, with
    equal probability, up to 3 distinct passes, up to all of them once each, or up to 10 with
    repetition, in any order.  Three in four end FUNMEM with ``expand`` and ``sequentialise``, so
    that a device can run the program and its peak memory can be measured.
    """
    rng = random.Random(f"order {seed}")  # independent of the generator's random numbers

    def some(passes: tuple[str, ...], most: int) -> list[str]:
        return [rng.choice(passes) for _ in range(rng.randint(0, most))]

    def memory() -> list[str]:
        most = rng.choice((3, len(MEMORY_PASSES), 0))
        if most:
            return rng.sample(MEMORY_PASSES, rng.randint(1, most))
        first = ["hoist"] if rng.random() < 0.5 else []  # other passes can do little without it
        return [*first, *some(MEMORY_PASSES, 10)]

    ready = ["expand{{layout={layout}}}", "sequentialise"] if rng.random() < 0.75 else []
    names = [
        *(some(FUN_PASSES, 4) if rng.random() < 0.7 else ()),
        "allocate",
        *memory(),
        *ready,
        "lower",
        *some(IMP_PASSES, 3),
    ]
    layout = rng.choice(LAYOUTS)
    texts = [x.format(layout=layout, few=rng.randint(2, 4)) for x in names]
    if rng.random() < VERIFIED:
        texts[texts.index("lower")] = "lower-verified"
    return Pipeline.parse(",".join(texts))


def few_passes(seed: int) -> Pipeline:
    """Return up to three passes of FUNMEM directly after ``allocate``.

    Most other passes clean up the program, and so hide errors of these.  Half of the time they are
    in the reverse of the usual order, otherwise in any order.
    """
    rng = random.Random(f"few {seed}")
    if rng.random() < 0.5:
        chosen = sorted(rng.sample(range(len(USUAL)), 3), reverse=True)
        names = [USUAL[k] for k in chosen]
    else:
        names = rng.sample(MEMORY_PASSES, rng.randint(1, 3))
    text = ",".join(("allocate", *names, "lower"))
    return Pipeline.parse(text.format(layout=rng.choice(LAYOUTS), few=rng.randint(2, 4)))


def single_passes(seed: int, count: int) -> tuple[Pipeline, ...]:
    """Return ``count`` pipelines, each with a single, different pass of FUNMEM."""
    rng = random.Random(f"single {seed}")
    layout = rng.choice(LAYOUTS)
    chosen = rng.sample(MEMORY_PASSES, count)
    return tuple(
        Pipeline.parse(f"{x},lower".format(layout=layout, few=rng.randint(2, 4))) for x in chosen
    )


VERIFIED = 0.3
"""Fraction of the random pipelines that omit proved checks."""
