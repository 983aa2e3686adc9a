"""Whether an LMAD of integers names an address twice: the check that runs, against the points.

Protects ``funmem.ir.injective``, which the IMP interpreter and the host of a device run, and what
the traps of the two FUN interpreters say; the C of the same check is compared on a device.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

from funmem.codegen.exprs import CHECKED_ARITHMETIC
from funmem.interp.traps import flat_update_in_bounds
from funmem.ir.diagnostics import NOWHERE, Trap, TrapKind
from funmem.ir.injective import injective
from tests.support.devices import pocl

Dims = tuple[tuple[int, int], ...]


def named_once(dims: Sequence[tuple[int, int]]) -> bool:
    """By the points: as many addresses as indices."""
    points = [
        sum(i * s for i, (_, s) in zip(index, dims, strict=True))
        for index in product(*(range(n) for n, _ in dims))
    ]
    return len(set(points)) == len(points)


def lmads() -> Iterator[Dims]:
    yield ()
    one = list(product(range(5), range(-4, 5)))
    yield from ((d,) for d in one)
    yield from product(one, one)
    rng = Random(4)
    for _ in range(4000):
        yield tuple(
            (rng.choice((0, 1, 2, 2, 3, 4, 5)), rng.randint(-13, 13))
            for _ in range(rng.randint(3, 4))
        )


def test_injective_is_right_for_all_small_lmads() -> None:
    seen = {True: 0, False: 0}
    for dims in lmads():
        found = injective([n for n, _ in dims], [s for _, s in dims])
        assert found == named_once(dims), dims
        seen[found] += 1
    assert min(seen.values()) > 1900


def test_a_flat_update_traps_where_a_point_is_named_twice() -> None:
    for dims in lmads():
        low = sum(min(0, (n - 1) * s) for n, s in dims)
        if named_once(dims):
            flat_update_in_bounds(-low, dims, 1000, NOWHERE)
            continue
        with pytest.raises(Trap) as caught:
            flat_update_in_bounds(-low, dims, 1000, NOWHERE)
        assert caught.value.kind is TrapKind.OVERLAP, dims


@pytest.mark.parametrize(
    ("dims", "answer"),
    [
        (((10**6, 10**6), (10**6, 1)), True),
        (((10**6, 1), (10**6, 10**6)), True),
        (((10**6, 10**6 - 1), (10**6, 1)), False),
        (((2, 10**6), (10**6, 1), (10**6, 2 * 10**6)), True),
        (((128, 128 * 2048), (128, 16), (16, 2048), (16, 1)), True),  # blocks of a matrix
    ],
)
def test_large_lmads_are_decided_without_looking_at_their_points(dims: Dims, answer: bool) -> None:
    assert prod(n for n, _ in dims) > 10**6
    assert injective([n for n, _ in dims], [s for _, s in dims]) == answer


@pytest.mark.opencl
def test_the_generated_c_decides_alike() -> None:
    """``sz_injective`` on a device, for LMADs of up to four dimensions, one for each work-item."""
    cl = pytest.importorskip("pyopencl")
    device = pocl()
    rank = 4
    cases = [dims for dims in lmads() if len(dims) <= rank]
    table = np.array([[*(n for n, _ in padded(d)), *(s for _, s in padded(d))] for d in cases])
    source = f"""{CHECKED_ARITHMETIC}
    __kernel void decide(__global const long *dims, __global int *answers)
    {{
        long i = get_global_id(0), w[{5 * rank}];
        for (int k = 0; k < {2 * rank}; k++)
            w[k] = dims[i * {2 * rank} + k];
        answers[i] = sz_injective({rank}, w);
    }}"""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    answers = np.full(len(cases), 7, np.int32)
    dims = cl.Buffer(device.context, flags, hostbuf=table)
    out = cl.Buffer(device.context, flags, hostbuf=answers)
    kernel = cl.Program(device.context, source).build().decide
    kernel(device.queue, (len(cases),), None, dims, out)
    cl.enqueue_copy(device.queue, answers, out)
    assert answers.tolist() == [named_once(d) for d in cases]


def padded(dims: Dims) -> Dims:
    """With dimensions of one element, which change nothing, in front."""
    return (((1, 5),) * (4 - len(dims))) + dims
