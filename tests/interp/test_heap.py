"""The heap interpreter: agreement with the values, and every way for annotations to be wrong."""

import numpy as np
import pytest

from funmem.interp import HeapStats, run, run_heap
from funmem.ir.diagnostics import FaultKind, MemoryFault, Stuck, Trap
from funmem.ir.fun import Ann, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.text import parse_fun
from funmem.ir.values import ArgValue, agree
from funmem.passes.runner import Pipeline


def allocated(text: str) -> Program[Ann]:
    """A FUN program with homes that the first pass chose; well typed."""
    program = Pipeline.parse("allocate").run(parse_fun(text, "t.fun"))
    assert not isinstance(program, ImpProgram)
    return program


def heap(text: str, *args: ArgValue) -> list[object]:
    """The results of a FUNMEM program, as Python lists; they are those of the value semantics."""
    program = parse_fun(text, "t.mem")
    got = run_heap(program, "main", args).values
    assert agree(run(program, "main", args), got) is None
    return [v.data.tolist() if hasattr(v, "data") else v for v in got]


def fault(text: str, *args: ArgValue) -> MemoryFault:
    program = parse_fun(text, "t.mem")
    run(program, "main", args)  # the annotations are wrong, not the program
    with pytest.raises(MemoryFault) as e:
        run_heap(program, "main", args)
    return e.value


def entry(head: str, body: str, elem: str = "i64", shape: str = "n") -> str:
    """An entry point with one array result, which ``body`` leaves in ``y1`` in block ``r1``."""
    home = f"[{shape}]{elem} @ r -> 0 + {{({shape} : 1)}}"
    return f"entry main {head} -> [r : mem] (y : {home}) =\n{body}\n  in (r1, y1)"


X = "[n] [m : mem] (x : [n]i64 @ m -> 0 + {(n : 1)})"
R1 = "[n]i64 @ r1 -> 0 + {(n : 1)}"

# ---------------------------------------------------------------------- agreement with values

ROW = "do let (e : [m]i32) = x[i, 0 : m] in (e)"
CELL = "do let (e : i32) = x[i, j] in (e)"
ADD = "(\\(a : i32) (b : i32) -> let (c : i32) = a + b in (c))"
VECTOR_ADD = """(\\(a : [m]i32) (b : [m]i32) ->
    let (c : [m]i32) = kernel l < m do
      let (p : i32) = a[l]
      let (q : i32) = b[l]
      let (s : i32) = p + q
      in (s)
    in (c))"""


