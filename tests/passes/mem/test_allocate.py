"""allocate: every expression's home, how many blocks, and that the meaning stays."""

from collections.abc import Callable

import numpy as np
import pytest

from funmem.ir.check import check
from funmem.ir.erase import erase
from funmem.ir.fun import Alloc, Ann, ArrayType, Copy, Program
from funmem.ir.lmad import row_major
from funmem.ir.sizes import MAX_DEGREE
from funmem.ir.text import parse_fun, show
from funmem.ir.traverse import walk
from funmem.passes.framework import as_tree
from funmem.passes.mem.allocate import allocate, every_array_has_a_home
from funmem.passes.pipeline import ALLOCATE, FUN, MEMORY
from funmem.passes.runner import Pipeline
from funmem.testing import generate
from tests.seeded.judge import PROGRAMS, judge
from tests.support.memory_check import (
    EXAMPLES,
    difference,
    heap_outcome,
    load,
    over_rows,
    same,
    through,
    value_outcome,
)
from tests.support.sampling import sampled

CASES = {
    "scalars": """
entry main [n] (a : [n]f32) (k : i64) -> (r : f32) =
  let (i : i64) = k % n
  let (x : f32) = a[i]
  let (ok : bool) = x > 0.0f32
  assert ok "positive"
  in (x)
""",
    "derived": """
entry main [n] [m] (a : [n][m]i32) (s : i64) -> (r : i32) =
  let (t : [m][n]i32) = permute (1, 0) a
  let (b : [m][n]i32) = reverse 0 t
  let (c : [2][n]i32) = b[s : 2 : -s, 0 : n]
  let (d : [n]i32) = c[1, 0 : n]
  let (e : [s][2]i32) = flat d[1 + {(s : 2) (2 : 1)}]
  let (f : [1][n]i32) = reshape [1][n] d
  let (x : i32) = e[0, 1]
  let (y : i32) = f[0, 0]
  let (z : i32) = x + y
  in (z)
""",
    "reshape": """
entry main [n] [m] (a : [n][m]i32) -> (r : [n * m]i32) (s : [m * n]i32) =
  let (x : [n * m]i32) = reshape [n * m] a
  let (t : [m][n]i32) = permute (1, 0) a
  let (y : [m * n]i32) = reshape [m * n] t
  in (x, y)
""",
    "fresh": """
entry main [n] (a : [n]i32) (v : i32) -> (r : [2 * n + 2]i32) (s : [3][n]i32) (u : [n]bool) =
  let (x : [n]i32) = iota [n] v 2i32
  let (l : [2]i32) = [v, 7i32] : i32
  let (c : [2 * n + 2]i32) = concat 0 x l a
  let (p : [3][n]i32) = replicate [3] x
  let (b : [n]bool) = scratch [n]bool
  let (b2 : [n]bool) = kernel i < n do
    in (true)
  let (b3 : [n]bool) = b with [0 : n] = b2
  in (c, p, b3)
""",
    "update": """
entry main [n] (a : *[n]i32) (is : [n]i64) -> (r : [n]i32) =
  let (x : [n]i32) = a with [0] = 1i32
  let (h : [n]i32) = x[0 : n]
  let (y : [n]i32) = copy h
  let (z : [n]i32) = scatter x is y
  let (w : [n]i32) = kernel i < n hist (z) (\\ (p : i32) (q : i32) ->
    let (s : i32) = p + q
    in (s)) (0i32) do
    in (i, 1i32)
  in (w)
""",
    "branch": """
entry main [n] (a : [n][n]i32) (c : bool) -> [k] (r : [n][k]i32) (s : i64) =
  let (k1 : i64) (x : [n][k1]i32) (s1 : i64) =
    if c then
      let (t : [n][n]i32) = permute (1, 0) a
      in (n, t, 1)
    else
      let (k2 : i64) = n - 1
      let (u : [n][n - 1]i32) = a[0 : n, 1 : n - 1]
      let (v : [n][k2]i32) = reshape [n][k2] u
      in (k2, v, k2)
  in (k1, x, s1)
""",
    "size-and-stride": """
entry main [n] (a : [n][n]i32) (c : bool) -> (r : [n][n]i32) =
  let (x : [n][n]i32) =
    if c then
      let (t : [n][n]i32) = permute (1, 0) a
      in (t)
    else
      in (a)
  in (x)
""",
    "loop": """
entry main [n] (a : [n][n]i32) (b : *[n]i32) (k : i64) -> (r : [n]i32) (s : [n]i32) =
  let (row : [n]i32) = a[k, 0 : n]
  let (x : [n]i32) (y : [n]i32) =
    loop (p : [n]i32) = row, (q : *[n]i32) = b for i < k do
      let (col : [n]i32) = a[0 : n, i]
      let (v : i32) = p[i]
      let (q2 : [n]i32) = q with [i] = v
      in (col, q2)
  in (x, y)
""",
    "while": """
entry main [n] (a : [n]i32) -> (r : [n]i32) =
  let (go : bool) (x : [n]i32) =
    loop (c : bool) = true, (p : [n]i32) = a while c do
      let (q : [n]i32) = reverse 0 p
      in (false, q)
  in (x)
""",
    "kernel": """
entry main [n] [m] (a : [n][m]i32) -> (r : [n][m]i32) (s : [n]i32) =
  let (x : [n][m]i32) (y : [n]i32) =
    kernel i < n do
      let (row : [m]i32) = a[i, 0 : m]
      let (two : [m]i32) = kernel j < m do
        let (v : i32) = row[j]
        let (w : i32) = v * 2i32
        in (w)
      in (two, 3i32)
  in (x, y)
""",
    "operator": """
entry main [h] [n] [m] (a : [h][n][m]i32) -> (r : [h][m]i32) (s : [h][n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (x : [h][m]i32) (y : [h][n][m]i32) =
    kernel k < h, i < n reduce (\\ (p : [m]i32) (q : [m]i32) ->
      let (b : [m]i32) = reverse 0 q
      in (b)) (zeros) do
      let (row : [m]i32) = a[k, i, 0 : m]
      in (row, row)
  in (x, y)
""",
    "operator-keeps": """
entry main [n] [m] (a : [n][m]i32) -> (r : [m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (x : [m]i32) =
    kernel i < n reduce (\\ (p : [m]i32) (q : [m]i32) -> in (p)) (zeros) do
      let (row : [m]i32) = a[i, 0 : m]
      in (row)
  in (x)
""",
    "overlap": """
entry main [n] (a : *[n]i32) (k : i64) -> (r : [3]i32) (s : [2][2]i32) =
  let (c : [n]i32) = copy a
  let (v : [3]i32) = a[0 : 3 : 0]
  let (w : [3]i32) = loop (x : *[3]i32) = v for i < k do
    let (y : [3]i32) = x with [i] = 9i32
    in (y)
  let (f : [2][2]i32) = flat c[0 + {(2 : 1) (2 : 1)}]
  let (g : [2][2]i32) = f with [0, 1] = 5i32
  in (w, g)
""",
    "handed-on": """
entry main [n] (a : [n]i32) (k : i64) -> (r : [3]i32) (s : [3]i32) =
  let (v : [3]i32) = a[0 : 3 : 0]
  let (b : [3]i32) = iota [3] 1i32 1i32
  let (c : [3]i32) = iota [3] 4i32 1i32
  let (x1 : [3]i32) (y1 : [3]i32) (z1 : [3]i32) =
    loop (x : [3]i32) = b, (y : [3]i32) = b, (z : *[3]i32) = c for i < k do
      let (z2 : [3]i32) = z with [0] = 7i32
      in (y, v, z2)
  let (z3 : [3]i32) = z1 with [1] = 8i32
  in (x1, z3)
""",
    "swap": """
entry main [n] [m] (a : [n][m]i32) -> (r : [n][m]i32) (s : [n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (ones : [m]i32) = iota [m] 1i32 1i32
  let (x : [n][m]i32) (y : [n][m]i32) =
    kernel i < n scan (\\ (p : [m]i32) (q : [m]i32) (u : [m]i32) (v : [m]i32) ->
      let (first : i32) = u[0]
      let (c : bool) = first > 0i32
      let (z : [m]i32) =
        if c then
          in (p)
        else
          in (v)
      in (q, z)) (ones, zeros) do
      let (row : [m]i32) = a[i, 0 : m]
      in (row, ones)
  in (x, y)
""",
}

