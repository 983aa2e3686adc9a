"""merge at the border of an entry point: blocks of unique arguments, results that stay in place.

Protects ``passes/mem/merge/chosen.py``, the part of ``lifetimes.py`` that is about arguments and
about copies that move nothing, and the lower bound that peaks are measured against.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from funmem.ir.diagnostics import UsageError
from funmem.ir.fun import Alloc, Ann, Kernel, Program
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue
from funmem.passes.framework import Report, as_tree
from funmem.passes.mem.copying import copies
from funmem.passes.mem.liveness import Liveness
from funmem.passes.mem.merge.peak import lower_bound, peak
from funmem.passes.mem.merge.readers import Readers, ThreadValue
from funmem.passes.mem.merge.readers import _Reads as Reads
from funmem.passes.mem.merge.readers import _some as some
from funmem.passes.runner import Pipeline
from tests.support.memory_check import heap_outcome, same, through, value_outcome


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
    "(5) nothing else is there": (
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
        ("i % n", 0),  # also if it reads that twice
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


def least(body: str, before: str = "", n: int = 10) -> int:
    """The lower bound for threads that compute c, from ``ys`` and the caller's ``is``."""
    text = f"""
entry main [n] (is : [n]i64) (k : i64) -> (r : i64) =
  let (ys : [n]i64) = iota [n] 0 1
  {before}
  let (zs : [n]i64) = kernel i < n do
    {body}
    in (c)
  let (s : i64) = zs[0]
  in (s)
"""
    (e,) = through(parse_fun(text), "allocate").entries
    with np.errstate(all="raise"):
        return lower_bound(e, {Name("n"): n, Name("k"): 3})


DATA = "let (d : i64) = is[i]\n"
SUM = "reduce (\\(p : i64) (q : i64) -> let (w : i64) = p + q in (w)) (0)"
LOOP = "let (c : i64) = loop (t : i64) = 0 for l < {} do let (u : i64) = ys[l] in (u)"


@pytest.mark.parametrize(
    ("body", "before", "shared"),
    [
        (
            "let (a : i64) = ys[i] let (b : i64) = rev[i] let (c : i64) = a + b",
            "let (rev : [n]i64) = reverse 0 ys",
            10,
        ),
        (
            "let (a : i64) = ys[0] let (h : i64) = (i + 1) % n let (b : i64) = qs[h] "
            "let (b2 : i64) = qs[i] let (c : i64) = a + b + b2",
            "let (qs : [n]i64) = iota [n] 1 1",
            11,
        ),
        (
            f"{DATA} let (b : bool) = d > 0 let (c : i64) = "
            "if b then let (u : i64) = ys[0] in (u) else let (v : i64) = ys[1] in (v)",
            "",
            12,
        ),
        (LOOP.format("k"), "", 3),
        (f"let (c : i64) = kernel l < k {SUM} do let (u : i64) = ys[l] in (u)", "", 3),
        (
            "let (yes : bool) = true let (go : bool) (c : i64) = "
            "loop (on : bool) = yes, (t : i64) = 0 while on do "
            "let (u : i64) = ys[0] let (no : bool) = u > 0 in (no, u)",
            "",
            1,
        ),
        ("let (h : i64) = i & 1 let (g : i64) = h + 1 let (c : i64) = ys[g]", "", 0),
        (f"{DATA} let (v : [1]i64) = ys[d : 1] let (c : i64) = v[0]", "", 10),
        ("let (a : i64) = ys[i] let (h : i64) = i / 2 let (c : i64) = ys[h]", "", 5),
        ("let (a : i64) = ys[i] let (h : i64) = (n - 1) / i let (c : i64) = ys[h]", "", 4),
        ("let (a : i64) = ys[i] let (h : i64) = (n - 1) % i let (c : i64) = ys[h]", "", 5),
    ],
    ids=[
        *("view", "two arrays", "branches", "loop", "kernel", "while", "no number"),
        *("slice at data", "half", "quotient", "remainder"),
    ],
)
def test_what_threads_read_in_other_ways(body: str, before: str, shared: int) -> None:
    """The caller's array counts where it is used: as 10 elements more."""
    assert least(body, before) == 80 + 8 * shared


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_threads(n: int) -> None:
    assert least(LOOP.format(1), n=n) == 8 * n + 8 * (n > 1)


