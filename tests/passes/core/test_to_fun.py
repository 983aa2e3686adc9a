"""Lowering flattened Core to FUN: every construct, with its values and its traps."""

from typing import Any

import numpy as np
import pytest

from funmem.interp import run
from funmem.interp.core import run_core
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.diagnostics import SourceError, Trap
from funmem.ir.fun import Assert, Copy, FunProgram, Kernel, Loop
from funmem.ir.scalars import BOOL, F32, I8, I32, I64, UnOp
from funmem.ir.text.read_core import parse_core
from funmem.ir.traverse import walk
from funmem.ir.values import ArgValue
from funmem.passes.core import to_fun_by
from funmem.passes.core.to_fun import control
from tests.support.core_programs import (
    FALSE,
    add,
    arr,
    at,
    b,
    call,
    compute,
    define,
    dims,
    fmap,
    fn,
    i32s,
    iota,
    k,
    let,
    lets,
    loop_for,
    loop_while,
    lowered,
    mul,
    op,
    plain,
    plus,
    program,
    span,
    tup,
    v,
)

XS: list[tuple[str, Type]] = [("xs", arr(I32, "n"))]
XSS: list[tuple[str, Type]] = [("xss", arr(I32, "n", "m"))]
GRIDS = arr(I32, None, None)
FOUR = i32s(1, 2, 3, 4)
GRID = np.arange(6, dtype=np.int32).reshape(2, 3)


def on_xs(e: Exp, x: ArgValue = FOUR) -> object:
    """An expression in ``xs : [n]i32``."""
    return compute(program(XS, e, sizes="n"), x)


def on_grid(e: Exp, x: ArgValue = GRID) -> object:
    """An expression in ``xss : [n][m]i32``."""
    return compute(program(XSS, e, sizes="n m"), x)


def trap(p: CoreProgram, *args: ArgValue) -> str:
    """What the program says when it traps."""
    with pytest.raises(Trap) as e:
        run(lowered(p), "main", args)
    return e.value.diagnostic.message


def count(p: FunProgram, kind: type) -> int:
    """How many expressions of a kind there are."""
    return sum(isinstance(s.exp, kind) for e in p.entries for s in walk(e.body))


# ---------------------------------------------------------------------- scalars, names, control


def test_scalars():
    p = [("x", I32), ("y", I32)]
    z = let("z", I32, add(v("x"), v("y")), mul(v("z"), c.Un(UnOp.NEG, v("z"))))
    assert compute(program(p, z), 3, 4) == -49
    assert compute(program(p, c.Convert(F32, v("x"))), 3, 4) == 3.0
    assert compute(program(p, op("<", v("x"), v("y"))), 3, 4) is True
    assert compute(program(p, tup(op("/", v("x"), v("y")), v("x"))), 9, 4) == (2, 9)


def test_a_division_that_is_not_used_traps_all_the_same():
    p = program([("x", I32)], let("y", I32, op("/", k(1, I32), v("x")), v("x")))
    assert trap(p, 0) == "division by zero"


@pytest.mark.parametrize(("o", "left", "want"), [("&&", False, False), ("||", True, True)])
def test_the_right_operand_is_evaluated_only_if_it_decides(o, left, want):
    p = program(
        [("c", BOOL), ("x", I32)], op(o, v("c"), op("==", op("/", k(1, I32), v("x")), k(1, I32)))
    )
    assert compute(p, left, 0) is want
    assert compute(p, not left, 1) is True
    assert trap(p, not left, 0) == "division by zero"


def test_if_returns_the_sizes_that_differ():
    half = at(v("xs"), span(None, op("/", c.Length(v("xs")), k(2))))
    e = c.If(v("c"), v("xs"), half)
    p = program([("c", BOOL), *XS], e, sizes="n")
    assert compute(p, True, FOUR) == [1, 2, 3, 4]
    assert compute(p, False, FOUR) == [1, 2]


def test_if_results_of_equal_sizes_have_one():
    both = [tup(v("xs"), v("ys")), tup(*(c.Concat((v(x), v(x))) for x in ("xs", "ys")))]
    picked = c.If(v("c"), *both)
    sums = fmap(plus(), v("p"), v("q"))
    t = arr(I32, None)
    e = c.Let((b("p", t), b("q", t)), picked, sums)
    p = program([("c", BOOL), *XS, ("ys", arr(I32, "n"))], e, sizes="n")
    assert compute(p, False, i32s(1, 2), i32s(3, 4)) == [4, 6, 4, 6]
    assert count(lowered(p), Assert) == 0


def test_sizes_that_are_equal_polynomials_are_equal():
    n = c.Length(v("xs"))
    e = lets(
        (
            "k",
            I64,
            add(n, k(1)),
        ),
        ("a", arr(I64, None), iota(v("k"))),
        ("b", arr(I64, None), iota(add(k(1), n))),
        body=fmap(plus(I64), v("a"), v("b")),
    )
    p = program(XS, e, sizes="n")
    assert compute(p, FOUR) == [0, 2, 4, 6, 8]
    assert count(lowered(p), Assert) == 0


def test_an_assertion_shows_its_values():
    e = c.Assert(op("<", v("x"), k(3, I32)), "{} is not below {}", (v("x"), k(3, I32)), v("x"))
    assert compute(program([("x", I32)], e), 2) == 2
    assert trap(program([("x", I32)], e), 5) == "5 is not below 3"


# ---------------------------------------------------------------------- loops