@pytest.mark.parametrize(
    ("result", "exp"),
    [
        ("i32", "x[n - 1, 0]"),
        ("[m]i32", "x[1, 0 : m]"),
        ("[m][n]i32", "permute (1, 0) x"),
        ("[n][m]i32", "reverse 1 x"),
        ("[n][m]i32", "x[n - 1 : n : -1, m - 1 : m : -1]"),
        ("[4][m]i32", "x[1 : 4 : 0, 0 : m]"),
        ("[n*m]i32", "reshape [n*m] x"),
        ("[1][n][m]i32", "reshape [1][n][m] x"),
        ("[m][2]i32", "flat z[1 + {(m : 1) (2 : m)}]"),
        ("[n]u8", "iota [n] 250u8 3u8"),
        ("[n][m]f32", "replicate [n][m] 1.5f32"),
        ("[2][n][m]i32", "replicate [2] x"),
        ("[2][n][m]i32", "[x, x] : [n][m]i32"),
        ("[3]bool", "[true, false, true] : bool"),
        ("[n][m]i32", "copy x"),
        ("[n][2*m]i32", "concat 1 x x"),
        ("[2*n][m]i32", "concat 0 x x"),
        ("[n][m]i32", "scratch [n][m]i32"),
        ("[n][m]i32", "w with [1, 0] = 9i32"),
        ("[n][m]i32", "w with [1, 0 : m] = v"),
        ("[n][m]i32", "w with [n - 1 : n : -1, m - 1] = u"),
        ("[k]i32", "scatter z js u"),
        ("[n]i64", "kernel i < n do in (i)"),
        ("[n][m]i32", f"kernel i < n, j < m {CELL}"),
        ("[n][m]i32", f"kernel i < n {ROW}"),
        ("[n][m]i32", "kernel i < n do let (a : [m]i32) = replicate [m] 3i32 in (a)"),
        ("[0][m]i32", "kernel i < 0 do let (a : [m]i32) = replicate [m] 3i32 in (a)"),
        ("i32", f"kernel i < k reduce {ADD} (0i32) do let (e : i32) = z[i] in (e)"),
        ("[n]i32", f"kernel i < n, j < m reduce {ADD} (0i32) {CELL}"),
        ("[n][m]i32", f"kernel i < n, j < m scan {ADD} (0i32) {CELL}"),
        (
            "[m]i32",
            f"kernel i < n reduce {VECTOR_ADD} (v) {ROW}",
        ),
        (
            "[n][m]i32",
            f"kernel i < n scan {VECTOR_ADD} (v) {ROW}",
        ),
        (
            "[2][m]i32",
            f"kernel h < 2, i < n reduce {VECTOR_ADD} (v) {ROW}",
        ),
        (
            "[2][n][m]i32",
            f"kernel h < 2, i < n scan {VECTOR_ADD} (v) {ROW}",
        ),
        ("[k]i32", f"kernel i < n hist (z) {ADD} (0i32) do in (i, 5i32)"),
        ("[n][m]i32", f"kernel i < n, j < 9 hist (w) {ADD} (0i32) do in (j, 5i32)"),
        (
            "[n][m]i32",
            f"kernel j < 9 hist (w) {VECTOR_ADD} (v) do let (o : i64) = j % 2 in (o, v)",
        ),
        (
            "[n][m]i32",
            "if false then in (x) else let (c : [n][m]i32) = copy x in (c)",
        ),
        (
            "[n][m]i32",
            "loop (q : *[n][m]i32) = w for i < m do"
            " let (q2 : [n][m]i32) = q with [0, i] = 7i32 in (q2)",
        ),
    ],
)
def test_every_expression_agrees_with_the_values(result, exp):
    head = (
        "[n] [m] [k] (x : [n][m]i32) (z : *[k]i32) (w : *[n][m]i32) (v : [m]i32) (u : [n]i32)"
        " (js : [n]i64)"
    )
    data = [
        np.arange(6, dtype="i4").reshape(3, 2),
        np.arange(10, 16, dtype="i4"),
        np.arange(20, 26, dtype="i4").reshape(3, 2),
        np.array([30, 31], "i4"),
        np.array([40, 41, 42], "i4"),
        [4, 2, 0],
    ]
    program = allocated(f"entry main {head} -> (y : {result}) = let (r : {result}) = {exp} in (r)")
    assert agree(run(program, "main", data), run_heap(program, "main", data).values) is None


GROW = """
entry main [n] (x : [n]i64) (times : i64) -> [k] (y : [k]i64) =
  let (k1 : i64) (y1 : [k1]i64) = loop (l : i64) = n, (z : [l]i64) = x for i < times do
    let (l2 : i64) = 2 * l
    let (z2 : [2*l]i64) = concat 0 z z
    let (z3 : [l2]i64) = reshape [l2] z2
    in (l2, z3)
  in (k1, y1)
"""


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_loop_may_return_another_block_each_time(times):
    """Existential memory: the block of the result is not known before the loop has run."""
    program = allocated(GROW)
    args = [[1, 2], times]
    assert agree(run(program, "main", args), run_heap(program, "main", args).values) is None