BLOCKS = {
    "scalars": 0,
    "derived": 0,
    "reshape": 3,  # a copy of the transposed array, two results
    "fresh": 9,
    "update": 2,  # y and the result
    "branch": 1,
    "size-and-stride": 1,
    "loop": 2,
    "while": 1,
    "kernel": 5,
    "operator": 7,
    "operator-keeps": 5,  # the accumulator is where it has to be
    "overlap": 5,
    "handed-on": 4,  # the parameter with * is still one that may be updated
    "swap": 11,
}


def allocated(p: Program[Ann]) -> Program[Ann]:
    """After allocate, checked by the runner."""
    after = Pipeline.parse("allocate").run(p)
    assert isinstance(after, Program)
    return after


def blocks(p: Program[Ann]) -> int:
    return sum(isinstance(s.exp, Alloc) for e in p.entries for s in walk(e.body))


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    p = parse_fun(CASES[name])
    check(p)
    golden(f"passes/allocate/{name}.funmem", show(allocated(p)))


@pytest.mark.parametrize("name", CASES)
def test_number_of_blocks(name: str) -> None:
    assert blocks(allocated(parse_fun(CASES[name]))) == BLOCKS[name]


@pytest.mark.parametrize("name", CASES)
def test_cases_stay_valid(name: str) -> None:
    p = parse_fun(CASES[name])
    assert difference(p, allocated(p)) is None