def test_loops():
    total = loop_for(
        [("acc", I32, k(0, I32))], "i", c.Length(v("xs")), add(v("acc"), at(v("xs"), v("i")))
    )
    assert on_xs(total) == 10
    fib = loop_for(
        [("a", I32, k(0, I32)), ("b", I32, k(1, I32))], "i", k(10), tup(v("b"), add(v("a"), v("b")))
    )
    assert on_xs(fib) == (55, 89)
    power = loop_while(
        [("p", I32, k(1, I32))], op("<", v("p"), k(100, I32)), mul(v("p"), k(2, I32))
    )
    assert on_xs(power) == 128
    never = loop_while([("p", I32, k(1, I32))], FALSE, mul(v("p"), k(2, I32)))
    assert on_xs(never) == 1


def test_a_loop_updates_in_place_and_copies_only_what_is_not_its_own():
    def squares(init: Exp) -> Exp:
        new = c.Update(v("ys"), dims(v("i")), c.Convert(I32, mul(v("i"), v("i"))))
        return loop_for([("ys", arr(I32, "n"), init)], "i", c.Length(v("xs")), new)

    shared = program(XS, squares(v("xs")), sizes="n")
    own = program(XS, squares(v("xs")), sizes="n", unique="xs")
    fresh = program(XS, squares(c.Replicate(c.Length(v("xs")), k(0, I32))), sizes="n")
    for p, copies in ((shared, 1), (own, 0), (fresh, 0)):
        assert compute(p, FOUR) == [0, 1, 4, 9]
        assert count(lowered(p), Copy) == copies


def test_an_array_that_grows_in_a_loop():
    e = loop_for([("ys", arr(I32, None), v("xs"))], "i", k(2), c.Concat((v("ys"), v("ys"))))
    assert on_xs(e, i32s(1, 2)) == [1, 2] * 4


def test_dimensions_that_vary_together_stay_together():
    t = arr(I32, None)
    more = [c.Concat((v(x), c.ArrayLit((k(7, I32),), I32))) for x in ("as", "bs")]
    both = loop_for([("as", t, v("xs")), ("bs", t, v("xs"))], "i", k(2), tup(*more))
    e = c.Let((b("p", t), b("q", t)), both, fmap(plus(), v("p"), v("q")))
    p = program(XS, e, sizes="n")
    assert compute(p, i32s(1)) == [2, 14, 14]
    assert count(lowered(p), Assert) == 0


def test_dimensions_that_vary_apart():
    t = arr(I32, None)
    longer = c.Concat((v("as"), c.ArrayLit((k(7, I32),), I32)))
    shorter = at(v("bs"), span(1))
    both = loop_for([("as", t, v("xs")), ("bs", t, v("xs"))], "i", k(2), tup(longer, shorter))
    assert on_xs(both) == ([1, 2, 3, 4, 7, 7], [3, 4])


def test_a_size_that_the_front_end_knows_is_kept():
    kept = c.Filter(fn(("x", I32), body=op("<", k(0, I32), v("x"))), v("ys"))
    e = loop_for([("ys", arr(I32, "n"), v("xs"))], "i", k(2), kept)
    p = program(XS, e, sizes="n")
    assert compute(p, FOUR) == [1, 2, 3, 4]
    assert trap(p, i32s(1, 0)) == "Array of shape [1] where shape [2] is needed."


def test_a_size_that_is_a_parameter_of_the_loop_is_no_constant():
    """In ``loop (n, ys : [n]i32) = …`` ys has another size in each iteration."""
    e = loop_while(
        [("m", I64, k(1)), ("ys", arr(I32, "m"), c.Replicate(k(1), k(0, I32)))],
        op("<", v("m"), c.Length(v("xs"))),
        tup(add(v("m"), k(1)), c.Concat((v("ys"), c.Replicate(k(1), c.Convert(I32, v("m")))))),
    )
    assert on_xs(e) == (4, [0, 1, 2, 3])


def test_parameters_that_are_exchanged():
    write = c.Update(v("a"), dims(v("i")), k(9, I32))
    t = arr(I32, "n")
    e = loop_for(
        [("a", t, c.Copy(v("xs"))), ("b", t, c.Copy(v("xs")))], "i", k(3), tup(v("b"), write)
    )
    assert on_xs(e) == ([1, 9, 3, 4], [9, 2, 9, 4])


def test_an_initial_value_that_two_parameters_have():
    write = c.Update(v("a"), dims(v("i")), k(9, I32))
    t = arr(I32, "n")
    start = c.Copy(v("xs"))
    e = let(
        "s", t, start, loop_for([("a", t, v("s")), ("b", t, v("s"))], "i", k(2), tup(write, v("b")))
    )
    assert on_xs(e) == ([9, 9, 3, 4], [1, 2, 3, 4])


def test_an_initial_value_that_the_body_reads():
    write = c.Update(v("a"), dims(v("i")), at(v("s"), add(v("i"), k(1))))
    t = arr(I32, "n")
    e = let("s", t, c.Copy(v("xs")), loop_for([("a", t, v("s"))], "i", k(3), write))
    assert on_xs(e) == [2, 3, 4, 4]


def test_nested_loops_hand_an_array_through():
    t = arr(I32, "n")
    inner = loop_for(
        [("b", t, v("a"))],
        "j",
        c.Length(v("xs")),
        c.Update(v("b"), dims(v("j")), add(at(v("b"), v("j")), k(1, I32))),
    )
    e = loop_for([("a", t, c.Copy(v("xs")))], "i", k(3), inner)
    p = program(XS, e, sizes="n")
    assert compute(p, FOUR) == [4, 5, 6, 7]
    assert count(lowered(p), Copy) == 1