@pytest.mark.parametrize("exp", ["1 / n", "x[n]", "x[-1]"])
def test_traps_are_those_of_the_values(exp):
    """Errata 20."""
    text = f"entry main [n] (x : [n]i64) -> (r : i64) = let (v : i64) = {exp} in (v)"
    with pytest.raises(Trap) as by_value:
        run(parse_fun(text, "t.fun"), "main", [[]])
    with pytest.raises(Trap) as by_heap:
        run_heap(allocated(text), "main", [[]])
    assert by_heap.value.diagnostic == by_value.value.diagnostic
    assert by_heap.value.kind is by_value.value.kind


def test_a_program_without_homes_is_stuck():
    with pytest.raises(Stuck, match="`x` has no home"):
        run_heap(parse_fun("entry main [n] (x : [n]i64) -> (r : i64) = in (0)", "t"), "main", [[1]])


# ---------------------------------------------------------------------- places


def test_results_are_read_through_their_own_index_function():
    """Errata 5: a result may lie anywhere in a block that others share."""
    text = f"""
    entry main {X} -> (r : i64) =
      let (b : mem) = alloc 16*n
      let (y : [n]i64 @ b -> 2*n - 1 + {{(n : -2)}}) = copy x
      let (z : [n]i64 @ b -> 0 + {{(n : 2)}}) = replicate [n] 7
      let (v : i64) = y[0]
      let (w : i64) = z[0]
      let (s : i64) = v * 10 + w
      in (s)
    """
    assert heap(text, [1, 2, 3]) == [17]


def test_a_block_may_be_reused_at_another_element_type():
    body = """
      let (b : mem) = alloc 8*n
      let (y : [n]f64 @ b -> 0 + {(n : 1)}) = replicate [n] 1.5
      let (v : f64) = y[0]
      let (z : [2*n]i32 @ b -> 0 + {(2*n : 1)}) = iota [2*n] 0i32 1i32
      let (w : i32) = z[1]
      let (s : f64) = v + f64(w)
      in (s)
    """
    assert heap(f"entry main (n : i64) -> (r : f64) = {body}", 3) == [2.5]


@pytest.mark.parametrize("first", ["b", "c"])
def test_a_copy_between_blocks_that_hold_other_types_as_well(first):
    """Only one of the blocks is also accessed byte by byte."""
    body = f"""
      let (b : mem) = alloc 32
      let (c : mem) = alloc 32
      let (u : [1]u8 @ {first} -> 31 + {{(1 : 1)}}) = replicate [1] 1u8
      let (x : [3]i64 @ b -> 0 + {{(3 : 1)}}) = iota [3] 5 1
      let (y : [3]i64 @ c -> 0 + {{(3 : 1)}}) = copy x
      let (v : i64) = y[2]
      in (v)"""
    assert heap(f"entry main -> (r : i64) = {body}") == [7]


def test_an_array_may_lie_elsewhere_if_nobody_can_tell():
    """The stride of one element, and the offset of none, mean nothing."""
    text = """
    entry main [n] [m : mem] (x : [n]i64 @ m -> 0 + {(n : 1)}) -> (r : i64) =
      let (y : [1]i64 @ m -> 0 + {(1 : 77)}) = x[0 : 1]
      let (z : [0]i64 @ m -> 99 + {(0 : 5)}) = x[n : 0]
      let (v : i64) = y[0]
      in (v)
    """
    assert heap(text, [4, 5]) == [4]


@pytest.mark.parametrize(
    ("binder", "exp"),
    [
        ("[n]i64 @ m -> 1 + {(n : 1)}", "x[0 : n]"),
        ("[n]i64 @ m -> 0 + {(n : 2)}", "x[0 : n]"),
        ("[n]i64 @ b -> 0 + {(n : 1)}", "x[0 : n]"),
        ("[n]i64 @ m -> 0 + {(n : 1)}", "reverse 0 x"),
        ("[1][n]i64 @ m -> 1 + {(1 : n) (n : 1)}", "reshape [1][n] x"),
        ("[n]i64 @ b -> 0 + {(n : 1)}", "if true then in (x) else in (x)"),
        ("[n]i64 @ b -> 0 + {(n - 1 : 1)}", "copy x"),
    ],
)
def test_an_incoherent_annotation_is_found_where_it_is_bound(binder, exp):
    """Errata 18."""
    text = f"""entry main {X} -> (r : i64) =
      let (b : mem) = alloc 800
      let (y : {binder}) = {exp}
      in (0)"""
    f = fault(text, [1, 2, 3])
    assert f.kind is FaultKind.INCOHERENT
    assert f.diagnostic.at.line == 3
    assert f.diagnostic.message.startswith("`y` ")


