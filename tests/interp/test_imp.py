"""The interpreter of IMP: every statement, every condition, every way to go wrong, every order."""

from random import Random

import numpy as np
import pytest

from funmem.interp.imp import LISTED, Machine, Order, run_imp, shuffled
from funmem.ir.diagnostics import (
    FaultKind,
    InputError,
    MemoryFault,
    Stuck,
    Trap,
    TrapKind,
    UsageError,
)
from funmem.ir.text import parse_imp
from funmem.ir.values import ArgValue, ArrayValue, Value

ORDERS = list(Order)


def run(
    text: str, *args: ArgValue, order: Order = Order.FORWARDS, races: bool = True
) -> list[object]:
    """The results of ``entry main``; arrays as lists, undefined elements as None."""
    results = run_imp(parse_imp(text), "main", args, order=order, seed=3, check_races=races)
    return [plain(v) for v in results]


def plain(v: Value) -> object:
    if not isinstance(v, ArrayValue):
        return v
    data = v.data.astype(object)
    data[~v.mask()] = None
    return data.tolist()


def fault(text: str, *args: ArgValue, order: Order = Order.FORWARDS) -> MemoryFault:
    with pytest.raises(MemoryFault) as raised:
        run(text, *args, order=order)
    return raised.value


def trap(text: str, *args: ArgValue) -> Trap:
    with pytest.raises(Trap) as raised:
        run(text, *args)
    return raised.value


def i64s(*values: int) -> ArrayValue:
    return ArrayValue(np.array(values, np.int64))


# ------------------------------------------------------------------- statements


def test_scalars_are_assigned() -> None:
    text = """entry main (a : i64) (b : f32) {
      var x : i64;  x <- a * 3 + 1;
      var y : f32;  y <- b / 2.0f32;
      var z : bool; z <- x < 10;
      x <- x - 1;
      return (x : i64) (y : f32) (z : bool)
    }"""
    assert run(text, 2, 1.0) == [6, 0.5, True]
    assert run(text, 5, 3.0) == [15, 1.5, False]


def test_blocks_are_assigned_not_copied() -> None:
    text = """entry main {
      var a : mem;  a <- alloc 8;
      var b : mem;  b <- a;
      b[0] : i64 <- 7;
      return (a : [1]i64)
    }"""
    assert run(text) == [[7]]


def test_one_block_is_seen_at_several_types() -> None:
    text = """entry main (x : f32) {
      var m : mem;  m <- alloc 8;
      m[1] : f32 <- x;
      var bits : u32;  bits <- m[1] : u32;
      var top : u8;    top <- m[7] : u8;
      return (bits : u32) (top : u8)
    }"""
    assert run(text, -1.0) == [0xBF800000, 0xBF]


@pytest.mark.parametrize(
    ("elem", "value"),
    [
        ("bool", True),
        ("i8", -128),
        ("u16", 65535),
        ("i32", -5),
        ("u64", 2**64 - 1),
        ("f16", 0.5),
        ("f32", -0.25),
        ("f64", 1e300),
    ],
)
def test_every_element_type_is_stored_and_loaded(elem: str, value: bool | int | float) -> None:
    text = f"""entry main (x : {elem}) {{
      var m : mem;  m <- alloc 16;
      m[1] : {elem} <- x;
      var y : {elem};  y <- m[1] : {elem};
      return (y : {elem})
    }}"""
    assert run(text, value) == [value]


def test_conditional() -> None:
    text = """entry main (c : bool) {
      var x : i64;
      if c then x <- 1; else x <- 2; fi
      if false then x <- 3; else fi
      return (x : i64)
    }"""
    assert run(text, True) == [1]
    assert run(text, False) == [2]


@pytest.mark.parametrize(("n", "total"), [(4, 6), (0, 0), (-3, 0)])
def test_sequential_loop(n: int, total: int) -> None:
    text = """entry main (n : i64) {
      var s : i64;  s <- 0;
      for i < n do s <- s + i; done
      return (s : i64)
    }"""
    assert run(text, n) == [total]


def test_the_bound_of_a_loop_is_read_once() -> None:
    text = """entry main (k : i64) {
      var n : i64;  n <- k;
      var steps : i64;  steps <- 0;
      for i < n do n <- n - 1; steps <- steps + 1; done
      return (steps : i64)
    }"""
    assert run(text, 4) == [4]