def test_an_update_in_one_branch():
    t = arr(I32, "n")
    new = c.If(
        op("==", op("%", v("i"), k(2)), k(0)), c.Update(v("a"), dims(v("i")), k(0, I32)), v("a")
    )
    e = loop_for([("a", t, c.Copy(v("xs")))], "i", c.Length(v("xs")), new)
    p = program(XS, e, sizes="n")
    assert compute(p, FOUR) == [0, 2, 0, 4]
    assert count(lowered(p), Copy) == 1


def test_a_while_loop_over_an_array():
    t = arr(I32, None)
    e = loop_while(
        [("ys", t, v("xs"))], op("<", c.Length(v("ys")), k(10)), c.Concat((v("ys"), v("ys")))
    )
    assert on_xs(e) == [1, 2, 3, 4] * 4
    assert on_xs(e, i32s(*range(12))) == list(range(12))


# ---------------------------------------------------------------------- map


def test_map():
    assert on_xs(fmap(fn(("x", I32), body=add(v("x"), k(1, I32))), v("xs"))) == [2, 3, 4, 5]
    assert on_xs(fmap(plus(), v("xs"), c.Reverse(v("xs")))) == [5, 5, 5, 5]
    two = c.Unzip(fmap(fn(("x", I32), body=tup(v("x"), mul(v("x"), v("x")))), v("xs")))
    t = arr(I32, None)
    assert on_xs(c.Let((b("p", t), b("q", t)), two, tup(v("q"), v("p")))) == (
        [1, 4, 9, 16],
        [1, 2, 3, 4],
    )


def test_map_over_a_range_reads_no_array():
    e = fmap(fn(("i", I64), body=at(v("xs"), v("i"))), iota(c.Length(v("xs"))))
    assert on_xs(e) == [1, 2, 3, 4]
    odd = c.Iota(c.Length(v("xs")), k(1, I8), k(100, I8))
    assert on_xs(fmap(fn(("i", I8), body=v("i")), odd)) == [1, 101, -55, 45]


def test_nested_maps():
    rows = fmap(
        fn(("r", arr(I32, None)), body=fmap(fn(("x", I32), body=mul(v("x"), k(2, I32))), v("r"))),
        v("xss"),
    )
    assert on_grid(rows) == [[0, 2, 4], [6, 8, 10]]
    sums = fmap(fn(("r", arr(I32, None)), body=c.Reduce(plus(), (k(0, I32),), (v("r"),))), v("xss"))
    assert on_grid(sums) == [3, 12]
    outer = fmap(
        fn(
            ("r", arr(I32, None)),
            body=fmap(
                fn(
                    ("s", arr(I32, None)),
                    body=c.Reduce(
                        plus(),
                        (k(0, I32),),
                        (
                            fmap(
                                fn(("x", I32), ("y", I32), body=mul(v("x"), v("y"))), v("r"), v("s")
                            ),
                        ),
                    ),
                ),
                v("xss"),
            ),
        ),
        v("xss"),
    )
    assert on_grid(outer) == [[5, 14], [14, 50]]


def test_lengths_are_checked_once():
    e = lets(
        ("a", arr(I32, None), fmap(plus(), v("xs"), v("ys"))),
        ("b", arr(I32, None), fmap(plus(), v("ys"), v("a"))),
        body=v("b"),
    )
    p = program([("xs", arr(I32, "n")), ("ys", arr(I32, "m"))], e, sizes="n m")
    assert compute(p, FOUR, FOUR) == [3, 6, 9, 12]
    assert count(lowered(p), Assert) == 1
    assert "lengths 4 and 2" in trap(p, FOUR, i32s(1, 2))


def test_rows_whose_size_is_computed_from_outer_ones():
    row = iota(op("/", c.Length(v("xs")), k(2)))
    assert on_xs(fmap(fn(("x", I32), body=row), v("xs"))) == [[0, 1]] * 4
    assert on_xs(fmap(fn(("x", I32), body=row), v("xs")), i32s()) == []


def test_rows_whose_size_must_be_found_out():
    row = iota(c.Convert(I64, v("x")))
    p = program(XS, fmap(fn(("x", I32), body=row), v("xs")), sizes="n")
    assert compute(p, i32s(2, 2)) == [[0, 1], [0, 1]]
    assert compute(p, i32s()) == []
    assert "row of shape [3] where the first has shape [2]" in trap(p, i32s(2, 3))


def test_inner_arrays_of_different_sizes():
    total = c.Reduce(plus(I64), (k(0),), (iota(c.Convert(I64, v("x"))),))
    assert compute(
        program(XS, fmap(fn(("x", I32), body=total), v("xs")), sizes="n"), FOUR, heap=False
    ) == [0, 1, 3, 6]


def test_map_returns_an_outer_array_in_each_row():
    assert on_xs(fmap(fn(("x", I32), body=v("xs")), v("xs")), i32s(1, 2)) == [[1, 2], [1, 2]]


def test_a_row_that_is_updated_is_copied():
    row = c.Update(v("r"), dims(0), k(9, I32))
    assert on_grid(fmap(fn(("r", arr(I32, None)), body=row), v("xss"))) == [[9, 1, 2], [9, 4, 5]]


# ---------------------------------------------------------------------- reduce, scan, hist, …