def test_no_threads_read_nothing() -> None:
    text = """
entry main (n : i64) (m : i64) -> (r : i64) =
  let (ys : [m]i64) = iota [m] 0 1
  let (zs : [n][m]i64) = kernel i < n, j < m do let (c : i64) = ys[0] in (c)
  let (s : i64) = zs[0, 0]
  in (s)
"""
    assert bound(text, n=0, m=10)[1] == 80
    assert bound(text, n=1, m=10)[1] == 88


def test_what_is_read_again_is_needed_once() -> None:
    """However large its block is."""
    text = """
entry main (n : i64) -> (sum : i64) =
  let (a : mem) = alloc 16*n
  let (ys : [n]i64 @ a -> 0 + {(n : 1)}) = iota [n] 0 1
  let (b : mem) = alloc 8*n
  let (zs : [n]i64 @ b -> 0 + {(n : 1)}) = kernel i < n do
    let (h : i64) = n - 1 - i
    let (c : i64) = ys[h]
    let (d : i64) = ys[i]
    let (e : i64) = c + d
    in (e)
  let (s : i64) = zs[0]
  let (t : i64) = ys[0]
  let (r : i64) = s + t
  in (r)
"""
    (e,) = parse_fun(text).entries
    assert lower_bound(e, {Name("n"): 10}) == 160


def test_how_many_threads_there_are_has_to_be_known() -> None:
    text = """
entry main [n] (is : [n]i64) -> (r : i64) =
  let (ys : [n]i64) = iota [n] 0 1
  let (k : i64) = is[0]
  let = kernel i < n, j < k do
    let (c : i64) = ys[i]
    let (yes : bool) = c >= 0
    assert yes "no"
    in ()
  in (k)
"""
    (e,) = through(parse_fun(text), "allocate").entries
    with pytest.raises(UsageError, match="depends on k"):
        lower_bound(e, {Name("n"): 10})


def test_how_many_iterations_there_are_has_to_be_known() -> None:
    with pytest.raises(UsageError, match="depends on d"):
        least(DATA + LOOP.format("d"))


@pytest.mark.parametrize(
    ("counts", "most", "found"),
    [
        ([4], 0, [0, 1, 2, 3]),
        ([5], 4, [0, 1, 3, 4]),
        ([5], 5, [0, 1, 2, 3, 4]),
        ([9], 5, [0, 1, 7, 8]),
    ],
)
def test_of_many_iterations_those_at_both_ends_are_looked_at(
    counts: list[int], most: int, found: list[int]
) -> None:
    assert [k for (k,) in some(counts, most)] == found
    assert list(some([*counts, 2], 2 * most)) == [(k, j) for k in found for j in (0, 1)]


@pytest.mark.parametrize(("loops", "shared"), [((9,), 4), ((8,), 8), ((8, 8), 8), ((6, 8), 8)])
def test_how_much_is_looked_at(loops: Sequence[int], shared: int) -> None:
    """80 reads, by 10 threads."""
    body = "".join(
        f"let (c{k} : i64) = loop (t{k} : i64) = 0 for l{k} < {count} do "
        f"let (u{k} : i64) = ys[{9 * k} + l{k}] in (u{k})"
        for k, count in enumerate(loops)
    )
    text = f"""
entry main (n : i64) -> (r : [n]i64) =
  let (ys : [n]i64) = iota [n] 0 1
  let (xs : [n]i64) = kernel i < n do {body} in (c0)
  in (xs)
"""
    (e,) = through(parse_fun(text), "allocate").entries
    live = Liveness.of_entry(e)
    (s,) = (s for s in e.body.stms if isinstance(s.exp, Kernel))
    assert isinstance(s.exp, Kernel)
    known: dict[Name, ThreadValue] = {Name("n"): np.asarray(10)}
    reads = Reads(Readers.of(live), frozenset((Name("ys"),)), np.arange(10), known, left=80)
    reads.body(s.exp.body)
    assert reads.elements(Name("ys")) == shared


def test_a_branch_that_divides_by_zero_is_not_taken() -> None:
    """So the peak is known, whatever that would be."""
    text = """
entry main (n : i64) -> (r : [n]i64) =
  let (xs : [n]i64) = kernel i < n do
    let (some : bool) = i > 0
    let (c : i64) = if some then let (h : i64) = n / i in (h) else in (i)
    in (c)
  in (xs)
"""
    assert bound(text, n=10) == (160, 80)