def test_a_loop_whose_second_iteration_moves_its_array_is_incoherent():
    text = entry(
        X,
        """
        let (r1 : mem) = alloc 8*n
        let (c : [n]i64 @ r1 -> 0 + {(n : 1)}) = copy x
        let (y1 : [n]i64 @ r1 -> 0 + {(n : 1)}) =
          loop (q : [n]i64 @ r1 -> 0 + {(n : 1)}) = c for i < 2 do
            let (b : mem) = alloc 8*n
            let (q2 : [n]i64 @ b -> 0 + {(n : 1)}) = copy q
            in (q2)""",
    )
    assert fault(text, [1, 2]).kind is FaultKind.INCOHERENT


@pytest.mark.parametrize(
    ("bytes_", "home"),
    [
        ("8*n - 1", "0 + {(n : 1)}"),
        ("8*n", "1 + {(n : 1)}"),
        ("8*n", "n - 2 + {(n : -1)}"),
        ("0 - 8", "0 + {(n : 1)}"),
    ],
)
@pytest.mark.parametrize(
    "exp", ["iota [n] 0 1", "scratch [n]i64", "copy x", "kernel i < n do in (i)"]
)
def test_an_array_that_leaves_its_block(bytes_, home, exp):
    """Errata 11: found for what is never accessed as well."""
    text = f"""entry main {X} -> (r : i64) =
      let (b : mem) = alloc {bytes_}
      let (y : [n]i64 @ b -> {home}) = {exp}
      in (0)"""
    assert fault(text, [1, 2, 3]).kind is FaultKind.OUTSIDE


def test_a_home_where_elements_share_a_place():
    """Errata 11."""
    text = f"""entry main {X} -> (r : i64) =
      let (b : mem) = alloc 64
      let (y : [2][2]i64 @ b -> 0 + {{(2 : 1) (2 : 1)}}) = replicate [2][2] 1
      in (0)"""
    f = fault(text, [1])
    assert f.kind is FaultKind.RACE
    assert f.diagnostic.message == "two elements have the same address: b -> 0 + {(2 : 1) (2 : 1)}"


# ---------------------------------------------------------------------- poison and memcpy


def test_what_was_never_written_is_not_zero():
    """Errata 17: here the compiler forgot to initialise; values know what is meant."""
    text = f"""entry main {X} -> (r : i64) =
      let (b : mem) = alloc 16
      let (y : [1]i64 @ b -> 0 + {{(1 : 1)}}) = replicate [1] 5
      let (z : [2]i64 @ b -> 0 + {{(2 : 1)}}) = scratch [2]i64
      let (v : i64) = z[1]
      in (v)"""
    program = parse_fun(text, "t.mem")
    with pytest.raises(MemoryFault) as e:
        run_heap(program, "main", [[1]])
    assert e.value.kind is FaultKind.POISON
    assert e.value.diagnostic.message == "bytes 8 to 15 of block `b` were never written"
    assert e.value.diagnostic.at.line == 5
    with pytest.raises(Trap):
        run(program, "main", [[1]])


def test_half_an_element_is_poison():
    text = """entry main (n : i64) -> (r : i64) =
      let (b : mem) = alloc 8
      let (y : [1]i32 @ b -> 0 + {(1 : 1)}) = replicate [1] 5i32
      let (z : [1]i64 @ b -> 0 + {(1 : 1)}) = scratch [1]i64
      let (v : i64) = z[0]
      in (v)"""
    with pytest.raises(MemoryFault) as e:
        run_heap(parse_fun(text, "t"), "main", [1])
    assert e.value.kind is FaultKind.POISON