def test_reduce_and_scan():
    assert on_xs(c.Reduce(plus(), (k(0, I32),), (v("xs"),))) == 10
    assert on_xs(c.Reduce(plus(), (k(0, I32),), (v("xs"),)), i32s()) == 0
    assert on_xs(c.Scan(plus(), (k(0, I32),), (v("xs"),))) == [1, 3, 6, 10]
    two = fn(
        ("a", I32),
        ("i", I64),
        ("b", I32),
        ("j", I64),
        body=c.If(op("<", v("a"), v("b")), tup(v("b"), v("j")), tup(v("a"), v("i"))),
    )
    arg_max = c.Reduce(two, (k(-1, I32), k(-1)), (v("xs"), iota(c.Length(v("xs")))))
    assert on_xs(arg_max, i32s(3, 8, 5)) == (8, 1)


@pytest.mark.slow
def test_reduce_of_rows():
    t = arr(I32, None)
    rows = fn(
        ("a", t),
        ("b", t),
        body=fmap(fn(("x", I32), ("y", I32), body=add(v("x"), v("y"))), v("a"), v("b")),
    )
    ne = c.Replicate(c.Length(v("xss"), 1), k(0, I32))
    assert on_grid(c.Reduce(rows, (ne,), (v("xss"),))) == [3, 5, 7]
    assert on_grid(c.Scan(rows, (ne,), (v("xss"),))) == [[0, 1, 2], [3, 5, 7]]
    three = c.Replicate(k(3), k(0, I32))
    p = program(XSS, c.Reduce(rows, (three,), (v("xss"),)), sizes="n m")
    assert compute(p, GRID) == [3, 5, 7]
    assert "Elements of shape [2]" in trap(p, np.ones((3, 2), np.int32))


def test_reduce_whose_accumulator_grows_is_a_loop():
    t = arr(I32, None)
    join = fn(("a", t), ("b", t), body=c.Concat((v("a"), v("b"))))
    p = program(XSS, c.Reduce(join, (c.ArrayLit((), I32),), (v("xss"),)), sizes="n m")
    assert compute(p, GRID) == [0, 1, 2, 3, 4, 5]
    assert count(lowered(p), Loop) == 1


@pytest.mark.slow
def test_filter():
    small = c.Filter(fn(("x", I32), body=op("<", v("x"), k(3, I32))), v("xs"))
    assert on_xs(small, i32s(5, 1, 2, 7, 0)) == [1, 2, 0]
    assert on_xs(small, i32s()) == []
    rows = c.Filter(fn(("r", arr(I32, None)), body=op("<", k(2, I32), at(v("r"), 0))), v("xss"))
    assert on_grid(rows) == [[3, 4, 5]]


def test_hist():
    n = c.Length(v("xs"))
    where = fmap(fn(("x", I32), body=c.Convert(I64, v("x"))), v("xs"))
    ones = c.Replicate(n, k(1, I32))
    e = c.Hist(plus(), (k(0, I32),), (c.Replicate(k(4), k(0, I32)),), where, (ones,))
    assert on_xs(e, i32s(1, 3, 1, 7, -1, 0)) == [1, 2, 0, 1]
    keep = c.Hist(plus(), (k(0, I32),), (v("xs"),), iota(n), (ones,))
    assert on_xs(keep) == [2, 3, 4, 5]


def test_hist_over_two_dimensions():
    n = c.Length(v("xs"))
    rows = fmap(fn(("x", I32), body=c.Convert(I64, v("x"))), v("xs"))
    where = c.Zip((("0", rows), ("1", c.Reverse(rows))))
    dest = c.Replicate(k(2), c.Replicate(k(3), k(0, I32)))
    e = c.Hist(plus(), (k(0, I32),), (dest,), where, (c.Replicate(n, k(1, I32)),))
    assert on_xs(e, i32s(1, 0, 1, 2, 1)) == [[0, 0, 1], [0, 3, 0]]


@pytest.mark.slow
def test_hist_over_two_dimensions_of_two_arrays():
    """The second has the first's sizes, and is flattened by those."""
    both = fn(*((x, I64) for x in "abxy"), body=tup(add(v("a"), v("x")), mul(v("b"), v("y"))))
    where = c.Zip((("0", v("is")), ("1", v("js"))))
    e = c.Hist(both, (k(0), k(1)), (v("p"), v("q")), where, (v("vs"), v("vs")))
    grid, row = arr(I64, None, None), arr(I64, None)
    params = [("p", grid), ("q", grid), ("is", row), ("js", row), ("vs", row)]
    p = program(params, e, unique="p q", result=c.tuple_type(grid, grid))
    args = (np.zeros((2, 3), np.int64), np.ones((2, 3), np.int64))
    rest = [np.array(x) for x in ([0, 1, 1, 5], [0, 2, 7, 0], [4, 2, 3, 4])]
    assert compute(p, *args, *rest) == ([[4, 0, 0], [0, 0, 2]], [[4, 1, 1], [1, 1, 2]])
    args = (args[0], np.ones((3, 2), np.int64))
    assert "shape" in trap(p, *args, *rest)


def test_scatter():
    where = c.ArrayLit((k(3), k(-1), k(0), k(4)), I64)
    e = c.Scatter(c.Copy(v("xs")), where, c.ArrayLit(tuple(k(x, I32) for x in (7, 8, 9, 6)), I32))
    assert on_xs(e) == [9, 2, 3, 7]
    rows = c.Scatter(
        c.Copy(v("xss")), c.ArrayLit((k(1),), I64), c.ArrayLit((at(v("xss"), 0),), arr(I32, None))
    )
    assert on_grid(rows) == [[0, 1, 2], [0, 1, 2]]
    where2 = c.Zip(
        (("0", c.ArrayLit((k(1), k(0), k(2)), I64)), ("1", c.ArrayLit((k(2), k(-1), k(0)), I64)))
    )
    cells = c.Scatter(
        c.Copy(v("xss")), where2, c.ArrayLit(tuple(k(x, I32) for x in (7, 8, 9)), I32)
    )
    assert on_grid(cells) == [[0, 1, 2], [3, 4, 7]]


