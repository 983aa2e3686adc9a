"""The definition of the language: every expression computes what the language page says."""

import numpy as np
import pytest

from funmem.interp import run
from funmem.ir.diagnostics import (
    UsageError,
)
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, ArrayValue, Value

NAN, INF = float("nan"), float("inf")


def run_all(text: str, *args: ArgValue) -> tuple[Value, ...]:
    return run(parse_fun(text, "t.fun"), "main", args)


def plain(v: Value) -> object:
    """A value as Python lists; undefined elements as None."""
    if not isinstance(v, ArrayValue):
        return v
    cells = v.data.astype(object)
    cells[~v.mask()] = None
    return cells.tolist()


def compute(head: str, body: str, *args: ArgValue) -> object:
    """The one result of ``entry main {head} = {body}``."""
    (v,) = run_all(f"entry main {head} =\n {body}", *args)
    return plain(v)


def exp1(exp: str, x: object, elem: str = "i32", result: str = "[k]i32", **sizes: int) -> object:
    """``exp`` on an array ``x``; sizes are i64 parameters."""
    data = np.array(x, f"int{elem[1:]}")
    shape = "".join(f"[d{k}]" for k in range(data.ndim))
    head = "".join(f" [d{k}]" for k in range(data.ndim))
    head += f" (x : {shape}{elem})" + "".join(f" ({s} : i64)" for s in sizes)
    return compute(
        f"{head} -> (r : {result})", f"let (y : {result}) = {exp} in (y)", data, *sizes.values()
    )


MATRIX = [[1, 2, 3], [4, 5, 6]]

# ---------------------------------------------------------------------- entries


def test_results_come_in_order_without_the_implicit_ones():
    text = """
    entry main [n] (x : [n]i32) -> [k] (y : [k]i32) (b : bool) =
      let (k1 : i64) = n - 1
      let (y1 : [k1]i32) = x[1 : k1]
      in (k1, y1, true)
    """
    ys, b = run_all(text, [1, 2, 3])
    assert (plain(ys), b) == ([2, 3], True)


def test_an_entry_point_that_does_not_exist():
    with pytest.raises(UsageError, match="no entry point `g`; there is `main`"):
        run(parse_fun("entry main -> (r : i64) = in (0)", "t"), "g", [])


def test_memory_is_forgotten():
    """A FUNMEM program means what it means without its annotations, however wrong they are."""
    text = """
    entry main [n] [m : mem] (x : [n]i32 @ m -> 0 + {(n : 1)})
      -> [r : mem] (y : [n]i32 @ r -> 0 + {(n : 1)}) =
      let (b : mem) = alloc 0
      let (y1 : [n]i32 @ b -> 0 + {(n : 1)}) = copy x
      in (b, y1)
    """
    assert plain(run_all(text, [5, 6])[0]) == [5, 6]


# ---------------------------------------------------------------------- scalars


@pytest.mark.parametrize(
    ("t", "exp", "a", "b", "want"),
    [
        ("i8", "a + b", 127, 1, -128),
        ("i32", "a / b", -7, 2, -4),
        ("i32", "a // b", -7, 2, -3),
        ("f32", "a / b", 1.0, 0.0, INF),
        ("f32", "sqrt(a) + b * a - min(a, b)", 4.0, 3.0, 11.0),
        ("u8", "~a & b", 15, 255, 240),
    ],
)
def test_operators_are_those_of_the_table(t, exp, a, b, want):
    """The table has its own tests: here, that each operator is found at its operands' type."""
    head = f"(a : {t}) (b : {t}) -> (r : {t})"
    assert compute(head, f"let (c : {t}) = {exp} in (c)", a, b) == want


def test_conversions_and_mixed_types():
    body = "let (c : f32) = f32(a) * 0.5f32 let (d : bool) = c < 2.0f32 && !(a == 1) in (d)"
    assert compute("(a : i64) -> (r : bool)", body, 3) is True


def test_sizes_are_exact_integers():
    """The polynomial of a size does not wrap around, though i64 operators do."""
    body = "let (y : [n*n - n*n]i8) = replicate [n*n - n*n] 1i8 in (y)"
    assert compute("(n : i64) -> (r : [0]i8)", body, 2**62) == []


