"""schedule, rules (S6) and (S7): kernels over rows become kernels of the same value.

Protects ``passes/fun/schedule/ragged.py`` and ``row_*.py``.  ``ragged/rows.fun`` has a program for
each collective; the operator of the first two does not commute.
"""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.diagnostics import Trap, TrapKind, UsageError
from funmem.ir.fun import Ann, Assert, Kernel, Program, RaggedKernel
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue, ArrayValue
from tests.support.memory_check import load, through
from tests.support.sampling import sampled

ROWS = load(Path(__file__).parent / "ragged" / "rows.fun")
CUTS = ((1, 1, 1), (2, 3, 2), (3, 1, 8), (5, 2, 1), (128, 4096, 2))
"""Threads, elements of a piece, accumulators: pieces of one element; chunks of none; no row in
pieces; rows of six elements in two accumulators."""


def arguments(rng: Random) -> tuple[ArgValue, ...]:
    """Offsets, rarely none; often with empty rows, at both ends, too."""
    lengths = [rng.choice((0, 0, 1, 2, 3, 7)) for _ in range(rng.choice((0, 1, 2, 3, 5, 8)))]
    offsets = np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))]).astype(np.int64)
    xs = np.array([rng.randrange(-9, 10) for _ in range(int(offsets[-1]))], np.int32)
    if rng.random() < 0.15:
        offsets[rng.randrange(len(offsets))] += rng.choice((-1, 1))
    return (offsets if rng.random() < 0.95 else offsets[:0]), xs


def outcome(p: Program[Ann], name: str, args: tuple[ArgValue, ...]) -> object:
    try:
        found = run(p, Name(name), args)
    except Trap as t:
        return t.kind
    return [v.data.tolist() if isinstance(v, ArrayValue) else v for v in found]


@pytest.mark.parametrize("name", sampled([e.name for e in ROWS.entries], 6, 4))
def test_the_values_stay(name: str) -> None:
    """Rows and pieces are joined in order, whatever the lengths; wrong offsets trap."""
    rng = Random(name)
    scheduled = [through(ROWS, f"schedule{{threads={t},piece={q},lanes={a}}}") for t, q, a in CUTS]
    kinds = set()
    wrong = np.array([0, 2, 1]), np.array([1], np.int32)
    for offsets, xs in (wrong, *(arguments(rng) for _ in range(6))):
        args: tuple[ArgValue, ...] = (offsets, xs)
        if name == "inside":
            args = (*args, np.array([1, -2], np.int32))
        if name == "vectors":
            assert isinstance(xs, np.ndarray)
            args = (offsets, np.stack([xs, xs * 2], 1).reshape(len(xs), 2))
        want = outcome(ROWS, name, args)
        kinds.add(want if isinstance(want, TrapKind) else None)
        for p in scheduled:
            assert outcome(p, name, args) == want, args
    assert kinds >= {None, TrapKind.ASSERTION}


def test_no_kernel_over_rows_is_left() -> None:
    for e in through(ROWS, "schedule").entries:
        assert not any(isinstance(s.exp, RaggedKernel) for s in walk(e.body))


def test_a_map_without_the_row_is_a_kernel_over_the_elements() -> None:
    """No search, no chunks."""
    p = parse_fun("""entry main [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i32) =
      let (ys : [m]i32) = kernel i < n - 1, k in offs : m do
        let (x : i32) = xs[k]
        in (x)
      in (ys)""")
    (e,) = through(p, "schedule").entries
    s = e.body.stms[-1].exp
    assert isinstance(s, Kernel)
    assert [str(d.size) for d in s.dims] == ["m"]


def test_offsets_are_checked_once() -> None:
    """Three reductions over the same rows read the offsets for one check."""
    body = "\n".join(
        f"""let (s{j} : [n - 1]i32) = kernel i{j} < n - 1, k{j} in offs : m reduce comm
        (\\ (a{j} : i32) (b{j} : i32) -> let (c{j} : i32) = a{j} + b{j} in (c{j})) (0i32) do
        let (x{j} : i32) = xs[k{j}]
        in (x{j})"""
        for j in range(3)
    )
    p = parse_fun(
        "entry main [n] [m] (offs : [n]i64) (xs : [m]i32)"
        f" -> (p : [n - 1]i32) (q : [n - 1]i32) (r : [n - 1]i32) = {body} in (s0, s1, s2)"
    )
    checks = [s for s in walk(through(p, "schedule").entries[0].body) if isinstance(s.exp, Assert)]
    assert len(checks) == 1


def test_allocate_names_schedule() -> None:
    with pytest.raises(UsageError, match="run `schedule`"):
        through(ROWS, "allocate")