# ---------------------------------------------------------------------- arrays


def test_fresh_arrays():
    assert on_xs(c.Iota(k(3), k(5), k(-2))) == [5, 3, 1]
    assert on_xs(c.Replicate(k(2), c.Replicate(k(3), k(1, I32)))) == [[1] * 3] * 2
    assert on_xs(c.Replicate(k(2), v("xs")), i32s(1, 2)) == [[1, 2]] * 2
    assert on_xs(c.ArrayLit((k(1, I32), k(2, I32)), I32)) == [1, 2]
    assert on_xs(c.ArrayLit((v("xs"), c.Reverse(v("xs"))), arr(I32, None)), i32s(1, 2)) == [
        [1, 2],
        [2, 1],
    ]
    assert on_xs(c.ArrayLit((), arr(I32, 3))) == []
    assert on_xs(c.Concat((v("xs"), v("xs"), iota32(2)))) == [1, 2, 3, 4, 1, 2, 3, 4, 0, 1]
    assert on_xs(c.Update(c.Scratch(k(1), I32), dims(0), k(3, I32))) == [3]
    assert on_grid(c.Concat((v("xss"), v("xss")))) == [[0, 1, 2], [3, 4, 5]] * 2


def iota32(n: int) -> Exp:
    """``0 … n-1`` : i32."""
    return c.Iota(k(n), k(0, I32), k(1, I32))


def test_a_negative_size_traps():
    assert trap(program([("n", I64)], iota(v("n"))), -1) == "Size -1 is negative."
    assert trap(program([], iota(k(-1)))) == "Size -1 is negative."
    assert trap(program([], c.Replicate(k(-2), k(1)))) == "Size -2 is negative."


def test_rows_of_a_literal_have_one_shape():
    p = program(XS, c.ArrayLit((v("xs"), iota32(2)), arr(I32, None)), sizes="n")
    assert compute(p, i32s(5, 6)) == [[5, 6], [0, 1]]
    assert "shape [2] where the others have shape [4]" in trap(p, FOUR)


def test_derived_arrays():
    assert on_xs(c.Reverse(v("xs"))) == [4, 3, 2, 1]
    assert on_grid(c.Rearrange((1, 0), v("xss"))) == [[0, 3], [1, 4], [2, 5]]
    assert on_grid(c.Flatten(2, v("xss"))) == [0, 1, 2, 3, 4, 5]
    assert on_xs(c.Unflatten((k(2), k(2)), v("xs"))) == [[1, 2], [3, 4]]
    assert on_grid(
        c.Unflatten((c.Length(v("xss"), 1), c.Length(v("xss"))), c.Flatten(2, v("xss")))
    ) == [[0, 1], [2, 3], [4, 5]]
    assert (
        trap(program(XS, c.Unflatten((k(3), k(2)), v("xs")), sizes="n"), FOUR)
        == "Cannot unflatten array of shape [4] to array of shape [3][2]"
    )
    assert (
        trap(program(XS, c.Unflatten((k(-2), k(-2)), v("xs")), sizes="n"), FOUR)
        == "Cannot unflatten array of shape [4] to array of shape [-2][-2]"
    )


def test_flatten_and_unflatten_are_inverse_without_a_check():
    e = c.Unflatten((c.Length(v("xss")), c.Length(v("xss"), 1)), c.Flatten(2, v("xss")))
    p = program(XSS, e, sizes="n m")
    assert compute(p, GRID) == GRID.tolist()
    assert count(lowered(p), Assert) == 0


def test_coerce():
    message = "Value of shape {} cannot have shape {}."
    p = program(
        [*XS, ("k", I64)], c.Coerce(v("xs"), c.Array(I32, arr(I32, "k").size), message), sizes="n"
    )
    assert compute(p, FOUR, 4) == [1, 2, 3, 4]
    assert trap(p, FOUR, 3) == "Value of shape [4] cannot have shape [3]."
    q = program(
        [*XSS, ("k", I64)],
        let(
            "ys",
            arr(I32, None, None),
            c.Coerce(v("xss"), arr(I32, None, "k"), message),
            c.Length(v("ys"), 1),
        ),
        sizes="n m",
    )
    assert compute(q, GRID, 3) == 3
    assert compute(q, np.zeros((0, 2), np.int32), 3) == 3
    assert trap(q, GRID, 4) == "Value of shape [2][3] cannot have shape [2][4]."


def test_what_is_inside_of_nothing_has_any_size():
    """An empty dimension in the middle: coerced, put into an array, and put there row by row."""
    t = arr(I32, "n", "m", "o")
    stated = c.Coerce(v("xs"), arr(I32, None, None, "k"), "{} {}")
    p = program([("xs", t), ("k", I64)], c.Length(stated, 2), sizes="n m o")
    assert compute(p, np.zeros((2, 0, 3), np.int32), 5) == 5
    assert compute(p, np.zeros((2, 1, 3), np.int32), 3) == 3
    assert trap(p, np.zeros((2, 1, 3), np.int32), 5) == "[2][1][3] [2][1][5]"
    put = c.Update(c.Copy(v("xss")), dims(span(0, v("k"))), v("vs"))
    params = [*XSS, ("vs", arr(I32, "q", "r")), ("k", I64)]
    q = program(params, put, sizes="n m q r")
    assert compute(q, GRID, np.zeros((0, 7), np.int32), 0) == GRID.tolist()
    assert compute(q, GRID, np.zeros((1, 3), np.int32), 1) == [[0, 0, 0], [3, 4, 5]]
    said = "Irregular array: a row of shape [7] where the others have shape [3]."
    assert trap(q, GRID, np.zeros((1, 7), np.int32), 1) == said
    said = "Array of shape [1][7] where shape [2][3] is needed."
    assert trap(q, GRID, np.zeros((1, 7), np.int32), 2) == said


