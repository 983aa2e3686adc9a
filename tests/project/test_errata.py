"""The errata of paper 002, settled: one test or more per item of ``papers/funmem/errata.md``.

Protects decisions.  Where the paper contradicts itself or says nothing, the page says what funmem
does; a test here shows that it does, and often that the reading in print would be caught.
"""

import ast
import re
from collections.abc import Callable

import numpy as np
import pytest

from funmem.interp.heap import run_heap
from funmem.interp.imp import Order, run_imp
from funmem.interp.value import run
from funmem.ir.check import check, check_all
from funmem.ir.diagnostics import FaultKind, MemoryFault, Trap, TrapKind
from funmem.ir.erase import erase
from funmem.ir.fun import Alloc, Ann, ArrayType, Copy, If, Iota, Kernel, MemType, Program
from funmem.ir.imp import ImpProgram
from funmem.ir.lmad import DimRange, Lmad, row_major
from funmem.ir.names import Name
from funmem.ir.scalars import I8, I64, BinOp, UnOp, convert, eval_bin, eval_un
from funmem.ir.sizes import ONE, ZERO, const, var
from funmem.ir.text import parse_fun, parse_imp, show
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue, ArrayValue, Value
from funmem.passes.lower import lower_program
from tests.support.memory_check import difference, through
from tests.support.paths import ROOT

PAGE = ROOT / "papers" / "funmem" / "errata.md"
BROKEN = ROOT / "tests" / "ir" / "check" / "broken"
N, M = var(Name("n")), var(Name("m"))


def program(text: str) -> Program[Ann]:
    """A well-typed program."""
    p = parse_fun(text, "erratum")
    check(p)
    return p


def rules(text: str) -> list[str]:
    """The type rules that a program breaks."""
    return [d.code for d in check_all(parse_fun(text, "erratum"))]


def plain(values: tuple[Value, ...]) -> tuple[object, ...]:
    """Results as Python objects."""
    return tuple(v.data.tolist() if isinstance(v, ArrayValue) else v for v in values)


def value(p: Program[Ann], *args: ArgValue) -> tuple[object, ...]:
    return plain(run(p, p.entries[0].name, args))


def heap(p: Program[Ann], *args: ArgValue) -> tuple[object, ...]:
    return plain(run_heap(p, p.entries[0].name, args).values)


def fault(p: Program[Ann], *args: ArgValue) -> FaultKind:
    """How the heap semantics of a program goes wrong."""
    with pytest.raises(MemoryFault) as caught:
        run_heap(p, p.entries[0].name, args)
    return caught.value.kind


def trap(p: Program[Ann], *args: ArgValue) -> TrapKind:
    """How the value semantics goes wrong."""
    with pytest.raises(Trap) as caught:
        run(p, p.entries[0].name, args)
    return caught.value.kind


def fault_of_broken(name: str) -> FaultKind:
    """The fault of a program of tests/ir/check/broken/."""
    text = (BROKEN / f"{name}.funmem").read_text(encoding="utf-8")
    args = ast.literal_eval(f"[{text.split(chr(10))[1].removeprefix('-- input: ')}]")
    return fault(program(text), *args)


def vector(statements: str, result: str, type_: str) -> Program[Ann]:
    """An entry point that gets a vector x of n elements."""
    return program(
        f"entry main [n] (k : i64) (x : [n]i64) -> (r : {type_}) = {statements} in ({result})"
    )


# ---------------------------------------------------------------------- indices


def test_erratum_00_everything_counts_from_0() -> None:
    p = vector("let (t : [n]i64) = kernel i < n do in (i)", "t", "[n]i64")
    assert value(p, 0, [7, 7, 7]) == ([0, 1, 2],)
    first = vector("let (e : i64) = x[0]", "e", "i64")
    assert value(first, 0, [5, 6]) == (5,)
    assert trap(vector("let (e : i64) = x[n]", "e", "i64"), 0, [5, 6]) is TrapKind.INDEX
    assert row_major([N, M]).apply([0, 0]) == ZERO
    assert row_major([N, M]).apply([N - 1, M - 1]) == N * M - 1


def test_erratum_01_a_slice_starts_at_its_offset() -> None:
    p = vector("let (y : [2]i64) = x[2 : 2]", "y", "[2]i64")
    q = through(p, "allocate")
    assert value(p, 0, [10, 11, 12, 13]) == heap(q, 0, [10, 11, 12, 13]) == ([12, 13],)
    part = row_major([N]).slice_f([DimRange(const(2), const(2), ONE)])
    assert [part.apply([0]), part.apply([1])] == [const(2), const(3)]


