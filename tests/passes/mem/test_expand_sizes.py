"""expand: the size of a thread's part is exact, or more than there is memory, whatever i64 does.

A part's size is computed in i64 where sizes have no operation for it.  What protects memory is
that such a size is never smaller than the part: then the allocation traps, as the thread's own did.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from funmem.interp.value import run
from funmem.ir.diagnostics import DeviceError, TrapKind
from funmem.ir.fun import Ann, Binder, Body, Program, Stm, Var
from funmem.ir.logic.facts import of_entry
from funmem.ir.logic.saturated import FAR, HUGE, is_small, saturated
from funmem.ir.names import Fresh
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.sizes import Monomial, Size
from funmem.ir.text import parse_fun
from funmem.ir.traverse import bound_in_body
from funmem.ir.values import ArgValue
from tests.support.memory_check import EXPANDED, INTERLEAVED, heap_outcome, same, through
from tests.support.paths import TESTS
from tests.support.sampling import sampled

ROOT = TESTS
NAMES = ("a", "b", "c")

EDGES = st.sampled_from(
    [
        0,
        1,
        -1,
        2,
        FAR - 1,
        FAR,
        FAR + 1,
        HUGE - 1,
        HUGE,
        -FAR,
        -HUGE,
        I64.max,
        I64.min,
        2**31,
        3**20,
    ]
)
VALUES = st.one_of(EDGES, st.integers(I64.min, I64.max), st.integers(-5, 40))
MONOMIALS = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda xs: tuple(sorted(xs)))
FACTORS = st.one_of(st.integers(-20, 20), st.sampled_from([FAR, -FAR, 2**63, 2**70, -(2**64)]))
SIZES = st.dictionaries(MONOMIALS, FACTORS, min_size=1, max_size=3).map(Size.from_terms)

IDENTITY: Program[Ann] = parse_fun(
    "entry main (a : i64) (b : i64) (c : i64) -> (r : i64) =\n  in (a)"
)


def computed(size: Size, values: tuple[int, int, int]) -> int:
    """What the statements for a size come to."""
    (e,) = IDENTITY.entries
    stms, last = saturated(size, Fresh(frozenset(NAMES) | bound_in_body(e.body)))
    end: Stm[Ann] = Stm((Binder("end", I64, None),), last)
    body = Body((*stms, end), (Var("end"),))
    p = evolve(IDENTITY, entries=(evolve(e, body=body),))
    (got,) = run(p, "main", tuple(np.int64(v) for v in values))
    return int(got)


@given(SIZES, st.tuples(VALUES, VALUES, VALUES))
@example(Size.from_terms({("a", "b"): 1}), (FAR, 2, 0))
@example(Size.from_terms({("a", "b", "c"): 1}), (2**61, 2**61, 0))
@example(Size.from_terms({("a", "b"): 1, (): 1}), (2**32, 2**32, 0))
@example(Size.from_terms({("a",): 2}), (I64.min, 0, 0))
def test_a_size_is_exact_or_more_than_there_is(size: Size, values: tuple[int, int, int]) -> None:
    env = dict(zip(NAMES, values, strict=True))
    exact = size.eval(lambda x: env[x])
    got = computed(size, values)
    plain = size.as_name is not None or size.as_const is not None
    if not plain and got != exact:
        assert got == HUGE
        assert max(magnitudes(size, env)) >= FAR // len(size.terms), "it would have fitted"
    elif plain:
        assert got == exact or not I64.min <= exact <= I64.max


FACTS = """\
entry main (a : i64) (b : i64) (c : i64) -> (r : i64) =
  let (x : i64) = max(min(a, {}), -{})
  let (y : i64) = min(max(b, 0), {})
  in (x)