@pytest.mark.slow
def test_rows_of_what_is_joined():
    """What has no rows does not say how long they are: wherever it is, and if only a run knows."""
    none = c.ArrayLit((), arr(I32, None))
    xss, yss = v("xss"), v("yss")
    empty, other = np.zeros((0, 5), np.int32), np.zeros((0, 7), np.int32)
    said = "Irregular array: a row of shape [5] where the others have shape [3]."
    for arrays in ((none, xss), (xss, none), (none, none, xss)):
        p = program(XSS, c.Concat(arrays), sizes="n m", result=arr(I32, None, None))
        assert compute(p, GRID) == GRID.tolist()
    params = [*XSS, ("yss", arr(I32, "k", "l"))]
    q = program(params, c.Concat((xss, yss)), sizes="n m k l", result=arr(I32, None, None))
    assert compute(q, empty, GRID) == compute(q, GRID, empty) == GRID.tolist()
    assert trap(q, GRID, np.zeros((1, 5), np.int32)) == said
    width = c.Length(c.Concat((xss, none, yss, xss)), 1)
    w = program(params, width, sizes="n m k l")
    cases = ((GRID, other), (GRID, GRID), (empty, GRID), (other, empty))
    assert [compute(w, *a) for a in cases] == [3, 3, 3, 7]
    grown = loop_for([("acc", arr(I32, None, None), none)], "i", k(2), c.Concat((v("acc"), xss)))
    p = program(XSS, grown, sizes="n m", result=arr(I32, None, None))
    assert compute(p, GRID) == [*GRID.tolist(), *GRID.tolist()]


# ---------------------------------------------------------------------- slices


def test_indexing():
    assert on_xs(at(v("xs"), 2)) == 3
    assert on_grid(at(v("xss"), 1)) == [3, 4, 5]
    assert on_grid(at(v("xss"), 1, 2)) == 5
    assert on_grid(at(v("xss"), span(), 1)) == [1, 4]
    assert (
        trap(program(XS, at(v("xs"), 4), sizes="n"), FOUR)
        == "Index [4] out of bounds for array of shape [4]."
    )
    assert (
        trap(program(XSS, at(v("xss"), 2), sizes="n m"), GRID)
        == "Index [2] out of bounds for array of shape [2]."
    )


RANGES = [
    (lo, hi, step)
    for lo in (None, -1, 0, 1, 2, 3, 4, 5, 9)
    for hi in (None, -2, -1, 0, 1, 3, 4, 5, 7)
    for step in (None, 0, 1, 2, 3, -1, -2, -3)
]
FAR = (I64.max, I64.min)
RANGES += [
    (lo, hi, step)
    for lo in (None, 0, 2, *FAR)
    for hi in (None, -1, 4, *FAR)
    for step in (1, 2, -1, -3, *FAR, -I64.max)
]


def expected(lo: int | None, hi: int | None, step: int | None) -> list[int] | None:
    """What a slice of ``[1, 2, 3, 4]`` is, or None if it traps."""
    n, s = 4, 1 if step is None else step
    if s == 0:
        return None
    first = (0 if s > 0 else n - 1) if lo is None else lo
    past = (n if s > 0 else -1) if hi is None else hi
    span = past - first + s - (1 if s > 0 else -1)
    length = abs(span) // abs(s) * (1 if span * s >= 0 else -1)
    if length == 0:
        return []
    places = range(first, first + length * s, s)
    fine = length > 0 and all(0 <= i < n for i in places) and (s > 0 or past >= -1)
    return [i + 1 for i in places] if fine else None