def test_erratum_02_a_slice_has_as_many_elements_as_it_says() -> None:
    p = vector("let (y : [k]i64) = x[1 : k]", "y", "[k]i64")
    q = through(p, "allocate")
    for k in range(4):
        want = ([11, 12, 13][:k],)
        assert value(p, k, [10, 11, 12, 13]) == heap(q, k, [10, 11, 12, 13]) == want


def test_erratum_03_the_sizes_of_a_slice_are_its_lengths() -> None:
    entry = "entry main [n] (o : i64) (l : i64) (b : bool) (x : [n]i64) -> (r : i64) = "
    assert rules(f"{entry} let (y : [l]i64) = x[o : l] in (l)") == []
    assert rules(f"{entry} let (y : [o]i64) = x[o : l] in (l)") == ["T-SLICE"]
    assert rules(f"{entry} let (y : [l]i64) = x[b : l] in (l)") == ["T-SIZE"]  # an int premise


# ---------------------------------------------------------------------- values


def test_erratum_04_values_carry_their_shape() -> None:
    p = program("""
        entry main (n : i64) (m : i64) -> (r : [n][m]i64) =
          let (t : [n][m]i64) = kernel i < n, j < m do
            let (e : i64) = 10 * i + j
            in (e)
          in (t)""")
    q = through(p, "allocate")
    for n, m in ((2, 3), (3, 2), (1, 4), (0, 3), (3, 0)):
        want = np.array([[10 * i + j for j in range(m)] for i in range(n)]).reshape(n, m)
        for got in (run(p, Name("main"), (n, m)), run_heap(q, Name("main"), (n, m)).values):
            assert isinstance(got[0], ArrayValue)
            assert got[0].shape == (n, m)
            np.testing.assert_array_equal(got[0].data, want)


def test_erratum_05_a_result_may_live_in_a_larger_or_shared_block() -> None:
    larger = program("""
        entry main (n : i64) -> [b : mem] (r : [n]i64 @ b -> 0 + {(n : 1)}) =
          let (m : mem) = alloc 8*n + 400
          let (x : [n]i64 @ m -> 0 + {(n : 1)}) = iota [n] 5 1
          in (m, x)""")
    assert heap(larger, 3) == value(larger, 3) == ([5, 6, 7],)
    shared = program("""
        entry main (n : i64) -> [b : mem] (r : [n]i64 @ b -> 0 + {(n : 1)}) =
          let (m : mem) = alloc 16*n
          let (x : [n]i64 @ m -> n - 1 + {(n : -1)}) = iota [n] 0 1
          let (y : [n]i64 @ m -> n + {(n : 1)}) = iota [n] 100 10
          let (c : mem) = alloc 8*n
          let (z : [n]i64 @ c -> 0 + {(n : 1)}) = kernel i < n do
            let (s : i64) = x[i]
            let (t : i64) = y[i]
            let (u : i64) = s + t
            in (u)
          in (c, z)""")
    assert heap(shared, 3) == value(shared, 3) == ([100, 111, 122],)


# ---------------------------------------------------------------------- expansion

THREADS = """
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) =
  let (t : [n]i64) = kernel i < n do
    let (e : i64) = xs[i]
    let (a : [k]i64) = iota [k] e 1
    let (b : [k]i64) = iota [k] 0 e
    let (s : i64) = loop (acc : i64) = 0 for j < k do
      let (u : i64) = a[j]
      let (v : i64) = b[k - 1 - j]
      let (acc2 : i64) = acc * 3 + u - v
      in (acc2)
    in (s)
  in (t)
"""
"""Two private arrays of a size that no thread changes."""


def expanded(layout: str) -> Program[Ann]:
    return through(program(THREADS), f"allocate,simplify,hoist,expand{{layout={layout}}}")


def allocs_in_kernels(p: Program[Ann]) -> list[str]:
    return [
        t.pat[0].name
        for s in walk(p.entries[0].body)
        if isinstance(s.exp, Kernel)
        for t in walk(s.exp.body)
        if isinstance(t.exp, Alloc)
    ]