# ---------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    ("exp", "x", "sizes", "want"),
    [
        ("x[2 : k]", [0, 1, 2, 3, 4], {"k": 2}, [2, 3]),  # errata 1 and 2
        ("x[0 : k]", [7], {"k": 1}, [7]),
        ("x[9 : k]", [0, 1], {"k": 0}, []),  # an empty range may start anywhere
        ("x[1 : k : 2]", [0, 1, 2, 3, 4], {"k": 2}, [1, 3]),
        ("x[2 : k : -1]", [0, 1, 2], {"k": 3}, [2, 1, 0]),
        ("x[1 : k : 0]", [0, 1, 2], {"k": 3}, [1, 1, 1]),
        ("x[1 : k : 99]", [0, 1, 2], {"k": 1}, [1]),
        ("x[1, 0 : k]", MATRIX, {"k": 3}, [4, 5, 6]),
        ("x[0 : k, 2]", MATRIX, {"k": 2}, [3, 6]),
        ("reshape [k] x", MATRIX, {"k": 6}, [1, 2, 3, 4, 5, 6]),
        ("reverse 0 x", [1, 2, 3], {"k": 3}, [3, 2, 1]),
        ("flat x[1 + {(k : 2)}]", [0, 1, 2, 3, 4], {"k": 2}, [1, 3]),
        ("flat x[99 + {(k : 2)}]", [0, 1], {"k": 0}, []),
        ("flat x[4 + {(k : -2)}]", [0, 1, 2, 3, 4], {"k": 3}, [4, 2, 0]),
        ("iota [k] 5i32 -2i32", [0], {"k": 3}, [5, 3, 1]),
        ("iota [k] 2147483647i32 1i32", [0], {"k": 2}, [2147483647, -2147483648]),
        ("iota [k] 0i32 1i32", [0], {"k": 0}, []),
        ("replicate [k] 7i32", [0], {"k": 2}, [7, 7]),
        ("copy x", [3, 4], {"k": 2}, [3, 4]),
        ("concat 0 x x", [1, 2], {"k": 4}, [1, 2, 1, 2]),
        ("concat 0 x x", [], {"k": 0}, []),
        ("scratch [k]i32", [0], {"k": 2}, [None, None]),
    ],
)
def test_arrays_of_one_dimension(exp, x, sizes, want):
    assert exp1(exp, x, **sizes) == want


@pytest.mark.parametrize(
    ("exp", "x", "want"),
    [
        ("permute (1, 0) x", MATRIX, [[1, 4], [2, 5], [3, 6]]),
        ("reverse 1 x", MATRIX, [[3, 2, 1], [6, 5, 4]]),
        ("reshape [a][b] x", [1, 2, 3, 4, 5, 6], [[1, 2], [3, 4], [5, 6]]),
        ("x[1 : a : -1, 0 : b : 2]", MATRIX, [[4, 6], [1, 3]]),
        ("flat x[0 + {(a : 1) (b : 2)}]", [0, 1, 2, 3, 4], [[0, 2], [1, 3]]),
        ("replicate [a] x", [8, 9], [[8, 9], [8, 9], [8, 9]]),
        ("concat 1 x x", [[1], [2]], [[1, 1], [2, 2]]),
        ("replicate [a][b] 1i32", [0], [[1, 1], [1, 1]]),
    ],
)
def test_arrays_of_two_dimensions(exp, x, want):
    sizes = {"a": len(want), "b": len(want[0])}
    assert exp1(exp, x, result="[a][b]i32", **sizes) == want


@pytest.mark.parametrize(
    ("head", "exp", "args", "want"),
    [
        ("(a : i8) -> (r : [2]i8)", "[a, 1i8] : i8", [5], [5, 1]),
        ("[n] (x : [n]i8) -> (r : [2][n]i8)", "[x, x] : [n]i8", [[1, 2]], [[1, 2], [1, 2]]),
        ("(n : i64) -> (r : [0][n]i8)", "[] : [n]i8", [3], []),
    ],
)
def test_literals(head, exp, args, want):
    result = head.split("(r : ")[1][:-1]
    assert compute(head, f"let (y : {result}) = {exp} in (y)", *args) == want


def test_an_array_is_indexed_from_zero():
    head = "[n] (x : [n]i8) -> (a : i8) (b : i8)"
    body = "let (a1 : i8) = x[0] let (b1 : i8) = x[n - 1] in (a1, b1)"
    assert run_all(f"entry main {head} = {body}", [5, 6, 7]) == (5, 7)