@pytest.mark.parametrize(
    "file", sampled([*EXAMPLES, *sorted(PROGRAMS.glob("*.fun"))], 6), ids=lambda f: f.stem
)
def test_programs_stay_valid(file) -> None:
    p = load(file)
    if over_rows(p):
        p = as_tree(Pipeline.parse("schedule").run(p))
    if file.stem not in ("huge", "wraps"):  # too large for these inputs
        assert difference(p, allocated(p)) is None


@pytest.mark.parametrize("seed", sampled(range(14), 4))
def test_generated_programs_stay_valid(seed: int) -> None:
    g = generate(seed)
    assert judge(Pipeline.parse("allocate"), g.program, g.args) is None


@pytest.mark.parametrize("name", CASES)
def test_erasing_gives_the_program_back_up_to_support(name: str) -> None:
    """The names that were there are bound to the same expressions, operands aside."""
    p = parse_fun(CASES[name])
    before = {b.name: type(s.exp) for e in p.entries for s in walk(e.body) for b in s.pat}
    erased = erase(allocated(p))
    after = {b.name: type(s.exp) for e in erased.entries for s in walk(e.body) for b in s.pat}
    assert before.items() <= after.items()


ONE_OF_TWO = """
entry main [n] (c : bool) (k : i64) (xs : [n]i64) -> (r : i64) =
STMS
  let (y : [1]i64) = if c then
      let (a0 : [1]i64) = xs[OFFSET : 1 : STRIDE]
      let (a : [1]i64) = a0[0 : 1 : STRIDE]
      in (a)
    else
      let (b : [1]i64) = xs[1 : 1]
      in (b)
  let (z : [1]i64) = loop (p : [1]i64) = y for i < 2 do
      let (d : [1]i64) = xs[OFFSET : 1 : STRIDE]
      in (d)
  let (v : i64) = y[0]
  let (w : i64) = z[0]
  let (q : i64) = v * 10 + w
  in (q)
"""


def one_of_two(offset: str = "0", stride: str = "1", stms: str = "") -> Program[Ann]:
    return parse_fun(
        ONE_OF_TWO.replace("OFFSET", offset).replace("STRIDE", stride).replace("STMS", stms)
    )


def sums(*names: str) -> str:
    """Sums of ten names each, whose product has 100 terms."""
    lines: list[str] = []
    for x in names:
        lines.append(f"  let ({x}0 : i64) = k")
        for j in range(9):
            lines.append(f"  let ({x}_{j} : i64) = k / {ord(x) + j}")
            lines.append(f"  let ({x}{j + 1} : i64) = {x}{j} + {x}_{j}")
    return "\n".join(lines)


