"""merge at the border of an entry point: blocks of unique arguments, results that stay in place.

Protects ``passes/mem/merge/chosen.py``, the part of ``lifetimes.py`` that is about arguments and
about copies that move nothing, and the lower bound that peaks are measured against.
"""

from collections.abc import Sequence

import pytest

from funmem.explain.copies import copies
from funmem.ir.fun import Alloc, Ann, Program
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue
from funmem.passes.framework import Pipeline, Report, as_tree
from funmem.passes.mem.merge.peak import lower_bound, peak
from tests.memory_check import heap_outcome, same, through, value_outcome


def merged(text: str, report: Report | None = None) -> Program[Ann]:
    return as_tree(Pipeline.parse("merge").run(parse_fun(text), report=report))


def cost(p: Program[Ann]) -> tuple[int, int]:
    """Allocations, and copies that move something."""
    (e,) = p.entries
    return sum(isinstance(s.exp, Alloc) for s in walk(e.body)), len(copies(p))


def assert_same(text: str, after: Program[Ann], args: Sequence[ArgValue]) -> None:
    want = value_outcome(parse_fun(text), "main", args)
    assert same(want, heap_outcome(after, "main", args))


# ---------------------------------------------------------------------- unique arguments

MAPPED = """
entry main [n] [xs_mem : mem] (xs : *[n]i32 @ xs_mem -> 0 + {(n : 1)})
    -> [r_mem : mem] (r : [n]i32 @ r_mem -> 0 + {(n : 1)}) =
  let (m : mem) = alloc 4*n
  let (y : [n]i32 @ m -> 0 + {(n : 1)}) =
    kernel i < n do
      let (v : i32) = xs[i]
      let (w : i32) = v + 1i32
      in (w)
  in (m, y)
"""


def test_the_result_takes_the_block_of_a_unique_argument() -> None:
    after = merged(MAPPED)
    assert cost(after) == (0, 0)
    assert_same(MAPPED, after, ([3, 1, 4],))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("xs : *[n]", "xs : [n]"),  # the caller keeps it
        ("xs[i]", "xs[n - 1 - i]"),  # another thread's element lies where a thread would write
        ("let (m : mem) = alloc 4*n", "let (m : mem) = alloc 4*n + 4"),  # it is too small
    ],
)
def test_a_block_that_cannot_be_an_arguments(old: str, new: str) -> None:
    assert old in MAPPED
    assert cost(merged(MAPPED.replace(old, new))) == (1, 0)


# ---------------------------------------------------------------------- chosen blocks

EXCHANGED = """
entry main (n : i64) (k : i64) -> [r_mem : mem] (r : [n]i64 @ r_mem -> 0 + {(n : 1)}) =
  let (a : mem) = alloc 8*n
  let (b : mem) = alloc 8*n
  let (x0 : [n]i64 @ a -> 0 + {(n : 1)}) = iota [n] 0 1
  let (b1 : mem) (m1 : mem) (x1 : [n]i64 @ m1 -> 0 + {(n : 1)}) =
    loop (s : mem) = b, (m : mem) = a, (x : [n]i64 @ m -> 0 + {(n : 1)}) = x0 for i < k do
      let (y : [n]i64 @ s -> 0 + {(n : 1)}) =
        kernel j < n do
          let (h : i64) = (j + 1) % n
          let (v : i64) = x[h]
          in (v)
      in (m, s, y)
  let (c : mem) = alloc 8*n
  let (z : [n]i64 @ c -> 0 + {(n : 1)}) = copy x1
  in (c, z)
"""
COPY = "let (z : [n]i64 @ c -> 0 + {(n : 1)}) = copy x1\n"


def test_a_result_stays_in_the_block_that_a_loop_chose() -> None:
    after = merged(EXCHANGED)
    assert cost(parse_fun(EXCHANGED)) == (3, 1)
    assert cost(after) == (2, 0)
    for steps in range(4):
        assert_same(EXCHANGED, after, (5, steps))