@pytest.mark.parametrize(
    "exp",
    [
        "replicate [n] y",
        "x[0 : n, 0 : m]",
        "permute (1, 0) z",
        "copy x",
        "reverse 1 x",
        "kernel i < n do let (r1 : [m]i8) = replicate [m] 1i8 in (r1)",
        "kernel i < n, j < m do in (1i8)",
        "scratch [n][m]i8",
        "reshape [n][m] z",
    ],
)
def test_an_empty_array_keeps_its_inner_size(exp):
    """Errata 13."""
    head = "[n] [m] (x : [n][m]i8) (y : [m]i8) (z : [m][n]i8) -> (r : [n][m]i8)"
    x, y = np.zeros((0, 3), "i1"), np.zeros(3, "i1")
    (v,) = run_all(f"entry main {head} = let (w : [n][m]i8) = {exp} in (w)", x, y, x.T)
    assert isinstance(v, ArrayValue)
    assert v.shape == (0, 3)


# ---------------------------------------------------------------------- update, scatter


@pytest.mark.parametrize(
    ("exp", "v", "want"),
    [
        ("x with [1] = a", [], [0, 9, 2, 3]),
        ("x with [1 : 2] = v", [8, 9], [0, 8, 9, 3]),
        ("x with [3 : 2 : -2] = v", [8, 9], [0, 9, 2, 8]),
        ("x with [77 : 0] = v", [], [0, 1, 2, 3]),
        ("x with [2 : 1 : 0] = v", [9], [0, 1, 9, 3]),
    ],
)
def test_update(exp, v, want):
    data = np.arange(4, dtype="i1")
    head = f"[n] (x : *[n]i8) (a : i8) (v : [{len(v)}]i8) -> (r : [n]i8)"
    assert compute(head, f"let (y : [n]i8) = {exp} in (y)", data, 9, v) == want
    assert data.tolist() == [0, 1, 2, 3], "the caller's array is a value"


def test_update_of_a_row():
    head = "[n] [m] (x : *[n][m]i8) (v : [m]i8) -> (r : [n][m]i8)"
    assert compute(
        head, "let (y : [n][m]i8) = x with [1, 0 : m] = v in (y)", [[1, 2], [3, 4]], [8, 9]
    ) == [
        [1, 2],
        [8, 9],
    ]


def test_scatter_ignores_what_lies_outside_and_the_last_one_wins():
    head = "[n] [m] (x : *[n]i8) (is : [m]i64) (vs : [m]i8) -> (r : [n]i8)"
    body = "let (y : [n]i8) = scatter x is vs in (y)"
    args = [[0, 0, 0], [1, -1, 3, 1, 2], [5, 6, 7, 8, 9]]
    assert compute(head, body, *args) == [0, 8, 9]


# ---------------------------------------------------------------------- kernels

ADD = "(\\(a : i32) (b : i32) -> let (c : i32) = a + b in (c)) (0i32)"
ADD2 = "(\\(a : i32) (b : i32) -> let (c : i32) = a + b in (c))"


def test_threads_are_numbered_from_zero():
    assert compute(
        "(n : i64) -> (r : [n]i64)", "let (y : [n]i64) = kernel i < n do in (i) in (y)", 4
    ) == [0, 1, 2, 3]


def test_a_nest_is_in_row_major_order():
    body = """let (y : [n][m]i64) = kernel i < n, j < m do
                let (v : i64) = i * 10 + j in (v)
              in (y)"""
    assert compute("(n : i64) (m : i64) -> (r : [n][m]i64)", body, 2, 3) == [
        [0, 1, 2],
        [10, 11, 12],
    ]


def test_a_nest_without_outer_iterations_may_have_any_inner_ones():
    """Nobody lists the indices before the first one is needed."""
    kernel = (
        "kernel i < n, j < m reduce (\\ (a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0)"
    )
    body = f"let (s : [n]i64) = {kernel} do let (x : i64) = i * j in (x) in (s)"
    assert compute("(n : i64) (m : i64) -> (r : [n]i64)", body, 0, 1 << 61) == []
    assert compute("(n : i64) (m : i64) -> (r : [n]i64)", body, 2, 3) == [0, 3]


