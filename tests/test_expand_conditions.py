"""expand: what its conditions look at, each in the smallest program that can tell."""

import numpy as np
import pytest

from funmem.ir.fun import Ann, Kernel, Program, Reduce
from funmem.ir.text import parse_fun, show
from funmem.passes.framework import Report
from tests.memory_check import allocs_in_kernels, difference, heap_outcome, same, through

LAYOUTS = ("expand", "expand{layout=interleaved}")

THREADS = """
entry main [n] [xs_mem : mem] (k : i64) (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)})
    -> [r_mem : mem] (r : [n]i64 @ r_mem -> 0 + {(n : 1)}) =
  let (out_mem : mem) = alloc 8*n
  let (out : [n]i64 @ out_mem -> 0 + {(n : 1)}) =
    kernel i < n do
      let (x : i64) = xs[i]
BODY
  in (out_mem, out)
"""


def threads(body: str) -> Program[Ann]:
    """A kernel whose threads have a body of their own, of ``x``, ``i`` and ``k``."""
    return parse_fun(THREADS.replace("BODY", body.strip("\n")))


def largest_sizes(p: Program[Ann]) -> list[Kernel[Ann]]:
    """The kernels that compute sizes."""
    top = (s.exp for e in p.entries for s in e.body.stms)
    return [e for e in top if isinstance(e, Kernel) and isinstance(e.collective, Reduce)]


@pytest.mark.parametrize("passes", LAYOUTS)
def test_a_block_without_arrays_is_moved(passes: str) -> None:
    """Its size has units, though no element tells how large they are."""
    p = threads("      let (m : mem) = alloc 8*k + i\n      in (x)")
    q = through(p, passes)
    assert allocs_in_kernels(q) == []
    assert difference(p, q) is None


GROWS = """
entry main [n] [m] (xs : [n][m]i64) (steps : i64) -> (r : [n][m]i64) =
  let (out : [n][m]i64) = kernel i < n do
    let (row : [m]i64) = kernel j < m do
      let (x : i64) = xs[i, j]
      let (one : [1]i64) = [x] : i64
      let (len : i64) (all : [len]i64) = loop (l : i64) = 1, (a : [l]i64) = one for t < steps do
        let (l2 : i64) = l * 2
        let (twice : [l + l]i64) = concat 0 a a
        let (b : [l2]i64) = reshape [l2] twice
        in (l2, b)
      let (last : i64) = all[len - 1]
      in (last)
    in (row)
  in (out)
"""


def test_what_stays_is_told_once() -> None:
    """By the kernel around it, not by the one around that as well."""
    report = Report()
    q = through(parse_fun(GROWS), "simplify,allocate,simplify,hoist,expand", report)
    told = [str(r) for r in report.remarks if r.pass_name == "expand" and not r.done]
    assert allocs_in_kernels(q)
    assert len(told) == len(set(told)) == 1


PASSED_ALONG = """
      let (m1 : mem) = alloc 8*k
      let (m2 : mem) = alloc 16*k
      let (a1 : [k]i64 @ m1 -> 0 + {(k : 1)}) = iota [k] x 1
      let (a2 : [k]i64 @ m2 -> 0 + {(k : 1)}) = iota [k] x 2
      let (ma : mem) (a : [k]i64 @ ma -> 0 + {(k : 1)})
          (mb : mem) (b : [k]i64 @ mb -> 0 + {(k : 1)}) =
        loop (mc : mem) = m1, (c : [k]i64 @ mc -> 0 + {(k : 1)}) = a1,
            (md : mem) = m2, (d : [k]i64 @ md -> 0 + {(k : 1)}) = a2 for t < x do
          in (md, d, mc, c)
      let (s : i64) =
        loop (s1 : i64) = 0 for j < k do
          let (y : i64) = a[j]
          let (z : i64) = b[j]
          let (s2 : i64) = s1 * 7 + y * 3 + z
          in (s2)
      in (s)
"""


@pytest.mark.parametrize("passes", LAYOUTS)
def test_a_loop_may_pass_blocks_along(passes: str) -> None:
    """Nothing is put into a parameter's block by name: its arrays move with what they are."""
    p = threads(PASSED_ALONG)
    q = through(p, passes)
    assert allocs_in_kernels(q) == []
    assert difference(p, q) is None


ONE_OF_TWO = """
entry main [n] [m] [xs_mem : mem] [ys_mem : mem] (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)})
    (ys : [m]i64 @ ys_mem -> 0 + {(m : 1)})
    -> [r_mem : mem] (r : [n][m]i64 @ r_mem -> 0 + {(n : m) (m : 1)}) =
  let (out_mem : mem) = alloc 8*n*m
  let (out : [n][m]i64 @ out_mem -> 0 + {(n : m) (m : 1)}) =
    kernel i < n, j < m do
      let (x : i64) = xs[i]
      let (c : i64) = max(x, 1)
      let (b : mem) = alloc 8*c
      let (a : [c]i64 @ b -> 0 + {(c : 1)}) = iota [c] j 1
      let (s : i64) =
        loop (s1 : i64) = 0 for l < c do
          let (y : i64) = a[l]
          let (s2 : i64) = s1 * 3 + y
          in (s2)
      in (s)
  in (out_mem, out)
"""


@pytest.mark.parametrize(("what", "index"), [("xs[i]", "i"), ("ys[j]", "j")])
def test_a_size_is_computed_for_the_indices_that_it_depends_on(what: str, index: str) -> None:
    p = parse_fun(ONE_OF_TWO.replace("xs[i]", what))
    q = through(p, "expand")
    (k,) = largest_sizes(q)
    assert len(k.dims) == 1
    assert str(k.dims[0].size) == {"i": "n", "j": "m"}[index]
    assert difference(p, q) is None


SIGNS = """
      let (m : mem) = alloc 24*n + 12*k
      let (z : i32) = i32(x)
      let (a : [3*n]i32 @ m -> 0 + {(3*n : 1)}) = iota [3*n] z 1i32
      let (s : i32) =
        loop (s1 : i32) = 0i32 for j < 3*n do
          let (y : i32) = a[j]
          let (s2 : i32) = s1 * 3i32 + y
          in (s2)
      let (w : i64) = i64(s)
      let (b : [n]i64 @ m -> 0 + {(n : 1)}) = iota [n] w 1
      let (t : i64) =
        loop (t1 : i64) = 0 for l < n do
          let (v : i64) = b[l]
          let (t2 : i64) = t1 * 3 + v
          in (t2)
      in (t)
"""


@pytest.mark.parametrize("passes", LAYOUTS)
def test_terms_may_be_negative(passes: str) -> None:
    """12*k bytes are half of 24*k, which makes a smaller block where k is negative."""
    p = threads(SIGNS)
    q = through(p, passes)
    for n in (1, 2, 4):
        args = (np.int64(-n), np.arange(n))
        before, after = (heap_outcome(x, "main", args) for x in (p, q))
        assert isinstance(before, tuple)
        assert same(before, after), f"{n}: {after}\n{show(q)}"