def test_while_loop() -> None:
    text = """entry main (n : i64) {
      var x : i64;  x <- n;
      var go : bool;  go <- x > 1;
      var steps : i64;  steps <- 0;
      while go do x <- x / 2; steps <- steps + 1; go <- x > 1; done
      return (steps : i64)
    }"""
    assert run(text, 40) == [5]
    assert run(text, 1) == [0]


@pytest.mark.parametrize("order", ORDERS)
def test_kernel_runs_its_whole_nest(order: Order) -> None:
    text = """entry main (n : i64) (m : i64) {
      var b : mem;  b <- alloc 8*n*m;
      kernel i < n, j < m do
        b[i*m + j] : i64 <- 10 * i + j;
      done
      return (b : [n][m]i64)
    }"""
    assert run(text, 2, 3, order=order) == [[[0, 1, 2], [10, 11, 12]]]
    assert run(text, 0, 3, order=order) == [[]]
    assert run(text, 2, 0, order=order) == [[[], []]]


@pytest.mark.parametrize("order", [Order.FORWARDS, Order.BACKWARDS])
def test_iterations_are_not_listed(order: Order) -> None:
    """There may be more of them than fit into memory, and the first one traps."""
    text = """entry main (n : i64) {
      kernel i < n, j < n do check i == n "assertion failed" "n"; done
      return
    }"""
    with pytest.raises(Trap):
        run(text, 1 << 61, order=order)
    assert run(text, -1, order=order) == []


def test_orders_are_what_they_say() -> None:
    text = """entry main (n : i64) {
      var b : mem;  b <- alloc 8*n;
      kernel i < n do b[0] : i64 <- i; done
      return (b : [1]i64)
    }"""
    assert run(text, 5, order=Order.FORWARDS, races=False) == [[4]]
    assert run(text, 5, order=Order.BACKWARDS, races=False) == [[0]]
    machine = Machine(parse_imp(text).entries[0])
    last = {
        plain(machine.run([5], order="shuffled", seed=seed, check_races=False)[0])[0]  # type: ignore[index]
        for seed in range(20)
    }
    assert len(last) > 2
    again = [machine.run([5], order="shuffled", seed=1, check_races=False) for _ in range(2)]
    assert plain(again[0][0]) == plain(again[1][0])


def test_arguments_and_results_are_arrays_with_their_sizes() -> None:
    text = """entry main [n] (x : [n][2]i32) (k : i64) {
      var m : i64;  m <- n * 2 + k;
      return (x : [n][2]i32) (m : i64)
    }"""
    x = np.array([[1, 2], [3, 4], [5, 6]], np.int32)
    assert run(text, x, 1) == [x.tolist(), 7]
    with pytest.raises(InputError):
        run(text, x.T.copy(), 1)


def test_a_machine_runs_again_after_a_fault() -> None:
    text = """entry main [n] (k : i64) (x : [n]i64) {
      kernel i < n do x[i*k] : i64 <- 1; done
      return (x : [n]i64)
    }"""
    machine = Machine(parse_imp(text).entries[0])
    for _ in range(2):
        with pytest.raises(MemoryFault):
            machine.run([0, i64s(1, 2, 3)])
        assert plain(machine.run([1, i64s(1, 2, 3)])[0]) == [1, 1, 1]


def test_iterations_are_told_apart_after_very_many_and_inside_of_these() -> None:
    """Their numbers are those of one run, and of one level."""
    text = """entry main (n : i64) (z : i64) {
      var m : mem;  m <- alloc 32;
      kernel i < 4*n do
        kernel j < 2 do m[j] : i64 <- j; done
        check (z != 0) "division by zero" "division by zero";
      done
      kernel k < 3 do m[k] : i64 <- k; done
      return (m : [3]i64)
    }"""
    machine = Machine(parse_imp(text).entries[0])
    with pytest.raises(Trap):
        machine.run([1 << 61, 0])
    assert plain(machine.run([0, 1])[0]) == [0, 1, 2]


def test_arguments_are_not_written_to() -> None:
    text = "entry main [n] (x : [n]i64) { x[0] : i64 <- 9; return (x : [n]i64) }"
    x = np.array([1, 2], np.int64)
    assert run(text, x) == [[9, 2]]
    assert x.tolist() == [1, 2]


