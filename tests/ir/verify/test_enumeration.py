"""The inputs on which funmem verify looks for counterexamples: by total size, all small ones."""

from collections.abc import Sequence
from itertools import islice, pairwise

import numpy as np
import pytest

from funmem.ir.fun import Ann, Entry
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue
from funmem.verify.enumeration import SAMPLES, enumerated, samples, searched


def entry(params: str) -> Entry[Ann]:
    (found,) = parse_fun(f"entry main {params} -> (r : i64) = let (r1 : i64) = 3 in (r1)").entries
    return found


def key(args: Sequence[ArgValue]) -> tuple[object, ...]:
    return tuple((np.shape(a), np.asarray(a).tobytes()) for a in args)


@pytest.mark.parametrize(
    ("params", "count"),
    [("(k : u8)", 256), ("(k : i8) (b : bool)", 512), ("[n] (xs : [n]bool)", 1 + 2 + 4 + 8 + 16)],
)
def test_small_domains_are_complete(params: str, count: int) -> None:
    found = [key(args) for args in enumerated(entry(params))]
    assert len(found) == len(set(found)) == count


def test_corners_of_wide_types_occur() -> None:
    found = {int(args[0]) for args in enumerated(entry("(k : i64)"))}  # type: ignore[arg-type]
    assert {0, 1, -1, 2**63 - 1, -(2**63), -(2**63) + 1, 2**32} <= found


def test_inputs_come_by_total_size() -> None:
    """Each array before all that have more elements of no less weight."""
    found = islice(enumerated(entry("[n] (xs : [n]u8)")), 500)
    weights = [len(xs) + sum(int(x).bit_length() for x in xs) for (xs,) in found]
    assert all(a <= b for a, b in pairwise(weights))


def test_a_search_ends_by_its_limits() -> None:
    """A limit of time of nothing leaves one input and the samples."""
    e = entry("[n] (xs : [n]i64) (k : i64)")
    assert len(list(searched(e, 500))) == 500 + SAMPLES
    assert len(list(searched(e, 500, seconds=0))) <= 2 + SAMPLES
    assert not list(searched(e, 0))


def test_samples_are_always_the_same() -> None:
    e = entry("[n] (xs : [n]f32) (b : bool)")
    assert [key(args) for args in samples(e)] == [key(args) for args in samples(e)]
    assert max(len(args[0]) for args in samples(e)) > 4  # type: ignore[arg-type]