LARGE = {
    "constant": one_of_two(stride="10000000000000000000000"),
    "below": one_of_two(stride="-9223372036854775809"),
    "product": one_of_two(stride="1099511627776"),
    "factor": one_of_two(stride="10000000000000000000000*n"),
    "offset": one_of_two("10000000000000000000000*k"),
    "terms": one_of_two(
        "+".join(f"k{j}" for j in range(70)),
        stms="\n".join(f"  let (k{j} : i64) = k / {j + 2}" for j in range(70)),
    ),
    "bound": one_of_two("o9*m9", stms=sums("o", "m")),
}


@pytest.mark.parametrize("passes", ["", ALLOCATE, f"{FUN},{ALLOCATE},{MEMORY}"])
@pytest.mark.parametrize("name", sampled(LARGE, 3))
def test_a_place_that_i64_has_no_numbers_for_is_not_returned(name: str, passes: str) -> None:
    """Offsets and strides are exact, what ``if`` and ``loop`` return is an i64: the program stays
    well typed where a stride is beyond i64, or a name's sum too long to be multiplied out.
    """
    p = LARGE[name]
    q = through(p, passes or "allocate")
    for c in (True, False):
        args = (c, 0, np.array([3, 4]))
        assert same(value_outcome(p, "main", args), heap_outcome(q, "main", args))


def test_slices_of_slices_whose_place_is_too_large_to_be_read_are_copied() -> None:
    """The stride is the product of all strides; the length of 1 is inside whatever they are."""
    strides = [f"k{j}" for j in range(MAX_DEGREE + 1)]
    lines = [f"let (x{j} : [1]i64) = x[0 : 1 : {k}]" for j, k in enumerate(strides)]
    lines = [line.replace("= x[", f"= x{j - 1}[" if j else "= xs[") for j, line in enumerate(lines)]
    params = " ".join(f"({k} : i64)" for k in strides)
    last = len(strides) - 1
    p = parse_fun(
        f"entry main {params} (xs : [2]i64) -> (r : i64) =\n  "
        + "\n  ".join(lines)
        + f"\n  let (r1 : i64) = x{last}[0]\n  in (r1)"
    )
    q = allocated(p)
    assert sum(isinstance(s.exp, Copy) for s in walk(q.entries[0].body)) == 1
    assert parse_fun(show(q)) == q
    assert difference(p, q) is None


def test_a_place_that_i64_has_numbers_for_is_returned() -> None:
    """However many terms its offset has, as long as it can be read."""
    for name in ("terms", "bound"):
        p = allocated(LARGE[name])
        assert not any(isinstance(s.exp, Copy) for s in walk(p.entries[0].body))
    assert any(isinstance(s.exp, Copy) for s in walk(allocated(LARGE["product"]).entries[0].body))


def test_results_cross_the_border_row_major_in_blocks_of_their_own() -> None:
    (e,) = allocated(parse_fun(CASES["reshape"])).entries
    homes = [b.home for b in e.results]
    for b in (*e.results, *(p.binder for p in e.params)):
        assert isinstance(b.type, ArrayType)
        assert b.home is not None
        assert b.home.ix == row_major(b.type.shape)
    assert len({h.block for h in homes if h is not None}) == len(homes) == 2


def test_postcondition() -> None:
    p = parse_fun(CASES["fresh"])
    found = every_array_has_a_home(p)
    assert found is not None
    assert found.message == "array a has no home"
    assert every_array_has_a_home(allocate.run(p, allocate.context())) is None


def test_the_same_program_gives_the_same_text() -> None:
    p = parse_fun(CASES["branch"])
    assert show(allocated(p)) == show(allocated(p))


def test_entries_are_independent() -> None:
    one = parse_fun("entry f [n] (a : [n]i32) -> (r : [n]i32) = let (b : [n]i32) = copy a in (b)")
    text = show(one) + "\n" + show(one).replace("entry f", "entry g")
    both = allocated(parse_fun(text))
    assert blocks(both) == 2 * blocks(allocated(one))