def test_unknown_entry_point() -> None:
    with pytest.raises(UsageError, match="`nope`; there is `main`"):
        run_imp(parse_imp("entry main { return }"), "nope", [])


def test_unset_variable_is_stuck() -> None:
    with pytest.raises(Stuck, match="'x'"):
        run("entry main { var x : i64; var y : i64; y <- x; return (y : i64) }")


def test_a_variable_is_unset_again_in_the_next_iteration() -> None:
    text = """entry main {
      var y : i64;
      for i < 2 do
        var x : i64;
        var first : bool;  first <- i == 0;
        if first then x <- 1; else fi
        y <- x;
      done
      return (y : i64)
    }"""
    with pytest.raises(Stuck, match="'x'"):
        run(text)


# ------------------------------------------------------------------- checks


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("a in b", [(0, 1), (4, 5)], [(5, 5), (-1, 5), (0, 0), (0, -1)]),
        ("a : b : 2 inside 5", [(0, 3), (4, 1), (9, 0), (-9, 0)], [(0, 4), (-1, 1), (0, -1)]),
        ("4 : a : -2 inside b", [(3, 5), (0, 0)], [(4, 5), (3, 4)]),
        ("injective {(a : b)}", [(5, 1), (1, 0), (0, 0), (5, -1)], [(2, 0)]),
        ("injective {(a : b) (2 : 3)}", [(3, 1), (3, -1), (1, 3), (9, 0)][:3], [(4, 1), (9, 0)]),
        ("nonneg a", [(0, 0), (7, 0)], [(-1, 0)]),
        ("a == 2*b", [(4, 2), (0, 0)], [(4, 3)]),
        ("(a < b)", [(1, 2)], [(2, 2)]),
    ],
)
def test_check(condition: str, good: list[tuple[int, int]], bad: list[tuple[int, int]]) -> None:
    text = f"""entry main (a : i64) (b : i64) {{
      check {condition} "shape mismatch" "{{}} and {{}}, {{{{not}}}} that." (a, b);
      return (a : i64)
    }}"""
    for a, b in good:
        assert run(text, a, b) == [a]
    for a, b in bad:
        failed = trap(text, a, b)
        assert failed.kind is TrapKind.SHAPE
        assert failed.diagnostic.message == f"{a} and {b}, {{not}} that."
        assert failed.diagnostic.at.line == 2


def test_sizes_in_checks_are_exact_integers() -> None:
    text = """entry main (a : i64) {
      check nonneg a*a*a "negative size" "Size {} is negative." (a*a*a);
      return (a : i64)
    }"""
    assert run(text, 2**40) == [2**40]
    assert trap(text, -(2**40)).diagnostic.message == f"Size -{2**120} is negative."


def test_a_check_shows_values_of_every_type() -> None:
    text = """entry main (a : i64) (x : f32) (b : bool) (u : u8) {
      check (false) "assertion failed" "{} {} {} {} {}" (a - 1, x : f32, b : bool, u : u8, a : i64);
      return (a : i64)
    }"""
    assert trap(text, 8, 1.5, True, 255).diagnostic.message == "7 1.5f32 true 255 8"


@pytest.mark.parametrize(
    ("exp", "kind"),
    [("1 / a", TrapKind.DIVISION), ("1 %% a", TrapKind.DIVISION), ("2 ** b", TrapKind.EXPONENT)],
)
def test_an_operator_that_nobody_checked_still_traps(exp: str, kind: TrapKind) -> None:
    text = f"entry main (a : i64) (b : i64) {{ var x : i64; x <- {exp}; return (x : i64) }}"
    assert trap(text, 0, -1).kind is kind


# ------------------------------------------------------------------- bounds, poison


@pytest.mark.parametrize("statement", ["m[k] : i64 <- 1;", "m[k] <- m[0] : i64;"])
@pytest.mark.parametrize("k", [-1, 2])
def test_writes_stay_inside_their_block(statement: str, k: int) -> None:
    text = f"entry main (k : i64) {{ var m : mem; m <- alloc 16; {statement} return }}"
    found = fault(text, k)
    assert found.kind is FaultKind.OUTSIDE
    assert f"bytes {8 * k} to {8 * k + 7} are not all inside block `m` of 16" in str(found)