@pytest.mark.parametrize("layout", ["contiguous", "interleaved"])
def test_erratum_06_threads_from_0_stay_inside_the_expanded_block(layout: str) -> None:
    p = expanded(layout)
    assert allocs_in_kernels(p) == []
    assert difference(program(THREADS), p) is None
    assert fault_of_broken("outside-threads-count-from-one") is FaultKind.OUTSIDE


def test_erratum_07_interleaving_scales_the_offset_as_well() -> None:
    x = Lmad(var(Name("o")), row_major([M]).dims)
    assert str(x.scaled(N).shifted(var(Name("i")))) == "n*o + i + {(m : n)}"
    homes = [b.home for s in walk(expanded("interleaved").entries[0].body) for b in s.pat]
    private = [h.ix for h in homes if h is not None and Name("i") in h.ix.free()]
    assert private
    assert {str(ix.strides[0]) for ix in private} == {"n"}
    assert fault_of_broken("race-interleaved-offset-unscaled") is FaultKind.RACE


# ---------------------------------------------------------------------- types


def test_erratum_08_parts_of_an_index_function_are_polynomials() -> None:
    p = program("""
        entry main (n : i64) (m : i64) (k : i64)
            -> [b : mem] (r : [n][m][k]i64 @ b -> 0 + {(n : m*k) (m : k) (k : 1)}) =
          let (c : mem) = alloc 8*n*m*k
          let (x : [n][m][k]i64 @ c -> 0 + {(n : k*m) (m : k) (k : 1)}) = replicate [n][m][k] 7
          in (c, x)""")
    assert heap(p, 1, 2, 2) == value(p, 1, 2, 2) == ([[[7, 7], [7, 7]]],)


def test_erratum_09_entry_points_have_symbolic_sizes() -> None:
    p = program("entry main [n] (x : [n]i64) -> [k] (y : [k]i64) = in (n, x)")
    assert [value(p, list(range(n))) for n in range(3)] == [([],), ([0],), ([0, 1],)]


def test_erratum_10_a_kernels_result_has_a_home_of_its_own() -> None:
    text = """
        entry main (n : i64) -> [b : mem] (r : [n][2]i64 @ b -> 0 + {{(n : 2) (2 : 1)}}) =
          let (c : mem) = alloc 16*n
          let (x : [n][2]i64 @ c -> 0 + {{(n : 2) (2 : 1)}}) = kernel i < n do
            let (own : mem) = alloc 8*{size}
            let (row : [{size}]i64 @ own -> {size} - 1 + {{({size} : -1)}}) = iota [{size}] i 1
            in (row)
          in (c, x)"""
    p = program(text.format(size=2))
    assert heap(p, 2) == value(p, 2) == ([[0, 1], [1, 2]],)
    assert rules(text.format(size=3)) == ["T-RESULT"]


def test_erratum_11_what_an_index_function_must_be_is_checked_at_run_time() -> None:
    fresh = """
        entry main (n : i64) -> (r : i64) =
          let (m : mem) = alloc {bytes}
          let (x : [n]i64 @ m -> {ix}) = kernel i < n do in (i)
          let (e : i64) = x[n - 1]
          in (e)"""
    right = program(fresh.format(bytes="8*n", ix="0 + {(n : 1)}"))
    assert heap(right, 4) == (3,)
    one_place = program(fresh.format(bytes="8*n", ix="0 + {(n : 0)}"))
    assert fault(one_place, 4) is FaultKind.RACE
    too_small = program(fresh.format(bytes="8*n - 8", ix="0 + {(n : 1)}"))
    assert fault(too_small, 4) is FaultKind.OUTSIDE
    negative = program("""
        entry main (n : i64) (m : i64) -> (r : i64) =
          let (x : [n][m]i64) = replicate [n][m] 1
          in (n)""")
    assert trap(negative, -2, -3) is TrapKind.NEGATIVE_SIZE  # (-2)*(-3) elements would be six
    with pytest.raises(Trap):
        run_heap(through(negative, "allocate"), Name("main"), (-2, -3))