def test_map_with_several_results_and_rows():
    text = """
    entry main (n : i64) -> (a : [n]i64) (b : [n][2]bool) =
      let (a1 : [n]i64) (b1 : [n][2]bool) = kernel i < n do
        let (odd : bool) = i % 2 == 1
        let (row : [2]bool) = [odd, true] : bool
        in (i, row)
      in (a1, b1)
    """
    a, b = run_all(text, 2)
    assert (plain(a), plain(b)) == ([0, 1], [[False, True], [True, True]])


@pytest.mark.parametrize(("n", "total"), [(0, 0), (1, 0), (5, 10)])
def test_reduce(n, total):
    body = f"let (s : i32) = kernel i < n reduce {ADD} do let (v : i32) = i32(i) in (v) in (s)"
    assert compute("(n : i64) -> (r : i32)", body, n) == total


def test_reduce_folds_from_the_left():
    op = "(\\(a : f64) (b : f64) -> let (c : f64) = a + b in (c)) (1e16)"
    body = f"let (s : f64) = kernel i < n reduce {op} do in (1.0) in (s)"
    assert compute("(n : i64) -> (r : f64)", body, 3) == ((1e16 + 1) + 1) + 1 != 1e16 + 3


def test_reduce_the_inner_dimension_and_map_along():
    text = f"""
    entry main [n] [m] (x : [n][m]i32) -> (s : [n]i32) (y : [n][m]i32) =
      let (s1 : [n]i32) (y1 : [n][m]i32) = kernel i < n, j < m reduce comm {ADD} do
        let (v : i32) = x[i, j]
        let (w : i32) = -v
        in (v, w)
      in (s1, y1)
    """
    s, y = run_all(text, np.array(MATRIX, "i4"))
    assert (plain(s), plain(y)) == ([6, 15], [[-1, -2, -3], [-4, -5, -6]])
    s, y = run_all(text, np.zeros((2, 0), "i4"))
    assert (plain(s), plain(y)) == ([0, 0], [[], []])


def test_reduce_with_several_values():
    text = """
    entry main [n] (x : [n]i32) -> (best : i32) (place : i64) =
      let (b : i32) (p : i64) = kernel i < n
        reduce (\\(v : i32) (k : i64) (w : i32) (l : i64) ->
          let (less : bool) = v < w
          let (u : i32) (j : i64) = if less then in (w, l) else in (v, k)
          in (u, j)) (-2147483648i32, -1) do
          let (e : i32) = x[i] in (e, i)
      in (b, p)
    """
    assert run_all(text, [3, 9, 4, 9]) == (9, 1)


VECTOR_ADD = """(\\(a : [m]i32) (b : [m]i32) ->
    let (c : [m]i32) = kernel l < m do
      let (p : i32) = a[l]
      let (q : i32) = b[l]
      let (s : i32) = p + q
      in (s)
    in (c)) (zeros)"""


@pytest.mark.parametrize(
    ("kind", "result", "want"),
    [("reduce", "[m]i32", [5, 7, 9]), ("scan", "[n][m]i32", [[1, 2, 3], [5, 7, 9]])],
)
def test_operators_on_arrays(kind, result, want):
    text = f"""
    entry main [n] [m] (x : [n][m]i32) -> (r : {result}) =
      let (zeros : [m]i32) = replicate [m] 0i32
      let (s : {result}) = kernel i < n {kind} {VECTOR_ADD} do
        let (row : [m]i32) = x[i, 0 : m]
        in (row)
      in (s)
    """
    assert plain(run_all(text, np.array(MATRIX, "i4"))[0]) == want


def test_scan_is_inclusive_and_by_rows():
    body = f"""let (y : [n][m]i32) = kernel i < n, j < m scan {ADD} do
                 let (v : i32) = x[i, j] in (v)
               in (y)"""
    head = "[n] [m] (x : [n][m]i32) -> (r : [n][m]i32)"
    assert compute(head, body, MATRIX) == [[1, 3, 6], [4, 9, 15]]


def test_hist_starts_from_dest_and_ignores_buckets_outside():
    head = "[w] [n] (d : *[w]i32) (k : [n]i64) -> (r : [w]i32)"
    body = f"""let (y : [w]i32) = kernel i < n hist (d) {ADD2} (0i32) do
                 let (b : i64) = k[i] in (b, 1i32)
               in (y)"""
    assert compute(head, body, [10, 20, 30], [0, 2, 2, 3, -1]) == [11, 20, 32]