@pytest.mark.parametrize("k", [-1, 2])
def test_reads_stay_inside_their_block(k: int) -> None:
    text = """entry main [n] (k : i64) (m : [n]i64) {
      var x : i64; x <- m[k] : i64;
      return (x : i64)
    }"""
    assert run(text, 1, i64s(3, 4)) == [4]
    assert fault(text, k, i64s(3, 4)).kind is FaultKind.OUTSIDE


def test_an_access_may_not_cross_the_end() -> None:
    text = "entry main { var m : mem; m <- alloc 15; m[1] : i64 <- 1; return }"
    assert fault(text).kind is FaultKind.OUTSIDE


def test_a_result_must_lie_in_its_block() -> None:
    text = "entry main (n : i64) { var m : mem; m <- alloc 8; return (m : [n]i64) }"
    assert run(text, 1) == [[None]]
    assert fault(text, 2).kind is FaultKind.OUTSIDE


def test_negative_allocation_is_empty() -> None:
    text = "entry main (n : i64) { var m : mem; m <- alloc n; return (m : [0]i64) }"
    assert run(text, -8) == [[]]


def test_what_was_never_written_must_not_be_read() -> None:
    text = """entry main {
      var m : mem;  m <- alloc 16;
      m[0] : i32 <- 1i32;
      var x : i64;  x <- m[0] : i64;
      return (x : i64)
    }"""
    found = fault(text)
    assert found.kind is FaultKind.POISON
    assert "bytes 0 to 7 of block `m` were never written" in str(found)


def test_what_was_never_written_may_be_moved() -> None:
    text = """entry main {
      var m : mem;  m <- alloc 16;
      var d : mem;  d <- alloc 16;
      m[1] : i64 <- 5;
      d[0] : i64 <- 6;
      d[1] : i64 <- 6;
      for i < 2 do d[i] <- m[i] : i64; done
      return (d : [2]i64)
    }"""
    assert run(text) == [[None, 5]]


def test_undefined_elements_of_arguments_stay_undefined() -> None:
    text = "entry main [n] (m : [n]i64) { return (m : [n]i64) }"
    x = ArrayValue(np.array([1, 2], np.int64), np.array([True, False]))
    assert run(text, x) == [[1, None]]


# ------------------------------------------------------------------- races


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "body",
    [
        "x[0] : i64 <- i;",
        "var v : i64; v <- x[(n - 1) - i] : i64; x[i] : i64 <- v;",
        "var v : i64; x[i] : i64 <- i; v <- x[0] : i64;",
        "x[i] <- x[(n - 1) - i] : i64;",
        "x[i + 1] <- x[i] : i64;",
        "kernel j < n do x[j] : i64 <- i; done",
        "for j < i do x[j] : i64 <- 0; done",
    ],
)
def test_race(order: Order, body: str) -> None:
    text = f"""entry main [n] (x : [n]i64) {{
      kernel i < n - 1 do
        {body}
      done
      return (x : [n]i64)
    }}"""
    found = fault(text, i64s(1, 2, 3, 4, 5), order=order)
    assert found.kind is FaultKind.RACE
    assert found.diagnostic.at.line == 3


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "body",
    [
        "x[i] : i64 <- i;",
        "var v : i64; v <- x[i] : i64; x[i] : i64 <- v + 1;",
        "var v : i64; v <- y[0] : i64; x[i] : i64 <- v;",
        "x[i] <- x[i] : i64;",
        "var m : mem; m <- alloc 8; m[0] : i64 <- i; x[i] <- m[0] : i64;",
        "x[i] : i64 <- 1; x[i] : i64 <- 2;",
        "for j < n do x[i] <- y[j] : i64; done",
    ],
)
def test_no_race(order: Order, body: str) -> None:
    text = f"""entry main [n] (x : [n]i64) (y : [n]i64) {{
      kernel i < n do {body} done
      return (x : [n]i64)
    }}"""
    run(text, i64s(1, 2, 3), i64s(7, 7, 7), order=order)


def test_races_are_seen_by_the_inner_kernel() -> None:
    text = """entry main [n] (x : [n]i64) {
      kernel i < n do kernel j < 2 do x[i] : i64 <- j; done done
      return (x : [n]i64)
    }"""
    message = str(fault(text, i64s(1, 2)))
    assert "iteration (j = 1) writes bytes 0 to 7" in message
    assert "which iteration (j = 0) writes" in message


