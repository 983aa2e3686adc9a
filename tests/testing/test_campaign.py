"""A short campaign on every run: generated programs on all engines, and on OpenCL.

Protects everything that a program passes through.  A long campaign is one command,
``funmem fuzz -n 20000``; a failure here is shown, and made small, by ``funmem reduce
--generated S --orders fixed`` (or ``random``).

On PoCL most of the time goes into building: some 0.2 s per program and 0.05 s per kernel that runs
(nothing is taken from a cache).  Ten programs are therefore ten entry points of one build.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from attrs import evolve

from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.ir.check import check
from funmem.ir.diagnostics import Trap
from funmem.ir.imp import ImpEntry, ImpProgram
from funmem.ir.names import Name
from funmem.passes.framework import as_imp
from funmem.passes.runner import Pipeline
from funmem.testing import Generated, generate
from funmem.testing.campaign.orders import (
    FUN_PASSES,
    IMP_PASSES,
    LAYOUTS,
    MEMORY_PASSES,
    PIPELINES,
    Orders,
    random_pipeline,
)
from funmem.testing.campaign.orders import fixed_pipeline as pipeline_of
from funmem.testing.campaign.selection import select
from funmem.testing.campaign.trial import kinds_of, nesting, run_trial, trial
from funmem.testing.judge.program import Disagrees, compare, define_outcome
from tests.seeded.table import BUGS
from tests.seeded.world import faulty
from tests.support.devices import pocl
from tests.support.sampling import sampled

PORTION = 7
"""Seeds of one test: as many as there are pipelines."""


@pytest.mark.exhaustive
def test_generated_programs_are_well_typed() -> None:
    """A name that nobody may use any more still is what others share elements with: where it was
    forgotten, three of these were consumed although they may be a parameter.
    """
    for seed in range(9_200_600, 9_200_900):
        check(generate(seed).program)


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(k * PORTION, marks=pytest.mark.exhaustive) for k in range(1, 8))],
)
def test_all_engines_agree(first: int) -> None:
    """Value, heap and IMP in three orders, in memory and at the end, or after every pass.

    Where no kernel has two iterations there is but one order.
    """
    orders: Counter[str] = Counter()
    for seed in range(first, first + PORTION):
        t = trial(seed)
        assert t.disagreements == [], f"seed {seed}"
        assert t.engines["value"] >= 1 or seed % 8
        assert t.engines["heap"] >= 1
        assert t.engines["imp forwards"] >= 1
        orders += t.engines
    assert orders["imp forwards"] >= orders["imp backwards"] == orders["imp shuffled"]
    assert orders["imp shuffled"] >= PORTION // 2


@pytest.mark.parametrize("first", sampled(range(0, 24, 8), 0, slow=9))
def test_all_engines_agree_after_passes_in_any_order(first: int) -> None:
    peaks = 0
    for seed in range(first, first + 8):
        t = trial(seed, orders=Orders.RANDOM)
        assert t.disagreements == [], f"seed {seed}"
        assert t.engines["imp forwards"] > 0 or t.trapping
        peaks += t.engines["peak"]
    assert peaks >= 4


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "seed"), [("pack-strides-stay", 247), ("lower-scattered-used", 5)]
)
def test_products_and_filters_reach_their_passes(name: str, seed: int) -> None:
    """A seeded bug is found in their programs.  If the generator was changed, this says with which
    seeds: ``python -m tests.find_seeded --once pack-strides-stay lower-scattered-used``.
    """
    (bug,) = (b for b in BUGS if b.name == name)
    s, bad = select(seed, Orders.MIXED), faulty(bug)
    steps = s.pipelines[0].steps
    wrong = Pipeline(
        tuple(evolve(k, what=bad) if k.what.name == bug.pass_name else k for k in steps)
    )
    assert run_trial(s.case, s.pipelines[0], further=s.further).disagreements == []
    (d,) = run_trial(s.case, wrong, further=s.further).disagreements
    assert d.engine.startswith("imp")


def test_random_orders_have_everything() -> None:
    """Each pass of each level occurs, before and after each other one, and twice, and not at all;
    a seed always gives the same order.
    """
    orders = [[s.what.name for s in random_pipeline(k).steps] for k in range(500)]
    assert orders == [[s.what.name for s in random_pipeline(k).steps] for k in range(500)]
    for level in (FUN_PASSES, MEMORY_PASSES, IMP_PASSES):
        names = {p.partition("{")[0] for p in level}
        for x in names:
            assert any(x not in order for order in orders)
            for y in names:
                assert any((x, y) in pairwise(order) for order in orders), (x, y)
    for k in range(2 * PORTION):
        assert Orders.FIXED.pipelines(k) == (pipeline_of(k),)
        assert Orders.MIXED.pipelines(k) == (pipeline_of(k), random_pipeline(k))
        assert Orders.RANDOM.pipelines(k) == (random_pipeline(k),)


def test_every_pipeline_has_its_turn() -> None:
    assert len(PIPELINES) == PORTION
    used = {str(pipeline_of(seed)) for seed in range(10 * PORTION)}
    assert len(used) >= 2 * sum("layout" in p for p in PIPELINES)
    assert all(any(f"layout={layout}" in p for p in used) for layout in LAYOUTS)


# ---------------------------------------------------------------------- OpenCL

DEVICE_SEEDS = [s for s in range(450) if "sequentialise" in str(pipeline_of(s))][:300]
"""A device allocates nothing in a kernel, so some pass has to have seen to it."""
GROUP = 10


def group(first: int) -> Iterator[tuple[Generated, ImpEntry]]:
    """Programs, lowered, each under a name of its own."""
    for seed in DEVICE_SEEDS[first : first + GROUP]:
        g = generate(seed)
        (entry,) = as_imp(pipeline_of(seed).run(g.program, verify=False)).entries
        yield g, evolve(entry, name=Name(f"main_{seed}"))


@pytest.mark.opencl
@pytest.mark.parametrize("first", sampled(range(0, len(DEVICE_SEEDS), GROUP), 0, slow=45))
def test_opencl_agrees(first: int) -> None:
    """Every other build has all checks; without them only programs that do not trap are run."""
    safe = first % (2 * GROUP) == 0
    programs = list(group(first))
    together = ImpProgram(tuple(entry for _, entry in programs))
    executable = Executable.load(compile_imp(together, safe=safe), pocl(), None)
    wrong = {}
    for g, entry in programs:
        want = define_outcome(g)
        if isinstance(want, Trap) and not safe:
            continue
        run = executable.entry(entry.name).run
        try:
            compare("opencl", want, lambda run=run, g=g: run(g.args))
        except Disagrees as d:
            wrong[g.seed] = f"after {pipeline_of(g.seed)}: {d}"
    assert wrong == {}


def test_the_device_gets_programs_of_every_kind() -> None:
    programs = [generate(s).program for s in DEVICE_SEEDS[::4]]
    assert len(DEVICE_SEEDS) == 300
    assert max(map(nesting, programs)) >= 4
    assert len(set().union(*map(kinds_of, programs))) >= 26