def test_hist_with_outer_dimensions_several_values_and_mapped_results():
    text = """
    entry main [n] [w] [m] (d : *[n][w]i32) (e : *[n][w]i64) (k : [n][m]i64)
      -> (r : [n][w]i32) (s : [n][w]i64) (t : [n][m]i64) =
      let (r1 : [n][w]i32) (s1 : [n][w]i64) (t1 : [n][m]i64) =
        kernel i < n, j < m hist (d, e)
          (\\(a : i32) (b : i64) (p : i32) (q : i64) ->
             let (x : i32) = a + p
             let (y : i64) = max(b, q)
             in (x, y)) (0i32, 0) do
          let (bucket : i64) = k[i, j]
          in (bucket, 1i32, j, bucket)
      in (r1, s1, t1)
    """
    k = np.array([[0, 0, 1], [1, 1, 5]], "i8")
    r, s, t = run_all(text, np.zeros((2, 2), "i4"), np.zeros((2, 2), "i8"), k)
    assert (plain(r), plain(s), plain(t)) == ([[2, 1], [0, 2]], [[1, 2], [0, 1]], k.tolist())


def test_hist_of_rows():
    text = f"""
    entry main [w] [m] [n] (d : *[w][m]i32) (x : [n][m]i32) (k : [n]i64) -> (r : [w][m]i32) =
      let (zeros : [m]i32) = replicate [m] 0i32
      let (y : [w][m]i32) = kernel i < n hist (d) {VECTOR_ADD} do
        let (b : i64) = k[i]
        let (row : [m]i32) = x[i, 0 : m]
        in (b, row)
      in (y)
    """
    d, x = np.ones((2, 2), "i4"), np.array([[1, 2], [3, 4], [5, 6]], "i4")
    assert plain(run_all(text, d, x, [1, 1, 0])[0]) == [[6, 7], [5, 7]]


# ---------------------------------------------------------------------- control


def test_if_binds_the_taken_branch():
    body = """let (c : bool) = a < b
              let (d : i64) (k : i64) (y : [k]i8) = if c
                then let (u : [a]i8) = replicate [a] 1i8 in (a, a, u)
                else let (v : [b]i8) = replicate [b] 2i8 in (b, b, v)
              in (k, y)"""
    text = f"entry main (a : i64) (b : i64) -> [l] (y : [l]i8) = {body}"
    assert plain(run_all(text, 1, 2)[0]) == [1]
    assert plain(run_all(text, 3, 2)[0]) == [2, 2]


@pytest.mark.parametrize(("n", "want"), [(-3, 1), (0, 1), (1, 1), (5, 120)])
def test_for_loops_count_from_zero_and_may_be_empty(n, want):
    body = """let (r : i64) = loop (a : i64) = 1 for i < n do
                let (b : i64) = a * (i + 1) in (b)
              in (r)"""
    assert compute("(n : i64) -> (r : i64)", body, n) == want


def test_loop_parameters_change_all_at_once():
    body = """let (p : i64) (q : i64) = loop (a : i64) = 1, (b : i64) = 2 for i < n do in (b, a)
              in (p, q)"""
    assert run_all(f"entry main (n : i64) -> (p : i64) (q : i64) = {body}", 3) == (2, 1)


def test_while_loops():
    body = """let (go0 : bool) = n > 1
              let (g : bool) (m : i64) (s : i64) =
                loop (go : bool) = go0, (k : i64) = n, (steps : i64) = 0 while go do
                let (k2 : i64) = k / 2
                let (steps2 : i64) = steps + 1
                let (go2 : bool) = k2 > 1
                in (go2, k2, steps2)
              in (s)"""
    assert compute("(n : i64) -> (r : i64)", body, 20) == 4
    assert compute("(n : i64) -> (r : i64)", body, 1) == 0


def test_a_loop_may_grow_its_array():
    text = """
    entry main [n] (x : [n]i8) (times : i64) -> [m] (y : [m]i8) =
      let (k : i64) (y1 : [k]i8) = loop (l : i64) = n, (z : [l]i8) = x for i < times do
        let (l2 : i64) = 2 * l
        let (z2 : [2*l]i8) = concat 0 z z
        let (z3 : [l2]i8) = reshape [l2] z2
        in (l2, z3)
      in (k, y1)
    """
    assert plain(run_all(text, [1, 2], 2)[0]) == [1, 2] * 4