"""
ENDS = (1, 128, 2**20, 2**30, 2**31, 2**53, 2**60, FAR, HUGE, I64.max)


@given(
    st.dictionaries(
        st.sampled_from([(), ("x",), ("y",), ("x", "y"), ("x", "x"), ("c",), ("c", "y")]),
        FACTORS.filter(bool),
        min_size=1,
        max_size=3,
    ).map(Size.from_terms),
    st.tuples(*[st.sampled_from(ENDS)] * 3),
)
def test_what_is_small_needs_no_care(size: Size, ends: tuple[int, int, int]) -> None:
    """Its terms are at most FAR together, at no value that its names may have."""
    (e,) = parse_fun(FACTS.format(*ends)).entries
    most, least, end = ends
    if is_small(size, of_entry(e).after_all(e.body.stms)):
        assert "c" not in size.free()
        for x in (-least, 0, min(most, 1), most):
            for y in (0, end):
                env = {"x": x, "y": y}
                assert sum(magnitudes(size, env)) <= FAR


def test_what_is_clearly_small_is_small() -> None:
    (e,) = parse_fun(FACTS.format(128, 128, 2**20)).entries
    known = of_entry(e).after_all(e.body.stms)
    for monomial in (("x",), ("y",), ("x", "y"), ("y", "y"), ()):
        assert is_small(Size.from_terms({monomial: 64, (): 3}), known), monomial
    assert not is_small(Size.from_terms({("c",): 1}), known)
    assert not is_small(Size.from_terms({("x",): FAR}), known)
    assert not is_small(Size.from_terms({("x",): FAR // 128, ("y",): FAR // 2**20}), known)
    assert not is_small(Size.from_terms({("x", "x"): FAR // (128 * 128 - 1)}), known)


def magnitudes(size: Size, env: dict[str, int]) -> list[int]:
    def of(monomial: Monomial, k: int) -> int:
        return abs(Size.from_terms({monomial: k}).eval(lambda x: env[x]))

    return [of(m, k) for m, k in size.terms]


# ---------------------------------------------------------------------- programs

TWO_SIZES = (ROOT / "corpus" / "elements_of_two_sizes.funmem").read_text(encoding="utf-8")
OF_THE_THREAD = """
entry main [n] [xs_mem : mem] (k : i64) (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)})
    -> [r_mem : mem] (r : [n]i64 @ r_mem -> 0 + {(n : 1)}) =
  let (out_mem : mem) = alloc 8*n
  let (out : [n]i64 @ out_mem -> 0 + {(n : 1)}) =
    kernel i < n do
      let (c : i64) = xs[i]
      let (d : i64) = c + 1
      let (m : mem) = alloc PART
      let (a : [c*k]i64 @ m -> 0 + {(c*k : 1)}) = iota [c*k] c 1
      let (s : i64) =
        loop (s1 : i64) = 0 for j < c*k do
          let (y : i64) = a[j]
          let (s2 : i64) = s1 * 3 + y
          in (s2)
      in (s)
  in (out_mem, out)
"""
PROGRAMS = {
    "one term": TWO_SIZES,
    "two terms": TWO_SIZES.replace("alloc 12*k", "alloc 12*k + 4*n"),
    "two terms, one square": TWO_SIZES.replace("alloc 12*k", "alloc 12*k + 4*n*n"),
    "a difference": TWO_SIZES.replace("alloc 12*k", "alloc 20*k*n - 4*n"),
    "two scalars": OF_THE_THREAD.replace("PART", "8*c*k"),
    "two terms of the thread's": OF_THE_THREAD.replace("PART", "8*c*k + 8*c"),
    "times a size": OF_THE_THREAD.replace("PART", "8*c*n").replace("c*k", "c*n"),
    "two scalars of the thread's": OF_THE_THREAD.replace("PART", "8*c*d").replace("c*k", "c*d"),
    "no whole elements": OF_THE_THREAD.replace("PART", "9*c*k + 3"),
}
DOES_NOT_FIT = "does not fit into memory"
SMALL = (0, 1, 2, 3)
LARGE = (2**60, 2**61, 2**62, 1537228672809129302, I64.max, 2**63 // 3, 2**64 // 24)
"""Factors for which part of what is computed wraps around."""


@pytest.mark.parametrize("layout", [EXPANDED, INTERLEAVED], ids=["contiguous", "interleaved"])
@pytest.mark.parametrize("name", sampled(PROGRAMS, 6))
def test_parts_are_large_enough(name: str, layout: str) -> None:
    p: Program[Ann] = parse_fun(PROGRAMS[name])
    q = through(p, layout)
    elem = np.int32 if "i32" in PROGRAMS[name] else np.int64
    for n in (1, 2, 5):
        for k in (*SMALL, *LARGE, -1, -(2**62), I64.min):
            for xs in (np.arange(2, n + 2, dtype=elem), np.arange(-n, 0, dtype=elem)):
                args = (np.int64(k), xs)
                before, after = outcome(p, args), outcome(q, args)
                far_below = before is TrapKind.NEGATIVE_SIZE and after == DOES_NOT_FIT
                assert far_below or same(before, after), (
                    f"k = {k}, xs = {xs}: {before}, then {after}"
                )


def outcome(p: Program[Ann], args: Sequence[ArgValue]) -> object:
    try:
        return heap_outcome(p, "main", args)
    except DeviceError as e:
        if "a block of" not in str(e):  # the block; an array in it would be late
            raise
        return DOES_NOT_FIT


def test_a_part_that_no_memory_holds_does_not_fit() -> None:
    args = (np.int64(1537228672809129302), np.arange(3, dtype=np.int32))
    for name in ("one term", "two terms"):
        p = through(parse_fun(PROGRAMS[name]), EXPANDED)
        assert outcome(p, args) == DOES_NOT_FIT, name