def test_erratum_12_sizes_and_offsets_are_equal_as_polynomials() -> None:
    entry = "entry main (n : i64) (m : i64) -> (r : [m*n + n]i64) = "
    assert rules(f"{entry} let (x : [n + n*m]i64) = iota [(m + 1)*n] 0 1 in (x)") == []
    assert rules(f"{entry} let (x : [n + m]i64) = iota [n + m] 0 1 in (x)") == ["T-RESULT"]
    offset = """
        entry main [n] (c : bool) (x : [n][n]i64) (i : i64) -> (r : i64) =
          let (y : [n]i64) = if c then let (y1 : [n]i64) = x[i, 0 : n] in (y1)
            else let (y2 : [n]i64) = x[0, 0 : n] in (y2)
          let (e : i64) = y[0]
          in (e)"""
    p = through(program(offset), "allocate")
    square = [[1, 2], [3, 4]]
    assert heap(p, True, square, 1) == (3,)
    assert heap(p, False, square, 1) == (1,)


def test_erratum_13_the_empty_array_keeps_its_inner_sizes() -> None:
    p = program("""
        entry main (n : i64) (m : i64) -> (r : [n][m]i64) =
          let (t : [n][m]i64) = kernel i < n do
            let (row : [m]i64) = iota [m] i 1
            in (row)
          in (t)""")
    q = through(p, "allocate")
    for empty in (*run(p, Name("main"), (0, 3)), *run_heap(q, Name("main"), (0, 3)).values):
        assert isinstance(empty, ArrayValue)
        assert empty.shape == (0, 3)
    assert trap(p, -1, 3) is TrapKind.NEGATIVE_SIZE


# ---------------------------------------------------------------------- the heap


def test_erratum_14_derived_arrays_and_reads_change_nothing() -> None:
    p = program("""
        entry main [n] (x : [n]i64) -> (r : [n]i64) (e : i64) =
          let (y : [n]i64) = reverse 0 x
          let (z : [n]i64) = y[0 : n]
          let (v : i64) = z[0]
          in (x, v)""")
    q = through(p, "allocate")
    assert heap(q, [1, 2, 3]) == ([1, 2, 3], 3)
    moved = [s for s in walk(q.entries[0].body) if isinstance(s.exp, Copy)]
    assert len(moved) == 1  # the result, whose block is its own; no derived array
    assert row_major([N, M]).index_f(2) == row_major([N, M]).prefix([2])  # eq. 3, not eq. 2
    nested = program("""
        entry main (n : i64) -> (r : i64) =
          let (m : i64) = n + 1
          let (x : [m]i64) = kernel i < m do
            let (y : [m]i64) = kernel j < m do in (j)
            let (e : i64) = y[i]
            in (e)
          let (last : i64) = x[m - 1]
          in (last)""")
    assert heap(through(nested, "allocate"), 3) == (3,)  # annotations mean what E says


def test_erratum_15_a_copy_writes_the_image_of_its_index_function() -> None:
    p = program("""
        entry main (n : i64) -> [b : mem] (r : [2*n]i64 @ b -> 0 + {(2*n : 1)}) =
          let (m : mem) = alloc 16*n
          let (x : [2*n]i64 @ m -> 0 + {(2*n : 1)}) = replicate [2*n] 7
          let (c : mem) = alloc 8*n
          let (y : [n]i64 @ c -> 0 + {(n : 1)}) = iota [n] 0 1
          let (z : [2*n]i64 @ m -> 0 + {(2*n : 1)}) = x with [1 : n : 2] = y
          in (m, z)""")
    assert heap(p, 2) == value(p, 2) == ([7, 0, 7, 1],)  # not the whole block
    twice = program("""
        entry main [n] (x : *[n]i64) (y : [n]i64) -> (r : [n]i64) =
          let (z : [n]i64) = x with [0 : n : 0] = y
          in (z)""")
    assert trap(twice, [1, 2], [3, 4]) is TrapKind.OVERLAP  # no destination that is not injective


def test_erratum_16_source_and_destination_are_the_same_or_disjoint() -> None:
    assert fault_of_broken("overlap-shift-by-one") is FaultKind.COPY_OVERLAP
    text = """
        entry main [b : mem] [n] (x : *[n]i64 @ b -> 0 + {{(n : 1)}}) -> (r : i64) =
          let (y : [n]i64 @ b -> {ix}) = copy x
          let (e : i64) = y[0]
          in (e)"""
    assert heap(program(text.format(ix="0 + {(n : 1)}")), [4, 5, 6]) == (4,)  # nothing moves
    assert fault(program(text.format(ix="n - 1 + {(n : -1)}")), [4, 5, 6]) is FaultKind.COPY_OVERLAP