@pytest.mark.parametrize("dynamic", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
@pytest.mark.slow
def test_every_range(dynamic):
    for lo, hi, step in RANGES:
        given = [x for x in (lo, hi, step) if x is not None]
        names = iter("abc")
        parts = [None if x is None else v(next(names)) if dynamic else k(x) for x in (lo, hi, step)]
        params = [(name, I64) for name in "abc"[: len(given)]] if dynamic else []
        p = lowered(program([*XS, *params], at(v("xs"), c.Range(*parts)), sizes="n"))
        args = (FOUR, *(given if dynamic else ()))
        want = expected(lo, hi, step)
        if want is None:
            with pytest.raises(Trap, match=r"Index .* out of bounds for array of shape .4"):
                run(p, "main", args)
        else:
            (found,) = run(p, "main", args)
            assert found.data.tolist() == want, (lo, hi, step)


def test_slices_say_what_was_written():
    p = program([*XS, ("a", I64), ("b", I64)], at(v("xs"), span(v("a"), v("b"))), sizes="n")
    assert compute(p, FOUR, 1, 3) == [2, 3]
    assert trap(p, FOUR, 3, 1) == "Index [3:1] out of bounds for array of shape [4]."
    assert compute(p, FOUR, 5, 5) == []
    q = program(XSS, at(v("xss"), span(None, None, -1), span(1, 6, 2)), sizes="n m")
    assert trap(q, GRID) == "Index [::-1, 1:6:2] out of bounds for array of shape [2][3]."
    step0 = program(XS, at(v("xs"), span(None, None, 0)), sizes="n")
    assert trap(step0, FOUR) == "Index [::0] out of bounds for array of shape [4]."
    open_end = program(XS, at(v("xs"), span(5)), sizes="n")
    assert trap(open_end, FOUR) == "Index [5:] out of bounds for array of shape [4]."


def test_updates():
    assert on_xs(c.Update(v("xs"), dims(1), k(9, I32))) == [1, 9, 3, 4]
    assert on_xs(c.Update(v("xs"), dims(span(1, 3)), iota32(2))) == [1, 0, 1, 4]
    assert on_xs(c.Update(v("xs"), dims(span(None, None, -2)), iota32(2))) == [1, 1, 3, 0]
    assert on_grid(c.Update(v("xss"), dims(1), at(v("xss"), 0))) == [[0, 1, 2], [0, 1, 2]]
    assert on_grid(c.Update(v("xss"), dims(span(), 0), iota32(2))) == [[0, 1, 2], [1, 4, 5]]
    p = program(XS, c.Update(v("xs"), dims(7), k(9, I32)), sizes="n")
    assert trap(p, FOUR) == "Index [7] out of bounds for array of shape [4]."
    q = program(XS, c.Update(v("xs"), dims(span(1, 3)), v("xs")), sizes="n")
    assert trap(q, FOUR) == "Array of shape [4] where shape [2] is needed."


def test_an_update_from_the_array_itself():
    t = arr(I32, "n")
    e = let("ys", t, c.Copy(v("xs")), c.Update(v("ys"), dims(span(0, 2)), at(v("ys"), span(2, 4))))
    assert on_xs(e) == [3, 4, 3, 4]


def test_flat_slices():
    windows = c.FlatSlice(v("xs"), k(0), ((k(3), k(1)), (k(2), k(1))))
    assert on_xs(windows) == [[1, 2], [2, 3], [3, 4]]
    diagonal = c.FlatSlice(c.Flatten(2, v("xss")), k(0), ((k(2), k(4)),))
    assert on_grid(diagonal) == [0, 4]
    assert on_grid(c.FlatSlice(v("xss"), k(1), ((k(2), k(-1)),))) == [[3, 4, 5], [0, 1, 2]]
    put = c.FlatUpdate(c.Copy(v("xs")), k(3), (k(-2),), iota32(2))
    assert on_xs(put) == [1, 1, 3, 0]
    p = program(XS, c.FlatUpdate(v("xs"), k(2), (k(2),), iota32(2)), sizes="n")
    assert "out of bounds" in trap(p, FOUR)


@pytest.mark.slow
def test_flat_slices_of_empty_rows():
    """Where no elements are, FUN's check has nothing to check; Core's is about rows."""
    params = [*XSS, ("o", I64), ("l", I64), ("s", I64)]
    e = c.Length(c.FlatSlice(v("xss"), v("o"), ((v("l"), v("s")), (k(2), k(1)))))
    p = program(params, e, sizes="n m", result=I64)
    far = 2**62
    for rows in (3, 4):
        for o, length, s in (
            *((0, 2, 1), (1, 2, 1), (0, 3, 1), (2, 2, -1), (-1, 2, 1), (100, 0, 1), (100, 1, 1)),
            *((0, 2, far), (0, 3, far), (0, 5, far), (3, 2, -far), (2, 1, far), (0, 2, -(2**63))),
        ):
            grid = np.zeros((rows, 0), np.int32)
            try:
                run_core(p, "main", (np.zeros((rows, 1), np.int32), o, length, s))
            except Trap:
                assert "out of bounds" in trap(p, grid, o, length, s)
            else:
                assert compute(p, grid, o, length, s) == length
    put = c.FlatUpdate(c.Copy(v("xss")), v("o"), (k(0),), v("vs"))
    q = program([*XSS, ("o", I64), ("vs", arr(I32, "q", "m"))], put, sizes="n m q", result=GRIDS)
    nothing = np.zeros((3, 0), np.int32)
    assert compute(q, nothing, 0, nothing) == [[], [], []]
    assert run_core(q, "main", (nothing, 0, nothing))[0].shape == (3, 0)
    assert "out of bounds" in trap(q, nothing, 3, nothing)


# ---------------------------------------------------------------------- definitions


def test_definitions_are_inlined():
    twice = define("twice", [("x", I32)], I32, mul(v("x"), k(2, I32)))
    four = define("four", [("x", I32)], I32, call("twice", call("twice", v("x"))))
    assert compute(program([("x", I32)], call("four", v("x")), defs=[twice, four]), 3) == 12


def test_constants_are_computed_once():
    table = define(
        "table", [], arr(I64, None), fmap(fn(("i", I64), body=mul(v("i"), v("i"))), iota(k(5)))
    )
    e = fmap(fn(("x", I32), body=at(call("table"), c.Convert(I64, v("x")))), v("xs"))
    p = program(XS, e, sizes="n", defs=[table])
    assert compute(p, FOUR) == [1, 4, 9, 16]
    assert count(lowered(p), Kernel) == 2
    keep = program([], c.Update(call("table"), dims(0), k(7)), defs=[table])
    assert compute(keep) == [7, 1, 4, 9, 16]


def test_tail_recursion_is_a_loop():
    gcd = define(
        "gcd",
        [("a", I64), ("b", I64)],
        I64,
        c.If(
            op("==", v("b"), k(0)),
            v("a"),
            let("r", I64, op("%", v("a"), v("b")), call("gcd", v("b"), v("r"))),
        ),
    )
    p = program([("x", I64), ("y", I64)], call("gcd", v("x"), v("y")), defs=[gcd])
    assert compute(p, 48, 36) == 12
    grow = define(
        "grow",
        [("xs", arr(I32, None)), ("n", I64)],
        arr(I32, None),
        c.If(
            op("<=", v("n"), k(0)),
            c.Reverse(v("xs")),
            call("grow", c.Concat((v("xs"), iota32(1))), op("-", v("n"), k(1))),
        ),
    )
    q = program([*XS, ("k", I64)], call("grow", v("xs"), v("k")), sizes="n", defs=[grow])
    assert compute(q, i32s(5), 2) == [0, 0, 5]
    assert compute(q, i32s(5), 0) == [5]


def filling(cond: Exp) -> CoreProgram:
    """Writes 100 into xs[i] for i = 0, 1, … until a condition over i and xs holds; then xs[0]."""
    fill = define(
        "fill",
        [("i", I64), ("xs", arr(I32, None))],
        I32,
        let(
            "ys",
            arr(I32, None),
            c.Update(v("xs"), dims(v("i")), k(100, I32)),
            c.If(cond, at(v("ys"), 0), call("fill", add(v("i"), k(1)), v("ys"))),
        ),
    )
    return program(XS, call("fill", k(0), c.Copy(v("xs"))), sizes="n", defs=[fill])


def test_an_update_before_the_end_is_done_where_recursion_goes_on():
    """The parameters that an end returns are those before the update, which it repeats later."""
    p = filling(op(">", v("i"), k(1)))
    assert compute(p, FOUR) == 100
    assert count(lowered(p), Copy) == 1  # the entry point's


def test_an_update_that_decides_whether_recursion_ends_spares_a_copy():
    p = filling(op("==", at(v("ys"), 2), k(100, I32)))
    assert compute(p, FOUR) == 100
    assert count(lowered(p), Copy) == 2


def test_other_recursion_is_not_supported():
    fact = define(
        "fact",
        [("n", I64)],
        I64,
        c.If(op("<", v("n"), k(1)), k(1), mul(v("n"), call("fact", op("-", v("n"), k(1))))),
    )
    with pytest.raises(SourceError, match="not supported: recursion that is not a tail call"):
        lowered(program([("x", I64)], call("fact", v("x")), defs=[fact]))


# ---------------------------------------------------------------------- entries, names, size


def test_sizes_that_nobody_names():
    p = program(
        [("xs", arr(I32, None)), ("ys", arr(I32, None))], tup(c.Length(v("xs")), c.Length(v("ys")))
    )
    assert compute(p, FOUR, i32s(1)) == (4, 1)


def test_results_with_sizes_of_their_own():
    e = tup(iota(op("/", c.Length(v("xs")), k(2))), iota(add(c.Length(v("xs")), k(1))))
    assert on_xs(e) == ([0, 1], [0, 1, 2, 3, 4])


def test_reserved_words_may_be_names_in_core():
    p = program(
        [("n", I64)],
        let(
            "copy",
            arr(I64, "n"),
            iota(v("n")),
            fmap(fn(("kernel", I64), body=v("kernel")), v("copy")),
        ),
    )
    assert compute(p, 3) == [0, 1, 2]


def test_a_long_chain():
    e: Exp = v("x2000")
    for j in reversed(range(2000)):
        e = let(f"x{j + 1}", I32, add(v(f"x{j}"), k(1, I32)), e)
    (found,) = run(lowered(program([("x0", I32)], e)), "main", (5,))
    assert found == 2005


def test_places_reach_the_statements():
    from funmem.ir.diagnostics import Span

    place = Span("t.fut", 3, 4, 9)
    e = c.Index(v("xs"), dims(9), place)
    with pytest.raises(Trap) as error:
        run(lowered(program(XS, e, sizes="n")), "main", (FOUR,))
    assert error.value.diagnostic.at == place


def test_a_message_has_no_more_values_than_it_can():
    """Two shapes of rank 13 would be 26."""
    sizes = " ".join(f"n{j}" for j in range(13))
    stated = c.Coerce(v("xs"), arr(I32, *[1] * 13), "{} is not {}.")
    p = program([("xs", arr(I32, *sizes.split()))], c.Length(stated), sizes=sizes)
    assert compute(p, np.zeros((1,) * 13, np.int32)) == 1
    assert trap(p, np.zeros((1,) * 12 + (2,), np.int32)) == f"{'[…]' * 13} is not {'[…]' * 13}."


def test_nested_loops_are_not_lowered_exponentially_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop whose array grows is lowered twice, and so are all loops inside it."""
    depth, count = 9, 0
    lower = control._lower

    def counted(*args: Any) -> Any:
        nonlocal count
        count += 1
        return lower(*args)

    body = "concat xs (replicate 1 n)"
    for level in range(depth):
        inner = body.replace("xs", f"x{level}")
        body = f"loop (x{level} : []i64) = xs for j{level} < n do {inner}"
    p = parse_core(f"entry main (n : i64) : []i64 = let (xs : []i64) = iota n 0 1 in {body}")
    monkeypatch.setattr(control, "_lower", counted)
    fun = to_fun_by(p)
    assert count < 2**depth
    assert plain(run(fun, "main", (1,))[0]) == [0, 1]
