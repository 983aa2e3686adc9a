"""expand: no kernel allocates, threads do not meet, and every array moves along."""

from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.ir.fun import Kernel, KernelDim, Reduce
from funmem.ir.lmad import row_major
from funmem.ir.names import Name
from funmem.ir.sizes import var
from funmem.passes.framework import Report
from funmem.passes.mem.expand.layout import Layout, thread_number
from funmem.testing import generate
from tests.support.memory_check import (
    BUFFERED,
    CORPUS,
    EXAMPLES,
    EXPANDED,
    INTERLEAVED,
    allocs_in_kernels,
    before_and_after,
    difference,
    heap_outcome,
    load,
    same,
    through,
    value_outcome,
)
from tests.support.sampling import sampled

LAYOUTS = {"contiguous": EXPANDED, "interleaved": INTERLEAVED}
REFUSED = {
    "computed_rows.fun": "it depends on two1",
    "computed_sizes.fun": "it depends on two1",
    "fresh_in_chosen_block.funmem": "b is put into m, one of m1, m2",
    "growing.fun": "it is allocated in a loop or branch",
    "loop_put_there.funmem": "it is allocated in a loop or branch",
    "loop_window.fun": "it is allocated in a loop or branch",
    "negative_dimension.fun": "it depends on two",
    "trapping_scalar.fun": "operator / traps",
    "trapping_size.fun": "[p] may be out of bounds",
    "unwritten.fun": "it is allocated in a loop or branch",
}
"""What contiguous expansion leaves in kernels, and why."""


def corpus(name: str) -> Path:
    return next(f for f in CORPUS if f.name == name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "name",
    [
        "chosen_array.fun",
        "chosen_row.fun",
        "nested_kernels.fun",
        "operator_arrays.fun",
        "private_array.fun",
        "ragged_rows.fun",
        "two_dimensions.fun",
        "elements_of_two_sizes.funmem",
        "two_in_one_block.funmem",
    ],
)
def test_before_and_after(name: str, layout: str, golden: Callable[[str, str], None]) -> None:
    p = through(load(corpus(name)), BUFFERED)
    text = before_and_after(p, f"expand{{layout={layout}}},simplify")
    golden(f"memory/expand/{Path(name).stem}.{layout}.funmem", text)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("file", sampled(EXAMPLES, 3), ids=lambda f: f.name)
def test_examples_allocate_in_no_kernel(file: Path, layout: str) -> None:
    p = load(file)
    q = through(p, LAYOUTS[layout])
    assert allocs_in_kernels(q) == []
    assert difference(p, q) is None


@pytest.mark.parametrize("layout", sampled(LAYOUTS, 6))
@pytest.mark.parametrize("file", sampled(CORPUS, 6), ids=lambda f: f.name)
def test_value_is_heap(file: Path, layout: str) -> None:
    p = load(file)
    q = through(p, LAYOUTS[layout])
    assert difference(p, q) is None
    if file.name not in REFUSED:
        assert allocs_in_kernels(q) == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_a_remark(name: str) -> None:
    report = Report()
    q = through(load(corpus(name)), EXPANDED, report)
    assert allocs_in_kernels(q)
    reasons = [r.reason for r in report.remarks if r.pass_name == "expand" and not r.done]
    assert any(REFUSED[name] in reason for reason in reasons), reasons


@pytest.mark.parametrize("file", CORPUS[::3], ids=lambda f: f.name)
def test_without_simplification_in_between(file: Path) -> None:
    """All supporting information is there, or none."""
    p = load(file)
    q = through(p, "allocate,hoist,double-buffer,hoist,expand{layout=interleaved}")
    assert difference(p, q) is None


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_generated_programs(seed: int) -> None:
    g = generate(seed)
    want = value_outcome(g.program, g.entry, g.args)
    for passes in LAYOUTS.values():
        found = heap_outcome(through(g.program, passes), g.entry, g.args)
        assert same(want, found)


# ---------------------------------------------------------------------- layouts

ROW, COL, N, M, K = (Name(x) for x in ("i", "j", "n", "m", "k"))
DIMS = (KernelDim(ROW, var(N)), KernelDim(COL, var(M)))


def test_threads_are_numbered_row_major() -> None:
    assert thread_number(DIMS) == var(ROW) * var(M) + var(COL)
    assert thread_number(()) == thread_number(()) * 2


@pytest.mark.parametrize("interleaved", [False, True])
def test_parts_are_disjoint_and_inside(interleaved: bool) -> None:
    sizes = {N: 2, M: 3, K: 4}
    layout = Layout(DIMS, 4, var(K) * 2, interleaved)
    seen: set[int] = set()
    for i in range(2):
        for j in range(3):
            known = {**sizes, ROW: i, COL: j}
            ix = layout.place(row_major((2, var(K))), 4)
            for a in range(2):
                for b in range(4):
                    at = ix.apply((a, b)).eval(lambda x, known=known: known[x])  # type: ignore[misc]
                    assert at not in seen
                    seen.add(at)
    assert seen == set(range(layout.bytes.eval(lambda x: sizes[x]) // 4))


def test_mixed_elements_fall_back_to_contiguous_with_a_remark() -> None:
    report = Report()
    through(load(corpus("elements_of_two_sizes.funmem")), INTERLEAVED, report)
    reasons = [r.reason for r in report.remarks if r.pass_name == "expand" and not r.done]
    assert reasons == ["the block holds elements of 4, 8 bytes"]


def test_a_reshape_that_would_lose_its_index_function_forbids_interleaving() -> None:
    report = Report()
    q = through(load(corpus("chosen_reshape.funmem")), INTERLEAVED, report)
    assert allocs_in_kernels(q) == []
    conditions = [r.condition for r in report.remarks if r.pass_name == "expand" and not r.done]
    assert conditions == ["every reshape keeps an index function"]


def test_equal_sizes_are_computed_once() -> None:
    ragged = next(f for f in EXAMPLES if f.name == "ragged.fun")
    p = through(load(ragged), EXPANDED)
    top = [s for s in p.entries[0].body.stms if isinstance(s.exp, Kernel)]
    largest = [s for s in top if isinstance(s.exp, Kernel) and isinstance(s.exp.collective, Reduce)]
    assert len(largest) == 1