def test_erratum_17_a_new_block_holds_poison() -> None:
    p = program("""
        entry main (n : i64) -> (r : i64) =
          let (m : mem) = alloc 8*n
          let (x : [n]i64 @ m -> 0 + {(n : 1)}) = scratch [n]i64
          let (e : i64) = x[0]
          in (e)""")
    assert fault(p, 3) is FaultKind.POISON
    assert trap(erase(p), 3) is TrapKind.UNINITIALISED


def test_erratum_18_an_annotation_is_compared_with_where_the_array_is() -> None:
    wrong = parse_fun("""
        entry main [b : mem] [n] (x : [n]i64 @ b -> 0 + {(n : 1)}) -> (r : i64) =
          let (y : [n]i64 @ b -> 0 + {(n : 1)}) = reverse 0 x
          let (e : i64) = y[0]
          in (e)""")
    assert [d.code for d in check_all(wrong)] == ["T-MEM-REVERSE"]
    assert fault(wrong, [1, 2]) is FaultKind.INCOHERENT  # also where no type rule looked


def test_erratum_19_races_are_found_at_every_level_of_both_languages() -> None:
    assert fault_of_broken("race-in-the-inner-kernel") is FaultKind.RACE
    text = """
        entry main (n : i64) {{
          var m : mem;
          m <- alloc 8*n*n;
          kernel i < n do
            kernel j < n do
              m[{place}] : i64 <- i;
            done
          done
          return (n : i64)
        }}"""
    for order in Order:
        assert run_imp(parse_imp(text.format(place="i*n + j"), "imp"), "main", (3,), order=order)
        with pytest.raises(MemoryFault) as caught:
            run_imp(parse_imp(text.format(place="i*n"), "imp"), "main", (3,), order=order)
        assert caught.value.kind is FaultKind.RACE


def test_erratum_20_valid_for_all_inputs_and_traps_alike() -> None:
    p = vector("let (e : i64) = x[k] let (f : i64) = e / k", "f", "i64")
    q = through(p, "allocate")
    imp = lower_program(q)
    found: dict[int, set[object]] = {}
    for k in (-1, 0, 1, 2):
        args = (k, [10, 20])
        found[k] = {
            outcome(lambda: run(p, Name("main"), args)),  # noqa: B023
            outcome(lambda: run_heap(q, Name("main"), args).values),  # noqa: B023
            outcome(lambda: run_imp(imp, "main", args)),  # noqa: B023
        }
    assert found == {
        -1: {TrapKind.INDEX},
        0: {TrapKind.DIVISION},
        1: {(20,)},
        2: {TrapKind.INDEX},
    }


def outcome(answer: Callable[[], tuple[Value, ...]]) -> tuple[object, ...] | TrapKind:
    try:
        return plain(answer())
    except Trap as t:
        return t.kind


def test_erratum_21_every_operator_means_one_thing() -> None:
    assert eval_bin(BinOp.ADD, I8, 127, 1) == -128
    assert (eval_bin(BinOp.DIV, I64, -7, 2), eval_bin(BinOp.MOD, I64, -7, 2)) == (-4, 1)
    assert (eval_bin(BinOp.QUOT, I64, -7, 2), eval_bin(BinOp.REM, I64, -7, 2)) == (-3, -1)
    assert eval_un(UnOp.NEG, I8, -128) == -128
    assert convert(300, I64, I8) == 44


# ---------------------------------------------------------------------- translation


def test_erratum_22_results_come_with_their_blocks_and_scalars_stay() -> None:
    p = through(
        program("""
            entry main [n] (x : [n]i64) -> (s : i64) (y : [n]i64) =
              let (y1 : [n]i64) = kernel i < n do
                let (k : i64) = i + 1
                let (part : [k]i64) = iota [k] i 1
                let (e : i64) = part[i]
                in (e)
              let (s1 : i64) = y1[0]
              in (s1, y1)"""),
        "allocate",
    )
    (e,) = p.entries
    assert [isinstance(b.type, MemType) for b in e.implicit_results] == [True]
    assert [isinstance(b.type, ArrayType) for b in e.results] == [False, True]
    assert len(e.body.result) == 3
    assert heap(p, [5, 5, 5]) == (0, [0, 2, 4])