def test_poison_is_moved_and_comes_out_as_undefined():
    text = entry(
        "(n : i64)",
        """
        let (b : mem) = alloc 8*n
        let (s : [n]i64 @ b -> 0 + {(n : 1)}) = scratch [n]i64
        let (t : [n]i64 @ b -> 0 + {(n : 1)}) = s with [0] = 3
        let (r1 : mem) = alloc 8*n
        let (y1 : [n]i64 @ r1 -> 0 + {(n : 1)}) = copy t""",
    )
    (v,) = run_heap(parse_fun(text, "t"), "main", [2]).values
    assert v.mask().tolist() == [True, False]


def test_a_copy_onto_itself_moves_nothing():
    """Errata 16: what short-circuiting leaves of a copy."""
    assert heap(entry(X, f"let (r1 : mem) = m let (y1 : {R1}) = copy x"), [1, 2]) == [[1, 2]]


@pytest.mark.parametrize(("home", "ok"), [("n", True), ("1", False), ("n - 1", False)])
def test_a_copy_may_not_overlap_its_source_partly(home, ok):
    text = f"""entry main (n : i64) -> (r : i64) =
      let (b : mem) = alloc 16*n
      let (x : [n]i64 @ b -> 0 + {{(n : 1)}}) = iota [n] 0 1
      let (y : [n]i64 @ b -> {home} + {{(n : 1)}}) = copy x
      in (0)"""
    if ok:
        assert heap(text, 3) == [0]
    else:
        f = fault(text, 3)
        assert f.kind is FaultKind.COPY_OVERLAP
        assert "x" not in f.diagnostic.message.split("source")[0]


def test_interleaved_arrays_are_disjoint():
    text = """entry main (n : i64) -> (r : i64) =
      let (b : mem) = alloc 16*n
      let (x : [n]i64 @ b -> 0 + {(n : 2)}) = iota [n] 0 1
      let (y : [n]i64 @ b -> 1 + {(n : 2)}) = copy x
      let (v : i64) = y[n - 1]
      in (v)"""
    assert heap(text, 3) == [2]


# ---------------------------------------------------------------------- lifetimes


def test_of_a_loops_blocks_only_the_last_is_alive():
    text = """
    entry main (n : i64) -> [r : mem] (y : [2]i64 @ r -> 0 + {(2 : 1)}) =
      let (b0 : mem) = alloc 16
      let (x0 : [2]i64 @ b0 -> 0 + {(2 : 1)}) = replicate [2] 1
      let (r1 : mem) (y1 : [2]i64 @ r1 -> 0 + {(2 : 1)}) =
        loop (b : mem) = b0, (x : [2]i64 @ b -> 0 + {(2 : 1)}) = x0 for i < n do
          let (c : mem) = alloc 16
          let (d : mem) = alloc 800
          let (z : [2]i64 @ c -> 0 + {(2 : 1)}) = copy x
          in (c, z)
      in (r1, y1)"""
    stats = run_heap(parse_fun(text, "t"), "main", [5]).stats
    assert stats == HeapStats(blocks=11, allocated=6 * 16 + 5 * 800, peak=3 * 16 + 800, copies=5)


def test_what_an_iteration_allocates_dies_with_it():
    text = """
    entry main (n : i64) -> [r : mem] (y : [n]i64 @ r -> 0 + {(n : 1)}) =
      let (r1 : mem) = alloc 8*n
      let (y1 : [n]i64 @ r1 -> 0 + {(n : 1)}) = kernel i < n do
        let (b : mem) = alloc 100
        let (t : [1]i64 @ b -> 0 + {(1 : 1)}) = replicate [1] i
        let (v : i64) = t[0]
        in (v)
      in (r1, y1)"""
    stats = run_heap(parse_fun(text, "t"), "main", [3]).stats
    assert stats == HeapStats(blocks=4, allocated=24 + 3 * 100, peak=24 + 100)
