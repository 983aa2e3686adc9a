"""expand: what its conditions look at, each in the smallest program that can tell."""

from importlib import import_module

import numpy as np
import pytest

from funmem.interp.value import run
from funmem.ir.fun import Ann, Binder, Kernel, Program, Reduce, Var
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.passes.framework import Report
from tests.support.memory_check import (
    allocs_in_kernels,
    difference,
    heap_outcome,
    same,
    through,
    value_outcome,
)

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


def giving(p: Program[Ann], name: Name) -> Program[Ann]:
    """The program's statements, and one of the names that they bind for the result."""
    (e,) = p.entries
    result = (Binder[Ann](Name("result"), I64, None),)
    body = evolve(e.body, result=(Var(name),))
    return Program((evolve(e, implicit_results=(), results=result, body=body),))


def largest_sizes(p: Program[Ann]) -> list[Kernel[Ann]]:
    """The kernels that compute sizes."""
    all_ = (s.exp for e in p.entries for s in walk(e.body))
    return [e for e in all_ if isinstance(e, Kernel) and isinstance(e.collective, Reduce)]


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


EMPTY = """
entry main (n : i64) (m : i64) -> (r : i64) =
  let (y : [SHAPE]i64) = kernel DIMS do
    let (s : i64) = SUM
    let (k0 : i64) = s % 7
    let (k : i64) = k0 + 1
    let (t : [k]i64) = iota [k] 0 1
    let (v : i64) = loop (acc : i64) = 0 for l < k do
      let (u : i64) = t[l]
      let (w : i64) = acc + u
      in (w)
    in (v)
  in (n)
"""


@pytest.mark.parametrize("sum_", ["j", "i + j"])
@pytest.mark.parametrize("dims", [("n", "m"), ("m", "n")])
def test_a_kernel_without_iterations_takes_no_time(dims: tuple[str, str], sum_: str) -> None:
    """One dimension is 0, and so many steps in the other would not end."""
    outer, inner = dims
    text = EMPTY.replace("SHAPE", f"{outer}][{inner}")
    indices = ("i", "j") if dims == ("n", "m") else ("j", "i")
    text = text.replace("DIMS", f"{indices[0]} < {outer}, {indices[1]} < {inner}")
    p = parse_fun(text.replace("SUM", sum_))
    q = through(p, "allocate,expand")
    assert allocs_in_kernels(q) == []
    assert same(heap_outcome(q, "main", (0, 10**12)), value_outcome(p, "main", (0, 10**12)))
    assert same(heap_outcome(q, "main", (2, 3)), value_outcome(p, "main", (2, 3)))


@pytest.mark.parametrize("sizes", [(0, 3, 3), (3, 0, 3), (3, 3, 0), (3, 3, 3)])
def test_all_other_dimensions_have_iterations(sizes: tuple[int, int, int]) -> None:
    """Also those that are never negative, or that have to be computed."""
    text = EMPTY.replace("SHAPE", "n][m][q][2*z - 2").replace("SUM", "i")
    text = text.replace("DIMS", "i < n, j < m, g < q, h < 2*z - 2")
    text = text.replace("(n : i64) (m : i64)", "[q] (n : i64) (m : i64) (z : i64) (ys : [q]i8)")
    p = parse_fun(text)
    q = through(p, "allocate,expand")
    assert allocs_in_kernels(q) == []
    m, z, width = sizes
    args = (10**12 if 0 in sizes else 2, m, max(z, 1), np.zeros(width, np.int8))
    assert same(heap_outcome(q, "main", args), value_outcome(p, "main", args))


def summed(count: int) -> Program[Ann]:
    """Sums of so many names: the number of threads, and the size of the block of each."""
    threads, part = ([f"{x}{k}" for k in range(count)] for x in "pq")
    length = " + ".join(part)
    return parse_fun(f"""
entry main {" ".join(f"({x} : i64)" for x in (*threads, *part))} -> (r : i64) =
  let (s : i64) = kernel i < {" + ".join(threads)} reduce comm
      (\\(a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0) do
    let (m : mem) = alloc {" + ".join(f"8*{x}" for x in part)}
    let (x : [{length}]i64 @ m -> 0 + {{({length} : 1)}}) = iota [{length}] 5 1
    let (y : i64) = x[0]
    in (y)
  in (s)""")


