"""Which passes a generated program goes through: a few fixed pipelines, and random orders.

Both depend on the seed alone, so that a trial can be repeated.  The fixed ones are what people run.
The random ones are what nobody thought of: any pass of a level, in any order, some several times,
some not at all.
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
LANES = ",peel,tile{{tall=2,wide=2}},vectorise{{width=2}},unroll-and-jam{{rows=2}},loop-versioning"
NESTS = "simplify,fuse,nest,simplify,"
PIPELINES = (
    FUN + "allocate," + IN_PLACE + LANES,  # the default one, for small arrays
    NESTS + "allocate,simplify,hoist,coalesce{{sector=2}}," + IN_PLACE,  # a GPU's
    "simplify,allocate," + IN_PLACE,
    FUN + "allocate," + MEMORY,
    "allocate," + MEMORY,
    "nest,schedule{{threads=2}},allocate,simplify," + IN_PLACE,
    "allocate,simplify,lower",
)
LAYOUTS = ("contiguous", "interleaved")

FUN_PASSES = ("simplify", "fuse", "nest", "schedule{{threads={few}}}")
"""FUN to FUN: passes that may stand anywhere before ``allocate``."""

USUAL = (
    "hoist",
    "coalesce{{sector={few}}}",
    "short-circuit",
    "double-buffer",
    "expand{{layout={layout}}}",
    "sequentialise",
    "merge{{layout={layout}}}",
)
"""The passes of FUNMEM in the order in which a pipeline has them."""

MEMORY_PASSES = ("simplify", *USUAL)
"""FUNMEM to FUNMEM: passes that may stand anywhere between ``allocate`` and ``lower``."""

IMP_PASSES = (
    "vectorise{{width={few}}}",
    "unchecked",
    "peel",
    "tile{{tall={few},wide=2}}",
    "unroll-and-jam{{rows={few}}}",
    "loop-versioning",
)
"""IMP to IMP: passes that may stand anywhere after ``lower``."""


class Orders(Enum):
    """The pipelines of a campaign."""

    FIXED = "fixed"
    RANDOM = "random"
    MIXED = "mixed"
    """Each seed goes through a fixed one, and then through a random one."""

    def pipelines(self, seed: int) -> tuple[Pipeline, ...]:
        """The pipelines of a seed."""
        fixed = () if self is Orders.RANDOM else (fixed_pipeline(seed),)
        return fixed if self is Orders.FIXED else (*fixed, random_pipeline(seed))


def fixed_pipeline(seed: int) -> Pipeline:
    """One of the fixed ones: collectives scheduled or kept, both layouts, few or all passes."""
    text = PIPELINES[seed % len(PIPELINES)]
    return Pipeline.parse(text.format(layout=LAYOUTS[seed // len(PIPELINES) % 2]))


def random_pipeline(seed: int) -> Pipeline:
    """Passes drawn with repetition: up to 4 of FUN, up to 10 of FUNMEM, up to 3 of IMP;
    two times in three those of FUNMEM once each, or some of them, or up to 3, in any order.

    Three in four end FUNMEM with ``expand`` and ``sequentialise``, after which a device can run the
    program, and its peak be measured.
    """
    rng = random.Random(f"order {seed}")  # not the generator's numbers again

    def some(passes: tuple[str, ...], most: int) -> list[str]:
        return [rng.choice(passes) for _ in range(rng.randint(0, most))]

    def memory() -> list[str]:
        most = rng.choice((3, len(MEMORY_PASSES), 0))
        if most:
            return rng.sample(MEMORY_PASSES, rng.randint(1, most))
        first = ["hoist"] if rng.random() < 0.5 else []  # without which others can do little
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
    """Up to three passes of FUNMEM on what ``allocate`` made of the program itself, as most of the
    others tidy up what one of these may be wrong about; every second time in the order that is the
    reverse of the usual one, and in any order otherwise.
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
    """So many different passes of FUNMEM, each of them alone."""
    rng = random.Random(f"single {seed}")
    layout = rng.choice(LAYOUTS)
    chosen = rng.sample(MEMORY_PASSES, count)
    return tuple(
        Pipeline.parse(f"{x},lower".format(layout=layout, few=rng.randint(2, 4))) for x in chosen
    )


VERIFIED = 0.3
"""How many of the random pipelines leave out checks that were proved."""