def test_a_race_is_reported_with_iterations_statements_and_bytes() -> None:
    text = """entry main (b : i64) {
      var m : mem;  m <- alloc 80;
      kernel i < 2, j < 3 do
        m[j] : f32 <- 1.0f32;
        m[i + 5] : f32 <- 2.0f32;
      done
      return
    }"""
    message = str(fault(text, 0))
    assert "iteration (i = 0, j = 1) writes bytes 20 to 23 of block `m`" in message
    assert "which iteration (i = 0, j = 0) writes" in message
    assert "writes: <text>:5:9: m[i + 5] : f32 <- 2.0f32;" in message
    assert "hint: the iterations are those of <text>:3:7: kernel i < 2, j < 3 do" in message


def test_a_race_between_elements_of_different_sizes() -> None:
    text = """entry main {
      var m : mem;  m <- alloc 16;
      kernel i < 2 do
        m[i] : i64 <- 0;
        m[2*i + 1] : i16 <- 1i16;
      done
      return
    }"""
    found = fault(text)
    assert found.kind is FaultKind.RACE
    assert "bytes 6 to 7" in str(found)


def test_races_are_seen_by_the_outer_kernel() -> None:
    text = """entry main [n] (x : [n]i64) {
      kernel i < 2 do
        kernel j < n - 1 do x[j + i] : i64 <- 1; done
      done
      return (x : [n]i64)
    }"""
    message = str(fault(text, i64s(0, 0, 0)))
    assert "iteration (i = 1) writes bytes 8 to 15" in message
    assert "which iteration (i = 0) writes" in message


def test_successive_kernels_do_not_race() -> None:
    text = """entry main [n] (x : [n]i64) {
      kernel i < n do x[i] : i64 <- i; done
      kernel j < n do x[(n - 1) - j] : i64 <- j; done
      return (x : [n]i64)
    }"""
    assert run(text, i64s(5, 5, 5)) == [[2, 1, 0]]


@pytest.mark.parametrize("k", [-1, -4, -100])
def test_a_kernel_that_counts_to_a_negative_number_has_no_iterations(k: int) -> None:
    """Nor does one after it take its own for those of the one before."""
    text = """entry main [n] (x : [n]i64) (y : [n]i64) (k : i64) {
      kernel i < n do x[i] : i64 <- i; done
      kernel l < k, m < 1 do x[0] : i64 <- 0; done
      kernel j < n do y[(n - 1) - j] <- x[j] : i64; done
      return (y : [n]i64)
    }"""
    assert run(text, i64s(5, 5, 5), i64s(5, 5, 5), k) == [[2, 1, 0]]


def test_a_reader_among_many_conflicts_with_a_later_writer() -> None:
    text = """entry main [n] (x : [n]i64) {
      kernel i < n do
        var v : i64;
        v <- x[0] : i64;
        var last : bool;
        last <- i == n - 1;
        if last then x[0] : i64 <- v; else fi
      done
      return
    }"""
    for order in ORDERS:
        assert fault(text, i64s(1, 2, 3, 4), order=order).kind is FaultKind.RACE


def test_races_may_be_ignored() -> None:
    text = """entry main [n] (x : [n]i64) {
      kernel i < n do x[0] : i64 <- 7; done
      return (x : [n]i64)
    }"""
    assert run(text, i64s(1, 2), races=False) == [[7, 2]]


@pytest.mark.parametrize("order", ORDERS)
def test_of_very_many_iterations_the_first_to_run_may_trap(order: Order) -> None:
    """Their numbers need not fit into what a watch remembers, nor they into memory."""
    text = """entry main [n] (x : [n]i64) (k : i64) {
      kernel i < k, j < 4 do
        var v : i64;
        v <- x[0] : i64;
        var q : i64;
        q <- 5 / v;
        x[0] : i64 <- q;
      done
      return (x : [n]i64)
    }"""
    with pytest.raises(Trap) as e:
        run(text, i64s(0), 1 << 61, order=order)
    assert e.value.kind is TrapKind.DIVISION
    assert fault(text, i64s(5), 1 << 61, order=order).kind is FaultKind.RACE


def test_very_many_iterations_are_shuffled_as_well() -> None:
    """Each is run once, and hardly one in its place."""
    count = LISTED + 1
    which = shuffled(count, Random(0))
    every = [which(k) for k in range(count)]
    assert sorted(every) == list(range(count))
    assert sum(a == b for a, b in enumerate(every)) < 10