VIOLATED = {
    "(1) begins with the copy": (
        "let (b1 : mem)",
        "let (w : [n]i64 @ c -> 0 + {(n : 1)}) = iota [n] 0 1\n  let (b1 : mem)",
    ),
    "(1) begins with the copy, whatever is chosen before": (
        "let (b1 : mem)",
        "let (yes : bool) = n >= 0\n"
        "  let (d : mem) = alloc 8*n\n"
        "  let (either : mem) = if yes then in (c) else in (d)\n"
        "  let (w : [n]i64 @ either -> 0 + {(n : 1)}) = iota [n] 0 1\n  let (b1 : mem)",
    ),
    "(2) lies the same": (
        COPY,
        "let (t : [n]i64 @ m1 -> n - 1 + {(n : -1)}) = reverse 0 x1\n"
        "  let (z : [n]i64 @ c -> 0 + {(n : 1)}) = copy t\n",
    ),
    "(3) may be kept": ("let (b : mem) = alloc 8*n", "let (b : mem) = alloc 8*n + 8"),
    "(3) may be kept, in its kind of memory": (
        f"let (c : mem) = alloc 8*n\n  {COPY}  in (c, z)",
        f"let (c : mem.local) = alloc.local 8*n\n  {COPY}"
        "  let (g : mem) = alloc 8*n\n"
        "  let (z0 : [n]i64 @ g -> 0 + {(n : 1)}) = iota [n] 0 1\n"
        "  let (o : i64) = z[n - 1]\n"
        "  let (z1 : [n]i64 @ g -> 0 + {(n : 1)}) = z0 with [0] = o\n"
        "  in (g, z1)",
    ),
    "(4) last used": (COPY, f"{COPY}  let (o : i64) = x1[0]\n"),
    "(5) nobody else is there": (
        COPY,
        f"{COPY}  let (t : [n]i64 @ a -> 0 + {{(n : 1)}}) = replicate [n] 7\n"
        "  let (f : i64) = t[0]\n",
    ),
}


@pytest.mark.parametrize("condition", VIOLATED)
def test_each_condition_has_a_program_that_violates_it(condition: str) -> None:
    old, new = VIOLATED[condition]
    assert old in EXCHANGED
    text = EXCHANGED.replace(old, new)
    if condition.startswith("(1)"):  # the block has to be there for that
        alloc = "  let (c : mem) = alloc 8*n\n"
        text = text.replace(alloc, "").replace("  let (a : mem)", f"{alloc}  let (a : mem)")
    report = Report()
    after = merged(text, report)
    found = [r.condition for r in report.remarks if r.reason.startswith("copy of ")]
    assert found == [condition.split(",")[0]]
    for steps in (0, 1, 2):
        assert_same(text, after, (5, steps))


def test_the_callers_block_is_not_kept() -> None:
    text = EXCHANGED.replace(
        "(n : i64) (k : i64)", "[n] [a : mem] (k : i64) (x0 : [n]i64 @ a -> 0 + {(n : 1)})"
    )
    text = text.replace("  let (a : mem) = alloc 8*n\n", "")
    text = text.replace("  let (x0 : [n]i64 @ a -> 0 + {(n : 1)}) = iota [n] 0 1\n", "")
    report = Report()
    merged(text, report)
    assert [r.reason for r in report.remarks if r.condition == "(3) may be kept"] == [
        "copy of x1: a is the caller's"
    ]


# ---------------------------------------------------------------------- the lower bound


def bound(text: str, **sizes: int) -> tuple[int, int]:
    """Peak and lower bound of a FUN program, every array in a block of its own."""
    (e,) = through(parse_fun(text), "allocate,simplify").entries
    given = {Name(x): n for x, n in sizes.items()}
    return peak(e, given), lower_bound(e, given)


def kernel(index: str, unique: str = "*") -> str:
    return f"""
entry main [n] (xs : {unique}[n]i64) (is : [n]i64) -> (r : i64) =
  let (ys : [n]i64) = iota [n] 0 1
  let (zs : [n]i64) = kernel i < n do
    let (d : i64) = is[i]
    let (h : i64) = {index}
    let (a : i64) = ys[i]
    let (b : i64) = ys[h]
    let (c : i64) = a + b + d
    in (c)
  let (s : i64) = zs[0]
  in (s)
"""


@pytest.mark.parametrize(
    ("index", "shared"),
    [
        ("i + 0", 0),  # each thread reads its own element
        ("(i + 1) % n", 10),  # every element is read by two
        ("max(i - 1, 0)", 9),  # but not the last one
        ("n - 1 - i", 10),
        ("d % n", 10),  # data: it may be any element
        ("0 * i", 1),  # everybody's first one
    ],
)
def test_what_two_threads_read_is_needed_beside_the_result(index: str, shared: int) -> None:
    _, least = bound(kernel(index), n=10)
    # `is` is the caller's, so it cannot make room for the result either
    assert least == 80 + 80 + 8 * shared


def test_an_argument_that_the_caller_keeps_is_not_overwritten() -> None:
    def doubled(unique: str) -> str:
        return f"""
entry main [n] (xs : {unique}[n]i64) -> (r : i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = x + x
    in (y)
  let (s : i64) = ys[0]
  in (s)
"""

    assert bound(doubled("*"), n=10)[1] == 80
    assert bound(doubled(""), n=10)[1] == 160
