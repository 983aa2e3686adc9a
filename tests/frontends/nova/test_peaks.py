"""A map of a gather, a slice or a range allocates its result only (paper 001, section 6)."""

import numpy as np
import pytest

import funmem
from tests.support.devices import needs_compiler

N = 4096
PROGRAMS = {
    "gather": "((I : vector int) (X : vector float)) (map sqrt (gather I X))",
    "slice": "((I : vector int) (X : vector float)) (map sqrt (slice 0 1 (length I) X))",
    "slice backwards": "((I : vector int) (X : vector float)) (map sqrt (slice 4095 -1 -1 X))",
    "range": "((I : vector int) (X : vector float)) (map (lambda (k : int) (X ! k)) (range 4096))",
    "two lengths": "((I : vector int) (X : vector float)) (map * (map sqrt X) (gather I X))",
}


@needs_compiler
@pytest.mark.parametrize(
    "name", [n if n == "two lengths" else pytest.param(n, marks=pytest.mark.slow) for n in PROGRAMS]
)
def test_only_the_result_is_allocated(name: str) -> None:
    program = funmem.compile(funmem.parse(PROGRAMS[name], "nova"), target="c")
    result = program(np.arange(N, dtype=np.int32), np.ones(N, np.float32))
    assert result.shape == (N,)
    assert program.stats.peak_bytes == 4 * N