@pytest.mark.parametrize(("count", "moved"), [(11, True), (12, False)])
@pytest.mark.parametrize("passes", LAYOUTS)
def test_a_size_that_is_too_large_to_be_read_stays(passes: str, count: int, *, moved: bool) -> None:
    """For all threads it is a product: a sum of ten names by one of ten has a hundred terms."""
    report = Report()
    q = through(summed(count), passes, report)
    assert (allocs_in_kernels(q) == []) is moved
    assert parse_fun(show(q)) == q
    too_large = "the size of a block for all threads would be too large"
    assert (too_large in [r.reason for r in report.remarks]) is not moved


@pytest.mark.parametrize(("terms", "moved"), [(25, True), (24, False)])
def test_a_size_has_no_more_terms_than_it_may(
    terms: int, monkeypatch: pytest.MonkeyPatch, *, moved: bool
) -> None:
    monkeypatch.setattr(import_module("funmem.passes.mem.expand.plan"), "TERMS", terms)
    assert (allocs_in_kernels(through(summed(5), "expand")) == []) is moved


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


def test_a_factor_is_rounded_and_not_the_size() -> None:
    """What is 0 for k = 0 has no part then, and is no more than k elements."""
    one = "let (a : [0]i64 @ m -> 0 + {(0 : 1)}) = replicate [0] x\n      in (x)"
    for size, expected in (
        ("k", "8*k*n"),
        ("12*k", "16*k*n"),
        ("12*n*n + 9*n", "16*n*n*n + 16*n*n"),
    ):
        q = through(threads(f"      let (m : mem) = alloc {size}\n      {one}"), "expand")
        assert f"let (m : mem) = alloc {expected}\n" in show(q)


PARTS = """
      let (c : i64) = max(x, 0)
      let (d : i64) = c + 1
      let (m : mem) = alloc SIZE
      let (a : [0]i64 @ m -> 0 + {(0 : 1)}) = replicate [0] x
      in (x)
"""


def test_one_scalar_is_computed_without_arithmetic() -> None:
    """The rest of the size is an exact factor of the allocation."""
    text = show(through(threads(PARTS.replace("SIZE", "8*c*n")), "expand"))
    assert "magnitude" not in text
    assert "alloc 8*most_2*n*n" in text
    assert "magnitude" in show(through(threads(PARTS.replace("SIZE", "8*c*d")), "expand"))
    assert "magnitude" in show(through(threads(PARTS.replace("SIZE", "8*c*k")), "expand"))


def test_whole_elements_are_counted_and_not_rounded() -> None:
    text = show(through(threads(PARTS.replace("SIZE", "8*c*d")), "expand"))
    assert "/ 8" not in text
    assert "/ 8" in show(through(threads(PARTS.replace("SIZE", "9*c*d")), "expand"))


@pytest.mark.parametrize(("c", "k"), [(0, 0), (1, 0), (3, 5), (4, 4), (7, 1)])
def test_a_part_is_not_larger_than_a_whole_unit_more(c: int, k: int) -> None:
    """9*c*k + 12 bytes, rounded up."""
    p = threads(PARTS.replace("SIZE", "9*c*d + 12"))
    q = through(p, "expand")
    (name,) = [s.pat[0].name for s in q.entries[0].body.stms if isinstance(s.exp, Kernel)][:1]
    sizes = giving(q, name)
    (got,) = run(sizes, "main", (np.int64(k), np.array([c], dtype=np.int64)))
    assert got == (9 * c * (c + 1) + 12 + 7) // 8


def test_statements_that_the_size_does_not_need_stay() -> None:
    """One that may trap in front of the allocation is no reason to leave it where it is."""
    p = threads("""
      let (w : i64) = x / k
      let (c : i64) = max(w, 1)
      let (d : i64) = max(x, 1)
      let (m : mem) = alloc 8*d
      let (a : [d]i64 @ m -> 0 + {(d : 1)}) = iota [d] c 1
      let (u : i64) = a[d - 1]
      in (u)
""")
    q = through(p, "expand")
    assert allocs_in_kernels(q) == []
    assert difference(p, q) is None