IF = """
entry main [n] (c : bool) (x : [n][n]i64) (i : i64) -> (s : i64) (y : [n]i64) =
  let (s1 : i64) (y1 : [n]i64) = if c then
      let (row : [n]i64) = x[i, 0 : n]
      in (1, row)
    else
      let (column : [n]i64) = x[0 : n, i]
      in (2, column)
  in (s1, y1)
"""


def test_erratum_23_a_branch_returns_scalars_and_all_supporting_information() -> None:
    """n is a size and, for the column, the stride: what is replaced is said by position."""
    p = through(program(IF), "allocate")
    (s,) = (s for s in walk(p.entries[0].body) if isinstance(s.exp, If))
    (block,) = (b for b in s.pat if isinstance(b.type, MemType))
    array = next(b for b in s.pat if isinstance(b.type, ArrayType))
    assert array.home is not None
    assert array.home.block == block.name
    mine = {b.name for b in s.pat}
    assert array.home.ix.offset.free() <= mine
    assert array.home.ix.strides[0].free() <= mine
    square = [[1, 2], [3, 4]]
    assert heap(p, True, square, 1) == (1, [3, 4])
    assert heap(p, False, square, 1) == (2, [2, 4])
    assert difference(program(IF), p) is None


def test_erratum_24_iota_and_copy_are_expressions_of_their_own() -> None:
    p = vector("let (y : [n]i64) = iota [n] 0 1 let (z : [n]i64) = copy y", "z", "[n]i64")
    assert [type(s.exp) for s in p.entries[0].body.stms] == [Iota, Copy]
    assert value(p, 0, [9, 9]) == ([0, 1],)


def test_erratum_25_a_trapping_size_does_not_leave_an_empty_kernel() -> None:
    p = program((ROOT / "tests" / "corpus" / "trapping_scalar.fun").read_text(encoding="utf-8"))
    q = through(p, "allocate,simplify,hoist,expand,simplify")
    assert value(p, [], 1, 0) == heap(q, [], 1, 0) == ([],)
    assert trap(p, [4], 1, 0) is TrapKind.DIVISION
    branch = program("""
        entry main [n] (xs : [n]i64) (c : bool) (p : i64) (q : i64) -> (r : [n]i64) =
          let (out : [n]i64) = kernel i < n do
            let (e : i64) = if c then
              let (len : i64) = p / q
              let (a : [len]i64) = iota [len] i 1
              let (last : i64) = a[len - 1]
              in (last)
            else
              in (i)
            in (e)
          in (out)""")
    after = through(branch, "allocate,simplify,hoist,expand,simplify")
    assert value(branch, [0, 0], False, 1, 0) == heap(after, [0, 0], False, 1, 0) == ([0, 1],)
    assert value(branch, [0], True, 4, 2) == heap(after, [0], True, 4, 2) == ([1],)


def test_erratum_26_the_figures_completed() -> None:
    texts = {f: (ROOT / "papers" / "funmem" / f).read_text(encoding="utf-8")
             for f in ("fig2.fun", "fig7.funmem", "fig13.imp")}  # fmt: skip
    fig2, fig7 = program(texts["fig2.fun"]), program(texts["fig7.funmem"])
    fig13 = parse_imp(texts["fig13.imp"], "fig13.imp")
    for c, want in ((True, ([0, 1],)), (False, ([0, 1, 2],))):
        assert value(fig2, 2, 3, c) == heap(fig7, 2, 3, c) == want
        assert plain(run_imp(fig13, "main", (2, 3, c))) == want
    as_printed = texts["fig2.fun"].replace("let (y : [y_size]i64)", "let (x2 : [y_size]i64)")
    assert rules(as_printed) == ["T-NAME"]  # y is bound nowhere
    imp = lower_program(fig7)
    assert isinstance(imp, ImpProgram)
    names = re.findall(r"var (\w+)", show(imp))
    assert len(set(names)) == len(names)
    supported = show(through(program(IF), "allocate"))
    assert not re.findall(r"let \(\w+\)", supported)  # every `let` says its type


# ---------------------------------------------------------------------- the page


def test_the_page_lists_every_item_and_its_tests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    tests = [x for x in globals() if x.startswith("test_erratum_")]
    assert {int(x.split("_")[2]) for x in tests} == set(range(27))
    for name in tests:
        assert f"`{name}`" in page, name
    mentioned = set(re.findall(r"`(test_erratum_\w+)`", page))
    assert mentioned == set(tests)
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == [str(k) for k in range(1, 27)]
