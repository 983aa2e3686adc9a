"""The memory that vectors take: results, but not what only computes them.

A map of a gather, a slice or a range allocates its result only (paper 001, section 6).  A reduction
over rows allocates its result and a few numbers for each row, never an array of the elements.
"""

import numpy as np
import pytest

import funmem
from tests.support.devices import needs_compiler
from tests.support.sampling import sampled

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


ROWS = 256
OF_ROWS = {
    "sums": "((X : vector vector float)) (map (reduce + 0.0) X)",
    "squares": """((X : vector vector float))
(map (lambda (r : vector float) (reduce + 0.0 (map (lambda (x : float) (* x x)) r))) X)""",
    "scaled": """((X : vector vector float)) (map (lambda (r : vector float)
(let (m (reduce max 0.0 r)) in (reduce + 0.0 (map (lambda (x : float) (/ x (+ m 1.0))) r)))) X)""",
}


@needs_compiler
@pytest.mark.parametrize("name", sampled(OF_ROWS, 0, slow=6))
def test_a_reduction_of_rows_takes_memory_for_the_rows_only(name: str) -> None:
    """One row is so long that it is cut: its pieces have parts, one for 4096 elements."""
    lengths = [N // 16] * (ROWS - 1) + [64 * N]
    program = funmem.compile(funmem.parse(OF_ROWS[name], "nova"), target="c")
    result = program([np.ones(n, np.float32) for n in lengths])
    assert result.shape == (ROWS,)
    assert program.stats.peak_bytes <= 4 * ROWS + 24 * ROWS + 4096
    assert 4 * sum(lengths) > 100 * program.stats.peak_bytes