PAIRED = """
      let (l : i64) (row : [n]i64 @ xs_mem -> 0 + {(n : 1)}) =
        loop (l1 : i64) = 1, (row1 : [n]i64 @ xs_mem -> 0 + {(n : 1)}) = xs for t < 2 do
          let (l2 : i64) = l1 * 2
          in (l2, row1)
      let (m : mem) = alloc 8*l
      let (a : [l]i64 @ m -> 0 + {(l : 1)}) = iota [l] x 1
      let (u : i64) = a[l - 1]
      let (v : i64) = row[i]
      let (z : i64) = u + v
      in (z)
"""


def test_a_scalar_made_together_with_an_array_stays() -> None:
    report = Report()
    p = threads(PAIRED)
    q = through(p, "expand", report)
    assert allocs_in_kernels(q) == ["m"]
    assert [r.reason for r in report.remarks if not r.done] == [
        "it depends on l: it is not a scalar"
    ]


OPERATOR = """
entry main [n] [xs_mem : mem] (xs : [n]i64 @ xs_mem -> 0 + {(n : 1)}) -> (r : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\\(a : i64) (b : i64) ->
        let (c : i64) = max(a, b)
        let (l : i64) = max(c, 1)
        let (m : mem) = alloc 8*l
        let (u : [l]i64 @ m -> 0 + {(l : 1)}) = iota [l] 1 1
        let (last : i64) = u[l - 1]
        in (last)) (0)
    do
      let (x : i64) = xs[i]
      in (x)
  in (s)
"""


def test_what_an_operator_is_given_is_not_known_in_front_of_the_kernel() -> None:
    report = Report()
    q = through(parse_fun(OPERATOR), "expand", report)
    assert allocs_in_kernels(q) == ["m"]
    assert [r.reason for r in report.remarks if not r.done] == ["it depends on a, b"]


CHOSEN_FOR_AN_OPERATOR = """
entry main [n] [m] [xs_mem : mem] (k : i64)
    (xs : [n][m][2]i64 @ xs_mem -> 0 + {(n : 2*m) (m : 2) (2 : 1)})
    -> [r_mem : mem] (r : [n]i64 @ r_mem -> 0 + {(n : 1)}) =
  let (out_mem : mem) = alloc 8*n
  let (out : [n]i64 @ out_mem -> 0 + {(n : 1)}) =
    kernel i < n do
      let (m1 : mem) = alloc 16
      let (m2 : mem) = alloc 32
      let (c : bool) = k > 2
      let (b : mem) =
        if c then
          in (m1)
        else
          in (m2)
      let (o_mem : mem) = alloc 16
      let (z_mem : mem) = alloc 16
      let (z : [2]i64 @ z_mem -> 0 + {(2 : 1)}) = replicate [2] 0
      let (s : [2]i64 @ o_mem -> 0 + {(2 : 1)}) =
        kernel j < m reduce
          (\\(p : [2]i64 @ b -> 0 + {(2 : 1)}) (q : [2]i64 @ z_mem -> 0 + {(2 : 1)}) ->
            let (t : [2]i64 @ o_mem -> 0 + {(2 : 1)}) =
              kernel l < 2 do
                let (u : i64) = p[l]
                let (v : i64) = q[l]
                let (w : i64) = u + v
                in (w)
            in (t)) (z)
        do
          let (row : [2]i64 @ xs_mem -> 2*i*m + 2*j + {(2 : 1)}) = xs[i, j, 0 : 2]
          in (row)
      let (r0 : i64) = s[0]
      in (r0)
  in (out_mem, out)
"""


def test_an_operators_parameter_moves_with_its_block() -> None:
    """It is put there by name, like an array that is made."""
    report = Report()
    p = parse_fun(CHOSEN_FOR_AN_OPERATOR)
    assert difference(p, p) is None
    through(p, "expand", report)
    assert {r.reason for r in report.remarks if not r.done} == {"p is put into b, one of m1, m2"}
